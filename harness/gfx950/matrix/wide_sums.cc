// One element of D by wide sums: exact, for every rule and every operand.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "harness/gfx950/matrix/adders.h"

namespace mfma::gfx950 {
namespace {

constexpr int kMaxProducts = 128;
constexpr int kNoExponent = -8000;  // at or below: the exponent of a zero that has none

// |x| = magnitude * 2^exponent, magnitude odd or zero.
struct Dissected {
  std::uint64_t magnitude;
  int exponent;
};

Dissected dissect(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto field = static_cast<int>(bits >> 52 & 0x7ff);
  std::uint64_t magnitude = bits & ((std::uint64_t{1} << 52) - 1);
  if (field != 0) magnitude |= std::uint64_t{1} << 52;
  if (magnitude == 0) return {0, 0};
  const int zeros = std::countr_zero(magnitude);
  return {magnitude >> zeros, std::max(field, 1) - 1075 + zeros};
}

template <class Sum>
void add_product(Sum& sum, double a, double b) {
  const Dissected x = dissect(a);
  const Dissected y = dissect(b);
  if (x.magnitude == 0 || y.magnitude == 0) return;
  const bool negative = std::signbit(a) != std::signbit(b);
  const int exponent = x.exponent + y.exponent;
  constexpr std::uint64_t kLow = 0xffffffff;
  // Halves of 32 bits: of f32 and shorter factors only the low ones are there.
  sum.add(negative, (x.magnitude & kLow) * (y.magnitude & kLow), exponent);
  if ((x.magnitude | y.magnitude) <= kLow) return;
  sum.add(negative, (x.magnitude >> 32) * (y.magnitude & kLow), exponent + 32);
  sum.add(negative, (x.magnitude & kLow) * (y.magnitude >> 32), exponent + 32);
  sum.add(negative, (x.magnitude >> 32) * (y.magnitude >> 32), exponent + 64);
}

template <class Sum>
void add_value(Sum& sum, double x) {
  const Dissected parts = dissect(x);
  sum.add(std::signbit(x), parts.magnitude, parts.exponent);
}

template <class Sum>
class WideAdder {
 public:
  WideAdder(const ElementTask& element, const Adder& adder, const ResultFormat& format)
      : element_(element), adder_(adder), rules_(adder.rules), format_(format) {}

  double run(double c) {
    for (int n = 0; n < step_count(rules_, element_.k); ++n) c = do_step(step_at(rules_, element_.k, n), c);
    return c;
  }

 private:
  bool aligned() const { return rules_.accumulate == Accumulate::kAlignedSum; }

  double do_step(const Step& step, double c) {
    if (const Specials specials = specials_of(step, c); specials.any()) return specials.value();
    Sum total;
    if (aligned()) {
      total = aligned_total(step, c);
    } else {
      for (int k = step.first; k < step.first + step.count; ++k) add_product(total, element_.a_at(k), element_.b_at(k));
      add_value(total, c);
    }
    return value_of(total.to_bits(format_, adder_.result_rounding));
  }

  double value_of(std::uint64_t bits) const {
    return format_.precision == 24 ? double_of_f32(static_cast<std::uint32_t>(bits)) : std::bit_cast<double>(bits);
  }

  struct Specials {
    bool nan = false, plus = false, minus = false;
    void note(double x) {
      nan = nan || std::isnan(x);
      if (std::isinf(x)) (std::signbit(x) ? minus : plus) = true;
    }
    bool any() const { return nan || plus || minus; }
    double value() const {
      if (nan || (plus && minus)) return std::numeric_limits<double>::quiet_NaN();
      return plus ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
    }
  };

  // IEEE rules over the step's products and C, before anything is aligned.
  Specials specials_of(const Step& step, double c) const {
    Specials specials;
    specials.note(c);
    for (int k = step.first; k < step.first + step.count; ++k) {
      const double a = element_.a_at(k);
      const double b = element_.b_at(k);
      if (!std::isfinite(a) || !std::isfinite(b)) {
        specials.note(a * b);
      } else if (overflows(a, b)) {
        specials.note(
            std::copysign(std::numeric_limits<double>::infinity(), std::signbit(a) != std::signbit(b) ? -1 : 1));
      }
    }
    return specials;
  }

