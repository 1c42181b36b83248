// Codes against the value tables of the formats (numerics, section 2), and encode against decode on every code.
#include "oracles/reference/element.h"

#include <gtest/gtest.h>

#include "tests/reference/formats.h"

namespace mfma::oracles::reference::testing {
namespace {

struct ValueRow {
  Format format;
  std::uint64_t code;
  int numerator, exponent;  // numerator * 2^exponent
  long clamped_exponent, true_exponent;
};

TEST(Element, LargestLeastNormalAndLeastSubnormalOfEveryFormat) {
  const ValueRow rows[] = {
      {kFp8, 0x7E, 448, 0, 8, 8},
      {kFp8, 0x08, 1, -6, -6, -6},
      {kFp8, 0x01, 1, -9, -6, -9},
      {kFp8, 0xFE, -448, 0, 8, 8},
      {kBf8, 0x7B, 57344, 0, 15, 15},
      {kBf8, 0x04, 1, -14, -14, -14},
      {kBf8, 0x01, 1, -16, -14, -16},
      {kFp6, 0x1F, 15, -1, 2, 2},
      {kFp6, 0x08, 1, 0, 0, 0},
      {kFp6, 0x01, 1, -3, 0, -3},
      {kBf6, 0x1F, 28, 0, 4, 4},
      {kBf6, 0x04, 1, -2, -2, -2},
      {kBf6, 0x03, 3, -4, -2, -3},
      {kBf6, 0x01, 1, -4, -2, -4},
      {kFp4, 0x7, 6, 0, 2, 2},
      {kFp4, 0x6, 4, 0, 2, 2},
      {kFp4, 0x5, 3, 0, 1, 1},
      {kFp4, 0x4, 2, 0, 1, 1},
      {kFp4, 0x3, 3, -1, 0, 0},
      {kFp4, 0x2, 1, 0, 0, 0},
      {kFp4, 0x1, 1, -1, 0, -1},
      {kFp4, 0x9, -1, -1, 0, -1},
      {kF16, 0x7BFF, 65504, 0, 15, 15},
      {kF16, 0x0400, 1, -14, -14, -14},
      {kF16, 0x0001, 1, -24, -14, -24},
      {kBf16, 0x0080, 1, -126, -126, -126},
      {kBf16, 0x8001, -1, -133, -126, -133},
      {kF32, 0x3F800001, 8388609, -23, 0, 0},
      {kF32, 0x00000001, 1, -149, -126, -149},
      {kF64, 0x0000000000000001, 1, -1074, -1022, -1074},
      {kF64, 0xC000000000000000, -2, 0, 1, 1},
      {kFp8, 0x00, 0, 0, -6, -6},
      {kBf16, 0x8000, 0, 0, -126, -126},
      {kI8, 0x80, -128, 0, 0, 0},
      {kI8, 0x7F, 127, 0, 0, 0},
      {kI32, 0xFFFFFFFF, -1, 0, 0, 0},
  };
  for (const ValueRow& row : rows) {
    SCOPED_TRACE(std::string(row.format.name) + " " + std::to_string(row.code));
    const Element element = decode_element(row.format, row.code);
    ASSERT_TRUE(element.real.is_finite());
    EXPECT_EQ(compare(element.real.value, Dyadic(mpz_class(row.numerator), row.exponent)), 0);
    EXPECT_EQ(element.clamped_exponent, row.clamped_exponent);
    EXPECT_EQ(element.true_exponent, row.true_exponent);
    const bool signed_code = !row.format.is_integer && (row.code >> (row.format.bits - 1)) != 0;
    EXPECT_EQ(element.real.negative, signed_code || element.real.value.is_negative());
  }
}

int count(const Format& f, ValueClass cls) {
  int found = 0;
  for (std::uint64_t code = 0; code < std::uint64_t{1} << f.bits; ++code) {
    if (decode_element(f, code).real.cls == cls) ++found;
  }
  return found;
}

TEST(Element, HowManyInfinitiesAndNansAFormatHas) {
  EXPECT_EQ(count(kFp8, ValueClass::kNan), 2);
  EXPECT_EQ(count(kFp8, ValueClass::kInfinity), 0);
  EXPECT_EQ(count(kBf8, ValueClass::kNan), 6);
  EXPECT_EQ(count(kBf8, ValueClass::kInfinity), 2);
  EXPECT_EQ(count(kF16, ValueClass::kNan), 2 * 1023);
  EXPECT_EQ(count(kF16, ValueClass::kInfinity), 2);
  EXPECT_EQ(count(kBf16, ValueClass::kNan), 2 * 127);
  for (const Format& f : {kFp6, kBf6, kFp4, kI8}) EXPECT_EQ(count(f, ValueClass::kFinite), 1 << f.bits);
}

TEST(Element, EncodingUndoesDecoding) {
  for (const Format& f : {kF16, kBf16, kBf8}) {
    for (std::uint64_t code = 0; code < std::uint64_t{1} << f.bits; ++code) {
      const Real real = decode_element(f, code).real;
      if (real.is_nan()) continue;
      ASSERT_EQ(encode(real, f), code) << f.name;
      ASSERT_EQ(encode(round_to_format(real, f), f), code) << f.name;
    }
  }
}

struct RoundingRow {
  long numerator, exponent;
  std::uint64_t f32;
};

TEST(Element, RoundingToF32AtItsEdges) {
  const RoundingRow rows[] = {
      {16777217, 0, 0x4B800000},                     // tie to even, down
      {16777219, 0, 0x4B800002},                     // tie to even, up
      {(1L << 40) + (1L << 16) + 1, 0, 0x53800001},  // just above a tie
      {1, -150, 0x00000000},                         // half the least subnormal: tie to zero
      {-1, -150, 0x80000000},
      {3, -151, 0x00000001},         // three quarters of it
      {3, -150, 0x00000002},         // tie to even among subnormals
      {16777215, -150, 0x00800000},  // rounds up into the least normal
      {33554431, 103, 0x7F800000},   // half an ulp above the largest: infinity
      {67108861, 102, 0x7F7FFFFF},   // just below that
      {-1, 128, 0xFF800000},
  };
  for (const RoundingRow& row : rows) {
    const Real real = Real::finite(Dyadic(mpz_class(row.numerator), row.exponent), false);
    EXPECT_EQ(encode(round_to_format(real, kF32), kF32), row.f32) << row.numerator << " * 2^" << row.exponent;
  }
}

TEST(Element, ScalesAreE8m0) {
  EXPECT_EQ(scale_exponent(0x00), -127);
  EXPECT_EQ(scale_exponent(0x7F), 0);
  EXPECT_EQ(scale_exponent(0xFE), 127);
  EXPECT_EQ(scale_exponent(0xFF), std::nullopt);
}

}  // namespace
}  // namespace mfma::oracles::reference::testing
