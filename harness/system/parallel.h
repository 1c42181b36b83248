// The loops over many threads: the one place that knows which library runs them.
#pragma once

#include <cstddef>
#include <functional>

namespace mfma::system {

// body(0) to body(count - 1), each once, begun in this order, on `jobs` threads; 0: one per core. What a body throws is
// thrown here when all threads have ended; bodies that were not begun by then are left out.
void in_parallel(int jobs, std::size_t count, const std::function<void(std::size_t)>& body);

// The same from within a body, in any order, on all the threads that the outer loop has. The caller takes up nothing
// else meanwhile: work of the outer loop could take longer.
void in_parallel_within(std::size_t count, const std::function<void(std::size_t)>& body);

}  // namespace mfma::system
