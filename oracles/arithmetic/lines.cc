#include "oracles/arithmetic/lines.h"

#include <bit>

#include "oracles/formats/wide.h"

namespace mfma::oracles {

BlockScale block_scale(std::uint8_t byte) {
  const Decoded x = decode(format(FormatId::kE8m0), byte);
  return {x.exponent, x.cls == ValueClass::kNan};
}

Lines::Lines(const Format& format, const Model& model, std::size_t count, int k)
    : format_(format),
      raise_zeros_(model.kind == ModelKind::kAlignedSum && model.zero_products_raise_exponent),
      normalise_(model.kind == ModelKind::kAlignedSum && model.normalise_subnormals && !format.is_integer),
      k_(k),
      any_flags_(count, 0) {
  const std::size_t elements = count * static_cast<std::size_t>(k);
  significand_.reserve(elements);
  lead_.reserve(elements);
  bound_.reserve(elements);
  odd_.reserve(elements);
  flags_.reserve(elements);
  codes_.reserve(elements);
}

void Lines::push(std::uint64_t code, BlockScale scale) {
  const Decoded x = decode(format_, code);
  const std::size_t owner = significand_.size() / static_cast<std::size_t>(k_);
  const bool finite = x.cls == ValueClass::kFinite && !scale.is_nan;
  std::uint8_t flags = x.negative ? kNegative : 0;
  if (x.cls == ValueClass::kInfinity) flags |= kInfinite;
  if (x.cls == ValueClass::kNan || scale.is_nan) flags |= kNotANumber;

  std::uint64_t magnitude = finite ? x.significand : 0;
  const int bound = x.leading_exponent + scale.exponent;
  int lead = bound;
  int odd = -kNoExponent;
  if (magnitude == 0) {
    if (!raise_zeros_ || !finite) lead = kNoExponent;
  } else {
    odd = x.exponent + scale.exponent + std::countr_zero(magnitude);
    if (normalise_) {
      const int up = format_.fraction_bits + 1 - bit_width(magnitude);
      magnitude <<= up;
      lead -= up;
    }
  }
  const auto signed_magnitude = static_cast<std::int64_t>(magnitude);
  significand_.push_back(x.negative ? -signed_magnitude : signed_magnitude);
  lead_.push_back(static_cast<std::int16_t>(lead));
  bound_.push_back(static_cast<std::int16_t>(bound));
  odd_.push_back(static_cast<std::int16_t>(odd));
  flags_.push_back(flags);
  codes_.push_back(code);
  any_flags_[owner] |= flags;
}

Line Lines::line(std::size_t index) const {
  const std::size_t first = index * static_cast<std::size_t>(k_);
  return {k_,
          format_.fraction_bits,
          significand_.data() + first,
          lead_.data() + first,
          bound_.data() + first,
          odd_.data() + first,
          flags_.data() + first,
          codes_.data() + first,
          any_flags_[index]};
}

}  // namespace mfma::oracles
