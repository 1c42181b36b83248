// Chains of correctly rounded operations on the host's doubles.
//
// f32: the product of two factors of at most 24 bits is exact in a double. It is added to the f32 accumulator by a
// two-sum whose error, if any, is folded into the last bit ("round to odd"); the double then rounds to f32 as the
// exact sum would, because it has more than two bits to spare. f64: std::fma.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "harness/gfx950/matrix/adders.h"

namespace mfma::gfx950 {
namespace {

constexpr int kMaxColumns = 32;

double add_to_odd(double x, double y) {
  const double sum = x + y;
  const double y_part = sum - x;
  const double error = (x - (sum - y_part)) + (y - y_part);
  if (error == 0 || !std::isfinite(sum)) return sum;
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  if ((bits & 1) != 0) return sum;
  // An even sum is next to the odd one on the side of the error; up in magnitude when both have the same sign.
  return std::bit_cast<double>(std::signbit(error) == std::signbit(sum) ? bits + 1 : bits - 1);
}

struct F32Host {
  using Value = float;
  RoundTo mode;

  Value narrow(double x) const {
    const auto nearest = static_cast<float>(x);
    if (mode == RoundTo::kZero && std::isfinite(x) && std::fabs(static_cast<double>(nearest)) > std::fabs(x)) {
      return std::nextafter(nearest, 0.0F);
    }
    return nearest;
  }
  Value multiply(double a, double b) const { return narrow(a * b); }
  Value fuse(double a, double b, Value c) const { return narrow(add_to_odd(a * b, static_cast<double>(c))); }
  Value add(Value x, Value y) const { return narrow(add_to_odd(static_cast<double>(x), static_cast<double>(y))); }
  Value scale(Value x, int exponent) const { return narrow(std::ldexp(static_cast<double>(x), exponent)); }
  static Value from_bits(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
  static std::uint64_t to_bits(Value x) { return std::bit_cast<std::uint32_t>(x); }
};

struct F64Host {
  using Value = double;
  RoundTo mode;

