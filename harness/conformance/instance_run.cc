#include "harness/conformance/instance_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "fuzz/operands/operands.h"
#include "harness/conformance/case_runner.h"
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
  OracleView view;

  bool model_gates() const { return conformance::model_gates(options, instance); }
};

// Some cases in a row, with what the oracle expects of them.
struct Chunk {
  std::vector<cases::Case> cases;
  std::vector<oracles::DenseResult> expected;
};

// Case number n of the run: dealt by its index, or of the classes that were asked for and apply, in turn. Each class
// then goes through its own indices, so that what it enumerates comes in order.
cases::Case draw_case(const Prepared& p, const std::vector<operands::OperandClass>& asked, std::uint64_t n) {
  if (asked.empty()) return operands::make_case(p.instance, p.options.seed, n);
  return operands::make_case(p.instance, p.options.seed, n / asked.size(), asked[n % asked.size()]);
}

Chunk draw_chunk(const Prepared& p, const std::vector<operands::OperandClass>& asked, std::uint64_t first) {
  Chunk chunk;
  const std::uint64_t end = std::min(first + kCasesPerLaunch, p.options.cases_per_instance);
  for (std::uint64_t index = first; index < end; ++index) {
    chunk.cases.push_back(draw_case(p, asked, index));
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

// One kernel over all chunks: what it has come to so far.
class KernelRun {
 public:
  KernelRun(const Prepared& p, const KernelUnderTest& kernel, InstanceResult& result)
      : p_(p), kernel_(kernel), result_(result) {
    judge_compile();
  }

  void run(const Chunk& chunk) {
    if (stopped_) {
      result_.counts.not_run += chunk.cases.size();
      return;
    }
    const devices::LaunchOutcome outcome = kernel_.module->run(kernels::kernel_name(p_.instance), chunk.cases);
    for (const devices::WaitStateNote& note : outcome.wait_states) keep(note, chunk);
    if (outcome.status != devices::LaunchStatus::kCompleted) {
      add(new_finding(p_, kernel_, kind_of(outcome.status), outcome.message));
      result_.counts.not_run += chunk.cases.size();
      stopped_ = true;
      return;
    }
    for (std::size_t i = 0; i < chunk.cases.size(); ++i) {
      compare(chunk.cases[i], chunk.expected[i],
              catalogue::read_elements(p_.view.d_layout(), outcome.d[i]));
    }
  }

  // Adds what only the last chunk makes known.
  void finish() {
    if (cases_run_) ++result_.counts.executions;
    for (std::optional<TooEarly>* found : {&errors_, &warnings_}) {
      if (!*found) continue;
      Finding& f = (*found)->finding;
      if ((*found)->messages.size() > 1) {
        f.message += fmt::format("; and {} more: {}", (*found)->messages.size() - 1, fmt::join((*found)->rules, ", "));
      }
      add(std::move(f));
    }
    if (wrong_) {
      wrong_->message = fmt::format("{} output elements differ from the oracle in {} of {} cases",
                                    wrong_->elements_differing, wrong_->cases_affected, cases_run_);
      replay_and_keep();
      add(*std::move(wrong_));
    }
    result_.verdict = worse(result_.verdict, verdict_);
  }

 private:
  void add(Finding f) {
    verdict_ = worse(verdict_, reports::verdict_of(f.kind));
    result_.findings.push_back(std::move(f));
  }

  // The first failing case again, in the object that it failed in. No run of it makes a pass of the finding.
  void replay_and_keep() {
    for (; wrong_->replays < p_.options.replays; ++wrong_->replays) {
      const devices::LaunchOutcome outcome = kernel_.module->run(kernels::kernel_name(p_.instance), {&failing_->c, 1});
      if (outcome.status != devices::LaunchStatus::kCompleted) continue;
      const std::vector<std::uint64_t> actual = catalogue::read_elements(p_.view.d_layout(), outcome.d[0]);
      const oracles::DenseResult expected = p_.view.expected(failing_->c);
      const std::vector<std::size_t> differing = p_.view.compare(expected, actual).differing;
      const bool fails = std::any_of(differing.begin(), differing.end(), [&](std::size_t element) {
        return expected.exact[element] || p_.model_gates();
      });
      if (fails) ++wrong_->replays_failed;
    }
    if (wrong_->replays > 0) failing_->label = cases::ReplayLabel{wrong_->replays_failed, wrong_->replays};
    keep(*wrong_, *failing_, case_file_name(*failing_));
  }

  void keep(Finding& finding, cases::CaseFile& file, const std::string& name) const {
    if (!p_.options.keep_case) return;
    file.comments.push_back(finding.message);
    finding.case_file = p_.options.keep_case(name, file);
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
      Finding f = new_finding(p_, kernel_, FindingKind::kWrongInstruction, kernel_.wrong_instruction);
      // Any operands will do; those of the first case that the id deals.
      cases::CaseFile file = case_file_of(p_.options, *kernel_.compiler, kernel_.level,
                                          operands::make_case(p_.instance, p_.options.seed, 0));
      keep(f, file, case_file_name(file) + ".instruction");
      add(std::move(f));
    }
  }

  void compare(const cases::Case& c, const oracles::DenseResult& expected,
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
      wrong_->case_id = cases::case_id(p_.instance, p_.options.seed, c.index);
      wrong_->operand_class = c.operand_class;
      for (std::size_t i = 0; i < std::min(gating.size(), kDifferencesShown); ++i) {
        wrong_->differences.push_back(element_difference(p_.instance, gating[i], expected, actual[gating[i]]));
      }
      failing_ = case_file_of(p_.options, *kernel_.compiler, kernel_.level, c);
      failing_->expected = expected.d;
      failing_->actual = actual;
    }
    wrong_->cases_affected += 1;
    wrong_->elements_differing += gating.size();
  }

  // What came too early in this kernel, as one finding: the first in full.
  struct TooEarly {
    Finding finding;
    std::set<std::string> messages, rules;
  };

  void keep(const devices::WaitStateNote& note, const Chunk& chunk) {
    std::optional<TooEarly>& found = note.is_error ? errors_ : warnings_;
    if (!found) {
      const FindingKind kind = note.is_error ? FindingKind::kMissingWaitState : FindingKind::kWaitStateWarning;
      found = {new_finding(p_, kernel_, kind, note.message), {}, {}};
      found->finding.case_id = cases::case_id(p_.instance, p_.options.seed, chunk.cases[0].index);
      found->finding.operand_class = chunk.cases[0].operand_class;
    }
    found->messages.insert(note.message);
    found->rules.insert(note.rule);
  }

  const Prepared& p_;
  const KernelUnderTest& kernel_;
  InstanceResult& result_;
  std::optional<TooEarly> errors_, warnings_;
  Verdict verdict_ = Verdict::kPass;
  bool stopped_ = false;  // nothing more can be learnt from this kernel
  std::uint64_t cases_run_ = 0;
  std::optional<Finding> wrong_;
  std::optional<cases::CaseFile> failing_;  // the case of wrong_
};

}  // namespace

