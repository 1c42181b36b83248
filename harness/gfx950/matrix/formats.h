// What the bits of an element are worth. Formats of at most 8 bits are tables that a walk up the codes fills in (each
// code is the one below plus a step, and the step doubles at every binade); the wider ones become host doubles, which
// hold every value of theirs exactly.
//
// Sources: CDNA4 ISA manual table 30; docs/numerics.md, section 2.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "harness/gfx950/matrix/opcodes.h"

namespace mfma::gfx950 {

// floor(log2 |x|) of a zero: below every exponent and every sum of one with another.
inline constexpr std::int16_t kZeroExponent = -9000;

struct ElementValue {
  double value = 0;                       // exact; infinities and NaNs as such, -0 kept
  std::int16_t exponent = kZeroExponent;  // floor(log2 |value|), subnormals as they are; kZeroExponent for 0
};

using SmallTable = std::array<ElementValue, 256>;  // by code; unused above 2^bits

// The table of a format of at most 8 bits. `fnuz`: fp8 and bf8 as on gfx942, a planted fault.
const SmallTable& small_table(ElementFormat format, bool fnuz = false);

// The exponent of the least normal number, which is also that of a subnormal as the adders see it.
int least_exponent(ElementFormat format, bool fnuz = false);

// floor(log2 |x|) of a finite x.
inline std::int16_t exponent_of(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x) & ~(std::uint64_t{1} << 63);
  if (bits == 0) return kZeroExponent;
  if (bits >> 52 != 0) return static_cast<std::int16_t>(static_cast<int>(bits >> 52) - 1023);
  return static_cast<std::int16_t>(63 - std::countl_zero(bits) - 1074);
}

double double_of_f16(std::uint32_t code);
inline double double_of_f32(std::uint32_t code) { return static_cast<double>(std::bit_cast<float>(code)); }
inline double double_of_bf16(std::uint32_t code) { return double_of_f32(code << 16); }

// The bits, in the format of D, of a NaN that came in as `code`: its fraction moved up as a conversion does, quieted.
std::uint64_t passed_on_nan(ElementFormat format, std::uint64_t code);

}  // namespace mfma::gfx950
