// Planted faults that amount to another configuration of the unit; the rest act where the element or lane is at hand.
#pragma once

#include "harness/gfx950/matrix/adders.h"

namespace mfma::gfx950 {

// The adder of an opcode with the fault in it, if the fault is one of the arithmetic.
Adder spoiled_adder(AdderRules rules, MatrixFault::Kind kind);

// The bits of an element of D after the faults that act on results.
std::uint64_t spoiled_result(std::uint64_t bits, bool f64, MatrixFault::Kind kind);

}  // namespace mfma::gfx950
