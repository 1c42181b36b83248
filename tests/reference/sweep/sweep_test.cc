// A sample of the full sweep: the fast oracle gives the reference oracle's bits for every pair of formats and model.
// MFMA_SWEEP_PER_PAIR in the environment sets its size; mfma_reference_sweep does the full one in parallel.
#include "tests/reference/sweep/sweep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <set>
#include <string>

#include "oracles/formats/format.h"
#include "oracles/reference/reference.h"
#include "tests/reference/formats.h"

namespace mfma::oracles::reference::testing {
namespace {

std::uint64_t sample_size() {
  const char* size = std::getenv("MFMA_SWEEP_PER_PAIR");
  return size != nullptr ? std::strtoull(size, nullptr, 10) : 5000;
}

std::vector<std::string> pair_names() {
  std::vector<std::string> names;
  for (const Row& row : sweep_rows()) {
    if (names.empty() || names.back() != row.pair_name) names.push_back(row.pair_name);
  }
  return names;
}

class Sweep : public ::testing::TestWithParam<std::string> {};

TEST_P(Sweep, FastAndReferenceAgree) {
  for (const Row& row : sweep_rows()) {
    if (row.pair_name != GetParam()) continue;
    const Tally tally = compare_row(row, 1, 0, sample_size());
    EXPECT_EQ(tally.products, sample_size());
    EXPECT_EQ(tally.differences, 0U) << row.name() << "\n" << fmt::format("{}", fmt::join(tally.examples, "\n"));
  }
}

std::string test_name(const ::testing::TestParamInfo<std::string>& pair) {
  std::string name = pair.param;
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Pairs, Sweep, ::testing::ValuesIn(pair_names()), test_name);

TEST(SweepRows, EveryPairOfFormatsIsThere) {
  // f64, f32, f16, bf16, 25 pairs of narrow formats scaled and not, i8; eight models of numbers; integers under their
  // own model and under one that does not concern them.
  EXPECT_EQ(pair_names().size(), 4U + 2U * 25U + 1U);
  EXPECT_EQ(sweep_rows().size(), 8U * (4U + 2U * 25U) + 2U);
  std::set<std::string> names;
  for (const Row& row : sweep_rows()) EXPECT_TRUE(names.insert(row.name()).second) << row.name();
}

// The sample is worth little if it never leaves the easy middle.
TEST(SweepRows, TheSampleReachesTheHardCases) {
  Tally total;
  for (const Row& row : sweep_rows()) {
    if (row.model_name != "aligned_sum TR" || row.pair.a.is_integer) continue;
    const Tally tally = compare_row(row, 2, 0, 1000);
    EXPECT_GT(tally.zeros, 0U) << row.name();
    const bool wide_range = row.pair.scaled || row.pair.a.bits >= 32 || row.pair.a.id == FormatId::kBf16;
    if (wide_range) {
      EXPECT_GT(tally.infinities, 0U) << row.name();
      EXPECT_GT(tally.subnormals, 0U) << row.name();
      EXPECT_GT(tally.nans, 0U) << row.name();
    }
    total.add(tally);
  }
  EXPECT_GT(total.nans, total.products / 200);
  EXPECT_LT(total.nans + total.infinities, total.products / 2);
}

// A comparison that cannot see a difference proves nothing: two models that differ must differ in this sample.
TEST(SweepRows, TheSampleTellsNeighbouringModelsApart) {
  const auto told_apart = [](const Pair& pair, const Model& x, const Model& y) {
    Random random(3);
    for (int i = 0; i < 20000; ++i) {
      const Dot dot = random_dot(pair, random);
      if (reference::dot_product(dot.problem(), x) != reference::dot_product(dot.problem(), y)) return true;
    }
    return false;
  };
  const Model base = gtr(16);
  const auto changed = [&](auto&& change) {
    Model model = base;
    change(model);
    return model;
  };
  const struct {
    const char* what;
    Model model;
  } neighbours[] = {
      {"step", changed([](Model& m) { m.step = 8; })},
      {"order", changed([](Model& m) { m.step = 4, m.order = StepOrder::kDescending; })},
      {"groups", changed([](Model& m) { m.groups = 1; })},
      {"grouping", changed([](Model& m) { m.grouping = Grouping::kContiguous; })},
      {"product bits", changed([](Model& m) { m.product_fraction_bits = 25; })},
      {"product rounding", changed([](Model& m) { m.product_rounding = Rounding::kNearestEven; })},
      {"zero products", changed([](Model& m) { m.zero_products_raise_exponent = true; })},
      {"subnormals", changed([](Model& m) { m.normalise_subnormals = true; })},
      {"products", changed([](Model& m) { m.normalise_products = true; })},
      {"merge bits", changed([](Model& m) { m.merge_fraction_bits = 25; })},
      {"merge rounding", changed([](Model& m) { m.merge_rounding = Rounding::kTowardZero; })},
      {"sum bits", changed([](Model& m) { m.sum_fraction_bits = 31; })},
      {"sum rounding", changed([](Model& m) { m.sum_rounding = Rounding::kTowardZero; })},
      {"c bits", changed([](Model& m) { m.c_fraction_bits = 25; })},
      {"c rounding", changed([](Model& m) { m.c_rounding = Rounding::kTowardZero; })},
      {"drop", changed([](Model& m) { m.drop_c_below = 24; })},
      {"no drop", changed([](Model& m) { m.drop_c_below = std::nullopt; })},
      {"final bits", changed([](Model& m) { m.final_fraction_bits = 26; })},
      {"final rounding",
       changed([](Model& m) { m.final_fraction_bits = 26, m.final_rounding = Rounding::kTowardZero; })},
      {"overflow", changed([](Model& m) { m.product_overflow = ProductOverflow::kInfinity; })},
      {"nan bits", changed([](Model& m) { m.nan.bits = 0xFFC00000; })},
      {"nan order", changed([](Model& m) { m.nan.propagate = true; })},
  };
  for (const auto& neighbour : neighbours) {
    EXPECT_TRUE(told_apart({kBf16, kBf16, kF32}, base, neighbour.model)) << neighbour.what;
  }
}

TEST(FormatTable, TheOraclesDescriptorsAreTheOnesThatTheseTestsState) {
  for (const Format& stated : {kF64, kF32, kF16, kBf16, kFp8, kBf8, kFp6, kBf6, kFp4, kI8, kI32}) {
    const Format& theirs = format(stated.id);
    EXPECT_EQ(theirs.bits, stated.bits) << stated.name;
    EXPECT_EQ(theirs.is_integer, stated.is_integer) << stated.name;
    EXPECT_EQ(theirs.is_signed, stated.is_signed) << stated.name;
    if (stated.is_integer) continue;
    EXPECT_EQ(theirs.exponent_bits, stated.exponent_bits) << stated.name;
    EXPECT_EQ(theirs.fraction_bits, stated.fraction_bits) << stated.name;
    EXPECT_EQ(theirs.bias, stated.bias) << stated.name;
    EXPECT_EQ(theirs.specials, stated.specials) << stated.name;
  }
}

}  // namespace
}  // namespace mfma::oracles::reference::testing
