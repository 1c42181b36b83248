// Decoder and renderer of gfx950 machine code, driven by tables written from the CDNA4 ISA manual.
//
// Never fails: words that are no known instruction come back with `known() == false` and the reason. The renderer
// writes the style of llvm-objdump, so that two independent decoders can be compared.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "harness/gfx950/instruction.h"
#include "harness/gfx950/machine.h"

namespace mfma::gfx950 {

// Decodes the instruction that starts at dwords[0]; dwords after the end of the code are simply missing. `pc` is its
// byte address. An empty span gives an unknown instruction of 4 bytes.
Instruction decode(std::span<const std::uint32_t> dwords, std::uint64_t pc);

// "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3] cbsz:1"; ".long 0x..." for an unknown instruction.
std::string render(const Instruction& instruction);

// The address a branch jumps to (SOPP branches and S_CALL_B64): pc + 4 + SIMM16 * 4.
std::uint64_t branch_target(const Instruction& instruction);

// Where a kernel's code lies: from its entry to the end of its symbol (or of the executable segment when the symbol
// has no size).
struct CodeRange {
  std::uint64_t begin = 0, end = 0;  // byte addresses in the code object
};
tl::expected<CodeRange, std::string> kernel_range(const CodeObject& object, std::string_view kernel);
std::vector<CodeRange> executable_ranges(const CodeObject& object);

// The instruction at `pc`; unknown when pc lies outside every executable segment.
Instruction instruction_at(const CodeObject& object, std::uint64_t pc);

// All instructions of a kernel in address order, decoded one after the other from its entry.
tl::expected<std::vector<Instruction>, std::string> kernel_instructions(const CodeObject& object,
                                                                        std::string_view kernel);

}  // namespace mfma::gfx950
