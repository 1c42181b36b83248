// The opcode tables: every instruction the decoder knows, by encoding and number, with a signature that says which
// field each operand comes from and how wide it is.
//
// Written from the CDNA4 ISA manual, chapters 12 and 13; where the manual contradicts itself the row says so.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "harness/gfx950/isa/instruction.h"

namespace mfma::gfx950 {

// A signature is a list of operands in assembly order, each a field letter, its width in bits and a type mark:
//   D  destination: SDST or VDST (AccVGPR when the ACC bit of the encoding says so)
//   A B C  SRC0 SRC1 SRC2 of the encoding (SSRC0, SSRC1; in 32-bit vector encodings B is a VGPR)
//   g h  SRC0 and SRC1 as a scalar or constant only (lane moves)
//   v  SRC0 as a VGPR only        d  VDST or SDST field as a scalar destination
//   V  SRC0 as a VGPR that is written too (swaps)
//   q  SRC2 as an arch VGPR (the index of smfmac)
//   a t  destination and source of v_accvgpr_mov; r w  AccVGPR source and destination of v_accvgpr_read/write
//   X  carry out: VCC, or SDST of VOP3B        M  carry in or select mask: VCC, or SRC2 as SGPRs
//   Y  result of a vector compare: VCC, or VDST as SGPRs
//   R  SDST field that is only read (SOPK)     L  literal dword
//   K  SIMM16   N  SIMM16 in decimal   n  the same, not written when 0   J  branch offset   W  wait counters
//   H  hardware register   I  GPR index mode
//   b  SBASE   o  SMEM offset   P  memory address   E F  first and second memory data   S  SADDR
// Marks: none = bits, 'f' = floats of that width (32-bit ones in a tuple), 'g' = 64-bit floats in a tuple, 'p' = a pair
// of 32-bit values, 'i' = a signed 64-bit integer (its literals are sign extended).
struct Slot {
  char field = 0;
  ValueType type = ValueType::kB32;
  std::uint8_t registers = 0;
};

struct Signature {
  std::array<Slot, kMaxOperands> slots{};
  std::uint8_t count = 0;

  consteval Signature(const char* text);  // NOLINT(google-explicit-constructor): rows read better
  Signature() = default;
};

namespace detail {
constexpr ValueType type_of(int bits, char mark) {
  if (mark == 'g') return ValueType::kF64;
  if (mark == 'i') return ValueType::kI64;
  if (mark == 'p') return ValueType::kF32;
  if (bits == 16) return mark == 'f' ? ValueType::kF16 : ValueType::kB16;
  if (bits == 64) return mark == 'f' ? ValueType::kF64 : ValueType::kB64;
  return mark == 'f' ? ValueType::kF32 : ValueType::kB32;
}

constexpr Signature parse_signature(const char* text) {
  Signature signature;
  while (*text != 0) {
    Slot& slot = signature.slots[signature.count++];
    slot.field = *text++;
    int bits = 0;
    while (*text >= '0' && *text <= '9') bits = bits * 10 + (*text++ - '0');
    char mark = 0;
    if (*text != 0 && *text != ' ') mark = *text++;
    slot.type = type_of(bits, mark);
    slot.registers = static_cast<std::uint8_t>((bits + 31) / 32);
    while (*text == ' ') ++text;
  }
  return signature;
}
}  // namespace detail

consteval Signature::Signature(const char* text) { *this = detail::parse_signature(text); }

struct OpcodeRow {
  std::uint16_t number;
  const char* mnemonic;
  Signature signature;
};

// Tables, one per encoding (opcodes_*.cc). VOP1, VOP2 and VOPC rows also serve their VOP3 form.
std::span<const OpcodeRow> sop2_rows();
std::span<const OpcodeRow> sop1_rows();
std::span<const OpcodeRow> sopc_rows();
std::span<const OpcodeRow> sopk_rows();
std::span<const OpcodeRow> sopp_rows();
std::span<const OpcodeRow> smem_rows();
std::span<const OpcodeRow> vop1_rows();
std::span<const OpcodeRow> vop2_rows();
std::span<const OpcodeRow> vopc_rows();
std::span<const OpcodeRow> vop3_rows();   // opcodes that exist only in VOP3
std::span<const OpcodeRow> vop3p_rows();  // packed math and accvgpr moves
std::span<const OpcodeRow> mai_rows();
std::span<const OpcodeRow> flat_rows();
std::span<const OpcodeRow> global_rows();
std::span<const OpcodeRow> scratch_rows();
std::span<const OpcodeRow> ds_rows();

struct Opcode {
  Encoding encoding;  // the encoding whose table it is from
  const OpcodeRow* row;
};

// All rows of all tables; Instruction::id indexes it.
std::span<const Opcode> opcodes();
// -1 when there is no such opcode. `encoding` names a table: kVop3 finds the VOP3-only rows.
int find_opcode(Encoding encoding, unsigned number);

}  // namespace mfma::gfx950
