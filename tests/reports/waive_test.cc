// Waivers over reports: what they waive, when they fail the run, and what a file must look like.
#include "reports/model/waive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/json/json.h"
#include "reports/json/waiver_file.h"
#include "reports/model/merge.h"
#include "reports/terminal/terminal.h"
#include "tests/reports/sample_reports.h"

namespace mfma::reports {
namespace {

using testing::failing_report;
using testing::finding_on;
using ::testing::HasSubstr;

std::string file_with(const std::string& waivers) {
  return R"({"schema": "mfma-conform/waivers/1", "waivers": [)" + waivers + "]}";
}

// The sample report (units a:0 to a:3 of builtin mfma_a; a:1 fails) judged with one waiver; `keys` beside reason and
// link.
RunReport judged(const std::string& keys, RunReport report = failing_report()) {
  const auto waivers =
      parse_waivers(file_with("{" + keys + R"(, "reason": "known", "link": "https://bugs.example/1"})"), "w.json");
  EXPECT_TRUE(waivers) << waivers.error();
  for (const Waiver& w : *waivers) report.waivers.emplace_back().waiver = w;
  judge_waivers(report);
  return report;
}

TEST(Waive, WhatIsWaivedDoesNotFailAndIsStillThere) {
  const RunReport r = judged(R"("builtin": "mfma_*", "code": "wrong-bits")");
  EXPECT_EQ(r.exit_code(), ExitCode::kPass);
  EXPECT_EQ(r.units[1].verdict, Verdict::kWaived);
  EXPECT_EQ(r.instances_with(Verdict::kWaived), 1u);
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.findings[0].waived, "known (https://bugs.example/1)");
  EXPECT_EQ(r.waivers[0].state, WaiverState::kUsed);
  EXPECT_THAT(to_terminal(r, {}), HasSubstr("1 waivers: 1 used, 0 unused, 0 expired, 0 not judged"));
  RunReport again = r;
  judge_waivers(again);
  EXPECT_EQ(to_json(again), to_json(r));
  const auto read = from_json(to_json(r), "r");
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->waivers, r.waivers);
}

TEST(Waive, OneFindingThatIsNotWaivedKeepsTheInstanceFailing) {
  RunReport r = failing_report();
  r.findings.push_back(finding_on(r.units[1], FindingKind::kHang, "O0"));
  r = judged(R"("code": "wrong-bits")", r);
  EXPECT_EQ(r.units[1].verdict, Verdict::kHang);
  EXPECT_EQ(r.exit_code(), ExitCode::kHangOrLost);
}

TEST(Waive, EachCriterionNarrows) {
  for (const char* keys :
       {R"("builtin": "mfma_b")", R"("instance": "a:2")", R"("code": "hang")", R"("code": "wrong-bits", "level": "O0")",
        R"("code": "wrong-bits", "device": "hip*")", R"("code": "wrong-bits", "arch": "gfx942")",
        R"("property": "tiles")", R"("shape": "k-loop")", R"("code": "wrong-bits", "compiler": "*gcc*")",
        R"("code": "wrong-bits", "compiler_to": "22.0")", R"("code": "wrong-bits", "compiler_from": "22.1.9")"}) {
    EXPECT_EQ(judged(keys).units[1].verdict, Verdict::kFail) << keys;
  }
  for (const char* keys : {R"("builtin": "mfma_a")", R"("instance": "a:1")", R"("code": "wrong-bits", "level": "O2")",
                           R"("code": "wrong-bits", "device": "emul*", "arch": "gfx950")",
                           R"("code": "wrong-bits", "compiler": "*clang version 22.*")",
                           R"("code": "wrong-bits", "compiler_from": "22.1", "compiler_to": "22.1")",
                           R"("code": "wrong-bits", "compiler_from": "9", "compiler_to": "22.1.8")"}) {
    EXPECT_EQ(judged(keys).units[1].verdict, Verdict::kWaived) << keys;
  }
}

TEST(Waive, ExpiredOnesWaiveNothingAndFail) {
  RunReport r = judged(R"("instance": "a:1", "expires": "2026-11-29")");
  EXPECT_EQ(r.units[1].verdict, Verdict::kFail);
  EXPECT_EQ(r.waivers[0].state, WaiverState::kExpired);
  ASSERT_EQ(r.findings.size(), 2u);
  EXPECT_EQ(r.findings[1].kind, FindingKind::kWaiverExpired);
  EXPECT_THAT(r.findings[1].message, HasSubstr("has expired; it matches 1 findings"));
  // Also where all passes: a pass with an expired waiver beside it is none.
  EXPECT_EQ(judged(R"("instance": "a:2", "expires": "2026-11-29")").waivers[0].state, WaiverState::kExpired);
  // The day itself is its last; and of what was not run it says nothing.
  EXPECT_EQ(judged(R"("instance": "a:1", "expires": "2026-11-30")").exit_code(), ExitCode::kPass);
  EXPECT_EQ(judged(R"("instance": "a:7", "expires": "2026-11-29")").waivers[0].state, WaiverState::kIdle);
}

TEST(Waive, AnUnexpectedPassFails) {
  RunReport passing = failing_report();
  passing.findings.clear();
  passing.units[1].verdict = Verdict::kPass;
  summarize(passing);
  const RunReport r = judged(R"("instance": "a:1")", passing);
  EXPECT_EQ(r.exit_code(), ExitCode::kFailure);
  EXPECT_EQ(r.instances_with(Verdict::kFail), 0u);
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.findings[0].kind, FindingKind::kWaiverUnused);
  EXPECT_THAT(to_terminal(r, {}),
              HasSubstr("fail [waiver-unused] waivers\n  waiver 1 of w.json (instance a:1) waives nothing"));
  EXPECT_EQ(judged(R"("instance": "a:1", "may_pass": true)", passing).exit_code(), ExitCode::kPass);
  // Not where what it is about was not run, or not to its end, or on another compiler.
  passing.units[1].counts.left = 3;
  EXPECT_EQ(judged(R"("instance": "a:1")", passing).waivers[0].state, WaiverState::kIdle);
  passing.units[1].counts.left = 0;
  EXPECT_EQ(judged(R"("instance": "a:1", "compiler": "*23*")", passing).waivers[0].state, WaiverState::kIdle);
  EXPECT_EQ(judged(R"("instance": "b:1")", passing).waivers[0].state, WaiverState::kIdle);
  EXPECT_EQ(judged(R"("property": "tiles")", passing).waivers[0].state, WaiverState::kIdle)
      << "no instance has a check of it";
  passing.units[1].properties = {{"tiles", 2, 0}};
  passing.units[1].counts.property_checks = 2;
  EXPECT_EQ(judged(R"("property": "tiles")", passing).waivers[0].state, WaiverState::kUnused);
}

TEST(Waive, WhatWasCutShortIsNotRunEvenWhereItsFailureIsWaived) {
  RunReport r = failing_report();
  r.units[1].untouched = true;
  r.units[1].counts.left = 5;
  r = judged(R"("instance": "a:1")", r);
  EXPECT_EQ(r.units[1].verdict, Verdict::kNotRun);
  EXPECT_EQ(r.exit_code(), ExitCode::kNoVerdict);
}

// The whole of two shards, judged once as one run and once as shards that are merged.
TEST(Waive, ShardsJudgeWhatIsTheirsAndTheMergeTheWhole) {
  for (const char* keys :
       {R"("builtin": "mfma_a", "code": "wrong-bits")", R"("instance": "a:1")", R"("instance": "a:2")",
        R"("instance": "a:[23]")", R"("instance": "a:1", "expires": "2020-01-01")"}) {
    const RunReport whole = judged(keys);
    std::vector<NamedReport> shards;
    for (const std::uint64_t index : {1u, 2u}) {
      RunReport shard = failing_report();
      shard.shard_index = index;
      shard.shard_count = 2;
      std::erase_if(shard.units, [&](const UnitReport& u) { return u.number % 2 != index - 1; });
      if (index == 1) shard.findings.clear();
      summarize(shard);
      shards.push_back({"shard", judged(keys, shard)});
    }
    if (std::string(keys).find("a:[23]") != std::string::npos) {
      EXPECT_EQ(shards[0].report.waivers[0].state, WaiverState::kIdle);
    }
    if (std::string(keys).find("mfma_a") != std::string::npos) {
      EXPECT_EQ(shards[0].report.exit_code(), ExitCode::kPass) << "its waiver is of the other shard's instance";
    }
    auto merged = merge(shards);
    ASSERT_TRUE(merged) << merged.error();
    merged->seconds = whole.seconds;
    EXPECT_TRUE(to_json(*merged) == to_json(whole)) << keys;
  }
}

TEST(Waive, ShardsWithOtherWaiversAreNotOfOneRun) {
  RunReport first = failing_report(), second = failing_report();
  first.shard_count = second.shard_count = 2;
  first.shard_index = 1;
  second.shard_index = 2;
  const auto merged = merge({{"x", judged(R"("instance": "a:1")", first)}, {"y", second}});
  ASSERT_FALSE(merged);
  EXPECT_THAT(merged.error(), HasSubstr("waivers: "));
}

TEST(WaiverFile, WhatItRefusesItNames) {
  const std::string known = R"("reason": "r", "link": "l")";
  const std::pair<std::string, const char*> kBad[] = {
      {R"({"bultin": "x", )" + known + "}", "waiver 1: unknown key \"bultin\"; known are finding, builtin"},
      {"{" + known + "}", "waiver 1: it says nothing of what it waives"},
      {R"({"level": "O2", )" + known + "}", "waiver 1: it says nothing of what it waives"},
      {R"({"code": "wrong-bits", "reason": "r"})", "waiver 1: no \"link\""},
      {R"({"code": "wrong-bits", "link": "r"})", "waiver 1: no \"reason\""},
      {R"({"code": "wrong-bit", )" + known + "}", "\"code\": 'wrong-bit' is no code of a failure"},
      {R"({"code": "wait-state-warning", )" + known + "}", "is no code of a failure"},
      {R"({"code": "waiver-unused", )" + known + "}", "is no code of a failure"},
      {R"({"code": 3, )" + known + "}", "\"code\" must be a text"},
      {R"({"code": "hang", "may_pass": "yes", )" + known + "}", "\"may_pass\" must be true or false"},
      {R"({"code": "hang", "expires": "2026-02-29", )" + known + "}", "\"expires\": '2026-02-29' is no date"},
      {R"({"code": "hang", "expires": "26-2-2", )" + known + "}", "is no date"},
      {R"({"code": "hang", "compiler_from": "22.x", )" + known + "}", "\"compiler_from\": '22.x' is no version"},
      {R"({"finding": "x", "compiler": "c", "level": "O2", )" + known + "}", "with \"finding\""},
      {R"({"code": "hang", )" + known + R"(}, {"code": "hang", "reason": "", "link": "l"})",
       "waiver 2: \"reason\" must be a text"},
  };
  for (const auto& [entry, words] : kBad) {
    const auto read = parse_waivers(file_with(entry), "w.json");
    ASSERT_FALSE(read) << entry;
    EXPECT_THAT(read.error(), HasSubstr(words));
    EXPECT_EQ(read.error().rfind("w.json: ", 0), 0u);
  }
  EXPECT_EQ(parse_waivers(file_with(R"({"code": "hang", "code": "wrong-bits", )" + known + "}"), "w").error(),
            "w: waivers[0].code: stands twice in one object");
  EXPECT_EQ(parse_waivers(file_with(R"({"code": 1e999, )" + known + "}"), "w").error(),
            "w: waivers[0].code: 1e999 is a number too large");
  EXPECT_EQ(parse_waivers(file_with("") + std::string(1, '\0'), "w").error(), "w: not JSON, at byte 52");
  EXPECT_EQ(parse_waivers(file_with("") + " {}", "w").error(), "w: not JSON, at byte 53");
  EXPECT_THAT(parse_waivers(R"({"schema": "mfma-conform/waivers/1", "waivers": [], "x": 1})", "w").error(),
              HasSubstr("unknown key \"x\""));
}

}  // namespace
}  // namespace mfma::reports
