// Random programs that combine the pieces of the shapes: small, well defined, and the same for the same numbers.
#pragma once

#include <cstdint>
#include <span>

#include "harness/kernels/program.h"

namespace mfma::kernels {

// A program of a few MFMA calls of `instances` (at least one) with one accumulator type, and what may stand between
// them. A function of (instances, seed, index) and of nothing else; the source's first comment names seed and index.
Program random_program(std::span<const catalogue::Instance> instances, std::uint64_t seed, std::uint64_t index);

}  // namespace mfma::kernels
