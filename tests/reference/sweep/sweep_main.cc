// mfma_reference_sweep: the comparison of the fast oracle with the reference oracle at any size.
// `--per-pair 1000000` is the full mode that the conformance claim rests on; the test in sweep_test.cc is its sample.
#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_reduce.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>

#include "tests/reference/sweep/sweep.h"

namespace mfma::oracles::reference::testing {
namespace {

constexpr std::uint64_t kShare = 10000;  // dot products per task

Tally compare_in_parallel(const Row& row, std::uint64_t seed, std::uint64_t count) {
  const std::uint64_t shares = (count + kShare - 1) / kShare;
  return tbb::parallel_reduce(
      tbb::blocked_range<std::uint64_t>(0, shares, 1), Tally{},
      [&](const tbb::blocked_range<std::uint64_t>& range, Tally tally) {
        for (std::uint64_t share = range.begin(); share != range.end(); ++share) {
          const std::uint64_t first = share * kShare;
          tally.add(compare_row(row, seed, first, std::min(kShare, count - first)));
        }
        return tally;
      },
      [](Tally x, const Tally& y) {
        x.add(y);
        return x;
      });
}

void print(const std::string& name, const Tally& tally, double seconds) {
  fmt::print("{:<46} {:>11} products {:>8} differences  (NaN {}, inf {}, zero {}, subnormal {}; {:.1f} s)\n", name,
             tally.products, tally.differences, tally.nans, tally.infinities, tally.zeros, tally.subnormals, seconds);
  for (const std::string& example : tally.examples) fmt::print("    {}\n", example);
  std::fflush(stdout);
}

struct Options {
  std::uint64_t per_pair = 20000;
  std::uint64_t seed = 1;
  std::string only;
  int jobs = 1;
};

// Exit code 0: no difference; 1: differences; 2: nothing compared.
int sweep(const Options& options) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(std::max(options.jobs, 1)));
  using Clock = std::chrono::steady_clock;
  const auto seconds_since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  const Clock::time_point start = Clock::now();
  Tally total;
  for (const Row& row : sweep_rows()) {
    if (row.name().find(options.only) == std::string::npos) continue;
    const Clock::time_point row_start = Clock::now();
    const Tally tally = compare_in_parallel(row, options.seed, options.per_pair);
    print(row.name(), tally, seconds_since(row_start));
    total.add(tally);
  }
  total.examples.clear();
  print("total", total, seconds_since(start));
  if (total.products == 0) return 2;
  return total.differences == 0 ? 0 : 1;
}

}  // namespace
}  // namespace mfma::oracles::reference::testing

int main(int argc, char** argv) {
  using mfma::oracles::reference::testing::Options;
  Options options;
  CLI::App app{"Compare the fast oracle with the exact reference oracle, per pair of element formats and model"};
  app.add_option("--per-pair,--count", options.per_pair, "Dot products per pair and model")->capture_default_str();
  app.add_option("--seed", options.seed, "Seed of the random dot products")->capture_default_str();
  app.add_option("--only", options.only, "Only rows whose name contains this, such as \"bf16 x bf16 aligned_sum\"");
  app.add_option("--jobs", options.jobs, "Threads")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    return mfma::oracles::reference::testing::sweep(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "mfma_reference_sweep: {}\n", error.what());
    return 2;
  }
}
