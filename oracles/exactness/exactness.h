// Which output elements are exact: no lawful model may give them other bits, so they gate on any device.
//
// Lawful is every model of oracles/arithmetic/model.h whose fraction widths are those a profile may have: at least
// 24 (53 or more where the accumulator is f64), drop_c_below at least that; any kind, order, step, grouping, rounding,
// exponent rule, product overflow rule, NaN bits; a zero sum of zeros of either sign; wrapping or saturating i32.
//
// The rule errs only towards "not exact". With q the exponent of the lowest set bit of all products and c, S the sum
// of their magnitudes, p the accumulator's precision (24, 53) and E the largest exponent that any model may align to
// (of unnormalised factors, zeros at their format's least exponent, and c), an element is exact when
//   q is no less than the accumulator's least subnormal bit,  S <= 2^(q+p),  S < 2^(emax+1),  E - p <= q,
// and every block's combined scale is a normal f32. docs/numerics.md has the proof, and the rules for zeros,
// infinities and integers. A NaN result is never exact: only its class is certain.
#pragma once

#include <cstdint>
#include <span>

#include "oracles/arithmetic/dot.h"

namespace mfma::oracles {

// scale_a and scale_b: one byte per 32 k, empty when unscaled; the same scales must be in the terms' lines.
// Requires a floating-point accumulator.
bool is_exact_float(const DotTerms& terms, std::span<const std::uint8_t> scale_a,
                    std::span<const std::uint8_t> scale_b);

// The sum stays in range in any order and grouping, so wrapping and saturating agree.
bool is_exact_integer(const DotTerms& terms);

}  // namespace mfma::oracles
