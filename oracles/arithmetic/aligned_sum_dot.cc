// The truncating alignment of docs/numerics.md, step by step. All sums are held as integers in units of a power of
// two; 64 bits do for every published parameter set, 128 for wide alignments and for f64.
#include <algorithm>
#include <cstdint>

#include "oracles/arithmetic/fused.h"

namespace mfma::oracles {
namespace {

// x / 2^down, rounded; down <= 0 multiplies.
template <typename Wide>
Wide shift_rounded(Wide x, int down, Rounding rounding) {
  if (down <= 0) return x << -down;
  constexpr int kMost = kBitsOf<Wide> - 1;
  const Wide floor = x >> std::min(down, kMost);
  if (rounding == Rounding::kDown) return floor;
  if (rounding == Rounding::kTowardZero) return x < 0 ? -(-x >> std::min(down, kMost)) : floor;
  if (down >= kMost) return 0;  // |x| is far below half a unit
  const Wide rest = x - (floor << down);
  const Wide half = static_cast<Wide>(1) << (down - 1);
  return floor + ((rest > half || (rest == half && (floor & 1) != 0)) ? 1 : 0);
}

// Which products of a step are aligned with one another.
struct Group {
  int first, last, stride;
};

Group group_of(const Model& model, int k, int first, int last, int g) {
  if (model.groups == 1) return {first, last, 1};
  if (model.grouping == Grouping::kInterleaved) {
    const int offset = (g - first % model.groups + model.groups) % model.groups;
    return {first + offset, last, model.groups};
  }
  const int run = (std::min(model.step, k) + model.groups - 1) / model.groups;
  return {std::min(first + g * run, last), std::min(first + (g + 1) * run, last), 1};
}

int largest_lead(const std::int16_t* a, const std::int16_t* b, const Group& g) {
  std::int16_t largest = 2 * kNoExponent;
  if (g.stride == 1) {  // spelt out: this form becomes vector instructions
    for (int k = g.first; k < g.last; ++k) {
      const auto sum = static_cast<std::int16_t>(a[k] + b[k]);
      largest = sum > largest ? sum : largest;
    }
    return largest;
  }
  for (int k = g.first; k < g.last; k += g.stride) largest = std::max(largest, static_cast<std::int16_t>(a[k] + b[k]));
  return largest;
}

template <typename Wide>
class AlignedStep {
 public:
  AlignedStep(const DotTerms& terms, const Model& model)
      : t_(terms),
        m_(model),
        fraction_bits_(terms.a.fraction_bits + terms.b.fraction_bits),
        up_(std::max(0, model.product_fraction_bits - fraction_bits_)),
        down_(std::max(0, fraction_bits_ - model.product_fraction_bits)) {}

  Number operator()(int first, int last, const Number& d) const {
    if (d.cls != ValueClass::kFinite || ((t_.a.any_flags | t_.b.any_flags) & kInfinite) != 0) {
      if (auto special = special_sum(t_, first, last, d, overflow())) return *special;
    }
    const Sum sum = sum_of_products(first, last);
    if (m_.product_overflow == ProductOverflow::kInfinity && sum.exponent >= largest_exponent(*t_.acc)) {
      if (auto special = special_sum(t_, first, last, d, overflow())) return *special;
    }
    return with_c(sum, d);
  }

 private:
  // value * 2^unit; `exponent` is the step's largest product exponent.
  struct Sum {
    Wide value = 0;
    int unit = 0;
    int exponent = 2 * kNoExponent;
  };

  std::optional<int> overflow() const {
    if (m_.product_overflow == ProductOverflow::kNone) return std::nullopt;
    return largest_exponent(*t_.acc) + 1;
  }

  int exponent_of(const Group& g) const {
    int largest = largest_lead(t_.a.lead, t_.b.lead, g);
    if (!m_.normalise_products) return largest;
    for (int k = g.first; k < g.last; k += g.stride) {
      const Wide p = static_cast<Wide>(t_.a.significand[k]) * t_.b.significand[k];
      const bool carries = (p < 0 ? -p : p) >> (fraction_bits_ + 1) != 0;
      largest = std::max(largest, t_.a.lead[k] + t_.b.lead[k] + (carries ? 1 : 0));
    }
    return largest;
  }

