// The one loop over many threads.
#pragma once

#include <cstddef>
#include <functional>

namespace mfma::conformance {

// body(0) to body(count - 1), each once, begun in this order, on `jobs` threads; 0: one per core.
void in_parallel(int jobs, std::size_t count, const std::function<void(std::size_t)>& body);

}  // namespace mfma::conformance
