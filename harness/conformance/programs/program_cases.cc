// One program's cases: drawn and expected once, run and compared for each compiler and level.
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <set>

#include "harness/conformance/execution/judge.h"
#include "harness/conformance/programs/program_run.h"

namespace mfma::conformance {
namespace {

// What must stand in the program's kernel; nothing where calls hide some of it.
std::set<int> opcodes_of(const kernels::Program& program) {
  std::set<int> opcodes;
  for (const kernels::Op& op : program.ops) {
    if (op.form == kernels::CallForm::kNoinline) return {};
  }
  for (const catalogue::Instance& i : kernels::without_dead_code(program).instances())
    opcodes.insert(i.builtin->opcode);
  return opcodes;
}

}  // namespace

ProgramCases::ProgramCases(const RunDescription& run, const kernels::Program& program)
    : device_runs_profile_(run.subject.device_runs_profile),
      program_(program),
      oracle_(program, run.subject.profile, run.subject.reading, *run.subject.oracle) {
  const std::uint64_t cases = run.plan.cases_per_program;
  const std::vector<std::size_t> sizes = oracle_.sizes();
  for (const int trips : program.trip_counts) {
    Batch batch;
    batch.launch.cases = static_cast<std::uint32_t>(cases);
    batch.launch.trips = static_cast<std::uint32_t>(trips);
    batch.launch.inputs.resize(program.inputs.size());
    for (const std::size_t size : sizes) batch.launch.outputs.push_back(size * cases);
    for (std::uint64_t index = 0; index < cases; ++index) {
      const ProgramInputs drawn = draw_inputs(program, run.plan.seed, index, trips);
      for (std::size_t k = 0; k < drawn.images.size(); ++k) {
        for (const catalogue::RegisterImage& image : drawn.images[k]) {
          std::vector<std::uint32_t>& input = batch.launch.inputs[k];
          input.insert(input.end(), image.dwords.begin(), image.dwords.end());
        }
      }
      batch.expected.push_back(oracle_.evaluate(drawn, trips));
    }
    batches_.push_back(std::move(batch));
  }
}

JudgedProgram ProgramCases::run(Executor& executor, const Kernel& kernel) const {
  JudgedProgram outcome;
  outcome.broken = kernel.refusal("the compiler did not compile this program");
  if (outcome.broken) return outcome;
  if (const std::set<int> opcodes = opcodes_of(program_); !opcodes.empty()) {
    outcome.wrong_instruction = executor.wrong_opcodes(kernel, opcodes);
  }
  for (const Batch& batch : batches_) {
    const devices::LaunchOutcome ran = kernel.module->run_program(kernel.name, batch.launch);
    if (ran.status != devices::LaunchStatus::kCompleted) {
      outcome.broken = Refusal{kind_of(ran.status), ran.message, {}};
      return outcome;
    }
    for (const std::vector<std::uint32_t>& output : ran.outputs) {
      outcome.digest = XXH3_64bits_withSeed(output.data(), output.size() * sizeof(std::uint32_t), outcome.digest);
    }
    compare(batch, ran.outputs, outcome);
  }
  outcome.counts.executions = 1;
  return outcome;
}

void ProgramCases::compare(const Batch& batch, const std::vector<std::vector<std::uint32_t>>& actual,
                           JudgedProgram& outcome) const {
  const bool model_gates = device_runs_profile_ || oracle_.confirmed();
  reports::Counts& counts = outcome.counts;
  for (std::size_t index = 0; index < batch.expected.size(); ++index) {
    std::uint64_t gating = 0;
    std::vector<reports::ElementDifference> first;
    for (std::size_t k = 0; k < batch.expected[index].size(); ++k) {
      const ProgramValue& want = batch.expected[index][k];
      const std::size_t size = want.image.dwords.size();
      const auto registers = static_cast<std::size_t>(want.image.registers);
      counts.elements += size;
      for (std::size_t i = 0; i < size; ++i) {
        const bool exact = want.exact[i] != 0;
        (exact ? counts.exact : counts.model_dependent) += 1;
        const std::uint32_t is = actual[k][index * size + i];
        if (is == want.image.dwords[i]) continue;
        if (!exact && !model_gates) {
          ++counts.unconfirmed;
          continue;
        }
        ++gating;
        if (first.size() >= kDifferencesShown) continue;
        reports::ElementDifference& d = first.emplace_back();
        d.block = static_cast<int>(k);
        d.lane = static_cast<int>(i / registers);
        d.bit = static_cast<int>(i % registers) * 32;
        d.width = 32;
        d.expected = want.image.dwords[i];
        d.actual = is;
        d.exact = exact;
      }
    }
    counts.cases += 1;
    if (oracle_.unsettled()) ++counts.unsettled_cases;
    counts.differing += gating;
    if (gating == 0) continue;
    if (!outcome.difference) {
      outcome.difference = ProgramDifference{0, 0, index, static_cast<int>(batch.launch.trips), std::move(first)};
    }
    outcome.difference->words += gating;
    outcome.difference->cases += 1;
  }
}

}  // namespace mfma::conformance
