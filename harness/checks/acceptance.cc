// Builtin x target x level: who takes what.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/checks/jobs.h"
#include "harness/checks/targets.h"
#include "harness/compilers/outcome.h"
#include "harness/system/parallel.h"

namespace mfma::checks {
namespace {

using compilers::Compiled;
using compilers::Outcome;

struct Call {
  std::string builtin;
  kernels::Piece piece;
};

kernels::Piece plain_call(std::string_view name) {
  if (const catalogue::Builtin* builtin = catalogue::find_builtin(name)) return kernels::piece_of({builtin, {}});
  return *kernels::rejected_piece(name);  // all_names() has no others
}

}  // namespace

std::vector<Finding> check_acceptance(const CheckOptions& options, CheckReport& report) {
  struct Task {
    const Target* target;
    std::string level;
    bool expected;
    std::vector<Call> calls;  // those that the target has in one batch, the others alone
  };
  std::vector<Task> tasks;
  for (const Target& target : targets()) {
    for (const std::string& level : options.levels) {
      Task batch{&target, level, true, {}};
      for (const std::string_view name : all_names()) {
        Call call{std::string(name), plain_call(name)};
        if (has_builtin(target.arch, name)) {
          batch.calls.push_back(std::move(call));
        } else {
          tasks.push_back({&target, level, false, {std::move(call)}});
        }
      }
      if (!batch.calls.empty()) tasks.push_back(std::move(batch));
    }
  }
  std::vector<std::vector<Compiled>> results(tasks.size());
  system::in_parallel(options.jobs, tasks.size(), [&](std::size_t i) {
    const std::string arch(tasks[i].target->arch);
    std::vector<kernels::Piece> pieces;
    for (const Call& call : tasks[i].calls) pieces.push_back(call.piece);
    for (kernels::BuiltPiece& built :
         kernels::build_pieces(*options.compiler, pieces, detail::job_of(options, arch, tasks[i].level))) {
      results[i].push_back(std::move(built.compiled));
    }
  });

  std::vector<Finding> findings;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    for (std::size_t n = 0; n < tasks[i].calls.size(); ++n) {
      const Call& call = tasks[i].calls[n];
      const Compiled& compiled = results[i][n];
      const std::string arch(tasks[i].target->arch);
      report.acceptance.push_back({call.builtin, arch, tasks[i].level, tasks[i].expected, compiled.outcome});
      ++report.calls;
      if (compiled.outcome == Outcome::kNoSuchTarget) {
        if (std::ranges::find(report.unknown_targets, arch) == report.unknown_targets.end()) {
          report.unknown_targets.push_back(arch);
        }
        continue;
      }
      if (const auto wrong = detail::judge_call(tasks[i].expected, compiled)) {
        findings.push_back(
            detail::finding_of(wrong->first, call.builtin, arch, tasks[i].level, wrong->second, call.piece, compiled));
      }
    }
  }
  return findings;
}

}  // namespace mfma::checks
