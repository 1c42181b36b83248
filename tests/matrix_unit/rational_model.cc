#include "tests/matrix_unit/rational_model.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

namespace mfma::gfx950::testing {
namespace {

using Class = Number::Class;

// Signed exact values.
Dyadic plus(const Dyadic& x, const Dyadic& y) {
  const long low = std::min(x.exponent, y.exponent);
  return {(x.mantissa << static_cast<unsigned long>(x.exponent - low)) +
              (y.mantissa << static_cast<unsigned long>(y.exponent - low)),
          low};
}
Dyadic signed_value(const Number& x) {
  return {x.negative ? mpz_class(-x.magnitude.mantissa) : x.magnitude.mantissa, x.magnitude.exponent};
}

long floor_log2(const Dyadic& x) {
  return static_cast<long>(mpz_sizeinbase(x.mantissa.get_mpz_t(), 2)) - 1 + x.exponent;
}

Dyadic to_grid(const Dyadic& x, long grid, RoundTo mode) {
  if (x.exponent >= grid) return x;
  const auto shift = static_cast<unsigned long>(grid - x.exponent);
  mpz_class quotient;
  if (mode == RoundTo::kZero) {
    mpz_tdiv_q_2exp(quotient.get_mpz_t(), x.mantissa.get_mpz_t(), shift);
    return {quotient, grid};
  }
  mpz_class rest;
  mpz_fdiv_q_2exp(quotient.get_mpz_t(), x.mantissa.get_mpz_t(), shift);
  if (mode == RoundTo::kMinusInfinity) return {quotient, grid};
  mpz_fdiv_r_2exp(rest.get_mpz_t(), x.mantissa.get_mpz_t(), shift);
  const mpz_class half = mpz_class(1) << (shift - 1);
  if (rest > half || (rest == half && mpz_odd_p(quotient.get_mpz_t()))) ++quotient;
  return {quotient, grid};
}

Number nan_number() {
  Number x;
  x.kind = Class::kNan;
  return x;
}
Number infinity(bool negative) {
  Number x;
  x.kind = Class::kInfinite;
  x.negative = negative;
  return x;
}
Number finite(const Dyadic& x, bool sign_of_zero) {
  Number result;
  result.negative = x.mantissa == 0 ? sign_of_zero : x.mantissa < 0;
  result.magnitude = {abs(x.mantissa), x.exponent};
  return result;
}

Number product(const Number& x, const Number& y) {
  if (x.kind == Class::kNan || y.kind == Class::kNan) return nan_number();
  const bool negative = x.negative != y.negative;
  if (x.kind == Class::kInfinite || y.kind == Class::kInfinite) {
    return x.zero() || y.zero() ? nan_number() : infinity(negative);
  }
  Number result;
  result.negative = negative;
  result.magnitude = {x.magnitude.mantissa * y.magnitude.mantissa, x.magnitude.exponent + y.magnitude.exponent};
  return result;
}

// Exact, with IEEE's sign of a zero sum.
Number sum(const Number& x, const Number& y) {
  if (x.kind == Class::kNan || y.kind == Class::kNan) return nan_number();
  if (x.kind == Class::kInfinite || y.kind == Class::kInfinite) {
    if (x.kind == y.kind && x.negative != y.negative) return nan_number();
    return x.kind == Class::kInfinite ? x : y;
  }
  return finite(plus(signed_value(x), signed_value(y)), x.negative && y.negative);
}

class Arithmetic {
 public:
  Arithmetic(const AdderRules& rules, const ElementInputs& in) : rules_(rules), in_(in), d_(in.format_d) {
    for (std::size_t k = 0; k < in.a.size(); ++k) {
      const bool apart = rules.accumulate == Accumulate::kBlockSums && rules.scale_in_block_sum;
      products_.push_back(apart ? product(in.a[k], in.b[k]) : scaled(product(in.a[k], in.b[k]), k / 32));
    }
  }

  Number run() {
    Number c = decode(d_, in_.c);
    switch (rules_.accumulate) {
      case Accumulate::kFmaChain:
        for (const std::size_t k : order(products_.size())) c = rounded(sum(products_[k], c));
        return c;
      case Accumulate::kMultiplyAdd:
        for (const std::size_t k : order(products_.size())) c = rounded(sum(rounded(products_[k]), c));
        return c;
      case Accumulate::kBlockSums:
        for (const std::size_t block : order((products_.size() + 31) / 32)) c = rounded(sum(block_sum(block), c));
        return c;
      default:
        break;
    }
    const std::size_t length = std::min(static_cast<std::size_t>(rules_.step), products_.size());
    for (const std::size_t step : order((products_.size() + length - 1) / length)) {
      const std::size_t first = step * length;
      const std::size_t last = std::min(first + length, products_.size());
      switch (rules_.accumulate) {
        case Accumulate::kPairwise:
          c = rounded(sum(tree(first, last), c));
          break;
        case Accumulate::kExactSum:
          c = exact_step(first, last, c);
          break;
        default:
          c = aligned_step(first, last, length, c);
          break;
      }
    }
    return c;
  }

