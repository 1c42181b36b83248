// Which dense MFMA builtins each generation of the hardware has.
//
// Source: the opcode tables of the ISA manuals of CDNA1 (gfx908), CDNA2 (gfx90a), CDNA3 (gfx942) and CDNA4 (gfx950);
// RDNA3 (gfx1100) has no MFMA.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace mfma::checks {

struct Target {
  std::string_view arch;  // "gfx942"
  std::string_view manual;
};
std::span<const Target> targets();  // gfx950 first

// True when `arch` (one of targets()) has the instruction that `builtin` stands for.
bool has_builtin(std::string_view arch, std::string_view builtin);

// The 38 of the catalogue, then the 9 that gfx950 lacks.
std::vector<std::string_view> all_names();

}  // namespace mfma::checks
