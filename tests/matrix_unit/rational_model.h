// The models once more, written from docs/numerics.md 1.3-1.6 on exact dyadic rationals (GMP integers times powers of
// two). Slow and plain: what the unit's tests compare with.
#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <vector>

#include "tests/matrix_unit/support.h"

namespace mfma::gfx950::testing {

// mantissa * 2^exponent.
struct Dyadic {
  mpz_class mantissa;
  long exponent = 0;
};

struct Number {
  enum class Class { kFinite, kInfinite, kNan };
  Class kind = Class::kFinite;
  bool negative = false;  // also of zeros
  Dyadic magnitude;       // not negative

  bool zero() const { return kind == Class::kFinite && magnitude.mantissa == 0; }
};

Number decode(const Format& format, std::uint64_t code);

struct ElementInputs {
  std::vector<Number> a, b;  // by k
  std::vector<std::uint64_t> a_codes, b_codes;
  std::vector<int> scale_a, scale_b;  // codes by block of 32 k; empty: none
  std::uint64_t c = 0;
  Format format_a = kF32, format_b = kF32, format_d = kF32;
};

// The bits of D's element.
std::uint64_t model_element(const AdderRules& rules, const ElementInputs& inputs);

}  // namespace mfma::gfx950::testing
