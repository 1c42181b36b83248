// The reference oracle: one dot product d = c + sum_k a_k * b_k by exact arithmetic, for every model of model.h.
//
// Slow and plain, it exists to check the fast oracle (oracles/dense.h), with which it shares the descriptors of
// formats and models and no code. Every intermediate number is an exact rational; every rounding that a model asks for
// is applied to that rational, and the accumulator's format is reached by one routine (round_to_format).
//
// Where numerics leaves a choice, IEEE 754 decides, then the plainest reading. The choices:
//  - NaN. An operand that is NaN makes d NaN. Without `propagate` its bits are nan.bits or the format's default. With
//    it, the letters of nan.order are tried in turn, each operand's NaN with the least k taken, its sign kept, its
//    fraction aligned at the top bit and quieted; c has no k. When no operand that the order names is NaN (0 * inf,
//    inf - inf, a NaN scale) the bits are nan.bits or the default.
//  - Scale 0xFF makes every product of its 32-block NaN, zeros included; 0x00 is 2^-127.
//  - Zero. Models made of IEEE operations (fma_chain, multiply_add, pairwise, block_sums) have their zeros: -0 from an
//    addition only if both terms are -0. exact_sum and aligned_sum add integers, so a total of exactly zero is +0 even
//    when every term is -0, as the published simulators have it. A non-zero value that rounds to zero in the last
//    rounding keeps its sign.
//  - aligned_sum. Infinities and NaNs are settled on a step's products (after product_overflow) and c as IEEE 754
//    settles a sum, before any alignment; an infinite c is never dropped. product_overflow means products of
//    2^(bias+1) or more of the accumulator's format (2^128 for f32), the scale included. A zero element has its
//    format's least normal exponent; with normalise_products the exponent is e(a)+e(b)+1 from a significand product of
//    2 on and unchanged below, so that subnormals are normalised by normalise_subnormals alone. A step or group whose
//    products have no exponent adds nothing. A single group is not rounded at the merge. c dropped leaves E unchanged.
//  - Steps are cut from k = 0 on, the last one perhaps shorter; a descending order turns the steps round, not the
//    cuts. Contiguous groups are runs of ceil(min(step, K) / groups).
//  - `scale` matters to block_sums only; the other models have the scale in each product, before any rounding.
//  - K = 0 gives c (a NaN c by the rule above).
#pragma once

#include <cstdint>

#include "oracles/arithmetic/model.h"
#include "oracles/plain/dense.h"

namespace mfma::oracles::reference {

// The raw bits of d in the accumulator's format. Integer formats have one arithmetic, that of ModelKind::kInteger,
// whatever the model. std::invalid_argument where lengths do not fit, where step or groups is below 1, where integer
// and floating-point formats mix, or where the integer model meets floating-point formats.
std::uint64_t dot_product(const DotProblem& problem, const Model& model);

}  // namespace mfma::oracles::reference
