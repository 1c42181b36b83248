#include "harness/cli/commands/side_by_side.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include "harness/conformance/followup/across_devices.h"
#include "reports/model/rounds.h"

namespace mfma::cli {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<reports::RunReport> one_round(const std::vector<devices::Device*>& devices, std::uint64_t seed,
                                          const RunOnDevice& run) {
  std::vector<reports::RunReport> reports(devices.size());
  std::vector<std::exception_ptr> thrown(devices.size());
  const auto run_one = [&](std::size_t n) {
    try {
      const devices::ErrorCounts before = devices[n]->error_counts();
      reports[n] = run(*devices[n], n, seed);
      for (const auto& [name, count] : before) reports[n].device_errors.push_back({name, count, {}});
      for (const auto& [name, count] : devices[n]->error_counts()) {
        std::vector<reports::ErrorCounter>& all = reports[n].device_errors;
        const auto at = std::find_if(all.begin(), all.end(), [&name = name](const auto& c) { return c.name == name; });
        if (at == all.end()) {
          all.push_back({name, {}, count});
        } else {
          at->after = count;
        }
      }
    } catch (...) {
      thrown[n] = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t n = 1; n < devices.size(); ++n) threads.emplace_back(run_one, n);
  run_one(0);
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : thrown) {
    if (error) std::rethrow_exception(error);
  }
  return reports;
}

bool any_lost(const std::vector<reports::RunReport>& reports) {
  return std::any_of(reports.begin(), reports.end(), [](const reports::RunReport& r) {
    return std::any_of(r.findings.begin(), r.findings.end(),
                       [](const auto& f) { return f.kind == reports::FindingKind::kDeviceLost; });
  });
}

}  // namespace

std::vector<reports::RunReport> run_side_by_side(const std::vector<devices::Device*>& devices, std::uint64_t seed,
                                                 std::uint64_t soak_seconds, const RunOnDevice& run) {
  const Clock::time_point end = Clock::now() + std::chrono::seconds(soak_seconds);
  Clock::time_point begin = Clock::now();
  std::vector<reports::RunReport> sum = one_round(devices, seed, run);
  Clock::duration longest = Clock::now() - begin;
  while (soak_seconds > 0 && Clock::now() + longest < end && !any_lost(sum) && sum[0].stopped.empty()) {
    begin = Clock::now();
    std::vector<reports::RunReport> round = one_round(devices, ++seed, run);
    for (std::size_t n = 0; n < sum.size(); ++n) reports::add_round(sum[n], std::move(round[n]));
    longest = std::max(longest, Clock::now() - begin);
  }
  conformance::compare_devices(sum);
  return sum;
}

}  // namespace mfma::cli
