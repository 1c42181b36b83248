// An instance: a builtin with its immediates fixed, one call that can be compiled. 2354 are legal.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "harness/catalogue/builtin.h"

namespace mfma::catalogue {

struct Modifiers {
  int cbsz = 0, abid = 0, blgp = 0;  // kScaled: cbsz and blgp are the format codes of A and B, 0..4
  int op_sel_a = 0, op_sel_b = 0;    // kScaled only: the byte of the scale dword, 0..3
  bool scaled = false;               // kScaled only: false is the form without a scale source (all scales 1.0)

  bool operator==(const Modifiers&) const = default;
};

struct Instance {
  const Builtin* builtin = nullptr;
  Modifiers modifiers;

  // Formats and register counts with the format codes applied.
  ElementFormat a_format() const;
  ElementFormat b_format() const;
  int a_registers() const;  // dwords per lane that the instruction reads
  int b_registers() const;
  int c_registers() const { return builtin->c_registers; }
  bool operator==(const Instance&) const = default;
};

// "mfma_f32_4x4x1f32", "mfma_f32_4x4x1f32:cbsz=1,abid=1,blgp=3", "mfma_f64_4x4x4f64:neg=abc",
// "mfma_scale_f32_16x16x128_f8f6f4:a=fp8,b=fp4,op_sel=1/2", "...:a=fp8,b=fp4,unscaled". Unique, and parseable.
std::string instance_id(const Instance& i);
// The modifiers may come in any order and zeros may be written out; the id that instance_id makes of the result is
// the canonical one. A name alone is the instance without modifiers (of a scaled builtin: fp8, fp8, unscaled). The
// error says what is wrong and what is legal.
tl::expected<Instance, std::string> parse_instance(std::string_view id);

// Empty when legal, else one sentence on what is illegal and what the legal range is.
std::string why_illegal(const Builtin& builtin, const Modifiers& m);

// All legal instances of a builtin, the one without modifiers first; the order is fixed.
std::vector<Instance> legal_instances(const Builtin& builtin);
// Of all 38: 2354.
std::vector<Instance> all_legal_instances();
// The builtins of `instances`, each once, in the order in which they first come.
std::vector<const Builtin*> builtins_of(const std::vector<Instance>& instances);
// legal_instances(builtin).size(), and the place of a legal instance in that list, without making it.
int legal_count(const Builtin& builtin);
int legal_rank(const Instance& i);

// True where the published readings of cbsz differ on this instance: 0 < cbsz < log2(blocks).
bool rests_on_unsettled_broadcast(const Instance& i);
// True where AMD's matrix calculator (CDNA3 table) says that blgp is not supported, and blgp is not 0: shapes of one
// block other than f32. That table ends at CDNA3; the gfx950 shapes of one block are counted with their kind.
bool rests_on_unsettled_blgp(const Instance& i);

// The lane from which B is read where lane `lane` would be, under blgp 0..7 as a permutation: CDNA4 ISA Table 29.
int blgp_source_lane(int blgp, int lane);

// Format code of the f8f6f4 builtins (0..4, else std::out_of_range) to format; short names "fp8", "bf8", "fp6", "bf6",
// "fp4".
ElementFormat format_of_code(int code);
std::string_view short_name_of_code(int code);

}  // namespace mfma::catalogue
