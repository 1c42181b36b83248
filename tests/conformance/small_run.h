// Runs of a few instances with the real compiler on the emulated device, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "harness/conformance/calls/plan.h"
#include "harness/conformance/run.h"
#include "harness/devices/emulated.h"
#include "tests/conformance/altered_oracle.h"

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
    RunDescription options;
    options.plan.instances = instances;
    options.subject.compilers = {*opened};
    options.subject.levels = levels;
    options.subject.device = device->get();
    options.subject.profile = profile;
    options.subject.device_runs_profile = true;
    options.plan.seed = seed;
    options.plan.cases_per_instance = cases;
    options.control.jobs = jobs;
    options.subject.oracle = std::make_shared<AlteredOracle>(alterations);
    return run(options);
  }
};

}  // namespace mfma::conformance::testing
