// Random dot products that reach the hard cases: cancellation against c, ties, exponent gaps at the edges of the
// alignment widths, subnormals, overflow, signed zeros, infinities, NaN payloads and extreme scales.
#pragma once

#include "tests/reference/problem.h"
#include "tests/reference/sweep/random.h"

namespace mfma::oracles::reference::testing {

struct Pair {
  Format a, b, acc;
  bool scaled = false;
};

// A dot product of 1 to 128 products, mostly few.
Dot random_dot(const Pair& pair, Random& random);

// Powers of two and zeros whose exponents lie about the accumulator's precision apart: sums on either side of exact.
Dot random_dot_of_powers(const Pair& pair, Random& random);

}  // namespace mfma::oracles::reference::testing
