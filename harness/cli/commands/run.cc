// `mfma-conform run`: the main job.

#include "harness/conformance/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>

#include "harness/cli/commands/artifacts.h"
#include "harness/cli/commands/command.h"
#include "harness/cli/commands/devices.h"
#include "harness/cli/commands/levels.h"
#include "harness/cli/commands/options.h"
#include "harness/cli/commands/outputs.h"
#include "harness/cli/commands/profiles.h"
#include "harness/cli/commands/run_arguments.h"
#include "harness/cli/commands/shapes.h"
#include "harness/cli/commands/side_by_side.h"
#include "harness/cli/commands/waiver_files.h"
#include "harness/conformance/calls/plan.h"
#include "harness/conformance/followup/across_devices.h"
#include "harness/conformance/followup/case_runner.h"
#include "harness/conformance/programs/program_run.h"
#include "harness/devices/watched.h"
#include "harness/operands/operands.h"
#include "harness/system/stop.h"
#include "harness/system/version.h"
#include "reports/json/events.h"
#include "reports/model/same_run.h"
#include "reports/model/waive.h"
#include "reports/terminal/terminal.h"

namespace mfma::cli {
namespace {

using reports::ExitCode;

// Takes out the instances to which none of the classes applies, and says so.
void leave_out_inapplicable(std::vector<catalogue::Instance>& instances,
                            const std::vector<operands::OperandClass>& classes, bool quiet) {
  if (classes.empty()) return;
  const std::size_t selected = instances.size();
  std::erase_if(instances, [&](const catalogue::Instance& i) {
    return std::none_of(classes.begin(), classes.end(), [&](auto cls) { return operands::applies(i, cls); });
  });
  if (instances.size() == selected || quiet) return;
  say(fmt::format("--operands: the classes make no sense on {} of {} instances, which are left out",
                  selected - instances.size(), selected));
}

// One line that is overwritten, on a terminal only.
class Progress {
 public:
  Progress(bool wanted, std::size_t devices) : on_(wanted && isatty(STDERR_FILENO) != 0), done_(devices) {}
  // Of one device; all have as much to do.
  void show(std::size_t device, std::size_t done_there, std::size_t of_each) {
    if (!on_) return;
    const std::lock_guard lock(mutex_);
    done_[device] = std::max(done_[device], done_there);
    if (done_there == 1) done_[device] = 1;  // another round
    const std::size_t done = std::accumulate(done_.begin(), done_.end(), std::size_t{0});
    const std::size_t of = of_each * done_.size();
    const std::size_t percent = done * 100 / of;
    if (percent == shown_ && done != of) return;
    shown_ = percent;
    fmt::print(stderr, "\r\x1b[K{} of {} instances ({} %)", done, of, percent);
    if (done == of) fmt::print(stderr, "\r\x1b[K");
    std::fflush(stderr);
  }

