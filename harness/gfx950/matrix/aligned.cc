// The aligned sum for finite operands, a row of columns at a time.
//
// A product is exact in a double. Multiplied by the power of two that brings the bit of 2^(e - F) to weight one, it
// is rounded as the rules say by becoming an integer. The integers of a step are added as they are; the step's sum
// and C then meet in a 64-bit two's complement window whose unit lies below the grids of both.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "harness/gfx950/matrix/adders.h"

namespace mfma::gfx950 {
namespace {

constexpr int kMaxColumns = 32;
constexpr int kNoExponent = -8000;

double power_of_two(int exponent) { return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52); }

// x / 2^shift, rounded; a negative shift multiplies.
std::int64_t shifted(std::int64_t x, int shift, RoundTo mode) {
  if (shift <= 0) return x * (std::int64_t{1} << -shift);
  if (shift > 62) shift = 62;  // |x| < 2^61: nothing but its sign is left, as with any larger shift
  const std::int64_t quotient = x >> shift;
  if (mode == RoundTo::kMinusInfinity) return quotient;
  const std::int64_t rest = x & ((std::int64_t{1} << shift) - 1);
  if (mode == RoundTo::kZero) return quotient + static_cast<std::int64_t>(x < 0 && rest != 0);
  const std::int64_t half = std::int64_t{1} << (shift - 1);
  return quotient + static_cast<std::int64_t>(rest > half || (rest == half && (quotient & 1) != 0));
}

// |x| < 2^31 to an integer. Written so that compilers vectorise the loops around it.
template <RoundTo kMode>
double rounded(double x) {
  if constexpr (kMode == RoundTo::kNearestEven) {
    constexpr double kShift = 0x1.8p52;
    return (x + kShift) - kShift;
  } else {
    const auto toward_zero = static_cast<double>(static_cast<std::int32_t>(x));
    if constexpr (kMode == RoundTo::kZero) return toward_zero;
    return toward_zero - (x < toward_zero ? 1.0 : 0.0);
  }
}

struct StepSum {
  std::array<std::int64_t, kMaxColumns> sum;       // in units of 2^(exponent - fraction_bits)
  std::array<std::int16_t, kMaxColumns> exponent;  // kNoExponent or less: all products are zero and have none
  int fraction_bits = 0;
};

// The products of one alignment group: those of the k in [first, last) that are `first` modulo `stride`.
struct Group {
  int first, last, stride;
};

template <std::size_t kColumns, RoundTo kMode>
void add_group(const RowTask& row, const double* b_value, const Group& group, int fraction_bits, StepSum& out) {
  alignas(64) std::array<std::int16_t, kColumns> largest;
  alignas(64) std::array<double, kColumns> unit;
  alignas(64) std::array<double, kColumns> sum;
  largest.fill(2 * kZeroExponent);
  const double* a = row.a->value.data() + row.a_start();
  const std::int16_t* a_exponent = row.a->exponent.data() + row.a_start();
  const double* b = b_value + row.b_start();
  const std::int16_t* b_exponent = row.b->exponent.data() + row.b_start();
  for (int k = group.first; k < group.last; k += group.stride) {
    const std::int16_t* of_b = b_exponent + static_cast<std::size_t>(k) * kColumns;
    const std::int16_t of_a = a_exponent[k];
    for (std::size_t j = 0; j < kColumns; ++j) {
      const auto exponent = static_cast<std::int16_t>(of_a + of_b[j]);
      largest[j] = largest[j] < exponent ? exponent : largest[j];
    }
  }
  for (std::size_t j = 0; j < kColumns; ++j) {
    unit[j] = largest[j] <= kNoExponent ? 0.0 : power_of_two(fraction_bits - largest[j]);
    sum[j] = 0;
  }
  for (int k = group.first; k < group.last; k += group.stride) {
    const double* of_b = b + static_cast<std::size_t>(k) * kColumns;
    const double of_a = a[k];
    for (std::size_t j = 0; j < kColumns; ++j) sum[j] += rounded<kMode>(of_a * of_b[j] * unit[j]);
  }
  for (std::size_t j = 0; j < kColumns; ++j) {
    out.sum[j] = static_cast<std::int64_t>(sum[j]);
    out.exponent[j] = largest[j];
  }
}

template <std::size_t kColumns>
void add_group(const RowTask& row, const double* b_value, const AdderRules& rules, const Group& group, StepSum& out) {
  const int bits = rules.product_fraction_bits;
  switch (rules.product_rounding) {
    case RoundTo::kZero:
      return add_group<kColumns, RoundTo::kZero>(row, b_value, group, bits, out);
    case RoundTo::kMinusInfinity:
      return add_group<kColumns, RoundTo::kMinusInfinity>(row, b_value, group, bits, out);
    case RoundTo::kNearestEven:
      return add_group<kColumns, RoundTo::kNearestEven>(row, b_value, group, bits, out);
  }
}

Group group_number(const AdderRules& rules, const Step& step, int full_step, int g) {
  const int end = step.first + step.count;
  if (!rules.contiguous_groups) {
    // The first k of the step that is g modulo groups.
    const int offset = ((g - step.first) % rules.groups + rules.groups) % rules.groups;
    return {step.first + offset, end, rules.groups};
  }
  const int run = (full_step + rules.groups - 1) / rules.groups;
  return {std::min(step.first + g * run, end), std::min(step.first + (g + 1) * run, end), 1};
}

template <std::size_t kColumns>
void add_step(const RowTask& row, const double* b_value, const AdderRules& rules, const Step& step, StepSum& out) {
  const int full_step = std::min(rules.step, row.shape->k);
  if (rules.groups == 1) {
    out.fraction_bits = rules.product_fraction_bits;
    return add_group<kColumns>(row, b_value, rules, {step.first, step.first + step.count, 1}, out);
  }
  std::array<StepSum, kMaxWindowGroups> parts;
  const auto groups = static_cast<std::size_t>(rules.groups);
  out.fraction_bits = rules.merge_fraction_bits;
  out.exponent.fill(2 * kZeroExponent);
  out.sum.fill(0);
  for (std::size_t g = 0; g < groups; ++g) {
    add_group<kColumns>(row, b_value, rules, group_number(rules, step, full_step, static_cast<int>(g)), parts[g]);
    for (std::size_t j = 0; j < kColumns; ++j) out.exponent[j] = std::max(out.exponent[j], parts[g].exponent[j]);
  }
  for (std::size_t g = 0; g < groups; ++g) {
    for (std::size_t j = 0; j < kColumns; ++j) {
      if (parts[g].exponent[j] <= kNoExponent) continue;
      const int shift =
          out.exponent[j] - parts[g].exponent[j] + rules.product_fraction_bits - rules.merge_fraction_bits;
      out.sum[j] += shifted(parts[g].sum[j], shift, rules.merge_rounding);
    }
  }
}

// The step's sum and C become the next C. `c` is finite.
float close_step(std::int64_t sum, int exponent, int fraction_bits, float c, const Adder& adder) {
  const AdderRules& rules = adder.rules;
  const auto bits = std::bit_cast<std::uint32_t>(c);
  const int field = std::max(static_cast<int>(bits >> 23 & 0xff), 1);
  const int c_exponent = field - 127;
  std::int64_t c_value = static_cast<std::int64_t>(bits & 0x7fffff) + ((bits & 0x7f800000) != 0 ? 0x800000 : 0);
  if (bits >> 31 != 0) c_value = -c_value;

  const bool products = exponent > kNoExponent;
  const int common = products ? std::max(exponent, c_exponent) : c_exponent;
  // Everything in units of 2^(common - window).
  const int window = std::max(rules.sum_fraction_bits, rules.c_fraction_bits);
  std::int64_t total = 0;
  if (products) {
    const int shift = common - exponent + fraction_bits - rules.sum_fraction_bits;
    total = shifted(sum, shift, rules.sum_rounding) * (std::int64_t{1} << (window - rules.sum_fraction_bits));
  }
  if (!rules.drop_c_below || c_exponent >= common - *rules.drop_c_below) {
    const int shift = common - c_exponent + 23 - rules.c_fraction_bits;
    total += shifted(c_value, shift, rules.c_rounding) * (std::int64_t{1} << (window - rules.c_fraction_bits));
  }
  if (total == 0) return 0.0F;
  const int unit = common - window;
  if (rules.final_fraction_bits) {
    const auto magnitude = static_cast<std::uint64_t>(total < 0 ? -total : total);
    const int leading = std::max(63 - std::countl_zero(magnitude) + unit, -126);
    const int shift = std::min(leading - *rules.final_fraction_bits - unit, 62);
    if (shift > 0) total = shifted(total, shift, rules.final_rounding) * (std::int64_t{1} << shift);
  }
  // At most 53 bits, so the double is exact and the conversion to float is the only rounding.
  const double exact = static_cast<double>(total) * power_of_two(unit);
  const auto nearest = static_cast<float>(exact);
  if (adder.result_rounding == RoundTo::kZero && std::fabs(static_cast<double>(nearest)) > std::fabs(exact)) {
    return std::nextafter(nearest, 0.0F);
  }
  return nearest;
}

template <std::size_t kColumns>
std::uint64_t aligned_columns(const RowTask& row, const double* b_value, const Adder& adder) {
  const AdderRules& rules = adder.rules;
  std::array<float, kColumns> c;
  std::uint64_t refused = 0;
  for (std::size_t j = 0; j < kColumns; ++j) {
    c[j] = std::bit_cast<float>(static_cast<std::uint32_t>(row.c[j]));
    if (!std::isfinite(c[j])) refused |= std::uint64_t{1} << j;
  }
  StepSum step_sum;
  const int steps = step_count(rules, row.shape->k);
  for (int n = 0; n < steps; ++n) {
    add_step<kColumns>(row, b_value, rules, step_at(rules, row.shape->k, n), step_sum);
    for (std::size_t j = 0; j < kColumns; ++j) {
      // A product below 2^126 times 4 cannot reach 2^128.
      if (rules.product_overflow_is_infinity && step_sum.exponent[j] >= 126) refused |= std::uint64_t{1} << j;
      if (!std::isfinite(c[j])) continue;  // an infinity stays, as all products are finite
      c[j] = close_step(step_sum.sum[j], step_sum.exponent[j], step_sum.fraction_bits, c[j], adder);
    }
  }
  for (std::size_t j = 0; j < kColumns; ++j) row.d[j] = std::bit_cast<std::uint32_t>(c[j]);
  return refused;
}

}  // namespace

std::uint64_t aligned_row(const RowTask& row, const double* b_value, const Adder& adder) {
  switch (row.shape->n) {
    case 4:
      return aligned_columns<4>(row, b_value, adder);
    case 16:
      return aligned_columns<16>(row, b_value, adder);
    default:
      return aligned_columns<32>(row, b_value, adder);
  }
}

}  // namespace mfma::gfx950
