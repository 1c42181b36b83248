// How the products of one row of A with the columns of B, and C, become one row of D.
//
// Three ways, chosen by the rules: chains of host operations, each correctly rounded; the aligned sum in a window of
// 64-bit integers (fast, for rules of ordinary widths and finite operands); and the wide sum, which is exact and
// takes any rule. Infinities, NaNs and overflowing products go to the chains or to the wide sum.
//
// The host must round to nearest even and keep subnormals, as every C++ program does unless it asks otherwise.
#pragma once

#include <cstdint>
#include <span>

#include "harness/gfx950/matrix/operands.h"
#include "harness/gfx950/matrix/wide_sum.h"

namespace mfma::gfx950 {

// AdderRules checked and with what can be derived from them.
struct Adder {
  AdderRules rules;
  RoundTo result_rounding = RoundTo::kNearestEven;  // toward zero only as a planted fault
  bool fits_window = false;                         // aligned_sum: the widths allow the fast way
};

inline constexpr int kMaxWindowGroups = 8;

Adder make_adder(const AdderRules& rules);

// Row i of block b: N elements of D from K elements of A, K x N of B, N of C. C and D hold bits in the format of D.
struct RowTask {
  const MatrixShape* shape = nullptr;
  const OperandPlane* a = nullptr;
  const OperandPlane* b = nullptr;
  int block = 0, i = 0;
  const std::uint64_t* c = nullptr;
  std::uint64_t* d = nullptr;

  std::size_t a_row() const { return static_cast<std::size_t>(block * shape->m + i); }
  std::size_t a_start() const { return a_row() * static_cast<std::size_t>(shape->k); }
  std::size_t b_column(int j) const { return static_cast<std::size_t>(block * shape->n + j); }
  std::size_t b_start() const { return static_cast<std::size_t>(block * shape->k * shape->n); }
};

// One element of D: the factors of its products.
struct ElementTask {
  const double* a = nullptr;  // [k]
  const double* b = nullptr;  // [k * stride]
  const std::int16_t* a_exponent = nullptr;
  const std::int16_t* b_exponent = nullptr;
  const std::int16_t* a_scale = nullptr;  // by block of 32 k, only when kept apart
  const std::int16_t* b_scale = nullptr;
  std::size_t stride = 0;
  int k = 0;

  double a_at(int n) const { return a[n]; }
  double b_at(int n) const { return b[static_cast<std::size_t>(n) * stride]; }
  int exponent_at(int n) const { return a_exponent[n] + b_exponent[static_cast<std::size_t>(n) * stride]; }
};
ElementTask element_task(const RowTask& row, int j);

// The first k of step number n, and how many there are; steps are counted in the order in which they are done.
struct Step {
  int first = 0, count = 0;
};
int step_count(const AdderRules& rules, int k);
Step step_at(const AdderRules& rules, int k, int n);
// The alignment group of product k of a step.
int group_of(const AdderRules& rules, const Step& step, int full_step, int k);

// The kinds that chain rounded host operations: kFmaChain, kMultiplyAdd, kPairwise, kBlockSums. A NaN in the result
// has unspecified bits. The row's results for f32 or f64.
void chain_row_f32(const RowTask& row, const Adder& adder);
void chain_row_f64(const RowTask& row, const Adder& adder);

// kExactSum and kAlignedSum for one element, by wide sums. Returns bits; a NaN in the result has unspecified bits.
std::uint64_t wide_element(const ElementTask& element, std::uint64_t c, const Adder& adder, bool f64);

// kAlignedSum for a row of finite A whose rules fit the window (f32 results). Bit j of the answer: element j was not
// computed (C not finite, a product may overflow) and must take the wide way. `b_value`: B with nothing but finite
// numbers, numbered as the plane of B.
std::uint64_t aligned_row(const RowTask& row, const double* b_value, const Adder& adder);

}  // namespace mfma::gfx950