 private:
  bool on_;
  std::mutex mutex_;
  std::vector<std::size_t> done_;
  std::size_t shown_ = 101;
};

tl::expected<std::vector<compilers::Compiler>, std::string> open_compilers(const RunArguments& args) {
  std::optional<compilers::Cache> cache;
  if (!args.no_cache) cache.emplace(compilers::Cache::default_directory());
  std::vector<compilers::Compiler> opened;
  for (const std::string& path : args.compilers) {
    auto compiler = compilers::Compiler::open(path, "gfx950", cache);
    if (!compiler) return tl::make_unexpected(compiler.error());
    opened.push_back(*std::move(compiler));
  }
  return opened;
}

// Instances of all shards, for programs: a second builtin of a program may be any.
std::vector<catalogue::Instance> callable(const RunArguments& args) {
  return *conformance::select_instances({args.builtin, args.modifiers, {}});
}

// The programs of this shard. The devices and profiles must know all builtins that they call.
std::vector<conformance::PlannedProgram> plan(const RunArguments& args, const ShapeChoice& choice,
                                              const std::vector<std::string>& levels, const conformance::Shard& shard) {
  const conformance::ProgramSelection selection{choice.shapes, callable(args), levels, choice.coverage, args.seed};
  std::vector<conformance::PlannedProgram> all =
      choice.random ? conformance::plan_random_programs(selection, args.cases ? args.cases : kRandomPrograms)
                    : conformance::plan_programs(selection);
  std::vector<conformance::PlannedProgram> mine;
  for (std::size_t n = 0; n < all.size(); ++n) {
    if (shard.has(n)) mine.push_back(std::move(all.at(n)));
  }
  return mine;
}

// All that a run needs but the device.
struct Prepared {
  std::string command_line;
  std::vector<std::string> levels;
  conformance::Shard shard;
  ShapeChoice choice;
  std::vector<conformance::PlannedProgram> programs;
  std::optional<NamedProfile> profile, device_profile;
  conformance::RunDescription run;
  std::vector<reports::JudgedWaiver> waivers;
};

// A number given for single calls is a number of cases of programs too, unless it counts random ones.
std::uint64_t program_cases(const RunArguments& args, const ShapeChoice& choice) {
  const std::uint64_t by_tier = cases_per_program(args.tier);
  if (!args.cases || choice.random) return by_tier;
  return choice.single_calls ? std::min(args.cases, by_tier) : args.cases;
}

struct Refusal {
  ExitCode code;
  std::string message;
};

// What is wrong with the command line, or with what it names.
std::optional<Refusal> prepare(const RunArguments& args, Prepared& p) {
  const auto usage = [](std::string message) { return Refusal{ExitCode::kUsage, std::move(message)}; };
  const auto levels = parse_levels(args.levels);
  if (!levels) return usage(levels.error());
  const auto properties = conformance::properties_named(args.properties);
  if (!properties) return usage(properties.error());
  const auto shard = parse_shard(args.shard);
  if (!shard) return usage(shard.error());
  auto choice = parse_shape_choice(args.shape, args.tier);
  if (!choice) return usage(choice.error());
  if (const std::string wrong = wrong_device_name(args.device); !wrong.empty()) return usage(wrong);
  if (!args.events.empty() && !args.resume.empty())
    return usage("--events and --resume: give one, a resumed run goes on in its log");
  if (args.soak && (!args.events.empty() || !args.resume.empty())) {
    return usage(
        "--soak: its rounds have seeds of their own, and an event log has one; leave --events and --resume out");
  }

  auto waivers = read_waiver_files(args.waivers);
  if (!waivers) return usage(waivers.error());
  p.waivers = *std::move(waivers);
  auto instances = conformance::select_instances({args.builtin, args.modifiers, *shard});
  if (!instances) return usage(instances.error());
  p.programs = plan(args, *choice, *levels, *shard);
  if (choice->single_calls ? instances->empty() : p.programs.empty()) {
    return Refusal{ExitCode::kNoVerdict,
                   fmt::format("shard {}/{} holds none of the selected instances and programs: nothing to run",
                               shard->index + 1, shard->count)};
  }
  leave_out_inapplicable(*instances, args.operand_classes, args.outputs.quiet);
  if (instances->empty()) {
    return Refusal{ExitCode::kNoVerdict,
                   "--operands: the classes make no sense on any selected instance: nothing to run"};
  }

  const auto profile = profile_or_default(args.profile);
  if (!profile) return usage(profile.error());
  const auto device_profile = args.device_profile.empty() ? profile : profile_or_default(args.device_profile);
  if (!device_profile) return usage(device_profile.error());
  std::vector<catalogue::Instance> called = *instances;
  for (const conformance::PlannedProgram& program : p.programs) {
    for (const catalogue::Instance& i : program.program.instances()) called.push_back(i);
  }
  for (const NamedProfile* each : {&*profile, &*device_profile}) {
    if (const std::string missing = conformance::unusable_profile(each->profile, called); !missing.empty())
      return usage(missing);
  }
  p.levels = *levels;
  p.shard = *shard;
  p.choice = *std::move(choice);
  p.profile = *profile;
  p.device_profile = *device_profile;

  conformance::Subject& subject = p.run.subject;
  conformance::RunPlan& plan = p.run.plan;
  if (p.choice.single_calls) plan.instances = *std::move(instances);
  subject.levels = p.levels;
  subject.profile = profile->profile;
  subject.reading = args.reading;
  subject.oracle = conformance::catalogue_oracle(args.oracle);
  plan.seed = args.seed;
  plan.cases_per_instance = args.cases ? args.cases : conformance::cases_per_instance(args.tier);
  plan.cases_per_program = program_cases(args, p.choice);
  plan.cases_per_launch = args.cases_per_launch;
  plan.repeats = args.repeat;
  plan.operand_classes = args.operand_classes;
  plan.properties = conformance::property_plan(args.tier);
  plan.properties.properties = *properties;
  p.run.control.jobs = args.jobs;
  subject.profile_source = profile->source;
  subject.device_profile_name = device_profile->profile.name;
  subject.device_profile_source = device_profile->source;
  plan.reduce = !args.no_shrink;
  p.run.control.stop = system::stop_reason;
  return std::nullopt;
}

// What a report says of the command line.
void describe(const RunArguments& args, const Prepared& p, reports::RunReport& report) {
  report.tool_version = system::kVersion;
  report.command = p.command_line;
  report.profile_name = p.profile->profile.name;
  report.profile_source = p.profile->source;
  report.profile_digest = conformance::profile_digest(p.profile->profile);
  if (report.device_emulated) {
    report.device_profile_name = p.device_profile->profile.name;
    report.device_profile_source = p.device_profile->source;
    report.device_profile_digest = conformance::profile_digest(p.device_profile->profile);
  }
  report.tier = name_in(kTierNames, args.tier);
  report.modifiers = name_in(kModifierNames, args.modifiers);
  report.shapes_asked = args.shape;
  report.cases_per_program = p.run.plan.cases_per_program;
  report.shard_index = p.shard.index + 1;
  report.shard_count = p.shard.count;
  report.waivers = p.waivers;
}

// The log of a run on one device: a new one, or the one that it goes on with.
class Log {
 public:
  // One line when there can be none. `done` gets what the log to go on with has.
  std::string open(const RunArguments& args, const std::string& device, const reports::RunReport& planned,
                   std::map<std::string, reports::UnitResult>& done) {
    if (args.events.empty() && args.resume.empty()) return {};
    const std::string file = file_of(args.events.empty() ? args.resume : args.events, device);
    auto log = args.resume.empty() ? reports::EventLog::create(file, planned) : go_on(file, planned, done);
    if (!log) return log.error();
    log_ = *std::move(log);
    return {};
  }

