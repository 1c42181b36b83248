#include "reports/model/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "reports/html/compare_html.h"
#include "reports/json/compare_json.h"
#include "reports/terminal/compare_terminal.h"
#include "tests/reports/random_report.h"
#include "tests/reports/sample_reports.h"

namespace mfma::reports {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

RunReport passing() {
  RunReport r = testing::failing_report();
  r.findings.clear();
  r.units[1].verdict = Verdict::kPass;
  summarize(r);
  return r;
}

Comparison of(const RunReport& before, const RunReport& after) {
  return compare(before, "old.json", after, "new.json");
}

TEST(Compare, AReportWithItselfHasNoChange) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    const RunReport r = testing::RandomReport(seed)();
    const Comparison c = of(r, r);
    EXPECT_TRUE(c.environment.empty() && c.new_failures.empty() && c.fixed.empty() && c.changed_bits.empty() &&
                c.verdicts.empty());
    EXPECT_EQ(c.exit_code(), c.in_both == 0 ? ExitCode::kNoVerdict : ExitCode::kPass)
        << "failures that are known are not new";
  }
}

TEST(Compare, ANewFailureFails) {
  const Comparison c = of(passing(), testing::failing_report());
  EXPECT_EQ(c.exit_code(), ExitCode::kFailure);
  ASSERT_EQ(c.new_failures.size(), 1u);
  EXPECT_EQ(c.new_failures[0].shown().instance, "a:1");
  ASSERT_EQ(c.verdicts.size(), 1u);
  EXPECT_EQ(c.verdicts[0].after, Verdict::kFail);
  const std::string text = to_terminal(c, false);
  EXPECT_THAT(text, HasSubstr("new failures (1)\n  [wrong-bits] a:1 at -O2 with /usr/bin/clang-22: what was seen"));
  EXPECT_THAT(text, HasSubstr("NEW FAILURES (exit 1)"));
}

TEST(Compare, AFixedOneDoesNot) {
  Comparison c = of(testing::failing_report(), passing());
  EXPECT_EQ(c.exit_code(), ExitCode::kPass);
  EXPECT_EQ(c.fixed.size(), 1u);
  // Gone because nobody looked is not fixed.
  RunReport after = passing();
  after.levels = {"O0"};
  EXPECT_TRUE(of(testing::failing_report(), after).fixed.empty());
  after = passing();
  after.units[1].counts.left = 1;
  EXPECT_TRUE(of(testing::failing_report(), after).fixed.empty());
}

TEST(Compare, OtherBitsOfTheSameCase) {
  RunReport after = testing::failing_report();
  after.findings[0].differences[0].actual = 0x3f800002;
  const Comparison c = of(testing::failing_report(), after);
  EXPECT_EQ(c.exit_code(), ExitCode::kPass);
  EXPECT_EQ(c.still_wrong.size(), 1u);
  ASSERT_EQ(c.changed_bits.size(), 1u);
  EXPECT_THAT(to_terminal(c, false), HasSubstr("D[0,1,2]: expected 3f800000, was 3f800001, is 3f800002"));
  after.findings[0].case_id = "a:1@seed=2#0";
  EXPECT_TRUE(of(testing::failing_report(), after).changed_bits.empty()) << "another case has other bits anyway";
}

TEST(Compare, AnotherCompilerIsMatchedWhateverItIsCalled) {
  RunReport after = testing::failing_report();
  after.compilers[0].path = after.findings[0].compiler = "/opt/llvm/bin/clang";
  after.compilers[0].version = "clang version 23.0.0";
  after.device_facts = {{"driver", "6.9"}};
  after.seed = 2;
  const Comparison c = of(testing::failing_report(), after);
  EXPECT_TRUE(c.new_failures.empty());
  EXPECT_EQ(c.still_wrong.size(), 1u);
  ASSERT_EQ(c.environment.size(), 3u);
  EXPECT_EQ(c.environment[0].name, "compiler");
  EXPECT_THAT(c.environment[0].after, HasSubstr("23.0.0"));
  EXPECT_EQ(c.environment[1], (ChangedFact{"device: driver", "", "6.9"}));
  EXPECT_EQ(c.environment[2], (ChangedFact{"seed", "1", "2"}));
  EXPECT_THAT(c.unlike, ElementsAre("seed"));
  const std::string said = "not like with like: seed differs";
  EXPECT_THAT(to_terminal(c, false), HasSubstr(said));
  EXPECT_THAT(to_html(c), HasSubstr(said));
  EXPECT_EQ(nlohmann::json::parse(to_json(c))["unlike"], nlohmann::json({"seed"}));
  after.seed = 1;
  EXPECT_TRUE(of(testing::failing_report(), after).unlike.empty()) << "another compiler or driver is what is tested";
}

TEST(Compare, NewHangsAlone) {
  RunReport after = testing::failing_report();
  after.findings[0].kind = FindingKind::kHang;
  after.units[1].verdict = Verdict::kHang;
  EXPECT_EQ(of(passing(), after).exit_code(), ExitCode::kHangOrLost);
  EXPECT_THAT(to_terminal(of(passing(), after), false), HasSubstr("NEW HANGS (exit 3)"));
  // A failure beside it wins.
  after.findings.push_back(testing::failing_report().findings[0]);
  EXPECT_EQ(of(passing(), after).exit_code(), ExitCode::kFailure);
}

