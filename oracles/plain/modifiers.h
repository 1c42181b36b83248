// What cbsz, abid and blgp mean to matrix elements: which element of A and of B the product really reads.
//
// The modifiers are defined on lanes of the register image (manual 7.1.6, 13.3.6.1), so they are carried over through
// the operand layout of manual 7.1.4: K_L = K / (64 / (M * B)); A[b, i, k] is item k % K_L of lane
// i + M * (b + B * (k / K_L)), B[b, k, j] likewise with N. The 8-bit exception of f8f6f4 does not matter here: those
// builtins have no broadcast.
#pragma once

#include <optional>
#include <string>

#include "oracles/plain/dense.h"

namespace mfma::oracles {

struct ElementPlace {
  int block = 0, row_or_column = 0, k = 0;
};

// Where A[block, i, k] is read from.
ElementPlace source_of_a(const DenseShape& shape, const DenseModifiers& modifiers, ElementPlace at);
// Where B[block, k, j] is read from.
ElementPlace source_of_b(const DenseShape& shape, const DenseModifiers& modifiers, ElementPlace at);

// One line when the modifiers are illegal on the shape (manual: 2^cbsz <= blocks, abid < 2^cbsz, blgp 0..7) or when
// broadcast is asked of a shape that does not fill 64 lanes; nullopt when they are fine.
std::optional<std::string> modifier_error(const DenseShape& shape, const DenseModifiers& modifiers);

}  // namespace mfma::oracles