  std::unique_ptr<devices::Device> watch(devices::Device& device) {
    if (!log_) return nullptr;
    return devices::watched(device, {[this](const std::string& kernel, const std::string& first, std::size_t cases) {
                                       return log_->launch(kernel, first, cases);
                                     },
                                     [this](std::uint64_t n, devices::LaunchStatus status, const std::string& message) {
                                       log_->launched(n, std::string(devices::name_of(status)), message);
                                     }});
  }

  void result(const reports::UnitResult& r, bool is_program, bool complete) {
    if (log_) log_->result(r, is_program, complete);
  }
  void end(const reports::RunReport& report) {
    if (log_) log_->end(report);
  }
  std::string error() const { return log_ ? log_->error() : std::string(); }

 private:
  static tl::expected<std::unique_ptr<reports::EventLog>, std::string> go_on(
      const std::string& file, const reports::RunReport& planned, std::map<std::string, reports::UnitResult>& done) {
    auto events = reports::read_events(file);
    if (!events) return tl::make_unexpected(events.error());
    if (const std::string other = reports::difference_of_runs(events->planned, planned); !other.empty()) {
      return tl::make_unexpected(fmt::format("--resume {}: it is the log of another run: {}", file, other));
    }
    const auto same_units = [](const std::vector<reports::UnitReport>& x, const std::vector<reports::UnitReport>& y) {
      return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                        [](const auto& a, const auto& b) { return a.id == b.id; });
    };
    if (!same_units(events->planned.units, planned.units) ||
        !same_units(events->planned.program_units, planned.program_units)) {
      return tl::make_unexpected(
          fmt::format("--resume {}: it is the log of another run: other instances, programs or shard", file));
    }
    done = std::move(events->complete);
    return reports::EventLog::append(file);
  }

