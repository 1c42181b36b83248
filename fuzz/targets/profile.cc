// Any text as a profile: refused with one line, or every rule of it is one that can be computed.
#include "oracles/arithmetic/profile.h"

#include <fmt/format.h>

#include "fuzz/targets/target.h"
#include "harness/catalogue/instance.h"
#include "oracles/arithmetic/describe.h"

namespace mfma::fuzz {
namespace {

int wrong(const std::string& what) {
  fmt::print(stderr, "{}\n", what);
  return 1;
}

int check_rule(const oracles::ProfileRule& rule) {
  using oracles::FormatId;
  const oracles::Model& m = rule.model;
  const auto& i8 = oracles::format(FormatId::kI8);
  const auto& i32 = oracles::format(FormatId::kI32);
  const auto& f16 = oracles::format(FormatId::kF16);
  const auto& f32 = oracles::format(FormatId::kF32);
  const auto& f64 = oracles::format(FormatId::kF64);
  if (oracles::model_error(m, i8, i8, i32)) return wrong("a rule that integers cannot be computed by");
  // The bits of a NaN fit one accumulator; whatever else a rule holds must do for both.
  const bool integer = m.kind == oracles::ModelKind::kInteger;
  const auto narrow = oracles::model_error(m, f16, f16, f32), wide = oracles::model_error(m, f64, f64, f64);
  if (!integer && narrow && wide) return wrong("a rule that no builtin can be computed by: " + *narrow);
  for (const int width : {m.product_fraction_bits, m.merge_fraction_bits, m.sum_fraction_bits, m.c_fraction_bits,
                          m.final_fraction_bits.value_or(oracles::kLeastFractionBits)}) {
    if (width < oracles::kLeastFractionBits || width > oracles::kLargestFractionBits) {
      return wrong(fmt::format("a fraction width of {}", width));
    }
  }
  return oracles::describe(rule).empty() ? wrong("a rule without a description") : 0;
}

}  // namespace

std::string begin(const Options&) { return {}; }

}  // namespace mfma::fuzz

int fuzz_one(const std::uint8_t* data, std::size_t size) {
  using namespace mfma;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto profile = oracles::parse_profile(text, "input");
  if (!profile) {
    const bool one_line = !profile.error().empty() && profile.error().find('\n') == std::string::npos;
    return one_line ? 0 : fuzz::wrong("no single line: " + profile.error());
  }
  for (const oracles::ProfileRule& rule : profile->rules) {
    if (fuzz::check_rule(rule) != 0) return 1;
  }
  for (const catalogue::Builtin& builtin : catalogue::builtins()) {
    const auto* rule = profile->rule_for(builtin.name, catalogue::bits_of(builtin.a_format), 4);
    if (rule != nullptr && !oracles::glob_matches(rule->builtins, builtin.name))
      return fuzz::wrong("a rule for another builtin");
  }
  return 0;
}
