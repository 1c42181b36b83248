#include "harness/conformance/property_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "harness/conformance/instruction_check.h"
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

struct Place {
  int block, row, column;
};

Place place_of(const Instance& i, std::size_t element) {
  const auto m = static_cast<std::size_t>(i.builtin->shape.m), n = static_cast<std::size_t>(i.builtin->shape.n);
  return {static_cast<int>(element / (m * n)), static_cast<int>(element / n % m), static_cast<int>(element % n)};
}

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
  const Place p = place_of(step.operands.instance, at.element);
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
  const Place p = place_of(instance, element);
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
struct PropertyRun::Kernel {
  devices::Module* module = nullptr;
  FindingKind problem = FindingKind::kCompileRejected;
  std::string message, log;         // of the problem
  bool reported_elsewhere = false;  // the run of its own instance says it
  std::string wrong_instruction;    // in a kernel of this run's own
};

struct PropertyRun::Planned {
  std::size_t instance;  // in the batch
  const Property* property;
  std::uint64_t number;
  Trial trial;
};

bool properties_speak_of(const RunOptions& options, const Instance& instance) {
  return !options.device_runs_profile || is_lawful(rule_of(options.profile, instance)->model, instance);
}

// All trials of one instance in one set of kernels: equal steps run once, steps of one kernel share launches.
class PropertyRun::Execution {
 public:
  Execution(std::map<std::string, Kernel>& kernels, std::span<const Planned* const> trials)
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

  std::map<std::string, Kernel>& kernels_;
  std::span<const Planned* const> trials_;
  std::vector<std::vector<catalogue::RegisterImage>> images_;
};

PropertyRun::PropertyRun(const RunOptions& options, std::span<const Instance> instances,
                         std::span<const std::vector<KernelUnderTest>> kernels)
    : options_(options), instances_(instances), kernels_(kernels) {
  if (instances.empty()) return;
  by_name_.resize(kernels[0].size());
  for (std::size_t i = 0; i < instances.size(); ++i) {
    for (std::size_t set = 0; set < kernels[i].size(); ++set) {
      Kernel kernel;
      kernel.module = kernels[i][set].module;
      kernel.reported_elsewhere = true;
      by_name_[set].emplace(kernels::kernel_name(instances[i]), std::move(kernel));
    }
  }
}

PropertyRun::~PropertyRun() = default;

std::vector<PropertyRun::Planned> PropertyRun::plan_trials(std::uint64_t number) const {
  std::vector<Planned> planned;
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    if (!properties_speak_of(options_, instances_[i])) continue;
    for (const Property* property : options_.properties.properties) {
      if (!options_.properties.covers(*property, instances_[i])) continue;
      auto trial = properties::make_trial(*property, instances_[i], options_.seed, number);
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
    const KernelUnderTest& like = kernels_[0][set];
    compilers::Job job;
    job.level = like.level;
    job.extra_flags = options_.extra_flags;
    const std::vector<kernels::BuiltPiece> built = kernels::build_pieces(*like.compiler, pieces, job);
    std::map<const std::byte*, std::pair<devices::Module*, std::string>> loaded;
    std::map<const std::byte*, std::unique_ptr<InstructionCheck>> checks;
    for (std::size_t n = 0; n < pieces.size(); ++n) {
      Kernel& kernel = by_name_[set][pieces[n].name];
      const compilers::Compiled& compiled = built[n].compiled;
      if (compiled.outcome != compilers::Outcome::kOk) {
        kernel.message = fmt::format("the compiler did not compile kernel {}: {} (exit status {})", pieces[n].name,
                                     compilers::name_of(compiled.outcome), compiled.exit_status);
        kernel.log = compiled.log;
        continue;
      }
      const std::byte* key = compiled.object->data();
      if (!loaded.count(key)) {
        auto module = options_.device->load(*compiled.object);
        if (module) {
          modules_.push_back(*std::move(module));
          loaded[key].first = modules_.back().get();
        } else {
          loaded[key].second = fmt::format("the device refused the code object: {}", module.error());
        }
        checks[key] = std::make_unique<InstructionCheck>(*compiled.object);
      }
      kernel.module = loaded[key].first;
      kernel.problem = FindingKind::kObjectRefused;
      kernel.message = loaded[key].second;
      if (kernel.module) {
        const std::string wrong = checks[key]->check(pieces[n].name, instances[n], instances[n].builtin->opcode);
        if (!wrong.empty()) kernel.wrong_instruction = fmt::format("kernel {}: {}", pieces[n].name, wrong);
      }
    }
  }
}

