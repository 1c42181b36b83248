// Runs of a few instances with the real compiler on the emulated device, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "harness/conformance/plan.h"
#include "harness/conformance/run.h"
#include "harness/devices/emulated.h"

namespace mfma::conformance::testing {

inline std::string compiler_under_test() {
  const char* chosen = std::getenv("MFMA_CLANG");
  return chosen ? chosen : "clang-22";
}

inline std::vector<catalogue::Instance> instances_of(const std::vector<std::string>& ids) {
  std::vector<catalogue::Instance> out;
  for (const std::string& id : ids) {
    auto parsed = catalogue::parse_instance(id);
    EXPECT_TRUE(parsed) << parsed.error();
    if (parsed) out.push_back(*parsed);
  }
  return out;
}

struct SmallRun {
  std::vector<catalogue::Instance> instances;
  gfx950::MatrixFault fault{};
  OracleAlterations alterations{};
  std::vector<std::string> levels = {"O2"};
  std::uint64_t cases = 8;
  std::uint64_t seed = 1;
  int jobs = 1;
  oracles::Profile profile = oracles::default_profile();  // of both sides
  std::string compiler = compiler_under_test();

  reports::RunReport operator()() const {
    auto opened =
        compilers::Compiler::open(compiler, "gfx950", compilers::Cache(compilers::Cache::default_directory()));
    EXPECT_TRUE(opened) << opened.error();
    if (!opened) return {};
    std::vector<const catalogue::Builtin*> used;
    for (const catalogue::Instance& i : instances) used.push_back(i.builtin);
    auto device = devices::make_emulated_device(
        profile, used, {.reading = oracles::BroadcastReading::kPerSet, .faults = gfx950::fault_everywhere(fault)});
    EXPECT_TRUE(device) << device.error();
    if (!device) return {};
    RunOptions options;
    options.instances = instances;
    options.compilers = {*opened};
    options.levels = levels;
    options.device = device->get();
    options.profile = profile;
    options.device_runs_profile = true;
    options.seed = seed;
    options.cases_per_instance = cases;
    options.jobs = jobs;
    options.alterations = alterations;
    return run(options);
  }
};

}  // namespace mfma::conformance::testing