  std::unique_ptr<reports::EventLog> log_;
};

// The share of one device: all instances, and all programs where it runs programs.
class DeviceRun {
 public:
  // `tag` goes into the names of its files; empty where it is the only device.
  DeviceRun(devices::Device& device, const RunArguments& args, const Prepared& p, std::string tag)
      : device_(device), args_(args), p_(p), tag_(std::move(tag)), run_(p.run) {
    if (device.runs_programs()) programs_ = p.programs;
    run_.subject.device = &device;
    run_.subject.device_runs_profile = device.info().is_emulated && args.device_profile.empty();
    run_.plan.locate = !device.info().is_emulated;
    run_.plan.digests = !tag_.empty();
    if (p.run.control.keep_case && !tag_.empty()) {
      run_.control.keep_case = [this](const std::string& name, const cases::CaseFile& file) {
        return p_.run.control.keep_case(name + "." + file_word(tag_), file);
      };
    }
  }
  DeviceRun(const DeviceRun&) = delete;
  DeviceRun& operator=(const DeviceRun&) = delete;

  // One line where the log of events cannot be written, or is not this run's.
  std::string open_log() {
    reports::RunReport planned = conformance::planned(run_);
    describe(args_, p_, planned);
    conformance::add_planned_programs(run_, programs_, planned);
    judge_waivers(planned);
    std::string why = log_.open(args_, tag_, planned, run_.control.done);
    watched_ = log_.watch(device_);
    if (watched_) run_.subject.device = watched_.get();
    return why;
  }

  void show_progress(std::function<void(std::size_t, std::size_t)> progress) {
    run_.control.progress = std::move(progress);
  }

  reports::RunReport run(std::uint64_t seed) {
    run_.plan.seed = seed;
    run_.control.record = [this](const reports::UnitResult& r, bool complete) { log_.result(r, false, complete); };
    reports::RunReport report = conformance::run(run_);
    describe(args_, p_, report);
    conformance::add_planned_programs(run_, programs_, report);
    if (programs_.empty()) return report;
    const auto begin = std::chrono::steady_clock::now();
    run_.control.record = [this](const reports::UnitResult& r, bool complete) { log_.result(r, true, complete); };
    conformance::ProgramRunResult ran = conformance::run_programs(run_, programs_);
    report.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    report.program_units = std::move(ran.units);
    summarize(report);
    if (report.stopped.empty()) report.stopped = ran.stopped;
    std::move(ran.findings.begin(), ran.findings.end(), std::back_inserter(report.findings));
    return report;
  }

  // Judges the waivers, writes the end of the log, and puts the report out.
  ExitCode finish(reports::RunReport& report) {
    judge_waivers(report);
    log_.end(report);
    if (const std::string why = log_.error(); !why.empty()) say(why);
    return put_out(report, args_.outputs, tag_);
  }

