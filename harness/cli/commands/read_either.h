// Reports from files.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "reports/model/report.h"

namespace mfma::cli {

// A JSON report, or an event log, whichever the file is; of a log, what was in flight is said. One line otherwise.
tl::expected<reports::RunReport, std::string> read_either(const std::string& file);

}  // namespace mfma::cli