 private:
  int precision() const { return d_.fraction_bits + 1; }
  int least() const { return d_.least_exponent(); }

  std::vector<std::size_t> order(std::size_t count) const {
    std::vector<std::size_t> numbers(count);
    for (std::size_t n = 0; n < count; ++n) numbers[n] = rules_.descending ? count - 1 - n : n;
    return numbers;
  }

  // Times 2^(sa + sb - 254); NaN for a NaN scale.
  Number scaled(Number x, std::size_t block) const {
    for (const std::vector<int>* scales : {&in_.scale_a, &in_.scale_b}) {
      if (scales->empty()) continue;
      if (scales->at(block) == 255) return nan_number();
      x.magnitude.exponent += scales->at(block) - 127;
    }
    return x;
  }
  int scale_exponent(std::size_t k) const {
    int exponent = 0;
    for (const std::vector<int>* scales : {&in_.scale_a, &in_.scale_b}) {
      if (!scales->empty()) exponent += scales->at(k / 32) - 127;
    }
    return exponent;
  }

  // To the format of D: nearest even, gradual underflow, overflow to infinity.
  Number rounded(const Number& x) const {
    if (x.kind != Class::kFinite || x.zero()) return x;
    const long grid = std::max(floor_log2(x.magnitude), static_cast<long>(least())) - (precision() - 1);
    Number result = finite(to_grid(signed_value(x), grid, RoundTo::kNearestEven), x.negative);
    if (!result.zero() && floor_log2(result.magnitude) > d_.bias) return infinity(x.negative);
    return result;
  }

  Number block_sum(std::size_t block) const {
    const std::size_t first = block * 32;
    const std::size_t last = std::min(first + 32, products_.size());
    Number total = finite({0, 0}, false);
    for (const std::size_t n : order(last - first)) total = rounded(sum(products_[first + n], total));
    return rules_.scale_in_block_sum ? rounded(scaled(total, block)) : total;
  }

  Number tree(std::size_t first, std::size_t last) const {
    std::vector<Number> level;
    for (std::size_t k = first; k < last; ++k) level.push_back(rounded(products_[k]));
    while (level.size() > 1) {
      std::vector<Number> next;
      for (std::size_t n = 0; n < level.size(); n += 2) {
        next.push_back(n + 1 < level.size() ? rounded(sum(level[n], level[n + 1])) : level[n]);
      }
      level = next;
    }
    return level[0];
  }

  Number exact_step(std::size_t first, std::size_t last, const Number& c) const {
    Number total = c;
    for (std::size_t k = first; k < last; ++k) total = sum(total, products_[k]);
    if (total.zero()) total.negative = false;  // one zero
    return rounded(total);
  }

  long element_exponent(const Number& x, const Format& format) const {
    if (x.zero()) return format.least_exponent();
    const long own = floor_log2(x.magnitude);
    return rules_.normalise_subnormals ? own : std::max(own, static_cast<long>(format.least_exponent()));
  }

  std::optional<long> product_exponent(std::size_t k) const {
    if (products_[k].zero() && !rules_.zero_products_raise_exponent) return std::nullopt;
    const long exponent =
        element_exponent(in_.a[k], in_.format_a) + element_exponent(in_.b[k], in_.format_b) + scale_exponent(k);
    if (!rules_.normalise_products || products_[k].zero()) return exponent;
    return std::max(exponent, floor_log2(products_[k].magnitude));
  }

  std::size_t group_of(std::size_t k, std::size_t first, std::size_t length) const {
    const auto groups = static_cast<std::size_t>(rules_.groups);
    return rules_.contiguous_groups ? (k - first) / ((length + groups - 1) / groups) : k % groups;
  }

