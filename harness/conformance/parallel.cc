#include "harness/conformance/parallel.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <atomic>

namespace mfma::conformance {

void in_parallel(int jobs, std::size_t count, const std::function<void(std::size_t)>& body) {
  oneapi::tbb::task_arena arena(jobs > 0 ? jobs : oneapi::tbb::task_arena::automatic);
  // TBB halves the range, and would begin in its middle too.
  std::atomic<std::size_t> next{0};
  arena.execute([&] {
    oneapi::tbb::parallel_for(
        oneapi::tbb::blocked_range<std::size_t>(0, count, 1),
        [&](const oneapi::tbb::blocked_range<std::size_t>& range) {
          for (std::size_t n = range.begin(); n < range.end(); ++n) body(next++);
        },
        oneapi::tbb::simple_partitioner());
  });
}

}  // namespace mfma::conformance
