#include "harness/cli/commands/run_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "harness/cli/commands/levels.h"

namespace mfma::cli {

const Words<conformance::ModifierChoice> kModifierNames = {{"all", conformance::ModifierChoice::kAll},
                                                           {"default", conformance::ModifierChoice::kDefault},
                                                           {"none", conformance::ModifierChoice::kNone}};
const Words<conformance::Tier> kTierNames = {{"quick", conformance::Tier::kQuick},
                                             {"standard", conformance::Tier::kStandard},
                                             {"comprehensive", conformance::Tier::kComprehensive},
                                             {"full", conformance::Tier::kFull}};
namespace {

const Words<conformance::OracleChoice> kOracleNames = {{"plain", conformance::OracleChoice::kPlain},
                                                       {"batched", conformance::OracleChoice::kBatched}};

const Words<oracles::BroadcastReading> kReadingNames = {{"per-set", oracles::BroadcastReading::kPerSet},
                                                        {"whole-wave", oracles::BroadcastReading::kWholeWave}};

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

}  // namespace

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

void add_run_options(CLI::App* command, RunArguments& args) {
  command->add_option("--builtin", args.builtin, "Builtins to run: a name or a glob such as 'mfma_f32_*_f16'")
      ->type_name("GLOB")
      ->capture_default_str();
  add_choice(command, "--modifiers", args.modifiers, kModifierNames,
             "Which immediates: all legal ones, a set that has every value once, or none");
  command->add_option("--compiler", args.compilers, "Compilers under test, each a path or a name found in PATH")
      ->type_name("PATH...")
      ->capture_default_str();
  command->add_option("--opt", args.levels, "Some of " + compilers::levels_in_words() + ", with commas between")
      ->type_name("LEVELS")
      ->capture_default_str();
  command
      ->add_option("--device", args.device,
                   "auto (a gfx950 if there is one, else emulated), emulated, hip, hip:N or all (at once)")
      ->type_name("DEVICE")
      ->capture_default_str();
  command->add_flag("--isolate", args.isolate, "The emulated device in a worker process, as GPUs always are");
  command
      ->add_option("--start-timeout", args.start_timeout, "Seconds within which a worker process must have its device")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  command
      ->add_option("--launch-timeout", args.launch_timeout,
                   "Seconds after which a launch in a worker process is a hang, and the worker killed")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  add_file(command, "--profile", args.profile,
           "Arithmetic profile of the oracle (default: built in, gfx950-candidate)");
  add_file(command, "--device-profile", args.device_profile,
           "Profile that the emulated device computes by (default: the oracle's)");
  add_choice(command, "--cbsz-reading", args.reading, kReadingNames,
             "What cbsz below log2(blocks) broadcasts: two published readings, see docs/discrepancies.md");
  add_choice(command, "--oracle", args.oracle, kOracleNames,
             "Which oracle: the plain one is the definition, the batched one gives the same bits sooner");
  add_choice(command, "--tier", args.tier, kTierNames, "How many cases: 12, 300, 3000 or 30000 per instance");
  command
      ->add_option("--shape", args.shape,
                   "Program shapes: names with commas between, all, single (single calls alone) or random (--cases "
                   "programs); see 'list --shapes'. Default: single calls and a pairwise choice of all shapes")
      ->type_name("SHAPES");
  add_number<std::uint64_t>(command, "--cases", args.cases, 1, 1'000'000, "Cases per instance, in place of the tier's");
  add_number<std::uint64_t>(command, "--cases-per-launch", args.cases_per_launch, 1, 65'536,
                            "Cases to a launch (default: 32 on the emulated device, 1024 on a GPU)");
  add_number<std::size_t>(
      command, "--in-flight", args.in_flight, 1, devices::kMostInFlight,
      "Launches of a GPU under way at once; with 1 a crash is always that of the launch it is told of")
      ->default_str("2");
  add_number<std::uint64_t>(command, "--repeat", args.repeat, 1, 10'000,
                            "Launches of each case, which must all give the same bits")
      ->default_str("1");
  add_number<std::uint64_t>(command, "--soak", args.soak, 1, 31'536'000,
                            "Go on with the next seeds, round after round, for so many seconds (default: one round)")
      ->type_name("SECONDS");
  add_number<std::uint64_t>(command, "--seed", args.seed, 0, std::numeric_limits<std::uint64_t>::max(),
                            "Seed of the operands")
      ->default_str("1");
  command
      ->add_option_function<std::string>(
          "--operands", [&args](const std::string& text) { args.operand_classes = parse_classes("--operands", text); },
          "Only these operand classes, in turn; `list --operands` has them (default: all, by the case's index)")
      ->type_name("CLASS,...");
  command
      ->add_option("--properties", args.properties,
                   "Properties that no model may break, checked besides: all, none, or names with commas between "
                   "('list --properties' shows them)")
      ->type_name("LIST")
      ->capture_default_str();
  command->add_option("--shard", args.shard, "Run part I of N (default: GTEST_SHARD_INDEX and GTEST_TOTAL_SHARDS)")
      ->type_name("I/N");
  add_number(command, "--jobs", args.jobs, 1, 1024, "Threads (default: one per core)");
  add_output_options(command, args.outputs);
  add_file(command, "--events", args.events,
           "Write an event log, a JSON object to a line, as the run goes: what it had when it was killed");
  add_file(command, "--resume", args.resume,
           "Go on with the run that left this event log, given the same options: what it had is not run again");
  command
      ->add_option(
          "--max-time", args.max_time,
          "Seconds after which the run ends with what it has; every instance is touched before any is run in depth")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.1, 1e7));
  command
      ->add_option("--waivers", args.waivers,
                   "Files, or names of those that come with the program, of failures that are known and accepted for "
                   "now (docs/reports.md)")
      ->type_name("FILE...");
  add_file(command, "--artifacts", args.artifacts,
           "Leave a case file of every failure in this folder, for replay and minimize")
      ->type_name("DIR");
  command->add_flag("--no-shrink", args.no_shrink,
                    "Do not look for smaller failing cases (4 instances of a builtin at most)");
  command->add_flag("--no-cache", args.no_cache, "Compile everything anew; do not touch the cache of code objects");
}

}  // namespace mfma::cli
