#include "harness/conformance/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/json/json.h"
#include "tests/conformance/small_run.h"

namespace mfma::conformance {
namespace {

using ::testing::HasSubstr;
using testing::instances_of;
using testing::SmallRun;

std::string without_times(reports::RunReport report) {
  report.started.clear();
  report.seconds = 0;
  for (reports::CompilerReport& c : report.compilers) c.kernels_compiled = c.kernels_from_cache = 0;
  return reports::to_json(report);
}

TEST(Run, ReportDoesNotDependOnThreads) {
  Selection selection;
  selection.modifiers = ModifierChoice::kNone;
  SmallRun one{.instances = *select_instances(selection)};
  one.cases = 3;
  SmallRun two = one;
  two.jobs = 2;
  EXPECT_EQ(without_times(one()), without_times(two()));
}

TEST(Run, NumbersAddUp) {
  SmallRun small{.instances = instances_of({"mfma_f32_4x4x4f16:cbsz=1", "mfma_f32_4x4x4f16", "mfma_f64_4x4x4f64"})};
  small.levels = {"O0", "O1", "O2", "O3"};
  small.cases = 5;
  const reports::RunReport report = small();
  ASSERT_EQ(report.exit_code(), reports::ExitCode::kPass);
  const reports::Counts t = report.totals();
  EXPECT_EQ(report.instances(), 3u);
  EXPECT_EQ(t.executions, 3u * 4u);
  EXPECT_EQ(t.cases, 3u * 4u * 5u);
  // 16 blocks of 4x4, twice; 4 blocks of 4x4 once.
  EXPECT_EQ(t.elements, 4u * 5u * (256u + 256u + 64u));
  EXPECT_EQ(t.exact + t.model_dependent, t.elements);
  EXPECT_GT(t.exact, 0u);
  EXPECT_GT(t.model_dependent, 0u);
  EXPECT_EQ(t.unsettled_cases, 4u * 5u) << "cbsz=1 of 16 blocks rests on an unsettled reading";
}

// A device that gives back D = C, whatever the kernel: silent wrong results must not pass.
class CopyDevice : public devices::Device {
 public:
  explicit CopyDevice(devices::LaunchStatus status) : status_(status) { info_.id = info_.kind = "copy"; }
  const devices::DeviceInfo& info() const override { return info_; }
  tl::expected<std::unique_ptr<devices::Module>, std::string> load(std::span<const std::byte>) override {
    class CopyModule : public devices::Module {
     public:
      explicit CopyModule(devices::LaunchStatus status) : status_(status) {}
      devices::LaunchOutcome run(const std::string&, std::span<const cases::Case> cases) override {
        devices::LaunchOutcome outcome;
        outcome.status = status_;
        if (status_ != devices::LaunchStatus::kCompleted) {
          outcome.message = "planted";
          return outcome;
        }
        for (const cases::Case& c : cases) outcome.d.push_back(c.c);
        return outcome;
      }

     private:
      devices::LaunchStatus status_;
    };
    return std::make_unique<CopyModule>(status_);
  }

 private:
  devices::LaunchStatus status_;
  devices::DeviceInfo info_;
};

RunDescription options_on(devices::Device& device) {
  RunDescription options;
  options.plan.instances = instances_of({"mfma_f32_16x16x16f16"});
  options.subject.compilers = {*compilers::Compiler::open(testing::compiler_under_test(), "gfx950", std::nullopt)};
  options.subject.levels = {"O2"};
  options.subject.device = &device;
  options.subject.profile = oracles::default_profile();
  options.plan.cases_per_instance = 8;
  return options;
}

TEST(Run, CandidateRulesGateExactElementsOnlyAndCountTheRest) {
  CopyDevice device(devices::LaunchStatus::kCompleted);
  const reports::RunReport candidate = run(options_on(device));
  EXPECT_EQ(candidate.exit_code(), reports::ExitCode::kFailure) << "exact elements always gate";
  EXPECT_GT(candidate.totals().unconfirmed, 0u);

  RunDescription confirmed = options_on(device);
  for (oracles::ProfileRule& rule : confirmed.subject.profile.rules) rule.status = oracles::RuleStatus::kConfirmed;
  const reports::RunReport gated = run(confirmed);
  EXPECT_EQ(gated.totals().unconfirmed, 0u);
  EXPECT_EQ(gated.totals().differing, candidate.totals().differing + candidate.totals().unconfirmed);
}

TEST(Run, InconclusiveIsNeverAPass) {
  CopyDevice unsupported(devices::LaunchStatus::kInconclusive);
  const reports::RunReport report = run(options_on(unsupported));
  EXPECT_EQ(report.exit_code(), reports::ExitCode::kNoVerdict);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].message, "planted");
  EXPECT_EQ(report.instances_with(reports::Verdict::kInconclusive), 1u);

  CopyDevice hanging(devices::LaunchStatus::kHang);
  EXPECT_EQ(run(options_on(hanging)).exit_code(), reports::ExitCode::kHangOrLost);
}

TEST(Run, AKernelThatBreaksTheMachinesRulesFails) {
  CopyDevice faulting(devices::LaunchStatus::kFault);
  const reports::RunReport report = run(options_on(faulting));
  EXPECT_EQ(report.exit_code(), reports::ExitCode::kFailure);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(reports::code_of(report.findings[0].kind), "device-fault");
}

TEST(Run, NothingRunIsNeverAPass) {
  CopyDevice device(devices::LaunchStatus::kCompleted);
  RunDescription options = options_on(device);
  options.plan.instances.clear();
  EXPECT_EQ(run(options).exit_code(), reports::ExitCode::kNoVerdict);
}

TEST(Run, ARejectedCompileIsInconclusiveAndKeepsItsLog) {
  CopyDevice device(devices::LaunchStatus::kCompleted);
  RunDescription options = options_on(device);
  options.subject.extra_flags = {"-Werror", "-Wno-such-warning-at-all-mfma", "-fno-such-flag-mfma"};
  const reports::RunReport report = run(options);
  EXPECT_EQ(report.exit_code(), reports::ExitCode::kNoVerdict);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].kind, reports::FindingKind::kCompileRejected);
  EXPECT_THAT(report.findings[0].log, HasSubstr("no-such-flag-mfma"));
}

}  // namespace
}  // namespace mfma::conformance
