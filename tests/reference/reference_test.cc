// What the contract says beyond the probes: parameters one at a time, cuts and orders, and what is refused.
#include "oracles/reference/reference.h"

#include <stdexcept>

#include "tests/reference/expect.h"

namespace mfma::oracles::reference::testing {
namespace {

constexpr std::uint64_t kMinusOne = 0xBF800000;

// p0 = 1, p1 = 0 * 2^12, p2 = 2^-24 against C = -1, bf16: the zero product has exponent -126 + 12.
TEST(AlignedSum, AZeroProductRaisesTheExponentOnlyIfAsked) {
  Model raising = tr(4);
  raising.zero_products_raise_exponent = true;
  // 2^-20 survives 24 bits below 1, and not 24 bits below 0 * 2^5 = exponent -14 + 15 of f16.
  const Dot dot = Dot(kF16, kF16, kF32, 4, 0).set(0, {1, -12}, {1, -12}).set_codes(1, 0x0000, 0x7800);
  expect_bits("zero * 2^15", dot, {{"not raising", tr(4), 0x33800000}, {"raising", raising, 0}});
}

TEST(AlignedSum, DescendingStepsTurnTheCutsRound) {
  // K = 5, step 2: {0,1} {2,3} {4}. 2^24 in k = 0 swallows a later single 1 and not an earlier one.
  Model descending = tr(2);
  descending.order = StepOrder::kDescending;
  const Dot dot = Dot(kBf16, kBf16, kF32, 5, 0).set(0, {1, 24}, {1, 0}).set(3, {1, 0}, {1, 0}).set(4, {1, 0}, {1, 0});
  expect_bits("2^24 + 1 + 1", dot, {{"ascending", tr(2), 0x4B800000}, {"descending", descending, 0x4B800001}});
  // Were the cuts made from the top ({4,3} {2,1} {0}) the ascending order would see 3 and 4 in one step.
  Model exact_descending = exact(2);
  exact_descending.order = StepOrder::kDescending;
  expect_bits("2^24 + 1 + 1", dot, {{"ascending", exact(2), 0x4B800000}, {"descending", exact_descending, 0x4B800001}});
}

TEST(AlignedSum, AStepLongerThanKIsClippedToIt) {
  // Halves of K = 4, not of 16: k = 0 and 1 share a group, 0 and 2 do not.
  const auto dot = [](int j) {
    return Dot(kF16, kF16, kF32, 4, kMinusOne).set(0, {1, 0}, {1, 0}).set(j, {-1, -12}, {1, -13});
  };
  expect_bits("(0,1)", dot(1), {{"halves", tr_halves(16), 0}});
  expect_bits("(0,2)", dot(2), {{"halves", tr_halves(16), 0xB3800000}});
}

TEST(AlignedSum, ContiguousRunsAreRoundedUp) {
  // Step 5 in 2 groups: {0,1,2} {3,4}.
  const auto dot = [](int j) {
    return Dot(kF16, kF16, kF32, 5, kMinusOne).set(0, {1, 0}, {1, 0}).set(j, {-1, -12}, {1, -13});
  };
  expect_bits("(0,2)", dot(2), {{"runs of 3", tr_halves(5), 0}});
  expect_bits("(0,3)", dot(3), {{"runs of 3", tr_halves(5), 0xB3800000}});
}

TEST(AlignedSum, MoreGroupsThanProductsLeaveSomeEmpty) {
  const Dot dot = Dot(kF16, kF16, kF32, 4, 0).set(0, {1, 0}, {1, 0}).set(3, {1, 0}, {1, 0});
  expect_bits("8 groups", dot,
              {{"interleaved", tr_groups(4, 8, Grouping::kInterleaved), 0x40000000},
               {"contiguous", tr_groups(4, 8, Grouping::kContiguous), 0x40000000}});
}

TEST(AlignedSum, EveryWidthAndModeHasItsPlace) {
  // 1 + 3 * 2^-25 against C = -1: what is left of 1.5 * 2^-24.
  const auto dot = [](int sign, int j) {
    return Dot(kF16, kF16, kF32, 4, kMinusOne).set(0, {1, 0}, {1, 0}).set(j, {sign * 3, -13}, {1, -12});
  };
  Model nearest = tr(4), wide = tr(4), merge_near = tr_even_odd(4), narrow_sum = tr(4);
  nearest.product_rounding = Rounding::kNearestEven;
  wide.product_fraction_bits = 25;
  merge_near.merge_rounding = Rounding::kNearestEven;
  narrow_sum.product_fraction_bits = 25;
  narrow_sum.sum_fraction_bits = 24;
  expect_bits("products", dot(1, 2),
              {{"nearest", nearest, 0x34000000}, {"wide", wide, 0x33C00000}, {"narrow sum", narrow_sum, 0x33800000}});
  expect_bits("products", dot(-1, 2),
              {{"nearest", nearest, 0xB4000000}, {"wide", wide, 0xB3C00000}, {"narrow sum", narrow_sum, 0xB4000000}});
  // k = 1 is in the other group: exact there, rounded at the merge.
  expect_bits("merge", dot(1, 1), {{"floor", tr_even_odd(4), 0x33800000}, {"nearest", merge_near, 0x34000000}});
  expect_bits("merge", dot(-1, 1), {{"floor", tr_even_odd(4), 0xB4000000}, {"nearest", merge_near, 0xB4000000}});
}

TEST(AlignedSum, CRoundedAndTheTotalRounded) {
  // 1 - 1 + C with C = +-1.5 * 2^-24 (33C00000): c is rounded to 2^-24.
  const auto dot = [](std::uint64_t c) {
    return Dot(kF16, kF16, kF32, 4, c).set(0, {1, 0}, {1, 0}).set(1, {-1, 0}, {1, 0});
  };
  Model toward_zero = tr(4), nearest = tr(4), wide = tr(4);
  toward_zero.c_rounding = Rounding::kTowardZero;
  nearest.c_rounding = Rounding::kNearestEven;
  wide.c_fraction_bits = 25;
  expect_bits("c", dot(0x33C00000),
              {{"down", tr(4), 0x33800000},
               {"toward zero", toward_zero, 0x33800000},
               {"nearest", nearest, 0x34000000},
               {"wide", wide, 0x33C00000}});
  expect_bits("c", dot(0xB3C00000),
              {{"down", tr(4), 0xB4000000},
               {"toward zero", toward_zero, 0xB3800000},
               {"nearest", nearest, 0xB4000000},
               {"wide", wide, 0xB3C00000}});
  // 1 + 2^-20 of f16 products, kept to 10 bits below the total's leading one.
  Model short_final = tr(4), none = tr(4), near = tr(4);
  short_final.final_fraction_bits = near.final_fraction_bits = 10;
  near.final_rounding = Rounding::kNearestEven;
  none.final_fraction_bits = std::nullopt;
  const Dot negative = Dot(kF16, kF16, kF32, 4, 0).set(0, {-1, 0}, {1, 0}).set(1, {-1, -10}, {1, -10});
  expect_bits("final", negative,
              {{"10 bits", short_final, 0xBF802000}, {"nearest", near, 0xBF800000}, {"none", none, 0xBF800008}});
}

TEST(AlignedSum, BelowTheLeastNormalNumberTheFinalWidthIsFixed) {
  // 2^-150 + 2^-158: the last bit lies 32 below 2^-126, one too many, and what is left is a tie.
  Model whole = tr(4);
  whole.final_fraction_bits = std::nullopt;
  const auto dot = [](int sign) {
    return Dot(kBf16, kBf16, kF32, 4, 0).set(0, {sign, -75}, {1, -75}).set(1, {sign, -79}, {1, -79});
  };
  expect_bits("positive", dot(1), {{"TR", tr(4), 0x00000000}, {"whole", whole, 0x00000001}});
  expect_bits("negative", dot(-1), {{"TR", tr(4), 0x80000001}, {"whole", whole, 0x80000001}});
}

TEST(AlignedSum, TheScaleCountsInOverflowAndInExponent) {
  Dot dot = Dot(kFp8, kFp8, kF32, 32, 0).set(0, {256, 0}, {256, 0});
  dot.scaled = true;
  dot.scale_a[0] = 127 + 112;
  expect_bits("2^128", dot, {{"TR", tr(32), 0x7F800000}, {"GTR", gtr(16), 0x7F800000}});
  dot.set(1, {-256, 0}, {128, 0});
  // 2^128 - 2^127: finite where products do not overflow.
  expect_bits("2^128 - 2^127", dot, {{"TR", tr(32), 0x7F800000}, {"GTR", gtr(16), 0x7F000000}});
}

TEST(Pairwise, AnOddTermIsCarriedUp) {
  // (1 + 2^24) + 1: the neighbours' sum is 2^24 (tie to even), and so is the whole.
  const Dot dot = Dot(kF32, kF32, kF32, 3, 0).set(0, {1, 0}, {1, 0}).set(1, {1, 24}, {1, 0}).set(2, {1, 0}, {1, 0});
  expect_bits("3 terms", dot, {{"one tree", pairs(3), 0x4B800000}, {"step 2", pairs(2), 0x4B800000}});
  const Dot later = Dot(kF32, kF32, kF32, 3, 0).set(0, {1, 0}, {1, 0}).set(1, {1, 0}, {1, 0}).set(2, {1, 24}, {1, 0});
  expect_bits("3 terms", later, {{"one tree", pairs(3), 0x4B800001}});
}

TEST(Pairwise, ProductsAreRoundedFirst) {
  const Dot dot = Dot(kF32, kF32, kF32, 2, 0).set(0, {4097, -12}, {4097, -12}).set(1, {-1, 0}, {1, 0});
  expect_bits("rounded products", dot, {{"pairwise", pairs(2), 0x3A000000}, {"exact", exact(2), 0x3A000400}});
}

TEST(BlockSums, BlocksOf32StartAtZero) {
  const auto dot = [](int j) {
    return Dot(kFp8, kFp8, kF32, 64, 0x4B800000).set(0, {1, 0}, {1, 0}).set(j, {1, 0}, {1, 0});
  };
  expect_bits("same block", dot(31), {{"blocks", make(ModelKind::kBlockSums), 0x4B800001}});
  expect_bits("two blocks", dot(32), {{"blocks", make(ModelKind::kBlockSums), 0x4B800000}});
}

TEST(BlockSums, TheOrderIsThatOfKThroughout) {
  Model descending = make(ModelKind::kBlockSums);
  descending.order = StepOrder::kDescending;
  const Dot within = Dot(kBf8, kBf8, kF32, 64, 0)
                         .set(0, {1, 15}, {1, 9})
                         .set(1, {1, 0}, {1, 0})
                         .set(2, {-1, 15}, {1, 9})
                         .set(3, {1, 0}, {1, 0});
  expect_bits("within a block", within,
              {{"ascending", make(ModelKind::kBlockSums), 0x3F800000}, {"descending", descending, 0x40000000}});
  const Dot between = Dot(kBf8, kBf8, kF32, 64, 0xCB800000).set(0, {1, 15}, {1, 9}).set(32, {-1, 0}, {1, 0});
  // -2^24 + 2^24 - 1, or -2^24 - 1 (tie to even) + 2^24.
  expect_bits("between blocks", between,
              {{"ascending", make(ModelKind::kBlockSums), 0xBF800000}, {"descending", descending, 0x00000000}});
}

TEST(Everything, NoProductsGiveC) {
  for (const Model& model :
       {sequential(), multiply_then_add(), pairs(4), exact(4), tr(4), gtr(4), make(ModelKind::kBlockSums)}) {
    expect_bits("K = 0", Dot(kF16, kF16, kF32, 0, 0x80000001), {{"c", model, 0x80000001}});
    expect_bits("K = 0", Dot(kF16, kF16, kF32, 0, 0x7F800001), {{"c", model, 0x7FC00000}});
  }
}

TEST(Everything, IntegersHaveOneArithmetic) {
  const Dot dot = Dot(kI8, kI8, kI32, 4, 0x7FFFFFFF).set(0, {1, 0}, {1, 0}).set(3, {-128, 0}, {2, 0});
  for (const Model& model : {make(ModelKind::kInteger), sequential(), tr(4), pairs(2)}) {
    expect_bits("2^31 - 256", dot, {{"d", model, 0x7FFFFF00}});
  }
}

TEST(Everything, WhatDoesNotFitIsRefused) {
  const Dot dot(kF16, kF16, kF32, 8, 0);
  DotProblem uneven = dot.problem();
  uneven.b = uneven.b.first(7);
  EXPECT_THROW(reference::dot_product(uneven, tr(8)), std::invalid_argument);
  DotProblem unscaled = dot.problem();
  unscaled.scaled = true;
  unscaled.scale_b = {};
  EXPECT_THROW(reference::dot_product(unscaled, tr(8)), std::invalid_argument);
  EXPECT_THROW(reference::dot_product(dot.problem(), tr(0)), std::invalid_argument);
  EXPECT_THROW(reference::dot_product(dot.problem(), pairs(0)), std::invalid_argument);
  EXPECT_THROW(reference::dot_product(dot.problem(), tr_groups(8, 0, Grouping::kContiguous)), std::invalid_argument);
  EXPECT_THROW(reference::dot_product(dot.problem(), make(ModelKind::kInteger)), std::invalid_argument);
  EXPECT_THROW(reference::dot_product(Dot(kI8, kI8, kF32, 4, 0).problem(), tr(4)), std::invalid_argument);
  EXPECT_THROW(reference::dot_product(Dot(kF16, kF16, kI32, 4, 0).problem(), tr(4)), std::invalid_argument);
}

}  // namespace
}  // namespace mfma::oracles::reference::testing
