#include "harness/system/parallel.h"

#include <atomic>

// ThreadSanitizer does not see how Debian's TBB, which is not built with it, hands work from thread to thread, and
// takes every result for a race. Under it plain threads run the loops.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MFMA_PLAIN_THREADS
#endif
#elif defined(__SANITIZE_THREAD__)
#define MFMA_PLAIN_THREADS
#endif

#ifdef MFMA_PLAIN_THREADS
#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>
#else
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#endif

namespace mfma::system {

#ifdef MFMA_PLAIN_THREADS

void in_parallel(int jobs, std::size_t count, const std::function<void(std::size_t)>& body) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr thrown;
  const auto work = [&] {
    for (std::size_t n = next++; n < count; n = next++) {
      try {
        body(n);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!thrown) thrown = std::current_exception();
        next = count;
      }
    }
  };
  const std::size_t wanted =
      jobs > 0 ? static_cast<std::size_t>(jobs) : std::max(std::thread::hardware_concurrency(), 1u);
  std::vector<std::thread> threads;
  for (std::size_t t = 1; t < std::min(wanted, count); ++t) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (thrown) std::rethrow_exception(thrown);
}

void in_parallel_within(std::size_t count, const std::function<void(std::size_t)>& body) {
  in_parallel(2, count, body);
}

#else

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

void in_parallel_within(std::size_t count, const std::function<void(std::size_t)>& body) {
  oneapi::tbb::this_task_arena::isolate([&] { oneapi::tbb::parallel_for(std::size_t{0}, count, body); });
}

#endif

}  // namespace mfma::system
