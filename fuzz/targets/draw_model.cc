#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "fuzz/targets/draw.h"

namespace mfma::fuzz {
namespace {

using oracles::Model;
using oracles::ModelKind;
using oracles::Rounding;

template <typename T, std::size_t kSize>
T pick(FuzzedDataProvider& in, const T (&choices)[kSize]) {
  return choices[in.ConsumeIntegralInRange<std::size_t>(0, kSize - 1)];
}

constexpr ModelKind kFloatKinds[] = {ModelKind::kAlignedSum, ModelKind::kFmaChain, ModelKind::kMultiplyAdd,
                                     ModelKind::kPairwise,   ModelKind::kExactSum, ModelKind::kBlockSums};
constexpr Rounding kRoundings[] = {Rounding::kTowardZero, Rounding::kDown, Rounding::kNearestEven};

int draw_width(FuzzedDataProvider& in) {
  return in.ConsumeIntegralInRange(oracles::kLeastFractionBits, oracles::kLargestFractionBits);
}

// A NaN of the accumulator: any sign, any fraction but zero.
std::uint64_t draw_nan_bits(FuzzedDataProvider& in, const oracles::Format& acc) {
  const std::uint64_t sign = std::uint64_t{in.ConsumeBool()} << (acc.bits - 1);
  const std::uint64_t field = (std::uint64_t{1} << acc.exponent_bits) - 1;
  const std::uint64_t fraction =
      in.ConsumeIntegralInRange(std::uint64_t{1}, (std::uint64_t{1} << acc.fraction_bits) - 1);
  return sign | field << acc.fraction_bits | fraction;
}

void draw_alignment(FuzzedDataProvider& in, Model& model) {
  model.groups = in.ConsumeIntegralInRange(1, 8);
  model.grouping = in.ConsumeBool() ? oracles::Grouping::kContiguous : oracles::Grouping::kInterleaved;
  for (int* width :
       {&model.product_fraction_bits, &model.merge_fraction_bits, &model.sum_fraction_bits, &model.c_fraction_bits}) {
    *width = draw_width(in);
  }
  for (Rounding* rounding : {&model.product_rounding, &model.merge_rounding, &model.sum_rounding, &model.c_rounding,
                             &model.final_rounding}) {
    *rounding = pick(in, kRoundings);
  }
  for (bool* flag : {&model.zero_products_raise_exponent, &model.normalise_subnormals, &model.normalise_products}) {
    *flag = in.ConsumeBool();
  }
  model.final_fraction_bits = in.ConsumeBool() ? std::optional(draw_width(in)) : std::nullopt;
  if (in.ConsumeBool()) model.drop_c_below = in.ConsumeIntegralInRange(oracles::kLeastDrop, 80);
  if (in.ConsumeBool()) model.product_overflow = oracles::ProductOverflow::kNone;
}

}  // namespace

Model draw_model(FuzzedDataProvider& in, const oracles::Format& acc) {
  Model model;
  model.kind = pick(in, kFloatKinds);
  model.step = in.ConsumeIntegralInRange(1, oracles::kLargestStep);
  if (in.ConsumeBool()) model.order = oracles::StepOrder::kDescending;
  if (model.kind == ModelKind::kAlignedSum) draw_alignment(in, model);
  if (model.kind == ModelKind::kBlockSums && in.ConsumeBool()) model.scale = oracles::ScaleEntry::kInBlockSum;
  if (in.ConsumeBool()) {
    constexpr const char* kOrders[] = {"abc", "acb", "bac", "bca", "cab", "cba"};
    model.nan.propagate = true;
    model.nan.order = pick(in, kOrders);
  }
  if (in.ConsumeBool()) model.nan.bits = draw_nan_bits(in, acc);
  return model;
}

bool is_lawful(const Model& model, const oracles::Format& acc) {
  const int least = acc.fraction_bits + 1;
  return std::min({model.product_fraction_bits, model.merge_fraction_bits, model.sum_fraction_bits,
                   model.c_fraction_bits, model.final_fraction_bits.value_or(least),
                   model.drop_c_below.value_or(least)}) >= least;
}

std::string text_of(const Model& m) {
  return fmt::format(
      "kind {} step {} order {} groups {}/{} product {}/{} merge {}/{} sum {}/{} c {}/{} final {}/{} drop {} raise {} "
      "normalise {}/{} overflow {} nan {}/{}/{:x} scale {}",
      static_cast<int>(m.kind), m.step, static_cast<int>(m.order), m.groups, static_cast<int>(m.grouping),
      m.product_fraction_bits, static_cast<int>(m.product_rounding), m.merge_fraction_bits,
      static_cast<int>(m.merge_rounding), m.sum_fraction_bits, static_cast<int>(m.sum_rounding), m.c_fraction_bits,
      static_cast<int>(m.c_rounding), m.final_fraction_bits.value_or(-1), static_cast<int>(m.final_rounding),
      m.drop_c_below.value_or(-1), m.zero_products_raise_exponent, m.normalise_subnormals, m.normalise_products,
      static_cast<int>(m.product_overflow), m.nan.propagate, m.nan.order, m.nan.bits.value_or(0),
      static_cast<int>(m.scale));
}

}  // namespace mfma::fuzz
