// How simple an element code is, and simpler codes to try in its place. Internal to fuzz/search.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/catalogue/builtin.h"

namespace mfma::reduction::detail {

// 0 for +0, 1 for one, more for everything else: the sign, each fraction bit and each step of the exponent away from
// one's count, of integers the magnitude. Not ordered among formats.
std::uint64_t complexity(catalogue::ElementFormat format, std::uint64_t code);
// Codes of less complexity, the simplest first: 0, 1, without sign, without fraction, nearer to one, fewer fraction
// bits.
std::vector<std::uint64_t> simpler_codes(catalogue::ElementFormat format, std::uint64_t code);

// Scale bytes: 127 (a scale of one) is 0.
std::uint64_t scale_complexity(std::uint64_t byte);
std::vector<std::uint64_t> simpler_scales(std::uint64_t byte);

}  // namespace mfma::reduction::detail
