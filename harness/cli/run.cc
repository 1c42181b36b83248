// `mfma-conform run`: the main job.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>

#include "fuzz/operands/operands.h"
#include "harness/cli/artifacts.h"
#include "harness/cli/command.h"
#include "harness/cli/devices.h"
#include "harness/cli/levels.h"
#include "harness/cli/options.h"
#include "harness/cli/profiles.h"
#include "harness/cli/shapes.h"
#include "harness/cli/side_by_side.h"
#include "harness/cli/version.h"
#include "harness/conformance/across_devices.h"
#include "harness/conformance/plan.h"
#include "harness/conformance/program_run.h"
#include "harness/conformance/run.h"
#include "reports/json.h"
#include "reports/terminal.h"

namespace mfma::cli {
namespace {

using reports::ExitCode;

struct RunArguments {
  std::string builtin = "*";
  conformance::ModifierChoice modifiers = conformance::ModifierChoice::kAll;
  std::vector<std::string> compilers = {"clang-22"};
  std::string levels = "O0,O2";
  std::string device = "auto";
  std::string profile, device_profile;
  oracles::BroadcastReading reading = oracles::BroadcastReading::kPerSet;
  conformance::Tier tier = conformance::Tier::kQuick;
  std::string shape;
  std::uint64_t cases = 0;  // 0: by tier
  std::vector<operands::OperandClass> operand_classes;  // none: as dealt by index
  std::uint64_t seed = 1;
  std::string properties = "all";
  std::optional<std::string> shard;
  int jobs = 0;
  bool isolate = false;
  double launch_timeout = 60, start_timeout = 60;
  std::size_t in_flight = devices::kMostInFlight;
  std::uint64_t cases_per_launch = 0;  // 0: as suits the device
  std::uint64_t repeat = 1;
  std::uint64_t soak = 0;  // seconds; 0: one round
  std::string json, artifacts;
  bool no_shrink = false;
  bool no_cache = false;
  bool verbose = false;
  bool quiet = false;
};

const Words<conformance::ModifierChoice> kModifierNames = {{"all", conformance::ModifierChoice::kAll},
                                                           {"default", conformance::ModifierChoice::kDefault},
                                                           {"none", conformance::ModifierChoice::kNone}};
const Words<conformance::Tier> kTierNames = {{"quick", conformance::Tier::kQuick},
                                             {"standard", conformance::Tier::kStandard},
                                             {"comprehensive", conformance::Tier::kComprehensive},
                                             {"full", conformance::Tier::kFull}};
const Words<oracles::BroadcastReading> kReadingNames = {{"per-set", oracles::BroadcastReading::kPerSet},
                                                        {"whole-wave", oracles::BroadcastReading::kWholeWave}};

// "I/N" with I from 1 to N, as people count shards; without the option, the variables that GoogleTest's shards use.
tl::expected<conformance::Shard, std::string> parse_shard(const std::optional<std::string>& text) {
  if (text) {
    const std::size_t slash = text->find('/');
    const std::uint64_t index = whole_number<std::uint64_t>(text->substr(0, slash)).value_or(0);
    const std::uint64_t count =
        slash == std::string::npos ? 0 : whole_number<std::uint64_t>(text->substr(slash + 1)).value_or(0);
    if (index < 1 || index > count) {
      return tl::make_unexpected(fmt::format("--shard '{}': want I/N with I from 1 to N, such as 2/8", *text));
    }
    return conformance::Shard{index - 1, count};
  }
  const char* total = std::getenv("GTEST_TOTAL_SHARDS");
  const char* number = std::getenv("GTEST_SHARD_INDEX");
  if (!total && !number) return conformance::Shard{};
  if (!total || !number) {
    return tl::make_unexpected("of GTEST_TOTAL_SHARDS and GTEST_SHARD_INDEX only one is set: set both or neither");
  }
  const auto count = whole_number<std::uint64_t>(total);
  const auto index = whole_number<std::uint64_t>(number);
  if (!count || !index || *index >= *count) {
    return tl::make_unexpected(fmt::format(
        "GTEST_SHARD_INDEX={} GTEST_TOTAL_SHARDS={} is not a shard: the index counts from 0 and is below the total",
        number, total));
  }
  return conformance::Shard{*index, *count};
}

// "specials,exact" to classes, each known and there once.
std::vector<operands::OperandClass> parse_classes(const std::string& option, const std::string& text) {
  std::vector<operands::OperandClass> classes;
  for (const std::string& name : split_at_commas(text)) {
    const auto cls = operands::operand_class_named(name);
    if (!cls) {
      throw CLI::ValidationError(
          option, fmt::format("'{}' is no operand class: `mfma-conform list --operands` has them", name));
    }
    if (std::find(classes.begin(), classes.end(), *cls) != classes.end()) {
      throw CLI::ValidationError(option, fmt::format("'{}' is there twice", name));
    }
    classes.push_back(*cls);
  }
  return classes;
}

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

// "hip:1" as a part of a file's name.
std::string file_word(std::string device) {
  std::replace(device.begin(), device.end(), ':', '-');
  return device;
}

// "r.json" -> "r.hip-1.json": of several devices each has a report of its own.
std::string report_file(const std::string& file, const std::string& device, bool several) {
  if (!several) return file;
  const std::filesystem::path path(file);
  return (path.parent_path() / (path.stem().string() + "." + file_word(device) + path.extension().string())).string();
}

// When several apply, a failure wins over a hang, and that over no verdict.
ExitCode worse(ExitCode x, ExitCode y) {
  for (const ExitCode code : {ExitCode::kFailure, ExitCode::kHangOrLost, ExitCode::kNoVerdict}) {
    if (x == code || y == code) return code;
  }
  return ExitCode::kPass;
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
    if (n % shard.count == shard.index) mine.push_back(std::move(all[n]));
  }
  return mine;
}

// The instances and the programs on options.device, as one report.
reports::RunReport run_all(conformance::RunOptions options, const ShapeChoice& choice,
                           const std::vector<conformance::PlannedProgram>& programs, const RunArguments& args) {
  if (!choice.single_calls) options.instances.clear();
  reports::RunReport report = conformance::run(options);
  if (programs.empty()) return report;
  // A number given for single calls is a number of cases here too, unless it counts random programs.
  options.cases_per_instance = cases_per_program(args.tier);
  if (args.cases && !choice.random) options.cases_per_instance = std::min(args.cases, options.cases_per_instance);
  if (args.cases && !choice.random && !choice.single_calls) options.cases_per_instance = args.cases;
  const auto begin = std::chrono::steady_clock::now();
  conformance::ProgramRunResult ran = conformance::run_programs(options, programs);
  report.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  report.shapes = std::move(ran.shapes);
  std::move(ran.findings.begin(), ran.findings.end(), std::back_inserter(report.findings));
  return report;
}

int run(const RunArguments& args, const std::string& command_line) {
  const auto levels = parse_levels(args.levels);
  if (!levels) return fail(ExitCode::kUsage, levels.error());
  const auto properties = conformance::properties_named(args.properties);
  if (!properties) return fail(ExitCode::kUsage, properties.error());
  const auto shard = parse_shard(args.shard);
  if (!shard) return fail(ExitCode::kUsage, shard.error());
  const auto choice = parse_shape_choice(args.shape, args.tier);
  if (!choice) return fail(ExitCode::kUsage, choice.error());
  if (const std::string wrong = wrong_device_name(args.device); !wrong.empty()) return fail(ExitCode::kUsage, wrong);

  auto instances = conformance::select_instances({args.builtin, args.modifiers, *shard});
  if (!instances) return fail(ExitCode::kUsage, instances.error());
  const std::vector<conformance::PlannedProgram> programs = plan(args, *choice, *levels, *shard);
  if (choice->single_calls ? instances->empty() : programs.empty()) {
    return fail(ExitCode::kNoVerdict, fmt::format("shard {}/{} holds none of the selected instances and programs: nothing to run", shard->index + 1, shard->count));
  }

  leave_out_inapplicable(*instances, args.operand_classes, args.quiet);
  if (instances->empty()) {
    return fail(ExitCode::kNoVerdict, "--operands: the classes make no sense on any selected instance: nothing to run");
  }

  const auto profile = profile_or_default(args.profile);
  if (!profile) return fail(ExitCode::kUsage, profile.error());
  const auto device_profile = args.device_profile.empty() ? profile : profile_or_default(args.device_profile);
  if (!device_profile) return fail(ExitCode::kUsage, device_profile.error());
  std::vector<catalogue::Instance> called = *instances;
  for (const conformance::PlannedProgram& p : programs) {
    for (const catalogue::Instance& i : p.program.instances()) called.push_back(i);
  }
  for (const NamedProfile* p : {&*profile, &*device_profile}) {
    if (const std::string missing = conformance::unusable_profile(p->profile, called); !missing.empty()) {
      return fail(ExitCode::kUsage, missing);
    }
  }

  std::optional<Artifacts> artifacts;
  if (!args.artifacts.empty()) {
    artifacts.emplace(args.artifacts);
    if (const std::string why = artifacts->check(); !why.empty()) return fail(ExitCode::kNoVerdict, why);
  }

  auto opened = open_compilers(args);
  if (!opened) return fail(ExitCode::kNoVerdict, opened.error());

  const auto devices = open_devices({args.device, *device_profile, args.reading, args.isolate, args.launch_timeout, args.start_timeout, args.artifacts, args.quiet, args.in_flight});
  if (!devices) return fail(devices.error().code, devices.error().message);

  conformance::RunOptions options;
  options.instances = *instances;
  options.compilers = *std::move(opened);
  options.levels = *levels;
  options.profile = profile->profile;
  options.reading = args.reading;
  options.seed = args.seed;
  options.cases_per_instance = args.cases ? args.cases : conformance::cases_per_instance(args.tier);
  options.cases_per_launch = args.cases_per_launch;
  options.repeats = args.repeat;
  options.operand_classes = args.operand_classes;
  options.properties = conformance::property_plan(args.tier);
  options.properties.properties = *properties;
  options.jobs = args.jobs;
  options.profile_source = profile->source;
  options.device_profile_name = device_profile->profile.name;
  options.device_profile_source = device_profile->source;
  options.reduce = !args.no_shrink;
  std::vector<devices::Device*> used;
  for (const auto& device : *devices) {
    used.push_back(device.get());
    if (device->runs_programs() || programs.empty()) continue;
    const std::string why = fmt::format("{} runs single calls only, no program shapes", device->info().id);
    if (!args.shape.empty()) return fail(ExitCode::kNoVerdict, fmt::format("--shape: {}", why));
    say(why + ": these are left out");
  }
  const bool several = used.size() > 1;
  options.digests = several;
  Progress progress(!args.quiet, used.size());
  const auto run_on = [&](devices::Device& device, std::size_t number, std::uint64_t seed) {
    conformance::RunOptions own = options;
    own.device = &device;
    own.seed = seed;
    own.device_runs_profile = device.info().is_emulated && args.device_profile.empty();
    own.locate = !device.info().is_emulated;
    own.progress = [&progress, number](std::size_t done, std::size_t of) { progress.show(number, done, of); };
    if (artifacts) {
      const std::string ending = several ? "." + file_word(device.info().id) : "";
      own.keep_case = [&artifacts, ending](const std::string& name, const cases::CaseFile& file) { return artifacts->keep(name + ending, file); };
    }
    return run_all(own, *choice, device.runs_programs() ? programs : std::vector<conformance::PlannedProgram>(), args);
  };
  std::vector<reports::RunReport> all = run_side_by_side(used, args.seed, args.soak, run_on);

  const bool colour = isatty(STDOUT_FILENO) != 0 && !std::getenv("NO_COLOR");
  ExitCode exit_code = ExitCode::kPass;
  // Where a report cannot be shown or written the verdict stands, but a pass that nobody can read is none.
  const auto unread = [&](const std::string& why) {
    say(why);
    exit_code = worse(exit_code, ExitCode::kNoVerdict);
  };
  for (reports::RunReport& report : all) {
    report.tool_version = kVersion;
    report.command = command_line;
    report.profile_name = profile->profile.name;
    report.profile_source = profile->source;
    if (report.device_emulated) {
      report.device_profile_name = device_profile->profile.name;
      report.device_profile_source = device_profile->source;
    }
    report.tier = name_in(kTierNames, args.tier);
    report.modifiers = name_in(kModifierNames, args.modifiers);
    report.shard_index = shard->index + 1;
    report.shard_count = shard->count;
    exit_code = worse(exit_code, report.exit_code());
    if (!args.json.empty()) {
      const auto written = reports::write_json(report, report_file(args.json, report.device_id, several));
      if (!written) unread(written.error());
    }
    if (!args.quiet && !show(reports::to_terminal(report, {.colour = colour, .verbose = args.verbose}))) unread(kCannotShow);
  }
  if (several && !args.quiet) {
    const std::string lines = fmt::format("\n{}\n", fmt::join(conformance::summary_across(all), "\n"));
    if (!show(reports::printable(lines))) unread(kCannotShow);
  }
  for (const compilers::Compiler& compiler : options.compilers) {
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
  command->add_option("--builtin", args->builtin, "Builtins to run: a name or a glob such as 'mfma_f32_*_f16'")
      ->type_name("GLOB")->capture_default_str();
  add_choice(command, "--modifiers", args->modifiers, kModifierNames,
             "Which immediates: all legal ones, a set that has every value once, or none");
  command->add_option("--compiler", args->compilers, "Compilers under test, each a path or a name found in PATH")
      ->type_name("PATH...")->capture_default_str();
  command->add_option("--opt", args->levels, "Some of O0, O1, O2, O3, Os, Oz, with commas between")->type_name("LEVELS")->capture_default_str();
  command->add_option("--device", args->device, "auto (a gfx950 if there is one, else emulated), emulated, hip, hip:N or all (at once)")
      ->type_name("DEVICE")->capture_default_str();
  command->add_flag("--isolate", args->isolate, "The emulated device in a worker process, as GPUs always are");
  command->add_option("--start-timeout", args->start_timeout, "Seconds within which a worker process must have its device")
      ->type_name("SECONDS")->check(CLI::Range(0.1, 86400.0))->capture_default_str();
  command->add_option("--launch-timeout", args->launch_timeout,
                      "Seconds after which a launch in a worker process is a hang, and the worker killed")
      ->type_name("SECONDS")->check(CLI::Range(0.1, 86400.0))->capture_default_str();
  add_file(command, "--profile", args->profile, "Arithmetic profile of the oracle (default: built in, gfx950-candidate)");
  add_file(command, "--device-profile", args->device_profile,
           "Profile that the emulated device computes by (default: the oracle's)");
  add_choice(command, "--cbsz-reading", args->reading, kReadingNames,
             "What cbsz below log2(blocks) broadcasts: two published readings, see docs/discrepancies.md");
  add_choice(command, "--tier", args->tier, kTierNames, "How many cases: 12, 300, 3000 or 30000 per instance");
  command->add_option("--shape", args->shape,
                      "Program shapes: names with commas between, all, single (single calls alone) or random (--cases "
                      "programs); see 'list --shapes'. Default: single calls and a pairwise choice of all shapes")
      ->type_name("SHAPES");
  add_number<std::uint64_t>(command, "--cases", args->cases, 1, 1'000'000, "Cases per instance, in place of the tier's");
  add_number<std::uint64_t>(command, "--cases-per-launch", args->cases_per_launch, 1, 65'536,
                            "Cases to a launch (default: 32 on the emulated device, 1024 on a GPU)");
  add_number<std::size_t>(command, "--in-flight", args->in_flight, 1, devices::kMostInFlight,
                          "Launches of a GPU under way at once; with 1 a crash is always that of the launch it is told of")
      ->default_str("2");
  add_number<std::uint64_t>(command, "--repeat", args->repeat, 1, 10'000,
                            "Launches of each case, which must all give the same bits")->default_str("1");
  add_number<std::uint64_t>(command, "--soak", args->soak, 1, 31'536'000,
                            "Go on with the next seeds, round after round, for so many seconds (default: one round)")
      ->type_name("SECONDS");
  add_number<std::uint64_t>(command, "--seed", args->seed, 0, std::numeric_limits<std::uint64_t>::max(),
                            "Seed of the operands")->default_str("1");
  command->add_option_function<std::string>(
             "--operands", [args](const std::string& text) { args->operand_classes = parse_classes("--operands", text); },
             "Only these operand classes, in turn; `list --operands` has them (default: all, by the case's index)")
      ->type_name("CLASS,...");
  command->add_option("--properties", args->properties,
                      "Properties that no model may break, checked besides: all, none, or names with commas between "
                      "('list --properties' shows them)")
      ->type_name("LIST")->capture_default_str();
  command->add_option("--shard", args->shard, "Run part I of N (default: GTEST_SHARD_INDEX and GTEST_TOTAL_SHARDS)")
      ->type_name("I/N");
  add_number(command, "--jobs", args->jobs, 1, 1024, "Threads (default: one per core)");
  add_file(command, "--json", args->json, "Write the whole report as JSON");
  add_file(command, "--artifacts", args->artifacts, "Leave a case file of every failure in this folder, for replay and minimize")
      ->type_name("DIR");
  command->add_flag("--no-shrink", args->no_shrink, "Do not look for smaller failing cases (4 instances of a builtin at most)");
  command->add_flag("--no-cache", args->no_cache, "Compile everything anew; do not touch the cache of code objects");
  command->add_flag("-v,--verbose", args->verbose, "More about each builtin");
  command->add_flag("-q,--quiet", args->quiet, "Nothing on the terminal but errors");
  command->callback([args, &invocation] {
    invocation.action = [args, &invocation] { return run(*args, invocation.command_line); };
  });
}

}  // namespace mfma::cli
