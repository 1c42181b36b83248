#include "oracles/batched/parameters.h"

#include <algorithm>

#include "oracles/batched/batched.h"

namespace mfma::oracles::batched {
namespace {

// Whether the model has nothing but parameters that are known here: a parameter that is added to Model shows as a
// difference as soon as it is not at its default.
bool is_known(const Model& m) {
  Model known;
  known.kind = m.kind;
  known.step = m.step;
  known.order = m.order;
  known.groups = m.groups;
  known.grouping = m.grouping;
  known.product_fraction_bits = m.product_fraction_bits;
  known.product_rounding = m.product_rounding;
  known.zero_products_raise_exponent = m.zero_products_raise_exponent;
  known.normalise_subnormals = m.normalise_subnormals;
  known.normalise_products = m.normalise_products;
  known.merge_fraction_bits = m.merge_fraction_bits;
  known.merge_rounding = m.merge_rounding;
  known.sum_fraction_bits = m.sum_fraction_bits;
  known.sum_rounding = m.sum_rounding;
  known.c_fraction_bits = m.c_fraction_bits;
  known.c_rounding = m.c_rounding;
  known.drop_c_below = m.drop_c_below;
  known.final_fraction_bits = m.final_fraction_bits;
  known.final_rounding = m.final_rounding;
  known.product_overflow = m.product_overflow;
  known.nan = m.nan;
  known.scale = m.scale;
  return known == m;
}

bool is_small_float(const Format& f) {
  return !f.is_integer && f.is_signed && f.bits <= 32 && f.exponent_bits >= 1 && f.exponent_bits <= 8 &&
         f.fraction_bits >= 1 && f.fraction_bits <= 23 && f.bits == 1 + f.exponent_bits + f.fraction_bits &&
         f.bias > -200 && f.bias < 200;
}

bool is_small_integer(const Format& f) { return f.is_integer && f.bits <= 8; }

// Whether every value of an aligned step stays below 2^62, as in oracles/arithmetic/aligned_sum_dot.cc.
bool fits_64(const Model& m, const Format& a, const Format& b) {
  const int fraction_bits = a.fraction_bits + b.fraction_bits;
  const int width = std::max({m.product_fraction_bits, m.merge_fraction_bits, m.sum_fraction_bits, m.c_fraction_bits});
  return std::max(fraction_bits, m.product_fraction_bits) + 2 <= 60 && width + 2 + 8 + 1 <= 60;
}

LaneRounding lane_rounding(Rounding r) {
  switch (r) {
    case Rounding::kTowardZero:
      return LaneRounding::kTowardZero;
    case Rounding::kDown:
      return LaneRounding::kDown;
    case Rounding::kNearestEven:
      break;
  }
  return LaneRounding::kNearestEven;
}

}  // namespace

AlignedParameters aligned_parameters(const Model& m, const Format& a, const Format& b) {
  AlignedParameters p{};
  p.step = m.step;
  p.groups = m.groups;
  p.descending = m.order == StepOrder::kDescending;
  p.contiguous = m.grouping == Grouping::kContiguous;
  p.fraction_bits = a.fraction_bits + b.fraction_bits;
  p.product_fraction_bits = m.product_fraction_bits;
  p.merge_fraction_bits = m.merge_fraction_bits;
  p.sum_fraction_bits = m.sum_fraction_bits;
  p.c_fraction_bits = m.c_fraction_bits;
  p.final_fraction_bits = m.final_fraction_bits.value_or(0);
  p.product_rounding = lane_rounding(m.product_rounding);
  p.merge_rounding = lane_rounding(m.merge_rounding);
  p.sum_rounding = lane_rounding(m.sum_rounding);
  p.c_rounding = lane_rounding(m.c_rounding);
  p.final_rounding = lane_rounding(m.final_rounding);
  p.normalise_products = m.normalise_products;
  p.product_overflow = m.product_overflow == ProductOverflow::kInfinity;
  p.drop_c_below = m.drop_c_below.value_or(-1);
  p.up = std::max(0, m.product_fraction_bits - p.fraction_bits);
  const auto largest = [](const Format& f) { return (std::uint64_t{2} << f.fraction_bits) - 1; };
  const std::uint64_t product = largest(a) * largest(b);
  constexpr std::uint64_t kLargest = 0x7fffffff;
  if (p.up < 32 && product <= kLargest >> p.up) {
    // Fewer than four, and rounding to nearest would need more than 31 bits.
    const auto most = static_cast<int>(std::min<std::uint64_t>(kLargest / (product << p.up), std::uint64_t{1} << 20));
    if (most >= 4) p.most_in_32 = most;
  }
  return p;
}

std::optional<ChainKind> chain_kind(ModelKind kind) {
  switch (kind) {
    case ModelKind::kFmaChain:
      return ChainKind::kFma;
    case ModelKind::kMultiplyAdd:
      return ChainKind::kMultiplyAdd;
    case ModelKind::kPairwise:
      return ChainKind::kPairwise;
    case ModelKind::kBlockSums:
      return ChainKind::kBlockSums;
    case ModelKind::kExactSum:
    case ModelKind::kAlignedSum:
    case ModelKind::kInteger:
      break;
  }
  return std::nullopt;
}

FormatNumbers numbers_of(const Format& f) {
  return {f.bits,
          f.exponent_bits,
          f.fraction_bits,
          f.bias,
          f.specials == Specials::kIeee,
          f.specials == Specials::kNanOnly};
}

bool covers(const Model& model, const Format& a, const Format& b, const Format& acc) {
  if (!is_known(model)) return false;
  if (acc.is_integer) return acc == format(FormatId::kI32) && is_small_integer(a) && is_small_integer(b);
  if (acc == format(FormatId::kF64)) return model.kind == ModelKind::kFmaChain && a == acc && b == acc;
  if (acc != format(FormatId::kF32) || !is_small_float(a) || !is_small_float(b)) return false;
  return chain_kind(model.kind) || (model.kind == ModelKind::kAlignedSum && fits_64(model, a, b));
}

}  // namespace mfma::oracles::batched
