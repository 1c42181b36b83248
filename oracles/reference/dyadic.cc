#include "oracles/reference/dyadic.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace mfma::oracles::reference {

namespace {

// numerator / 2^shift rounded to an integer; shift > 0.
mpz_class divide_by_power(const mpz_class& numerator, mp_bitcnt_t shift, Rounding rounding) {
  mpz_class quotient;
  if (rounding == Rounding::kTowardZero) {
    mpz_tdiv_q_2exp(quotient.get_mpz_t(), numerator.get_mpz_t(), shift);
    return quotient;
  }
  mpz_fdiv_q_2exp(quotient.get_mpz_t(), numerator.get_mpz_t(), shift);
  if (rounding == Rounding::kDown) return quotient;

  mpz_class remainder, half;
  mpz_fdiv_r_2exp(remainder.get_mpz_t(), numerator.get_mpz_t(), shift);
  mpz_setbit(half.get_mpz_t(), shift - 1);
  const int side = cmp(remainder, half);
  if (side > 0 || (side == 0 && mpz_odd_p(quotient.get_mpz_t()))) ++quotient;
  return quotient;
}

}  // namespace

Dyadic::Dyadic(mpz_class numerator, long exponent) : numerator_(std::move(numerator)), exponent_(exponent) {}

long Dyadic::floor_log2() const {
  if (is_zero()) throw std::invalid_argument("floor_log2 of zero");
  return static_cast<long>(mpz_sizeinbase(numerator_.get_mpz_t(), 2)) - 1 + exponent_;
}

Dyadic Dyadic::times_power_of_two(long exponent) const { return {numerator_, exponent_ + exponent}; }

Dyadic Dyadic::magnitude() const { return {abs(numerator_), exponent_}; }

Dyadic Dyadic::round_to_multiple(long n, Rounding rounding) const {
  if (is_zero() || exponent_ >= n) return *this;
  return {divide_by_power(numerator_, static_cast<mp_bitcnt_t>(n - exponent_), rounding), n};
}

mpz_class Dyadic::in_units_of(long n) const {
  if (is_zero()) return 0;
  if (exponent_ >= n) return numerator_over(n);
  const auto shift = static_cast<mp_bitcnt_t>(n - exponent_);
  if (!mpz_divisible_2exp_p(numerator_.get_mpz_t(), shift)) throw std::invalid_argument("in_units_of: not a multiple");
  return divide_by_power(numerator_, shift, Rounding::kTowardZero);
}

mpz_class Dyadic::numerator_over(long exponent) const {
  mpz_class result;
  mpz_mul_2exp(result.get_mpz_t(), numerator_.get_mpz_t(), static_cast<mp_bitcnt_t>(exponent_ - exponent));
  return result;
}

Dyadic& Dyadic::operator+=(const Dyadic& other) {
  if (other.is_zero()) return *this;
  if (is_zero()) return *this = other;
  if (exponent_ > other.exponent_) {
    numerator_ = numerator_over(other.exponent_);
    exponent_ = other.exponent_;
  }
  if (exponent_ == other.exponent_) {
    numerator_ += other.numerator_;
  } else {
    numerator_ += other.numerator_over(exponent_);
  }
  return *this;
}

Dyadic operator*(const Dyadic& x, const Dyadic& y) {
  return {mpz_class(x.numerator_ * y.numerator_), x.exponent_ + y.exponent_};
}

int compare(const Dyadic& x, const Dyadic& y) {
  if (x.is_zero() || y.is_zero()) return sgn(x.numerator_) - sgn(y.numerator_);
  const long exponent = std::min(x.exponent_, y.exponent_);
  return cmp(x.numerator_over(exponent), y.numerator_over(exponent));
}

}  // namespace mfma::oracles::reference
