// 128-bit integers, which the products of two f64 significands (106 bits) need, and the few operations on them.
#pragma once

#include <bit>
#include <cstdint>

namespace mfma::oracles {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;

// Number of bits up to the leading one; 0 for 0.
constexpr int bit_width(std::uint64_t x) { return static_cast<int>(std::bit_width(x)); }
constexpr int bit_width(Uint128 x) {
  const auto high = static_cast<std::uint64_t>(x >> 64);
  return high != 0 ? 64 + bit_width(high) : bit_width(static_cast<std::uint64_t>(x));
}

template <typename Unsigned>
inline constexpr int kBitsOf = static_cast<int>(sizeof(Unsigned) * 8);

// x / 2^by, with the lowest bit set when any bit that fell off was set: enough for any later rounding to nearest.
template <typename Unsigned>
constexpr Unsigned shift_right_jam(Unsigned x, int by) {
  if (by <= 0) return x;
  if (by >= kBitsOf<Unsigned>) return x != 0 ? 1 : 0;
  const Unsigned kept = x >> by;
  return (kept << by) != x ? kept | 1 : kept;
}

}  // namespace mfma::oracles