  Number aligned_step(std::size_t first, std::size_t last, std::size_t length, const Number& c) const {
    // Specials before any alignment.
    Number special = c;
    for (std::size_t k = first; k < last; ++k) {
      Number term = products_[k];
      if (rules_.product_overflow_is_infinity && term.kind == Class::kFinite && !term.zero() &&
          floor_log2(term.magnitude) > d_.bias) {
        term = infinity(term.negative);
      }
      special = sum(special, term);
    }
    if (special.kind != Class::kFinite) return special;

    std::vector<std::optional<long>> largest(static_cast<std::size_t>(rules_.groups));
    std::optional<long> dot;
    for (std::size_t k = first; k < last; ++k) {
      const std::optional<long> exponent = product_exponent(k);
      std::optional<long>& of_group = largest[group_of(k, first, length)];
      if (exponent && (!of_group || *exponent > *of_group)) of_group = exponent;
      if (exponent && (!dot || *exponent > *dot)) dot = exponent;
    }
    const long of_c = c.zero() ? least() : std::max(floor_log2(c.magnitude), static_cast<long>(least()));
    const long common = dot ? std::max(*dot, of_c) : of_c;
    Dyadic total{0, 0};
    for (std::size_t g = 0; g < largest.size(); ++g) {
      if (!largest[g]) continue;
      Dyadic group{0, 0};
      for (std::size_t k = first; k < last; ++k) {
        if (group_of(k, first, length) != g) continue;
        group = plus(group, to_grid(signed_value(products_[k]), *largest[g] - rules_.product_fraction_bits,
                                    rules_.product_rounding));
      }
      if (rules_.groups > 1) group = to_grid(group, *dot - rules_.merge_fraction_bits, rules_.merge_rounding);
      total = plus(total, group);
    }
    total = to_grid(total, common - rules_.sum_fraction_bits, rules_.sum_rounding);
    if (!(rules_.drop_c_below && of_c < common - *rules_.drop_c_below)) {
      total = plus(total, to_grid(signed_value(c), common - rules_.c_fraction_bits, rules_.c_rounding));
    }
    if (total.mantissa != 0 && rules_.final_fraction_bits) {
      const long own = std::max(floor_log2(total), static_cast<long>(least()));
      total = to_grid(total, own - *rules_.final_fraction_bits, rules_.final_rounding);
    }
    return rounded(finite(total, false));
  }

  const AdderRules& rules_;
  const ElementInputs& in_;
  const Format& d_;
  std::vector<Number> products_;
};

std::uint64_t encode(const Format& format, const Number& x) {
  const std::uint64_t sign = static_cast<std::uint64_t>(x.negative) << (format.bits() - 1);
  if (x.kind == Class::kInfinite) {
    return sign | (((std::uint64_t{1} << format.exponent_bits) - 1) << format.fraction_bits);
  }
  if (x.zero()) return sign;
  const long exponent = std::max(floor_log2(x.magnitude), static_cast<long>(format.least_exponent()));
  const Dyadic units = to_grid(x.magnitude, exponent - format.fraction_bits, RoundTo::kZero);
  const mpz_class whole =
      units.mantissa << static_cast<unsigned long>(units.exponent - (exponent - format.fraction_bits));
  const auto binade = static_cast<std::uint64_t>(exponent - format.least_exponent());
  return sign | ((binade << format.fraction_bits) + whole.get_ui());
}

std::optional<std::uint64_t> first_nan(const Format& in, const Format& out, const std::vector<Number>& numbers,
                                       const std::vector<std::uint64_t>& codes) {
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (numbers[k].kind != Class::kNan) continue;
    const std::uint64_t sign = codes[k] >> (in.bits() - 1) & 1;
    const std::uint64_t fraction = codes[k] & ((std::uint64_t{1} << in.fraction_bits) - 1);
    const std::uint64_t top = ((std::uint64_t{1} << out.exponent_bits) - 1) << out.fraction_bits;
    return sign << (out.bits() - 1) | top | std::uint64_t{1} << (out.fraction_bits - 1) |
           fraction << (out.fraction_bits - in.fraction_bits);
  }
  return std::nullopt;
}

std::uint64_t nan_bits(const AdderRules& rules, const ElementInputs& in) {
  if (!rules.nan_propagates) return rules.nan_bits;
  for (const char operand : rules.nan_order) {
    std::optional<std::uint64_t> bits;
    if (operand == 'a') bits = first_nan(in.format_a, in.format_d, in.a, in.a_codes);
    if (operand == 'b') bits = first_nan(in.format_b, in.format_d, in.b, in.b_codes);
    if (operand == 'c') bits = first_nan(in.format_d, in.format_d, {decode(in.format_d, in.c)}, {in.c});
    if (bits) return *bits;
  }
  return rules.nan_bits;
}

}  // namespace

Number decode(const Format& format, std::uint64_t code) {
  const std::uint64_t fraction = code & ((std::uint64_t{1} << format.fraction_bits) - 1);
  const std::uint64_t top = (std::uint64_t{1} << format.exponent_bits) - 1;
  const std::uint64_t exponent = code >> format.fraction_bits & top;
  Number x;
  x.negative = (code >> (format.bits() - 1) & 1) != 0;
  if (format.kind == Format::Kind::kIeee && exponent == top) {
    x.kind = fraction == 0 ? Class::kInfinite : Class::kNan;
    return x;
  }
  if (format.kind == Format::Kind::kNanOnly && exponent == top && fraction == 7) return nan_number();
  const std::uint64_t hidden = exponent == 0 ? 0 : std::uint64_t{1} << format.fraction_bits;
  const int field = exponent == 0 ? 1 : static_cast<int>(exponent);
  x.magnitude = {mpz_class(static_cast<unsigned long>(hidden | fraction)), field - format.bias - format.fraction_bits};
  return x;
}

std::uint64_t model_element(const AdderRules& rules, const ElementInputs& inputs) {
  const Number result = Arithmetic(rules, inputs).run();
  return result.kind == Class::kNan ? nan_bits(rules, inputs) : encode(inputs.format_d, result);
}

}  // namespace mfma::gfx950::testing
