// Numbers as IEEE 754 sees them before rounding: an exact value, or an infinity, or NaN; every zero with its sign.
//
// multiply and add are exact; round_to_format is the only rounding to a format in this folder (nearest even, gradual
// underflow, overflow to infinity). A Real NaN has no payload: which bits a NaN result gets is settled once, in
// reference.cc.
#pragma once

#include <cstdint>
#include <span>

#include "oracles/formats/format.h"
#include "oracles/reference/dyadic.h"

namespace mfma::oracles::reference {

struct Real {
  ValueClass cls = ValueClass::kFinite;
  bool negative = false;
  Dyadic value;  // when finite; its sign agrees with `negative` unless it is zero

  static Real nan() { return {ValueClass::kNan, false, {}}; }
  static Real infinity(bool negative) { return {ValueClass::kInfinity, negative, {}}; }
  static Real zero(bool negative) { return {ValueClass::kFinite, negative, {}}; }
  static Real finite(Dyadic value, bool negative_if_zero);

  bool is_nan() const { return cls == ValueClass::kNan; }
  bool is_infinite() const { return cls == ValueClass::kInfinity; }
  bool is_finite() const { return cls == ValueClass::kFinite; }
  bool is_zero() const { return is_finite() && value.is_zero(); }
};

// The sign of a product is the exclusive or of the signs, zeros and infinities too; 0 * inf is NaN.
Real multiply(const Real& x, const Real& y);

Real times_power_of_two(const Real& x, long exponent);

// What IEEE 754 prescribes for a sum before any rounding, for any number of terms: NaN if one is NaN or infinities of
// both signs meet, else the infinity, else nothing.
struct SpecialSum {
  bool is_special = false;
  Real value;
};
SpecialSum special_sum(std::span<const Real> terms);

// The IEEE 754 addition before rounding: a sum that is zero is -0 only if both terms are -0, else +0 (6.3).
Real add(const Real& x, const Real& y);

// The sum of any number of terms in one adder: special_sum if it says so, else the sum of the values. A total of zero
// is +0, whatever the signs of the terms: an adder of integers knows no -0.
Real total(std::span<const Real> terms);

// Nearest even in an IEEE format (Specials::kIeee). Below the least normal number the spacing stays that of the
// subnormals; from 2^(bias+1) on, after rounding with an unbounded exponent, it is infinity. Signs are kept.
Real round_to_format(const Real& x, const Format& f);

// The code of a number that is already one of the format's. Not for NaN (std::invalid_argument).
std::uint64_t encode(const Real& x, const Format& f);

// 1 - bias: the exponent of the format's least normal number.
inline long least_normal_exponent(const Format& f) { return 1L - f.bias; }

}  // namespace mfma::oracles::reference
