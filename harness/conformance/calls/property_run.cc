#include "harness/conformance/calls/property_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "harness/conformance/execution/judge.h"
#include "harness/kernels/mode_kernel.h"

namespace mfma::conformance {
namespace {

using catalogue::Instance;
using properties::Judgement;
using properties::Property;
using properties::Step;
using properties::Trial;
using reports::Finding;
using reports::FindingKind;

constexpr std::size_t kCasesPerLaunch = 32;

std::string kernel_of(const Step& step) { return kernels::mode_kernel_name(step.operands.instance, step.mode); }

std::string mode_text(const cases::ModeBits& mode) {
  std::string text;
  if (mode.round) text += fmt::format(" with MODE.FP_ROUND {}", *mode.round);
  if (mode.denorm) text += fmt::format(" with MODE.FP_DENORM {}", *mode.denorm);
  if (mode.clamp_overflow) text += " with MODE.FP16_OVFL";
  return text;
}

// "D[0,1,2] of step 1, mfma_f32_16x16x16f16".
std::string element_text(const Trial& trial, const properties::ElementRef& at) {
  const Step& step = trial.steps[at.step];
  const ElementPlace p = place_of(step.operands.instance, at.element);
  return fmt::format("D[{},{},{}] of step {}, {}{}", p.block, p.row, p.column, at.step,
                     catalogue::instance_id(step.operands.instance), mode_text(step.mode));
}

std::string against_text(const Trial& trial, const properties::Comparison& c) {
  if (c.relation == properties::Relation::kConstant) return "the operands";
  return fmt::format("{}{}",
                     c.relation == properties::Relation::kSameBits ? "" : fmt::format("{} ", name_of(c.relation)),
                     element_text(trial, c.reference));
}

reports::ElementDifference difference(const Trial& trial, const properties::Mismatch& m) {
  const Instance& instance = trial.steps[m.comparison.subject.step].operands.instance;
  const std::size_t element = m.comparison.subject.element;
  const catalogue::Location& at = catalogue::shared_layout(instance, catalogue::Operand::kD).locations().at(element);
  const ElementPlace p = place_of(instance, element);
  return {p.block,  p.row,      p.column, at.lane, at.bit,
          at.width, m.expected, m.actual, false,   against_text(trial, m.comparison)};
}

void add_open(std::vector<reports::OpenPoint>& open, reports::OpenPoint point) {
  const auto same = std::find_if(open.begin(), open.end(), [&](const reports::OpenPoint& o) {
    return o.property == point.property && o.builtin == point.builtin && o.reading == point.reading;
  });
  if (same == open.end()) {
    open.push_back(std::move(point));
  } else {
    same->checks += point.checks;
  }
}

}  // namespace

// Where a kernel can be run, or why it cannot.
struct PropertyRun::Reachable {
  std::shared_ptr<devices::Module> module;
  Refusal refusal;                  // without a module
  bool reported_elsewhere = false;  // the run of its own instance says it
  std::string wrong_instruction;    // in a kernel of this run's own
};

struct PropertyRun::Planned {
  std::size_t instance;  // in the batch
  const Property* property;
  std::uint64_t number;
  Trial trial;
};

bool properties_speak_of(const Subject& subject, const Instance& instance) {
  return !subject.device_runs_profile || is_lawful(rule_of(subject.profile, instance)->model, instance);
}

// All trials of one instance in one set of kernels: equal steps run once, steps of one kernel share launches.
class PropertyRun::Trials {
 public:
  Trials(std::map<std::string, Reachable>& kernels, std::span<const Planned* const> trials)
      : kernels_(kernels), trials_(trials), images_(trials.size()) {
    for (std::size_t t = 0; t < trials.size(); ++t) images_[t].resize(trials[t]->trial.steps.size());
  }

  // What kept the trials from being run; nothing when all ran.
  struct Failure {
    FindingKind kind;
    std::string message;
  };
  std::optional<Failure> run() {
    for (std::size_t depth = 0;; ++depth) {
      std::map<std::string, std::vector<Wanted>> wanted;
      bool any = false;
      for (std::size_t t = 0; t < trials_.size(); ++t) {
        for (std::size_t s = 0; s < trials_[t]->trial.steps.size(); ++s) {
          if (depth_of(trials_[t]->trial, s) != depth) continue;
          add(wanted, t, s);
          any = true;
        }
      }
      if (!any) return std::nullopt;
      for (auto& [kernel, cases] : wanted) {
        if (auto failure = launch(kernel, cases)) return failure;
      }
    }
  }
  const std::vector<catalogue::RegisterImage>& images(std::size_t trial) const { return images_[trial]; }

 private:
  struct Wanted {
    cases::Case operands;
    bool apart;
    std::vector<std::pair<std::size_t, std::size_t>> by;  // trial and step
  };

  static std::size_t depth_of(const Trial& trial, std::size_t step) {
    std::size_t depth = 0;
    for (; trial.steps[step].c_from; step = *trial.steps[step].c_from) ++depth;
    return depth;
  }

