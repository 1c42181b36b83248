// A decoded gfx950 instruction: what the decoder makes of one to four dwords, for the interpreter, the renderer and
// the checks on compiled code.
//
// Source of the encodings: CDNA4 ISA manual, chapter 13.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace mfma::gfx950 {

enum class Encoding : std::uint8_t {
  kUnknown,
  kSop2,
  kSop1,
  kSopc,
  kSopk,
  kSopp,
  kSmem,
  kVop1,
  kVop2,
  kVopc,
  kVop3,       // VOP3A, and VOP3B where the opcode has a scalar result
  kVop3p,      // packed math
  kMai,        // VOP3P-MAI
  kScaledMai,  // load-scale pair and MAI pair, 16 bytes
  kFlat,
  kGlobal,
  kScratch,
  kDs,
};

// What the bits of an operand mean; decides how an inline constant or a literal is widened.
enum class ValueType : std::uint8_t { kB16, kB32, kB64, kI64, kF16, kF32, kF64 };

enum class OperandKind : std::uint8_t {
  kNone,
  kScalar,       // scalar register or special source; `number` is the source code 0..127, 235..238, 251..253
  kVector,       // arch VGPR `number`
  kAccumulator,  // AccVGPR `number`
  kConstant,     // inline constant; `number` is the source code 128..208, 240..248
  kLiteral,      // the instruction's literal dword
  kImmediate,    // a field of the instruction: SIMM16, an offset
  kOff,          // an address operand that is switched off
};

struct Operand {
  OperandKind kind = OperandKind::kNone;
  ValueType type = ValueType::kB32;
  std::uint8_t registers = 0;  // dwords; 0 for kImmediate and kOff
  char field = 0;              // which field it came from, as in the opcode tables (opcodes.h)
  std::uint16_t number = 0;
  bool operator==(const Operand&) const = default;
};

// Bits that modify an instruction. Only those of the encoding are set.
struct Bits {
  std::uint8_t absolute = 0;     // bit per source
  std::uint8_t negate = 0;       // bit per source; VOP3P: of the low half
  std::uint8_t negate_high = 0;  // VOP3P
  std::uint8_t select = 0;       // OP_SEL; load-scale: bit 0 A, bit 1 B
  std::uint8_t select_high = 0;  // OP_SEL_HI
  std::uint8_t output = 0;       // OMOD
  bool clamp = false;
  std::uint8_t cbsz = 0, abid = 0, blgp = 0;                               // MAI
  bool scope0 = false, scope1 = false, non_temporal = false, lds = false;  // memory; SMEM: GLC in scope0
  bool operator==(const Bits&) const = default;
};

inline constexpr int kMaxOperands = 6;

struct Instruction {
  std::uint64_t pc = 0;                   // byte address in the code object
  std::array<std::uint32_t, 4> dwords{};  // `bytes` / 4 of them
  std::uint8_t bytes = 4;
  Encoding encoding = Encoding::kUnknown;
  std::uint16_t opcode = 0;        // OP field of the encoding
  std::int16_t id = -1;            // index into opcodes(); -1: unknown or reserved, see `problem`
  const char* mnemonic = nullptr;  // without the _e32 or _e64 of the renderer; null when unknown
  const char* problem = nullptr;   // why it is unknown or reserved; null when it is a known instruction
  std::uint8_t operand_count = 0;
  std::uint8_t output_count = 0;                 // the first so many operands are written
  std::array<Operand, kMaxOperands> operands{};  // in assembly order
  std::int32_t immediate = 0;                    // SIMM16 (sign extended) or memory offset in bytes
  std::uint32_t literal = 0;
  Bits bits;

  bool known() const { return id >= 0; }
  std::span<const Operand> all_operands() const { return std::span(operands).first(operand_count); }
};

}  // namespace mfma::gfx950
