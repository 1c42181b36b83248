#include "harness/devices/worker.h"

#include <fmt/format.h>

#include <atomic>
#include <utility>

#include "harness/devices/supervisor.h"

namespace mfma::devices {
namespace {

using worker::Pending;
using worker::Supervisor;

// "cases mfma_...@seed=1#0 to mfma_...@seed=1#31"; the probe has no instance.
std::string named(std::span<const cases::Case> cases) {
  if (!cases.front().instance.builtin) return "its own operands";
  const auto id = [](const cases::Case& c) { return cases::case_id(c.instance, c.seed, c.index); };
  if (cases.size() == 1) return "case " + id(cases.front());
  return fmt::format("{} cases, {} to {}", cases.size(), id(cases.front()), id(cases.back()));
}

class WorkerLaunch : public Launch {
 public:
  WorkerLaunch(Supervisor& supervisor, std::shared_ptr<Pending> pending)
      : supervisor_(supervisor), pending_(std::move(pending)) {}
  WorkerLaunch(const WorkerLaunch&) = delete;
  WorkerLaunch& operator=(const WorkerLaunch&) = delete;
  ~WorkerLaunch() override { supervisor_.drop(pending_); }
  LaunchOutcome collect() override { return supervisor_.collect(pending_); }

 private:
  Supervisor& supervisor_;
  std::shared_ptr<Pending> pending_;
};

// What was known before the launch.
class SettledLaunch : public Launch {
 public:
  explicit SettledLaunch(LaunchOutcome outcome) : outcome_(std::move(outcome)) {}
  LaunchOutcome collect() override { return std::move(outcome_); }

 private:
  LaunchOutcome outcome_;
};

class WorkerModule : public Module {
 public:
  WorkerModule(Supervisor& supervisor, std::uint64_t id, std::span<const std::byte> object)
      : supervisor_(supervisor), object_{id, {object.begin(), object.end()}, 0} {}
  WorkerModule(const WorkerModule&) = delete;
  WorkerModule& operator=(const WorkerModule&) = delete;
  ~WorkerModule() override { supervisor_.unload(object_); }

  std::string load() {
    Supervisor::Loaded loaded = supervisor_.load(object_);
    stopped_ = std::move(loaded.stopped);
    return loaded.refused;
  }

  LaunchOutcome run(const std::string& kernel, std::span<const cases::Case> cases) override {
    return submit(kernel, cases)->collect();
  }

  std::unique_ptr<Launch> submit(const std::string& kernel, std::span<const cases::Case> cases) override {
    if (cases.empty()) return std::make_unique<SettledLaunch>(LaunchOutcome());
    if (stopped_) return std::make_unique<SettledLaunch>(*stopped_);
    auto pending = std::make_shared<Pending>();
    pending->object = &object_;
    pending->cases = cases;
    pending->kernel = kernel;
    pending->what = fmt::format("kernel {}, {}", kernel, named(cases));
    pending->count = cases.size();
    pending->registers = cases.front().c.registers;
    supervisor_.submit(pending);
    return std::make_unique<WorkerLaunch>(supervisor_, std::move(pending));
  }

  LaunchOutcome run_program(const std::string& kernel, const ProgramLaunch& launch) override {
    if (stopped_) return *stopped_;
    return supervisor_.run_program(object_, kernel, launch);
  }

 private:
  Supervisor& supervisor_;
  worker::Object object_;
  std::optional<LaunchOutcome> stopped_;  // what loading it did to the worker
};

class WorkerDevice : public Device {
 public:
  WorkerDevice(WorkerOptions options, worker::Started started) : supervisor_(std::move(options), std::move(started)) {}
  const DeviceInfo& info() const override { return supervisor_.info(); }
  ErrorCounts error_counts() const override { return supervisor_.error_counts(); }
  std::size_t cases_per_launch() const override { return info().is_emulated ? kFewCases : kManyCases; }
  bool runs_programs() const override { return true; }
  tl::expected<std::unique_ptr<Module>, std::string> load(std::span<const std::byte> object) override {
    auto module = std::make_unique<WorkerModule>(supervisor_, next_++, object);
    if (std::string refused = module->load(); !refused.empty()) return tl::make_unexpected(std::move(refused));
    return module;
  }

 private:
  Supervisor supervisor_;
  std::atomic<std::uint64_t> next_{1};  // 0 is the probe
};

}  // namespace

tl::expected<std::unique_ptr<Device>, std::string> make_worker_device(WorkerOptions options) {
  auto started = worker::start(options);
  if (!started) return tl::make_unexpected(started.error());
  return std::make_unique<WorkerDevice>(std::move(options), *std::move(started));
}

tl::expected<std::vector<DeviceInfo>, std::string> ask_for_devices(const WorkerOptions& options) {
  auto started = worker::start(options);
  if (!started) return tl::make_unexpected(started.error());
  return std::move(started->hello.devices);
}

}  // namespace mfma::devices
