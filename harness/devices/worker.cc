#include "harness/devices/worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <system_error>
#include <utility>

#include "harness/devices/probe_kernel.h"
#include "harness/devices/sysfs.h"

namespace mfma::devices {
namespace {

using worker::Answer;
using worker::MessageType;
using worker::Process;

// "cases mfma_...@seed=1#0 to mfma_...@seed=1#31"; the probe has no instance.
std::string named(std::span<const cases::Case> cases) {
  if (!cases.front().instance.builtin) return "its own operands";
  const auto id = [](const cases::Case& c) { return cases::case_id(c.instance, c.seed, c.index); };
  if (cases.size() == 1) return "case " + id(cases.front());
  return fmt::format("{} cases, {} to {}", cases.size(), id(cases.front()), id(cases.back()));
}

// The file that names the launch in flight. What goes wrong with it is said once and stops no launch.
class Record {
 public:
  explicit Record(std::filesystem::path file) : file_(std::move(file)) {}
  // Empty, or what went wrong.
  std::string write(const std::string& text) {
    if (file_.empty() || broken_) return {};
    const int fd = open(file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    const bool written = fd >= 0 && ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                         fdatasync(fd) == 0;  // it must be there when the machine is not
    const int error = errno;
    if (fd >= 0) close(fd);
    if (written) return {};
    broken_ = true;
    return fmt::format("cannot write the launch in flight to {}: {}", file_.string(), std::generic_category().message(error));
  }
  void clear() {
    std::error_code ignored;
    if (!file_.empty() && !broken_) std::filesystem::remove(file_, ignored);
  }

 private:
  std::filesystem::path file_;
  bool broken_ = false;
};

struct Started {
  std::unique_ptr<Process> process;
  worker::Hello hello;
};

tl::expected<Started, std::string> start(const WorkerOptions& options) {
  auto process = Process::start(options.process);
  if (!process) return tl::make_unexpected(process.error());
  const Answer answer = (*process)->receive(MessageType::kHello, options.start_timeout);
  if (answer.kind != Answer::Kind::kMessage) {
    (*process)->end();
    return tl::make_unexpected("the device did not come up: " + answer.message);
  }
  auto hello = worker::decode_hello(answer.payload);
  if (!hello) return tl::make_unexpected(std::string("the device did not come up: the worker process sent a greeting that cannot be read"));
  if (!hello->error.empty()) return tl::make_unexpected(hello->error);
  return Started{*std::move(process), *std::move(hello)};
}

// Everything behind one mutex: one worker, one launch at a time.
class Supervisor {
 public:
  Supervisor(WorkerOptions options, Started started)
      : options_(std::move(options)), record_(options_.record), process_(std::move(started.process)),
        told_(std::move(started.hello.devices.front())), info_(told_) {
    if (options_.sysfs.empty()) return;
    const auto more = sysfs::facts(options_.sysfs, pci());
    info_.facts.insert(info_.facts.end(), more.begin(), more.end());
  }
  ~Supervisor() { record_.clear(); }

  const DeviceInfo& info() const { return info_; }
  ErrorCounts error_counts() const {
    return options_.sysfs.empty() ? ErrorCounts() : sysfs::error_counts(options_.sysfs, pci());
  }

  struct Loaded {
    std::string refused;                   // by the device
    std::optional<LaunchOutcome> stopped;  // the worker did not survive it
  };
  Loaded load(std::uint64_t id, std::span<const std::byte> object, std::uint64_t& generation) {
    const std::lock_guard lock(mutex_);
    return load_locked(id, object, generation);
  }

  void unload(std::uint64_t id, std::uint64_t generation) {
    const std::lock_guard lock(mutex_);
    if (!process_ || generation != generation_) return;
    worker::Writer out;
    out.value(id);
    const Answer answer = process_->ask(MessageType::kUnload, out.take(), MessageType::kLoaded, options_.launch_timeout);
    // Nobody waits for this; a worker that does not survive it is replaced before the next launch.
    if (answer.kind != Answer::Kind::kMessage) static_cast<void>(recover("unloading a code object: " + answer.message));
  }

