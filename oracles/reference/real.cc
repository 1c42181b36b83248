#include "oracles/reference/real.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace mfma::oracles::reference {

Real Real::finite(Dyadic value, bool negative_if_zero) {
  const bool negative = value.is_zero() ? negative_if_zero : value.is_negative();
  return {ValueClass::kFinite, negative, std::move(value)};
}

Real multiply(const Real& x, const Real& y) {
  const bool negative = x.negative != y.negative;
  if (x.is_nan() || y.is_nan()) return Real::nan();
  if (x.is_infinite() || y.is_infinite()) {
    return x.is_zero() || y.is_zero() ? Real::nan() : Real::infinity(negative);
  }
  return Real::finite(x.value * y.value, negative);
}

Real times_power_of_two(const Real& x, long exponent) {
  return {x.cls, x.negative, x.value.times_power_of_two(exponent)};
}

SpecialSum special_sum(std::span<const Real> terms) {
  bool positive_infinity = false, negative_infinity = false;
  for (const Real& term : terms) {
    if (term.is_nan()) return {true, Real::nan()};
    if (term.is_infinite()) (term.negative ? negative_infinity : positive_infinity) = true;
  }
  if (positive_infinity && negative_infinity) return {true, Real::nan()};
  if (positive_infinity || negative_infinity) return {true, Real::infinity(negative_infinity)};
  return {};
}

Real add(const Real& x, const Real& y) {
  if (SpecialSum special = special_sum(std::array{x, y}); special.is_special) return special.value;
  const bool both_negative_zeros = x.is_zero() && y.is_zero() && x.negative && y.negative;
  return Real::finite(x.value + y.value, both_negative_zeros);
}

Real total(std::span<const Real> terms) {
  if (SpecialSum special = special_sum(terms); special.is_special) return special.value;
  Dyadic sum;
  for (const Real& term : terms) sum += term.value;
  return Real::finite(std::move(sum), false);
}

Real round_to_format(const Real& x, const Format& f) {
  if (!x.is_finite() || x.is_zero()) return x;
  const long leading = std::max(x.value.floor_log2(), least_normal_exponent(f));
  Dyadic rounded = x.value.round_to_multiple(leading - f.fraction_bits, Rounding::kNearestEven);
  if (!rounded.is_zero() && rounded.floor_log2() > f.bias) return Real::infinity(x.negative);
  return Real::finite(std::move(rounded), x.negative);
}

std::uint64_t encode(const Real& x, const Format& f) {
  if (x.is_nan()) throw std::invalid_argument("encode: NaN has no code of its own");
  const std::uint64_t hidden_bit = std::uint64_t{1} << f.fraction_bits;
  const std::uint64_t sign = x.negative ? hidden_bit << f.exponent_bits : 0;
  const std::uint64_t largest_field = (std::uint64_t{1} << f.exponent_bits) - 1;
  if (x.is_infinite()) return sign | (largest_field << f.fraction_bits);
  if (x.is_zero()) return sign;

  const long exponent = std::max(x.value.floor_log2(), least_normal_exponent(f));
  const std::uint64_t significand = x.value.magnitude().in_units_of(exponent - f.fraction_bits).get_ui();
  if (significand < hidden_bit) return sign | significand;  // subnormal: field 0
  const auto field = static_cast<std::uint64_t>(exponent + f.bias);
  return sign | (field << f.fraction_bits) | (significand - hidden_bit);
}

}  // namespace mfma::oracles::reference