FindingKind kind_of(devices::LaunchStatus status) {
  switch (status) {
    case devices::LaunchStatus::kHang:
      return FindingKind::kHang;
    case devices::LaunchStatus::kFault:
      return FindingKind::kDeviceFault;
    case devices::LaunchStatus::kLost:
      return FindingKind::kDeviceLost;
    case devices::LaunchStatus::kCompleted:
    case devices::LaunchStatus::kInconclusive:
      break;
  }
  return FindingKind::kUnsupportedInstruction;
}

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
  const Prepared p{options, instance, OracleView(instance, rule->model, options.reading, options.alterations)};
  InstanceResult result;
  result.verdict = Verdict::kPass;
  std::vector<KernelRun> runs;
  for (const KernelUnderTest& kernel : kernels) runs.emplace_back(p, kernel, result);
  std::vector<operands::OperandClass> asked;
  for (const operands::OperandClass cls : options.operand_classes) {
    if (operands::applies(instance, cls)) asked.push_back(cls);
  }
  for (std::uint64_t first = 0; first < options.cases_per_instance; first += kCasesPerLaunch) {
    const Chunk chunk = draw_chunk(p, asked, first);
    for (KernelRun& run : runs) run.run(chunk);
  }
  for (KernelRun& run : runs) run.finish();
  return result;
}

}  // namespace mfma::conformance
