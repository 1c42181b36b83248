// The state of one wavefront of 64 lanes, and how instructions read and write it.
//
// Source: CDNA4 ISA manual, chapter 3.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/gfx950/isa/instruction.h"
#include "harness/gfx950/machine/kernel_code.h"
#include "harness/gfx950/machine/machine.h"
#include "harness/gfx950/machine/memory.h"

namespace mfma::gfx950 {

inline constexpr unsigned kLanes = 64;
inline constexpr std::uint64_t kAllLanes = ~std::uint64_t{0};

// Scalar source codes (manual table 13).
enum ScalarCode : unsigned {
  kFlatScratch = 102,
  kVcc = 106,
  kM0 = 124,
  kExec = 126,
  kSharedBase = 235,
  kSharedLimit = 236,
  kPrivateBase = 237,
  kPrivateLimit = 238,
  kVccIsZero = 251,
  kExecIsZero = 252,
  kSccValue = 253,
};

// Apertures: 4 GiB each of flat addresses that mean LDS or private memory. The values are those of the Linux driver.
inline constexpr std::uint64_t kSharedAperture = 0x2000'0000'0000'0000;
inline constexpr std::uint64_t kPrivateAperture = 0x1000'0000'0000'0000;
inline constexpr std::uint64_t kApertureSize = std::uint64_t{1} << 32;

inline constexpr std::uint32_t kModeFp16Overflow = 1u << 23;

using Row = std::array<std::uint32_t, kLanes>;  // one register of all lanes

struct Fault {
  Stop stop = Stop::kCompleted;
  std::string message;
};

struct Wavefront {
  alignas(64) std::array<Row, 256> vgpr;
  alignas(64) std::array<Row, 256> agpr;
  std::array<std::uint32_t, 128> sgpr;  // by source code: SGPRs, VCC at 106, M0 at 124, EXEC at 126
  bool scc = false;
  std::uint32_t mode = 0;
  std::uint32_t trap_status = 0;
  std::uint32_t hw_id = 0, xcc_id = 0;  // read only
  std::uint64_t pc = 0;                 // where kIndirect goes; a byte address in the code object
  std::uint64_t executed = 0;           // instructions so far, what the clock reads
  std::uint64_t code_base = 0;          // added to a code object address to make a device address
  std::vector<Row> private_memory;      // dword n of every lane: swizzled as the hardware does
  std::uint32_t private_bytes = 0;
  std::vector<std::byte> lds;
  Memory* memory = nullptr;
  const MatrixUnit* matrix = nullptr;
  std::array<Row, 32> matrix_result;  // D until all sources have been read
  Fault fault;

  std::uint64_t pair(unsigned code) const { return sgpr[code] | std::uint64_t{sgpr[code + 1]} << 32; }
  void set_pair(unsigned code, std::uint64_t value) {
    sgpr[code] = static_cast<std::uint32_t>(value);
    sgpr[code + 1] = static_cast<std::uint32_t>(value >> 32);
  }
  std::uint64_t exec() const { return pair(kExec); }

  Row* rows(const Operand& operand) {
    return (operand.kind == OperandKind::kAccumulator ? agpr.data() : vgpr.data()) + operand.number;
  }

  Flow stop(Stop why, std::string message) {
    fault = {why, std::move(message)};
    return Flow::kStop;
  }
};

// Value of an inline constant (codes 128..208, 240..248) for an operand of `type` (manual table 23). Floats have the
// operand's own width, also where the operand is not a float.
std::uint64_t constant_value(unsigned code, ValueType type);

// A scalar operand: register, special source, constant or literal, one or two dwords wide. The special sources that
// exist only as pairs, the apertures, read their low dword when one is asked for.
std::uint32_t read_scalar32(const Wavefront& w, const Instruction& in, const Operand& operand);
std::uint64_t read_scalar64(const Wavefront& w, const Instruction& in, const Operand& operand);
void write_scalar32(Wavefront& w, const Operand& operand, std::uint32_t value);
void write_scalar64(Wavefront& w, const Operand& operand, std::uint64_t value);

// A vector operand as one dword per lane: a register row itself, or `buffer` filled with the scalar value.
const std::uint32_t* lanes32(Wavefront& w, const Instruction& in, const Operand& operand, Row& buffer);

struct Lanes64 {
  const std::uint32_t* low;
  const std::uint32_t* high;
  std::uint64_t operator[](unsigned lane) const { return low[lane] | std::uint64_t{high[lane]} << 32; }
};
Lanes64 lanes64(Wavefront& w, const Instruction& in, const Operand& operand, Row& low, Row& high);

// Calls f(lane) for the lanes of EXEC.
template <class F>
void for_active(std::uint64_t exec, F&& f) {
  if (exec == kAllLanes) {
    for (unsigned lane = 0; lane < kLanes; ++lane) f(lane);
    return;
  }
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if ((exec >> lane & 1) != 0) f(lane);
  }
}

}  // namespace mfma::gfx950
