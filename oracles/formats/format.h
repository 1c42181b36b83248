// Element formats of gfx950's matrix operands, each as one descriptor that drives every codec.
//
// Source: CDNA4 ISA manual, Table 30 and section 7.1.5 (8, 6 and 4-bit formats, E8M0), IEEE 754 (f64, f32, f16), bf16.
#pragma once

#include <cstdint>
#include <string_view>

namespace mfma::oracles {

enum class FormatId { kF64, kF32, kF16, kBf16, kFp8E4m3, kBf8E5m2, kFp6E2m3, kBf6E3m2, kFp4E2m1, kE8m0, kI8, kI32 };

// How a format spends its largest exponent field.
enum class Specials {
  kIeee,     // all-ones exponent: infinities and NaNs
  kNanOnly,  // E4M3 (OCP FN): only all-ones exponent with all-ones fraction is NaN; no infinity
  kNone,     // every code is a finite number
};

struct Format {
  FormatId id;
  std::string_view name;  // "f16", "fp8_e4m3", ...
  int bits;               // whole width
  bool is_integer;
  bool is_signed;
  int exponent_bits;
  int fraction_bits;
  int bias;
  Specials specials;

  bool operator==(const Format&) const = default;
};

const Format& format(FormatId id);
// By its name ("f16", "fp8_e4m3", ...); nullptr when unknown.
const Format* find_format(std::string_view name);

enum class ValueClass { kFinite, kInfinity, kNan };

// A decoded element: value = (-1)^negative * significand * 2^exponent when finite.
// Zero has significand 0 and keeps its sign. A subnormal is not normalised: `exponent` is that of the format's
// least significant subnormal bit, and leading_exponent() of the least normal number.
struct Decoded {
  ValueClass cls = ValueClass::kFinite;
  bool negative = false;
  std::uint64_t significand = 0;
  int exponent = 0;
  // floor(log2|x|) clamped from below at the format's least normal exponent (that, too, for zero).
  int leading_exponent = 0;
};

// Decodes the low `f.bits` bits of `code`; higher bits are ignored. An infinity or NaN has no value, only its class and
// sign. Nothing but the descriptor is consulted, never the id: a test may hand in an altered one.
Decoded decode(const Format& f, std::uint64_t code);

}  // namespace mfma::oracles
