// Missing wait states in a run: a failure where the manual asks for them, a listed warning where only one source does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "harness/system/process.h"
#include "reports/json/json.h"
#include "reports/terminal/terminal.h"
#include "tests/conformance/small_run.h"

namespace mfma::conformance {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::instances_of;
using ::testing::Not;
using testing::SmallRun;
using ::testing::StartsWith;

// clang, and then every s_nop N of the object made s_nop 0.
fs::path compiler_without_waits(const fs::path& folder) {
  const fs::path path = folder / "clang-without-waits";
  std::ofstream(path, std::ios::binary)
      << "#!/bin/sh\n"
      << testing::compiler_under_test() << " \"$@\" || exit $?\n"
      << "for last; do :; done\n"
      << "case \" $* \" in *' -c '*) perl -0777 -pi -e 's/[\\x01-\\x0f]\\x00\\x80\\xbf/\\x00\\x00\\x80\\xbf/g' "
         "\"$last\" ;; esac\n";
  fs::permissions(path, fs::perms::owner_all);
  return path;
}

TEST(WaitStates, ACompilerThatForgetsThemFails) {
  auto folder = system::TemporaryDirectory::create();
  ASSERT_TRUE(folder) << folder.error();
  SmallRun small{.instances = instances_of({"mfma_f32_16x16x16f16", "mfma_f64_16x16x4f64"})};
  small.levels = {"O0", "O2"};
  small.cases = 40;  // two launches
  ASSERT_EQ(small().exit_code(), reports::ExitCode::kPass);
  ASSERT_TRUE(small().findings.empty());

  small.compiler = compiler_without_waits(folder->path()).string();
  const reports::RunReport report = small();
  EXPECT_EQ(report.exit_code(), reports::ExitCode::kFailure);
  EXPECT_EQ(report.totals().differing, 0u) << "the emulated device computes as one that waits";
  EXPECT_EQ(report.instances_with(reports::Verdict::kFail), 2u);
  std::size_t missing = 0;
  for (const reports::Finding& f : report.findings) {
    if (f.kind != reports::FindingKind::kMissingWaitState) continue;
    ++missing;
    EXPECT_THAT(f.message, StartsWith("error W-"));
    EXPECT_THAT(f.message, HasSubstr("v_mfma_"));
    EXPECT_THAT(f.case_id, HasSubstr("@seed=1#0"));
  }
  EXPECT_EQ(missing, 4u) << "one for each instance and level";
  EXPECT_THAT(reports::to_json(report), HasSubstr("\"missing-wait-state\""));
}

// D = C, with notes about wait states.
class NotedDevice : public devices::Device {
 public:
  explicit NotedDevice(std::vector<devices::WaitStateNote> notes) : notes_(std::move(notes)) {
    info_.id = info_.kind = "noted";
  }
  const devices::DeviceInfo& info() const override { return info_; }
  tl::expected<std::unique_ptr<devices::Module>, std::string> load(std::span<const std::byte>) override {
    class NotedModule : public devices::Module {
     public:
      explicit NotedModule(std::vector<devices::WaitStateNote> notes) : notes_(std::move(notes)) {}
      devices::LaunchOutcome run(const std::string&, std::span<const cases::Case> cases) override {
        devices::LaunchOutcome outcome;
        for (const cases::Case& c : cases) outcome.d.push_back(c.c);
        outcome.wait_states = notes_;
        return outcome;
      }

     private:
      std::vector<devices::WaitStateNote> notes_;
    };
    return std::make_unique<NotedModule>(notes_);
  }

 private:
  std::vector<devices::WaitStateNote> notes_;
  devices::DeviceInfo info_;
};

reports::RunReport run_with(std::vector<devices::WaitStateNote> notes) {
  NotedDevice device(std::move(notes));
  auto compiler = compilers::Compiler::open(testing::compiler_under_test(), "gfx950",
                                            compilers::Cache(compilers::Cache::default_directory()));
  EXPECT_TRUE(compiler) << compiler.error();
  RunDescription options;
  options.plan.instances = instances_of({"mfma_f32_16x16x16f16"});
  options.subject.compilers = {*compiler};
  options.subject.levels = {"O2"};
  options.subject.device = &device;
  options.subject.profile = oracles::default_profile();
  options.plan.cases_per_instance = 33;
  options.control.jobs = 1;
  return run(options);
}

TEST(WaitStates, WarningsAreListedAndFailNothing) {
  const reports::RunReport report = run_with({{false, "W-A", "warning W-A: one"}, {false, "W-B", "warning W-B: two"}});
  std::size_t warnings = 0;
  for (const reports::Finding& f : report.findings) {
    if (f.kind != reports::FindingKind::kWaitStateWarning) continue;
    ++warnings;
    EXPECT_EQ(f.message, "warning W-A: one; and 1 more: W-A, W-B");
  }
  EXPECT_EQ(warnings, 1u);
  EXPECT_EQ(reports::verdict_of(reports::FindingKind::kWaitStateWarning), reports::Verdict::kPass);
  // What fails comes first on the terminal.
  const std::string text = reports::to_terminal(report, {});
  EXPECT_LT(text.find("fail [wrong-bits]"), text.find("warning [wait-state-warning]"));
}

TEST(WaitStates, AnErrorFailsTheInstance) {
  const reports::RunReport report = run_with({{true, "W-A", "error W-A: one"}});
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings[0].kind, reports::FindingKind::kMissingWaitState);
  EXPECT_EQ(report.findings[0].message, "error W-A: one");
  EXPECT_EQ(report.exit_code(), reports::ExitCode::kFailure);
}

}  // namespace
}  // namespace mfma::conformance
