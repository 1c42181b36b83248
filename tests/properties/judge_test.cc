// What each relation accepts and refuses, and how readings are told apart.
#include <gtest/gtest.h>

#include "harness/properties/operands.h"
#include "harness/properties/property.h"

namespace mfma::properties {
namespace {

Trial trial_of(const char* instance, Relation relation, std::uint64_t operand = 0) {
  const cases::Case blank = blank_case(*catalogue::parse_instance(instance));
  Comparison c = compare(relation, 1, 0, 0, 0);
  c.operand = operand;
  return one_reading({step_of(blank), step_of(blank)}, {c});
}

bool holds(const char* instance, Relation relation, std::uint64_t subject, std::uint64_t reference,
           std::uint64_t operand = 0) {
  const Trial trial = trial_of(instance, relation, operand);
  const std::vector<std::vector<std::uint64_t>> results = {{reference}, {subject}};
  const Judgement judgement = judge(trial, results);
  EXPECT_EQ(judgement.compared, 1u);
  EXPECT_EQ(judgement.broken, judgement.holds.empty());
  EXPECT_EQ(judgement.failing, judgement.broken ? 1u : 0u);
  return !judgement.broken;
}

constexpr const char* kF32 = "mfma_f32_16x16x4f32";
constexpr const char* kF64 = "mfma_f64_16x16x4f64";
constexpr const char* kI32 = "mfma_i32_16x16x32_i8";
constexpr std::uint64_t kOne = 0x3f800000, kMinusOne = 0xbf800000, kMinusZero = 0x80000000;
constexpr std::uint64_t kNan = 0x7fc00000, kOtherNan = 0xffc00001, kInfinity = 0x7f800000;

TEST(Judge, SameBits) {
  EXPECT_TRUE(holds(kF32, Relation::kSameBits, kNan, kNan));
  EXPECT_FALSE(holds(kF32, Relation::kSameBits, kOtherNan, kNan));
  EXPECT_FALSE(holds(kF32, Relation::kSameBits, kMinusZero, 0));
}

TEST(Judge, SameTakesAnyNan) {
  EXPECT_TRUE(holds(kF32, Relation::kSame, kOtherNan, kNan));
  EXPECT_FALSE(holds(kF32, Relation::kSame, kInfinity, kNan));
  EXPECT_FALSE(holds(kF32, Relation::kSame, kMinusZero, 0));
  EXPECT_FALSE(holds(kI32, Relation::kSame, kOtherNan, kNan)) << "integers have no NaN";
}

TEST(Judge, SameValueTakesAnyZero) {
  EXPECT_TRUE(holds(kF32, Relation::kSameValue, kMinusZero, 0));
  EXPECT_FALSE(holds(kF32, Relation::kSameValue, 1, 0));
  EXPECT_FALSE(holds(kI32, Relation::kSameValue, kMinusZero, 0));
}

TEST(Judge, Negated) {
  EXPECT_TRUE(holds(kF32, Relation::kNegated, kMinusOne, kOne));
  EXPECT_FALSE(holds(kF32, Relation::kNegated, kOne, kOne));
  EXPECT_TRUE(holds(kF32, Relation::kNegated, 0, 0));
  EXPECT_TRUE(holds(kF64, Relation::kNegated, 0xbff0000000000000, 0x3ff0000000000000));
  EXPECT_TRUE(holds(kI32, Relation::kNegated, 0xffffffff, 1));
  EXPECT_TRUE(holds(kI32, Relation::kNegated, 0x80000000, 0x80000000));
  EXPECT_FALSE(holds(kI32, Relation::kNegated, 1, 1));
}

TEST(Judge, Shifted) {
  const auto by = [](std::int64_t n) { return static_cast<std::uint64_t>(n); };
  EXPECT_TRUE(holds(kF32, Relation::kShifted, 0x41000000, kOne, by(3)));
  EXPECT_TRUE(holds(kF32, Relation::kShifted, 0x3e000000, kOne, by(-3)));
  EXPECT_FALSE(holds(kF32, Relation::kShifted, kOne, kOne, by(3)));
  EXPECT_FALSE(holds(kF32, Relation::kShifted, 0x41000001, kOne, by(3)));
  EXPECT_TRUE(holds(kF32, Relation::kShifted, kMinusZero, 0, by(3)));
  EXPECT_TRUE(holds(kF32, Relation::kShifted, kInfinity, kInfinity, by(3)));
  EXPECT_FALSE(holds(kF32, Relation::kShifted, kInfinity, 0x7f000000, by(3))) << "beyond the range nothing is known";
}

TEST(Judge, PlusWraps) {
  EXPECT_TRUE(holds(kI32, Relation::kPlus, 0x80000000, 0x7fffffff, 1));
  EXPECT_FALSE(holds(kI32, Relation::kPlus, 0x7fffffff, 0x7fffffff, 1));
}

TEST(Judge, Clamped) {
  EXPECT_TRUE(holds(kF32, Relation::kClamped, 0x7f7fffff, kInfinity));
  EXPECT_TRUE(holds(kF32, Relation::kClamped, 0xff7fffff, 0xff800000));
  EXPECT_FALSE(holds(kF32, Relation::kClamped, kInfinity, kInfinity));
  EXPECT_TRUE(holds(kF32, Relation::kClamped, kOne, kOne));
  EXPECT_FALSE(holds(kF32, Relation::kClamped, 0x7f7fffff, kOne));
  EXPECT_TRUE(holds(kF32, Relation::kClamped, kOtherNan, kNan));
}

TEST(Judge, AtLeastOrdersNumbers) {
  EXPECT_TRUE(holds(kF32, Relation::kAtLeast, kOne, kMinusOne));
  EXPECT_FALSE(holds(kF32, Relation::kAtLeast, kMinusOne, kOne));
  EXPECT_TRUE(holds(kF32, Relation::kAtLeast, kMinusZero, 0));
  EXPECT_TRUE(holds(kF32, Relation::kAtLeast, 0, kMinusZero));
  EXPECT_FALSE(holds(kF32, Relation::kAtLeast, 0xbf800001, kMinusOne));
  EXPECT_FALSE(holds(kF32, Relation::kAtLeast, kNan, kOne));
  EXPECT_TRUE(holds(kI32, Relation::kAtLeast, 1, 0xffffffff));
  EXPECT_FALSE(holds(kI32, Relation::kAtLeast, 0xffffffff, 1));
}

TEST(Judge, Constant) {
  EXPECT_TRUE(holds(kF32, Relation::kConstant, kOne, 5, kOne));
  EXPECT_FALSE(holds(kF32, Relation::kConstant, kOne, kOne, 5));
}

TEST(Judge, TellsReadingsApart) {
  Trial trial = trial_of(kF32, Relation::kSameBits);
  trial.readings[0].name = "one";
  trial.readings.push_back({"other", {compare(Relation::kSameBits, 1, 1, 0, 0)}});
  const auto judged = [&](std::uint64_t x, std::uint64_t y) {
    const std::vector<std::vector<std::uint64_t>> results = {{kOne, 0}, {x, y}};
    return judge(trial, results);
  };
  const Judgement both = judged(kOne, kOne);
  EXPECT_FALSE(both.broken);
  EXPECT_FALSE(both.open()) << "nothing told them apart";
  const Judgement second = judged(0, kOne);
  EXPECT_TRUE(second.open());
  EXPECT_EQ(second.holds, std::vector<std::size_t>{1});
  const Judgement none = judged(0, 0);
  EXPECT_TRUE(none.broken);
  EXPECT_FALSE(none.open());
  ASSERT_EQ(none.mismatches.size(), 1u);
  EXPECT_EQ(none.mismatches[0].expected, kOne);
  EXPECT_EQ(none.mismatches[0].actual, 0u);
}

}  // namespace
}  // namespace mfma::properties
