// Decoder and renderer of gfx950 machine code, driven by tables written from the CDNA4 ISA manual.
//
// Never fails: words that are no known instruction come back with `known() == false` and the reason. The renderer
// writes the style of llvm-objdump, so that two independent decoders can be compared.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "harness/gfx950/isa/instruction.h"

namespace mfma::gfx950 {

// Decodes the instruction that starts at dwords[0]; dwords after the end of the code are simply missing. `pc` is its
// byte address. An empty span gives an unknown instruction of 4 bytes.
Instruction decode(std::span<const std::uint32_t> dwords, std::uint64_t pc);

// "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3] cbsz:1"; ".long 0x..." for an unknown instruction.
std::string render(const Instruction& instruction);

// The address a branch jumps to (SOPP branches and S_CALL_B64): pc + 4 + SIMM16 * 4.
std::uint64_t branch_target(const Instruction& instruction);

}  // namespace mfma::gfx950
