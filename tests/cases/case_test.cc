#include "harness/cases/case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <xxhash.h>

#include <array>
#include <set>
#include <string>

namespace mfma::cases {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(CaseSeed, IsXxh3OfIdAndIndex) {
  constexpr std::array<unsigned char, 25> kBytes{'m', 'f', 'm', 'a', '_', 'f', '3', '2', '_', '4', 'x', '4', 'x',
                                                 '1', 'f', '3', '2', 2,   1,   0,   0,   0,   0,   0,   0};
  EXPECT_EQ(case_seed(7, "mfma_f32_4x4x1f32", 258), XXH3_64bits_withSeed(kBytes.data(), kBytes.size(), 7));
}

// Values as of version 1 of the contract: a change of any would rename every case that was ever reported.
TEST(CaseSeed, IsTheSameOnEveryHost) {
  EXPECT_EQ(case_seed(0, "", 0), 14374147212387527897u);
  EXPECT_EQ(case_seed(1, "mfma_f32_4x4x1f32", 0), 16519997750188438996u);
  EXPECT_EQ(case_seed(1, "mfma_f32_4x4x1f32", 1), 2502705904846550808u);
  EXPECT_EQ(case_seed(1, "mfma_f32_4x4x1f32:cbsz=1,abid=1", 12), 11184595798678125175u);
  EXPECT_EQ(case_seed(0xffffffffffffffff, "mfma_f64_4x4x4f64:neg=abc", 0xffffffffffffffff), 1715973537320855793u);
}

TEST(CaseSeed, DependsOnEachPart) {
  const std::set<std::uint64_t> seeds{case_seed(1, "mfma_f32_4x4x1f32", 0), case_seed(2, "mfma_f32_4x4x1f32", 0),
                                      case_seed(1, "mfma_f32_4x4x1f32", 1),
                                      case_seed(1, "mfma_f32_4x4x1f32:blgp=1", 0)};
  EXPECT_EQ(seeds.size(), 4u);
}

TEST(CaseId, TextAndBack) {
  const catalogue::Instance instance{catalogue::find_builtin("mfma_f32_4x4x1f32"), {.cbsz = 1, .abid = 1}};
  EXPECT_EQ(case_id(instance, 1, 12), "mfma_f32_4x4x1f32:cbsz=1,abid=1@seed=1#12");
  for (const catalogue::Instance& i : catalogue::all_legal_instances()) {
    const CaseId expected{i, 0xffffffffffffffff, 0x123456789abcdef0};
    const auto parsed = parse_case_id(case_id(i, expected.seed, expected.index));
    ASSERT_TRUE(parsed.has_value()) << parsed.error();
    EXPECT_EQ(*parsed, expected);
  }
}

TEST(CaseId, ErrorsNameThePart) {
  const auto error = [](std::string_view id) {
    const auto parsed = parse_case_id(id);
    return parsed ? std::string("parsed") : parsed.error();
  };
  EXPECT_THAT(error("mfma_f32_4x4x1f32"), AllOf(HasSubstr("no '@seed='"), HasSubstr("INSTANCE@seed=N#N")));
  EXPECT_THAT(error("mfma_f32_4x4x1f32@seed=1"), HasSubstr("no '#'"));
  EXPECT_THAT(error("mfma_f32_4x4x1f32@seed=#1"), HasSubstr("the seed is not a number"));
  EXPECT_THAT(error("mfma_f32_4x4x1f32@seed=-1#1"), HasSubstr("the seed is not a number"));
  EXPECT_THAT(error("mfma_f32_4x4x1f32@seed=1#18446744073709551616"), HasSubstr("the index is not a number"));
  EXPECT_THAT(error("mfma_f32_4x4x1f32@seed=1#2 "), HasSubstr("the index is not a number"));
  EXPECT_THAT(error("mfma_f32_4x4x1f32:cbsz=9@seed=1#2"), AllOf(HasSubstr("cbsz=9"), HasSubstr("0..4")));
  EXPECT_THAT(error("mfma_f32_4x4x2bf16@seed=1#2"), HasSubstr("gfx950 does not have it"));
  EXPECT_THAT(error(""), HasSubstr("no '@seed='"));
}

}  // namespace
}  // namespace mfma::cases
