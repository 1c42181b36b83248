// The truncating alignment measured on CDNA3 (numerics 1.3: TR and GTR), every width, mode and rule a parameter.
// The numbers in the comments are the steps of that text.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "oracles/reference/models.h"

namespace mfma::oracles::reference {

namespace {

struct AlignedProduct {
  Real real;
  std::optional<long> exponent;  // nothing: it does not take part in the choice of the largest exponent
  int group = 0;
};

struct Group {
  std::optional<long> exponent;  // the largest of its products
  Dyadic sum;
};

// Overload for exponents where "none" is below every number.
std::optional<long> larger(const std::optional<long>& x, const std::optional<long>& y) { return std::max(x, y); }

// e(a) + e(b) plus the scale's exponents.
long product_exponent(const Operands& operands, int k, const Real& unscaled, const Model& model) {
  const Element& a = operands.a[static_cast<std::size_t>(k)];
  const Element& b = operands.b[static_cast<std::size_t>(k)];
  const auto exponent_of = [&](const Element& x) {
    return model.normalise_subnormals ? x.true_exponent : x.clamped_exponent;
  };
  long exponent = exponent_of(a) + exponent_of(b);
  // Significands in [1,2) multiply to [1,4): normalising adds one from 2 on, and takes nothing off below 1.
  if (model.normalise_products && !unscaled.is_zero()) exponent = std::max(exponent, unscaled.value.floor_log2());
  if (!operands.scale.empty()) exponent += operands.scale[static_cast<std::size_t>(k / kScaleBlock)].value();
  return exponent;
}

// 1: a product of magnitude 2^128 or more (in general, of twice the binade of the accumulator's largest number).
Real apply_overflow(const Real& product, const Format& acc, const Model& model) {
  if (model.product_overflow == ProductOverflow::kNone || !product.is_finite() || product.is_zero()) return product;
  return product.value.floor_log2() > acc.bias ? Real::infinity(product.negative) : product;
}

int group_of(int k, int step_begin, int step_length, const Model& model) {
  if (model.grouping == Grouping::kInterleaved) return k % model.groups;
  const int run = (step_length + model.groups - 1) / model.groups;
  return (k - step_begin) / run;
}

AlignedProduct aligned_product(const Operands& operands, int k, const Model& model) {
  AlignedProduct result;
  const Real unscaled = operands.product(k);
  const Real scaled = operands.apply_scale(unscaled, k);
  result.real = apply_overflow(scaled, operands.acc, model);
  if (!scaled.is_finite()) return result;
  if (scaled.is_zero() && !model.zero_products_raise_exponent) return result;
  result.exponent = product_exponent(operands, k, unscaled, model);
  return result;
}

// 2 and 3: each group's products rounded to multiples relative to the group's largest exponent, and added.
std::vector<Group> align_groups(const std::vector<AlignedProduct>& products, const Model& model) {
  std::vector<Group> groups(static_cast<std::size_t>(model.groups));
  for (const AlignedProduct& product : products) {
    Group& group = groups[static_cast<std::size_t>(product.group)];
    group.exponent = larger(group.exponent, product.exponent);
  }
  for (const AlignedProduct& product : products) {
    Group& group = groups[static_cast<std::size_t>(product.group)];
    if (product.real.is_zero()) continue;
    const long unit = *group.exponent - model.product_fraction_bits;
    group.sum += product.real.value.round_to_multiple(unit, model.product_rounding);
  }
  return groups;
}

// The groups brought to the largest exponent among them. A single group is not rounded again.
Group merge(std::vector<Group> groups, const Model& model) {
  if (groups.size() == 1) return std::move(groups.front());
  Group merged;
  for (const Group& group : groups) merged.exponent = larger(merged.exponent, group.exponent);
  for (const Group& group : groups) {
    if (!group.exponent) continue;
    const long unit = *merged.exponent - model.merge_fraction_bits;
    merged.sum += group.sum.round_to_multiple(unit, model.merge_rounding);
  }
  return merged;
}

// floor(log2|x|), not below the format's least normal exponent, which is also that of zero.
long clamped_exponent(const Dyadic& x, const Format& f) {
  return x.is_zero() ? least_normal_exponent(f) : std::max(x.floor_log2(), least_normal_exponent(f));
}

// 4 to 7: the products' sum and c brought together. c is finite.
Dyadic join(const Group& dot, const Dyadic& c, const Format& acc, const Model& model) {
  const long c_exponent = clamped_exponent(c, acc);
  const long largest = std::max(dot.exponent.value_or(c_exponent), c_exponent);
  Dyadic total = dot.sum.round_to_multiple(largest - model.sum_fraction_bits, model.sum_rounding);
  const bool dropped = model.drop_c_below && c_exponent < largest - *model.drop_c_below;
  if (!dropped) total += c.round_to_multiple(largest - model.c_fraction_bits, model.c_rounding);
  if (!model.final_fraction_bits) return total;
  return total.round_to_multiple(clamped_exponent(total, acc) - *model.final_fraction_bits, model.final_rounding);
}

Real aligned_step(const std::vector<AlignedProduct>& products, const Real& c, const Format& acc, const Model& model) {
  std::vector<Real> terms = {c};
  for (const AlignedProduct& product : products) terms.push_back(product.real);
  if (SpecialSum special = special_sum(terms); special.is_special) return special.value;

  // 8: the one rounding to the format. A zero is +0.
  Dyadic sum = join(merge(align_groups(products, model), model), c.value, acc, model);
  return round_to_format(Real::finite(std::move(sum), false), acc);
}

}  // namespace

Real aligned_sum(const Operands& operands, const Model& model) {
  if (model.groups < 1) throw std::invalid_argument("dot_product: " + std::to_string(model.groups) + " groups");
  const int step_length = std::min(model.step, operands.size());
  Real d = operands.c;
  for (const Part step : cut(operands.size(), model.step, model.order)) {
    std::vector<AlignedProduct> products;
    for (int k = step.begin; k < step.end; ++k) {
      products.push_back(aligned_product(operands, k, model));
      products.back().group = group_of(k, step.begin, step_length, model);
    }
    d = aligned_step(products, d, operands.acc, model);
  }
  return d;
}

}  // namespace mfma::oracles::reference
