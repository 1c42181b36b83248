// Dense MFMA: reads the operands out of the registers and hands them to the matrix unit. CDNA4 ISA manual, 7.1, 7.2.
//
// EXEC is ignored (7.1.2); every source is read before D is written.
#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "harness/gfx950/isa/opcodes.h"
#include "harness/gfx950/machine/handlers.h"
#include "harness/gfx950/machine/wavefront.h"

namespace mfma::gfx950 {
namespace {

std::span<const std::uint32_t> registers_of(Wavefront& w, const Operand& operand) {
  return {w.rows(operand)->data(), std::size_t{operand.registers} * kLanes};
}

// SRC2 as a constant: the same value in every element. 64-bit elements take two registers.
void fill_constant(const Operand& operand, std::span<Row> rows) {
  const std::uint64_t value = constant_value(operand.number, operand.type);
  const bool wide = operand.type == ValueType::kF64;
  for (std::size_t i = 0; i < operand.registers; ++i) {
    rows[i].fill(static_cast<std::uint32_t>(wide && i % 2 != 0 ? value >> 32 : value));
  }
}

struct ScaleSource {
  std::array<std::uint32_t, kLanes> buffer;
  std::span<const std::uint32_t> lanes;
  int byte = 0;
};

// A VGPR gives the byte that OP_SEL selects. A constant or an SGPR gives the exponent of a float, bits 30:23, to every
// lane, and OP_SEL does not matter (manual 7.2.1: "inline constants (floats, using only the exponent portion)").
void read_scale(Wavefront& w, const Instruction& in, const Operand& operand, unsigned index, ScaleSource& scale) {
  if (operand.kind == OperandKind::kVector || operand.kind == OperandKind::kAccumulator) {
    scale.lanes = registers_of(w, operand);
    scale.byte = (in.bits.select_high >> index & 1) * 2 + (in.bits.select >> index & 1);
    return;
  }
  scale.buffer.fill(read_scalar32(w, in, operand) >> 23 & 0xff);
  scale.lanes = scale.buffer;
}

bool is_f8f6f4(const Instruction& in) { return in.opcode == 45 || in.opcode == 46; }

Flow multiply(Wavefront& w, const Instruction& in) {
  const bool scaled_abid = (in.bits.abid & 1) != 0;
  if (is_f8f6f4(in) && in.encoding == Encoding::kMai && scaled_abid) {
    return w.stop(Stop::kUnsupportedInstruction, "ABID asks for scales, but no load-scale comes before it");
  }
  std::array<Row, 32> constant;
  MatrixOperands operands;
  operands.a = registers_of(w, in.operands[1]);
  operands.b = registers_of(w, in.operands[2]);
  const Operand& c = in.operands[3];
  if (c.kind == OperandKind::kConstant) {
    fill_constant(c, constant);
    operands.c = {constant.data()->data(), std::size_t{c.registers} * kLanes};
  } else {
    operands.c = registers_of(w, c);
  }
  ScaleSource scale_a, scale_b;
  if (in.encoding == Encoding::kScaledMai && scaled_abid) {
    read_scale(w, in, in.operands[4], 0, scale_a);
    read_scale(w, in, in.operands[5], 1, scale_b);
    operands.scale_a = scale_a.lanes;
    operands.scale_b = scale_b.lanes;
    operands.scale_byte_a = scale_a.byte;
    operands.scale_byte_b = scale_b.byte;
  }
  // On f8f6f4, ABID says only whether there are scales; it selects no block.
  const MatrixControls controls{.opcode = in.opcode,
                                .cbsz = in.bits.cbsz,
                                .abid = is_f8f6f4(in) ? 0 : in.bits.abid,
                                .blgp = in.bits.blgp,
                                .mode_round = static_cast<int>(w.mode & 0xf),
                                .mode_denorm = static_cast<int>(w.mode >> 4 & 0xf),
                                .clamp_overflow = (w.mode & kModeFp16Overflow) != 0};
  const Operand& destination = in.operands[0];
  const std::span<std::uint32_t> result(w.matrix_result.data()->data(), std::size_t{destination.registers} * kLanes);
  std::string undefined = w.matrix->execute(controls, operands, result);
  if (!undefined.empty()) return w.stop(Stop::kUnsupportedInstruction, std::move(undefined));
  std::copy_n(w.matrix_result.begin(), destination.registers, w.rows(destination));
  return Flow::kNext;
}

// Every dense MFMA of the opcode table; sparse ones (smfmac) have no model.
std::vector<HandlerRow> dense_rows() {
  std::vector<HandlerRow> rows;
  for (const OpcodeRow& row : mai_rows()) {
    if (std::string_view(row.mnemonic).starts_with("v_mfma_")) rows.push_back({row.mnemonic, multiply});
  }
  return rows;
}

}  // namespace

std::span<const HandlerRow> matrix_handlers() {
  static const std::vector<HandlerRow> rows = dense_rows();
  return rows;
}

}  // namespace mfma::gfx950
