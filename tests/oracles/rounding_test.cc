// Rounding to nearest even against the host's own conversions and against hand-made ties.
#include "oracles/formats/rounding.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

namespace mfma::oracles {
namespace {

const Format& f32() { return format(FormatId::kF32); }

template <typename Unsigned>
std::uint64_t round_bits(const Format& f, bool negative, Unsigned magnitude, int exponent) {
  return encode(f, round_to(f, negative, magnitude, exponent));
}

TEST(Rounding, F32AgreesWithTheHostsConversionFromF64) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 300000; ++i) {
    // Exponents around the whole f32 range, with subnormals and overflows.
    const int exponent = static_cast<int>(random() % 320) - 215;
    const std::uint64_t magnitude = random() >> (11 + random() % 50);
    const bool negative = (random() & 1) != 0;
    const double value = std::ldexp(static_cast<double>(magnitude), exponent) * (negative ? -1 : 1);
    const auto host = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    ASSERT_EQ(round_bits(f32(), negative, magnitude, exponent), host) << magnitude << " * 2^" << exponent;
    ASSERT_EQ(round_bits<Uint128>(f32(), negative, static_cast<Uint128>(magnitude) << 60, exponent - 60), host);
  }
}

TEST(Rounding, TiesUnderflowAndOverflow) {
  EXPECT_EQ(round_bits<std::uint64_t>(f32(), false, 0x1000001, 0), 0x4b800000U);    // tie to even: down
  EXPECT_EQ(round_bits<std::uint64_t>(f32(), false, 0x1000003, 0), 0x4b800002U);    // tie to even: up
  EXPECT_EQ(round_bits<std::uint64_t>(f32(), true, 1, -150), 0x80000000U);          // half the least: to -0
  EXPECT_EQ(round_bits<std::uint64_t>(f32(), false, 3, -151), 1U);                  // three quarters of it
  EXPECT_EQ(round_bits<std::uint64_t>(f32(), false, 0xffffff, -150), 0x00800000U);  // rounds up to the least normal
  EXPECT_EQ(round_bits<std::uint64_t>(f32(), false, 0x1ffffff, 103), 0x7f800000U);  // 2^128 - 2^103: a tie, away
  EXPECT_EQ(round_bits<std::uint64_t>(f32(), true, 0x3fffffd, 102), 0xff7fffffU);
  EXPECT_EQ(round_bits<std::uint64_t>(f32(), false, 1, -5000), 0U);
  EXPECT_EQ(round_bits<std::uint64_t>(f32(), false, 1, 5000), 0x7f800000U);
}

// All codes of the small IEEE formats survive the way there and back.
TEST(Rounding, EncodeInvertsDecode) {
  for (FormatId id : {FormatId::kF16, FormatId::kBf16, FormatId::kBf8E5m2}) {
    const Format& f = format(id);
    for (std::uint64_t code = 0; code < std::uint64_t{1} << f.bits; ++code) {
      const Number x = to_number(f, code);
      if (x.cls == ValueClass::kNan) continue;
      ASSERT_EQ(encode(f, x), code);
      if (x.cls != ValueClass::kFinite) continue;
      ASSERT_EQ(round_bits(f, x.negative, x.significand, x.exponent), code);
    }
  }
}

// Halfway between neighbours and a bit beside it, for every pair of neighbours of f16.
TEST(Rounding, HalfwaysOfF16) {
  const Format& f = format(FormatId::kF16);
  for (std::uint64_t code = 0; code < 0x7bff; ++code) {
    const Number low = to_number(f, code);
    // Both neighbours in units of 2^(low's last bit - 3): the next one is 8 units up.
    const std::uint64_t units = low.significand * 8;
    const int exponent = low.exponent - 3;
    ASSERT_EQ(round_bits(f, false, units + 3, exponent), code);
    ASSERT_EQ(round_bits(f, false, units + 4, exponent), (code & 1) == 0 ? code : code + 1);
    ASSERT_EQ(round_bits(f, false, units + 5, exponent), code + 1);
  }
}

TEST(Rounding, JamKeepsWhatFellOff) {
  EXPECT_EQ(shift_right_jam<std::uint64_t>(0b1000, 3), 1U);
  EXPECT_EQ(shift_right_jam<std::uint64_t>(0b10100, 3), 3U);
  EXPECT_EQ(shift_right_jam<std::uint64_t>(1, 64), 1U);
  EXPECT_EQ(shift_right_jam<std::uint64_t>(0, 200), 0U);
  EXPECT_EQ(shift_right_jam<std::uint64_t>(6, 0), 6U);
}

}  // namespace
}  // namespace mfma::oracles
