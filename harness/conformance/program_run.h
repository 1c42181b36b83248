// Programs through compilers, levels and a device: every stored bit compared with the composed oracle, and what the
// compilers and levels gave with each other.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/conformance/program_oracle.h"
#include "harness/conformance/program_plan.h"
#include "harness/conformance/run.h"
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
void add_planned_programs(const RunOptions& options, const std::vector<PlannedProgram>& plan,
                          reports::RunReport& report);

// Of `options`: compilers, levels (of attribution: a program that fails is tried at all of them), device, profile,
// seed, cases_per_instance (per trip count of a program), jobs, done, record, stop, alterations. The profile has a rule
// for every instance of the plan. The verdicts and counts depend on options and plan alone.
ProgramRunResult run_programs(const RunOptions& options, const std::vector<PlannedProgram>& plan,
                              const ExaminationLimits& limits = {});

// The first word that gates and differs.
struct ProgramDifference {
  std::uint64_t words = 0, cases = 0;  // how many differ, in how many cases
  std::uint64_t first_case = 0;        // index
  int trips = 0;
  std::vector<reports::ElementDifference> first;  // `block` is the output, memories after outputs
};

// What one compiled program came to.
struct ProgramOutcome {
  std::optional<reports::FindingKind> broken;  // set when it was not run to its end
  std::string message, log;                    // of that
  reports::Counts counts;
  std::optional<ProgramDifference> difference;
  std::string wrong_instruction;  // as InstructionCheck::check, for programs
  std::uint64_t digest = 0;       // of all output bits, to compare runs with each other
};

// Cases of one program with what they must give, made once for all compilers and levels.
class ProgramCases {
 public:
  ProgramCases(const RunOptions& options, const kernels::Program& program);
  ProgramOutcome run(const compilers::Compiled& compiled, devices::Module* module, const std::string& refused) const;
  bool unsettled() const { return oracle_.unsettled(); }

 private:
  struct Batch {  // of one trip count
    devices::ProgramLaunch launch;
    std::vector<std::vector<ProgramValue>> expected;  // by case, then output
  };
  void compare(const Batch& batch, const std::vector<std::vector<std::uint32_t>>& actual,
               ProgramOutcome& outcome) const;

  const RunOptions& options_;
  const kernels::Program& program_;
  ProgramOracle oracle_;
  std::vector<Batch> batches_;
};

}  // namespace mfma::conformance
