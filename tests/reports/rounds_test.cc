// Rounds of a soak as one report.
#include "reports/model/rounds.h"

#include <gtest/gtest.h>

#include "reports/json/json.h"

namespace mfma::reports {
namespace {

RunReport round_of(std::uint64_t seed, std::optional<FindingKind> kind = {}, const std::string& instance = "b:1") {
  RunReport r;
  r.seed = seed;
  r.seconds = 2;
  for (std::uint64_t n = 0; n < 3; ++n) {
    UnitReport& unit = r.units.emplace_back();
    unit.number = n;
    unit.group = "b";
    unit.id = "b:" + std::to_string(n + 1);
    unit.verdict = kind && unit.id == instance ? verdict_of(*kind) : Verdict::kPass;
    unit.counts.cases = 12;
    unit.counts.elements = 120;
  }
  r.units[1].open.push_back({"p", "b", "one", 4});
  summarize(r);
  r.digests.push_back({"b:1", "cc", "O2", 12, seed});
  r.device_errors.push_back({"umc.ce", seed, seed + 1});
  if (!kind) return r;
  Finding f;
  f.kind = *kind;
  f.builtin = "b";
  f.instance = instance;
  f.level = "O2";
  f.cases_affected = 2;
  f.elements_differing = 5;
  f.failing_lanes[7] = 5;
  f.case_id = "seed" + std::to_string(seed);
  r.findings.push_back(f);
  return r;
}

TEST(Rounds, CountsAddUp) {
  RunReport sum = round_of(1);
  add_round(sum, round_of(2));
  add_round(sum, round_of(3));
  EXPECT_EQ(sum.rounds, 3u);
  EXPECT_EQ(sum.seed, 1u);
  EXPECT_EQ(sum.totals().cases, 108u);
  EXPECT_EQ(sum.instances(), 3u);
  EXPECT_EQ(sum.instances_with(Verdict::kPass), 3u);
  EXPECT_EQ(sum.open.size(), 1u);
  EXPECT_EQ(sum.open[0].checks, 12u);
  EXPECT_EQ(sum.units[1].open.size(), 1u) << "grows with each round";
  EXPECT_EQ(sum.seconds, 6);
  EXPECT_EQ(sum.exit_code(), ExitCode::kPass);
  ASSERT_EQ(sum.device_errors.size(), 1u);
  EXPECT_EQ(sum.device_errors[0], (ErrorCounter{"umc.ce", 1, 4}));
}

TEST(Rounds, OneFailureInOneRoundFailsItsInstanceOnce) {
  RunReport sum = round_of(1);
  add_round(sum, round_of(2, FindingKind::kWrongBits));
  add_round(sum, round_of(3, FindingKind::kWrongBits));
  add_round(sum, round_of(4, FindingKind::kHang, "b:2"));
  EXPECT_EQ(sum.instances_with(Verdict::kFail), 1u);
  EXPECT_EQ(sum.instances_with(Verdict::kHang), 1u);
  EXPECT_EQ(sum.instances_with(Verdict::kPass), 1u);
  EXPECT_EQ(sum.exit_code(), ExitCode::kFailure);
  ASSERT_EQ(sum.findings.size(), 2u);
  EXPECT_EQ(sum.findings[0].case_id, "seed2");
  EXPECT_EQ(sum.findings[0].cases_affected, 4u);
  EXPECT_EQ(sum.findings[0].elements_differing, 10u);
  EXPECT_EQ(sum.findings[0].failing_lanes.at(7), 10u);
}

// What is written of a soak is read back: the trials of each property add up to those of the instance.
TEST(Rounds, PropertiesAddUp) {
  const auto with_checks = [](std::uint64_t seed, std::uint64_t broken) {
    RunReport r = round_of(seed);
    r.units[0].properties = {{"tiles", 4, broken}};
    r.units[0].counts.property_checks = 4;
    r.units[0].counts.properties_broken = broken;
    r.units[1].untouched = seed == 2;
    summarize(r);
    return r;
  };
  RunReport sum = with_checks(1, 0);
  add_round(sum, with_checks(2, 1));
  add_round(sum, with_checks(3, 0));
  ASSERT_EQ(sum.units[0].properties.size(), 1u);
  EXPECT_EQ(sum.units[0].properties[0], (PropertyCount{"tiles", 12, 1}));
  EXPECT_TRUE(sum.units[1].untouched) << "one round did not touch it";
  const auto read = from_json(to_json(sum), "soak.json");
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->units, sum.units);
}

// A failure of the first round, as the row had it, and the worst of several verdicts of one instance.
TEST(Rounds, TheWorstVerdictStands) {
  RunReport sum = round_of(1, FindingKind::kUnsupportedInstruction);
  add_round(sum, round_of(2, FindingKind::kWrongBits));
  add_round(sum, round_of(3, FindingKind::kHang));
  EXPECT_EQ(sum.instances_with(Verdict::kFail), 1u);
  EXPECT_EQ(sum.instances_with(Verdict::kHang), 0u);
  EXPECT_EQ(sum.instances_with(Verdict::kInconclusive), 0u);
}

TEST(Rounds, AWarningIsNoVerdict) {
  RunReport sum = round_of(1, FindingKind::kWaitStateWarning);
  add_round(sum, round_of(2));
  EXPECT_EQ(sum.instances_with(Verdict::kPass), 3u);
}

// The same rounds in another order, or another round, give another digest; equal rounds the same.
TEST(Rounds, DigestsChain) {
  const auto digest = [](std::uint64_t second, std::uint64_t third) {
    RunReport sum = round_of(1);
    add_round(sum, round_of(second));
    add_round(sum, round_of(third));
    EXPECT_EQ(sum.digests.at(0).cases, 36u);
    return sum.digests.at(0).digest;
  };
  EXPECT_EQ(digest(2, 3), digest(2, 3));
  EXPECT_NE(digest(2, 3), digest(3, 2));
  EXPECT_NE(digest(2, 3), digest(2, 4));
}

}  // namespace
}  // namespace mfma::reports
