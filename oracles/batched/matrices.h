// The operands of a dense product, modifiers done, in the order in which the lanes want them (kernels.h, Sheet).
#pragma once

#include <cstdint>
#include <vector>

#include "oracles/batched/kernels.h"
#include "oracles/plain/dense.h"

namespace mfma::oracles::batched {

// How a problem is cut into sheets: one a block, or, where D has four columns, all blocks side by side in one.
struct Cut {
  explicit Cut(const DenseShape& shape);

  DenseShape shape;
  int repeat;  // Sheet::repeat
  int sheets, rows, width;
  int a_entries;  // of a line (row and k) of A: 1, or one per block
  int used;       // lanes of a row that are elements of D

  std::size_t a_elements(int k) const;  // of all sheets; `k`: the shape's, or the number of scales
  std::size_t b_elements(int k) const;
  std::size_t d_elements() const;  // of one sheet
};

// Codes; `Code` is as wide as the format needs. All have kTile spare elements.
template <typename Code>
std::vector<Code> codes_of_a(const DenseProblem& problem, const Cut& cut);
template <typename Code>
std::vector<Code> codes_of_b(const DenseProblem& problem, const Cut& cut);
template <typename Code>
void codes_of_c(const DenseProblem& problem, const Cut& cut, int sheet, std::vector<Code>& codes);
// The index in DenseResult of the first element of a run of `run()` lanes of a row.
std::size_t place_in_result(const Cut& cut, int sheet, int row, int lane);
inline int run_of(const Cut& cut) { return cut.repeat == 4 ? 4 : cut.used; }

// Exponents of the scales, one per element; kNone for a NaN.
std::vector<std::int32_t> scales_of_a(const DenseProblem& problem, const Cut& cut);
std::vector<std::int32_t> scales_of_b(const DenseProblem& problem, const Cut& cut);
// The same as factors, one per 32 k; 1 for a NaN.
std::vector<double> factors_of_a(const DenseProblem& problem, const Cut& cut);
std::vector<double> factors_of_b(const DenseProblem& problem, const Cut& cut);

}  // namespace mfma::oracles::batched
