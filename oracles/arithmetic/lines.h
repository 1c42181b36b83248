// Rows of A and columns of B, decoded once and kept the way the inner loops want them.
//
// An element is significand * 2^(lead - fraction_bits), with the scale of its 32-block already in `lead`. So the
// product of two elements has the exponent lead_a + lead_b - (fraction_bits_a + fraction_bits_b) for its last bit, and
// lead_a + lead_b is the product exponent of docs/numerics.md, subnormals and zeros included.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "oracles/arithmetic/model.h"
#include "oracles/formats/format.h"

namespace mfma::oracles {

// Stands for "no exponent" in `lead` and, negated, in `odd`. Far outside of any sum of two real exponents (f64 products
// reach -2148, scaled ones -540), and two of them still fit 16 bits.
inline constexpr std::int16_t kNoExponent = -8000;
constexpr bool has_exponent(int sum_of_leads) { return sum_of_leads > kNoExponent / 2; }

enum ElementFlag : std::uint8_t { kNegative = 1, kInfinite = 2, kNotANumber = 4 };

// One row or column, as the loops see it; all arrays have k entries.
struct Line {
  int k = 0;
  int fraction_bits = 0;
  const std::int64_t* significand = nullptr;  // signed; 0 for zeros, infinities and NaNs
  const std::int16_t* lead = nullptr;         // as the model has it; kNoExponent for a zero that raises nothing
  const std::int16_t* bound = nullptr;        // the same under the model that raises it most (exactness)
  const std::int16_t* odd = nullptr;          // exponent of the lowest set bit; -kNoExponent for zeros (exactness)
  const std::uint8_t* flags = nullptr;        // ElementFlag
  const std::uint64_t* codes = nullptr;
  std::uint8_t any_flags = 0;  // of all elements; kNotANumber also for a NaN scale
};

// What one scale byte means.
struct BlockScale {
  int exponent = 0;
  bool is_nan = false;
};
BlockScale block_scale(std::uint8_t byte);  // E8M0

class Lines {
 public:
  Lines(const Format& format, const Model& model, std::size_t count, int k);

  // Appends the next element of the line being filled.
  void push(std::uint64_t code, BlockScale scale = {});
  Line line(std::size_t index) const;

 private:
  Format format_;
  bool raise_zeros_, normalise_;
  int k_;
  std::vector<std::int64_t> significand_;
  std::vector<std::int16_t> lead_, bound_, odd_;
  std::vector<std::uint8_t> flags_;
  std::vector<std::uint64_t> codes_;
  std::vector<std::uint8_t> any_flags_;
};

}  // namespace mfma::oracles
