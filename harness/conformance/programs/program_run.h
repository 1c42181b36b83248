// Programs through compilers, levels and a device: every stored bit compared with the composed oracle, and what the
// compilers and levels gave with each other.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/conformance/calls/description.h"
#include "harness/conformance/execution/executor.h"
#include "harness/conformance/programs/program_oracle.h"
#include "harness/conformance/programs/program_plan.h"
#include "reports/model/report.h"

namespace mfma::conformance {

struct ProgramRunResult {
  std::vector<reports::UnitReport> units;  // RunReport::program_units
  std::vector<reports::Finding> findings;  // in plan order, then compiler and level
  std::string stopped;                     // RunReport::stopped
};

// How far failing programs are followed up: a compiler that fails everywhere must not cost hours.
struct ExaminationLimits {
  int programs = 6;  // tried with all compilers and at all levels, and reduced: the plan's first ones
  int tries = 80;    // programs compiled and run for one reduction
};

// Adds the programs as not run to a report, with the rules that the shapes' calls fall under.
void add_planned_programs(const RunDescription& run, const std::vector<PlannedProgram>& plan,
                          reports::RunReport& report);

// Of `run`: the subject (its levels are those of attribution: a program that fails is tried at all of them), seed,
// cases_per_program, jobs, done, record, stop. The profile has a rule for every instance of the plan. The verdicts and
// counts depend on subject and plan alone.
[[nodiscard]] ProgramRunResult run_programs(const RunDescription& run, const std::vector<PlannedProgram>& plan,
                                            const ExaminationLimits& limits = {});

// The first word that gates and differs.
struct ProgramDifference {
  std::uint64_t words = 0, cases = 0;  // how many differ, in how many cases
  std::uint64_t first_case = 0;        // index
  int trips = 0;
  std::vector<reports::ElementDifference> first;  // `block` is the output, memories after outputs
};

// What one compiled program came to, over all its launches.
struct JudgedProgram {
  std::optional<Refusal> broken;  // set when it was not run to its end
  reports::Counts counts;
  std::optional<ProgramDifference> difference;
  std::string wrong_instruction;  // Executor::wrong_opcodes
  std::uint64_t digest = 0;       // of all output bits, to compare runs with each other
};

// Cases of one program with what they must give, made once for all compilers and levels.
class ProgramCases {
 public:
  ProgramCases(const RunDescription& run, const kernels::Program& program);
  // `kernel` is one of the executor's.
  [[nodiscard]] JudgedProgram run(Executor& executor, const Kernel& kernel) const;
  [[nodiscard]] bool unsettled() const { return oracle_.unsettled(); }

 private:
  struct Batch {  // of one trip count
    devices::ProgramLaunch launch;
    std::vector<std::vector<ProgramValue>> expected;  // by case, then output
  };
  void compare(const Batch& batch, const std::vector<std::vector<std::uint32_t>>& actual, JudgedProgram& judged) const;

  const bool device_runs_profile_;
  const kernels::Program& program_;
  ProgramOracle oracle_;
  std::vector<Batch> batches_;
};

}  // namespace mfma::conformance
