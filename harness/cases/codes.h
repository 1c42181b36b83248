// Codes of element formats, as the operand generators need them: exact encoding, the special values, finiteness.
//
// This is for making operands. What a code is worth to a verdict is said by oracles/ alone.
#pragma once

#include <cstdint>
#include <span>

#include "harness/catalogue/builtin.h"

namespace mfma::cases {

// Fields of a floating-point format. Source: CDNA4 ISA Table 30 and 7.1.5, IEEE 754, bf16.
struct FloatFields {
  int exponent_bits, fraction_bits, bias;
};
constexpr bool is_integer(catalogue::ElementFormat f) {
  return f == catalogue::ElementFormat::kI8 || f == catalogue::ElementFormat::kI32;
}
FloatFields fields_of(catalogue::ElementFormat f);  // of a floating-point format

// The code of n * 2^exponent. std::invalid_argument when the format cannot hold it exactly; integers take exponent 0
// only. Zero is +0.
std::uint64_t encode_exact(catalogue::ElementFormat f, std::int64_t n, int exponent);

// False for infinities and NaNs.
bool is_finite_code(catalogue::ElementFormat f, std::uint64_t code);
std::uint64_t negative_zero(catalogue::ElementFormat f);  // 0 for integers

// The special values of a format, each once: both zeros, the smallest and largest subnormals, the smallest normals,
// plus and minus one, the largest finite values, infinities, quiet and signalling NaNs of several payloads, as far as
// the format has them. Every code of fp4. Of integers: the two extremes, -1, 0 and 1.
std::span<const std::uint64_t> specials_of(catalogue::ElementFormat f);

// Scale bytes that deserve to be met often: 2^-127, 1.0, 2^127, NaN, and the neighbours of what folds or overflows.
std::span<const std::uint8_t> special_scales();

inline constexpr std::uint8_t kNeutralScale = 0x7f;
inline constexpr std::uint8_t kNanScale = 0xff;

}  // namespace mfma::cases
