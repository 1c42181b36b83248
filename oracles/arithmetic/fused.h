// Exact products, and IEEE additions of them to a running number with one rounding.
#pragma once

#include <cstdint>

#include "oracles/arithmetic/dot.h"
#include "oracles/formats/rounding.h"
#include "oracles/formats/wide.h"

namespace mfma::oracles {

// An exact product; `Unsigned` holds its magnitude: 64 bits up to f32 x f32, 128 for f64.
template <typename Unsigned>
struct Product {
  ValueClass cls = ValueClass::kFinite;
  bool negative = false;
  Unsigned magnitude = 0;
  int exponent = 0;
};

template <typename Unsigned>
Product<Unsigned> product_at(const DotTerms& t, int k) {
  const auto magnitude = [](std::int64_t x) { return static_cast<std::uint64_t>(x < 0 ? -x : x); };
  const bool negative = ((t.a.flags[k] ^ t.b.flags[k]) & kNegative) != 0;
  const std::uint64_t a = magnitude(t.a.significand[k]);
  const std::uint64_t b = magnitude(t.b.significand[k]);
  if (((t.a.flags[k] | t.b.flags[k]) & kInfinite) != 0) {
    const bool by_zero = ((t.a.flags[k] & kInfinite) == 0 && a == 0) || ((t.b.flags[k] & kInfinite) == 0 && b == 0);
    return {by_zero ? ValueClass::kNan : ValueClass::kInfinity, negative, 0, 0};
  }
  return {ValueClass::kFinite, negative, static_cast<Unsigned>(a) * b,
          t.a.lead[k] + t.b.lead[k] - t.a.fraction_bits - t.b.fraction_bits};
}

// Whether 64 bits hold every product and leave the two guard bits that an addition to `acc` needs.
inline bool fits_64(const DotTerms& t) {
  return t.a.fraction_bits + t.b.fraction_bits <= 48 && t.acc->fraction_bits <= 24;
}

template <typename Unsigned>
Number rounded(const Format& acc, const Product<Unsigned>& p) {
  if (p.cls != ValueClass::kFinite) return {p.cls, p.negative, 0, 0};
  return round_to(acc, p.negative, p.magnitude, p.exponent);
}

// round(p + d) of two finite terms.
template <typename Unsigned>
Number add_finite(const Format& acc, const Product<Unsigned>& p, const Number& d) {
  if (p.magnitude == 0) {
    if (d.significand != 0) return d;
    return zero(p.negative && d.negative);
  }
  if (d.significand == 0) return round_to(acc, p.negative, p.magnitude, p.exponent);
  // Both to the top of the word, one bit left for the carry; the smaller one shifted down, its lost bits jammed.
  constexpr int kTop = kBitsOf<Unsigned> - 2;
  const int p_up = kTop - bit_width(p.magnitude);
  const int d_up = kTop - bit_width(d.significand);
  Unsigned x = p.magnitude << p_up;
  Unsigned y = static_cast<Unsigned>(d.significand) << d_up;
  const int x_exponent = p.exponent - p_up;
  const int y_exponent = d.exponent - d_up;
  const int exponent = x_exponent > y_exponent ? x_exponent : y_exponent;
  x = shift_right_jam(x, exponent - x_exponent);
  y = shift_right_jam(y, exponent - y_exponent);
  if (p.negative == d.negative) return round_to(acc, p.negative, static_cast<Unsigned>(x + y), exponent);
  if (x == y) return zero(false);
  const bool negative = x > y ? p.negative : d.negative;
  return round_to(acc, negative, static_cast<Unsigned>(x > y ? x - y : y - x), exponent);
}

// IEEE fma: round(p + d), specials included.
template <typename Unsigned>
Number add(const Format& acc, const Product<Unsigned>& p, const Number& d) {
  if (p.cls == ValueClass::kFinite && d.cls == ValueClass::kFinite) return add_finite(acc, p, d);
  if (p.cls == ValueClass::kNan || d.cls == ValueClass::kNan) return kNan;
  if (p.cls == ValueClass::kInfinity && d.cls == ValueClass::kInfinity && p.negative != d.negative) return kNan;
  return infinity(p.cls == ValueClass::kInfinity ? p.negative : d.negative);
}

// IEEE addition of two numbers that the format holds.
inline Number add_numbers(const Format& acc, const Number& x, const Number& y) {
  // Two 53-bit numbers leave 73 bits below the larger one's last: 128 bits always do, 64 do for f32.
  if (acc.fraction_bits <= 24) {
    return add(acc, Product<std::uint64_t>{x.cls, x.negative, x.significand, x.exponent}, y);
  }
  return add(acc, Product<Uint128>{x.cls, x.negative, x.significand, x.exponent}, y);
}

}  // namespace mfma::oracles
