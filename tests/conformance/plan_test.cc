#include "harness/conformance/calls/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

namespace mfma::conformance {
namespace {

using catalogue::Instance;
using testing::HasSubstr;

std::set<std::string> ids(const std::vector<Instance>& instances) {
  std::set<std::string> out;
  for (const Instance& i : instances) out.insert(catalogue::instance_id(i));
  return out;
}

TEST(Plan, SelectsEveryLegalInstanceByDefault) {
  const auto all = select_instances({});
  ASSERT_TRUE(all) << all.error();
  EXPECT_EQ(all->size(), 2354u);
  EXPECT_EQ(ids(*all).size(), 2354u);
}

TEST(Plan, ShardsAreCompleteAndDisjointButForTheSmokeSetThatEachHas) {
  const std::vector<catalogue::Instance> all = *select_instances({});
  Selection plain;
  plain.modifiers = ModifierChoice::kNone;
  const std::set<std::string> smoke = ids(*select_instances(plain));
  ASSERT_EQ(smoke.size(), 38u);
  for (const std::uint64_t count : {2u, 7u, 64u}) {
    std::map<std::string, std::size_t> met;
    for (std::uint64_t index = 0; index < count; ++index) {
      Selection s;
      s.shard = {index, count};
      const auto part = select_instances(s);
      ASSERT_TRUE(part);
      for (const std::string& id : ids(*part)) ++met[id];
    }
    for (const catalogue::Instance& i : all) {
      const std::string id = catalogue::instance_id(i);
      EXPECT_EQ(met[id], is_smoke(i) ? count : 1) << id;
      EXPECT_EQ(is_smoke(i), smoke.count(id) == 1) << id;
    }
    EXPECT_EQ(met.size(), 2354u);
  }
}

TEST(Plan, TheNumberOfAnInstanceIsItsPlaceInTheCatalogue) {
  const std::vector<catalogue::Instance> all = catalogue::all_legal_instances();
  for (std::size_t n = 0; n < all.size(); ++n) ASSERT_EQ(number_of(all[n]), n) << catalogue::instance_id(all[n]);
}

TEST(Plan, AShardOfAGlobIsThatGlobOfTheShard) {
  Selection narrow, wide;
  narrow.builtin_glob = "mfma_f32_4x4x4f16";
  narrow.shard = wide.shard = {1, 3};
  const auto narrow_ids = ids(*select_instances(narrow));
  const auto wide_ids = ids(*select_instances(wide));
  EXPECT_FALSE(narrow_ids.empty());
  for (const std::string& id : narrow_ids) EXPECT_EQ(wide_ids.count(id), 1u) << id;
}

TEST(Plan, NoModifiersIsOneInstancePerBuiltin) {
  Selection s;
  s.modifiers = ModifierChoice::kNone;
  const auto plain = select_instances(s);
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->size(), catalogue::builtins().size());
}

TEST(Plan, DefaultModifiersCoverEveryValueOfEveryImmediate) {
  for (const catalogue::Builtin& builtin : catalogue::builtins()) {
    std::set<int> cbsz[2], abid[2], blgp[2];
    std::set<std::pair<int, int>> pairs[2], op_sels[2];
    const auto collect = [&](const std::vector<Instance>& instances, int which) {
      for (const Instance& i : instances) {
        cbsz[which].insert(i.modifiers.cbsz);
        abid[which].insert(i.modifiers.abid);
        blgp[which].insert(i.modifiers.blgp);
        pairs[which].insert({i.modifiers.cbsz, i.modifiers.blgp});
        op_sels[which].insert({i.modifiers.op_sel_a, i.modifiers.op_sel_b});
      }
    };
    const auto legal = catalogue::legal_instances(builtin);
    const auto chosen = default_instances(builtin);
    collect(legal, 0);
    collect(chosen, 1);
    EXPECT_EQ(cbsz[0], cbsz[1]) << builtin.name;
    EXPECT_EQ(abid[0], abid[1]) << builtin.name;
    EXPECT_EQ(blgp[0], blgp[1]) << builtin.name;
    EXPECT_EQ(op_sels[0], op_sels[1]) << builtin.name;
    if (builtin.modifiers == catalogue::ModifierKind::kScaled) {
      EXPECT_EQ(pairs[0], pairs[1]) << builtin.name;
    }
    EXPECT_LE(chosen.size(), 50u) << builtin.name;
  }
}

TEST(Plan, UnknownAndRejectedNamesGetALineThatSaysWhatToDo) {
  Selection s;
  s.builtin_glob = "mfma_f32_16x16x32_f61";
  const auto unknown = select_instances(s);
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error(), HasSubstr("mfma_f32_16x16x32_f16"));
  s.builtin_glob = std::string(catalogue::rejected_builtins()[0].name);
  const auto rejected = select_instances(s);
  ASSERT_FALSE(rejected);
  EXPECT_THAT(rejected.error(), HasSubstr("gfx950 does not have it"));
}

TEST(Plan, AProfileWithoutARuleIsNamed) {
  oracles::Profile profile;
  profile.name = "empty";
  profile.arch = "gfx942";
  EXPECT_THAT(unusable_profile(profile, *select_instances({})), HasSubstr("is for gfx942, not for gfx950"));
  profile.arch = "gfx950";
  const std::string line = unusable_profile(profile, *select_instances({}));
  EXPECT_THAT(line, HasSubstr("'empty' has no rule for mfma_"));
  EXPECT_EQ(unusable_profile(oracles::default_profile(), *select_instances({})), "");
}

}  // namespace
}  // namespace mfma::conformance
