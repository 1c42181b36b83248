// The models whose every sum is either exact or an IEEE operation of the accumulator's format.
#include <utility>

#include "oracles/reference/models.h"

namespace mfma::oracles::reference {

namespace {

Real rounded_sum(const Real& x, const Real& y, const Format& acc) { return round_to_format(add(x, y), acc); }

// The sums of neighbours: half as many, rounded up.
std::vector<Real> add_neighbours(const std::vector<Real>& terms, const Format& acc) {
  std::vector<Real> sums;
  std::size_t i = 0;
  for (; i + 1 < terms.size(); i += 2) sums.push_back(rounded_sum(terms[i], terms[i + 1], acc));
  if (i < terms.size()) sums.push_back(terms[i]);
  return sums;
}

}  // namespace

Real fma_chain(const Operands& operands, const Model& model) {
  Real d = operands.c;
  for (const int k : walk({0, operands.size()}, model.order)) {
    d = rounded_sum(operands.scaled_product(k), d, operands.acc);
  }
  return d;
}

Real multiply_add(const Operands& operands, const Model& model) {
  Real d = operands.c;
  for (const int k : walk({0, operands.size()}, model.order)) {
    d = rounded_sum(round_to_format(operands.scaled_product(k), operands.acc), d, operands.acc);
  }
  return d;
}

Real pairwise(const Operands& operands, const Model& model) {
  Real d = operands.c;
  for (const Part step : cut(operands.size(), model.step, model.order)) {
    std::vector<Real> terms;
    for (int k = step.begin; k < step.end; ++k) {
      terms.push_back(round_to_format(operands.scaled_product(k), operands.acc));
    }
    while (terms.size() > 1) terms = add_neighbours(terms, operands.acc);
    d = rounded_sum(d, terms.front(), operands.acc);
  }
  return d;
}

Real exact_sum(const Operands& operands, const Model& model) {
  Real d = operands.c;
  for (const Part step : cut(operands.size(), model.step, model.order)) {
    std::vector<Real> terms = {d};
    for (int k = step.begin; k < step.end; ++k) terms.push_back(operands.scaled_product(k));
    d = round_to_format(total(terms), operands.acc);
  }
  return d;
}

Real block_sums(const Operands& operands, const Model& model) {
  const bool scale_in_sum = model.scale == ScaleEntry::kInBlockSum;
  Real d = operands.c;
  for (const Part block : cut(operands.size(), kScaleBlock, model.order)) {
    Real sum = Real::zero(false);
    for (const int k : walk(block, model.order)) {
      const Real product = scale_in_sum ? operands.product(k) : operands.scaled_product(k);
      sum = rounded_sum(product, sum, operands.acc);
    }
    if (scale_in_sum) sum = round_to_format(operands.apply_scale(sum, block.begin), operands.acc);
    d = rounded_sum(d, sum, operands.acc);
  }
  return d;
}

}  // namespace mfma::oracles::reference
