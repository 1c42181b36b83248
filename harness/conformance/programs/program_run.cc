#include "harness/conformance/programs/program_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "harness/conformance/calls/instance_run.h"
#include "harness/conformance/execution/rules.h"
#include "harness/conformance/programs/program_reduce.h"
#include "harness/system/parallel.h"

namespace mfma::conformance {
namespace {

using compilers::Compiler;
using reports::Finding;
using reports::FindingKind;
using reports::Verdict;

// Programs in a translation unit.
constexpr std::size_t kBatchSize = 16;

struct Attempt {
  const Compiler* compiler = nullptr;
  std::string level;
  JudgedProgram outcome;
};

std::string source_of(const kernels::Program& program) {
  const kernels::Piece piece = kernels::piece_of(program);
  return kernels::join({&piece, 1});
}

// One program alone, compiled and run.
JudgedProgram run_alone(const RunDescription& run, const kernels::Program& program, const Compiler& compiler,
                        const std::string& level) {
  Executor executor(run.subject);
  const Kernel kernel = executor.build(compiler, level, kernels::piece_of(program));
  return ProgramCases(run, program).run(executor, kernel);
}

std::string place_of(const Attempt& a) {
  return fmt::format("-{} with {}", a.level, a.compiler->identity().path.string());
}

std::string listed(const std::vector<std::string>& places) {
  return places.empty() ? "nowhere" : fmt::to_string(fmt::join(places, ", "));
}

// Who fails, and whether those that fail agree with each other.
std::string attribution(const std::vector<Attempt>& attempts) {
  std::vector<std::string> right, wrong, without;
  bool agree = true;
  const JudgedProgram* first = nullptr;
  for (const Attempt& a : attempts) {
    if (a.outcome.broken) {
      without.push_back(place_of(a));
    } else if (!a.outcome.difference) {
      right.push_back(place_of(a));
    } else {
      wrong.push_back(place_of(a));
      if (first && first->digest != a.outcome.digest) agree = false;
      if (!first) first = &a.outcome;
    }
  }
  std::string text = fmt::format("wrong {}; right {}", listed(wrong), listed(right));
  if (!without.empty()) text += fmt::format("; no answer {}", listed(without));
  if (wrong.size() > 1)
    text += agree ? "; those that are wrong agree to the last bit" : "; those that are wrong differ from each other";
  return text;
}

Finding new_finding(const Subject& subject, const PlannedProgram& planned, const Compiler& compiler,
                    const std::string& level, FindingKind kind, std::string message) {
  Finding f = finding_of(subject, compiler, level, kind, std::move(message));
  f.builtin = planned.builtin->name;
  f.shape = planned.program.shape;
  f.program = planned.program.title;
  return f;
}

// With what the program calls, and its source.
Finding new_finding(const Subject& subject, const PlannedProgram& planned, const Attempt& a, FindingKind kind,
                    std::string message) {
  Finding f = new_finding(subject, planned, *a.compiler, a.level, kind, std::move(message));
  for (const catalogue::Instance& i : planned.program.instances()) {
    if (!f.instance.empty()) f.instance += " + ";
    f.instance += catalogue::instance_id(i);
  }
  f.source = source_of(planned.program);
  return f;
}

// The findings of a program after all its attempts.
std::vector<Finding> findings_of(const RunDescription& run, const PlannedProgram& planned, const ProgramCases& cases,
                                 const std::vector<Attempt>& attempts) {
  std::vector<Finding> found;
  for (const Attempt& a : attempts) {
    const JudgedProgram& o = a.outcome;
    if (o.broken) {
      found.push_back(new_finding(run.subject, planned, a, o.broken->kind, o.broken->message));
      found.back().log = o.broken->log;
      continue;
    }
    if (!o.wrong_instruction.empty()) {
      found.push_back(new_finding(run.subject, planned, a, FindingKind::kWrongInstruction, o.wrong_instruction));
    }
    if (!o.difference) continue;
    const ProgramDifference& d = *o.difference;
    Finding f =
        new_finding(run.subject, planned, a, FindingKind::kWrongBits,
                    fmt::format("{} output dwords differ from the composed oracle in {} of {} cases ({} steps of the "
                                "loop in the first)",
                                d.words, d.cases, o.counts.cases, d.trips));
    f.attribution = attribution(attempts);
    f.case_id = fmt::format("{}@seed={}#{}", planned.program.title, run.plan.seed, d.first_case);
    f.operand_class = operands::name_of(class_of_inputs(d.first_case));
    f.cases_affected = d.cases;
    f.elements_differing = d.words;
    f.differences = d.first;
    found.push_back(std::move(f));
  }
  for (Finding& f : found) f.unsettled = cases.unsettled();
  return found;
}

// Where else the program is wrong, and the least part of it that still is, for the first of its findings that is of
// bits.
void examine(const RunDescription& run, const PlannedProgram& planned, const ExaminationLimits& limits,
             std::span<Finding> findings) {
  const auto of_bits = [](const Finding& f) { return f.kind == FindingKind::kWrongBits; };
  const auto first = std::find_if(findings.begin(), findings.end(), of_bits);
  std::vector<Attempt> attempts;
  const Compiler* failing = nullptr;
  for (const Compiler& compiler : run.subject.compilers) {
    if (compiler.identity().path.string() == first->compiler) failing = &compiler;
    for (const std::string& level : run.subject.levels) {
      attempts.push_back({&compiler, level, run_alone(run, planned.program, compiler, level)});
    }
  }
  const Reduced smaller = reduce(
      planned.program,
      [&](const kernels::Program& p) { return run_alone(run, p, *failing, first->level).difference.has_value(); },
      limits.tries);
  for (Finding& f : findings) {
    if (!of_bits(f)) continue;
    f.attribution = fmt::format("{}; reduced from {} operations to {}", attribution(attempts),
                                planned.program.ops.size(), smaller.program.ops.size());
    f.source = source_of(smaller.program);
  }
}

std::uint64_t cases_of(const RunDescription& run, const PlannedProgram& planned) {
  return run.plan.cases_per_program * planned.program.trip_counts.size() * run.subject.compilers.size() *
         planned.levels.size();
}

reports::UnitReport unit_of(const RunDescription& run, const PlannedProgram& planned) {
  reports::UnitReport unit;
  unit.number = planned.number;
  unit.group = planned.program.shape;
  unit.id = fmt::format("{} at {}", planned.program.title, fmt::join(planned.levels, ","));
  unit.untouched = true;
  unit.counts.left = cases_of(run, planned);
  return unit;
}

// The programs of one batch, all of the same levels.
std::vector<reports::UnitResult> run_batch(const RunDescription& run, std::span<const PlannedProgram> batch) {
  std::vector<ProgramCases> cases;
  std::vector<kernels::Piece> pieces;
  for (const PlannedProgram& p : batch) {
    cases.emplace_back(run, p.program);
    pieces.push_back(kernels::piece_of(p.program));
  }
  std::vector<std::vector<Attempt>> attempts(batch.size());
  std::vector<std::vector<Finding>> unexplained(batch.size());
  Executor executor(run.subject);
  for (const Compiler& compiler : run.subject.compilers) {
    for (const std::string& level : batch[0].levels) {
      const std::vector<Kernel> kernels = executor.build(compiler, level, pieces);
      for (std::size_t i = 0; i < batch.size(); ++i) {
        attempts[i].push_back({&compiler, level, cases[i].run(executor, kernels[i])});
        if (!kernels[i].unexplained) continue;
        Finding f = new_finding(run.subject, batch[i], compiler, level, FindingKind::kBatchFailure,
                                "a translation unit with this program failed, yet each of its kernels compiles alone");
        f.log = kernels[i].unexplained->log;
        unexplained[i].push_back(std::move(f));
      }
    }
  }
  std::vector<reports::UnitResult> results(batch.size());
  for (std::size_t i = 0; i < batch.size(); ++i) {
    reports::UnitResult& r = results[i];
    r.unit = unit_of(run, batch[i]);
    r.unit.counts = {};
    r.unit.verdict = Verdict::kPass;
    r.unit.untouched = false;
    r.findings = std::move(unexplained[i]);
    std::vector<Finding> found = findings_of(run, batch[i], cases[i], attempts[i]);
    std::move(found.begin(), found.end(), std::back_inserter(r.findings));
    for (const Attempt& a : attempts[i]) r.unit.counts += a.outcome.counts;
    r.unit.counts.not_run = cases_of(run, batch[i]) - r.unit.counts.cases;
    for (Finding& f : r.findings) f.unit = r.unit.number;
    for (const Finding& f : r.findings) r.unit.verdict = reports::worse(r.unit.verdict, reports::verdict_of(f.kind));
  }
  return results;
}

// Programs of the same levels share translation units.
struct Range {
  std::size_t first, count;
};
std::vector<Range> batches_of(const std::vector<PlannedProgram>& plan, const std::vector<bool>& done) {
  std::vector<Range> batches;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (done[i]) continue;
    const bool joins = !batches.empty() && batches.back().count < kBatchSize &&
                       batches.back().first + batches.back().count == i && plan[i - 1].levels == plan[i].levels;
    if (!joins) batches.push_back({i, 0});
    ++batches.back().count;
  }
  return batches;
}

}  // namespace

