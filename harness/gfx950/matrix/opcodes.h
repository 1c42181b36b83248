// The 38 dense MFMA opcodes of gfx950 as the manual lists them: table 90 (numbers), 12.10 (formats, passes).
#pragma once

#include <cstdint>
#include <string>

#include "harness/gfx950/matrix/matrix_unit.h"

namespace mfma::gfx950 {

// The order of the first five is that of the f8f6f4 format codes (manual 7.1.5); MatrixFault::value uses all of them.
enum class ElementFormat : std::uint8_t { kFp8, kBf8, kFp6, kBf6, kFp4, kF16, kBf16, kF32, kF64, kI8 };

int bits_of(ElementFormat format);

struct MatrixShape {
  int m = 0, n = 0, k = 0, blocks = 0;
};

// One instruction with its formats settled.
struct MatrixOperation {
  MatrixShape shape;
  ElementFormat a = ElementFormat::kF32, b = ElementFormat::kF32;
  bool small_formats = false;  // f8f6f4: cbsz and blgp are formats, scales apply
  int passes = 0;
  const char* mnemonic = nullptr;  // null: no such operation

  bool known() const { return mnemonic != nullptr; }
  bool is_f64() const { return a == ElementFormat::kF64; }
  bool is_integer() const { return a == ElementFormat::kI8; }
  int a_items() const { return shape.m * shape.k * shape.blocks / 64; }  // per lane; B holds as many: M = N everywhere
  int a_registers() const { return a_items() * bits_of(a) / 32; }
  int b_registers() const { return a_items() * bits_of(b) / 32; }
  int c_registers() const { return shape.m * shape.n * shape.blocks / 64 * (is_f64() ? 2 : 1); }
};

// Settles the format codes of f8f6f4; not known() for any other opcode or a reserved code.
MatrixOperation matrix_operation(const MatrixControls& controls);

// Empty when the controls are legal, else why not: unknown opcode, reserved code, cbsz or abid out of the legal range.
std::string why_undefined(const MatrixControls& controls);

}  // namespace mfma::gfx950
