// Operands of cases, by class: each class is one kind of hard operands, by name, for every instance it makes sense on.
//
// Elements are placed through the catalogue's layouts. Bits that the instruction does not read (upper registers of
// narrow formats, the three scale bytes that op_sel does not name) are random in every class. What a class says of
// sums is meant with the modifiers done: A blocks broadcast as the manual's 13.3.6.1 reads cbsz (per set), B lanes
// permuted, f64 operands negated. Where blgp reads one stored element of B at several places, a class that wants
// different elements there gets them in part only; with blgp 0, on f64 and on the scaled builtins it gets all.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "harness/cases/case.h"

namespace mfma::operands {

// From the simplest to the most involved. describe() says what each is for.
enum class OperandClass {
  kSmallIntegers,
  kOneHot,
  kExact,
  kSignedZeros,
  kRandomBits,
  kUniformBits,
  kUniformExponents,
  kSpecials,
  kInfinities,
  kNanPayloads,
  kSubnormals,
  kNearCancel,
  kRoundingTies,
  kAlignmentEdges,
  kHugeC,
  kProductOverflow,
  kIntegerEdges,
  kScaleBytes,
  kCodePairs,
  kMixed,
};
inline constexpr int kOperandClasses = 20;

std::span<const OperandClass> all_operand_classes();  // in the order of the enumeration
std::string_view name_of(OperandClass c);             // "small_integers", "one_hot", ...
std::string_view describe(OperandClass c);            // one line
std::optional<OperandClass> operand_class_named(std::string_view name);

// Empty where the class makes sense on the instance, else a few words on why it does not.
std::string_view why_inapplicable(const catalogue::Instance& instance, OperandClass c);
inline bool applies(const catalogue::Instance& instance, OperandClass c) {
  return why_inapplicable(instance, c).empty();
}

// The class of a case is a function of its instance and index, so that a case id says everything. A table of
// kDealLength entries deals the classes out, from a place that depends on the instance's rank among those of its
// builtin: twelve consecutive indices of three instances of neighbouring rank meet every class that applies.
inline constexpr std::uint64_t kDealLength = 32;
OperandClass class_of(const catalogue::Instance& instance, std::uint64_t index);

// The case (instance, seed, index) as every command knows it: its class is class_of(instance, index).
cases::Case make_case(const catalogue::Instance& instance, std::uint64_t seed, std::uint64_t index);
// The same with a class of one's own: not to be named by a case id alone, so the case's operand_class says it. With
// cls == class_of(instance, index) it is the same case. std::invalid_argument where the class does not apply.
cases::Case make_case(const catalogue::Instance& instance, std::uint64_t seed, std::uint64_t index, OperandClass cls);

// How many consecutive indices a class that enumerates needs until it has met everything once: specials (every triple
// of specials, see below), one_hot (every element of A and of B alone in its row or column), scale_bytes (every byte
// in every row), code_pairs (every code of A with every code of B), nan_payloads (every NaN encoding of the formats
// of at most 16 bits). 1 for the others. No period has a factor 2, 3, 5 or 7, so that indices in steps of such numbers
// (the deal's are in steps of 32) visit everything too. Instances of a builtin and seeds start at different places.
std::uint64_t period_of(const catalogue::Instance& instance, OperandClass c);

// Class kSpecials crosses every special of A with every special of B and every special of C: each triple is met within
// a period in some element of D whose other products are zeros (of either sign), with scales of 1.0. Those are half of
// the cases; the other half fill all k with specials, or, on the scaled form, every second time cross scale bytes on
// products of one. All 256 scale bytes of A and of B are met within 20 consecutive indices.
// blgp other than 0 brings one stored element of B to several places, so there the cross has gaps: where that
// multiplies an infinity or a NaN by zero. It has none with blgp 0, on f64 and on the scaled builtins.

}  // namespace mfma::operands
