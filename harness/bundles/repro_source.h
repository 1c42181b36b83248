// A case as a HIP program that stands alone: one file, no header but HIP's and C's, operands and expected bits in it.
//
// The kernel is the one that a run compiles (harness/kernels/kernel.h), word for word, so that the compiler meets what
// it met. The program exits 0 where every dword of D that decides is as expected, 1 where one is not, 2 where it could
// not be run (no GPU, no gfx950). The device side compiles without any header (-nogpuinc).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/cases/case.h"
#include "harness/catalogue/register_image.h"

namespace mfma::bundles {

inline constexpr std::size_t kMostLines = 150;

struct Repro {
  cases::Case c;
  catalogue::RegisterImage expected;  // D
  // By lane, bit r: register r of D decides. Where a register holds bits that depend on how the adders align and round,
  // a device may differ from a profile that nobody has confirmed without the compiler being wrong.
  std::vector<std::uint32_t> decides;
  std::string compiler, level;  // named in the opening comment
};

// At most kMostLines lines, of 120 columns where the operands allow it and of longer ones where not.
std::string repro_source(const Repro& repro);

}  // namespace mfma::bundles
