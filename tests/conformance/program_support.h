// Programs of shapes with the real compiler on the emulated device, for tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "harness/conformance/programs/program_run.h"
#include "tests/conformance/small_run.h"

namespace mfma::conformance::testing {

struct ProgramsRun {
  std::vector<PlannedProgram> plan;
  std::string compiler = compiler_under_test();
  bool cached = true;
  gfx950::MatrixFault fault{};
  OracleAlterations alterations{};
  std::vector<std::string> levels = {"O0", "O2"};
  std::uint64_t cases = 2;
  oracles::Profile device_profile = oracles::default_profile();
  ExaminationLimits limits{1, 4};  // most tests do not look at what is reduced

  ProgramRunResult operator()() const {
    std::optional<compilers::Cache> cache;
    if (cached) cache.emplace(compilers::Cache::default_directory());
    auto opened = compilers::Compiler::open(compiler, "gfx950", cache);
    EXPECT_TRUE(opened) << opened.error();
    std::vector<const catalogue::Builtin*> used;
    for (const catalogue::Builtin& b : catalogue::builtins()) used.push_back(&b);
    auto device = devices::make_emulated_device(
        device_profile, used,
        {.reading = oracles::BroadcastReading::kPerSet, .faults = gfx950::fault_everywhere(fault)});
    EXPECT_TRUE(device) << device.error();
    if (!opened || !device) return {};
    RunDescription options;
    options.subject.compilers = {*opened};
    options.subject.levels = levels;
    options.subject.device = device->get();
    options.subject.profile = oracles::default_profile();
    options.subject.device_runs_profile = device_profile.name == options.subject.profile.name;
    options.plan.seed = 1;
    options.plan.cases_per_program = cases;
    options.control.jobs = 1;
    options.subject.oracle = std::make_shared<AlteredOracle>(alterations);
    return run_programs(options, plan, limits);
  }
};

// Every program of the shape for the instances.
inline std::vector<PlannedProgram> programs_of(const std::string& shape, const std::vector<std::string>& ids,
                                               const std::vector<std::string>& levels = {"O0", "O2"}) {
  const kernels::Shape* found = kernels::find_shape(shape);
  EXPECT_NE(found, nullptr) << shape;
  if (!found) return {};
  return plan_programs({{found}, instances_of(ids), levels, Coverage::kFull, 1});
}

inline reports::RunReport report_of(ProgramRunResult ran) {
  reports::RunReport report;
  report.program_units = std::move(ran.units);
  summarize(report);
  report.findings = std::move(ran.findings);
  return report;
}

}  // namespace mfma::conformance::testing
