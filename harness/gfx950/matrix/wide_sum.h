// A sum that loses nothing: a two's complement fixed-point number wide enough for every product of a format, whose
// unit is below the least bit of any of them. Rounding to a grid is then a matter of clearing bits: cleared bits of a
// two's complement number are a rounding toward minus infinity, the other modes add one grid step to that.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "harness/gfx950/matrix/matrix_unit.h"

namespace mfma::gfx950 {

// Significand width and least normal exponent of the format of D.
struct ResultFormat {
  int precision;  // 24 or 53
  int least_exponent;
  std::uint64_t infinity;
  int sign_bit;
};
inline constexpr ResultFormat kF32Result{24, -126, 0x7f800000, 31};
inline constexpr ResultFormat kF64Result{53, -1022, std::uint64_t{0x7ff} << 52, 63};

// Values are multiples of 2^kUnit below 2^(kUnit + 64 * kLimbs - 1) in magnitude; the caller keeps to that.
template <unsigned kLimbs, int kUnit>
class WideSum {
 public:
  bool zero() const {
    for (const std::uint64_t limb : limbs_) {
      if (limb != 0) return false;
    }
    return true;
  }
  bool negative() const { return limbs_[kLimbs - 1] >> 63 != 0; }

  // += (-1)^negative * magnitude * 2^exponent, exponent >= kUnit unless the magnitude is 0.
  void add(bool negative, std::uint64_t magnitude, int exponent) {
    if (magnitude == 0) return;
    const auto position = static_cast<unsigned>(exponent - kUnit);
    const unsigned low = position / 64;
    const unsigned shift = position % 64;
    const std::uint64_t first = magnitude << shift;
    const std::uint64_t second = shift == 0 ? 0 : magnitude >> (64 - shift);
    negative ? subtract_at(low, first, second) : add_at(low, first, second);
  }

  void add(const WideSum& other) {
    std::uint64_t carry = 0;
    for (unsigned n = 0; n < kLimbs; ++n) {
      const std::uint64_t sum = limbs_[n] + other.limbs_[n];
      const std::uint64_t with_carry = sum + carry;
      carry = static_cast<std::uint64_t>(sum < limbs_[n]) | static_cast<std::uint64_t>(with_carry < sum);
      limbs_[n] = with_carry;
    }
  }

  // floor(log2 |x|) of an x that is not zero.
  int leading_exponent() const {
    const WideSum magnitude = absolute();
    for (unsigned n = kLimbs; n-- > 0;) {
      if (magnitude.limbs_[n] != 0)
        return static_cast<int>(64 * n) + 63 - std::countl_zero(magnitude.limbs_[n]) + kUnit;
    }
    return kUnit;
  }

  // To a multiple of 2^grid.
  void round_to(int grid, RoundTo mode) {
    if (grid <= kUnit || zero()) return;
    const int top = kUnit + static_cast<int>(64 * kLimbs) - 2;
    const auto position = static_cast<unsigned>((grid < top ? grid : top) - kUnit);
    const bool half = bit(position - 1);
    const bool below_half = any_below(position - 1);
    const bool was_negative = negative();
    clear_below(position);
    const bool odd = bit(position);
    const bool up = (mode == RoundTo::kZero && was_negative && (half || below_half)) ||
                    (mode == RoundTo::kNearestEven && half && (below_half || odd));
    if (up) add_at(position / 64, std::uint64_t{1} << (position % 64), 0);
  }

