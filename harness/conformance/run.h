// The main job: instances x compilers x levels x operands on a device, every output bit compared with the oracle.
//
// The report depends on subject and plan alone: not on threads, order or time (but for the times in it, and where it is
// stopped). Best first: every instance gets the quick tier's cases and its properties before any gets more.
#pragma once

#include "harness/conformance/calls/description.h"
#include "reports/model/report.h"

namespace mfma::conformance {

// What is known of a run before it begins: compilers, levels, device, seed and the like, and every instance as not run.
// What only the caller knows (command, tier, profile names) is left for it to fill.
[[nodiscard]] reports::RunReport planned(const RunDescription& run);

// planned(), with results: counts, findings, open points, seconds.
[[nodiscard]] reports::RunReport run(const RunDescription& run);

}  // namespace mfma::conformance
