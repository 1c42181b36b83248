#include "harness/conformance/calls/instance_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <xxhash.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "harness/conformance/execution/case_record.h"
#include "harness/conformance/execution/judge.h"
#include "harness/operands/operands.h"
#include "harness/system/parallel.h"

namespace mfma::conformance {
namespace {

using reports::Finding;
using reports::FindingKind;
using reports::Verdict;

bool is_unsettled(const catalogue::Instance& i) {
  return catalogue::rests_on_unsettled_broadcast(i) || catalogue::rests_on_unsettled_blgp(i);
}

}  // namespace

// Everything about one instance that does not depend on the compiler.
struct InstanceRun::Prepared {
  Prepared(const RunDescription& run, const catalogue::Instance& of)
      : subject(run.subject), plan(run.plan), control(run.control), instance(of), judge(run.subject, of) {
    for (const operands::OperandClass cls : plan.operand_classes) {
      if (operands::applies(instance, cls)) asked.push_back(cls);
    }
  }

  std::uint64_t cases_per_launch() const {
    return plan.cases_per_launch ? plan.cases_per_launch : subject.device->cases_per_launch();
  }
  // Case number n of the run: dealt by its index, or of the classes that were asked for and apply, in turn. Each class
  // then goes through its own indices, so that what it enumerates comes in order.
  cases::Case draw(std::uint64_t n) const {
    if (asked.empty()) return operands::make_case(instance, plan.seed, n);
    return operands::make_case(instance, plan.seed, n / asked.size(), asked[n % asked.size()]);
  }
  Finding new_finding(const CallKernel& call, FindingKind kind, std::string message) const {
    Finding f = finding_of_call(subject, call.kernel, instance, kind, std::move(message));
    f.unsettled = is_unsettled(instance);
    return f;
  }

  const Subject& subject;
  const RunPlan& plan;
  const RunControl& control;
  const catalogue::Instance& instance;
  Judge judge;
  std::vector<operands::OperandClass> asked;
};

// Some cases in a row, with what the oracle expects of them.
struct InstanceRun::Chunk {
  std::vector<cases::Case> cases;
  std::vector<oracles::DenseResult> expected;
};

std::shared_ptr<const InstanceRun::Chunk> InstanceRun::draw_chunk(std::uint64_t end) const {
  const std::uint64_t size = std::min(prepared_->cases_per_launch(), end - reached_);
  auto chunk = std::make_shared<Chunk>();
  chunk->cases.resize(size);
  chunk->expected.resize(size);
  system::in_parallel_within(size, [&](std::size_t i) {
    chunk->cases[i] = prepared_->draw(reached_ + i);
    chunk->expected[i] = prepared_->judge.expected(chunk->cases[i]);
  });
  return chunk;
}

// One kernel over all chunks: what it has come to so far.
class InstanceRun::KernelRun {
 public:
  KernelRun(const Prepared& p, const CallKernel& call) : p_(p), call_(call), kernel_(call.kernel) { judge_compile(); }

  // Submits the chunk's launches, and takes the results of the launch before each.
  void run(const std::shared_ptr<const Chunk>& chunk) {
    for (std::uint64_t repeat = 0; repeat < p_.plan.repeats; ++repeat) {
      if (!stopped_) {
        UnderWay next{chunk, repeat, kernel_.module->submit(kernel_.name, chunk->cases)};
        collect();
        if (!stopped_) {
          under_way_ = std::move(next);
          continue;
        }
      }
      if (repeat == 0) counts_.not_run += chunk->cases.size();  // else they have run before
      return;
    }
  }

  // Adds what has come out so far to the instance's result.
  void add_to(reports::UnitResult& result) {
    collect();
    std::vector<Finding> findings = findings_;
    for (const std::optional<TooEarly>* found : {&errors_, &warnings_}) {
      if (!*found) continue;
      Finding f = (*found)->finding;
      if ((*found)->messages.size() > 1) {
        f.message += fmt::format("; and {} more: {}", (*found)->messages.size() - 1, fmt::join((*found)->rules, ", "));
      }
      findings.push_back(std::move(f));
    }
    if (wrong_) {
      wrong_->message = fmt::format("{} output elements differ from the oracle in {} of {} cases",
                                    wrong_->elements_differing, wrong_->cases_affected, counts_.cases);
      if (p_.plan.repeats > 1)
        wrong_->message +=
            fmt::format("; the first of them in {} of {} launches", wrong_->repeats_failed, wrong_->repeats);
      replay_and_keep();
      findings.push_back(*wrong_);
    }
    if (unstable_) findings.push_back(*unstable_);
    if (p_.plan.digests && counts_.cases) {
      result.digests.push_back({catalogue::instance_id(p_.instance), kernel_.compiler->identity().path.string(),
                                kernel_.level, counts_.cases, digest_});
    }
    for (Finding& f : findings) {
      result.unit.verdict = reports::worse(result.unit.verdict, reports::verdict_of(f.kind));
      result.findings.push_back(std::move(f));
    }
    result.unit.counts += counts_;
    if (counts_.cases) ++result.unit.counts.executions;
  }

