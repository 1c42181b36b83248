// Runs the unmodified program with the test double, or another library, in the place of the HIP runtime.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/cli/program.h"
#include "tests/hip_double/faults.h"

namespace mfma::hip_double::testing {

using Json = nlohmann::json;
using cli::testing::scratch;

struct DoubleRun {
  cli::testing::Ran ran;
  Json report;  // null: none was written
  double seconds = 0;
  std::set<std::size_t> struck = {};  // the faults that did, by their place in Setting::faults
};

struct Setting {
  std::string faults = {};
  std::string library = std::string(MFMA_HIP_DOUBLES) + "/whole";  // folder with libamdhip64.so.7
  std::string device = "hip";
  std::string levels = "O2";
  std::string arguments = {};
  double timeout = 2;  // --launch-timeout
  int in_flight = 1;   // a launch at a time: which one a fault strikes is then known
};

inline constexpr int kCases = 96;  // three launches of 32

// One instance.
inline std::string kSmall = fmt::format(
    "--builtin mfma_f32_16x16x4f32 --modifiers none --properties none --shape single --no-shrink --cases {}", kCases);

// The faults of `text` that struck, by the double's own counters: how often the place of each was passed.
inline std::set<std::size_t> struck(const std::string& text, const std::filesystem::path& state) {
  std::set<std::size_t> numbers;
  const std::vector<Fault> faults = parse_faults(text);
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const Fault& f = faults[i];
    std::uint64_t passed = 0;
    std::ifstream(state / fmt::format("{}-{}", f.kind, i)) >> passed;
    if (passed >= (f.at != 0 ? f.at : f.every != 0 ? f.every : 1)) numbers.insert(i);
  }
  return numbers;
}

inline DoubleRun run_with_double(const Setting& s) {
  static int number = 0;
  const std::filesystem::path state = scratch() / fmt::format("state{}", ++number);
  const std::filesystem::path json = scratch() / fmt::format("report{}.json", number);
  std::filesystem::create_directories(state);
  // `program` puts the arguments last; the variables go to the whole test process, one test at a time.
  setenv("LD_LIBRARY_PATH", s.library.c_str(), 1);
  setenv("MFMA_HIP_DOUBLE_FAULTS", s.faults.c_str(), 1);
  setenv("MFMA_HIP_DOUBLE_STATE", state.c_str(), 1);
  const auto begin = std::chrono::steady_clock::now();
  DoubleRun result;
  result.ran = cli::testing::program(
      fmt::format("run --device {} --opt {} {} --cases-per-launch 32 --in-flight {} --launch-timeout {} "
                  "--json {} {}",
                  s.device, s.levels, kSmall, s.in_flight, s.timeout, json.string(), s.arguments));
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (const char* name : {"LD_LIBRARY_PATH", "MFMA_HIP_DOUBLE_FAULTS", "MFMA_HIP_DOUBLE_STATE"}) unsetenv(name);
  if (std::filesystem::exists(json)) result.report = Json::parse(cli::testing::slurp(json));
  result.struck = struck(s.faults, state);
  std::filesystem::remove_all(state);
  return result;
}

// Any command of the program with the double in place.
inline cli::testing::Ran command_with_double(const std::string& faults, const std::string& arguments) {
  static int number = 0;
  const std::filesystem::path state = scratch() / fmt::format("command-state{}", ++number);
  std::filesystem::create_directories(state);
  setenv("LD_LIBRARY_PATH", fmt::format("{}/whole", MFMA_HIP_DOUBLES).c_str(), 1);
  setenv("MFMA_HIP_DOUBLE_FAULTS", faults.c_str(), 1);
  setenv("MFMA_HIP_DOUBLE_STATE", state.c_str(), 1);
  const cli::testing::Ran ran = cli::testing::program(arguments);
  for (const char* name : {"LD_LIBRARY_PATH", "MFMA_HIP_DOUBLE_FAULTS", "MFMA_HIP_DOUBLE_STATE"}) unsetenv(name);
  std::filesystem::remove_all(state);
  return ran;
}

inline std::uint64_t count(const Json& report, const char* name) {
  return report["totals"]["counts"][name].get<std::uint64_t>();
}

inline std::string codes(const Json& report) {
  std::string all;
  for (const Json& f : report["findings"]) {
    if (!all.empty()) all += ',';
    all += f["code"].get<std::string>();
  }
  return all;
}

}  // namespace mfma::hip_double::testing
