// Whether two reports are parts of one run: what `--resume` and `merge` ask before they put results together.
#pragma once

#include <string>

#include "reports/model/report.h"

namespace mfma::reports {

// Empty where both have the same tool, compilers, flags, levels, kind of device, profiles, reading, seed, tier, cases,
// modifiers, operand classes, properties and shapes; else "seed: 1 and 2". Shards and times may differ.
std::string difference_of_runs(const RunReport& x, const RunReport& y);

}  // namespace mfma::reports