  // The group's products, each rounded to a multiple of 2^(exponent - product_fraction_bits), summed in that unit.
  // A product is significand * 2^(lead - fraction_bits_) with lead <= exponent, so after the common shift up every one
  // goes down by exponent - lead + down_ >= 0. A zero's shift may be anything: it is clamped.
  Wide aligned_products(const Group& g, int exponent) const {
    constexpr int kMost = kBitsOf<Wide> - 1;
    const int base = exponent + down_;
    Wide sum = 0;
    if (m_.product_rounding == Rounding::kTowardZero) {
      for (int k = g.first; k < g.last; k += g.stride) {
        const int down = std::min(kMost, base - (t_.a.lead[k] + t_.b.lead[k]));
        const Wide p = static_cast<Wide>(t_.a.significand[k]) * t_.b.significand[k];
        const Wide sign = p >> kMost;
        const Wide magnitude = (((p ^ sign) - sign) << up_) >> down;
        sum += (magnitude ^ sign) - sign;
      }
      return sum;
    }
    for (int k = g.first; k < g.last; k += g.stride) {
      const int down = std::min(kMost, base - (t_.a.lead[k] + t_.b.lead[k]));
      const Wide p = static_cast<Wide>(t_.a.significand[k]) * t_.b.significand[k];
      sum += shift_rounded(static_cast<Wide>(p << up_), down, m_.product_rounding);
    }
    return sum;
  }

  Sum sum_of_products(int first, int last) const {
    if (m_.groups == 1) {
      const Group all = {first, last, 1};
      const int exponent = exponent_of(all);
      if (!has_exponent(exponent)) return {};
      return {aligned_products(all, exponent), exponent - m_.product_fraction_bits, exponent};
    }
    Sum sum;
    for (int g = 0; g < m_.groups; ++g) {
      sum.exponent = std::max(sum.exponent, exponent_of(group_of(m_, t_.a.k, first, last, g)));
    }
    if (!has_exponent(sum.exponent)) return {};
    sum.unit = sum.exponent - m_.merge_fraction_bits;
    for (int g = 0; g < m_.groups; ++g) {
      const Group group = group_of(m_, t_.a.k, first, last, g);
      const int exponent = exponent_of(group);
      if (!has_exponent(exponent)) continue;
      const int unit = exponent - m_.product_fraction_bits;
      sum.value += shift_rounded(aligned_products(group, exponent), sum.unit - unit, m_.merge_rounding);
    }
    return sum;
  }

  // x * 2^unit rounded to a multiple of 2^last and expressed in units of 2^to, to <= last.
  static Wide realigned(Wide x, int unit, int last, int to, Rounding rounding) {
    if (x == 0) return 0;
    if (unit >= last) return x << (unit - to);
    return shift_rounded(x, last - unit, rounding) << (last - to);
  }

  Number with_c(const Sum& sum, const Number& c) const {
    const Format& acc = *t_.acc;
    const int least = least_exponent(acc);
    const int c_exponent = c.is_zero() ? least : std::max(least, c.exponent + bit_width(c.significand) - 1);
    const int exponent = std::max(sum.exponent, c_exponent);
    int unit = exponent - std::max(m_.sum_fraction_bits, m_.c_fraction_bits);
    Wide total = realigned(sum.value, sum.unit, exponent - m_.sum_fraction_bits, unit, m_.sum_rounding);
    const bool dropped = m_.drop_c_below && c_exponent < exponent - *m_.drop_c_below;
    if (!dropped) {
      const auto magnitude = static_cast<Wide>(c.significand);
      total += realigned(c.negative ? -magnitude : magnitude, c.exponent, exponent - m_.c_fraction_bits, unit,
                         m_.c_rounding);
    }
    if (total != 0 && m_.final_fraction_bits) {
      const int leading = std::max(least, unit + bit_width(magnitude_of(total)) - 1);
      const int last = leading - *m_.final_fraction_bits;
      if (last > unit) {
        total = shift_rounded(total, last - unit, m_.final_rounding);
        unit = last;
      }
    }
    return round_to(acc, total < 0, magnitude_of(total), unit);
  }

  static auto magnitude_of(Wide x) {
    if constexpr (sizeof(Wide) == 8) {
      return static_cast<std::uint64_t>(x < 0 ? -x : x);
    } else {
      return static_cast<Uint128>(x < 0 ? -x : x);
    }
  }

  const DotTerms& t_;
  const Model& m_;
  int fraction_bits_, up_, down_;
};

// Whether every value of a step stays below 2^62: products before their shift, and sums of 128 of them in the finest
// unit that any of the alignments asks for.
bool fits_64(const DotTerms& t, const Model& m) {
  const int fraction_bits = t.a.fraction_bits + t.b.fraction_bits;
  const int width = std::max({m.product_fraction_bits, m.merge_fraction_bits, m.sum_fraction_bits, m.c_fraction_bits});
  return std::max(fraction_bits, m.product_fraction_bits) + 2 <= 60 && width + 2 + 8 + 1 <= 60 &&
         t.acc->fraction_bits <= 24;
}

}  // namespace

Number aligned_sum_dot(const DotTerms& terms, const Model& model) {
  if (fits_64(terms, model)) return over_steps(terms, model, AlignedStep<std::int64_t>(terms, model));
  return over_steps(terms, model, AlignedStep<Int128>(terms, model));
}

}  // namespace mfma::oracles
