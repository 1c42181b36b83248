#include "oracles/exactness/exactness.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "oracles/arithmetic/fused.h"

namespace mfma::oracles {
namespace {

// The extreme exponents of a dot product's terms.
struct Exponents {
  int lowest_bit;  // beyond -kNoExponent / 2 when every term is zero
  int alignment;   // the largest exponent any model may align to
};

// Spelt out over 16-bit arrays: this form becomes vector instructions.
Exponents exponents_of(const DotTerms& t) {
  std::int16_t lowest = -2 * kNoExponent;
  std::int16_t largest = 2 * kNoExponent;
  for (int k = 0; k < t.a.k; ++k) {
    const auto odd = static_cast<std::int16_t>(t.a.odd[k] + t.b.odd[k]);
    const auto bound = static_cast<std::int16_t>(t.a.bound[k] + t.b.bound[k]);
    lowest = odd < lowest ? odd : lowest;
    largest = bound > largest ? bound : largest;
  }
  Exponents e = {lowest, std::max<int>(largest, least_exponent(*t.acc))};
  // A zero factor makes the sum of `odd` useless as an exponent, but never as low as a real one.
  if (t.c.significand != 0) {
    e.lowest_bit = std::min(e.lowest_bit, t.c.exponent + std::countr_zero(t.c.significand));
    e.alignment = std::max(e.alignment, t.c.exponent + bit_width(t.c.significand) - 1);
  }
  return e;
}

// Zero sums: models agree unless every term is a negative zero.
bool zeros_agree(const DotTerms& t) {
  if (!t.c.negative) return true;
  for (int k = 0; k < t.a.k; ++k) {
    if (((t.a.flags[k] ^ t.b.flags[k]) & kNegative) == 0) return true;
  }
  return t.a.k == 0;
}

// magnitude * 2^by, where no set bit falls off.
template <typename Unsigned>
std::uint64_t moved(Unsigned magnitude, int by) {
  return static_cast<std::uint64_t>(by >= 0 ? magnitude << by : magnitude >> -by);
}

// The sum of magnitudes in units of 2^lowest. Every term is below 2^(alignment + 2) and alignment - p <= lowest, so
// each takes at most p + 2 <= 55 bits, and 129 of them fit 64.
template <typename Unsigned>
std::uint64_t sum_of_magnitudes(const DotTerms& t, int lowest) {
  const int base = t.a.fraction_bits + t.b.fraction_bits + lowest;
  std::uint64_t sum = t.c.significand != 0 ? moved(t.c.significand, t.c.exponent - lowest) : 0;
  for (int k = 0; k < t.a.k; ++k) {
    const std::int64_t a = t.a.significand[k];
    const std::int64_t b = t.b.significand[k];
    if (a == 0 || b == 0) continue;
    const Unsigned magnitude =
        static_cast<Unsigned>(static_cast<std::uint64_t>(a < 0 ? -a : a)) * static_cast<std::uint64_t>(b < 0 ? -b : b);
    sum += moved(magnitude, t.a.lead[k] + t.b.lead[k] - base);
  }
  return sum;
}

// Blocks whose combined scale is no normal f32, or a NaN: nothing is certain there.
bool scales_are_plain(std::span<const std::uint8_t> scale_a, std::span<const std::uint8_t> scale_b) {
  const Format& f32 = format(FormatId::kF32);
  for (std::size_t i = 0; i < scale_a.size(); ++i) {
    const BlockScale a = block_scale(scale_a[i]);
    const BlockScale b = block_scale(scale_b[i]);
    const int combined = a.exponent + b.exponent;
    if (a.is_nan || b.is_nan || combined < least_exponent(f32) || combined > largest_exponent(f32)) return false;
  }
  return true;
}

// A sum with true infinities: certain when they agree in sign and the finite terms cannot overflow on their way in any
// order, with room for what every alignment and rounding may add.
bool is_exact_infinity(const DotTerms& t) {
  constexpr int kRoom = 17;  // 129 terms below 4 * 2^e, doubled by roundings
  const int safe = largest_exponent(*t.acc) - kRoom;
  bool positive = false;
  bool negative = false;
  if (t.c.cls == ValueClass::kInfinity) {
    (t.c.negative ? negative : positive) = true;
  } else if (t.c.significand != 0 && t.c.exponent + bit_width(t.c.significand) - 1 > safe) {
    return false;
  }
  for (int k = 0; k < t.a.k; ++k) {
    const Product<Uint128> p = product_at<Uint128>(t, k);
    if (p.cls == ValueClass::kNan) return false;
    if (p.cls == ValueClass::kInfinity) {
      (p.negative ? negative : positive) = true;
    } else if (t.a.bound[k] + t.b.bound[k] > safe) {
      return false;
    }
  }
  return positive != negative;
}

}  // namespace

bool is_exact_float(const DotTerms& t, std::span<const std::uint8_t> scale_a, std::span<const std::uint8_t> scale_b) {
  const unsigned flags = t.a.any_flags | t.b.any_flags;
  if ((flags & kNotANumber) != 0 || t.c.cls == ValueClass::kNan) return false;
  if (!scales_are_plain(scale_a, scale_b)) return false;
  if ((flags & kInfinite) != 0 || t.c.cls == ValueClass::kInfinity) return is_exact_infinity(t);

  const Exponents e = exponents_of(t);
  const int precision = t.acc->fraction_bits + 1;
  if (e.lowest_bit >= -kNoExponent / 2) return zeros_agree(t);
  if (e.lowest_bit < least_bit(*t.acc) || e.alignment - precision > e.lowest_bit) return false;
  const std::uint64_t sum = t.a.fraction_bits + t.b.fraction_bits <= 60
                                ? sum_of_magnitudes<std::uint64_t>(t, e.lowest_bit)
                                : sum_of_magnitudes<Uint128>(t, e.lowest_bit);
  return sum <= std::uint64_t{1} << precision && e.lowest_bit + bit_width(sum) - 1 <= largest_exponent(*t.acc);
}

bool is_exact_integer(const DotTerms& t) {
  const std::uint64_t largest = (std::uint64_t{1} << (t.acc->bits - 1)) - 1;
  std::uint64_t sum = t.c.significand;
  for (int k = 0; k < t.a.k; ++k) {
    const std::int64_t p = t.a.significand[k] * t.b.significand[k];
    sum += static_cast<std::uint64_t>(p < 0 ? -p : p);
  }
  return sum <= largest;
}

}  // namespace mfma::oracles
