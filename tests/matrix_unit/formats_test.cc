// What element codes are worth: by the fields of the format (2^(e - bias) * 1.f), and the limits of manual table 30.
#include "harness/gfx950/matrix/formats.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "tests/matrix_unit/support.h"

namespace mfma::gfx950::testing {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double value_by_fields(const Format& format, std::uint64_t code) {
  const std::uint64_t fraction = code & ((std::uint64_t{1} << format.fraction_bits) - 1);
  const auto top = static_cast<int>((1U << format.exponent_bits) - 1);
  const auto exponent = static_cast<int>(code >> format.fraction_bits) & top;
  const bool negative = (code >> (format.bits() - 1) & 1) != 0;
  double value = std::ldexp(static_cast<double>(fraction), std::max(exponent, 1) - format.bias - format.fraction_bits);
  if (exponent != 0) value += std::ldexp(1.0, exponent - format.bias);
  if (format.kind == Format::Kind::kIeee && exponent == top) value = fraction == 0 ? kInfinity : kNan;
  if (format.kind == Format::Kind::kNanOnly && exponent == top && fraction == 7) value = kNan;
  return negative ? -value : value;
}

// One code as A, 1 as B: D holds its value, under exact arithmetic.
void check_code(Image& image, const MatrixUnit& unit, std::uint64_t code) {
  const Format& format = image.instruction.a;
  image.set_a(0, 0, 0, code);
  ASSERT_EQ(image.run(unit), "");
  const auto bits = static_cast<std::uint32_t>(image.get_d(0, 0, 0));
  const double expected = value_by_fields(format, code);
  if (std::isnan(expected)) {
    ASSERT_EQ(bits, 0x7fc00000U) << format.name << " code " << code;
  } else if (expected == 0) {
    ASSERT_EQ(bits, 0U) << format.name << " code " << code;
  } else {
    ASSERT_EQ(bits, std::bit_cast<std::uint32_t>(static_cast<float>(expected))) << format.name << " code " << code;
  }
}

void check_all_codes(const Instruction& in) {
  const MatrixUnit unit(config_of(exact_rules(16)));
  Image image(in);
  image.set_b(0, 0, 0, in.b.one);
  for (std::uint64_t code = 0; code < std::uint64_t{1} << in.a.bits(); ++code) check_code(image, unit, code);
}

TEST(Formats, EverySmallCode) {
  for (int format = 0; format < 5; ++format) check_all_codes(f8f6f4(45, format, 4));
  check_all_codes(instruction(115));
  check_all_codes(instruction(112));
}

TEST(Formats, EveryF16AndBf16Code) {
  check_all_codes(instruction(74));
  check_all_codes(instruction(95));
}

TEST(Formats, F32AndF64AreTheHosts) {
  const MatrixUnit unit(config_of(exact_rules(1)));
  for (const std::uint64_t code : {0x00000001ULL, 0x807fffffULL, 0x3f800001ULL, 0x7f7fffffULL, 0xff800000ULL}) {
    Image image(instruction(69));
    image.set_a(0, 3, 2, code);
    image.set_b(0, 2, 1, kF32.one);
    ASSERT_EQ(image.run(unit), "");
    EXPECT_EQ(image.get_d(0, 3, 1), code);
  }
  for (const std::uint64_t code : {0x0000000000000001ULL, 0x800fffffffffffffULL, 0x3ff0000000000001ULL,
                                   0x7fefffffffffffffULL, 0xfff0000000000000ULL}) {
    Image image(instruction(110));
    image.set_a(0, 3, 2, code);
    image.set_b(0, 2, 1, kF64.one);
    ASSERT_EQ(image.run(unit), "");
    EXPECT_EQ(image.get_d(0, 3, 1), code);
  }
}

struct Limit {
  ElementFormat format;
  std::size_t code;
  double value;
};

TEST(Formats, LimitsOfTable30) {
  using enum ElementFormat;
  const Limit limits[] = {
      {kFp8, 0x7e, 448},       {kFp8, 0x08, 0x1p-6},     {kFp8, 0x01, 0x1p-9}, {kFp8, 0xfe, -448}, {kBf8, 0x7b, 57344},
      {kBf8, 0x04, 0x1p-14},   {kBf8, 0x01, 0x1p-16},    {kBf8, 0xfb, -57344}, {kFp6, 0x1f, 7.5},  {kFp6, 0x08, 1.0},
      {kFp6, 0x01, 0.125},     {kFp6, 0x3f, -7.5},       {kBf6, 0x1f, 28},     {kBf6, 0x04, 0.25}, {kBf6, 0x01, 0.0625},
      {kBf6, 0x3f, -28},       {kFp4, 0x7, 6},           {kFp4, 0x2, 1.0},     {kFp4, 0x1, 0.5},   {kFp4, 0xf, -6},
      {kBf8, 0x7c, kInfinity}, {kBf8, 0xfc, -kInfinity},
  };
  for (const Limit& limit : limits) {
    EXPECT_EQ(small_table(limit.format)[limit.code].value, limit.value) << limit.code;
  }
  const double fp4[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (std::size_t code = 0; code < 8; ++code) EXPECT_EQ(small_table(kFp4)[code].value, fp4[code]);
  for (const std::size_t code : {0x7dU, 0x7eU, 0x7fU, 0xfdU, 0xfeU, 0xffU}) {
    EXPECT_TRUE(std::isnan(small_table(kBf8)[code].value));
  }
  EXPECT_TRUE(std::isnan(small_table(kFp8)[0x7f].value));
  EXPECT_TRUE(std::isnan(small_table(kFp8)[0xff].value));
  EXPECT_TRUE(std::signbit(small_table(kFp8)[0x80].value));
}

TEST(Formats, LeastExponents) {
  EXPECT_EQ(least_exponent(ElementFormat::kFp8), testing::kFp8.least_exponent());
  EXPECT_EQ(least_exponent(ElementFormat::kBf8), testing::kBf8.least_exponent());
  EXPECT_EQ(least_exponent(ElementFormat::kFp6), testing::kFp6.least_exponent());
  EXPECT_EQ(least_exponent(ElementFormat::kBf6), testing::kBf6.least_exponent());
  EXPECT_EQ(least_exponent(ElementFormat::kFp4), testing::kFp4.least_exponent());
  EXPECT_EQ(least_exponent(ElementFormat::kF16), testing::kF16.least_exponent());
  EXPECT_EQ(least_exponent(ElementFormat::kBf16), testing::kBf16.least_exponent());
  EXPECT_EQ(least_exponent(ElementFormat::kF32), testing::kF32.least_exponent());
  EXPECT_EQ(least_exponent(ElementFormat::kF64), testing::kF64.least_exponent());
}

TEST(Formats, ExponentOfTakesSubnormalsAsTheyAre) {
  EXPECT_EQ(exponent_of(0.0), kZeroExponent);
  EXPECT_EQ(exponent_of(-0.0), kZeroExponent);
  EXPECT_EQ(exponent_of(1.0), 0);
  EXPECT_EQ(exponent_of(-1.99), 0);
  EXPECT_EQ(exponent_of(0x1p-1074), -1074);
  EXPECT_EQ(exponent_of(0x1.8p-1030), -1030);
  EXPECT_EQ(exponent_of(0x1p-1022), -1022);
}

// numerics.md C1, C2 and the fp8 rows of 1.5; quieted, sign and payload kept.
TEST(Formats, NansPassedOn) {
  EXPECT_EQ(passed_on_nan(ElementFormat::kF16, 0x7e01), 0x7fc02000U);
  EXPECT_EQ(passed_on_nan(ElementFormat::kF16, 0x7d01), 0x7fe02000U);
  EXPECT_EQ(passed_on_nan(ElementFormat::kBf16, 0xff81), 0xffc10000U);
  EXPECT_EQ(passed_on_nan(ElementFormat::kF32, 0x7f812345), 0x7fc12345U);
  EXPECT_EQ(passed_on_nan(ElementFormat::kF32, 0xffc54321), 0xffc54321U);
  EXPECT_EQ(passed_on_nan(ElementFormat::kFp8, 0x7f), 0x7ff00000U);
  EXPECT_EQ(passed_on_nan(ElementFormat::kFp8, 0xff), 0xfff00000U);
  EXPECT_EQ(passed_on_nan(ElementFormat::kBf8, 0x7d), 0x7fe00000U);
  EXPECT_EQ(passed_on_nan(ElementFormat::kBf8, 0xfe), 0xffc00000U);
  EXPECT_EQ(passed_on_nan(ElementFormat::kF64, 0xfff0000000000001), 0xfff8000000000001U);
}

}  // namespace
}  // namespace mfma::gfx950::testing
