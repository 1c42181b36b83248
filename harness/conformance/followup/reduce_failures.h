// The failing cases of a run, made small.
#pragma once

#include <vector>

#include "harness/conformance/calls/description.h"
#include "reports/model/report.h"

namespace mfma::conformance {

// Reduces the case of the first wrong-bits finding of each instance, of at most kReducedPerBuiltin instances of each
// builtin, and sets Finding::reduced. Bounded by counts, not by time, so that a report depends on its options alone.
void reduce_failures(const RunDescription& run, std::vector<reports::Finding>& findings);

inline constexpr int kReducedPerBuiltin = 4;

}  // namespace mfma::conformance
