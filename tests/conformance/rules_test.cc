// The digests of models and profiles: of every field, and the same as in the case files that there are.
#include "harness/conformance/execution/rules.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace mfma::conformance {
namespace {

using oracles::Model;

TEST(ModelDigest, EveryFieldChangesIt) {
  const std::vector<std::function<void(Model&)>> changes = {
      [](Model& m) { m.kind = oracles::ModelKind::kPairwise; },
      [](Model& m) { m.step += 1; },
      [](Model& m) { m.order = oracles::StepOrder::kDescending; },
      [](Model& m) { m.groups += 1; },
      [](Model& m) { m.grouping = oracles::Grouping::kContiguous; },
      [](Model& m) { m.product_fraction_bits += 1; },
      [](Model& m) { m.product_rounding = oracles::Rounding::kNearestEven; },
      [](Model& m) { m.zero_products_raise_exponent = true; },
      [](Model& m) { m.normalise_subnormals = true; },
      [](Model& m) { m.normalise_products = true; },
      [](Model& m) { m.merge_fraction_bits += 1; },
      [](Model& m) { m.merge_rounding = oracles::Rounding::kNearestEven; },
      [](Model& m) { m.sum_fraction_bits += 1; },
      [](Model& m) { m.sum_rounding = oracles::Rounding::kNearestEven; },
      [](Model& m) { m.c_fraction_bits += 1; },
      [](Model& m) { m.c_rounding = oracles::Rounding::kNearestEven; },
      [](Model& m) { m.drop_c_below = 30; },
      [](Model& m) { m.final_fraction_bits.reset(); },
      [](Model& m) { m.final_rounding = oracles::Rounding::kNearestEven; },
      [](Model& m) { m.product_overflow = oracles::ProductOverflow::kNone; },
      [](Model& m) { m.nan.propagate = true; },
      [](Model& m) { m.nan.order = "cba"; },
      [](Model& m) { m.nan.bits = 0xffc00000; },
      [](Model& m) { m.scale = oracles::ScaleEntry::kInBlockSum; },
  };
  std::set<std::string> digests = {digest_of(Model{})};
  for (std::size_t n = 0; n < changes.size(); ++n) {
    Model changed;
    changes[n](changed);
    ASSERT_NE(changed, Model{}) << "change " << n << " changes nothing";
    EXPECT_TRUE(digests.insert(digest_of(changed)).second) << "change " << n;
  }
}

// Case files and reports have these: a digest that changes makes what they expect be set aside.
TEST(ModelDigest, IsTheOneThatFilesHave) {
  EXPECT_EQ(digest_of(Model{}), "82f820e62b5603a2");
  EXPECT_EQ(profile_digest(oracles::default_profile()), "b2a8641ee4ad9156");
}

TEST(ModelDigest, OfAnInstanceIsOfTheRuleThatItFallsUnder) {
  const auto instance = catalogue::parse_instance("mfma_f32_16x16x32_f16");
  ASSERT_TRUE(instance);
  const oracles::Profile& profile = oracles::default_profile();
  EXPECT_EQ(model_digest(profile, *instance), digest_of(rule_of(profile, *instance)->model));
}

}  // namespace
}  // namespace mfma::conformance
