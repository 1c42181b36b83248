// Rounding of exact values to a format with IEEE specials (f16, bf16, f32, f64): nearest, ties to even, gradual
// underflow, overflow to infinity. One descriptor drives it, as it drives the decoders.
#pragma once

#include <algorithm>
#include <cstdint>

#include "oracles/formats/format.h"
#include "oracles/formats/wide.h"

namespace mfma::oracles {

// A value that a format can hold: (-1)^negative * significand * 2^exponent when finite. Zero keeps its sign.
struct Number {
  ValueClass cls = ValueClass::kFinite;
  bool negative = false;
  std::uint64_t significand = 0;
  int exponent = 0;

  bool is_zero() const { return cls == ValueClass::kFinite && significand == 0; }
};

inline constexpr Number kNan = {ValueClass::kNan, false, 0, 0};
constexpr Number infinity(bool negative) { return {ValueClass::kInfinity, negative, 0, 0}; }
constexpr Number zero(bool negative) { return {ValueClass::kFinite, negative, 0, 0}; }

// Exponents of the format's largest and least normal numbers, and of its least subnormal bit.
constexpr int largest_exponent(const Format& f) { return (1 << f.exponent_bits) - 2 - f.bias; }
constexpr int least_exponent(const Format& f) { return 1 - f.bias; }
constexpr int least_bit(const Format& f) { return least_exponent(f) - f.fraction_bits; }

// magnitude * 2^exponent, rounded. The lowest bit of `magnitude` may be a jammed one as long as two bits or more lie
// below the result's last place.
template <typename Unsigned>
constexpr Number round_to(const Format& f, bool negative, Unsigned magnitude, int exponent) {
  if (magnitude == 0) return zero(negative);
  const int leading = exponent + bit_width(magnitude) - 1;
  int last = std::max(leading, least_exponent(f)) - f.fraction_bits;
  const int drop = last - exponent;
  std::uint64_t kept = 0;
  if (drop <= 0) {
    kept = static_cast<std::uint64_t>(magnitude << -drop);
  } else if (drop <= kBitsOf<Unsigned>) {
    // Shifted in two parts, so that a drop of the whole width stays defined.
    const Unsigned halves = magnitude >> (drop - 1);
    const bool below = (halves << (drop - 1)) != magnitude;
    kept = static_cast<std::uint64_t>(halves >> 1);
    if ((halves & 1) != 0 && (below || (kept & 1) != 0)) ++kept;
  }
  if (kept >> (f.fraction_bits + 1) != 0) {
    kept >>= 1;
    ++last;
  }
  if (last + f.fraction_bits > largest_exponent(f)) return infinity(negative);
  return {ValueClass::kFinite, negative, kept, last};
}

// The raw bits of a finite or infinite number that the format holds exactly. NaNs have no one code: see NanRule.
std::uint64_t encode(const Format& f, const Number& x);

// The number a code stands for; its NaN payload is lost.
Number to_number(const Format& f, std::uint64_t code);

}  // namespace mfma::oracles
