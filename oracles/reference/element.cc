#include "oracles/reference/element.h"

#include <algorithm>
#include <utility>

namespace mfma::oracles::reference {

namespace {

struct Fields {
  bool negative;
  std::uint64_t exponent;
  std::uint64_t fraction;
};

std::uint64_t low_ones(int count) { return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1; }

Fields split(const Format& f, std::uint64_t code) {
  return {f.is_signed && ((code >> (f.bits - 1)) & 1) != 0, (code >> f.fraction_bits) & low_ones(f.exponent_bits),
          code & low_ones(f.fraction_bits)};
}

Element decode_integer(const Format& f, std::uint64_t code) {
  mpz_class value = static_cast<unsigned long>(code & low_ones(f.bits));
  if (f.is_signed && ((code >> (f.bits - 1)) & 1) != 0) value -= mpz_class(1) << static_cast<mp_bitcnt_t>(f.bits);
  return {Real::finite(Dyadic(value, 0), false), 0, 0};
}

// The class that the largest exponent field gives to a code.
ValueClass classify(const Format& f, const Fields& fields) {
  if (f.specials == Specials::kNone || fields.exponent != low_ones(f.exponent_bits)) return ValueClass::kFinite;
  if (f.specials == Specials::kNanOnly) {
    return fields.fraction == low_ones(f.fraction_bits) ? ValueClass::kNan : ValueClass::kFinite;
  }
  return fields.fraction == 0 ? ValueClass::kInfinity : ValueClass::kNan;
}

}  // namespace

Element decode_element(const Format& f, std::uint64_t code) {
  if (f.is_integer) return decode_integer(f, code);
  const Fields fields = split(f, code);
  switch (classify(f, fields)) {
    case ValueClass::kNan:
      return {Real::nan(), 0, 0};
    case ValueClass::kInfinity:
      return {Real::infinity(fields.negative), 0, 0};
    case ValueClass::kFinite:
      break;
  }
  // Normal: (2^F + fraction) * 2^(field - bias - F). Subnormal: fraction * 2^(1 - bias - F).
  const bool normal = fields.exponent != 0;
  const long leading = normal ? static_cast<long>(fields.exponent) - f.bias : least_normal_exponent(f);
  const std::uint64_t hidden_bit = normal ? std::uint64_t{1} << f.fraction_bits : 0;
  mpz_class significand = static_cast<unsigned long>(hidden_bit | fields.fraction);
  if (fields.negative) mpz_neg(significand.get_mpz_t(), significand.get_mpz_t());

  Element element;
  element.real = Real::finite(Dyadic(std::move(significand), leading - f.fraction_bits), fields.negative);
  element.true_exponent = element.real.is_zero() ? least_normal_exponent(f) : element.real.value.floor_log2();
  element.clamped_exponent = std::max(element.true_exponent, least_normal_exponent(f));
  return element;
}

std::uint64_t convert_nan(const Format& from, std::uint64_t code, const Format& to) {
  const Fields fields = split(from, code);
  const int widening = to.fraction_bits - from.fraction_bits;
  const std::uint64_t fraction = widening >= 0 ? fields.fraction << widening : fields.fraction >> -widening;
  const std::uint64_t quiet_bit = std::uint64_t{1} << (to.fraction_bits - 1);
  const std::uint64_t sign = fields.negative ? std::uint64_t{1} << (to.bits - 1) : 0;
  return sign | (low_ones(to.exponent_bits) << to.fraction_bits) | quiet_bit | fraction;
}

std::optional<long> scale_exponent(std::uint8_t byte) {
  if (byte == 0xFF) return std::nullopt;
  return static_cast<long>(byte) - 127;
}

}  // namespace mfma::oracles::reference
