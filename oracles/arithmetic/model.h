// The arithmetic models that a matrix core may follow, as parameters, never as code paths of one device.
//
// Which parameters a kind reads: all but kInteger `order` and `nan`; kPairwise and kExactSum also `step`; kBlockSums
// also `scale`; kAlignedSum all but `scale`; kInteger none. Elsewhere a scale always enters the exact product.
//
// A Model says how one output element d = c + sum_k a_k * b_k is formed from exact products: in which steps,
// aligned and truncated where, rounded how. It holds no state and depends on no host floating point.
// Source of the aligned_sum parameters: the published measurements of CDNA3 (MMA-Sim, arXiv 2511.10909, and its
// second simulator version); that gfx950 follows them is an inference (docs/numerics.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "oracles/formats/format.h"

namespace mfma::oracles {

enum class ModelKind {
  kFmaChain,     // d = c; for each k in order: d = round(a_k * b_k + d)
  kMultiplyAdd,  // d = c; for each k in order: d = round(round(a_k * b_k) + d)
  kPairwise,     // per step: products rounded, added by a balanced tree (neighbours first), the step's sum added to d
  kExactSum,     // per step: d = round(d + exact sum of the step's products)
  kAlignedSum,   // per step: the truncating alignment of docs/numerics.md
  kBlockSums,    // per 32-block: an FMA chain from +0, scaled (rounded), then d = round(d + block)
  kInteger,      // exact products, sums modulo 2^32
};

enum class Rounding {
  kTowardZero,
  kDown,  // toward minus infinity
  kNearestEven,
};

enum class StepOrder { kAscending, kDescending };

// Which product of a step belongs to which alignment group: k mod groups, or contiguous runs of step/groups.
enum class Grouping { kInterleaved, kContiguous };

// What a product (scale included) of magnitude 2^128 or more becomes before anything is summed: twice the largest
// power of two of the accumulator's format, so 2^1024 for f64. The fused kinds have no such step and ignore it.
enum class ProductOverflow { kInfinity, kNone };

// Where a block scale enters: into each product's exponent, or into the 32-block's sum. Only kBlockSums knows both.
enum class ScaleEntry { kInProductExponent, kInBlockSum };

// The bits of a NaN that an operation generates or passes on. One rule for every kind, over the whole dot product: the
// operands are taken in `order`; of the first one with a NaN among its elements, the NaN of least k is converted to the
// accumulator's format: sign kept, fraction aligned at its upper end, quiet bit set. An operand that `order` does not
// name is never taken; then, and where no element is a NaN (0 * inf, inf - inf, a NaN scale), the NaN is `bits`.
struct NanRule {
  bool propagate = false;
  // propagate: the operands in the order in which a NaN among them is taken, e.g. "abc"; the first k wins; quieted.
  std::string order = "abc";
  // The bits of a generated NaN in the output format (f32: 32 bits, f64: 64 bits). Unset: the format's default,
  // 7fc00000 or 7ff8000000000000. With propagate it is what 0 * inf and inf - inf give.
  std::optional<std::uint64_t> bits;

  bool operator==(const NanRule&) const = default;
};

struct Model {
  ModelKind kind = ModelKind::kAlignedSum;
  int step = 16;                            // products per step, 1..128; clipped to K
  StepOrder order = StepOrder::kAscending;  // of the steps (of k itself in the chains)
  int groups = 1;                           // alignment groups per step
  Grouping grouping = Grouping::kInterleaved;
  int product_fraction_bits = 24;  // kept below the group's largest product exponent
  Rounding product_rounding = Rounding::kTowardZero;
  bool zero_products_raise_exponent = false;
  bool normalise_subnormals = false;  // else e(x) is clamped at the format's least normal exponent
  bool normalise_products = false;    // else e(a)+e(b) is the product's exponent, even for [2,4)
  int merge_fraction_bits = 24;       // groups > 1: each group's sum, below the largest exponent
  Rounding merge_rounding = Rounding::kDown;
  int sum_fraction_bits = 32;  // the step's sum, below max(e_dot, e_c)
  Rounding sum_rounding = Rounding::kDown;
  int c_fraction_bits = 24;  // c, below max(e_dot, e_c)
  Rounding c_rounding = Rounding::kDown;
  std::optional<int> drop_c_below;              // c counts as 0 when e_c < E - this
  std::optional<int> final_fraction_bits = 31;  // of the total, below its own leading bit; unset: kept whole
  Rounding final_rounding = Rounding::kDown;
  ProductOverflow product_overflow = ProductOverflow::kInfinity;
  NanRule nan;
  ScaleEntry scale = ScaleEntry::kInProductExponent;

  bool operator==(const Model&) const = default;
};

// Least and largest fraction width of a profile (product, merge, sum, c, final) and range of drop_c_below. Below 24
// bits the exactness rule of oracles/exactness.h would not hold, so a profile cannot ask for it.
inline constexpr int kLeastFractionBits = 24, kLargestFractionBits = 64;
inline constexpr int kLeastDrop = 24, kLargestDrop = 1024;
inline constexpr int kLargestStep = 128, kLargestGroups = 128;

// What is wrong with a model for operands of these formats, as one line; nullopt when it can be computed. Wider than a
// profile: fraction widths from 1. Integers know one arithmetic, so any kind will do for them; kInteger needs them.
std::optional<std::string> model_error(const Model& model, const Format& a, const Format& b, const Format& acc);

// The bits of a generated NaN in the accumulator's format.
std::uint64_t generated_nan(const NanRule& rule, const Format& acc);
// A NaN code of `from`, converted to `acc` and quieted.
std::uint64_t converted_nan(const Format& from, std::uint64_t code, const Format& acc);

}  // namespace mfma::oracles
