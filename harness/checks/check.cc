#include "harness/checks/check.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>

namespace mfma::checks {
namespace {

constexpr std::array kStages{
    StageInfo{Stage::kAcceptance, "acceptance"},  StageInfo{Stage::kImmediates, "immediates"},
    StageInfo{Stage::kZeroScales, "zero-scales"}, StageInfo{Stage::kEncodings, "encodings"},
    StageInfo{Stage::kWaitStates, "wait-states"}, StageInfo{Stage::kExecution, "execution"},
};

std::vector<Finding> run_stage(Stage stage, const CheckOptions& options, CheckReport& report) {
  switch (stage) {
    case Stage::kAcceptance:
      return check_acceptance(options, report);
    case Stage::kImmediates:
      return check_immediates(options, report);
    case Stage::kZeroScales:
      return check_zero_scales(options);
    case Stage::kEncodings:
      return check_encodings(options, report);
    case Stage::kWaitStates:
      return check_wait_states(options, report);
    case Stage::kExecution:
      break;
  }
  return check_execution(options, report);
}

}  // namespace

std::span<const StageInfo> all_stages() { return kStages; }

CheckReport check_compiler(const CheckOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  CheckReport report;
  report.compiler = options.compiler->identity();
  report.levels = options.levels;
  std::vector<Finding> all;
  for (const auto& [stage, name] : kStages) {
    const bool wanted = options.stages.empty() ||
                        std::find(options.stages.begin(), options.stages.end(), stage) != options.stages.end();
    if (!wanted) continue;
    if (options.progress) options.progress(name);
    std::vector<Finding> found = run_stage(stage, options, report);
    std::move(found.begin(), found.end(), std::back_inserter(all));
  }
  report.findings = merged(std::move(all), options.levels);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace mfma::checks
