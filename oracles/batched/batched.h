// The oracle's dense product many outputs at a time: the same bits and the same exactness as oracles/plain, which stays
// the definition. Tests, a fuzz target and `run --oracle` hold the two equal.
//
// Each operand is decoded once; the lanes of a vector are elements of D beside one another. Integers, and for the
// chains doubles under error-free transforms whose proofs stand in chains_impl.h; these need the default floating-point
// environment (nearest even, subnormals kept). The instruction set is the best that the processor has.
#pragma once

#include <span>
#include <string_view>

#include "oracles/plain/dense.h"

namespace mfma::oracles::batched {

// Whether the lanes compute this model on these formats. Where not, dense_product() is the plain oracle's: exact sums,
// f64 other than FMA chains, alignments wider than 64 bits, formats that differ from the known ones too much, and every
// model with a parameter that is not known here.
bool covers(const Model& model, const Format& a, const Format& b, const Format& acc);

// As oracles::dense_product, errors included. Elements that the lanes cannot settle (infinities in an aligned sum, f64
// beyond the normal numbers, ...) are computed by the plain oracle, one by one.
DenseResult dense_product(const DenseProblem& problem, const Model& model);

// Instruction sets: "baseline" is what every processor of the build's target has.
enum class InstructionSet { kBaseline, kAvx2, kAvx512 };
std::string_view name_of(InstructionSet set);
// Those of this processor, the best one last.
std::span<const InstructionSet> instruction_sets();
DenseResult dense_product(const DenseProblem& problem, const Model& model, InstructionSet set);

}  // namespace mfma::oracles::batched
