// What it is worth that the device computes while the host draws, judges and compares: one instance on a device that
// takes a set time for each launch, once with launches under way (Module::submit) and once with each waited for.
//
// The launches take as long as the host's own work for one, so that the best ratio is 2. Prints both times and the
// ratio; no timing decides anything.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

#include "harness/compilers/compiler.h"
#include "harness/conformance/calls/instance_run.h"
#include "harness/conformance/calls/plan.h"
#include "harness/conformance/execution/oracle_view.h"
#include "harness/operands/operands.h"

namespace mfma {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kLaunches = 24, kCasesPerLaunch = 64;
constexpr int kRounds = 3;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// D of each case, by index: the device itself computes nothing.
using Results = std::vector<catalogue::RegisterImage>;

// A queue of launches and a thread that takes a set time for each, as a GPU's stream does.
class TimedQueue {
 public:
  explicit TimedQueue(std::chrono::duration<double> launch) : launch_(launch), thread_([this] { work(); }) {}
  TimedQueue(const TimedQueue&) = delete;
  TimedQueue& operator=(const TimedQueue&) = delete;
  ~TimedQueue() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  std::future<void> add() {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
    return launches_.emplace_back().get_future();
  }

 private:
  void work() {
    while (true) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return ended_ || !launches_.empty(); });
      if (ended_) return;
      std::promise<void> launch = std::move(launches_.front());
      launches_.pop_front();
      lock.unlock();
      std::this_thread::sleep_for(launch_);
      launch.set_value();
    }
  }

  const std::chrono::duration<double> launch_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::promise<void>> launches_;
  bool ended_ = false;
  std::thread thread_;
};

class TimedLaunch : public devices::Launch {
 public:
  TimedLaunch(std::future<void> done, std::function<devices::LaunchOutcome()> outcome)
      : done_(std::move(done)), outcome_(std::move(outcome)) {}
  devices::LaunchOutcome collect() override {
    done_.wait();
    return outcome_();
  }

 private:
  std::future<void> done_;
  std::function<devices::LaunchOutcome()> outcome_;
};

class TimedModule : public devices::Module {
 public:
  TimedModule(TimedQueue& queue, const Results& results, bool ahead)
      : queue_(queue), results_(results), ahead_(ahead) {}
  devices::LaunchOutcome run(const std::string&, std::span<const cases::Case> cases) override {
    queue_.add().wait();
    return outcome_of(cases);
  }
  std::unique_ptr<devices::Launch> submit(const std::string& kernel, std::span<const cases::Case> cases) override {
    if (!ahead_) return Module::submit(kernel, cases);
    return std::make_unique<TimedLaunch>(queue_.add(), [this, cases] { return outcome_of(cases); });
  }

 private:
  devices::LaunchOutcome outcome_of(std::span<const cases::Case> cases) const {
    devices::LaunchOutcome outcome;
    for (const cases::Case& c : cases) outcome.d.push_back(results_.at(c.index));
    return outcome;
  }

  TimedQueue& queue_;
  const Results& results_;
  const bool ahead_;
};

class TimedDevice : public devices::Device {
 public:
  TimedDevice() { info_.id = info_.kind = info_.description = "timed"; }
  const devices::DeviceInfo& info() const override { return info_; }
  tl::expected<std::unique_ptr<devices::Module>, std::string> load(std::span<const std::byte>) override {
    return tl::make_unexpected(std::string("takes no code objects"));
  }

 private:
  devices::DeviceInfo info_;
};

Results results_of(const conformance::RunDescription& options, const catalogue::Instance& instance) {
  const conformance::OracleView view(instance, conformance::rule_of(options.subject.profile, instance)->model,
                                     options.subject.reading);
  Results results;
  for (std::uint64_t index = 0; index < options.plan.cases_per_instance; ++index) {
    const cases::Case c = operands::make_case(instance, options.plan.seed, index);
    catalogue::RegisterImage& d = results.emplace_back(c.c.registers);
    catalogue::write_elements(view.d_layout(), view.expected(c).d, d);
  }
  return results;
}

// Seconds of one run; the whole program ends where a case was not found right.
double run_once(const conformance::RunDescription& options, const catalogue::Instance& instance,
                devices::Module& module) {
  conformance::CallKernel call;
  call.kernel.level = "none";
  call.kernel.compiled.outcome = compilers::Outcome::kOk;
  call.kernel.module = std::shared_ptr<devices::Module>(std::shared_ptr<void>(), &module);  // not owned
  const Clock::time_point begin = Clock::now();
  const std::vector<conformance::CallKernel> calls = {call};
  conformance::InstanceRun run(options, instance, calls);
  run.run_to(options.plan.cases_per_instance);
  const reports::Counts counts = run.result().unit.counts;
  const double seconds = seconds_since(begin);
  if (counts.cases != options.plan.cases_per_instance || counts.differing != 0) {
    fmt::print(stderr, "pipeline_benchmark: {} of {} cases ran, {} elements differ\n", counts.cases,
               options.plan.cases_per_instance, counts.differing);
    std::exit(2);
  }
  return seconds;
}

int benchmark() {
  TimedDevice device;
  conformance::RunDescription options;
  options.subject.device = &device;
  options.subject.device_runs_profile = true;
  options.subject.profile = oracles::default_profile();
  options.plan.cases_per_launch = kCasesPerLaunch;
  options.plan.cases_per_instance = kLaunches * kCasesPerLaunch;
  const catalogue::Instance instance{catalogue::find_builtin("mfma_f32_16x16x32_f16"), {}};
  const Results results = results_of(options, instance);

  double host = 0;
  {
    TimedQueue instant(std::chrono::duration<double>(0));
    TimedModule module(instant, results, false);
    host = run_once(options, instance, module) / kLaunches;
  }
  TimedQueue queue{std::chrono::duration<double>(host)};
  TimedModule waited(queue, results, false), ahead(queue, results, true);
  double best_waited = 1e9, best_ahead = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    best_waited = std::min(best_waited, run_once(options, instance, waited));
    best_ahead = std::min(best_ahead, run_once(options, instance, ahead));
  }
  fmt::print("{} launches of {} cases, {:.2f} ms each on the device and as much on the host\n", kLaunches,
             kCasesPerLaunch, host * 1e3);
  fmt::print(
      "each waited for  {:.3f} s\nunder way        {:.3f} s\nratio            {:.2f} (2 is the best there can be)\n",
      best_waited, best_ahead, best_waited / best_ahead);
  return 0;
}

}  // namespace
}  // namespace mfma

int main() { return mfma::benchmark(); }