void PropertyRun::judge(const Planned& planned, std::size_t set, const std::vector<catalogue::RegisterImage>& images,
                        InstanceResult& result) {
  const Trial& trial = planned.trial;
  const Instance& instance = instances_[planned.instance];
  std::vector<std::vector<std::uint64_t>> results;
  for (std::size_t s = 0; s < trial.steps.size(); ++s) {
    const Instance& of_step = trial.steps[s].operands.instance;
    results.push_back(catalogue::read_elements(catalogue::shared_layout(of_step, catalogue::Operand::kD), images[s]));
  }
  const Judgement judgement = properties::judge(trial, results);
  result.counts.property_checks += 1;
  add_to(result.properties, {std::string(planned.property->name), 1, judgement.broken ? std::uint64_t{1} : 0});
  for (const std::size_t reading : judgement.open() ? judgement.holds : std::vector<std::size_t>{}) {
    add_open(result.open, {std::string(planned.property->name), std::string(instance.builtin->name),
                           trial.readings[reading].name, 1});
  }
  if (!judgement.broken) return;
  result.counts.properties_broken += 1;
  const std::string key = fmt::format("{}/{}/{}", planned.property->name, planned.instance, set);
  const auto [at, first] = broken_.try_emplace(key, result.findings.size());
  if (first) {
    Finding f = new_finding(planned, set, FindingKind::kPropertyBroken, {});
    f.case_id = properties::trial_id(*planned.property, instance, options_.seed, planned.number);
    f.operand_class = trial.steps[0].operands.operand_class;
    const properties::Comparison& c = judgement.mismatches.at(0).comparison;
    f.message = fmt::format(
        "{} is broken: {}; {} is not {}{}, and {} of {} comparisons fail", f.property, planned.property->statement,
        element_text(trial, c.subject), name_of(c.relation),
        c.relation == properties::Relation::kConstant ? " its operands" : " " + element_text(trial, c.reference),
        judgement.failing, trial.readings[judgement.reading].comparisons.size());
    for (const properties::Mismatch& m : judgement.mismatches) f.differences.push_back(difference(trial, m));
    add(std::move(f), result);
  }
  result.findings[at->second].cases_affected += 1;
  result.findings[at->second].elements_differing += judgement.failing;
}

Finding PropertyRun::new_finding(const Planned& planned, std::size_t set, FindingKind kind, std::string message) const {
  const Instance& instance = instances_[planned.instance];
  const KernelUnderTest& kernel = kernels_[planned.instance][set];
  Finding f;
  f.kind = kind;
  f.property = planned.property->name;
  f.builtin = instance.builtin->name;
  f.instance = catalogue::instance_id(instance);
  f.compiler = kernel.compiler->identity().path.string();
  f.level = kernel.level;
  f.device = options_.device->info().id;
  f.message = std::move(message);
  return f;
}

void PropertyRun::add(Finding finding, InstanceResult& result) const {
  result.verdict = reports::worse(result.verdict, reports::verdict_of(finding.kind));
  result.findings.push_back(std::move(finding));
}

// False when a kernel of the trial is missing: said once, unless the run of this very instance says it.
bool PropertyRun::can_run(const Planned& planned, std::size_t set, InstanceResult& result) {
  const std::string own = kernels::kernel_name(instances_[planned.instance]);
  bool complete = true;
  for (const Step& step : planned.trial.steps) {
    const std::string name = kernel_of(step);
    const Kernel& kernel = by_name_[set].at(name);
    if (kernel.module && kernel.wrong_instruction.empty()) continue;
    complete = complete && kernel.module;
    if (name == own || !said_.insert(fmt::format("{}/{}/{}", planned.instance, set, name)).second) continue;
    if (kernel.module) {
      add(new_finding(planned, set, FindingKind::kWrongInstruction, kernel.wrong_instruction), result);
      continue;
    }
    Finding f = new_finding(planned, set, kernel.problem,
                            kernel.reported_elsewhere
                                ? fmt::format("the kernel of {} is missing, with which results are to be compared",
                                              catalogue::instance_id(step.operands.instance))
                                : kernel.message);
    f.log = kernel.log;
    add(std::move(f), result);
  }
  return complete;
}

void PropertyRun::run_set(std::span<const Planned> trials, std::size_t set, InstanceResult& result) {
  std::vector<const Planned*> runnable;
  for (const Planned& planned : trials) {
    if (can_run(planned, set, result)) runnable.push_back(&planned);
  }
  if (runnable.empty()) return;
  Execution execution(by_name_[set], runnable);
  if (const auto failure = execution.run()) {
    add(new_finding(*runnable[0], set, failure->kind, failure->message), result);
    return;
  }
  for (std::size_t t = 0; t < runnable.size(); ++t) judge(*runnable[t], set, execution.images(t), result);
}

bool PropertyRun::run(std::span<InstanceResult> results, std::uint64_t first_trial, std::uint64_t end_trial) {
  for (std::uint64_t number = first_trial; number < end_trial; ++number) {
    if (options_.stop && !options_.stop().empty()) return false;
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
