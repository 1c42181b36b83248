// What `run` is asked for.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "harness/cli/commands/options.h"
#include "harness/cli/commands/outputs.h"
#include "harness/conformance/calls/plan.h"
#include "harness/conformance/execution/oracle_view.h"
#include "harness/devices/worker.h"
#include "harness/operands/operands.h"
#include "oracles/plain/dense.h"

namespace mfma::cli {

struct RunArguments {
  std::string builtin = "*";
  conformance::ModifierChoice modifiers = conformance::ModifierChoice::kAll;
  std::vector<std::string> compilers = {"clang-22"};
  std::string levels = "O0,O2";
  std::string device = "auto";
  std::string profile, device_profile;
  oracles::BroadcastReading reading = oracles::BroadcastReading::kPerSet;
  conformance::OracleChoice oracle = conformance::OracleChoice::kBatched;
  conformance::Tier tier = conformance::Tier::kQuick;
  std::string shape;
  std::uint64_t cases = 0;                              // 0: by tier
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
  Outputs outputs;
  std::string artifacts;
  std::string events, resume;
  std::vector<std::string> waivers;  // files
  double max_time = 0;               // seconds; 0: no bound
  bool no_shrink = false;
  bool no_cache = false;
};

extern const Words<conformance::ModifierChoice> kModifierNames;
extern const Words<conformance::Tier> kTierNames;

void add_run_options(CLI::App* command, RunArguments& args);

// "I/N" with I from 1 to N, as people count shards; without the option, the variables that GoogleTest's shards use.
tl::expected<conformance::Shard, std::string> parse_shard(const std::optional<std::string>& text);

}  // namespace mfma::cli
