// Kernels that set bits of MODE just before their MFMA: what harness/kernels/kernel.h describes otherwise.
#pragma once

#include <string>

#include "harness/cases/mode.h"
#include "harness/kernels/kernel.h"

namespace mfma::kernels {

// kernel_name(instance) with the bits appended, such as "..._round5"; without bits just that.
std::string mode_kernel_name(const catalogue::Instance& instance, const cases::ModeBits& mode);

// The kernel. Its s_setreg passes the operands through, so that no compiler can place the MFMA before it.
Piece mode_piece_of(const catalogue::Instance& instance, const cases::ModeBits& mode);

}  // namespace mfma::kernels
