#include "harness/conformance/followup/reduce_failures.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "harness/conformance/followup/case_runner.h"
#include "harness/operands/operands.h"
#include "harness/system/parallel.h"

namespace mfma::conformance {
namespace {

// Multiplications that the candidates of one failure may cost the oracle, and the candidates that this buys.
constexpr std::uint64_t kProducts = 40'000'000;
constexpr std::uint64_t kFewestCandidates = 500, kMostCandidates = 4000;

reduction::Budget budget_of(const catalogue::Builtin& builtin) {
  const catalogue::Shape& s = builtin.shape;
  const auto products = static_cast<std::uint64_t>(s.m) * static_cast<std::uint64_t>(s.n) *
                        static_cast<std::uint64_t>(s.k) * static_cast<std::uint64_t>(s.blocks);
  reduction::Budget budget;
  budget.candidates = std::clamp(kProducts / products, kFewestCandidates, kMostCandidates);
  budget.time = std::chrono::hours(24);
  return budget;
}

std::vector<reports::Finding*> chosen_of(std::vector<reports::Finding>& findings) {
  std::vector<reports::Finding*> chosen;
  std::set<std::string> instances;
  std::map<std::string, int> of_builtin;
  for (reports::Finding& f : findings) {
    if (f.kind != reports::FindingKind::kWrongBits || instances.count(f.instance)) continue;
    if (of_builtin[f.builtin]++ >= kReducedPerBuiltin) continue;
    instances.insert(f.instance);
    chosen.push_back(&f);
  }
  return chosen;
}

void reduce_one(const RunDescription& run, CaseRunner& runner, reports::Finding& f) {
  const auto id = cases::parse_case_id(f.case_id);
  if (!id) return;
  // A run may have chosen the classes; then the id alone does not say which.
  const auto cls = operands::operand_class_named(f.operand_class);
  if (!cls) return;
  const cases::Case c = operands::make_case(id->instance, id->seed, id->index, *cls);
  ReducedCase reduced =
      reduce_case(runner, c, f.level, run.subject.levels, budget_of(*id->instance.builtin), run.plan.replays);
  if (!reduced.reduction.reproduced || !reduced.seen.fails()) return;
  reduced.file.comments.push_back(fmt::format("reduced from {} at -{}: {}", f.case_id, f.level, f.message));
  reports::ReducedFailure& out = f.reduced.emplace();
  out.instance = catalogue::instance_id(reduced.file.c.instance);
  out.level = reduced.file.level;
  out.nonzero_products = reduced.nonzero_products;
  out.candidates = reduced.reduction.judged;
  out.exhausted = reduced.reduction.exhausted;
  out.difference = element_difference(reduced.file.c.instance, reduced.element, reduced.seen.expected,
                                      reduced.seen.actual[reduced.element]);
  out.text = cases::to_text(reduced.file);
  if (run.control.keep_case) {
    const std::string name = case_file_name(case_file_of(run.subject, runner.compiler(), f.level, c));
    out.file = run.control.keep_case(name + ".reduced", reduced.file);
  }
}

}  // namespace

void reduce_failures(const RunDescription& run, std::vector<reports::Finding>& findings) {
  std::map<std::string, std::unique_ptr<CaseRunner>> runners;  // by the path that a finding names
  for (const compilers::Compiler& compiler : run.subject.compilers) {
    runners.try_emplace(compiler.identity().path.string(), std::make_unique<CaseRunner>(run.subject, compiler));
  }
  const std::vector<reports::Finding*> chosen = chosen_of(findings);
  system::in_parallel(run.control.jobs, chosen.size(), [&](std::size_t i) {
    if (!run.control.stop_reason().empty()) return;
    reduce_one(run, *runners.at(chosen[i]->compiler), *chosen[i]);
  });
}

}  // namespace mfma::conformance
