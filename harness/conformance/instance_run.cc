#include "harness/conformance/instance_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "harness/cases/operands.h"
#include "harness/conformance/plan.h"

namespace mfma::conformance {
namespace {

using reports::Finding;
using reports::FindingKind;
using reports::Verdict;

constexpr std::size_t kDifferencesShown = 4;

bool is_unsettled(const catalogue::Instance& i) {
  return catalogue::rests_on_unsettled_broadcast(i) || catalogue::rests_on_unsettled_blgp(i);
}

// Worst first: fail, hang, inconclusive, pass.
Verdict worse(Verdict x, Verdict y) {
  const auto rank = [](Verdict v) {
    switch (v) {
      case Verdict::kFail:
        return 3;
      case Verdict::kHang:
        return 2;
      case Verdict::kInconclusive:
        return 1;
      case Verdict::kPass:
        break;
    }
    return 0;
  };
  return rank(x) >= rank(y) ? x : y;
}

// Everything about one instance that does not depend on the compiler.
struct Prepared {
  const RunOptions& options;
  const catalogue::Instance& instance;
  const oracles::ProfileRule& rule;
  OracleView view;
  std::vector<cases::Case> cases;
  std::vector<oracles::DenseResult> expected;

  // Model-dependent bits gate where the rule is confirmed or the device computes by the same profile.
  bool model_gates() const {
    return options.device_runs_profile || rule.status == oracles::RuleStatus::kConfirmed;
  }
};

Finding new_finding(const Prepared& p, const KernelUnderTest& kernel, FindingKind kind, std::string message) {
  Finding f;
  f.kind = kind;
  f.builtin = p.instance.builtin->name;
  f.instance = catalogue::instance_id(p.instance);
  f.compiler = kernel.compiler->identity().path.string();
  f.level = kernel.level;
  f.device = p.options.device->info().id;
  f.message = std::move(message);
  f.unsettled = is_unsettled(p.instance);
  return f;
}

reports::ElementDifference difference(const Prepared& p, std::size_t index, const oracles::DenseResult& expected,
                                      std::uint64_t actual) {
  const catalogue::Shape& s = p.instance.builtin->shape;
  const auto n = static_cast<std::size_t>(s.n);
  const auto m = static_cast<std::size_t>(s.m);
  const catalogue::Location& at = p.view.d_layout().locations()[index];
  reports::ElementDifference d;
  d.block = static_cast<int>(index / (m * n));
  d.row = static_cast<int>(index / n % m);
  d.column = static_cast<int>(index % n);
  d.lane = at.lane;
  d.bit = at.bit;
  d.width = at.width;
  d.expected = expected.d[index];
  d.actual = actual;
  d.exact = expected.exact[index] != 0;
  return d;
}

// Runs the cases with one kernel and adds what it finds to `result`.
Verdict run_kernel(const Prepared& p, const KernelUnderTest& kernel, InstanceResult& result) {
  if (kernel.compiled->outcome != compilers::Outcome::kOk) {
    Finding f = new_finding(p, kernel, FindingKind::kCompileRejected,
                            fmt::format("the compiler did not compile this instance: {} (exit status {})",
                                        compilers::name_of(kernel.compiled->outcome), kernel.compiled->exit_status));
    f.log = kernel.compiled->log;
    result.findings.push_back(std::move(f));
    return Verdict::kInconclusive;
  }
  if (!kernel.module) {
    result.findings.push_back(new_finding(p, kernel, FindingKind::kObjectRefused, kernel.refused));
    return Verdict::kInconclusive;
  }
  Verdict verdict = Verdict::kPass;
  if (kernel.unexplained) {
    Finding f = new_finding(p, kernel, FindingKind::kBatchFailure,
                            fmt::format("a translation unit with this kernel failed ({}), yet each of its kernels "
                                        "compiles alone",
                                        compilers::name_of(kernel.unexplained->outcome)));
    f.log = kernel.unexplained->log;
    result.findings.push_back(std::move(f));
    verdict = Verdict::kInconclusive;
  }
  if (!kernel.wrong_instruction.empty()) {
    result.findings.push_back(new_finding(p, kernel, FindingKind::kWrongInstruction, kernel.wrong_instruction));
    verdict = worse(verdict, Verdict::kFail);
  }
  const devices::LaunchOutcome outcome = kernel.module->run(kernels::kernel_name(p.instance), p.cases);
  if (outcome.status != devices::LaunchStatus::kCompleted) {
    const bool hang = outcome.status == devices::LaunchStatus::kHang;
    const FindingKind kind = hang ? FindingKind::kHang : FindingKind::kUnsupportedInstruction;
    result.findings.push_back(new_finding(p, kernel, kind, outcome.message));
    return worse(verdict, reports::verdict_of(kind));
  }

  reports::Counts& counts = result.counts;
  counts.executions += 1;
  std::optional<Finding> wrong;
  for (std::size_t i = 0; i < p.cases.size(); ++i) {
    const std::vector<std::uint64_t> actual = catalogue::read_elements(p.view.d_layout(), outcome.d[i]);
    const Comparison compared = p.view.compare(p.expected[i], actual);
    counts.cases += 1;
    if (is_unsettled(p.instance)) ++counts.unsettled_cases;
    counts.elements += compared.elements;
    counts.exact += compared.exact;
    counts.model_dependent += compared.elements - compared.exact;
    std::uint64_t gating = 0;
    for (const std::size_t index : compared.differing) {
      if (p.expected[i].exact[index] || p.model_gates()) {
        ++gating;
      } else {
        ++counts.unconfirmed;
      }
    }
    if (gating == 0) continue;
    counts.differing += gating;
    if (!wrong) {
      wrong = new_finding(p, kernel, FindingKind::kWrongBits, {});
      wrong->case_id = cases::case_id(p.instance, p.options.seed, i);
      wrong->operand_class = p.cases[i].operand_class;
      for (const std::size_t index : compared.differing) {
        if (wrong->differences.size() == kDifferencesShown) break;
        if (!p.expected[i].exact[index] && !p.model_gates()) continue;
        wrong->differences.push_back(difference(p, index, p.expected[i], actual[index]));
      }
    }
    wrong->cases_affected += 1;
    wrong->elements_differing += gating;
  }
  if (wrong) {
    wrong->message = fmt::format("{} output elements differ from the oracle in {} of {} cases", wrong->elements_differing,
                                 wrong->cases_affected, p.cases.size());
    result.findings.push_back(*std::move(wrong));
    verdict = Verdict::kFail;
  }
  return verdict;
}

}  // namespace

InstanceResult run_instance(const RunOptions& options, const catalogue::Instance& instance,
                            const std::vector<KernelUnderTest>& kernels) {
  const oracles::ProfileRule* rule = rule_of(options.profile, instance);
  Prepared p{options, instance, *rule, OracleView(instance, rule->model, options.reading, options.alterations), {}, {}};
  for (std::uint64_t index = 0; index < options.cases_per_instance; ++index) {
    p.cases.push_back(cases::make_case(instance, options.seed, index));
    p.expected.push_back(p.view.expected(p.cases.back()));
  }
  InstanceResult result;
  result.verdict = Verdict::kPass;
  for (const KernelUnderTest& kernel : kernels) result.verdict = worse(result.verdict, run_kernel(p, kernel, result));
  return result;
}

}  // namespace mfma::conformance
