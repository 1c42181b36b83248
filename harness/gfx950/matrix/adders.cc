#include "harness/gfx950/matrix/adders.h"

#include <algorithm>
#include <cmath>

namespace mfma::gfx950 {
namespace {

// Widths up to which the window of matrix_aligned.cc holds every sum of 128 products without losing a bit.
constexpr int kWindowProductBits = 28;
constexpr int kWindowBits = 42;

bool within(int value, int high) { return value >= 0 && value <= high; }

}  // namespace

Adder make_adder(const AdderRules& rules) {
  Adder adder{rules, RoundTo::kNearestEven, false};
  AdderRules& own = adder.rules;
  own.step = std::clamp(own.step, 1, 128);
  own.groups = std::clamp(own.groups, 1, 128);
  adder.fits_window = own.accumulate == Accumulate::kAlignedSum && !own.normalise_products &&
                      within(own.product_fraction_bits, kWindowProductBits) && own.groups <= kMaxWindowGroups &&
                      (own.groups == 1 || within(own.merge_fraction_bits, kWindowBits)) &&
                      within(own.sum_fraction_bits, kWindowBits) && within(own.c_fraction_bits, kWindowBits) &&
                      (!own.final_fraction_bits || *own.final_fraction_bits >= 0);
  return adder;
}

ElementTask element_task(const RowTask& row, int j) {
  const std::size_t a = row.a_start();
  const std::size_t b = row.b_start() + static_cast<std::size_t>(j);
  return {row.a->value.data() + a,
          row.b->value.data() + b,
          row.a->exponent.data() + a,
          row.b->exponent.data() + b,
          row.a->scale[row.a_row()].data(),
          row.b->scale[row.b_column(j)].data(),
          static_cast<std::size_t>(row.shape->n),
          row.shape->k};
}

int step_count(const AdderRules& rules, int k) {
  const int length = std::min(rules.step, k);
  return (k + length - 1) / length;
}

Step step_at(const AdderRules& rules, int k, int n) {
  const int length = std::min(rules.step, k);
  const int number = rules.descending ? step_count(rules, k) - 1 - n : n;
  return {number * length, std::min(length, k - number * length)};
}

int group_of(const AdderRules& rules, const Step& step, int full_step, int k) {
  if (!rules.contiguous_groups) return k % rules.groups;
  return (k - step.first) / ((full_step + rules.groups - 1) / rules.groups);
}

}  // namespace mfma::gfx950
