// The catalogue: the 38 dense MFMA builtins of gfx950 as one table, and the 9 names that gfx950 must reject.
//
// One row is all it takes to add a builtin. Every fact carries its source; where sources disagree, the row says so
// and docs/discrepancies.md has the whole story.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mfma::catalogue {

enum class ElementFormat { kF64, kF32, kF16, kBf16, kFp8E4m3, kBf8E5m2, kFp6E2m3, kBf6E3m2, kFp4E2m1, kI8, kI32 };

std::string_view name_of(ElementFormat f);  // "f16", "fp8_e4m3", ...
int bits_of(ElementFormat f);

// What the three immediates mean on a builtin.
enum class ModifierKind {
  kBroadcast,  // cbsz, abid: broadcast of A blocks; blgp: permutation of B lanes
  kNegate,     // f64: blgp bits 0..2 negate A, B, C; cbsz and abid are ignored by the hardware
  kScaled,     // f8f6f4: cbsz and blgp are the formats of A and B; op_sel picks the scale bytes
};

struct Shape {
  int m, n, k, blocks;
  bool operator==(const Shape&) const = default;
};

struct Builtin {
  std::string_view name;  // without "__builtin_amdgcn_"
  Shape shape;
  ElementFormat a_format, b_format;  // of the f8f6f4 builtins: the format of code 0; an instance has its own
  ElementFormat acc_format;          // of C and D
  std::string_view result_type;      // as clang declares it: "v4f32"
  std::string_view a_type, b_type, c_type;
  int a_registers, b_registers;  // dwords per lane; f8f6f4: of the widest format
  int c_registers;
  ModifierKind modifiers;
  std::string_view feature;  // the target feature clang 22 demands
  std::string_view mnemonic;
  int opcode;               // VOP3P-MAI OP, bits 22:16
  int passes;               // of 4 cycles; f8f6f4: with an 8-bit operand
  int passes_narrow;        // f8f6f4 with 4 and 6-bit operands only; else equal to passes
  std::string_view source;  // of the row, by manual section and second source
};

std::span<const Builtin> builtins();                 // the 38, in a fixed order
const Builtin* find_builtin(std::string_view name);  // accepts the "__builtin_amdgcn_" prefix; nullptr when unknown

// Names that clang knows and gfx950 must reject.
struct RejectedBuiltin {
  std::string_view name;
  std::string_view reason;
  std::string_view source;
};
std::span<const RejectedBuiltin> rejected_builtins();
const RejectedBuiltin* find_rejected(std::string_view name);  // as find_builtin

// One line for a name that find_builtin does not know: a rejected name is told apart from a misspelt one.
std::string explain_unknown_name(std::string_view name);

// Names of the catalogue that a glob ('*', '?', with or without prefix) matches, in table order.
std::vector<const Builtin*> match_builtins(std::string_view glob);
// The nearest names to a misspelt one by edit distance, best first (then in table order), for error messages.
std::vector<std::string_view> nearest_names(std::string_view name, std::size_t at_most);

}  // namespace mfma::catalogue
