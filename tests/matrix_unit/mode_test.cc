// MODE: FP16_OVFL clamps as manual 7.1.2 and 7.1.5 say, FP_ROUND and FP_DENORM change nothing.
#include <gtest/gtest.h>

#include "tests/matrix_unit/support.h"

namespace mfma::gfx950::testing {
namespace {

constexpr std::uint64_t kInfinity = 0x7f800000, kMinusInfinity = 0xff800000;
constexpr std::uint64_t kLargest = 0x7f7fffff, kLeast = 0xff7fffff;
constexpr std::uint64_t kTwo100 = 0x71800000, kMinusTwo100 = 0xf1800000;

Image one_product(const Instruction& in, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  Image image(in);
  image.set_a(0, 0, 0, a);
  image.set_b(0, 0, 0, b);
  image.set_c(0, 0, 0, c);
  return image;
}

std::uint64_t result(Image image, bool clamp) {
  image.clamp_overflow = clamp;
  EXPECT_EQ(image.run(MatrixUnit(candidate_config())), "");
  return image.get_d(0, 0, 0);
}

TEST(Mode, OverflowBecomesTheLargestNumberOfItsSign) {
  const Instruction f32 = instruction(69);
  for (const auto& [a, without, with] :
       {std::tuple{kTwo100, kInfinity, kLargest}, std::tuple{kMinusTwo100, kMinusInfinity, kLeast}}) {
    EXPECT_EQ(result(one_product(f32, a, kTwo100, 0), false), without);
    EXPECT_EQ(result(one_product(f32, a, kTwo100, 0), true), with);
  }
  // A product of 2^128 in bf16, where the aligned sum makes an infinity before it adds.
  EXPECT_EQ(result(one_product(instruction(53), 0x5f80, 0x5f80, 0), false), kInfinity);
  EXPECT_EQ(result(one_product(instruction(53), 0x5f80, 0x5f80, 0), true), kLargest);
}

TEST(Mode, InfinitiesOfOperandsStay) {
  const Instruction f32 = instruction(69);
  EXPECT_EQ(result(one_product(f32, 0, 0, kInfinity), true), kInfinity);
  EXPECT_EQ(result(one_product(f32, kMinusInfinity, kF32.one, 0), true), kMinusInfinity);
  EXPECT_EQ(result(one_product(f32, kF32.one, kMinusInfinity, 0), true), kMinusInfinity);
}

TEST(Mode, OverflowOfScalesIsClamped) {
  Image image = one_product(f8f6f4(45, 4, 4), kFp4.one, kFp4.one, 0);
  image.unit_scales();
  image.set_scale_a(0, 0, 0xfe);
  image.set_scale_b(0, 0, 0x80);
  EXPECT_EQ(result(image, false), kInfinity);
  EXPECT_EQ(result(image, true), kLargest);
}

TEST(Mode, IntegersClampToTheirEnds) {
  const Instruction i8 = instruction(54);
  EXPECT_EQ(result(one_product(i8, 1, 1, 0x7fffffff), false), 0x80000000);
  EXPECT_EQ(result(one_product(i8, 1, 1, 0x7fffffff), true), 0x7fffffff);
  EXPECT_EQ(result(one_product(i8, 0xff, 1, 0x80000000), false), 0x7fffffff);
  EXPECT_EQ(result(one_product(i8, 0xff, 1, 0x80000000), true), 0x80000000);
}

TEST(Mode, F64IsLeftAlone) {
  constexpr std::uint64_t kTwo1023 = 0x7fe0000000000000;
  EXPECT_EQ(result(one_product(instruction(110), kTwo1023, kTwo1023, 0), true), 0x7ff0000000000000);
}

TEST(Mode, NansAndOrdinaryResultsAreLeftAlone) {
  std::mt19937_64 random(7);
  for (const Instruction& in : plain_instructions()) {
    Image image(in);
    image.randomise(random);
    ASSERT_EQ(image.run(MatrixUnit(candidate_config())), "") << in.name;
    const std::vector<std::uint32_t> usual = image.d();
    image.clamp_overflow = true;
    ASSERT_EQ(image.run(MatrixUnit(candidate_config())), "") << in.name;
    if (in.integer()) continue;
    std::size_t finite = 0;
    for (std::size_t n = 0; n < usual.size(); ++n) {
      if (in.f64() || (usual[n] & 0x7fffffff) != kInfinity) {
        EXPECT_EQ(image.d()[n], usual[n]) << in.name;
        ++finite;
      }
    }
    EXPECT_GT(finite, 0U) << in.name;
  }
}

TEST(Mode, RoundingAndDenormalsAreIgnored) {
  std::mt19937_64 random(8);
  for (const Instruction& in : plain_instructions()) {
    Image image(in);
    image.randomise(random);
    ASSERT_EQ(image.run(MatrixUnit(candidate_config())), "") << in.name;
    const std::vector<std::uint32_t> usual = image.d();
    for (const int round : {0x5, 0xa, 0xf}) {
      image.mode_round = round;
      image.mode_denorm = 0;
      ASSERT_EQ(image.run(MatrixUnit(candidate_config())), "") << in.name;
      EXPECT_EQ(image.d(), usual) << in.name << " FP_ROUND " << round;
    }
  }
}

}  // namespace
}  // namespace mfma::gfx950::testing
