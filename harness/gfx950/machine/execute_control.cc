// Program flow, waiting, hardware registers and scalar memory. CDNA4 ISA manual, sections 12.2, 12.3, 12.5 and 12.6.
#include <fmt/format.h>

#include <array>
#include <cstring>

#include "harness/gfx950/isa/decoder.h"
#include "harness/gfx950/machine/handlers.h"
#include "harness/gfx950/machine/places.h"
#include "harness/gfx950/machine/wavefront.h"

namespace mfma::gfx950 {
namespace {

Flow nothing(Wavefront&, const Instruction&) { return Flow::kNext; }
Flow end_program(Wavefront&, const Instruction&) { return Flow::kEnd; }
Flow branch(Wavefront&, const Instruction&) { return Flow::kBranch; }

template <class Condition>
constexpr Handler branch_if(Condition) {
  return [](Wavefront& w, const Instruction&) { return Condition{}(w) ? Flow::kBranch : Flow::kNext; };
}

Flow trap(Wavefront& w, const Instruction& in) {
  return w.stop(Stop::kUnsupportedInstruction, fmt::format("s_trap {}: the kernel gave up by itself", in.immediate));
}

std::uint64_t device_address(const Wavefront& w, const Instruction& in) { return w.code_base + in.pc + in.bytes; }

Flow get_pc(Wavefront& w, const Instruction& in) {
  write_scalar64(w, in.operands[0], device_address(w, in));
  return Flow::kNext;
}

Flow set_pc(Wavefront& w, const Instruction& in) {
  w.pc = read_scalar64(w, in, in.operands[0]) - w.code_base;
  return Flow::kIndirect;
}

Flow swap_pc(Wavefront& w, const Instruction& in) {
  w.pc = read_scalar64(w, in, in.operands[1]) - w.code_base;
  write_scalar64(w, in.operands[0], device_address(w, in));
  return Flow::kIndirect;
}

Flow call(Wavefront& w, const Instruction& in) {
  write_scalar64(w, in.operands[0], device_address(w, in));
  return Flow::kBranch;
}

// Hardware registers: SIMM16 = {size - 1, offset, id} (manual 5.8).
struct HardwareField {
  unsigned id, offset, size;
  std::uint32_t mask() const { return (size == 32 ? ~0u : (1u << size) - 1) << offset; }
};

HardwareField hardware_field(const Instruction& in) {
  const unsigned word = static_cast<unsigned>(in.immediate) & 0xffff;
  HardwareField field{word & 63, (word >> 6) & 31, (word >> 11) + 1};
  if (field.offset + field.size > 32) field.size = 32 - field.offset;
  return field;
}

constexpr unsigned kHardwareMode = 1, kHardwareTrapStatus = 3;
// GPR_IDX_EN, VSKIP and CSP of MODE change how later instructions work; none of that is modelled.
constexpr std::uint32_t kModeUnmodelled = 0xf8000000;

// Those that can be written.
std::uint32_t* hardware_register(Wavefront& w, unsigned id) {
  if (id == kHardwareMode) return &w.mode;
  if (id == kHardwareTrapStatus) return &w.trap_status;
  return nullptr;
}

Flow get_register(Wavefront& w, const Instruction& in) {
  const HardwareField field = hardware_field(in);
  const std::uint32_t* value = field.id == kHwIdRegister    ? &w.hw_id
                               : field.id == kXccIdRegister ? &w.xcc_id
                                                            : hardware_register(w, field.id);
  if (value == nullptr) {
    return w.stop(Stop::kUnsupportedInstruction, fmt::format("hardware register {} is not modelled", field.id));
  }
  write_scalar32(w, in.operands[0], (*value & field.mask()) >> field.offset);
  return Flow::kNext;
}

Flow set_register(Wavefront& w, const Instruction& in) {
  const HardwareField field = hardware_field(in);
  std::uint32_t* value = hardware_register(w, field.id);
  if (value == nullptr) {
    return w.stop(Stop::kUnsupportedInstruction, fmt::format("hardware register {} is not modelled", field.id));
  }
  const std::uint32_t source = read_scalar32(w, in, in.operands[1]);
  const std::uint32_t result = (*value & ~field.mask()) | (source << field.offset & field.mask());
  if (field.id == kHardwareMode && (result & kModeUnmodelled) != 0) {
    return w.stop(Stop::kUnsupportedInstruction, "MODE.GPR_IDX_EN, VSKIP and CSP are not modelled");
  }
  *value = result;
  return Flow::kNext;
}

// The clock is the number of instructions executed: it rises, and is the same on every run.
Flow read_clock(Wavefront& w, const Instruction& in) {
  write_scalar64(w, in.operands[0], w.executed);
  return Flow::kNext;
}

// Address = base + offset, its two low bits ignored (manual 8.2.1.1).
std::uint64_t scalar_address(const Wavefront& w, const Instruction& in) {
  std::uint64_t address = read_scalar64(w, in, in.operands[1]) + static_cast<std::uint64_t>(std::int64_t{in.immediate});
  if (in.operands[2].kind == OperandKind::kScalar) address += read_scalar32(w, in, in.operands[2]);
  return address & ~std::uint64_t{3};
}

Flow scalar_load(Wavefront& w, const Instruction& in) {
  const std::uint64_t address = scalar_address(w, in);
  const std::size_t bytes = in.operands[0].registers * std::size_t{4};
  const std::byte* source = w.memory->find_readable(address, bytes);
  if (source == nullptr) {
    return w.stop(Stop::kMemoryFault, fmt::format("reads {} bytes at {:#x}, outside every allocation", bytes, address));
  }
  std::memcpy(&w.sgpr[in.operands[0].number], source, bytes);
  return Flow::kNext;
}

Flow scalar_store(Wavefront& w, const Instruction& in) {
  const std::uint64_t address = scalar_address(w, in);
  const std::size_t bytes = in.operands[0].registers * std::size_t{4};
  std::byte* destination = w.memory->find(address, bytes);
  if (destination == nullptr) {
    return w.stop(Stop::kMemoryFault,
                  fmt::format("writes {} bytes at {:#x}, outside every allocation", bytes, address));
  }
  std::memcpy(destination, &w.sgpr[in.operands[0].number], bytes);
  return Flow::kNext;
}

constexpr HandlerRow kRows[] = {
    // Waiting and caches: memory here is complete at once, so there is nothing to wait for. A workgroup is one
    // wavefront, so a barrier is passed by reaching it.
    {"s_nop", nothing},
    {"s_waitcnt", nothing},
    {"s_sleep", nothing},
    {"s_setprio", nothing},
    {"s_barrier", nothing},
    {"s_wakeup", nothing},
    {"s_icache_inv", nothing},
    {"s_ttracedata", nothing},
    {"s_dcache_inv", nothing},
    {"s_dcache_wb", nothing},
    {"s_dcache_inv_vol", nothing},
    {"s_dcache_wb_vol", nothing},
    {"s_incperflevel", nothing},
    {"s_decperflevel", nothing},
    {"s_endpgm", end_program},
    {"s_branch", branch},
    {"s_cbranch_scc0", branch_if([](const Wavefront& w) { return !w.scc; })},
    {"s_cbranch_scc1", branch_if([](const Wavefront& w) { return w.scc; })},
    {"s_cbranch_vccz", branch_if([](const Wavefront& w) { return w.pair(kVcc) == 0; })},
    {"s_cbranch_vccnz", branch_if([](const Wavefront& w) { return w.pair(kVcc) != 0; })},
    {"s_cbranch_execz", branch_if([](const Wavefront& w) { return w.exec() == 0; })},
    {"s_cbranch_execnz", branch_if([](const Wavefront& w) { return w.exec() != 0; })},
    {"s_trap", trap},
    {"s_getpc_b64", get_pc},
    {"s_setpc_b64", set_pc},
    {"s_swappc_b64", swap_pc},
    {"s_call_b64", call},
    {"s_getreg_b32", get_register},
    {"s_setreg_b32", set_register},
    {"s_setreg_imm32_b32", set_register},
    {"s_memtime", read_clock},
    {"s_memrealtime", read_clock},
    {"s_load_dword", scalar_load},
    {"s_load_dwordx2", scalar_load},
    {"s_load_dwordx4", scalar_load},
    {"s_load_dwordx8", scalar_load},
    {"s_load_dwordx16", scalar_load},
    {"s_store_dword", scalar_store},
    {"s_store_dwordx2", scalar_store},
    {"s_store_dwordx4", scalar_store},
};

}  // namespace

std::span<const HandlerRow> control_handlers() { return kRows; }

}  // namespace mfma::gfx950
