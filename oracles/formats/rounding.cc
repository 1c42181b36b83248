#include "oracles/formats/rounding.h"

namespace mfma::oracles {

std::uint64_t encode(const Format& f, const Number& x) {
  const std::uint64_t sign = static_cast<std::uint64_t>(x.negative) << (f.bits - 1);
  const std::uint64_t all_ones = (std::uint64_t{1} << f.exponent_bits) - 1;
  if (x.cls != ValueClass::kFinite) return sign | (all_ones << f.fraction_bits);
  if (x.significand == 0) return sign;
  const std::uint64_t hidden = std::uint64_t{1} << f.fraction_bits;
  // Brought to the place of the format's last bit; what a format holds exactly survives that.
  const int leading = x.exponent + bit_width(x.significand) - 1;
  const int last = std::max(leading, least_exponent(f)) - f.fraction_bits;
  const std::uint64_t significand =
      x.exponent >= last ? x.significand << (x.exponent - last) : x.significand >> (last - x.exponent);
  if (significand < hidden) return sign | significand;
  const auto field = static_cast<std::uint64_t>(last + f.fraction_bits + f.bias);
  return sign | (field << f.fraction_bits) | (significand ^ hidden);
}

Number to_number(const Format& f, std::uint64_t code) {
  const Decoded x = decode(f, code);
  return {x.cls, x.negative, x.significand, x.exponent};
}

}  // namespace mfma::oracles
