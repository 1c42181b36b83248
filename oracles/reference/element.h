// Matrix elements and block scales decoded from a Format descriptor into exact numbers.
//
// Shares nothing with oracles::decode, so that each checks the other. Source of the formats: CDNA4 ISA manual,
// Table 30 and section 7.1.5; IEEE 754 for the wider ones.
#pragma once

#include <cstdint>
#include <optional>

#include "oracles/formats/format.h"
#include "oracles/reference/real.h"

namespace mfma::oracles::reference {

struct Element {
  Real real;
  // The exponent the aligned models see: floor(log2|x|), not below the format's least normal exponent; for zero that
  // least normal exponent. 0 for infinity, NaN and integers.
  long clamped_exponent = 0;
  // The same without the clamp; equal to clamped_exponent for zero.
  long true_exponent = 0;
};

// Decodes the low f.bits bits of `code`; higher bits are ignored.
Element decode_element(const Format& f, std::uint64_t code);

// A NaN of `from` carried over into the IEEE format `to`: sign kept, fraction aligned at its top bit, quieted.
std::uint64_t convert_nan(const Format& from, std::uint64_t code, const Format& to);

// The power of two of an E8M0 scale byte, s - 127 (0x00 is 2^-127), or nothing for 0xFF, which is NaN.
std::optional<long> scale_exponent(std::uint8_t byte);

}  // namespace mfma::oracles::reference
