#include "oracles/arithmetic/model.h"

#include <array>
#include <string_view>

namespace mfma::oracles {
namespace {

struct Bounded {
  std::string_view name;
  int value, least, largest;
};

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
  const bool integer_model = model.kind == ModelKind::kInteger;
  if (a.is_integer != integer_model || b.is_integer != integer_model || acc.is_integer != integer_model) {
    return std::string(integer_model ? "model integer needs integer operands, not "
                                     : "integer operands need the model integer, not another one: ") +
           std::string(a.name) + " x " + std::string(b.name) + " + " + std::string(acc.name);
  }
  if (!integer_model && (acc.specials != Specials::kIeee || !acc.is_signed)) {
    return "accumulator format " + std::string(acc.name) + " has no infinities to overflow to";
  }
  if (!integer_model && model.nan.bits && decode(acc, *model.nan.bits).cls != ValueClass::kNan) {
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
