// Shards of one run make the report of the whole; others are refused.
#include "reports/model/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "reports/json/json.h"
#include "tests/reports/random_report.h"

namespace mfma::reports {
namespace {

using ::testing::HasSubstr;

// What shard `index` of `count` would have found: its units and the smoke set.
NamedReport shard_of(const RunReport& whole, std::uint64_t index, std::uint64_t count) {
  RunReport r = whole;
  const auto mine = [&](const UnitReport& u) { return u.smoke || u.number % count == index; };
  std::erase_if(r.units, [&](const UnitReport& u) { return !mine(u); });
  std::erase_if(r.program_units, [&](const UnitReport& u) { return u.number % count != index; });
  std::erase_if(r.findings, [&](const Finding& f) {
    const auto& units = f.shape.empty() ? r.units : r.program_units;
    return std::none_of(units.begin(), units.end(), [&](const UnitReport& u) { return u.number == f.unit; });
  });
  r.shard_index = index + 1;
  r.shard_count = count;
  r.seconds = whole.seconds / static_cast<double>(count);
  r.compilers[0].kernels_compiled = index == 0 ? whole.compilers[0].kernels_compiled : 0;
  r.compilers[0].kernels_from_cache = index == 0 ? whole.compilers[0].kernels_from_cache : 0;
  summarize(r);
  return {"shard" + std::to_string(index + 1) + ".json", std::move(r)};
}

TEST(Merge, IsTheUnshardedReport) {
  testing::RandomReport random(11);
  for (int round = 0; round < 200; ++round) {
    RunReport whole = random();
    whole.seconds = 4;
    for (UnitReport& u : whole.program_units) u.smoke = false;
    // A finding of one unit in one place is what tells it from others.
    for (std::size_t i = 0; i < whole.findings.size(); ++i) whole.findings[i].case_id = std::to_string(i);
    summarize(whole);
    for (const std::uint64_t count : std::vector<std::uint64_t>{1, 2, 4}) {
      std::vector<NamedReport> shards;
      for (std::uint64_t i = count; i > 0; --i) shards.push_back(shard_of(whole, i - 1, count));
      const auto merged = merge(std::move(shards));
      ASSERT_TRUE(merged) << merged.error();
      EXPECT_EQ(to_json(*merged), to_json(whole)) << count << " shards";
    }
  }
}

TEST(Merge, OfTheSmokeSetTheWorstCounts) {
  testing::RandomReport random(2);
  RunReport whole;
  do whole = random();
  while (whole.units.size() < 4);
  whole.units[0].smoke = true;
  std::vector<NamedReport> shards = {shard_of(whole, 0, 2), shard_of(whole, 1, 2)};
  shards[0].report.units[0].verdict = Verdict::kPass;
  shards[1].report.units[0].verdict = Verdict::kFail;
  const auto merged = merge(shards);
  ASSERT_TRUE(merged) << merged.error();
  EXPECT_EQ(merged->units[0].verdict, Verdict::kFail);
  EXPECT_EQ(merged->units.size(), whole.units.size());
}

TEST(Merge, RefusesWhatDoesNotBelongTogetherAndSaysWhy) {
  testing::RandomReport random(2);
  RunReport whole;
  do whole = random();
  while (whole.units.size() < 4);
  const std::vector<NamedReport> both = {shard_of(whole, 0, 2), shard_of(whole, 1, 2)};
  ASSERT_TRUE(merge(both));
  const auto refused = [&](const std::function<void(std::vector<NamedReport>&)>& change) {
    std::vector<NamedReport> shards = both;
    change(shards);
    const auto merged = merge(std::move(shards));
    return merged ? std::string("merged") : merged.error();
  };
  const auto second = [&](const std::function<void(RunReport&)>& change) {
    return refused([&](std::vector<NamedReport>& s) { change(s[1].report); });
  };
  EXPECT_THAT(refused([](auto& s) { s.clear(); }), HasSubstr("no reports"));
  EXPECT_THAT(refused([](auto& s) { s.pop_back(); }), HasSubstr("of 2 shards these are missing: 2"));
  EXPECT_THAT(refused([](auto& s) { s[1] = s[0]; }), HasSubstr("are both shard 1/2"));
  EXPECT_THAT(second([](RunReport& r) { r.shard_count = 3; }),
              HasSubstr("shard1.json is of 2 shards, shard2.json of 3"));
  EXPECT_THAT(second([](RunReport& r) { r.shard_index = 7; }), HasSubstr("there is no shard 7/2"));
  EXPECT_THAT(second([](RunReport& r) { r.seed = 9; }), HasSubstr("not of one run: seed: "));
  EXPECT_THAT(second([](RunReport& r) { r.tool_version = "9"; }), HasSubstr("version of mfma-conform: 0.1 and 9"));
  EXPECT_THAT(second([](RunReport& r) { r.compilers[0].hash = "ffff"; }), HasSubstr("compilers: "));
  EXPECT_THAT(second([](RunReport& r) { r.levels = {"O3"}; }), HasSubstr("levels: O0,O2 and O3"));
  EXPECT_THAT(second([](RunReport& r) { r.device_kind = "hip"; }), HasSubstr("kind of device"));
  EXPECT_THAT(second([](RunReport& r) { r.profile_digest = "00"; }), HasSubstr("profile: "));
  EXPECT_THAT(second([](RunReport& r) { r.device_profile_digest = "00"; }), HasSubstr("device profile: "));
  EXPECT_THAT(second([](RunReport& r) { r.broadcast_reading = "whole-wave"; }), HasSubstr("cbsz reading"));
  EXPECT_THAT(second([](RunReport& r) { r.tier = "full"; }), HasSubstr("tier: quick and full"));
  EXPECT_THAT(second([](RunReport& r) { r.cases_per_instance = 13; }), HasSubstr("cases per instance: 12 and 13"));
  EXPECT_THAT(second([](RunReport& r) { r.cases_per_program = 13; }), HasSubstr("cases per program: 3 and 13"));
  EXPECT_THAT(second([](RunReport& r) { r.modifiers = "none"; }), HasSubstr("modifiers: all and none"));
  EXPECT_THAT(second([](RunReport& r) { r.operand_classes = {"exact"}; }), HasSubstr("operand classes"));
  EXPECT_THAT(second([](RunReport& r) { r.properties.clear(); }), HasSubstr("properties: tiles and none named"));
  EXPECT_THAT(second([](RunReport& r) { r.shapes_asked = "all"; }), HasSubstr("shapes: by tier and all"));
  EXPECT_THAT(refused([](auto& s) {
                s[0].report.units[0].smoke = false;
                s[1].report.units[0] = s[0].report.units[0];
              }),
              HasSubstr("both have"));
}

}  // namespace
}  // namespace mfma::reports
