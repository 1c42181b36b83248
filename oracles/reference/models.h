// One function per arithmetic model. Each returns d as a number of the accumulator's format, or NaN.
#pragma once

#include "oracles/arithmetic/model.h"
#include "oracles/reference/operands.h"

namespace mfma::oracles::reference {

// d = c; for each k: d = round(a_k * b_k + d). `order` is that of k.
Real fma_chain(const Operands& operands, const Model& model);

// d = c; for each k: d = round(round(a_k * b_k) + d). `order` is that of k.
Real multiply_add(const Operands& operands, const Model& model);

// Per step: the rounded products added by a tree, neighbours first, each sum rounded, an odd last one carried up
// unchanged; then d = round(d + the step's sum). `order` is that of the steps.
Real pairwise(const Operands& operands, const Model& model);

// Per step: d = round(d + exact sum of the products). `order` is that of the steps.
Real exact_sum(const Operands& operands, const Model& model);

// Per step: the truncating alignment of numerics 1.3, with every width and mode a parameter.
Real aligned_sum(const Operands& operands, const Model& model);

// Per 32-block (of k, scaled or not): an FMA chain from +0; then, with ScaleEntry::kInBlockSum, the sum scaled and
// rounded; then d = round(d + block). With ScaleEntry::kInProductExponent the scale is in each product instead.
// `order` is that of the blocks and of k within each.
Real block_sums(const Operands& operands, const Model& model);

// c + sum of a_k * b_k modulo 2^acc.bits, as a code.
std::uint64_t integer_sum(const Operands& operands);

}  // namespace mfma::oracles::reference
