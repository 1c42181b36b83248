// What an instruction reads and writes and which unit does it, as far as wait states are concerned.
//
// Computed once per instruction. `produces` and `senses` are the masks by which a check passes over nearly all pairs
// of instructions without looking at their registers.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "harness/gfx950/isa/instruction.h"

namespace mfma::gfx950 {

enum class Bank : std::uint8_t { kVgpr, kAgpr, kScalar };

// `count` registers from `first`. Scalars by source code: SGPRs, VCC at 106, M0 at 124, EXEC at 126.
struct Registers {
  Bank bank = Bank::kVgpr;
  std::uint16_t first = 0, count = 0;

  bool operator==(const Registers&) const = default;
  bool overlaps(const Registers& other) const {
    return bank == other.bank && first < other.first + other.count && other.first < first + count;
  }
  // The registers of both; count 0 when there are none.
  Registers shared_with(const Registers& other) const;
};
// True when each of `registers` is one of `by`.
bool covered(const Registers& registers, std::span<const Registers> by);
// "v[0:3]", "a7", "vcc", "exec"; empty for no registers.
std::string render(const Registers& registers);

enum class Unit : std::uint8_t {
  kOther,   // scalar memory, and what is unknown
  kScalar,  // SALU, and program flow
  kVector,  // VALU, the moves between VGPRs and AccVGPRs included
  kMatrix,  // MFMA and SMFMAC
  kMemory,  // FLAT, GLOBAL, SCRATCH
  kShare,   // DS
};

// Classes of Table 38. XDL is all but f32 and f64 (docs/discrepancies.md, matrix-core-classes).
enum class MatrixClass : std::uint8_t { kNone, kXdl, kSgemm, kDgemm16, kDgemm4 };

enum class Role : std::uint8_t {
  kMatrixD,      // written
  kMatrixC,      // read: SRC2, or VDST of SMFMAC
  kMatrixAb,     // read: SRC0, SRC1, scales
  kMatrixIndex,  // read: SRC2 of SMFMAC
  kVectorRead,
  kVectorWrite,
  kScalarRead,  // by the VALU as a constant
  kMaskRead,    // by the VALU as carry in or select mask
  kLaneSelect,
  kZeroFlag,  // VCCZ or EXECZ as a source of the VALU; registers: VCC or EXEC
  kScalarWrite,
  kMemoryRead,   // address or data
  kMemoryWrite,  // of a load
  kMemoryBase,   // SGPRs of the address
};

// Opcodes that rules name.
enum class Act : std::uint8_t {
  kNone,
  kReadlane,
  kReadfirstlane,
  kWritelane,
  kPermlane,
  kFma64,
  kCmpx,
  kGetreg,
  kSetreg,
  kSetvskip,
  kSendmsg,
  kMovrel,
  kRfe,
};

// What a later instruction may have to wait for: bits of Footprint::produces and senses.
enum Effect : std::uint32_t {
  kMatrixResult = 1u << 0,   // writes D, reads C
  kVectorVgpr = 1u << 1,     // VALU writes a VGPR
  kTransVgpr = 1u << 2,      // the same by an opcode of Table 12
  kShiftedVgpr = 1u << 3,    // the same with the result moved by OP_SEL
  kVectorSgpr = 1u << 4,     // VALU writes SGPRs or VCC
  kVectorExec = 1u << 5,     // V_CMPX
  kWideStore = 1u << 6,      // store of three or four dwords
  kHardwareWrite = 1u << 7,  // S_SETREG
  kVskipWrite = 1u << 8,     // S_SETVSKIP
  kM0Write = 1u << 9,        // SALU writes M0
};

struct Access {
  Role role = Role::kVectorRead;
  Registers registers;
};

struct Footprint {
  static constexpr std::size_t kMost = 8;

  Unit unit = Unit::kOther;
  MatrixClass matrix = MatrixClass::kNone;
  Act act = Act::kNone;
  std::uint8_t passes = 0;             // of a matrix instruction: 2, 4, 8 or 16
  std::uint8_t wait_states = 1;        // it takes itself: 1, or SIMM16[3:0] + 1 for S_NOP
  std::uint8_t hardware_register = 0;  // of S_SETREG and S_GETREG
  bool sets_vskip = false;             // S_SETREG over the VSKIP bit of MODE
  bool transcendental = false;         // Table 12
  std::uint16_t opcode = 0;
  std::uint32_t produces = 0, senses = 0;  // masks of Effect
  std::uint8_t count = 0;
  std::array<Access, kMost> list{};

  std::span<const Access> accesses() const { return std::span(list).first(count); }
  // The first access of that role; null when there is none.
  const Registers* find(Role role) const;
};

// Of an unknown instruction: nothing but its one wait state.
Footprint footprint_of(const Instruction& instruction);

}  // namespace mfma::gfx950
