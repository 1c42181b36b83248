// Every code of the formats of up to 16 bits, against values computed here from the manual's Table 30.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "oracles/formats/format.h"

namespace mfma::oracles {
namespace {

double value_of(const Decoded& x) {
  const double magnitude = std::ldexp(static_cast<double>(x.significand), x.exponent);
  return x.negative ? -magnitude : magnitude;
}

// As the manual has them (CDNA4 ISA, Table 30 and 7.1.5): written down here a second time on purpose.
struct Expectation {
  FormatId id;
  const char* name;
  int bits, exponent_bits, fraction_bits, bias;
  double largest, least_normal, least_subnormal;
};
const Expectation kExpectations[] = {
    {FormatId::kF16, "f16", 16, 5, 10, 15, 65504.0, std::ldexp(1, -14), std::ldexp(1, -24)},
    {FormatId::kBf16, "bf16", 16, 8, 7, 127, std::ldexp(255, 120), std::ldexp(1, -126), std::ldexp(1, -133)},
    {FormatId::kFp8E4m3, "fp8_e4m3", 8, 4, 3, 7, 448.0, std::ldexp(1, -6), std::ldexp(1, -9)},
    {FormatId::kBf8E5m2, "bf8_e5m2", 8, 5, 2, 15, 57344.0, std::ldexp(1, -14), std::ldexp(1, -16)},
    {FormatId::kFp6E2m3, "fp6_e2m3", 6, 2, 3, 1, 7.5, 1.0, 0.125},
    {FormatId::kBf6E3m2, "bf6_e3m2", 6, 3, 2, 3, 28.0, 0.25, 0.0625},
    {FormatId::kFp4E2m1, "fp4_e2m1", 4, 2, 1, 1, 6.0, 1.0, 0.5},
};

ValueClass expected_class(FormatId id, std::uint64_t code) {
  const auto in = [&](std::uint64_t low, std::uint64_t high) { return code >= low && code <= high; };
  switch (id) {
    case FormatId::kFp8E4m3:
      return code == 0x7f || code == 0xff ? ValueClass::kNan : ValueClass::kFinite;
    case FormatId::kBf8E5m2:
      if (code == 0x7c || code == 0xfc) return ValueClass::kInfinity;
      return in(0x7d, 0x7f) || in(0xfd, 0xff) ? ValueClass::kNan : ValueClass::kFinite;
    case FormatId::kF16:
      if (code == 0x7c00 || code == 0xfc00) return ValueClass::kInfinity;
      return in(0x7c01, 0x7fff) || in(0xfc01, 0xffff) ? ValueClass::kNan : ValueClass::kFinite;
    case FormatId::kBf16:
      if (code == 0x7f80 || code == 0xff80) return ValueClass::kInfinity;
      return in(0x7f81, 0x7fff) || in(0xff81, 0xffff) ? ValueClass::kNan : ValueClass::kFinite;
    default:
      return ValueClass::kFinite;
  }
}

TEST(Formats, EveryCodeOfTheSmallFormats) {
  for (const Expectation& e : kExpectations) {
    const Format& f = format(e.id);
    EXPECT_EQ(f.name, e.name);
    EXPECT_EQ(f.bits, e.bits);
    double largest = 0;
    double least = std::numeric_limits<double>::infinity();
    double least_normal = std::numeric_limits<double>::infinity();
    for (std::uint64_t code = 0; code < std::uint64_t{1} << e.bits; ++code) {
      const Decoded x = decode(f, code);
      ASSERT_EQ(x.cls, expected_class(e.id, code)) << e.name << " " << code;
      const bool negative = (code >> (e.bits - 1)) != 0;
      ASSERT_EQ(x.negative, negative) << e.name << " " << code;
      if (x.cls != ValueClass::kFinite) continue;
      const auto fraction = static_cast<double>(code % (std::uint64_t{1} << e.fraction_bits));
      const auto field = static_cast<int>((code >> e.fraction_bits) % (std::uint64_t{1} << e.exponent_bits));
      const double unit = std::ldexp(1, -e.fraction_bits);
      const double magnitude =
          field == 0 ? std::ldexp(fraction * unit, 1 - e.bias) : std::ldexp(1 + fraction * unit, field - e.bias);
      ASSERT_EQ(value_of(x), negative ? -magnitude : magnitude) << e.name << " " << code;
      ASSERT_EQ(std::signbit(value_of(x)), negative);
      const int floor_log2 = magnitude == 0 ? -1000 : std::ilogb(magnitude);
      ASSERT_EQ(x.leading_exponent, std::max(floor_log2, std::ilogb(e.least_normal))) << e.name << " " << code;
      largest = std::max(largest, magnitude);
      if (magnitude > 0) least = std::min(least, magnitude);
      if (field != 0) least_normal = std::min(least_normal, magnitude);
    }
    EXPECT_EQ(largest, e.largest) << e.name;
    EXPECT_EQ(least, e.least_subnormal) << e.name;
    EXPECT_EQ(least_normal, e.least_normal) << e.name;
  }
}

TEST(Formats, Fp4IsTheKnownList) {
  const double values[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (std::uint64_t code = 0; code < 8; ++code) {
    EXPECT_EQ(value_of(decode(format(FormatId::kFp4E2m1), code)), values[code]);
    EXPECT_EQ(value_of(decode(format(FormatId::kFp4E2m1), code + 8)), -values[code]);
  }
}

TEST(Formats, E8m0HasNeitherZeroNorSign) {
  for (int code = 0; code < 255; ++code) {
    const Decoded x = decode(format(FormatId::kE8m0), static_cast<std::uint64_t>(code));
    EXPECT_EQ(x.cls, ValueClass::kFinite);
    EXPECT_EQ(value_of(x), std::ldexp(1, code - 127));
  }
  EXPECT_EQ(decode(format(FormatId::kE8m0), 0xff).cls, ValueClass::kNan);
}

TEST(Formats, Integers) {
  for (int i = -128; i < 128; ++i) {
    EXPECT_EQ(value_of(decode(format(FormatId::kI8), static_cast<std::uint8_t>(i))), i);
  }
  EXPECT_EQ(value_of(decode(format(FormatId::kI32), 0x80000000)), -2147483648.0);
  EXPECT_EQ(value_of(decode(format(FormatId::kI32), 0x7fffffff)), 2147483647.0);
  EXPECT_EQ(value_of(decode(format(FormatId::kI32), 0xffffffff)), -1.0);
}

template <typename Float, typename Bits>
void compare_with_host(FormatId id, Bits code) {
  const Decoded x = decode(format(id), code);
  const auto host = std::bit_cast<Float>(code);
  ASSERT_EQ(x.cls == ValueClass::kNan, std::isnan(host)) << std::hex << code;
  ASSERT_EQ(x.cls == ValueClass::kInfinity, std::isinf(host)) << std::hex << code;
  ASSERT_EQ(x.negative, std::signbit(host));
  if (x.cls != ValueClass::kFinite) return;
  ASSERT_EQ(value_of(x), static_cast<double>(host)) << std::hex << code;
}

TEST(Formats, F32AndF64AgreeWithTheHost) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200000; ++i) {
    compare_with_host<float, std::uint32_t>(FormatId::kF32, static_cast<std::uint32_t>(random()));
    compare_with_host<double, std::uint64_t>(FormatId::kF64, random());
  }
  for (std::uint32_t code : {0U, 1U, 0x7fffffU, 0x800000U, 0x7f7fffffU, 0x7f800000U, 0x7f800001U, 0x80000000U}) {
    compare_with_host<float, std::uint32_t>(FormatId::kF32, code);
  }
}

TEST(Formats, DecodersFollowTheDescriptorAndNotTheId) {
  Format altered = format(FormatId::kFp8E4m3);
  altered.bias = 8;  // as the FNUZ format has it
  EXPECT_EQ(value_of(decode(altered, 0x38)), 0.5);
  altered.specials = Specials::kNone;
  EXPECT_EQ(value_of(decode(altered, 0x7f)), 240.0);
  altered.specials = Specials::kIeee;
  EXPECT_EQ(decode(altered, 0x78).cls, ValueClass::kInfinity);
}

TEST(Formats, FoundByName) {
  for (FormatId id : {FormatId::kF64, FormatId::kF32, FormatId::kBf8E5m2, FormatId::kE8m0, FormatId::kI32}) {
    ASSERT_NE(find_format(format(id).name), nullptr);
    EXPECT_EQ(find_format(format(id).name)->id, id);
    EXPECT_EQ(format(id).id, id);
  }
  EXPECT_EQ(find_format("f8"), nullptr);
}

}  // namespace
}  // namespace mfma::oracles
