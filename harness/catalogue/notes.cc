#include "harness/catalogue/notes.h"

#include <array>

namespace mfma::catalogue {
namespace {

bool has_inner_broadcast(const Builtin& b) { return b.modifiers == ModifierKind::kBroadcast && b.shape.blocks > 2; }
bool is_one_block_with_blgp(const Builtin& b) {
  return b.modifiers == ModifierKind::kBroadcast && b.shape.blocks == 1 && b.a_format != ElementFormat::kF32;
}
bool is_small_f64(const Builtin& b) { return b.a_format == ElementFormat::kF64 && b.shape.blocks == 4; }
bool is_f32(const Builtin& b) { return b.a_format == ElementFormat::kF32; }
bool is_integer(const Builtin& b) { return b.acc_format == ElementFormat::kI32; }
bool is_scaled(const Builtin& b) { return b.modifiers == ModifierKind::kScaled; }
bool is_floating(const Builtin& b) { return !is_integer(b); }
bool accumulates_in_f32(const Builtin& b) { return b.acc_format == ElementFormat::kF32; }

constexpr std::array<Note, 12> kNotes{{
    {"broadcast-sets",
     "cbsz below log2(blocks): block b reads A block (b & ~(2^cbsz - 1)) + abid; another text says one "
     "block for the whole wave",
     has_inner_broadcast},
    {"blgp-one-block",
     "blgp on a one-block shape: taken to permute the lanes of B as anywhere else; AMD's calculator "
     "calls it unsupported",
     is_one_block_with_blgp},
    {"f64-4x4x4-layout",
     "C and D in lane 16i + 4b + j, by AMD's calculator and examples; the manual's formula gives "
     "4i + 16b + j",
     is_small_f64},
    {"f64-4x4x4-passes", "4 passes by the opcode's text; Table 28 says 32 cycles, which is 8", is_small_f64},
    {"f32-denormals", "denormal A and B are kept whatever MODE says; manual 7.4 says that MODE.denorm is honoured",
     is_f32},
    {"eight-bit-chunks",
     "an 8-bit operand holds chunks of 16 k, by the manual's tables; its general formula gives 32 "
     "contiguous k",
     is_scaled},
    {"scale-entry",
     "a scale is added to the exponent of each product of its block; the manual also says that it is "
     "applied to the dot product",
     is_scaled},
    {"scale-codes", "scale byte 0x00 is 2^-127 and 0xff is NaN even over zeros; unmeasured on hardware", is_scaled},
    {"scale-constant", "a scale that is an inline constant or SGPR is taken from bits 30:23, whatever op_sel says",
     is_scaled},
    {"clamp", "an overflow wraps (i32) or is an infinity (floats) with MODE.FP16_OVFL 0, and no instruction bit clamps",
     [](const Builtin&) { return true; }},
    {"nan-bits", "the bits of a NaN result are specified nowhere; the profile says which are taken", is_floating},
    {"arithmetic",
     "order, alignment and rounding of the sum are unmeasured on gfx950; the profile says what is assumed",
     accumulates_in_f32},
}};

}  // namespace

std::span<const Note> notes() { return kNotes; }

std::vector<const Note*> notes_on(const Builtin& builtin) {
  std::vector<const Note*> found;
  for (const Note& note : kNotes) {
    if (note.concerns(builtin)) found.push_back(&note);
  }
  return found;
}

}  // namespace mfma::catalogue
