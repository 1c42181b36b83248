#include "harness/devices/watched.h"

#include <utility>

namespace mfma::devices {
namespace {

std::string first_of(std::span<const cases::Case> cases) {
  if (cases.empty()) return "no case";
  return cases::case_id(cases.front().instance, cases.front().seed, cases.front().index);
}

class WatchedLaunch : public Launch {
 public:
  WatchedLaunch(std::unique_ptr<Launch> launch, std::uint64_t number, const LaunchWatch& watch)
      : launch_(std::move(launch)), number_(number), watch_(watch) {}
  ~WatchedLaunch() override {
    if (!collected_) watch_.after(number_, LaunchStatus::kInconclusive, "its result was not waited for");
  }
  WatchedLaunch(const WatchedLaunch&) = delete;
  WatchedLaunch& operator=(const WatchedLaunch&) = delete;

  LaunchOutcome collect() override {
    LaunchOutcome outcome = launch_->collect();
    collected_ = true;
    watch_.after(number_, outcome.status, outcome.message);
    return outcome;
  }

 private:
  std::unique_ptr<Launch> launch_;
  const std::uint64_t number_;
  const LaunchWatch& watch_;
  bool collected_ = false;
};

class WatchedModule : public Module {
 public:
  WatchedModule(std::unique_ptr<Module> module, const LaunchWatch& watch) : module_(std::move(module)), watch_(watch) {}

  LaunchOutcome run(const std::string& kernel, std::span<const cases::Case> cases) override {
    const std::uint64_t number = watch_.before(kernel, first_of(cases), cases.size());
    LaunchOutcome outcome = module_->run(kernel, cases);
    watch_.after(number, outcome.status, outcome.message);
    return outcome;
  }

  std::unique_ptr<Launch> submit(const std::string& kernel, std::span<const cases::Case> cases) override {
    const std::uint64_t number = watch_.before(kernel, first_of(cases), cases.size());
    return std::make_unique<WatchedLaunch>(module_->submit(kernel, cases), number, watch_);
  }

  LaunchOutcome run_program(const std::string& kernel, const ProgramLaunch& launch) override {
    const std::uint64_t number = watch_.before(kernel, "a program's own arrays", launch.cases);
    LaunchOutcome outcome = module_->run_program(kernel, launch);
    watch_.after(number, outcome.status, outcome.message);
    return outcome;
  }

 private:
  std::unique_ptr<Module> module_;
  const LaunchWatch& watch_;
};

class WatchedDevice : public Device {
 public:
  WatchedDevice(Device& device, LaunchWatch watch) : device_(device), watch_(std::move(watch)) {}

  const DeviceInfo& info() const override { return device_.info(); }
  bool runs_programs() const override { return device_.runs_programs(); }
  ErrorCounts error_counts() const override { return device_.error_counts(); }
  std::size_t cases_per_launch() const override { return device_.cases_per_launch(); }
  tl::expected<std::unique_ptr<Module>, std::string> load(std::span<const std::byte> object) override {
    auto module = device_.load(object);
    if (!module) return module;
    return std::make_unique<WatchedModule>(*std::move(module), watch_);
  }

 private:
  Device& device_;
  const LaunchWatch watch_;
};

}  // namespace

std::unique_ptr<Device> watched(Device& device, LaunchWatch watch) {
  return std::make_unique<WatchedDevice>(device, std::move(watch));
}

}  // namespace mfma::devices
