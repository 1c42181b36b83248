// An instance's kernel that also tells which part of the device ran each workgroup. Never the kernel under test, which
// stays the builtin's alone: it is run after a failure, to see where on the device the failure lives.
#pragma once

#include <string>

#include "harness/kernels/kernel.h"

namespace mfma::kernels {

// For Module::run_program(): A, B, C, [scale_a, scale_b,] D, `where`, cases, and a number that is not read. Workgroup w
// leaves HW_REG_HW_ID in where[2 w] and HW_REG_XCC_ID in where[2 w + 1] (harness/gfx950/machine/places.h reads them).
Piece locating_piece_of(const catalogue::Instance& instance);
std::string locating_kernel_name(const catalogue::Instance& instance);

}  // namespace mfma::kernels
