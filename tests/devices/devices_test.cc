#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/devices/emulated.h"

namespace mfma::devices {
namespace {

using testing::HasSubstr;

// Every field of a model away from its default arrives in the unit's rules.
TEST(EmulatedDevice, TranslatesEveryParameter) {
  oracles::Model m;
  m.kind = oracles::ModelKind::kPairwise;
  m.step = 7;
  m.order = oracles::StepOrder::kDescending;
  m.groups = 2;
  m.grouping = oracles::Grouping::kContiguous;
  m.product_fraction_bits = 30;
  m.product_rounding = oracles::Rounding::kDown;
  m.zero_products_raise_exponent = true;
  m.normalise_subnormals = true;
  m.normalise_products = true;
  m.merge_fraction_bits = 31;
  m.merge_rounding = oracles::Rounding::kTowardZero;
  m.sum_fraction_bits = 33;
  m.sum_rounding = oracles::Rounding::kNearestEven;
  m.c_fraction_bits = 34;
  m.c_rounding = oracles::Rounding::kTowardZero;
  m.drop_c_below = 25;
  m.final_fraction_bits = std::nullopt;
  m.final_rounding = oracles::Rounding::kTowardZero;
  m.product_overflow = oracles::ProductOverflow::kNone;
  m.nan.propagate = true;
  m.nan.order = "cba";
  m.nan.bits = 0xffc00000;
  m.scale = oracles::ScaleEntry::kInBlockSum;
  const gfx950::AdderRules r = adder_rules(m, 32);
  EXPECT_EQ(r.accumulate, gfx950::Accumulate::kPairwise);
  EXPECT_EQ(r.step, 7);
  EXPECT_TRUE(r.descending);
  EXPECT_EQ(r.groups, 2);
  EXPECT_TRUE(r.contiguous_groups);
  EXPECT_EQ(r.product_fraction_bits, 30);
  EXPECT_EQ(r.product_rounding, gfx950::RoundTo::kMinusInfinity);
  EXPECT_TRUE(r.zero_products_raise_exponent);
  EXPECT_TRUE(r.normalise_subnormals);
  EXPECT_TRUE(r.normalise_products);
  EXPECT_EQ(r.merge_fraction_bits, 31);
  EXPECT_EQ(r.merge_rounding, gfx950::RoundTo::kZero);
  EXPECT_EQ(r.sum_fraction_bits, 33);
  EXPECT_EQ(r.sum_rounding, gfx950::RoundTo::kNearestEven);
  EXPECT_EQ(r.c_fraction_bits, 34);
  EXPECT_EQ(r.c_rounding, gfx950::RoundTo::kZero);
  EXPECT_EQ(r.drop_c_below, 25);
  EXPECT_FALSE(r.final_fraction_bits.has_value());
  EXPECT_EQ(r.final_rounding, gfx950::RoundTo::kZero);
  EXPECT_FALSE(r.product_overflow_is_infinity);
  EXPECT_TRUE(r.nan_propagates);
  EXPECT_EQ(r.nan_order, "cba");
  EXPECT_EQ(r.nan_bits, 0xffc00000u);
  EXPECT_TRUE(r.scale_in_block_sum);
}

TEST(EmulatedDevice, GeneratedNanFollowsTheAccumulator) {
  EXPECT_EQ(adder_rules({}, 32).nan_bits, 0x7fc00000u);
  EXPECT_EQ(adder_rules({}, 64).nan_bits, 0x7ff8000000000000u);
}

TEST(EmulatedDevice, NamesABuiltinWithoutARule) {
  oracles::Profile profile = oracles::default_profile();
  std::erase_if(profile.rules,
                [](const oracles::ProfileRule& rule) { return rule.model.kind == oracles::ModelKind::kInteger; });
  const catalogue::Builtin* i8 = catalogue::find_builtin("mfma_i32_16x16x32_i8");
  const catalogue::Builtin* f16 = catalogue::find_builtin("mfma_f32_16x16x16f16");
  ASSERT_TRUE(i8 && f16);
  EXPECT_TRUE(make_emulated_device(profile, std::vector{f16}));
  const auto refused = make_emulated_device(profile, std::vector{f16, i8});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error(), HasSubstr("no rule for mfma_i32_16x16x32_i8"));
}

TEST(EmulatedDevice, RefusesWhatIsNoCodeObject) {
  const catalogue::Builtin* f16 = catalogue::find_builtin("mfma_f32_16x16x16f16");
  const auto device = make_emulated_device(oracles::default_profile(), std::vector{f16});
  ASSERT_TRUE(device) << device.error();
  EXPECT_TRUE((*device)->info().is_emulated);
  const std::string junk = "not an ELF file";
  const auto module = (*device)->load(std::as_bytes(std::span(junk)));
  ASSERT_FALSE(module);
  EXPECT_FALSE(module.error().empty());
}

}  // namespace
}  // namespace mfma::devices
