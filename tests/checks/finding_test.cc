#include "harness/checks/finding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "harness/checks/render.h"

namespace mfma::checks {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Finding finding(Code code, const std::string& subject, const std::string& level, const std::string& message = "m") {
  Finding f;
  f.code = code;
  f.severity = info_of(code).severity;
  f.subject = subject;
  f.arch = "gfx950";
  f.levels = {level};
  f.message = message;
  return f;
}

TEST(Finding, CodesHaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const CodeInfo& info : all_codes()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_EQ(code_named(info.name), info.code);
    EXPECT_EQ(&info_of(info.code), &info);
  }
  EXPECT_EQ(code_named("no-such-code"), std::nullopt);
  for (const Severity s : {Severity::kGate, Severity::kWarn, Severity::kIgnore})
    EXPECT_EQ(severity_named(name_of(s)), s);
}

TEST(Finding, LevelsAreMergedInTheOrderTried) {
  const auto out = merged(
      {finding(Code::kImmediateCrash, "x cbsz=-1", "O2"), finding(Code::kAcceptLate, "y", "O0"),
       finding(Code::kImmediateCrash, "x cbsz=-1", "O1"), finding(Code::kImmediateCrash, "x cbsz=-1", "O1", "other")},
      {"O0", "O1", "O2"});
  ASSERT_EQ(out.size(), 3u);
  EXPECT_EQ(out[0].code, Code::kAcceptLate);
  EXPECT_THAT(out[1].levels, ElementsAre("O1", "O2"));
  EXPECT_THAT(out[1].levels_without, ElementsAre("O0"));
  EXPECT_THAT(out[2].levels, ElementsAre("O1"));
}

TEST(ExitCode, FollowsWhatGates) {
  CheckReport report;
  EXPECT_EQ(exit_code(report), reports::ExitCode::kNoVerdict) << "nothing was checked";
  report.calls = 1;
  EXPECT_EQ(exit_code(report), reports::ExitCode::kPass);
  report.findings = {finding(Code::kAcceptLate, "x", "O0")};
  EXPECT_EQ(exit_code(report), reports::ExitCode::kPass) << "a warning";
  report.findings.push_back(finding(Code::kToolFailure, "x", "O0"));
  EXPECT_EQ(exit_code(report), reports::ExitCode::kNoVerdict);
  report.findings.push_back(finding(Code::kImmediateCrash, "x", "O0"));
  EXPECT_EQ(exit_code(report), reports::ExitCode::kFailure);
  report.findings.back().waived = "known";
  EXPECT_EQ(exit_code(report), reports::ExitCode::kNoVerdict);
}

TEST(Terminal, GroupsBuiltinsAndHidesWhatIsWaived) {
  CheckReport report;
  report.levels = {"O0"};
  report.calls = 1;
  report.findings = {finding(Code::kImmediateChanged, "first cbsz=8", "O0"),
                     finding(Code::kImmediateChanged, "second cbsz=8", "O0"),
                     finding(Code::kImmediateCrash, "third cbsz=-1", "O0")};
  report.findings[2].waived = "known";
  const std::string brief = to_terminal(report, {});
  EXPECT_NE(brief.find("cbsz=8 of first, second on gfx950"), std::string::npos) << brief;
  EXPECT_EQ(brief.find("third"), std::string::npos) << brief;
  EXPECT_NE(brief.find("1 findings are waived or ignored"), std::string::npos) << brief;
  EXPECT_NE(to_terminal(report, {.verbose = true}).find("third"), std::string::npos);
}

}  // namespace
}  // namespace mfma::checks
