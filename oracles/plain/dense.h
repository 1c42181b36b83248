// The oracle's dense product: D[b] = A[b] * B[b] + C[b] on raw element codes, one block after another.
//
// Integers only: no host floating point, no globals, the same bits on every host and compiler.
// Knows matrix elements and what the modifiers mean to them; knows nothing of instructions or of the catalogue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "oracles/arithmetic/model.h"
#include "oracles/formats/format.h"

namespace mfma::oracles {

struct DenseShape {
  int m = 0, n = 0, k = 0, blocks = 1;
};

// What cbsz below log2(blocks) broadcasts: two published readings, unmeasured on gfx950 (docs/discrepancies.md).
enum class BroadcastReading {
  kPerSet,     // block b reads A block (b & ~(2^cbsz - 1)) + abid   (manual 13.3.6.1; AMD's matrix calculator)
  kWholeWave,  // A lane l reads lane (l % S) + S * abid, S = 64 >> cbsz   (manual 7.1.6.1)
};

// In element terms. f64 uses the negations only; formats of the f8f6f4 builtins are in DenseProblem.
struct DenseModifiers {
  int cbsz = 0, abid = 0, blgp = 0;
  bool negate_a = false, negate_b = false, negate_c = false;
  BroadcastReading reading = BroadcastReading::kPerSet;
};

// All operands are raw codes in the low bits, before modifiers.
struct DenseProblem {
  DenseShape shape;
  Format a_format, b_format, acc_format;  // by value: a test may hand in an altered descriptor
  DenseModifiers modifiers;
  std::span<const std::uint64_t> a;       // [blocks][m][k]
  std::span<const std::uint64_t> b;       // [blocks][k][n]
  std::span<const std::uint64_t> c;       // [blocks][m][n]
  bool scaled = false;                    // E8M0 scales, one per 32 k
  std::span<const std::uint8_t> scale_a;  // [m][k/32]
  std::span<const std::uint8_t> scale_b;  // [k/32][n]
};

struct DenseResult {
  std::vector<std::uint64_t> d;     // [blocks][m][n], raw bits in the accumulator's format
  std::vector<std::uint8_t> exact;  // [blocks][m][n], 1 where no lawful model may give other bits (oracles/exactness.h)
};

// Requires sizes that fit the shape; violating that is a programming error (checked, std::invalid_argument).
DenseResult dense_product(const DenseProblem& problem, const Model& model);
// The check alone.
void check_problem(const DenseProblem& problem, const Model& model);

// The same product element by element, its operands decoded once: for who wants few of the elements. `at` is the index
// in DenseResult. The problem's operands must live as long as this does.
class DenseElements {
 public:
  DenseElements(const DenseProblem& problem, const Model& model);
  DenseElements(const DenseElements&) = delete;
  DenseElements& operator=(const DenseElements&) = delete;
  ~DenseElements();

  std::uint64_t bits(std::size_t at) const;
  bool exact(std::size_t at) const;

 private:
  struct Decoded;

  std::span<const std::uint8_t> scales_of_a(std::size_t at) const;
  std::span<const std::uint8_t> scales_of_b(std::size_t at) const;

  std::unique_ptr<const Decoded> decoded_;
};

// One output element from a row of A and a column of B (k codes each), after modifiers. scales: one byte per 32 k,
// empty when unscaled. What dense_product does per element, and what `eval` calls.
struct DotProblem {
  Format a_format, b_format, acc_format;
  std::span<const std::uint64_t> a, b;
  std::uint64_t c = 0;
  bool scaled = false;
  std::span<const std::uint8_t> scale_a, scale_b;
};
std::uint64_t dot_product(const DotProblem& problem, const Model& model);
// True where every lawful model gives the same bits.
bool is_exact(const DotProblem& problem);

}  // namespace mfma::oracles