  // The same value toward zero: by the wide sum, as this is a fault and need not be fast.
  Value toward_zero(double a, double b, double c, double nearest) const {
    if (nearest == 0 || !std::isfinite(a) || !std::isfinite(b) || !std::isfinite(c)) return nearest;
    const std::array<double, 1> one_a{a};
    const std::array<double, 1> one_b{b};
    const std::array<std::int16_t, 1> unused{};
    ElementTask task;
    task.a = one_a.data();
    task.b = one_b.data();
    task.a_exponent = task.b_exponent = unused.data();
    task.k = 1;
    Adder adder;
    adder.rules.accumulate = Accumulate::kExactSum;
    adder.result_rounding = RoundTo::kZero;
    return std::bit_cast<double>(wide_element(task, std::bit_cast<std::uint64_t>(c), adder, true));
  }
  Value fuse(double a, double b, Value c) const {
    const double nearest = std::fma(a, b, c);
    return mode == RoundTo::kZero ? toward_zero(a, b, c, nearest) : nearest;
  }
  Value multiply(double a, double b) const {
    const double nearest = a * b;
    return mode == RoundTo::kZero ? toward_zero(a, b, 0.0, nearest) : nearest;
  }
  Value add(Value x, Value y) const {
    const double nearest = x + y;
    return mode == RoundTo::kZero ? toward_zero(x, 1.0, y, nearest) : nearest;
  }
  Value scale(Value x, int exponent) const { return std::ldexp(x, exponent); }
  static Value from_bits(std::uint64_t bits) { return std::bit_cast<double>(bits); }
  static std::uint64_t to_bits(Value x) { return std::bit_cast<std::uint64_t>(x); }
};

int ordered(const AdderRules& rules, int count, int n) { return rules.descending ? count - 1 - n : n; }

// Columns side by side: their chains do not wait for each other.
template <class Host>
void fma_row(const RowTask& row, const Adder& adder, const Host& host) {
  const auto columns = static_cast<std::size_t>(row.shape->n);
  std::array<typename Host::Value, kMaxColumns> sums;
  for (std::size_t j = 0; j < columns; ++j) sums[j] = Host::from_bits(row.c[j]);
  for (int n = 0; n < row.shape->k; ++n) {
    const auto k = static_cast<std::size_t>(ordered(adder.rules, row.shape->k, n));
    const double a = row.a->value[row.a_start() + k];
    const double* b = row.b->value.data() + row.b_start() + k * columns;
    for (std::size_t j = 0; j < columns; ++j) sums[j] = host.fuse(a, b[j], sums[j]);
  }
  for (std::size_t j = 0; j < columns; ++j) row.d[j] = Host::to_bits(sums[j]);
}

template <class Host>
typename Host::Value multiply_add(const ElementTask& e, typename Host::Value c, const Adder& adder, const Host& host) {
  for (int n = 0; n < e.k; ++n) {
    const int k = ordered(adder.rules, e.k, n);
    c = host.add(host.multiply(e.a_at(k), e.b_at(k)), c);
  }
  return c;
}

template <class Host>
typename Host::Value pairwise(const ElementTask& e, typename Host::Value c, const Adder& adder, const Host& host) {
  std::array<typename Host::Value, 128> level;
  for (int n = 0; n < step_count(adder.rules, e.k); ++n) {
    const Step step = step_at(adder.rules, e.k, n);
    auto width = static_cast<std::size_t>(step.count);
    for (int k = 0; k < step.count; ++k) {
      level[static_cast<std::size_t>(k)] = host.multiply(e.a_at(step.first + k), e.b_at(step.first + k));
    }
    while (width > 1) {
      for (std::size_t pair = 0; pair < width / 2; ++pair) level[pair] = host.add(level[2 * pair], level[2 * pair + 1]);
      if (width % 2 != 0) level[width / 2] = level[width - 1];
      width = (width + 1) / 2;
    }
    c = host.add(level[0], c);
  }
  return c;
}

template <class Host>
typename Host::Value block_sums(const ElementTask& e, typename Host::Value c, const Adder& adder, const Host& host) {
  const int blocks = (e.k + kScaleBlock - 1) / kScaleBlock;
  for (int n = 0; n < blocks; ++n) {
    const int block = ordered(adder.rules, blocks, n);
    const int first = block * kScaleBlock;
    const int count = std::min(kScaleBlock, e.k - first);
    typename Host::Value sum = 0;
    for (int m = 0; m < count; ++m) {
      const int k = first + ordered(adder.rules, count, m);
      sum = host.fuse(e.a_at(k), e.b_at(k), sum);
    }
    if (adder.rules.scale_in_block_sum) {
      const std::int16_t scale_a = e.a_scale[block];
      const std::int16_t scale_b = e.b_scale[block];
      if (scale_a == kNanScale || scale_b == kNanScale) return static_cast<typename Host::Value>(std::nan(""));
      sum = host.scale(sum, scale_a + scale_b);
    }
    c = host.add(sum, c);
  }
  return c;
}

template <class Host>
void chain_row(const RowTask& row, const Adder& adder, const Host& host) {
  if (adder.rules.accumulate == Accumulate::kFmaChain) return fma_row(row, adder, host);
  for (int j = 0; j < row.shape->n; ++j) {
    const ElementTask element = element_task(row, j);
    typename Host::Value value = Host::from_bits(row.c[j]);
    switch (adder.rules.accumulate) {
      case Accumulate::kMultiplyAdd:
        value = multiply_add(element, value, adder, host);
        break;
      case Accumulate::kPairwise:
        value = pairwise(element, value, adder, host);
        break;
      default:
        value = block_sums(element, value, adder, host);
        break;
    }
    row.d[j] = Host::to_bits(value);
  }
}

}  // namespace

void chain_row_f32(const RowTask& row, const Adder& adder) {
  // Two instances, so that the healthy one has no test of the mode in its inner loop.
  if (adder.result_rounding == RoundTo::kNearestEven) return chain_row(row, adder, F32Host{RoundTo::kNearestEven});
  chain_row(row, adder, F32Host{adder.result_rounding});
}

void chain_row_f64(const RowTask& row, const Adder& adder) { chain_row(row, adder, F64Host{adder.result_rounding}); }

}  // namespace mfma::gfx950
