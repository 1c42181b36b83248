// Operands of cases, by class. Elements are placed through the catalogue's layouts; bits that the instruction does
// not read (upper registers of narrow formats, the three scale bytes that op_sel does not name) are random.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "harness/cases/case.h"

namespace mfma::cases {

enum class OperandClass {
  // Small integers, times a power of two: every partial sum of products and C, in any order and grouping, is exact
  // in the accumulator. Scales keep that. C is never -0.
  kSmallIntegers,
  // Random bits. A quarter of the cases as they fall, infinities, NaNs and any scale byte included; a quarter without
  // infinities and NaNs; in half the exponents of the wide formats and the scales are near one, so that sums are
  // neither swamped by C nor overflow.
  kRandomBits,
  // Special values of A, B and C crossed; see specials_period().
  kSpecials,
};
inline constexpr int kOperandClasses = 3;
std::string_view name_of(OperandClass c);  // "small_integers", "random_bits", "specials"
std::optional<OperandClass> operand_class_named(std::string_view name);

// The class of a case is a function of its index, so that a case id says everything: small integers, random bits,
// specials, and again.
OperandClass class_of(std::uint64_t index);

// The case (instance, seed, index) as every command knows it: its class is class_of(index).
Case make_case(const catalogue::Instance& instance, std::uint64_t seed, std::uint64_t index);
// The same with another class of operands than the index says: not to be named by a case id alone.
Case make_case(const catalogue::Instance& instance, std::uint64_t seed, std::uint64_t index, OperandClass cls);

// The number of indices over which class kSpecials crosses every special of A with every special of B and every
// special of C. Over that many consecutive indices, or that many in steps of three as class_of() deals them out, each
// triple is met in some element of D whose other products are zeros (of either sign), with scales of 1.0. Those are
// half of the cases; the other half fill all k with specials, or, on the scaled form, every second time cross scale
// bytes on products of one. All 256 scale bytes of A and of B are met within 20 consecutive indices.
// Instances of a builtin start at different places, so that together they cover the cross within few indices.
// blgp other than 0 brings one stored element of B to several places, so there the cross has gaps: where that
// multiplies an infinity or a NaN by zero. It has none with blgp 0, on f64 and on the scaled builtins.
std::uint64_t specials_period(const catalogue::Instance& instance);

}  // namespace mfma::cases