  void add(std::map<std::string, std::vector<Wanted>>& wanted, std::size_t t, std::size_t s) {
    const Step& step = trials_[t]->trial.steps[s];
    std::vector<Wanted>& of_kernel = wanted[kernel_of(step)];
    cases::Case operands = step.operands;
    if (step.c_from) operands.c = images_[t][*step.c_from];
    if (!step.apart) {
      for (Wanted& w : of_kernel) {
        if (w.apart || w.operands != operands) continue;
        w.by.emplace_back(t, s);
        return;
      }
    }
    of_kernel.push_back({std::move(operands), step.apart, {{t, s}}});
  }

  std::optional<Failure> launch(const std::string& name, const std::vector<Wanted>& wanted) {
    std::vector<const Wanted*> order;  // those that may share a launch first
    for (const bool apart : {false, true}) {
      for (const Wanted& w : wanted) {
        if (w.apart == apart) order.push_back(&w);
      }
    }
    for (std::size_t first = 0; first < order.size();) {
      std::vector<cases::Case> cases;
      std::size_t end = first;
      do {
        cases.push_back(order[end]->operands);
        ++end;
      } while (end < order.size() && !order[end]->apart && cases.size() < kCasesPerLaunch);
      const devices::LaunchOutcome outcome = kernels_.at(name).module->run(name, cases);
      if (outcome.status != devices::LaunchStatus::kCompleted) {
        return Failure{kind_of(outcome.status), fmt::format("kernel {}: {}", name, outcome.message)};
      }
      for (std::size_t n = first; n < end; ++n) {
        for (const auto& [t, s] : order[n]->by) images_[t][s] = outcome.d.at(n - first);
      }
      first = end;
    }
    return std::nullopt;
  }

  std::map<std::string, Reachable>& kernels_;
  std::span<const Planned* const> trials_;
  std::vector<std::vector<catalogue::RegisterImage>> images_;
};

PropertyRun::PropertyRun(const RunDescription& run, std::span<const Instance> instances,
                         std::span<const std::vector<CallKernel>> kernels)
    : subject_(run.subject),
      plan_(run.plan),
      control_(run.control),
      instances_(instances),
      kernels_(kernels),
      executor_(run.subject) {
  if (instances.empty()) return;
  by_name_.resize(kernels[0].size());
  for (std::size_t i = 0; i < instances.size(); ++i) {
    for (std::size_t set = 0; set < kernels[i].size(); ++set) {
      Reachable reachable;
      reachable.module = kernels[i][set].kernel.module;
      reachable.reported_elsewhere = true;
      by_name_[set].emplace(kernels::kernel_name(instances[i]), std::move(reachable));
    }
  }
}

PropertyRun::~PropertyRun() = default;

std::vector<PropertyRun::Planned> PropertyRun::plan_trials(std::uint64_t number) const {
  std::vector<Planned> planned;
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    if (!properties_speak_of(subject_, instances_[i])) continue;
    for (const Property* property : plan_.properties.properties) {
      if (!plan_.properties.covers(*property, instances_[i])) continue;
      auto trial = properties::make_trial(*property, instances_[i], plan_.seed, number);
      if (trial) planned.push_back({i, property, number, *std::move(trial)});
    }
  }
  return planned;
}

// Kernels of other instances and of modes, as one translation unit for each compiler and level.
void PropertyRun::build_missing(const std::vector<Planned>& trials) {
  for (std::size_t set = 0; set < by_name_.size(); ++set) {
    std::vector<kernels::Piece> pieces;
    std::vector<Instance> instances;
    for (const Planned& planned : trials) {
      for (const Step& step : planned.trial.steps) {
        if (!by_name_[set].try_emplace(kernel_of(step)).second) continue;
        pieces.push_back(kernels::mode_piece_of(step.operands.instance, step.mode));
        instances.push_back(step.operands.instance);
      }
    }
    if (pieces.empty()) continue;
    const Kernel& like = kernels_[0][set].kernel;
    const std::vector<Kernel> built = executor_.build(*like.compiler, like.level, pieces);
    for (std::size_t n = 0; n < built.size(); ++n) {
      Reachable& reachable = by_name_[set][built[n].name];
      if (auto refusal = built[n].refusal(fmt::format("the compiler did not compile kernel {}", built[n].name))) {
        reachable.refusal = *std::move(refusal);
        continue;
      }
      reachable.module = built[n].module;
      const std::string wrong = executor_.wrong_instruction(built[n], instances[n]);
      if (!wrong.empty()) reachable.wrong_instruction = fmt::format("kernel {}: {}", built[n].name, wrong);
    }
  }
}