  // Bits of the value rounded to the format of D: gradual underflow; overflow to infinity, or toward zero to the
  // largest number. A zero is +0; a value that rounds to zero keeps its sign.
  std::uint64_t to_bits(const ResultFormat& format, RoundTo mode) const {
    if (zero()) return 0;
    const std::uint64_t sign = static_cast<std::uint64_t>(negative()) << format.sign_bit;
    WideSum rounded = *this;
    const auto unit_of = [&](int leading) {
      return (leading > format.least_exponent ? leading : format.least_exponent) - (format.precision - 1);
    };
    rounded.round_to(unit_of(leading_exponent()), mode);
    if (rounded.zero()) return sign;
    const int leading = rounded.leading_exponent();
    const int unit = unit_of(leading);
    const std::uint64_t binades =
        leading > format.least_exponent ? static_cast<std::uint64_t>(leading - format.least_exponent) : 0;
    // The hidden bit of a normal number adds the one that its exponent field lacks here.
    const std::uint64_t magnitude = (binades << (format.precision - 1)) + rounded.absolute().extract(unit);
    if (magnitude < format.infinity) return sign | magnitude;
    return sign | (mode == RoundTo::kZero ? format.infinity - 1 : format.infinity);
  }

 private:
  bool bit(unsigned position) const { return (limbs_[position / 64] >> (position % 64) & 1) != 0; }

  bool any_below(unsigned position) const {
    for (unsigned n = 0; n < position / 64; ++n) {
      if (limbs_[n] != 0) return true;
    }
    return (limbs_[position / 64] & ((std::uint64_t{1} << (position % 64)) - 1)) != 0;
  }

  void clear_below(unsigned position) {
    for (unsigned n = 0; n < position / 64; ++n) limbs_[n] = 0;
    limbs_[position / 64] &= ~((std::uint64_t{1} << (position % 64)) - 1);
  }

  // The 64 bits from 2^exponent up, exponent >= kUnit.
  std::uint64_t extract(int exponent) const {
    const auto position = static_cast<unsigned>(exponent - kUnit);
    const unsigned n = position / 64;
    const unsigned shift = position % 64;
    std::uint64_t bits = limbs_[n] >> shift;
    if (shift != 0 && n + 1 < kLimbs) bits |= limbs_[n + 1] << (64 - shift);
    return bits;
  }

  WideSum absolute() const {
    if (!negative()) return *this;
    WideSum result;
    std::uint64_t carry = 1;
    for (unsigned n = 0; n < kLimbs; ++n) {
      result.limbs_[n] = ~limbs_[n] + carry;
      carry = static_cast<std::uint64_t>(carry != 0 && result.limbs_[n] == 0);
    }
    return result;
  }

  void add_at(unsigned n, std::uint64_t first, std::uint64_t second) {
    limbs_[n] += first;
    std::uint64_t carry = static_cast<std::uint64_t>(limbs_[n] < first);
    if (++n >= kLimbs) return;
    limbs_[n] += second;
    const std::uint64_t next = static_cast<std::uint64_t>(limbs_[n] < second);
    limbs_[n] += carry;
    carry = next | static_cast<std::uint64_t>(limbs_[n] < carry);
    while (carry != 0 && ++n < kLimbs) carry = static_cast<std::uint64_t>(++limbs_[n] == 0);
  }

  void subtract_at(unsigned n, std::uint64_t first, std::uint64_t second) {
    std::uint64_t borrow = static_cast<std::uint64_t>(limbs_[n] < first);
    limbs_[n] -= first;
    if (++n >= kLimbs) return;
    const std::uint64_t next = static_cast<std::uint64_t>(limbs_[n] < second);
    limbs_[n] -= second;
    const std::uint64_t last = static_cast<std::uint64_t>(limbs_[n] < borrow);
    limbs_[n] -= borrow;
    borrow = next | last;
    while (borrow != 0 && ++n < kLimbs) borrow = static_cast<std::uint64_t>(limbs_[n]-- == 0);
  }

  std::array<std::uint64_t, kLimbs> limbs_{};  // least first
};

// f32 results: products go down to 2^-298 (f32 subnormals) or 2^-286 (bf8 under the least scales) and up to 2^288.
using F32WideSum = WideSum<11, -320>;
// f64 results: products from 2^-2148 to 2^2048.
using F64WideSum = WideSum<68, -2176>;

}  // namespace mfma::gfx950
