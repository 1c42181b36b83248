// One output element under one model: the dispatcher over the model kinds, and what they share.
#pragma once

#include <cstdint>
#include <optional>

#include "oracles/arithmetic/lines.h"
#include "oracles/arithmetic/model.h"
#include "oracles/formats/rounding.h"

namespace mfma::oracles {

struct DotTerms {
  Line a, b;
  const Format* acc = nullptr;
  Number c;
  // Per 32-block the scale's exponent, for the models that apply it to the block's sum; null when it is in the lines.
  const std::int16_t* block_exponents = nullptr;
};

// d = c + sum_k a_k * b_k. Requires that no element, scale or c is a NaN (the caller settles those: the result is one);
// a NaN that arises (0 * inf, inf - inf) is returned as such.
Number dot(const DotTerms& terms, const Model& model);

// The integer product and sum, modulo 2^bits of the accumulator.
std::uint64_t integer_dot(const DotTerms& terms, std::uint64_t c);

// The kinds, one function per file.
Number chain_dot(const DotTerms& terms, const Model& model);  // kFmaChain, kMultiplyAdd
Number pairwise_dot(const DotTerms& terms, const Model& model);
Number block_sums_dot(const DotTerms& terms, const Model& model);
Number exact_sum_dot(const DotTerms& terms, const Model& model);
Number aligned_sum_dot(const DotTerms& terms, const Model& model);

// Calls step(first, last, d) for the model's steps in their order, d going from one to the next.
template <typename Step>
Number over_steps(const DotTerms& terms, const Model& model, Step step) {
  const int k = terms.a.k;
  const int width = model.step < k ? model.step : k;
  if (k == 0) return terms.c;
  const int steps = (k + width - 1) / width;
  Number d = terms.c;
  for (int s = 0; s < steps; ++s) {
    const int first = (model.order == StepOrder::kAscending ? s : steps - 1 - s) * width;
    d = step(first, first + width < k ? first + width : k, d);
    if (d.cls == ValueClass::kNan) break;
  }
  return d;
}

// Calls each(k) for every k in the model's order.
template <typename Each>
void over_products(int k, StepOrder order, Each each) {
  for (int i = 0; i < k; ++i) each(order == StepOrder::kAscending ? i : k - 1 - i);
}

// Infinities of a step, by IEEE rules: nullopt when every term is finite, else the infinite or NaN sum.
// With `overflow_at`, a finite product of magnitude 2^overflow_at or more counts as infinite.
std::optional<Number> special_sum(const DotTerms& terms, int first, int last, const Number& d,
                                  std::optional<int> overflow_at);

}  // namespace mfma::oracles