void add_planned_programs(const RunDescription& run, const std::vector<PlannedProgram>& plan,
                          reports::RunReport& report) {
  for (const PlannedProgram& p : plan) report.program_units.push_back(unit_of(run, p));
  summarize(report);
  std::map<std::string_view, reports::BuiltinReport*> rows;
  for (reports::BuiltinReport& row : report.shapes) rows[row.builtin] = &row;
  for (const PlannedProgram& p : plan) {
    for (const catalogue::Instance& i : p.program.instances()) {
      const oracles::ProfileRule& rule = *rule_of(run.subject.profile, i);
      rows.at(p.program.shape)->add_rule(name_of(rule.status), rule.source);
    }
  }
}

ProgramRunResult run_programs(const RunDescription& run, const std::vector<PlannedProgram>& plan,
                              const ExaminationLimits& limits) {
  std::vector<reports::UnitResult> results(plan.size());
  std::vector<bool> done(plan.size());
  for (std::size_t i = 0; i < plan.size(); ++i) {
    results[i].unit = unit_of(run, plan[i]);
    const auto before = run.control.done.find(results[i].unit.id);
    if (before == run.control.done.end()) continue;
    results[i] = before->second;
    done[i] = true;
  }
  const std::vector<Range> batches = batches_of(plan, done);
  system::in_parallel(run.control.jobs, batches.size(), [&](std::size_t b) {
    const Range at = batches[b];
    if (!run.control.stop_reason().empty()) return;
    std::vector<reports::UnitResult> ran = run_batch(run, std::span(plan).subspan(at.first, at.count));
    for (std::size_t i = 0; i < at.count; ++i) {
      if (run.control.record) run.control.record(ran[i], !lost_device(ran[i].findings));
      results[at.first + i] = std::move(ran[i]);
    }
  });
  const bool left =
      std::any_of(results.begin(), results.end(), [](const reports::UnitResult& r) { return r.unit.counts.left != 0; });
  ProgramRunResult result;
  if (left) result.stopped = run.control.stop_reason();
  std::vector<std::size_t> wrong;  // programs with wrong bits
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const auto of_bits = [](const Finding& f) { return f.kind == FindingKind::kWrongBits; };
    if (std::any_of(results[i].findings.begin(), results[i].findings.end(), of_bits)) wrong.push_back(i);
  }
  if (wrong.size() > static_cast<std::size_t>(limits.programs)) wrong.resize(static_cast<std::size_t>(limits.programs));
  system::in_parallel(run.control.jobs, wrong.size(), [&](std::size_t n) {
    if (run.control.stop_reason().empty()) examine(run, plan[wrong[n]], limits, results[wrong[n]].findings);
  });

  for (reports::UnitResult& r : results) {
    result.units.push_back(std::move(r.unit));
    std::move(r.findings.begin(), r.findings.end(), std::back_inserter(result.findings));
  }
  return result;
}

}  // namespace mfma::conformance
