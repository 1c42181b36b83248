// Several devices that ran the same: what only one of them shows is its own.
#pragma once

#include <string>
#include <vector>

#include "reports/model/report.h"

namespace mfma::conformance {

// Of reports of one run on several devices, with RunPlan::digests. Sets Finding::across of every finding that fails
// or hangs, and adds a "devices-differ" finding where all devices ran a kernel on all cases and one gave other bits
// than the rest, which agree, without failing by itself: on elements that do not gate. Two devices that differ are both
// told of; which is wrong nothing says then. Fewer than two reports stay as they are.
void compare_devices(std::vector<reports::RunReport>& reports);

// For a person, a line each: how many findings are one device's own, and whose; what all devices share.
[[nodiscard]] std::vector<std::string> summary_across(const std::vector<reports::RunReport>& reports);

}  // namespace mfma::conformance
