#include "oracles/formats/format.h"

#include <array>

namespace mfma::oracles {
namespace {

constexpr std::array<Format, 12> kFormats = {{
    {FormatId::kF64, "f64", 64, false, true, 11, 52, 1023, Specials::kIeee},
    {FormatId::kF32, "f32", 32, false, true, 8, 23, 127, Specials::kIeee},
    {FormatId::kF16, "f16", 16, false, true, 5, 10, 15, Specials::kIeee},
    {FormatId::kBf16, "bf16", 16, false, true, 8, 7, 127, Specials::kIeee},
    {FormatId::kFp8E4m3, "fp8_e4m3", 8, false, true, 4, 3, 7, Specials::kNanOnly},
    {FormatId::kBf8E5m2, "bf8_e5m2", 8, false, true, 5, 2, 15, Specials::kIeee},
    {FormatId::kFp6E2m3, "fp6_e2m3", 6, false, true, 2, 3, 1, Specials::kNone},
    {FormatId::kBf6E3m2, "bf6_e3m2", 6, false, true, 3, 2, 3, Specials::kNone},
    {FormatId::kFp4E2m1, "fp4_e2m1", 4, false, true, 2, 1, 1, Specials::kNone},
    {FormatId::kE8m0, "e8m0", 8, false, false, 8, 0, 127, Specials::kNanOnly},
    {FormatId::kI8, "i8", 8, true, true, 0, 7, 0, Specials::kNone},
    {FormatId::kI32, "i32", 32, true, true, 0, 31, 0, Specials::kNone},
}};

std::uint64_t low_mask(int bits) { return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }

Decoded decode_integer(const Format& f, std::uint64_t code) {
  const bool negative = f.is_signed && ((code >> (f.bits - 1)) & 1) != 0;
  const std::uint64_t magnitude = negative ? (~code + 1) & low_mask(f.bits) : code;
  return {ValueClass::kFinite, negative, magnitude, 0, 0};
}

ValueClass class_of(const Format& f, std::uint64_t exponent_field, std::uint64_t fraction) {
  if (f.specials == Specials::kNone || exponent_field != low_mask(f.exponent_bits)) return ValueClass::kFinite;
  if (f.specials == Specials::kNanOnly) {
    return fraction == low_mask(f.fraction_bits) ? ValueClass::kNan : ValueClass::kFinite;
  }
  return fraction == 0 ? ValueClass::kInfinity : ValueClass::kNan;
}

}  // namespace

const Format& format(FormatId id) { return kFormats[static_cast<std::size_t>(id)]; }

const Format* find_format(std::string_view name) {
  for (const Format& f : kFormats) {
    if (f.name == name) return &f;
  }
  return nullptr;
}

Decoded decode(const Format& f, std::uint64_t code) {
  code &= low_mask(f.bits);
  if (f.is_integer) return decode_integer(f, code);
  const std::uint64_t fraction = code & low_mask(f.fraction_bits);
  const std::uint64_t exponent_field = (code >> f.fraction_bits) & low_mask(f.exponent_bits);
  // A format without a sign (E8M0) has neither zero nor subnormals: its least code is a power of two like the others.
  const bool subnormal = exponent_field == 0 && f.is_signed;
  Decoded x;
  x.cls = class_of(f, exponent_field, fraction);
  x.negative = f.is_signed && ((code >> (f.bits - 1)) & 1) != 0;
  x.significand = subnormal ? fraction : fraction | (std::uint64_t{1} << f.fraction_bits);
  x.leading_exponent = (subnormal ? 1 : static_cast<int>(exponent_field)) - f.bias;
  x.exponent = x.leading_exponent - f.fraction_bits;
  return x;
}

}  // namespace mfma::oracles
