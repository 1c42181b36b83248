#include "harness/devices/supervisor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "harness/devices/probe_kernel.h"
#include "harness/devices/sysfs.h"

namespace mfma::devices::worker {
namespace {

template <class Dwords>
bool unwritten(const Dwords& dwords) {
  return std::all_of(dwords.begin(), dwords.end(), [](std::uint32_t dword) { return dword == kUnwrittenDword; });
}

bool wrote_nothing(const LaunchOutcome& outcome) {
  return std::all_of(outcome.d.begin(), outcome.d.end(),
                     [](const catalogue::RegisterImage& image) { return unwritten(image.dwords); }) &&
         std::all_of(outcome.outputs.begin(), outcome.outputs.end(),
                     [](const std::vector<std::uint32_t>& output) { return unwritten(output); });
}

Answer garbage(const std::string& what) {
  return {Answer::Kind::kGarbage, {}, "the worker process sent garbage: " + what};
}

}  // namespace

tl::expected<Started, std::string> start(const WorkerOptions& options) {
  auto process = Process::start(options.process);
  if (!process) return tl::make_unexpected(process.error());
  const Answer answer = (*process)->receive(MessageType::kHello, options.start_timeout);
  if (answer.kind != Answer::Kind::kMessage) {
    (*process)->end();
    return tl::make_unexpected("the device did not come up: " + answer.message);
  }
  auto hello = decode_hello(answer.payload);
  if (!hello)
    return tl::make_unexpected(
        std::string("the device did not come up: the worker process sent a greeting that cannot be read"));
  if (!hello->error.empty()) return tl::make_unexpected(hello->error);
  return Started{*std::move(process), *std::move(hello)};
}

std::string Record::write(const std::string& text) {
  if (file_.empty() || broken_) return {};
  const int fd = open(file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  const bool written = fd >= 0 && ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                       fdatasync(fd) == 0;  // it must be there when the machine is not
  const int error = errno;
  if (fd >= 0) close(fd);
  if (written) return {};
  broken_ = true;
  return fmt::format("cannot write the launch in flight to {}: {}", file_.string(),
                     std::generic_category().message(error));
}

void Record::clear() {
  std::error_code ignored;
  if (!file_.empty() && !broken_) std::filesystem::remove(file_, ignored);
}

Supervisor::Supervisor(WorkerOptions options, Started started)
    : options_(std::move(options)),
      record_(options_.record),
      process_(std::move(started.process)),
      told_(std::move(started.hello.devices.front())),
      info_(told_) {
  if (options_.sysfs.empty()) return;
  const auto more = sysfs::facts(options_.sysfs, pci());
  info_.facts.insert(info_.facts.end(), more.begin(), more.end());
}

ErrorCounts Supervisor::error_counts() const {
  return options_.sysfs.empty() ? ErrorCounts() : sysfs::error_counts(options_.sysfs, pci());
}

Supervisor::Loaded Supervisor::load(Object& object) {
  const std::lock_guard lock(mutex_);
  return load_locked(object);
}

void Supervisor::unload(const Object& object) {
  const std::lock_guard lock(mutex_);
  receive_all();
  if (!process_ || object.generation != generation_) return;
  Writer out;
  out.value(object.id);
  const Answer answer = process_->ask(MessageType::kUnload, out.take(), MessageType::kLoaded, options_.launch_timeout);
  // Nobody waits for this; a worker that does not survive it is replaced before the next launch.
  if (answer.kind != Answer::Kind::kMessage) static_cast<void>(recover("unloading a code object: " + answer.message));
}

void Supervisor::submit(const std::shared_ptr<Pending>& launch) {
  const std::lock_guard lock(mutex_);
  const std::size_t most = std::clamp<std::size_t>(options_.in_flight, 1, kMostInFlight);
  while (in_flight_.size() >= most) receive_oldest();
  send(launch);
}

LaunchOutcome Supervisor::collect(const std::shared_ptr<Pending>& launch) {
  const std::lock_guard lock(mutex_);
  while (launch->state == Pending::State::kSent) receive_oldest();
  LaunchOutcome outcome = launch->state == Pending::State::kDone ? std::move(launch->outcome) : alone(launch);
  return settle(std::move(outcome), launch->what, [&] { return alone(launch); });
}

void Supervisor::drop(const std::shared_ptr<Pending>& launch) {
  const std::lock_guard lock(mutex_);
  launch->dropped = true;  // if it is under way, its result is taken off in its turn
  launch->object = nullptr;
  launch->cases = {};
}

LaunchOutcome Supervisor::run_program(Object& object, const std::string& kernel, const ProgramLaunch& launch) {
  const std::lock_guard lock(mutex_);
  const std::string what = fmt::format("kernel {}, {} cases of a program", kernel, launch.cases);
  const auto attempt = [&] { return attempt_program(object, what, kernel, launch); };
  return settle(attempt(), what, attempt);
}

// What a kernel does twice is its own: an illegal address, or an output that it leaves as it was though the launch is
// said to have completed.
template <class Attempt>
LaunchOutcome Supervisor::settle(LaunchOutcome outcome, const std::string& what, const Attempt& attempt) {
  if (outcome.status == LaunchStatus::kCompleted && wrote_nothing(outcome)) {
    LaunchOutcome again = attempt();
    if (again.status != LaunchStatus::kCompleted || wrote_nothing(again)) return again;
    LaunchOutcome settled;
    settled.status = LaunchStatus::kInconclusive;
    settled.message = fmt::format(
        "{}: the launch is reported as completed, and D was not written; a second run in a fresh worker "
        "wrote it, and does not count",
        what);
    return settled;
  }
  if (outcome.status != LaunchStatus::kFault || !outcome.needs_fresh_worker || !lost_.empty()) return outcome;
  const LaunchOutcome again = attempt();
  if (again.status == LaunchStatus::kFault) {
    outcome.message += "; and again in a fresh worker";
    return outcome;
  }
  outcome.status = lost_.empty() ? LaunchStatus::kInconclusive : LaunchStatus::kLost;
  outcome.message += again.status == LaunchStatus::kCompleted
                         ? "; a second run in a fresh worker completed, and does not count"
                         : "; a second run in a fresh worker ended otherwise: " + again.message;
  return outcome;
}

LaunchOutcome Supervisor::not_run() const {
  LaunchOutcome outcome;
  outcome.status = LaunchStatus::kLost;
  outcome.message = fmt::format("not run: {} was lost ({})", info_.id, lost_);
  return outcome;
}

// Of a worker that gave no proper answer.
LaunchOutcome Supervisor::failed(const Answer& answer, const std::string& what) {
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
void Supervisor::finish(LaunchOutcome& outcome) {
  const std::string end = recover(outcome.message);
  outcome.message += "; " + end;
  if (!lost_.empty() && outcome.status != LaunchStatus::kHang) outcome.status = LaunchStatus::kLost;
}

// What follows from an outcome that the worker gave.
void Supervisor::judge(LaunchOutcome& outcome, const std::string& what) {
  if (outcome.needs_fresh_worker) {
    outcome.message = fmt::format("{}: {}", what, outcome.message);
    return finish(outcome);
  }
  if (outcome.status != LaunchStatus::kCompleted) return;
  if (wrote_nothing(outcome)) {
    // A device that is gone may report launches that never were.
    static_cast<void>(recover(what + ": the launch is reported as completed, and D was not written"));
    if (!lost_.empty()) outcome = not_run();
  }
  if (lost_.empty()) failures_ = 0;
}

Supervisor::Loaded Supervisor::load_locked(Object& object) {
  receive_all();
  if (!lost_.empty()) return {{}, not_run()};
  Writer out;
  out.value(object.id);
  out.bytes(object.bytes);
  const Answer answer = process_->ask(MessageType::kLoad, out.take(), MessageType::kLoaded, options_.launch_timeout);
  if (answer.kind != Answer::Kind::kMessage) return {{}, failed(answer, "loading the code object")};
  Reader in(answer.payload);
  Loaded loaded{in.text(), {}};
  if (!in.at_end()) return {{}, failed(garbage("an answer that cannot be read"), "loading the code object")};
  if (loaded.refused.empty()) object.generation = generation_;
  return loaded;
}

// Nothing when the worker has the object; else what became of the launch.
std::optional<LaunchOutcome> Supervisor::make_loaded(Object& object) {
  if (!lost_.empty()) return not_run();
  if (object.generation == generation_) return std::nullopt;
  const Loaded loaded = load_locked(object);
  LaunchOutcome outcome;
  if (loaded.stopped) {
    outcome.status = loaded.stopped->status;
    outcome.message = loaded.stopped->message;
    outcome.needs_fresh_worker = loaded.stopped->needs_fresh_worker;
    return outcome;
  }
  if (loaded.refused.empty()) return std::nullopt;
  outcome.status = LaunchStatus::kInconclusive;
  outcome.message = "a fresh worker refused the code object that an earlier one took: " + loaded.refused;
  return outcome;
}

void Supervisor::write_record(const std::string& what) {
  std::string text;
  for (const std::shared_ptr<Pending>& before : in_flight_) text += before->what + ", and behind it ";
  if (const std::string wrong = record_.write(text + what + "\n"); !wrong.empty()) note(wrong);
}

void Supervisor::send(const std::shared_ptr<Pending>& launch) {
  if (auto stopped = make_loaded(*launch->object)) {
    launch->outcome = *std::move(stopped);
    launch->state = Pending::State::kDone;
    return;
  }
  write_record(launch->what);
  const auto number = process_->request(
      MessageType::kRun, encode_run(launch->object->id, launch->kernel, launch->cases), options_.launch_timeout);
  in_flight_.push_back(launch);
  launch->state = Pending::State::kSent;
  if (number) {
    launch->request = *number;
  } else {
    oldest_failed(number.error());
  }
}

// The worker failed. It is the oldest's failure; the others go back to where they were before they were sent.
void Supervisor::oldest_failed(const Answer& answer) {
  const std::shared_ptr<Pending> oldest = in_flight_.front();
  in_flight_.pop_front();
  std::string what = oldest->what;
  if (!in_flight_.empty()) what += fmt::format(" (under way behind it: {})", in_flight_.front()->what);
  put_back_the_rest();
  oldest->outcome = failed(answer, what);
  oldest->state = Pending::State::kDone;
}

void Supervisor::put_back_the_rest() {
  for (const std::shared_ptr<Pending>& launch : in_flight_) launch->state = Pending::State::kUnsent;
  in_flight_.clear();
}

void Supervisor::receive_oldest() {
  const std::shared_ptr<Pending> oldest = in_flight_.front();
  const Answer answer = process_->answer_to(oldest->request, MessageType::kOutcome, options_.launch_timeout);
  if (answer.kind != Answer::Kind::kMessage) return oldest_failed(answer);
  std::optional<LaunchOutcome> outcome = decode_outcome(answer.payload, oldest->count, oldest->registers);
  if (!outcome) return oldest_failed(garbage("results that do not fit the cases"));
  in_flight_.pop_front();
  // What follows may take another worker.
  if (outcome->needs_fresh_worker || (outcome->status == LaunchStatus::kCompleted && wrote_nothing(*outcome)))
    put_back_the_rest();
  judge(*outcome, oldest->what);
  oldest->outcome = *std::move(outcome);
  oldest->state = Pending::State::kDone;
}

void Supervisor::receive_all() {
  while (!in_flight_.empty()) receive_oldest();
}

LaunchOutcome Supervisor::alone(const std::shared_ptr<Pending>& launch) {
  receive_all();
  send(launch);
  while (launch->state == Pending::State::kSent) receive_oldest();
  return std::move(launch->outcome);
}

LaunchOutcome Supervisor::attempt_program(Object& object, const std::string& what, const std::string& kernel,
                                          const ProgramLaunch& launch) {
  receive_all();
  if (auto stopped = make_loaded(object)) return *std::move(stopped);
  write_record(what);
  const Answer answer = process_->ask(MessageType::kRunProgram, encode_run_program(object.id, kernel, launch),
                                      MessageType::kOutcome, options_.launch_timeout);
  if (answer.kind != Answer::Kind::kMessage) return failed(answer, what);
  std::optional<LaunchOutcome> outcome = decode_program_outcome(answer.payload, launch);
  if (!outcome) return failed(garbage("results that do not fit the program"), what);
  judge(*outcome, what);
  return *std::move(outcome);
}

std::string Supervisor::pci() const {
  const auto at =
      std::find_if(told_.facts.begin(), told_.facts.end(), [](const auto& fact) { return fact.first == "pci"; });
  return at == told_.facts.end() ? std::string() : at->second;
}

void Supervisor::note(const std::string& line) const {
  if (options_.note) options_.note(line);
}

// Kills the worker, starts another and has it run the probe. Gives back what became of it, for the message.
std::string Supervisor::recover(const std::string& why) {
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
std::string Supervisor::bring_up() {
  auto started = start(options_);
  if (!started) return "a fresh worker has no device: " + started.error();
  const DeviceInfo& now = started->hello.devices.front();
  if (now.arch != told_.arch || now.facts != told_.facts) {
    return fmt::format("a fresh worker has another device: {}", now.description);
  }
  process_ = std::move(started->process);
  return run_probe();
}

std::string Supervisor::run_probe() {
  constexpr std::uint64_t kProbeModule = 0;
  Writer out;
  out.value(kProbeModule);
  out.bytes(probe_object());
  const Answer loaded = process_->ask(MessageType::kLoad, out.take(), MessageType::kLoaded, options_.launch_timeout);
  std::string wrong;
  if (loaded.kind != Answer::Kind::kMessage) {
    wrong = "loading the probe kernel: " + loaded.message;
  } else if (Reader in(loaded.payload); !(wrong = in.text()).empty()) {
    wrong = "the probe kernel is refused: " + wrong;
  } else {
    const cases::Case c = probe_case();
    const Answer answer = process_->ask(MessageType::kRun, encode_run(kProbeModule, kProbeKernel, {&c, 1}),
                                        MessageType::kOutcome, options_.launch_timeout);
    const auto outcome =
        answer.kind == Answer::Kind::kMessage ? decode_outcome(answer.payload, 1, c.c.registers) : std::nullopt;
    wrong = outcome                                 ? wrong_with_probe(*outcome)
            : answer.kind == Answer::Kind::kMessage ? "the probe kernel: the worker process sent garbage"
                                                    : "the probe kernel: " + answer.message;
  }
  if (!wrong.empty()) process_->end();
  return wrong;
}

}  // namespace mfma::devices::worker
