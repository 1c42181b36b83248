#include "oracles/arithmetic/model.h"

#include <array>
#include <string_view>

namespace mfma::oracles {
namespace {

struct Bounded {
  std::string_view name;
  int value, least, largest;
};

std::string formats_error(const char* what, const Format& a, const Format& b, const Format& acc) {
  return std::string(what) + ", not " + std::string(a.name) + " x " + std::string(b.name) + " + " +
         std::string(acc.name);
}

std::optional<std::string> range_error(const Model& m) {
  const std::array<Bounded, 8> parameters = {{
      {"step", m.step, 1, kLargestStep},
      {"groups", m.groups, 1, kLargestGroups},
      {"product_fraction_bits", m.product_fraction_bits, 1, kLargestFractionBits},
      {"merge_fraction_bits", m.merge_fraction_bits, 1, kLargestFractionBits},
      {"sum_fraction_bits", m.sum_fraction_bits, 1, kLargestFractionBits},
      {"c_fraction_bits", m.c_fraction_bits, 1, kLargestFractionBits},
      {"final_fraction_bits", m.final_fraction_bits.value_or(1), 1, kLargestFractionBits},
      {"drop_c_below", m.drop_c_below.value_or(0), 0, kLargestDrop},
  }};
  for (const Bounded& p : parameters) {
    if (p.value < p.least || p.value > p.largest) {
      return std::string(p.name) + ": " + std::to_string(p.value) + " is out of range " + std::to_string(p.least) +
             ".." + std::to_string(p.largest);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> model_error(const Model& model, const Format& a, const Format& b, const Format& acc) {
  if (a.is_integer != acc.is_integer || b.is_integer != acc.is_integer) {
    return formats_error("operands and accumulator must all be integers or none", a, b, acc);
  }
  if (acc.is_integer) return std::nullopt;
  if (model.kind == ModelKind::kInteger) return formats_error("model integer needs integer operands", a, b, acc);
  if (acc.specials != Specials::kIeee || !acc.is_signed) {
    return "accumulator format " + std::string(acc.name) + " has no infinities to overflow to";
  }
  if (model.nan.bits && decode(acc, *model.nan.bits).cls != ValueClass::kNan) {
    return "the bits of the model's nan are no NaN of " + std::string(acc.name);
  }
  return range_error(model);
}

std::uint64_t generated_nan(const NanRule& rule, const Format& acc) {
  if (rule.bits) return *rule.bits;
  const std::uint64_t all_ones = (std::uint64_t{1} << acc.exponent_bits) - 1;
  return (all_ones << acc.fraction_bits) | (std::uint64_t{1} << (acc.fraction_bits - 1));
}

std::uint64_t converted_nan(const Format& from, std::uint64_t code, const Format& acc) {
  const std::uint64_t sign = (code >> (from.bits - 1)) & 1;
  const std::uint64_t fraction = code & ((std::uint64_t{1} << from.fraction_bits) - 1);
  const int shift = acc.fraction_bits - from.fraction_bits;
  const std::uint64_t payload = shift >= 0 ? fraction << shift : fraction >> -shift;
  return (sign << (acc.bits - 1)) | generated_nan({}, acc) | payload;
}

}  // namespace mfma::oracles