 private:
  devices::Device& device_;
  const RunArguments& args_;
  const Prepared& p_;
  const std::string tag_;
  conformance::RunDescription run_;
  std::vector<conformance::PlannedProgram> programs_;
  Log log_;
  std::unique_ptr<devices::Device> watched_;
};

// The run on all devices at once.
ExitCode run_on(const std::vector<std::unique_ptr<devices::Device>>& devices, const RunArguments& args,
                const Prepared& p) {
  std::vector<devices::Device*> used;
  std::vector<std::unique_ptr<DeviceRun>> runs;
  const bool several = devices.size() > 1;
  for (const auto& device : devices) {
    if (!device->runs_programs() && !p.programs.empty()) {
      const std::string why = fmt::format("{} runs single calls only, no program shapes", device->info().id);
      if (!args.shape.empty())
        return static_cast<ExitCode>(fail(ExitCode::kNoVerdict, fmt::format("--shape: {}", why)));
      say(why + ": these are left out");
    }
    used.push_back(device.get());
    runs.push_back(std::make_unique<DeviceRun>(*device, args, p, several ? device->info().id : ""));
  }
  for (const auto& run : runs) {
    const ExitCode refused = args.resume.empty() ? ExitCode::kNoVerdict : ExitCode::kUsage;
    if (const std::string why = run->open_log(); !why.empty()) return static_cast<ExitCode>(fail(refused, why));
  }
  Progress progress(!args.outputs.quiet, used.size());
  for (std::size_t n = 0; n < runs.size(); ++n) {
    runs[n]->show_progress([&progress, n](std::size_t done, std::size_t of) { progress.show(n, done, of); });
  }
  std::vector<reports::RunReport> all = run_side_by_side(
      used, args.seed, args.soak,
      [&](devices::Device&, std::size_t number, std::uint64_t seed) { return runs[number]->run(seed); });
  ExitCode code = ExitCode::kPass;
  for (std::size_t n = 0; n < runs.size(); ++n) code = worse(code, runs[n]->finish(all[n]));
  if (several && !args.outputs.quiet) {
    const std::string lines = fmt::format("\n{}\n", fmt::join(conformance::summary_across(all), "\n"));
    if (!show(reports::printable(lines)))
      code = worse(code, static_cast<ExitCode>(fail(ExitCode::kNoVerdict, kCannotShow)));
  }
  return code;
}

int run(const RunArguments& args, const std::string& command_line) {
  Prepared prepared;
  prepared.command_line = command_line;
  if (const auto refusal = prepare(args, prepared)) return fail(refusal->code, refusal->message);

  std::optional<Artifacts> artifacts;
  if (!args.artifacts.empty()) {
    artifacts.emplace(args.artifacts);
    if (const std::string why = artifacts->check(); !why.empty()) return fail(ExitCode::kNoVerdict, why);
    prepared.run.control.keep_case = [&](const std::string& name, const cases::CaseFile& file) {
      return artifacts->keep(name, file);
    };
  }
  auto opened = open_compilers(args);
  if (!opened) return fail(ExitCode::kNoVerdict, opened.error());
  prepared.run.subject.compilers = *std::move(opened);

  const auto devices =
      open_devices({args.device, *prepared.device_profile, args.reading, args.isolate, args.launch_timeout,
                    args.start_timeout, args.artifacts, args.outputs.quiet, args.in_flight});
  if (!devices) return fail(devices.error().code, devices.error().message);

  system::stop_on_signals();
  if (args.max_time > 0) system::stop_after(args.max_time);
  const ExitCode exit_code = run_on(*devices, args, prepared);
  for (const compilers::Compiler& compiler : prepared.run.subject.compilers) {
    if (compiler.cache() && !compiler.cache()->note().empty()) {
      say("the cache of code objects: " + compiler.cache()->note());
      break;  // all compilers share it
    }
  }
  if (artifacts && !artifacts->error().empty()) say(artifacts->error());  // there was a failure, which stands
  return static_cast<int>(exit_code);
}

}  // namespace

void add_run(CLI::App& app, Invocation& invocation) {
  auto args = std::make_shared<RunArguments>();
  CLI::App* command = app.add_subcommand("run", "Compile, run and compare: the main job");
  add_run_options(command, *args);
  command->callback(
      [args, &invocation] { invocation.action = [args, &invocation] { return run(*args, invocation.command_line); }; });
}

}  // namespace mfma::cli
