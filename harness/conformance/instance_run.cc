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

// Cases to a launch: enough to spread its cost over, few enough to keep the operands of a long tier out of memory.
constexpr std::uint64_t kCasesPerLaunch = 32;

// Everything about one instance that does not depend on the compiler.
struct Prepared {
  const RunOptions& options;
  const catalogue::Instance& instance;
  const oracles::ProfileRule& rule;
  OracleView view;

  // Model-dependent bits gate where the rule is confirmed or the device computes by the same profile.
  bool model_gates() const {
    return options.device_runs_profile || rule.status == oracles::RuleStatus::kConfirmed;
  }
};

// Cases first, first + 1, ... with what the oracle expects of them.
struct Chunk {
  std::uint64_t first = 0;
  std::vector<cases::Case> cases;
  std::vector<oracles::DenseResult> expected;
};

Chunk draw_chunk(const Prepared& p, std::uint64_t first) {
  Chunk chunk;
  chunk.first = first;
  const std::uint64_t end = std::min(first + kCasesPerLaunch, p.options.cases_per_instance);
  for (std::uint64_t index = first; index < end; ++index) {
    chunk.cases.push_back(cases::make_case(p.instance, p.options.seed, index));
    chunk.expected.push_back(p.view.expected(chunk.cases.back()));
  }
  return chunk;
}

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

// One kernel over all chunks: what it has come to so far.
class KernelRun {
 public:
  KernelRun(const Prepared& p, const KernelUnderTest& kernel, InstanceResult& result)
      : p_(p), kernel_(kernel), result_(result) {
    judge_compile();
  }

  void run(const Chunk& chunk) {
    if (stopped_) return;
    const devices::LaunchOutcome outcome = kernel_.module->run(kernels::kernel_name(p_.instance), chunk.cases);
    if (outcome.status != devices::LaunchStatus::kCompleted) {
      add(new_finding(p_, kernel_, outcome.status == devices::LaunchStatus::kHang ? FindingKind::kHang
                                                                                  : FindingKind::kUnsupportedInstruction,
                      outcome.message));
      stopped_ = true;
      return;
    }
    for (std::size_t i = 0; i < chunk.cases.size(); ++i) {
      compare(chunk.first + i, chunk.cases[i], chunk.expected[i],
              catalogue::read_elements(p_.view.d_layout(), outcome.d[i]));
    }
  }

  // Adds what only the last chunk makes known.
  void finish() {
    if (cases_run_) ++result_.counts.executions;
    if (wrong_) {
      wrong_->message = fmt::format("{} output elements differ from the oracle in {} of {} cases",
                                    wrong_->elements_differing, wrong_->cases_affected, cases_run_);
      add(*std::move(wrong_));
    }
    result_.verdict = worse(result_.verdict, verdict_);
  }

 private:
  void add(Finding f) {
    verdict_ = worse(verdict_, reports::verdict_of(f.kind));
    result_.findings.push_back(std::move(f));
  }

  void judge_compile() {
    const compilers::Compiled& compiled = *kernel_.compiled;
    if (compiled.outcome != compilers::Outcome::kOk) {
      Finding f = new_finding(p_, kernel_, FindingKind::kCompileRejected,
                              fmt::format("the compiler did not compile this instance: {} (exit status {})",
                                          compilers::name_of(compiled.outcome), compiled.exit_status));
      f.log = compiled.log;
      add(std::move(f));
      stopped_ = true;
      return;
    }
    if (kernel_.unexplained) {
      Finding f = new_finding(p_, kernel_, FindingKind::kBatchFailure,
                              fmt::format("a translation unit with this kernel failed ({}), yet each of its kernels "
                                          "compiles alone",
                                          compilers::name_of(kernel_.unexplained->outcome)));
      f.log = kernel_.unexplained->log;
      add(std::move(f));
    }
    if (!kernel_.module) {
      add(new_finding(p_, kernel_, FindingKind::kObjectRefused, kernel_.refused));
      stopped_ = true;
      return;
    }
    if (!kernel_.wrong_instruction.empty()) {
      add(new_finding(p_, kernel_, FindingKind::kWrongInstruction, kernel_.wrong_instruction));
    }
  }

  void compare(std::uint64_t index, const cases::Case& c, const oracles::DenseResult& expected,
               const std::vector<std::uint64_t>& actual) {
    const Comparison compared = p_.view.compare(expected, actual);
    reports::Counts& counts = result_.counts;
    ++cases_run_;
    counts.cases += 1;
    if (is_unsettled(p_.instance)) ++counts.unsettled_cases;
    counts.elements += compared.elements;
    counts.exact += compared.exact;
    counts.model_dependent += compared.elements - compared.exact;
    std::vector<std::size_t> gating;
    for (const std::size_t element : compared.differing) {
      if (expected.exact[element] || p_.model_gates()) gating.push_back(element);
    }
    counts.unconfirmed += compared.differing.size() - gating.size();
    counts.differing += gating.size();
    if (gating.empty()) return;
    if (!wrong_) {
      wrong_ = new_finding(p_, kernel_, FindingKind::kWrongBits, {});
      wrong_->case_id = cases::case_id(p_.instance, p_.options.seed, index);
      wrong_->operand_class = c.operand_class;
      for (std::size_t i = 0; i < std::min(gating.size(), kDifferencesShown); ++i) {
        wrong_->differences.push_back(difference(p_, gating[i], expected, actual[gating[i]]));
      }
    }
    wrong_->cases_affected += 1;
    wrong_->elements_differing += gating.size();
  }

  const Prepared& p_;
  const KernelUnderTest& kernel_;
  InstanceResult& result_;
  Verdict verdict_ = Verdict::kPass;
  bool stopped_ = false;  // nothing more can be learnt from this kernel
  std::uint64_t cases_run_ = 0;
  std::optional<Finding> wrong_;
};

}  // namespace

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

InstanceResult run_instance(const RunOptions& options, const catalogue::Instance& instance,
                            const std::vector<KernelUnderTest>& kernels) {
  const oracles::ProfileRule* rule = rule_of(options.profile, instance);
  const Prepared p{options, instance, *rule, OracleView(instance, rule->model, options.reading, options.alterations)};
  InstanceResult result;
  result.verdict = Verdict::kPass;
  std::vector<KernelRun> runs;
  for (const KernelUnderTest& kernel : kernels) runs.emplace_back(p, kernel, result);
  for (std::uint64_t first = 0; first < options.cases_per_instance; first += kCasesPerLaunch) {
    const Chunk chunk = draw_chunk(p, first);
    for (KernelRun& run : runs) run.run(chunk);
  }
  for (KernelRun& run : runs) run.finish();
  return result;
}

}  // namespace mfma::conformance
