// Dyadic against GMP's own rationals, mpq_class.
#include "oracles/reference/dyadic.h"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

namespace mfma::oracles::reference {
namespace {

struct Sample {
  Dyadic dyadic;
  mpq_class rational;
};

mpq_class power(long e) {
  mpq_class result = 1;
  if (e >= 0) {
    mpq_mul_2exp(result.get_mpq_t(), result.get_mpq_t(), static_cast<mp_bitcnt_t>(e));
  } else {
    mpq_div_2exp(result.get_mpq_t(), result.get_mpq_t(), static_cast<mp_bitcnt_t>(-e));
  }
  return result;
}

Sample sample(long numerator, long exponent) {
  return {Dyadic(mpz_class(numerator), exponent), mpq_class(numerator) * power(exponent)};
}

std::vector<Sample> samples() {
  std::mt19937_64 random(1);
  std::vector<Sample> result = {sample(0, 0), sample(0, -400), sample(1, 0), sample(-1, 0), sample(3, -1)};
  for (int i = 0; i < 300; ++i) {
    const int width = static_cast<int>(random() % 30);
    const long numerator = static_cast<long>(random() % (1UL << width)) - static_cast<long>(1UL << width) / 2;
    result.push_back(sample(numerator, static_cast<long>(random() % 80) - 40));
  }
  return result;
}

// The value as a rational again, by way of an exponent that is below every sample's.
mpq_class rational_of(const Dyadic& x) { return mpq_class(x.in_units_of(-500)) * power(-500); }

TEST(Dyadic, SumsProductsAndOrderAreThoseOfRationals) {
  const std::vector<Sample> all = samples();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Sample& x = all[i];
    const Sample& y = all[(i * 7 + 3) % all.size()];
    EXPECT_EQ(rational_of(x.dyadic + y.dyadic), x.rational + y.rational);
    EXPECT_EQ(rational_of(x.dyadic * y.dyadic), x.rational * y.rational);
    EXPECT_EQ(rational_of(x.dyadic.times_power_of_two(-9)), x.rational / 512);
    EXPECT_EQ(rational_of(x.dyadic.magnitude()), abs(x.rational));
    EXPECT_EQ(x.dyadic.is_negative(), x.rational < 0);
    EXPECT_EQ(x.dyadic.is_zero(), x.rational == 0);
  }
}

TEST(Dyadic, FloorLog2BracketsTheMagnitude) {
  for (const Sample& x : samples()) {
    if (x.rational == 0) {
      EXPECT_THROW(x.dyadic.floor_log2(), std::invalid_argument);
      continue;
    }
    const long e = x.dyadic.floor_log2();
    EXPECT_LE(power(e), abs(x.rational));
    EXPECT_GT(power(e + 1), abs(x.rational));
  }
}

TEST(Dyadic, RoundingPicksTheMultipleItsModeNames) {
  for (const Sample& x : samples()) {
    for (long n = -45; n < 60; n += 7) {
      const mpq_class unit = power(n);
      const mpq_class down = rational_of(x.dyadic.round_to_multiple(n, Rounding::kDown));
      const mpq_class zero = rational_of(x.dyadic.round_to_multiple(n, Rounding::kTowardZero));
      const mpq_class near = rational_of(x.dyadic.round_to_multiple(n, Rounding::kNearestEven));
      for (const mpq_class& rounded : {down, zero, near}) EXPECT_EQ(mpq_class(rounded / unit).get_den(), 1);
      EXPECT_LE(down, x.rational);
      EXPECT_GT(down + unit, x.rational);
      EXPECT_LE(abs(zero), abs(x.rational));
      EXPECT_GT(abs(zero) + unit, abs(x.rational));
      const mpq_class error = abs(near - x.rational);
      EXPECT_LE(error, unit / 2);
      if (error == unit / 2) {
        EXPECT_TRUE(mpz_even_p(mpq_class(near / unit).get_num_mpz_t())) << x.rational << " to 2^" << n;
      }
    }
  }
}

TEST(Dyadic, UnitsThatDoNotDivideAreRefused) {
  EXPECT_THROW(Dyadic(mpz_class(3), -1).in_units_of(0), std::invalid_argument);
  EXPECT_EQ(Dyadic(mpz_class(4), -1).in_units_of(1), 1);
}

}  // namespace
}  // namespace mfma::oracles::reference
