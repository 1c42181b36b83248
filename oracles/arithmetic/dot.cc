#include "oracles/arithmetic/dot.h"

#include "oracles/arithmetic/fused.h"

namespace mfma::oracles {

std::optional<Number> special_sum(const DotTerms& terms, int first, int last, const Number& d,
                                  std::optional<int> overflow_at) {
  bool positive = d.cls == ValueClass::kInfinity && !d.negative;
  bool negative = d.cls == ValueClass::kInfinity && d.negative;
  for (int k = first; k < last; ++k) {
    const Product<Uint128> p = product_at<Uint128>(terms, k);
    if (p.cls == ValueClass::kNan) return kNan;
    const bool infinite = p.cls == ValueClass::kInfinity ||
                          (overflow_at && p.magnitude != 0 && p.exponent + bit_width(p.magnitude) > *overflow_at);
    positive |= infinite && !p.negative;
    negative |= infinite && p.negative;
  }
  if (positive && negative) return kNan;
  if (positive || negative) return infinity(negative);
  return std::nullopt;
}

std::uint64_t integer_dot(const DotTerms& terms, std::uint64_t c) {
  std::uint64_t sum = c;
  for (int k = 0; k < terms.a.k; ++k) {
    sum += static_cast<std::uint64_t>(terms.a.significand[k]) * static_cast<std::uint64_t>(terms.b.significand[k]);
  }
  return sum & ((std::uint64_t{1} << terms.acc->bits) - 1);
}

Number dot(const DotTerms& terms, const Model& model) {
  switch (model.kind) {
    case ModelKind::kFmaChain:
    case ModelKind::kMultiplyAdd:
      return chain_dot(terms, model);
    case ModelKind::kPairwise:
      return pairwise_dot(terms, model);
    case ModelKind::kExactSum:
      return exact_sum_dot(terms, model);
    case ModelKind::kAlignedSum:
      return aligned_sum_dot(terms, model);
    case ModelKind::kBlockSums:
      return block_sums_dot(terms, model);
    case ModelKind::kInteger:
      break;  // integer_dot; model_error() keeps it away from here
  }
  return kNan;
}

}  // namespace mfma::oracles
