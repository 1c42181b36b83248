// When a run is to end before it is done.
#pragma once

#include <string>

namespace mfma::system {

// From now on SIGINT and SIGTERM ask the run to end with what it has; a second one of a kind ends the process as ever.
void stop_on_signals();
// From now on the run is to end after so many seconds.
void stop_after(double seconds);
// Empty, or why the run is to end: "time", "signal". Thread-safe.
std::string stop_reason();

}  // namespace mfma::system
