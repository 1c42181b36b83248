// A report of a run with planted failures of all kinds.
#pragma once

#include "reports/model/report.h"

namespace mfma::reports::testing {

// Every fault of tests/faults/plants.h, run on the emulated device with one found and reduced case each; findings of
// the other kinds beside them, on units of their own; and every other legal instance as passed. 50 failures and more.
RunReport planted_report();

}  // namespace mfma::reports::testing