TEST(Compare, WhatIsWrongInBothIsNamed) {
  const Comparison c = of(testing::failing_report(), testing::failing_report());
  ASSERT_EQ(c.still_wrong.size(), 1u);
  const std::string text = to_terminal(c, false);
  EXPECT_THAT(text, HasSubstr("wrong in both (1)\n  [wrong-bits] a:1 at -O2"));
  EXPECT_THAT(to_html(c), HasSubstr("[wrong-bits] a:1 at -O2"));
  EXPECT_EQ(nlohmann::json::parse(to_json(c))["still_wrong"].size(), 1u);
}

TEST(Compare, OfSeveralCompilersEachIsMatchedWithItsOwn) {
  RunReport before = testing::failing_report(), after = testing::failing_report();
  CompilerReport other = before.compilers[0];
  other.path = "/opt/23/clang";
  other.version = "clang version 23.0.0";
  before.compilers.push_back(other);
  other.path = "/elsewhere/clang";
  after.compilers.insert(after.compilers.begin(), other);
  EXPECT_TRUE(of(before, after).new_failures.empty());
  after.findings[0].compiler = "/elsewhere/clang";  // now the other one fails
  const Comparison c = of(before, after);
  EXPECT_EQ(c.new_failures.size(), 1u);
  EXPECT_EQ(c.fixed.size(), 1u);
}

TEST(Compare, WhatIsOnlyInOne) {
  RunReport after = testing::failing_report();
  after.units.erase(after.units.begin());
  after.units.push_back(testing::passing_unit(9, "mfma_a", "a:9"));
  after.units.back().verdict = Verdict::kFail;
  after.findings.push_back(testing::finding_on(after.units.back(), FindingKind::kWrongBits, "O2"));
  summarize(after);
  const Comparison c = of(testing::failing_report(), after);
  EXPECT_THAT(c.only_before, ElementsAre("a:0"));
  EXPECT_THAT(c.only_after, ElementsAre("a:9"));
  EXPECT_EQ(c.new_failures.size(), 1u) << "a failure is new also where there was nothing before";
}

TEST(Compare, NothingInBothAndVerdictsThatAreLostAreNoPass) {
  RunReport after = passing();
  for (UnitReport& u : after.units) u.id = "b" + u.id;
  EXPECT_EQ(of(passing(), after).exit_code(), ExitCode::kNoVerdict);
  EXPECT_THAT(to_terminal(of(passing(), after), false), HasSubstr("nothing to compare"));
  after = passing();
  after.units[2].verdict = Verdict::kInconclusive;
  after.findings = {testing::finding_on(after.units[2], FindingKind::kCompileRejected, "O2")};
  const Comparison c = of(passing(), after);
  EXPECT_THAT(c.lost, ElementsAre("a:2"));
  EXPECT_TRUE(c.new_failures.empty());
  EXPECT_EQ(c.exit_code(), ExitCode::kNoVerdict);
}

TEST(Compare, WhatIsWaivedIsNotNewAndWhatNoLongerIsWaivedIs) {
  RunReport waived = testing::failing_report();
  waived.findings[0].waived = "known";
  waived.units[1].verdict = Verdict::kWaived;
  EXPECT_EQ(of(passing(), waived).exit_code(), ExitCode::kPass);
  EXPECT_EQ(of(waived, testing::failing_report()).exit_code(), ExitCode::kFailure);
}

TEST(Compare, HostileTextBreaksNeitherPageNorTerminal) {
  RunReport after = testing::failing_report();
  after.findings[0].message = "<script>alert(1)</script>\x1b[2J\xff";
  const Comparison c = of(passing(), after);
  EXPECT_THAT(to_html(c), HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;?[2J"));
  EXPECT_THAT(to_html(c), Not(HasSubstr("<script")));
  EXPECT_THAT(to_terminal(c, false), Not(HasSubstr("\x1b")));
  EXPECT_EQ(nlohmann::json::parse(to_json(c))["new_failures"].size(), 1u);
}

// The three renderings have the same numbers.
TEST(Compare, CountsAgreeAcrossRenderings) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    const Comparison c = of(testing::RandomReport(seed)(), testing::RandomReport(seed + 1000)());
    const nlohmann::json json = nlohmann::json::parse(to_json(c));
    EXPECT_EQ(json["new_failures"].size(), c.new_failures.size());
    EXPECT_EQ(json["exit_code"], static_cast<int>(c.exit_code()));
    for (const std::string& text : {to_terminal(c, false), to_html(c)}) {
      if (c.in_both == 0) continue;
      EXPECT_THAT(text, HasSubstr(std::to_string(c.new_failures.size()) + " new failures, " +
                                  std::to_string(c.fixed.size()) + " fixed"));
    }
    EXPECT_THAT(to_terminal(c, false), HasSubstr("(exit " + std::to_string(static_cast<int>(c.exit_code())) + ")"));
  }
}

}  // namespace
}  // namespace mfma::reports