  bool overflows(double a, double b) const {
    if (!aligned() || !rules_.product_overflow_is_infinity || a == 0 || b == 0) return false;
    const int limit = 2 - format_.least_exponent;  // 2^128 or 2^1024
    if (exponent_of(a) + exponent_of(b) + 1 < limit) return false;
    Sum product;
    add_product(product, a, b);
    return product.leading_exponent() >= limit;
  }

  // The exponent of product k; at most kNoExponent when it has none.
  int product_exponent(int k) const {
    const int sum = element_.exponent_at(k);
    if (!rules_.normalise_products || element_.a_at(k) == 0 || element_.b_at(k) == 0) return sum;
    Sum product;
    add_product(product, element_.a_at(k), element_.b_at(k));
    return std::max(sum, product.leading_exponent());
  }

  Sum aligned_total(const Step& step, double c) {
    std::array<int, kMaxProducts> largest;  // by group
    largest.fill(std::numeric_limits<int>::min());
    int dot_exponent = kNoExponent;
    const int full_step = std::min(rules_.step, element_.k);
    const auto group = [&](int k) { return static_cast<std::size_t>(group_of(rules_, step, full_step, k)); };
    for (int k = step.first; k < step.first + step.count; ++k) {
      const int exponent = product_exponent(k);
      largest[group(k)] = std::max(largest[group(k)], exponent);
      dot_exponent = std::max(dot_exponent, exponent);
    }
    const bool no_exponent = dot_exponent <= kNoExponent;
    const int c_exponent = std::max(c == 0 ? format_.least_exponent : int{exponent_of(c)}, format_.least_exponent);
    const int common = no_exponent ? c_exponent : std::max(dot_exponent, c_exponent);

    Sum total;
    if (!no_exponent) {
      for (std::size_t g = 0; g < static_cast<std::size_t>(rules_.groups); ++g) {
        if (largest[g] <= kNoExponent) continue;
        Sum group_sum;
        for (int k = step.first; k < step.first + step.count; ++k) {
          if (group(k) != g) continue;
          Sum product;
          add_product(product, element_.a_at(k), element_.b_at(k));
          product.round_to(largest[g] - rules_.product_fraction_bits, rules_.product_rounding);
          group_sum.add(product);
        }
        if (rules_.groups > 1) group_sum.round_to(dot_exponent - rules_.merge_fraction_bits, rules_.merge_rounding);
        total.add(group_sum);
      }
      total.round_to(common - rules_.sum_fraction_bits, rules_.sum_rounding);
    }
    if (!rules_.drop_c_below || c_exponent >= common - *rules_.drop_c_below) {
      Sum addend;
      add_value(addend, c);
      addend.round_to(common - rules_.c_fraction_bits, rules_.c_rounding);
      total.add(addend);
    }
    if (rules_.final_fraction_bits && !total.zero()) {
      const int own = std::max(total.leading_exponent(), format_.least_exponent);
      total.round_to(own - *rules_.final_fraction_bits, rules_.final_rounding);
    }
    return total;
  }

  const ElementTask& element_;
  const Adder& adder_;
  const AdderRules& rules_;
  const ResultFormat& format_;
};

}  // namespace

std::uint64_t wide_element(const ElementTask& element, std::uint64_t c, const Adder& adder, bool f64) {
  if (f64) {
    return std::bit_cast<std::uint64_t>(
        WideAdder<F64WideSum>(element, adder, kF64Result).run(std::bit_cast<double>(c)));
  }
  const double result =
      WideAdder<F32WideSum>(element, adder, kF32Result).run(double_of_f32(static_cast<std::uint32_t>(c)));
  return std::bit_cast<std::uint32_t>(static_cast<float>(result));  // already an f32 value
}

}  // namespace mfma::gfx950
