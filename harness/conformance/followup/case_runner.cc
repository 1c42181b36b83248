#include "harness/conformance/followup/case_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "harness/kernels/asm_kernel.h"
#include "harness/kernels/kernel.h"

namespace mfma::conformance {
namespace {

kernels::Piece piece_of(const catalogue::Instance& instance, KernelForm form) {
  switch (form) {
    case KernelForm::kInlineAsm:
      return kernels::asm_piece_of(instance);
    case KernelForm::kAgpr:
      return kernels::piece_of(instance, kernels::RegisterForm::kAgpr);
    case KernelForm::kVgpr:
      return kernels::piece_of(instance, kernels::RegisterForm::kVgpr);
    case KernelForm::kBuiltin:
      break;
  }
  return kernels::piece_of(instance);
}

}  // namespace

// A kernel, with what its cases are judged by.
struct CaseRunner::Prepared {
  std::once_flag built;
  std::unique_ptr<Judge> judge;
  Kernel kernel;
  std::optional<Refusal> refusal;
  std::string wrong_instruction;
};

CaseRunner::CaseRunner(const Subject& subject, const compilers::Compiler& compiler, KernelForm form)
    : subject_(subject), compiler_(compiler), form_(form) {}
CaseRunner::~CaseRunner() = default;

CaseRunner::Prepared& CaseRunner::kernel_of(const catalogue::Instance& instance, const std::string& level) {
  Prepared* found = nullptr;
  {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<Prepared>& at = kernels_[{catalogue::instance_id(instance), level}];
    if (!at) at = std::make_unique<Prepared>();
    found = at.get();
  }
  std::call_once(found->built, [&] {
    found->judge = std::make_unique<Judge>(subject_, instance);
    Executor executor(subject_);
    found->kernel = executor.build(compiler_, level, piece_of(instance, form_));
    found->refusal =
        found->kernel.refusal(fmt::format("{} at -{} is not compiled", catalogue::instance_id(instance), level));
    if (!found->refusal) found->wrong_instruction = executor.wrong_instruction(found->kernel, instance);
  });
  return *found;
}

std::vector<Observation> CaseRunner::observe(const std::string& level, std::span<const cases::Case> cases) {
  std::vector<Observation> seen(cases.size());
  if (cases.empty()) return seen;
  const Prepared& with = kernel_of(cases.front().instance, level);
  devices::LaunchOutcome outcome;
  if (with.refusal) {
    outcome.status = devices::LaunchStatus::kInconclusive;
    outcome.message = with.refusal->message;
  } else {
    outcome = with.kernel.module->run(with.kernel.name, cases);
  }
  for (std::size_t i = 0; i < cases.size(); ++i) {
    seen[i] = observation_of(outcome);
    if (outcome.status != devices::LaunchStatus::kCompleted) continue;
    seen[i].expected = with.judge->expected(cases[i]);
    seen[i].judge(with.judge->judge(seen[i].expected, outcome.d[i]));
  }
  return seen;
}

Observation observation_of(const devices::LaunchOutcome& outcome) {
  Observation seen;
  seen.status = outcome.status;
  seen.message = outcome.message;
  for (const devices::WaitStateNote& note : outcome.wait_states) {
    if (note.is_error) seen.missing_waits.push_back(note.message);
  }
  return seen;
}

void Observation::judge(Judged judged) {
  actual = std::move(judged.actual);
  failing = std::move(judged.gating);
  unconfirmed = std::move(judged.unconfirmed);
}

std::string CaseRunner::wrong_instruction(const catalogue::Instance& instance, const std::string& level) {
  return kernel_of(instance, level).wrong_instruction;
}

oracles::DenseResult CaseRunner::expected(const cases::Case& c) const {
  return Judge(subject_, c.instance).expected(c);
}

std::uint64_t CaseRunner::nonzero_products(const cases::Case& c, std::size_t element) const {
  return OracleView(oracle_entry(subject_, c.instance)).nonzero_products(c, element);
}

Replay replay(CaseRunner& runner, const std::string& level, const cases::Case& c, std::uint64_t runs) {
  Replay result;
  std::optional<std::vector<std::uint64_t>> first;
  for (std::uint64_t run = 0; run < runs; ++run) {
    Observation seen = std::move(runner.observe(level, std::span(&c, 1)).at(0));
    ++result.label.runs;
    const bool completed = seen.status == devices::LaunchStatus::kCompleted;
    const bool worse =
        (seen.fails() && result.label.failed == 0) || (!completed && result.label.failed == 0 && result.conclusive);
    if (seen.fails()) ++result.label.failed;
    if (completed) {
      if (!first) first = seen.actual;
      result.stable &= *first == seen.actual;
    } else {
      result.conclusive = false;
    }
    const bool hangs = seen.status == devices::LaunchStatus::kHang || seen.status == devices::LaunchStatus::kLost;
    if (worse || run == 0) result.worst = std::move(seen);
    if (hangs) break;  // each would cost as long again
  }
  return result;
}

ReducedCase reduce_case(CaseRunner& runner, const cases::Case& c, const std::string& level,
                        std::span<const std::string> levels, const reduction::Budget& budget, std::uint64_t runs,
                        std::uint64_t attempts) {
  const reduction::Judge judge = [&](const catalogue::Instance&, const std::string& at,
                                     std::span<const cases::Case> cases) {
    // Where the failure comes and goes, one failure in `attempts` runs is enough.
    std::vector<bool> fails(cases.size(), false);
    for (std::uint64_t n = 0; n < attempts; ++n) {
      const std::vector<Observation> seen = runner.observe(at, cases);
      for (std::size_t i = 0; i < cases.size(); ++i) fails[i] = fails[i] || seen[i].fails();
    }
    return fails;
  };
  ReducedCase reduced;
  reduced.reduction = reduction::reduce({c, level}, levels, judge, budget);
  if (!reduced.reduction.reproduced) return reduced;
  cases::Case& smallest = reduced.reduction.smallest.c;
  if (!(smallest == c)) smallest.operand_class = "reduced";
  const std::string& at = reduced.reduction.smallest.level;
  Replay again = replay(runner, at, smallest, runs);
  reduced.file = case_file_of(runner.subject(), runner.compiler(), at, smallest);
  reduced.file.label = again.label;
  reduced.seen = std::move(again.worst);
  if (!reduced.seen.fails()) return reduced;  // intermittent, and gone again
  reduced.file.expected = reduced.seen.expected.d;
  reduced.file.actual = reduced.seen.actual;
  reduced.element = reduced.seen.failing.front();
  reduced.nonzero_products = runner.nonzero_products(smallest, reduced.element);
  return reduced;
}

}  // namespace mfma::conformance
