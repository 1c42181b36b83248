// Kernels that issue their MFMA by inline assembly instead of by the builtin: what harness/kernels/kernel.h describes
// otherwise. A case that fails in both was not spoilt by the compiler's choice of instruction, registers or wait
// states.
#pragma once

#include <string>

#include "harness/kernels/kernel.h"

namespace mfma::kernels {

// The instance's kernel under its own name. A, B, C, the scales and D are in VGPRs, D apart from all others, and
// S_NOPs before and after cover the longest wait that the manual's tables ask for (CDNA4 ISA, Tables 11 and 38).
Piece asm_piece_of(const catalogue::Instance& instance);

// The statements in the kernel: they read a[i], b[i], c[i], and the scales, and write d[i].
std::string asm_statements(const catalogue::Instance& instance);

}  // namespace mfma::kernels