  LaunchOutcome run(std::uint64_t id, std::span<const std::byte> object, std::uint64_t& generation, const std::string& kernel,
                    std::span<const cases::Case> cases) {
    const std::lock_guard lock(mutex_);
    LaunchOutcome outcome = attempt(id, object, generation, kernel, cases);
    if (outcome.status == LaunchStatus::kCompleted && wrote_nothing(outcome)) return settle_unwritten(id, object, generation, kernel, cases);
    if (outcome.status != LaunchStatus::kFault || !outcome.needs_fresh_worker || !lost_.empty()) return outcome;
    const LaunchOutcome again = attempt(id, object, generation, kernel, cases);
    if (again.status == LaunchStatus::kFault) {
      outcome.message += "; and again in a fresh worker";
      return outcome;
    }
    outcome.status = lost_.empty() ? LaunchStatus::kInconclusive : LaunchStatus::kLost;
    outcome.message += again.status == LaunchStatus::kCompleted ? "; a second run in a fresh worker completed, and does not count"
                                                                : "; a second run in a fresh worker ended otherwise: " + again.message;
    return outcome;
  }

 private:
  // After a launch that is said to have completed and left D as it was: what a kernel leaves twice is its own.
  LaunchOutcome settle_unwritten(std::uint64_t id, std::span<const std::byte> object, std::uint64_t& generation,
                                 const std::string& kernel, std::span<const cases::Case> cases) {
    LaunchOutcome again = attempt(id, object, generation, kernel, cases);
    if (again.status != LaunchStatus::kCompleted || wrote_nothing(again)) return again;
    LaunchOutcome outcome;
    outcome.status = LaunchStatus::kInconclusive;
    outcome.message = fmt::format("kernel {}, {}: the launch is reported as completed, and D was not written; a second run in a fresh "
                                  "worker wrote it, and does not count", kernel, named(cases));
    return outcome;
  }

  LaunchOutcome not_run() const {
    LaunchOutcome outcome;
    outcome.status = LaunchStatus::kLost;
    outcome.message = fmt::format("not run: {} was lost ({})", info_.id, lost_);
    return outcome;
  }

  // Of a worker that gave no proper answer.
  LaunchOutcome failed(const Answer& answer, const std::string& what) {
    LaunchOutcome outcome;
    outcome.status = answer.kind == Answer::Kind::kTimeout ? LaunchStatus::kHang : LaunchStatus::kInconclusive;
    outcome.message = fmt::format("{}: {}", what, answer.message);
    // What ROCm prints before it aborts a process whose kernel touched what is not its own.
    if (process_ && process_->output().find("Memory access fault by GPU") != std::string::npos) {
      outcome.status = LaunchStatus::kFault;
      outcome.needs_fresh_worker = true;
    }
    finish(outcome);
    return outcome;
  }

  // Brings a fresh worker up after `outcome`, or declares the device lost.
  void finish(LaunchOutcome& outcome) {
    const std::string end = recover(outcome.message);
    outcome.message += "; " + end;
    if (!lost_.empty() && outcome.status != LaunchStatus::kHang) outcome.status = LaunchStatus::kLost;
  }

  Loaded load_locked(std::uint64_t id, std::span<const std::byte> object, std::uint64_t& generation) {
    if (!lost_.empty()) return {{}, not_run()};
    worker::Writer out;
    out.value(id);
    out.bytes(object);
    const Answer answer = process_->ask(MessageType::kLoad, out.take(), MessageType::kLoaded, options_.launch_timeout);
    if (answer.kind != Answer::Kind::kMessage) return {{}, failed(answer, "loading the code object")};
    worker::Reader in(answer.payload);
    Loaded loaded{in.text(), {}};
    if (!in.at_end()) return {{}, failed({Answer::Kind::kGarbage, {}, "the worker's answer cannot be read"}, "loading the code object")};
    if (loaded.refused.empty()) generation = generation_;
    return loaded;
  }

