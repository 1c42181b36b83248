#include "harness/gfx950/matrix/opcodes.h"

#include <fmt/format.h>

#include <array>

namespace mfma::gfx950 {
namespace {

using enum ElementFormat;

struct OpcodeRow {
  int opcode;
  MatrixShape shape;
  ElementFormat a, b;
  int passes;
  const char* mnemonic;
};

// The two f8f6f4 rows give the passes for operands of at most 6 bits; with an 8-bit side it is twice as many.
constexpr std::array<OpcodeRow, 38> kOpcodes{{
    {45, {16, 16, 128, 1}, kFp8, kFp8, 4, "v_mfma_f32_16x16x128_f8f6f4"},
    {46, {32, 32, 64, 1}, kFp8, kFp8, 8, "v_mfma_f32_32x32x64_f8f6f4"},
    {53, {16, 16, 32, 1}, kBf16, kBf16, 4, "v_mfma_f32_16x16x32_bf16"},
    {54, {16, 16, 64, 1}, kI8, kI8, 4, "v_mfma_i32_16x16x64_i8"},
    {55, {32, 32, 16, 1}, kBf16, kBf16, 8, "v_mfma_f32_32x32x16_bf16"},
    {56, {32, 32, 32, 1}, kI8, kI8, 8, "v_mfma_i32_32x32x32_i8"},
    {64, {32, 32, 1, 2}, kF32, kF32, 16, "v_mfma_f32_32x32x1_2b_f32"},
    {65, {16, 16, 1, 4}, kF32, kF32, 8, "v_mfma_f32_16x16x1_4b_f32"},
    {66, {4, 4, 1, 16}, kF32, kF32, 2, "v_mfma_f32_4x4x1_16b_f32"},
    {68, {32, 32, 2, 1}, kF32, kF32, 16, "v_mfma_f32_32x32x2_f32"},
    {69, {16, 16, 4, 1}, kF32, kF32, 8, "v_mfma_f32_16x16x4_f32"},
    {72, {32, 32, 4, 2}, kF16, kF16, 16, "v_mfma_f32_32x32x4_2b_f16"},
    {73, {16, 16, 4, 4}, kF16, kF16, 8, "v_mfma_f32_16x16x4_4b_f16"},
    {74, {4, 4, 4, 16}, kF16, kF16, 2, "v_mfma_f32_4x4x4_16b_f16"},
    {76, {32, 32, 8, 1}, kF16, kF16, 8, "v_mfma_f32_32x32x8_f16"},
    {77, {16, 16, 16, 1}, kF16, kF16, 4, "v_mfma_f32_16x16x16_f16"},
    {80, {32, 32, 4, 2}, kI8, kI8, 16, "v_mfma_i32_32x32x4_2b_i8"},
    {81, {16, 16, 4, 4}, kI8, kI8, 8, "v_mfma_i32_16x16x4_4b_i8"},
    {82, {4, 4, 4, 16}, kI8, kI8, 2, "v_mfma_i32_4x4x4_16b_i8"},
    {84, {16, 16, 32, 1}, kF16, kF16, 4, "v_mfma_f32_16x16x32_f16"},
    {85, {32, 32, 16, 1}, kF16, kF16, 8, "v_mfma_f32_32x32x16_f16"},
    {86, {32, 32, 16, 1}, kI8, kI8, 8, "v_mfma_i32_32x32x16_i8"},
    {87, {16, 16, 32, 1}, kI8, kI8, 4, "v_mfma_i32_16x16x32_i8"},
    {93, {32, 32, 4, 2}, kBf16, kBf16, 16, "v_mfma_f32_32x32x4_2b_bf16"},
    {94, {16, 16, 4, 4}, kBf16, kBf16, 8, "v_mfma_f32_16x16x4_4b_bf16"},
    {95, {4, 4, 4, 16}, kBf16, kBf16, 2, "v_mfma_f32_4x4x4_16b_bf16"},
    {96, {32, 32, 8, 1}, kBf16, kBf16, 8, "v_mfma_f32_32x32x8_bf16"},
    {97, {16, 16, 16, 1}, kBf16, kBf16, 4, "v_mfma_f32_16x16x16_bf16"},
    {110, {16, 16, 4, 1}, kF64, kF64, 16, "v_mfma_f64_16x16x4_f64"},
    {111, {4, 4, 4, 4}, kF64, kF64, 4, "v_mfma_f64_4x4x4_4b_f64"},
    {112, {16, 16, 32, 1}, kBf8, kBf8, 4, "v_mfma_f32_16x16x32_bf8_bf8"},
    {113, {16, 16, 32, 1}, kBf8, kFp8, 4, "v_mfma_f32_16x16x32_bf8_fp8"},
    {114, {16, 16, 32, 1}, kFp8, kBf8, 4, "v_mfma_f32_16x16x32_fp8_bf8"},
    {115, {16, 16, 32, 1}, kFp8, kFp8, 4, "v_mfma_f32_16x16x32_fp8_fp8"},
    {116, {32, 32, 16, 1}, kBf8, kBf8, 8, "v_mfma_f32_32x32x16_bf8_bf8"},
    {117, {32, 32, 16, 1}, kBf8, kFp8, 8, "v_mfma_f32_32x32x16_bf8_fp8"},
    {118, {32, 32, 16, 1}, kFp8, kBf8, 8, "v_mfma_f32_32x32x16_fp8_bf8"},
    {119, {32, 32, 16, 1}, kFp8, kFp8, 8, "v_mfma_f32_32x32x16_fp8_fp8"},
}};

const OpcodeRow* find_row(int opcode) {
  for (const OpcodeRow& row : kOpcodes) {
    if (row.opcode == opcode) return &row;
  }
  return nullptr;
}

bool is_small_format_opcode(int opcode) { return opcode == 45 || opcode == 46; }
bool is_format_code(int code) { return code >= 0 && code <= 4; }

}  // namespace

int bits_of(ElementFormat format) {
  constexpr std::array<int, 10> kBits{8, 8, 6, 6, 4, 16, 16, 32, 64, 8};
  return kBits[static_cast<std::size_t>(format)];
}

MatrixOperation matrix_operation(const MatrixControls& controls) {
  const OpcodeRow* row = find_row(controls.opcode);
  if (row == nullptr) return {};
  MatrixOperation operation{row->shape, row->a, row->b, false, row->passes, row->mnemonic};
  if (is_small_format_opcode(controls.opcode)) {
    if (!is_format_code(controls.cbsz) || !is_format_code(controls.blgp)) return {};
    operation.small_formats = true;
    operation.a = static_cast<ElementFormat>(controls.cbsz);
    operation.b = static_cast<ElementFormat>(controls.blgp);
    if (bits_of(operation.a) == 8 || bits_of(operation.b) == 8) operation.passes *= 2;
  }
  return operation;
}

MatrixForm matrix_form(const MatrixControls& controls) {
  const MatrixOperation operation = matrix_operation(controls);
  if (!operation.known()) return {};
  return {true,
          operation.a_registers(),
          operation.b_registers(),
          operation.c_registers(),
          operation.mnemonic,
          operation.passes};
}

std::string why_undefined(const MatrixControls& controls) {
  const int opcode = controls.opcode, cbsz = controls.cbsz, abid = controls.abid, blgp = controls.blgp;
  const OpcodeRow* row = find_row(opcode);
  if (row == nullptr) return fmt::format("opcode {} is not a dense MFMA of gfx950", opcode);
  if (cbsz < 0 || cbsz > 7 || abid < 0 || abid > 15 || blgp < 0 || blgp > 7) {
    return fmt::format("{}: cbsz {}, abid {}, blgp {} do not fit fields of 3, 4 and 3 bits", row->mnemonic, cbsz, abid,
                       blgp);
  }
  if (is_small_format_opcode(opcode)) {
    if (!is_format_code(cbsz)) return fmt::format("{}: format code {} of A (cbsz) is reserved", row->mnemonic, cbsz);
    if (!is_format_code(blgp)) return fmt::format("{}: format code {} of B (blgp) is reserved", row->mnemonic, blgp);
    return {};
  }
  if (row->a == kF64) return {};  // cbsz and abid are ignored, every blgp is a set of negations
  if ((1 << cbsz) > row->shape.blocks) {
    return fmt::format("{}: cbsz {} broadcasts to {} blocks, there are {}", row->mnemonic, cbsz, 1 << cbsz,
                       row->shape.blocks);
  }
  if (abid >= (1 << cbsz)) {
    return fmt::format("{}: abid {} selects none of the {} blocks of cbsz {}", row->mnemonic, abid, 1 << cbsz, cbsz);
  }
  return {};
}

}  // namespace mfma::gfx950