 private:
  // The first failing case again, in the object that it failed in. No run of it makes a pass of the finding.
  void replay_and_keep() {
    for (; wrong_->replays < p_.plan.replays; ++wrong_->replays) {
      const devices::LaunchOutcome outcome = kernel_.module->run(kernel_.name, {&failing_->c, 1});
      if (outcome.status != devices::LaunchStatus::kCompleted) continue;
      if (!p_.judge.judge(*expected_, outcome.d[0]).gating.empty()) ++wrong_->replays_failed;
    }
    if (wrong_->replays > 0) failing_->label = cases::ReplayLabel{wrong_->replays_failed, wrong_->replays};
    keep(*wrong_, *failing_, case_file_name(*failing_));
  }

  void keep(Finding& finding, cases::CaseFile& file, const std::string& name) const {
    if (!p_.control.keep_case) return;
    file.comments = {finding.message};
    finding.case_file = p_.control.keep_case(name, file);
  }

  void judge_compile() {
    const std::optional<Refusal> refusal = kernel_.refusal("the compiler did not compile this instance");
    if (kernel_.unexplained) {
      Finding f = p_.new_finding(call_, FindingKind::kBatchFailure,
                                 fmt::format("a translation unit with this kernel failed ({}), yet each of its kernels "
                                             "compiles alone",
                                             compilers::name_of(kernel_.unexplained->outcome)));
      f.log = kernel_.unexplained->log;
      findings_.push_back(std::move(f));
    }
    if (refusal) {
      Finding f = p_.new_finding(call_, refusal->kind, refusal->message);
      f.log = refusal->log;
      findings_.push_back(std::move(f));
      stopped_ = true;
      return;
    }
    if (!call_.wrong_instruction.empty()) {
      Finding f = p_.new_finding(call_, FindingKind::kWrongInstruction, call_.wrong_instruction);
      // Any operands will do; those of the first case that the id deals.
      cases::CaseFile file =
          case_file_of(p_.subject, *kernel_.compiler, kernel_.level, operands::make_case(p_.instance, p_.plan.seed, 0));
      keep(f, file, case_file_name(file) + ".instruction");
      findings_.push_back(std::move(f));
    }
  }

  struct UnderWay {
    std::shared_ptr<const Chunk> chunk;
    std::uint64_t repeat = 0;
    std::unique_ptr<devices::Launch> launch;  // before the chunk in the order of destruction
  };

  // A case over its launches.
  struct Repeated {
    std::vector<std::uint64_t> first;
    std::uint64_t failed = 0, other = 0;  // launches with a wrong D; with another D than the first launch gave
  };

  void collect() {
    if (!under_way_) return;
    const UnderWay done = *std::exchange(under_way_, std::nullopt);
    const devices::LaunchOutcome outcome = done.launch->collect();
    const Chunk& chunk = *done.chunk;
    for (const devices::WaitStateNote& note : outcome.wait_states) keep(note, chunk);
    if (outcome.status != devices::LaunchStatus::kCompleted) {
      findings_.push_back(p_.new_finding(call_, kind_of(outcome.status), outcome.message));
      if (done.repeat == 0) counts_.not_run += chunk.cases.size();
      stopped_ = true;
      return;
    }
    std::vector<Judged> judged(chunk.cases.size());
    system::in_parallel_within(judged.size(),
                               [&](std::size_t i) { judged[i] = p_.judge.judge(chunk.expected[i], outcome.d[i]); });
    if (done.repeat == 0) repeated_.assign(chunk.cases.size(), {});
    for (std::size_t i = 0; i < judged.size(); ++i) {
      if (done.repeat == 0) {
        count(judged[i]);
        digest_ = XXH3_64bits_withSeed(outcome.d[i].dwords.data(), outcome.d[i].dwords.size() * sizeof(std::uint32_t),
                                       digest_);
      }
      follow(chunk.cases[i], chunk.expected[i], judged[i], repeated_[i], done.repeat);
    }
  }

  void count(const Judged& judged) {
    reports::Counts& counts = counts_;
    counts.cases += 1;
    if (is_unsettled(p_.instance)) ++counts.unsettled_cases;
    counts.elements += judged.actual.size();
    counts.exact += judged.exact;
    counts.model_dependent += judged.actual.size() - judged.exact;
    counts.unconfirmed += judged.unconfirmed.size();
  }

  // A case's launch number `repeat`. Its wrong elements count once, in the first launch that has any.
  void follow(const cases::Case& c, const oracles::DenseResult& expected, const Judged& judged, Repeated& so_far,
              std::uint64_t repeat) {
    if (repeat == 0) so_far.first = judged.actual;
    if (!judged.gating.empty()) {
      if (so_far.failed++ == 0) add_wrong(c, expected, judged);
      if (c.index == failing_index_) wrong_->repeats_failed = so_far.failed;
    }
    if (judged.actual != so_far.first && so_far.other++ == 0) add_unstable(c, repeat);
    if (unstable_ && c.index == unstable_index_) unstable_->repeats_failed = so_far.other;
  }