  LaunchOutcome attempt(std::uint64_t id, std::span<const std::byte> object, std::uint64_t& generation,
                        const std::string& kernel, std::span<const cases::Case> cases) {
    if (!lost_.empty()) return not_run();
    if (generation != generation_) {
      Loaded loaded = load_locked(id, object, generation);
      if (loaded.stopped) return *std::move(loaded.stopped);
      if (!loaded.refused.empty()) {
        LaunchOutcome outcome;
        outcome.status = LaunchStatus::kInconclusive;
        outcome.message = "a fresh worker refused the code object that an earlier one took: " + loaded.refused;
        return outcome;
      }
    }
    const std::string what = fmt::format("kernel {}, {}", kernel, named(cases));
    if (const std::string wrong = record_.write(what + "\n"); !wrong.empty()) note(wrong);
    const Answer answer = process_->ask(MessageType::kRun, worker::encode_run(id, kernel, cases), MessageType::kOutcome, options_.launch_timeout);
    if (answer.kind != Answer::Kind::kMessage) return failed(answer, what);
    std::optional<LaunchOutcome> outcome = worker::decode_outcome(answer.payload, cases);
    if (!outcome) return failed({Answer::Kind::kGarbage, {}, "the worker process sent garbage: results that do not fit the cases"}, what);
    if (outcome->needs_fresh_worker) {
      outcome->message = fmt::format("{}: {}", what, outcome->message);
      finish(*outcome);
      return *std::move(outcome);
    }
    if (outcome->status == LaunchStatus::kCompleted) {
      if (wrote_nothing(*outcome)) {
        // A device that is gone may report launches that never were.
        if (recover(what + ": the launch is reported as completed, and D was not written"); !lost_.empty()) return not_run();
      }
      failures_ = 0;
    }
    return *std::move(outcome);
  }

  static bool wrote_nothing(const LaunchOutcome& outcome) {
    return std::all_of(outcome.d.begin(), outcome.d.end(), [](const catalogue::RegisterImage& image) {
      return std::all_of(image.dwords.begin(), image.dwords.end(), [](std::uint32_t dword) { return dword == kUnwrittenDword; });
    });
  }

  std::string pci() const {
    const auto at = std::find_if(told_.facts.begin(), told_.facts.end(), [](const auto& fact) { return fact.first == "pci"; });
    return at == told_.facts.end() ? std::string() : at->second;
  }

  void note(const std::string& line) const {
    if (options_.note) options_.note(line);
  }

  // Kills the worker, starts another and has it run the probe. Gives back what became of it, for the message.
  std::string recover(const std::string& why) {
    ++failures_;
    const bool ended = process_->end();
    const pid_t pid = process_->pid();
    ++generation_;
    if (!ended) {
      lost_ = fmt::format("its worker process {} does not end when killed: it is stuck in the driver", pid);
    } else if (failures_ >= options_.most_failures) {
      lost_ = fmt::format("{} launches in a row failed", failures_);
    } else {
      lost_ = bring_up();
    }
    if (!lost_.empty()) {
      process_.reset();
      note(fmt::format("{}: {}; the device is LOST: {}; nothing more is run on it", info_.id, why, lost_));
      return fmt::format("device lost: {}", lost_);
    }
    note(fmt::format("{}: {}; a fresh worker runs the probe kernel right: going on", info_.id, why));
    return "a fresh worker runs the probe kernel right";
  }

