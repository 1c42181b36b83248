// `mfma-conform run`: the main job.

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <memory>
#include <mutex>

#include "harness/cli/command.h"
#include "harness/cli/profiles.h"
#include "harness/cli/version.h"
#include "harness/conformance/plan.h"
#include "harness/conformance/run.h"
#include "harness/devices/emulated.h"
#include "reports/json.h"
#include "reports/terminal.h"

namespace mfma::cli {
namespace {

using reports::ExitCode;

struct RunArguments {
  std::string builtin = "*";
  conformance::ModifierChoice modifiers = conformance::ModifierChoice::kAll;
  std::vector<std::string> compilers = {"clang-22"};
  std::vector<std::string> levels = {"O0", "O2"};
  std::string device = "auto";
  std::string profile, device_profile;
  oracles::BroadcastReading reading = oracles::BroadcastReading::kPerSet;
  conformance::Tier tier = conformance::Tier::kQuick;
  std::uint64_t cases = 0;  // 0: by tier
  std::uint64_t seed = 1;
  std::string shard;
  int jobs = 0;
  std::string json;
  bool no_cache = false;
  bool verbose = false;
  bool quiet = false;
};

// The words of an option, in the order in which help shows them.
template <typename T>
using Words = std::vector<std::pair<std::string, T>>;

const Words<conformance::ModifierChoice> kModifierNames = {{"all", conformance::ModifierChoice::kAll},
                                                           {"default", conformance::ModifierChoice::kDefault},
                                                           {"none", conformance::ModifierChoice::kNone}};
const Words<conformance::Tier> kTierNames = {{"quick", conformance::Tier::kQuick},
                                             {"standard", conformance::Tier::kStandard},
                                             {"comprehensive", conformance::Tier::kComprehensive},
                                             {"full", conformance::Tier::kFull}};
const Words<oracles::BroadcastReading> kReadingNames = {{"per-set", oracles::BroadcastReading::kPerSet},
                                                        {"whole-wave", oracles::BroadcastReading::kWholeWave}};

template <typename T>
std::string name_in(const Words<T>& words, T value) {
  for (const auto& [word, v] : words) {
    if (v == value) return word;
  }
  return "?";
}

template <typename T>
std::string joined(const Words<T>& words) {
  std::string out;
  for (const auto& [word, value] : words) out += (out.empty() ? "" : "|") + word;
  return out;
}

// An option that takes one of the words.
template <typename T>
void add_choice(CLI::App* command, const std::string& name, T& target, const Words<T>& words, const std::string& help) {
  const auto set = [&target, &words, name](const std::string& given) {
    for (const auto& [word, value] : words) {
      if (word != given) continue;
      target = value;
      return;
    }
    throw CLI::ValidationError(name, fmt::format("'{}' is not one of {}", given, joined(words)));
  };
  command->add_option_function<std::string>(name, set, help)
      ->type_name(joined(words))
      ->default_str(name_in(words, target));
}

// "i/n" with i from 1 to n, as people count shards; or the variables that GoogleTest's shards use.
tl::expected<conformance::Shard, std::string> parse_shard(const std::string& text) {
  if (text.empty()) {
    const char* total = std::getenv("GTEST_TOTAL_SHARDS");
    const char* index = std::getenv("GTEST_SHARD_INDEX");
    if (!total || !index) return conformance::Shard{};
    conformance::Shard shard;
    const std::string_view t = total, i = index;
    const bool read = std::from_chars(t.data(), t.data() + t.size(), shard.count).ptr == t.data() + t.size() &&
                      std::from_chars(i.data(), i.data() + i.size(), shard.index).ptr == i.data() + i.size();
    if (!read || t.empty() || i.empty() || shard.count == 0 || shard.index >= shard.count) {
      return tl::make_unexpected(fmt::format(
          "GTEST_SHARD_INDEX={} GTEST_TOTAL_SHARDS={} is not a shard: the index counts from 0 and is below the total",
          index, total));
    }
    return shard;
  }
  conformance::Shard shard;
  const char* end = text.data() + text.size();
  const auto index = std::from_chars(text.data(), end, shard.index);
  const bool slash = index.ec == std::errc() && index.ptr != end && *index.ptr == '/';
  const auto count = slash ? std::from_chars(index.ptr + 1, end, shard.count) : index;
  if (!slash || count.ec != std::errc() || count.ptr != end || shard.index < 1 || shard.index > shard.count) {
    return tl::make_unexpected(fmt::format("--shard {}: want I/N with I from 1 to N, such as 2/8", text));
  }
  shard.index -= 1;
  return shard;
}

std::string check_levels(const std::vector<std::string>& levels) {
  for (const std::string& level : levels) {
    if (level != "O0" && level != "O1" && level != "O2" && level != "O3" && level != "Os" && level != "Oz") {
      return fmt::format("--opt {}: want one or more of O0, O1, O2, O3, Os, Oz, with commas between", level);
    }
  }
  return {};
}

// One line that is overwritten, on a terminal only.
class Progress {
 public:
  explicit Progress(bool wanted) : on_(wanted && isatty(STDERR_FILENO) != 0) {}
  void show(std::size_t done, std::size_t of) {
    if (!on_) return;
    const std::lock_guard lock(mutex_);
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

std::vector<const catalogue::Builtin*> builtins_of(const std::vector<catalogue::Instance>& instances) {
  std::vector<const catalogue::Builtin*> used;
  for (const catalogue::Instance& i : instances) {
    if (used.empty() || used.back() != i.builtin) used.push_back(i.builtin);
  }
  return used;
}

int run(const RunArguments& args, const std::string& command_line) {
  if (const std::string wrong = check_levels(args.levels); !wrong.empty()) return fail(ExitCode::kUsage, wrong);
  const auto shard = parse_shard(args.shard);
  if (!shard) return fail(ExitCode::kUsage, shard.error());
  if (args.device != "auto" && args.device != "emulated") {
    if (args.device.rfind("hip", 0) == 0 || args.device == "all") {
      return fail(ExitCode::kNoVerdict, fmt::format("--device {}: this version has no HIP device; use emulated", args.device));
    }
    return fail(ExitCode::kUsage, fmt::format("--device {}: want auto, emulated, hip, hip:N or all", args.device));
  }

  const auto instances = conformance::select_instances({args.builtin, args.modifiers, *shard});
  if (!instances) return fail(ExitCode::kUsage, instances.error());
  if (instances->empty()) {
    return fail(ExitCode::kNoVerdict, fmt::format("shard {} holds none of the selected instances: nothing to run", args.shard));
  }

  const auto profile = profile_or_default(args.profile);
  if (!profile) return fail(ExitCode::kUsage, profile.error());
  const auto device_profile = args.device_profile.empty() ? profile : profile_or_default(args.device_profile);
  if (!device_profile) return fail(ExitCode::kUsage, device_profile.error());
  for (const NamedProfile* p : {&*profile, &*device_profile}) {
    if (const std::string missing = conformance::unusable_profile(p->profile, *instances); !missing.empty()) {
      return fail(ExitCode::kUsage, missing);
    }
  }

  auto opened = open_compilers(args);
  if (!opened) return fail(ExitCode::kNoVerdict, opened.error());

  auto device = devices::make_emulated_device(device_profile->profile, builtins_of(*instances), {.reading = args.reading, .fault = {}});
  if (!device) return fail(ExitCode::kUsage, device.error());
  if (args.device == "auto" && !args.quiet) {
    fmt::print(stderr, "mfma-conform: no gfx950 is looked for in this version: running on the EMULATED device\n");
  }

  Progress progress(!args.quiet);
  conformance::RunOptions options;
  options.instances = *instances;
  options.compilers = *std::move(opened);
  options.levels = args.levels;
  options.device = device->get();
  options.profile = profile->profile;
  options.device_runs_profile = args.device_profile.empty();
  options.reading = args.reading;
  options.seed = args.seed;
  options.cases_per_instance = args.cases ? args.cases : conformance::cases_per_instance(args.tier);
  options.jobs = args.jobs;
  options.progress = [&](std::size_t done, std::size_t of) { progress.show(done, of); };

  reports::RunReport report = conformance::run(options);
  report.tool_version = kVersion;
  report.command = command_line;
  report.profile_name = profile->profile.name;
  report.profile_source = profile->source;
  report.device_profile_name = device_profile->profile.name;
  report.device_profile_source = device_profile->source;
  report.tier = name_in(kTierNames, args.tier);
  report.modifiers = name_in(kModifierNames, args.modifiers);
  report.shard_index = shard->index + 1;
  report.shard_count = shard->count;

  const bool colour = isatty(STDOUT_FILENO) != 0 && !std::getenv("NO_COLOR");
  if (!args.quiet) fmt::print("{}", reports::to_terminal(report, {.colour = colour, .verbose = args.verbose}));
  if (!args.json.empty()) {
    if (const auto written = reports::write_json(report, args.json); !written) {
      // The verdict stands, but whoever asked for the file must not think that it is there.
      const ExitCode code = report.exit_code() == ExitCode::kPass ? ExitCode::kNoVerdict : report.exit_code();
      return fail(code, written.error());
    }
  }
  return static_cast<int>(report.exit_code());
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
  command->add_option("--opt", args->levels, "Optimisation levels")->delimiter(',')->type_name("LEVEL,...")->default_str("O0,O2");
  command->add_option("--device", args->device, "Device: auto, emulated, hip, hip:N or all")
      ->type_name("DEVICE")->capture_default_str();
  command->add_option("--profile", args->profile, "Arithmetic profile of the oracle (default: built in, gfx950-candidate)")
      ->type_name("FILE");
  command->add_option("--device-profile", args->device_profile,
                      "Profile that the emulated device computes by (default: the oracle's)")->type_name("FILE");
  add_choice(command, "--cbsz-reading", args->reading, kReadingNames,
             "What cbsz below log2(blocks) broadcasts: two published readings, see docs/discrepancies.md");
  add_choice(command, "--tier", args->tier, kTierNames, "How many cases: 12, 300, 3000 or 30000 per instance");
  command->add_option("--cases", args->cases, "Cases per instance, in place of the tier's")
      ->type_name("N")->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000}).description(""));
  command->add_option("--seed", args->seed, "Seed of the operands")->type_name("N")->capture_default_str()->check(CLI::Validator(CLI::NonNegativeNumber).description(""));
  command->add_option("--shard", args->shard, "Run part I of N (default: GTEST_SHARD_INDEX and GTEST_TOTAL_SHARDS)")
      ->type_name("I/N");
  command->add_option("--jobs", args->jobs, "Threads (default: one per core)")->type_name("N")->check(CLI::Range(1, 1024).description(""));
  command->add_option("--json", args->json, "Write the whole report as JSON")->type_name("FILE");
  command->add_flag("--no-cache", args->no_cache, "Compile everything anew; do not touch the cache of code objects");
  command->add_flag("-v,--verbose", args->verbose, "More about each builtin");
  command->add_flag("-q,--quiet", args->quiet, "Nothing on the terminal but errors");
  command->callback([args, &invocation] {
    invocation.action = [args, &invocation] { return run(*args, invocation.command_line); };
  });
}

}  // namespace mfma::cli
