// Wait states that the hardware does not insert by itself: the rules as data, and the check of one pair of
// instructions.
//
// Source: CDNA4 ISA manual, Table 11 (4.5) and Table 38 (7.6); for what clang 22 does, its measured output on gfx950.
// A distance is the sum of the wait states of the instructions in between: 1 each, SIMM16[3:0] + 1 for S_NOP. A
// taken branch counts 1. An instruction that comes too early reads or destroys a value that is not defined.
//
// A dependence on registers ends where a matrix product in between overwrites all of them: what follows depends on that
// product, whose own wait begins later. Clang looks for the last writer in the same way.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/gfx950/hazards/footprint.h"
#include "harness/gfx950/isa/instruction.h"

namespace mfma::gfx950 {

// How a later instruction depends on an earlier one.
enum class Relation : std::uint8_t {
  // On a matrix result D.
  kSrcCExact,        // C is D: same first register, size and passes, a product of the same class
  kSrcCOtherOpcode,  // the same, by another opcode
  kSrcCOtherPasses,  // C is D, of the same class, but with another number of passes
  kSrcCOverlap,      // C shares some registers with D
  kSrcCByGemm,       // C of SGEMM or DGEMM shares registers with D of XDL
  kSrcCByXdl,        // C of XDL shares registers with D of SGEMM or DGEMM
  kSrcCByXdlExact,   // the same, beginning with the same register and of the same size
  kSrcAb,
  kVectorReadsD,
  kVectorWritesD,
  kMemoryReadsD,
  kMemoryWritesD,
  kVectorWritesC,  // while the product may still read it
  kMemoryWritesC,
  kVectorWritesIndex,  // of SMFMAC
  kFma64,              // V_FMA_F64 or V_FMAC_F64, whatever its registers
  // On a VGPR that the VALU writes.
  kMatrixReads,
  kReadlaneReads,
  kReadfirstlaneReads,
  kPermlaneReads,
  kVectorConsumesTrans,
  kVectorConsumesShifted,
  // On scalars that the VALU writes.
  kConstantRead,
  kMaskRead,
  kLaneSelect,
  kMemoryBase,
  kZeroFlag,
  // On EXEC that V_CMPX writes.
  kMatrixAfterCmpx,
  kExecRead,
  kLaneAfterCmpx,
  kPermlaneAfterCmpx,
  // On the data of a store.
  kVectorOverwritesData,
  kMemoryOverwritesData,
  // On hardware registers and M0.
  kGetregSame,
  kSetregSame,
  kGetregMode,
  kVectorAfterVskip,
  kSendmsg,
  kMovrel,
  kRfe,
};
inline constexpr std::size_t kRelations = static_cast<std::size_t>(Relation::kRfe) + 1;

enum class Severity : std::uint8_t {
  kError,    // the manual asks for it
  kWarning,  // only one of manual and compiler asks for it (docs/discrepancies.md, wait-states)
};

struct WaitRule {
  std::string code;    // stable: "W-XDL-SRCC-OVERLAP-8", the last number being the passes of the producer
  MatrixClass matrix;  // of the producer; kNone: not a matrix instruction
  int passes;          // of the producer; 0: not a matrix instruction, or all
  Relation relation;
  int required;  // wait states; 0: stated by the source, cannot be violated
  Severity severity;
  const char* what;      // one clause: what must not follow what too early
  const char* manual;    // where the manual has it; "" when it does not
  const char* compiler;  // what clang 22.1.8 does
};

// All rules, in a fixed order.
std::span<const WaitRule> wait_rules();
const WaitRule* find_wait_rule(std::string_view code);

// No rule asks for more.
inline constexpr int kLongestWait = 20;

// One dependence of a later instruction on an earlier one, as far as a rule speaks of it.
struct Dependence {
  const WaitRule* rule = nullptr;
  Registers registers;  // those that both touch; count 0 where no register is concerned
};

struct Dependences {
  static constexpr std::size_t kMost = 16;
  std::uint8_t count = 0;
  std::array<Dependence, kMost> list{};
  std::span<const Dependence> all() const& { return std::span(list).first(count); }
  std::span<const Dependence> all() && = delete;  // it would outlive the list
};

// All rules that hold between the two, whatever their distance; one entry for each operand concerned.
Dependences dependences(const Footprint& earlier, const Footprint& later);

// A rule that was not kept.
struct Hazard {
  const WaitRule* rule = nullptr;
  std::uint64_t producer_pc = 0, consumer_pc = 0;  // byte addresses in the code object
  std::string producer, consumer;                  // as the renderer writes them
  Registers registers;
  int found = 0;             // wait states; the fewest when it was met more than once
  std::uint64_t times = 1;   // executions of the later instruction that came too early; of a static pass: 1
  std::uint64_t moment = 0;  // of the last of them
};

// "error W-XDL-SRCAB-4: 0x120 v_mfma... needs 8 wait states after 0x110 v_mfma... for v[0:1], has 0 (...)".
std::string describe(const Hazard& hazard);
std::string_view name_of(Severity severity);

// Hazards, each rule and pair of instructions once, in the order in which they were first met.
struct HazardList {
  static constexpr std::size_t kMost = 256;  // of each severity: hostile code can have one per instruction

  std::vector<Hazard> list;
  bool more = false;  // there were others, not listed

  // `moment` tells executions of the same instructions apart.
  void add(const Dependence& dependence, int found, const Instruction& producer, const Instruction& consumer,
           std::uint64_t moment);
};

}  // namespace mfma::gfx950