  // Empty when a fresh worker has the same device and it does what the probe asks.
  std::string bring_up() {
    auto started = start(options_);
    if (!started) return "a fresh worker has no device: " + started.error();
    const DeviceInfo& now = started->hello.devices.front();
    if (now.arch != told_.arch || now.facts != told_.facts) {
      return fmt::format("a fresh worker has another device: {}", now.description);
    }
    process_ = std::move(started->process);
    return run_probe();
  }

  std::string run_probe() {
    constexpr std::uint64_t kProbeModule = 0;
    worker::Writer out;
    out.value(kProbeModule);
    out.bytes(probe_object());
    const Answer loaded = process_->ask(MessageType::kLoad, out.take(), MessageType::kLoaded, options_.launch_timeout);
    std::string wrong;
    if (loaded.kind != Answer::Kind::kMessage) {
      wrong = "loading the probe kernel: " + loaded.message;
    } else if (worker::Reader in(loaded.payload); !(wrong = in.text()).empty()) {
      wrong = "the probe kernel is refused: " + wrong;
    } else {
      const cases::Case c = probe_case();
      const Answer answer = process_->ask(MessageType::kRun, worker::encode_run(kProbeModule, kProbeKernel, {&c, 1}),
                                          MessageType::kOutcome, options_.launch_timeout);
      const auto outcome = answer.kind == Answer::Kind::kMessage ? worker::decode_outcome(answer.payload, {&c, 1}) : std::nullopt;
      wrong = outcome                                      ? wrong_with_probe(*outcome)
              : answer.kind == Answer::Kind::kMessage ? "the probe kernel: the worker process sent garbage"
                                                           : "the probe kernel: " + answer.message;
    }
    if (!wrong.empty()) process_->end();
    return wrong;
  }

  const WorkerOptions options_;
  std::mutex mutex_;
  Record record_;
  std::unique_ptr<Process> process_;  // null once the device is lost
  const DeviceInfo told_;             // by the first worker
  DeviceInfo info_;                   // and what the machine says of it
  std::uint64_t generation_ = 1;      // of the worker process
  int failures_ = 0;                  // since the last completed launch
  std::string lost_;                  // why; empty: it is not
};

class WorkerModule : public Module {
 public:
  WorkerModule(Supervisor& supervisor, std::uint64_t id, std::span<const std::byte> object)
      : supervisor_(supervisor), id_(id), object_(object.begin(), object.end()) {}
  WorkerModule(const WorkerModule&) = delete;
  WorkerModule& operator=(const WorkerModule&) = delete;
  ~WorkerModule() override { supervisor_.unload(id_, generation_); }

  std::string load() {
    Supervisor::Loaded loaded = supervisor_.load(id_, object_, generation_);
    stopped_ = std::move(loaded.stopped);
    return loaded.refused;
  }

  LaunchOutcome run(const std::string& kernel, std::span<const cases::Case> cases) override {
    if (cases.empty()) return {};
    if (stopped_) return *stopped_;
    return supervisor_.run(id_, object_, generation_, kernel, cases);
  }

 private:
  Supervisor& supervisor_;
  std::uint64_t id_;
  std::vector<std::byte> object_;
  std::uint64_t generation_ = 0;          // of the worker that has it; the supervisor's mutex guards it
  std::optional<LaunchOutcome> stopped_;  // what loading it did to the worker
};

class WorkerDevice : public Device {
 public:
  WorkerDevice(WorkerOptions options, Started started) : supervisor_(std::move(options), std::move(started)) {}
  const DeviceInfo& info() const override { return supervisor_.info(); }
  ErrorCounts error_counts() const override { return supervisor_.error_counts(); }
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
  auto started = start(options);
  if (!started) return tl::make_unexpected(started.error());
  return std::make_unique<WorkerDevice>(std::move(options), *std::move(started));
}

tl::expected<std::vector<DeviceInfo>, std::string> ask_for_devices(const WorkerOptions& options) {
  auto started = start(options);
  if (!started) return tl::make_unexpected(started.error());
  return std::move(started->hello.devices);
}

}  // namespace mfma::devices
