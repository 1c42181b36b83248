// One program's cases: drawn and expected once, run and compared for each compiler and level.
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <set>

#include "harness/conformance/execution/instruction_check.h"
#include "harness/conformance/execution/judge.h"
#include "harness/conformance/programs/program_run.h"
#include "harness/gfx950/isa/decoder.h"
#include "harness/gfx950/object/code_object.h"

namespace mfma::conformance {
namespace {

// Compilers may merge equal calls and copy loops, so what is counted in single calls is a set here: each opcode that
// the program calls, and no other. Code behind a call instruction is not followed; programs with one are not checked.
std::string wrong_opcodes(const kernels::Program& program, const std::vector<std::byte>& object) {
  std::set<int> expected, found;
  for (const kernels::Op& op : program.ops) {
    if (op.form == kernels::CallForm::kNoinline) return {};
  }
  for (const catalogue::Instance& i : kernels::without_dead_code(program).instances())
    expected.insert(i.builtin->opcode);
  const auto parsed = gfx950::load_code_object(object);
  if (!parsed) return fmt::format("the code object cannot be read: {}", parsed.error());
  const auto products = matrix_products(**parsed, program.kernel_name());
  if (!products) return {};  // the device says so
  for (const gfx950::Instruction& i : *products) {
    if (!expected.count(i.opcode))
      return fmt::format("{} at {:#x}, which the program does not call", gfx950::render(i), i.pc);
    found.insert(i.opcode);
  }
  for (const int opcode : expected) {
    if (!found.count(opcode)) return fmt::format("no MFMA of opcode {} in the object, which the program calls", opcode);
  }
  return {};
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

JudgedProgram ProgramCases::run(const Kernel& kernel) const {
  JudgedProgram outcome;
  outcome.broken = kernel.refusal("the compiler did not compile this program");
  if (outcome.broken) return outcome;
  outcome.wrong_instruction = wrong_opcodes(program_, *kernel.compiled.object);
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
