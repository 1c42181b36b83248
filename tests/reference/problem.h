// A dot product written as numbers, for expectations that are computed by hand.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "oracles/plain/dense.h"

namespace mfma::oracles::reference::testing {

// n * 2^e
struct Number {
  int n = 0;
  int e = 0;
};

// The code of a number that the format holds exactly (std::invalid_argument else).
inline std::uint64_t code_of(const Format& f, Number x) {
  if (f.is_integer) {
    return static_cast<std::uint64_t>(x.n * (1 << x.e)) & ((std::uint64_t{1} << f.bits) - 1);
  }
  const std::uint64_t sign = x.n < 0 ? std::uint64_t{1} << (f.bits - 1) : 0;
  auto significand = static_cast<std::uint64_t>(std::abs(x.n));
  int unit = x.e;  // the number is significand * 2^unit
  if (significand == 0) return sign;
  while (significand % 2 == 0) {
    significand /= 2;
    ++unit;
  }
  const int finest = 1 - f.bias - f.fraction_bits;
  const std::uint64_t hidden = std::uint64_t{1} << f.fraction_bits;
  if (unit < finest || significand >= 2 * hidden) throw std::invalid_argument("number not in the format");
  while (unit > finest && significand < hidden) {
    significand *= 2;
    --unit;
  }
  if (significand < hidden) return sign | significand;
  const auto field = static_cast<std::uint64_t>(unit + f.fraction_bits + f.bias);
  if (field >= std::uint64_t{1} << f.exponent_bits) throw std::invalid_argument("number not in the format");
  return sign | (field << f.fraction_bits) | (significand - hidden);
}

// The operands of one dot product with storage. Elements that are not set are +0, scales 127 (one).
struct Dot {
  Dot(const Format& a_fmt, const Format& b_fmt, const Format& acc_fmt, int k, std::uint64_t c_bits)
      : a_format(a_fmt), b_format(b_fmt), acc_format(acc_fmt), a(size(k)), b(size(k)), c(c_bits) {
    scale_a.assign((size(k) + 31) / 32, 127);
    scale_b = scale_a;
  }

  Dot& set(int k, Number a_value, Number b_value) {
    return set_codes(k, code_of(a_format, a_value), code_of(b_format, b_value));
  }
  Dot& set_codes(int k, std::uint64_t a_code, std::uint64_t b_code) {
    a.at(size(k)) = a_code;
    b.at(size(k)) = b_code;
    return *this;
  }

  DotProblem problem() const { return {a_format, b_format, acc_format, a, b, c, scaled, scale_a, scale_b}; }

  Format a_format, b_format, acc_format;
  std::vector<std::uint64_t> a, b;
  std::uint64_t c = 0;
  bool scaled = false;
  std::vector<std::uint8_t> scale_a, scale_b;

 private:
  static std::size_t size(int k) { return static_cast<std::size_t>(k); }
};

}  // namespace mfma::oracles::reference::testing
