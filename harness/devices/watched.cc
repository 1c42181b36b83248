#include "harness/devices/watched.h"

#include <utility>

namespace mfma::devices {
namespace {

class WatchedModule : public Module {
 public:
  WatchedModule(std::unique_ptr<Module> module, const LaunchWatch& watch) : module_(std::move(module)), watch_(watch) {}

  LaunchOutcome run(const std::string& kernel, std::span<const cases::Case> cases) override {
    std::string first = "no case";
    if (!cases.empty()) first = cases::case_id(cases.front().instance, cases.front().seed, cases.front().index);
    const std::uint64_t number = watch_.before(kernel, first, cases.size());
    LaunchOutcome outcome = module_->run(kernel, cases);
    watch_.after(number, outcome.status, outcome.message);
    return outcome;
  }

  ProgramOutcome run_program(const std::string& kernel, const ProgramLaunch& launch) override {
    const std::uint64_t number = watch_.before(kernel, "a program's own arrays", launch.cases);
    ProgramOutcome outcome = module_->run_program(kernel, launch);
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
