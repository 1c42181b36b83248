// Exact dyadic rationals: an integer of any size times a power of two, on GMP.
//
// Every number of a matrix product is one (a code, a product, a scaled sum, a rounding to a multiple of 2^n), so
// nothing else is needed, and no fraction has to be reduced. Operations are exact except round_to_multiple.
#pragma once

#include <gmpxx.h>

#include "oracles/arithmetic/model.h"

namespace mfma::oracles::reference {

class Dyadic {
 public:
  Dyadic() = default;
  // numerator * 2^exponent
  Dyadic(mpz_class numerator, long exponent);

  static Dyadic power_of_two(long exponent) { return {mpz_class(1), exponent}; }

  bool is_zero() const { return sgn(numerator_) == 0; }
  bool is_negative() const { return sgn(numerator_) < 0; }
  // The largest e with 2^e <= |x|. Requires x != 0.
  long floor_log2() const;
  Dyadic times_power_of_two(long exponent) const;
  Dyadic magnitude() const;
  // The multiple of 2^n that the rounding picks. A value that is one already is returned unchanged.
  Dyadic round_to_multiple(long n, Rounding rounding) const;
  // x / 2^n, which must be an integer (std::invalid_argument else).
  mpz_class in_units_of(long n) const;

  Dyadic& operator+=(const Dyadic& other);
  friend Dyadic operator+(Dyadic x, const Dyadic& y) { return x += y; }
  friend Dyadic operator*(const Dyadic& x, const Dyadic& y);
  // x < y: negative, x == y: zero, x > y: positive.
  friend int compare(const Dyadic& x, const Dyadic& y);

 private:
  // The numerator of this value over 2^exponent. Requires exponent <= exponent_, unless zero.
  mpz_class numerator_over(long exponent) const;

  mpz_class numerator_;
  long exponent_ = 0;
};

}  // namespace mfma::oracles::reference
