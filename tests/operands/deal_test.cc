// Which class comes when: every class is met on every builtin within the quick tier, and applies where it comes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "harness/conformance/calls/plan.h"
#include "harness/operands/operands.h"
#include "tests/operands/seen.h"

namespace mfma::operands {
namespace {

using catalogue::Instance;
using testing::instance;

TEST(OperandClasses, NamesAreUniqueAndFindTheClass) {
  std::set<std::string_view> names, descriptions;
  for (const OperandClass c : all_operand_classes()) {
    names.insert(name_of(c));
    descriptions.insert(describe(c));
    EXPECT_EQ(operand_class_named(name_of(c)), c);
    EXPECT_FALSE(describe(c).empty());
    EXPECT_EQ(describe(c).find('\n'), std::string_view::npos);
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kOperandClasses));
  EXPECT_EQ(descriptions.size(), names.size());
  EXPECT_FALSE(operand_class_named("other"));
  EXPECT_FALSE(operand_class_named(""));
}

std::set<OperandClass> inapplicable(std::string_view id) {
  std::set<OperandClass> out;
  for (const OperandClass c : all_operand_classes()) {
    if (!applies(instance(id), c)) out.insert(c);
  }
  return out;
}

TEST(OperandClasses, ApplyWhereTheyMakeSense) {
  using enum OperandClass;
  using ::testing::UnorderedElementsAre;
  EXPECT_THAT(inapplicable("mfma_f32_16x16x32_f16"),
              UnorderedElementsAre(kIntegerEdges, kScaleBytes, kCodePairs, kProductOverflow));
  EXPECT_THAT(inapplicable("mfma_f32_16x16x32_bf16"), UnorderedElementsAre(kIntegerEdges, kScaleBytes, kCodePairs));
  EXPECT_THAT(inapplicable("mfma_f64_4x4x4f64"), UnorderedElementsAre(kIntegerEdges, kScaleBytes, kCodePairs));
  EXPECT_THAT(inapplicable("mfma_scale_f32_16x16x128_f8f6f4:a=fp4,b=bf8,op_sel=0/0"),
              UnorderedElementsAre(kIntegerEdges));
  EXPECT_THAT(inapplicable("mfma_scale_f32_16x16x128_f8f6f4:a=fp4,b=bf8,unscaled"),
              UnorderedElementsAre(kIntegerEdges, kScaleBytes, kProductOverflow));
  EXPECT_THAT(inapplicable("mfma_i32_16x16x64_i8"),
              UnorderedElementsAre(kSignedZeros, kUniformExponents, kInfinities, kNanPayloads, kSubnormals,
                                   kRoundingTies, kAlignmentEdges, kHugeC, kProductOverflow, kScaleBytes));
}

TEST(Deal, EveryClassIsMetOnEveryBuiltinInTheQuickTier) {
  const std::uint64_t cases = conformance::cases_per_instance(conformance::Tier::kQuick);
  for (const catalogue::Builtin& builtin : catalogue::builtins()) {
    std::set<OperandClass> met, wanted;
    for (const Instance& i : catalogue::legal_instances(builtin)) {
      std::set<OperandClass> of_instance;
      for (std::uint64_t index = 0; index < cases; ++index) {
        const OperandClass c = class_of(i, index);
        ASSERT_TRUE(applies(i, c)) << instance_id(i) << " " << name_of(c);
        of_instance.insert(c);
      }
      // No instance is left to one kind of operands.
      EXPECT_GE(of_instance.size(), 5u) << instance_id(i);
      met.insert(of_instance.begin(), of_instance.end());
      for (const OperandClass c : all_operand_classes()) {
        if (applies(i, c)) wanted.insert(c);
      }
    }
    EXPECT_EQ(met, wanted) << builtin.name;
  }
}

TEST(Deal, EveryInstanceMeetsEveryClassWithinTheTable) {
  for (const Instance& i : catalogue::all_legal_instances()) {
    std::set<OperandClass> met, wanted;
    for (std::uint64_t index = 0; index < kDealLength; ++index) {
      met.insert(class_of(i, index));
      ASSERT_EQ(class_of(i, index), class_of(i, index + 5 * kDealLength));
    }
    for (const OperandClass c : all_operand_classes()) {
      if (applies(i, c)) wanted.insert(c);
    }
    EXPECT_EQ(met, wanted) << instance_id(i);
  }
}

TEST(Deal, PeriodsShareNoFactorWithStepsOfTheDeal) {
  for (const Instance& i : testing::one_of_each()) {
    for (const OperandClass c : all_operand_classes()) {
      if (!applies(i, c)) continue;
      for (const std::uint64_t factor : {2u, 3u, 5u, 7u}) EXPECT_NE(period_of(i, c) % factor, 0u) << name_of(c);
    }
  }
}

// Every class on every instance: none throws, none leaves an image of the wrong size.
TEST(Deal, EveryInstanceMakesACaseOfEveryApplicableClass) {
  std::uint64_t index = 0, made = 0;
  for (const Instance& i : catalogue::all_legal_instances()) {
    for (const OperandClass c : all_operand_classes()) {
      if (!applies(i, c)) continue;
      cases::Case made_case;
      ASSERT_NO_THROW(made_case = make_case(i, index, index * 7919, c)) << name_of(c) << " " << instance_id(i);
      ASSERT_EQ(made_case.a.registers, i.builtin->a_registers);
      ASSERT_EQ(made_case.operand_class, name_of(c));
      ++index;
      ++made;
    }
  }
  EXPECT_GT(made, 30000u);
}

}  // namespace
}  // namespace mfma::operands
