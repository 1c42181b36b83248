// One dot product's operands as exact numbers, and the parts into which models cut its k.
#pragma once

#include <optional>
#include <vector>

#include "oracles/plain/dense.h"
#include "oracles/reference/element.h"

namespace mfma::oracles::reference {

struct Operands {
  // Decodes every code. std::invalid_argument where the spans of the problem do not fit together.
  explicit Operands(const DotProblem& problem);

  int size() const { return static_cast<int>(a.size()); }
  // a_k * b_k, exact and without scale.
  Real product(int k) const;
  // a_k * b_k * 2^(scale_a + scale_b - 254); NaN under a NaN scale, whatever the elements.
  Real scaled_product(int k) const;
  // x * 2^(scale_a + scale_b - 254) of the 32-block that k belongs to; NaN under a NaN scale.
  Real apply_scale(const Real& x, int k) const;

  Format acc;
  std::vector<Element> a, b;               // by k
  std::vector<std::optional<long>> scale;  // by 32-block: the sum of both exponents, nothing for NaN; empty: unscaled
  Real c;
};

inline constexpr int kScaleBlock = 32;

// The products k in [begin, end).
struct Part {
  int begin = 0;
  int end = 0;
};

// [0, k) cut from 0 into parts of min(length, k) products, the last one perhaps shorter; descending turns the order of
// the parts round, not the cuts. length < 1 is std::invalid_argument.
std::vector<Part> cut(int k, int length, StepOrder order);

// The k of a part, ascending or descending.
std::vector<int> walk(Part part, StepOrder order);

}  // namespace mfma::oracles::reference
