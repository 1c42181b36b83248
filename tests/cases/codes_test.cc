#include "harness/cases/codes.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <set>
#include <stdexcept>
#include <vector>

namespace mfma::cases {
namespace {

using catalogue::ElementFormat;

const std::vector<ElementFormat> kSmallFloats{ElementFormat::kF16,     ElementFormat::kBf16,    ElementFormat::kFp8E4m3,
                                              ElementFormat::kBf8E5m2, ElementFormat::kFp6E2m3, ElementFormat::kBf6E3m2,
                                              ElementFormat::kFp4E2m1};

// The value of a finite code, by the definition of a floating-point number.
double value_of(ElementFormat f, std::uint64_t code) {
  const FloatFields fields = fields_of(f);
  const std::uint64_t fraction = code & ((std::uint64_t{1} << fields.fraction_bits) - 1);
  const int field = static_cast<int>(code >> fields.fraction_bits & ((std::uint64_t{1} << fields.exponent_bits) - 1));
  const std::uint64_t hidden = field == 0 ? 0 : std::uint64_t{1} << fields.fraction_bits;
  const int exponent = (field == 0 ? 1 : field) - fields.bias - fields.fraction_bits;
  const double magnitude = std::ldexp(static_cast<double>(fraction + hidden), exponent);
  return (code & negative_zero(f)) != 0 ? -magnitude : magnitude;
}

// Figures of the manual's Table 30 and of IEEE 754.
TEST(Fields, GiveTheLimitsOfTheFormats) {
  EXPECT_EQ(value_of(ElementFormat::kFp8E4m3, 0x7e), 448);
  EXPECT_EQ(value_of(ElementFormat::kFp8E4m3, 0x08), std::ldexp(1, -6));
  EXPECT_EQ(value_of(ElementFormat::kFp8E4m3, 0x01), std::ldexp(1, -9));
  EXPECT_EQ(value_of(ElementFormat::kBf8E5m2, 0x7b), 57344);
  EXPECT_EQ(value_of(ElementFormat::kBf8E5m2, 0x04), std::ldexp(1, -14));
  EXPECT_EQ(value_of(ElementFormat::kBf8E5m2, 0x01), std::ldexp(1, -16));
  EXPECT_EQ(value_of(ElementFormat::kFp6E2m3, 0x1f), 7.5);
  EXPECT_EQ(value_of(ElementFormat::kFp6E2m3, 0x08), 1.0);
  EXPECT_EQ(value_of(ElementFormat::kFp6E2m3, 0x01), 0.125);
  EXPECT_EQ(value_of(ElementFormat::kBf6E3m2, 0x1f), 28);
  EXPECT_EQ(value_of(ElementFormat::kBf6E3m2, 0x04), 0.25);
  EXPECT_EQ(value_of(ElementFormat::kBf6E3m2, 0x01), 0.0625);
  const std::vector<double> fp4{0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (std::uint64_t code = 0; code < 8; ++code) EXPECT_EQ(value_of(ElementFormat::kFp4E2m1, code), fp4[code]);
  EXPECT_EQ(value_of(ElementFormat::kF16, 0x7bff), 65504);
  EXPECT_EQ(value_of(ElementFormat::kF32, 0x3fc00000), 1.5);
  EXPECT_EQ(value_of(ElementFormat::kF64, std::bit_cast<std::uint64_t>(-0.1)), -0.1);
}

// Every finite code of the small formats, encoded from its value: n * 2^e in lowest and in other terms.
TEST(EncodeExact, GivesBackEveryFiniteCode) {
  for (const ElementFormat f : kSmallFloats) {
    const FloatFields fields = fields_of(f);
    const int unit = 1 - fields.bias - fields.fraction_bits;
    for (std::uint64_t code = 0; code < std::uint64_t{1} << catalogue::bits_of(f); ++code) {
      if (!is_finite_code(f, code) || code == negative_zero(f)) continue;
      int exponent = 0;
      const double fraction = std::frexp(value_of(f, code), &exponent);
      const auto n = static_cast<std::int64_t>(std::ldexp(fraction, 12));
      ASSERT_EQ(encode_exact(f, n, exponent - 12), code) << catalogue::name_of(f) << " " << code;
      ASSERT_EQ(encode_exact(f, n * 2, exponent - 13), code);
      if (exponent - unit < 50 && exponent - unit >= 0) {
        const auto units = static_cast<std::int64_t>(std::ldexp(value_of(f, code), -unit));
        ASSERT_EQ(encode_exact(f, units, unit), code);
      }
    }
  }
}

TEST(EncodeExact, WideFormatsAsTheHostHasThem) {
  for (const std::int64_t n : {1, -1, 3, -12345, 1 << 23, (1 << 24) - 1}) {
    for (const int exponent : {-149, -130, -20, 0, 5, 80}) {
      if (std::abs(n) != 1 && exponent == -149 && std::abs(n) >= 1 << 24) continue;
      const auto value = static_cast<float>(std::ldexp(static_cast<double>(n), exponent));
      EXPECT_EQ(encode_exact(ElementFormat::kF32, n, exponent), std::bit_cast<std::uint32_t>(value)) << n << exponent;
      EXPECT_EQ(encode_exact(ElementFormat::kF64, n, exponent * 5),
                std::bit_cast<std::uint64_t>(std::ldexp(static_cast<double>(n), exponent * 5)));
    }
  }
  EXPECT_EQ(encode_exact(ElementFormat::kF64, 1, -1074), 1u);
}

TEST(EncodeExact, RefusesWhatTheFormatCannotHold) {
  EXPECT_THROW(encode_exact(ElementFormat::kFp8E4m3, 480, 0), std::invalid_argument);  // the NaN's place
  EXPECT_THROW(encode_exact(ElementFormat::kFp8E4m3, 17, 0), std::invalid_argument);
  EXPECT_THROW(encode_exact(ElementFormat::kBf8E5m2, 1, 16), std::invalid_argument);
  EXPECT_THROW(encode_exact(ElementFormat::kFp4E2m1, 8, 0), std::invalid_argument);
  EXPECT_THROW(encode_exact(ElementFormat::kFp4E2m1, 1, -2), std::invalid_argument);
  EXPECT_THROW(encode_exact(ElementFormat::kF32, (1 << 24) + 1, 0), std::invalid_argument);
  EXPECT_THROW(encode_exact(ElementFormat::kF32, 1, 128), std::invalid_argument);
  EXPECT_THROW(encode_exact(ElementFormat::kF32, 1, -150), std::invalid_argument);
  EXPECT_THROW(encode_exact(ElementFormat::kF32, 1, -300), std::invalid_argument);
  EXPECT_THROW(encode_exact(ElementFormat::kI8, 128, 0), std::invalid_argument);
  EXPECT_THROW(encode_exact(ElementFormat::kI8, 1, 1), std::invalid_argument);
  EXPECT_EQ(encode_exact(ElementFormat::kI8, -128, 0), 0x80u);
  EXPECT_EQ(encode_exact(ElementFormat::kI32, -1, 0), 0xffffffffu);
}

TEST(IsFiniteCode, CountsOfTheFormats) {
  const auto non_finite = [](ElementFormat f) {
    int count = 0;
    for (std::uint64_t code = 0; code < std::uint64_t{1} << catalogue::bits_of(f); ++code) {
      count += is_finite_code(f, code) ? 0 : 1;
    }
    return count;
  };
  EXPECT_EQ(non_finite(ElementFormat::kF16), 2048);
  EXPECT_EQ(non_finite(ElementFormat::kBf16), 256);
  EXPECT_EQ(non_finite(ElementFormat::kFp8E4m3), 2);
  EXPECT_EQ(non_finite(ElementFormat::kBf8E5m2), 8);
  EXPECT_EQ(non_finite(ElementFormat::kFp6E2m3), 0);
  EXPECT_EQ(non_finite(ElementFormat::kBf6E3m2), 0);
  EXPECT_EQ(non_finite(ElementFormat::kFp4E2m1), 0);
  EXPECT_EQ(non_finite(ElementFormat::kI8), 0);
}

TEST(Specials, EachOnceAndWithinTheFormat) {
  for (int i = 0; i <= static_cast<int>(ElementFormat::kI32); ++i) {
    const auto f = static_cast<ElementFormat>(i);
    std::set<std::uint64_t> seen;
    for (const std::uint64_t code : specials_of(f)) {
      EXPECT_TRUE(seen.insert(code).second) << catalogue::name_of(f) << " " << code;
      EXPECT_TRUE(catalogue::bits_of(f) == 64 || code >> catalogue::bits_of(f) == 0);
    }
  }
}

// What a list of specials must hold, worked out from the format's fields.
TEST(Specials, HoldTheEdgesOfEveryFloat) {
  for (int i = 0; i < static_cast<int>(ElementFormat::kI8); ++i) {
    const auto f = static_cast<ElementFormat>(i);
    const FloatFields fields = fields_of(f);
    const std::uint64_t sign = std::uint64_t{1} << (catalogue::bits_of(f) - 1);
    const std::uint64_t hidden = std::uint64_t{1} << fields.fraction_bits;
    // Below infinity where there is one, below the NaN in E4M3, else all ones.
    const bool ieee = !is_finite_code(f, sign - hidden);
    const std::uint64_t largest = ieee ? sign - hidden - 1 : sign - (is_finite_code(f, sign - 1) ? 1 : 2);
    std::vector<std::uint64_t> magnitudes{0, 1, hidden - 1, hidden, encode_exact(f, 1, 0), largest};
    if (ieee) magnitudes.push_back(largest + 1);
    const auto specials = specials_of(f);
    const std::set<std::uint64_t> list(specials.begin(), specials.end());
    for (const std::uint64_t magnitude : magnitudes) {
      EXPECT_TRUE(list.contains(magnitude)) << catalogue::name_of(f) << " " << magnitude;
      EXPECT_TRUE(list.contains(magnitude | sign)) << catalogue::name_of(f) << " -" << magnitude;
    }
    // NaNs: quiet and signalling, of either sign, where the format tells them apart.
    int quiet = 0, signalling = 0;
    for (const std::uint64_t code : list) {
      const bool infinite = ieee && (code & ~sign) == largest + 1;
      if (is_finite_code(f, code) || infinite) continue;
      ((code & hidden >> 1) != 0 ? quiet : signalling) += 1;
    }
    EXPECT_GE(quiet, ieee ? 3 : (f == ElementFormat::kFp8E4m3 ? 2 : 0)) << catalogue::name_of(f);
    EXPECT_GE(signalling, ieee ? 2 : 0) << catalogue::name_of(f);
  }
}

TEST(Specials, Integers) {
  const auto i8 = specials_of(ElementFormat::kI8);
  EXPECT_EQ(std::set<std::uint64_t>(i8.begin(), i8.end()), (std::set<std::uint64_t>{0x80, 0xff, 0, 1, 0x7f}));
  const auto i32 = specials_of(ElementFormat::kI32);
  EXPECT_EQ(std::set<std::uint64_t>(i32.begin(), i32.end()),
            (std::set<std::uint64_t>{0x80000000, 0xffffffff, 0, 1, 0x7fffffff}));
}

}  // namespace
}  // namespace mfma::cases