  void add_wrong(const cases::Case& c, const oracles::DenseResult& expected, const Judged& judged) {
    counts_.differing += judged.gating.size();
    if (!wrong_) {
      wrong_ = p_.new_finding(call_, FindingKind::kWrongBits, {});
      wrong_->case_id = cases::case_id(p_.instance, p_.plan.seed, c.index);
      wrong_->operand_class = c.operand_class;
      wrong_->repeats = p_.plan.repeats;
      failing_index_ = c.index;
      for (std::size_t i = 0; i < std::min(judged.gating.size(), kDifferencesShown); ++i) {
        const std::size_t element = judged.gating[i];
        wrong_->differences.push_back(element_difference(p_.instance, element, expected, judged.actual[element]));
      }
      failing_ = case_file_of(p_.subject, *kernel_.compiler, kernel_.level, c);
      failing_->expected = expected.d;
      expected_ = expected;
      failing_->actual = judged.actual;
    }
    wrong_->cases_affected += 1;
    wrong_->elements_differing += judged.gating.size();
    for (const std::size_t element : judged.gating) {
      ++wrong_->failing_lanes[p_.judge.view().d_layout().locations()[element].lane];
      const std::uint64_t bits = expected.d[element] ^ judged.actual[element];
      for (int bit = 0; bit < 64; ++bit) {
        if (bits >> bit & 1) ++wrong_->failing_bits[bit];
      }
    }
  }

  // Bits that change from launch to launch are wrong under every model, whatever they should be.
  void add_unstable(const cases::Case& c, std::uint64_t repeat) {
    if (!unstable_) {
      unstable_ = p_.new_finding(
          call_, FindingKind::kUnstableBits,
          fmt::format("launch {} of {} of the same case gave another D than the first", repeat + 1, p_.plan.repeats));
      unstable_->case_id = cases::case_id(p_.instance, p_.plan.seed, c.index);
      unstable_->operand_class = c.operand_class;
      unstable_->repeats = p_.plan.repeats;
      unstable_index_ = c.index;
    }
    unstable_->cases_affected += 1;
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
      found = {p_.new_finding(call_, kind, note.message), {}, {}};
      found->finding.case_id = cases::case_id(p_.instance, p_.plan.seed, chunk.cases[0].index);
      found->finding.operand_class = chunk.cases[0].operand_class;
    }
    found->messages.insert(note.message);
    found->rules.insert(note.rule);
  }

  const Prepared& p_;
  const CallKernel& call_;
  const Kernel& kernel_;  // of the call
  reports::Counts counts_;
  std::vector<Finding> findings_;  // but for those below, which grow
  std::optional<TooEarly> errors_, warnings_;
  bool stopped_ = false;  // nothing more can be learnt from this kernel
  std::uint64_t digest_ = 0;
  std::vector<Repeated> repeated_;  // of the chunk that is being collected
  std::optional<Finding> wrong_, unstable_;
  std::optional<std::uint64_t> failing_index_, unstable_index_;  // their cases
  std::optional<cases::CaseFile> failing_;                       // the case of wrong_
  std::optional<oracles::DenseResult> expected_;                 // of that case
  std::optional<UnderWay> under_way_;
};

bool lost_device(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& f) { return f.kind == FindingKind::kDeviceLost; });
}

reports::UnitReport unit_of(const RunDescription& run, const catalogue::Instance& instance) {
  reports::UnitReport unit;
  unit.number = number_of(instance);
  unit.group = instance.builtin->name;
  unit.id = catalogue::instance_id(instance);
  unit.smoke = is_smoke(instance);
  unit.untouched = true;
  unit.counts.left = run.plan.cases_per_instance * run.subject.compilers.size() * run.subject.levels.size();
  return unit;
}

InstanceRun::InstanceRun(const RunDescription& run, const catalogue::Instance& instance,
                         const std::vector<CallKernel>& kernels)
    : prepared_(std::make_unique<Prepared>(run, instance)), unit_(unit_of(run, instance)) {
  for (const CallKernel& kernel : kernels) kernels_.push_back(std::make_unique<KernelRun>(*prepared_, kernel));
}
InstanceRun::~InstanceRun() = default;

void InstanceRun::run_to(std::uint64_t end) {
  while (reached_ < end && prepared_->control.stop_reason().empty()) {
    const std::shared_ptr<const Chunk> chunk = draw_chunk(end);
    for (const std::unique_ptr<KernelRun>& kernel : kernels_) kernel->run(chunk);
    reached_ += chunk->cases.size();
  }
}

reports::UnitResult InstanceRun::result() {
  reports::UnitResult result{unit_, {}, {}};
  result.unit.verdict = Verdict::kPass;
  result.unit.untouched = false;
  result.unit.counts = {};
  for (const std::unique_ptr<KernelRun>& kernel : kernels_) kernel->add_to(result);
  result.unit.counts.left = (prepared_->plan.cases_per_instance - reached_) * kernels_.size();
  return result;
}

}  // namespace mfma::conformance
