// A failing program made smaller while it still fails.
#pragma once

#include <functional>

#include "harness/kernels/program.h"

namespace mfma::conformance {

struct Reduced {
  kernels::Program program;
  int tries = 0;  // programs that were tried, whether they failed or not
};

// Takes away outputs, launches and operations, one after another, keeping what still fails by `fails`, until nothing
// more goes or `most_tries` programs were tried. `program` itself is taken to fail. Every program tried is well formed.
[[nodiscard]] Reduced reduce(const kernels::Program& program, const std::function<bool(const kernels::Program&)>& fails,
                             int most_tries);

}  // namespace mfma::conformance
