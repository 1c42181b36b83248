#include "harness/conformance/execution/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "harness/conformance/execution/oracle_view.h"
#include "harness/system/digest.h"

namespace mfma::conformance {
namespace {

using catalogue::Instance;

// A field of a model as text. The texts are part of the digests in case files: they stay as they are.
template <class T>
std::string text_of(const T& value) {
  static_assert(std::is_enum_v<T> || std::is_integral_v<T>);
  return fmt::format("{}", static_cast<std::uint64_t>(value));
}
std::string text_of(const std::optional<int>& value) { return value ? fmt::format("{}", *value) : std::string("none"); }
std::string text_of(const std::optional<std::uint64_t>& value) { return fmt::format("{}", value.value_or(0)); }
std::string text_of(const std::string& value) { return value; }

template <class... Fields>
std::string digest_of_fields(const Fields&... fields) {
  system::Digest digest;
  (digest.field(text_of(fields)), ...);
  return digest.hex().substr(0, 16);
}

}  // namespace

const oracles::ProfileRule* rule_of(const oracles::Profile& profile, const Instance& instance) {
  return profile.rule_for(instance.builtin->name, catalogue::bits_of(instance.a_format()),
                          catalogue::bits_of(instance.b_format()));
}

std::string unusable_profile(const oracles::Profile& profile, const std::vector<Instance>& instances) {
  if (profile.arch != kArch) {
    return fmt::format("profile '{}' is for {}, not for {}: choose another, or correct its \"arch\"", profile.name,
                       profile.arch, kArch);
  }
  for (const Instance& i : instances) {
    const oracles::ProfileRule* rule = rule_of(profile, i);
    if (!rule) {
      return fmt::format(
          "profile '{}' has no rule for {}; add one whose \"builtins\" glob matches it, or choose other "
          "builtins with --builtin",
          profile.name, catalogue::instance_id(i));
    }
    const auto format = [](catalogue::ElementFormat f) { return oracles::format(oracle_format(f)); };
    const auto error =
        oracles::model_error(rule->model, format(i.a_format()), format(i.b_format()), format(i.builtin->acc_format));
    if (error) {
      return fmt::format("profile '{}': the rule \"{}\" does not fit {}: {}", profile.name, rule->builtins,
                         catalogue::instance_id(i), *error);
    }
  }
  return {};
}

bool is_lawful(const oracles::Model& m, const Instance& instance) {
  if (m.kind != oracles::ModelKind::kAlignedSum || instance.builtin->acc_format == catalogue::ElementFormat::kI32) {
    return true;
  }
  const int precision = instance.builtin->acc_format == catalogue::ElementFormat::kF64 ? 53 : 24;
  return std::min({m.product_fraction_bits, m.groups > 1 ? m.merge_fraction_bits : precision, m.sum_fraction_bits,
                   m.c_fraction_bits, m.final_fraction_bits.value_or(precision), m.drop_c_below.value_or(precision)}) >=
         precision;
}

std::string name_of(oracles::RuleStatus status) {
  return status == oracles::RuleStatus::kConfirmed ? "confirmed" : "candidate";
}

std::string digest_of(const oracles::Model& model) {
  // All fields, by position: one that is added to the model does not compile until it is here.
  const auto& [kind, step, order, groups, grouping, product_fraction_bits, product_rounding,
               zero_products_raise_exponent, normalise_subnormals, normalise_products, merge_fraction_bits,
               merge_rounding, sum_fraction_bits, sum_rounding, c_fraction_bits, c_rounding, drop_c_below,
               final_fraction_bits, final_rounding, product_overflow, nan, scale] = model;
  const auto& [nan_propagates, nan_order, nan_bits] = nan;
  return digest_of_fields(kind, step, order, groups, grouping, product_fraction_bits, product_rounding,
                          zero_products_raise_exponent, normalise_subnormals, normalise_products, merge_fraction_bits,
                          merge_rounding, sum_fraction_bits, sum_rounding, c_fraction_bits, c_rounding, drop_c_below,
                          final_fraction_bits, final_rounding, product_overflow, nan_propagates, nan_order, nan_bits,
                          scale);
}

std::string model_digest(const oracles::Profile& profile, const Instance& instance) {
  return digest_of(rule_of(profile, instance)->model);
}

std::string profile_digest(const oracles::Profile& profile) {
  system::Digest digest;
  for (const Instance& instance : catalogue::all_legal_instances()) {
    const oracles::ProfileRule* rule = rule_of(profile, instance);
    if (!rule) {
      digest.field("none");
      continue;
    }
    digest.field(name_of(rule->status));
    digest.field(digest_of(rule->model));
  }
  return digest.hex().substr(0, 16);
}

}  // namespace mfma::conformance