void PropertyRun::judge(const Planned& planned, std::size_t set, const std::vector<catalogue::RegisterImage>& images,
                        reports::UnitResult& result) {
  const Trial& trial = planned.trial;
  const Instance& instance = instances_[planned.instance];
  std::vector<std::vector<std::uint64_t>> results;
  for (std::size_t s = 0; s < trial.steps.size(); ++s) {
    const Instance& of_step = trial.steps[s].operands.instance;
    results.push_back(catalogue::read_elements(catalogue::shared_layout(of_step, catalogue::Operand::kD), images[s]));
  }
  const Judgement judgement = properties::judge(trial, results);
  result.unit.counts.property_checks += 1;
  add_to(result.unit.properties, {std::string(planned.property->name), 1, judgement.broken ? std::uint64_t{1} : 0});
  for (const std::size_t reading : judgement.open() ? judgement.holds : std::vector<std::size_t>{}) {
    add_open(result.unit.open, {std::string(planned.property->name), std::string(instance.builtin->name),
                                trial.readings[reading].name, 1});
  }
  if (!judgement.broken) return;
  result.unit.counts.properties_broken += 1;
  const std::string key = fmt::format("{}/{}/{}", planned.property->name, planned.instance, set);
  const auto [at, first] = broken_.try_emplace(key, result.findings.size());
  if (first) {
    Finding f = new_finding(planned, set, FindingKind::kPropertyBroken, {});
    f.case_id = properties::trial_id(*planned.property, instance, plan_.seed, planned.number);
    f.operand_class = trial.steps[0].operands.operand_class;
    const properties::Comparison& c = judgement.mismatches.at(0).comparison;
    f.message = fmt::format("{} is broken: {}; {} is not {}{}, and {} of {} comparisons fail", f.property,
                            planned.property->statement, element_text(trial, c.subject), name_of(c.relation),
                            c.relation == properties::Relation::kConstant
                                ? " its operands"
                                : fmt::format(" {}", element_text(trial, c.reference)),
                            judgement.failing, trial.readings[judgement.reading].comparisons.size());
    for (const properties::Mismatch& m : judgement.mismatches) f.differences.push_back(difference(trial, m));
    add(std::move(f), result);
  }
  result.findings[at->second].cases_affected += 1;
  result.findings[at->second].elements_differing += judgement.failing;
}

Finding PropertyRun::new_finding(const Planned& planned, std::size_t set, FindingKind kind, std::string message) const {
  Finding f = finding_of_call(subject_, kernels_[planned.instance][set].kernel, instances_[planned.instance], kind,
                              std::move(message));
  f.property = planned.property->name;
  return f;
}

void PropertyRun::add(Finding finding, reports::UnitResult& result) const {
  result.unit.verdict = reports::worse(result.unit.verdict, reports::verdict_of(finding.kind));
  result.findings.push_back(std::move(finding));
}

// False when a kernel of the trial is missing: said once, unless the run of this very instance says it.
bool PropertyRun::can_run(const Planned& planned, std::size_t set, reports::UnitResult& result) {
  const std::string own = kernels::kernel_name(instances_[planned.instance]);
  bool complete = true;
  for (const Step& step : planned.trial.steps) {
    const std::string name = kernel_of(step);
    const Reachable& kernel = by_name_[set].at(name);
    if (kernel.module && kernel.wrong_instruction.empty()) continue;
    complete = complete && kernel.module;
    if (name == own || !said_.insert(fmt::format("{}/{}/{}", planned.instance, set, name)).second) continue;
    if (kernel.module) {
      add(new_finding(planned, set, FindingKind::kWrongInstruction, kernel.wrong_instruction), result);
      continue;
    }
    Finding f = new_finding(planned, set, kernel.refusal.kind,
                            kernel.reported_elsewhere
                                ? fmt::format("the kernel of {} is missing, with which results are to be compared",
                                              catalogue::instance_id(step.operands.instance))
                                : kernel.refusal.message);
    f.log = kernel.refusal.log;
    add(std::move(f), result);
  }
  return complete;
}

void PropertyRun::run_set(std::span<const Planned> trials, std::size_t set, reports::UnitResult& result) {
  std::vector<const Planned*> runnable;
  for (const Planned& planned : trials) {
    if (can_run(planned, set, result)) runnable.push_back(&planned);
  }
  if (runnable.empty()) return;
  Trials launched(by_name_[set], runnable);
  if (const auto failure = launched.run()) {
    add(new_finding(*runnable[0], set, failure->kind, failure->message), result);
    return;
  }
  for (std::size_t t = 0; t < runnable.size(); ++t) judge(*runnable[t], set, launched.images(t), result);
}

bool PropertyRun::run(std::span<reports::UnitResult> results, std::uint64_t first_trial, std::uint64_t end_trial) {
  for (std::uint64_t number = first_trial; number < end_trial; ++number) {
    if (!control_.stop_reason().empty()) return false;
    const std::vector<Planned> trials = plan_trials(number);
    build_missing(trials);
    for (std::size_t first = 0; first < trials.size();) {
      const std::size_t i = trials[first].instance;
      std::size_t end = first;
      while (end < trials.size() && trials[end].instance == i) ++end;
      for (std::size_t set = 0; set < by_name_.size(); ++set) {
        run_set(std::span(trials).subspan(first, end - first), set, results[i]);
      }
      first = end;
    }
  }
  return true;
}

}  // namespace mfma::conformance
