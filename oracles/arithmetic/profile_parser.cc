#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <variant>

#include "oracles/arithmetic/profile.h"

namespace mfma::oracles {
namespace {

using nlohmann::json;

// What is wrong and where; never leaves this file.
struct Refusal {
  std::string line;
};

[[noreturn]] void refuse(const std::string& place, const std::string& what) {
  throw Refusal{place.empty() ? what : place + ": " + what};
}

// Every value of an enum with its JSON name.
template <typename Enum>
struct Name {
  std::string_view name;
  Enum value;
};

constexpr Name<ModelKind> kModelKinds[] = {
    {"fma_chain", ModelKind::kFmaChain},     {"multiply_add", ModelKind::kMultiplyAdd},
    {"pairwise", ModelKind::kPairwise},      {"exact_sum", ModelKind::kExactSum},
    {"aligned_sum", ModelKind::kAlignedSum}, {"block_sums", ModelKind::kBlockSums},
    {"integer", ModelKind::kInteger}};
constexpr Name<Rounding> kRoundings[] = {
    {"toward_zero", Rounding::kTowardZero}, {"down", Rounding::kDown}, {"nearest_even", Rounding::kNearestEven}};
constexpr Name<StepOrder> kOrders[] = {{"ascending", StepOrder::kAscending}, {"descending", StepOrder::kDescending}};
constexpr Name<Grouping> kGroupings[] = {{"interleaved", Grouping::kInterleaved},
                                         {"contiguous", Grouping::kContiguous}};
constexpr Name<ProductOverflow> kOverflows[] = {{"infinity", ProductOverflow::kInfinity},
                                                {"none", ProductOverflow::kNone}};
constexpr Name<ScaleEntry> kScaleEntries[] = {{"in_product_exponent", ScaleEntry::kInProductExponent},
                                              {"in_block_sum", ScaleEntry::kInBlockSum}};
constexpr Name<RuleStatus> kStatuses[] = {{"candidate", RuleStatus::kCandidate}, {"confirmed", RuleStatus::kConfirmed}};
constexpr Name<OperandWidth> kWidths[] = {
    {"any", OperandWidth::kAny}, {"8-bit", OperandWidth::kWide}, {"4/6-bit", OperandWidth::kNarrow}};

// The model's parameters, each with what a value must be. A `null` member may be null in JSON.
struct IntegerKey {
  std::string_view key;
  std::variant<int Model::*, std::optional<int> Model::*> member;
  int least, largest;
};
constexpr std::array<IntegerKey, 8> kIntegers = {{
    {"step", &Model::step, 1, kLargestStep},
    {"groups", &Model::groups, 1, kLargestGroups},
    {"product_fraction_bits", &Model::product_fraction_bits, kLeastFractionBits, kLargestFractionBits},
    {"merge_fraction_bits", &Model::merge_fraction_bits, kLeastFractionBits, kLargestFractionBits},
    {"sum_fraction_bits", &Model::sum_fraction_bits, kLeastFractionBits, kLargestFractionBits},
    {"c_fraction_bits", &Model::c_fraction_bits, kLeastFractionBits, kLargestFractionBits},
    {"drop_c_below", &Model::drop_c_below, kLeastDrop, kLargestDrop},
    {"final_fraction_bits", &Model::final_fraction_bits, kLeastFractionBits, kLargestFractionBits},
}};
struct BooleanKey {
  std::string_view key;
  bool Model::*member;
};
constexpr std::array<BooleanKey, 3> kBooleans = {{
    {"zero_products_raise_exponent", &Model::zero_products_raise_exponent},
    {"normalise_subnormals", &Model::normalise_subnormals},
    {"normalise_products", &Model::normalise_products},
}};
struct RoundingKey {
  std::string_view key;
  Rounding Model::*member;
};
constexpr std::array<RoundingKey, 5> kRoundingKeys = {{
    {"product_rounding", &Model::product_rounding},
    {"merge_rounding", &Model::merge_rounding},
    {"sum_rounding", &Model::sum_rounding},
    {"c_rounding", &Model::c_rounding},
    {"final_rounding", &Model::final_rounding},
}};

std::string text_of(const json& value, const std::string& place) {
  if (!value.is_string()) refuse(place, fmt::format("must be a string, not {}", value.type_name()));
  return value.get<std::string>();
}

template <typename Enum, std::size_t N>
Enum enum_of(const json& value, const std::string& place, const Name<Enum> (&names)[N]) {
  const std::string text = text_of(value, place);
  std::string known;
  for (const auto& [name, member] : names) {
    if (name == text) return member;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  refuse(place, fmt::format("unknown value \"{}\"; known are {}", text, known));
}

int integer_of(const json& value, const std::string& place, int least, int largest) {
  if (!value.is_number_integer()) {
    refuse(place, fmt::format("must be an integer, not {}", value.is_number() ? value.dump() : value.type_name()));
  }
  const bool in_range = value.is_number_unsigned() ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(largest)
                                                   : value.get<std::int64_t>() <= largest;
  if (!in_range || value.get<std::int64_t>() < least) {
    refuse(place, fmt::format("{} is out of range {}..{}", value.dump(), least, largest));
  }
  return value.get<int>();
}

void read_integer(const json& value, const std::string& place, const IntegerKey& key, Model& model) {
  if (const auto* plain = std::get_if<int Model::*>(&key.member)) {
    model.*(*plain) = integer_of(value, place, key.least, key.largest);
    return;
  }
  auto& target = model.*std::get<std::optional<int> Model::*>(key.member);
  target = value.is_null() ? std::nullopt : std::optional(integer_of(value, place, key.least, key.largest));
}

bool boolean_of(const json& value, const std::string& place) {
  if (!value.is_boolean()) refuse(place, fmt::format("must be true or false, not {}", value.type_name()));
  return value.get<bool>();
}

// 8 hex digits of an f32 NaN or 16 of an f64 one.
std::uint64_t nan_bits_of(const std::string& text, const std::string& place) {
  const bool is_hex = text.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
  if (!is_hex || (text.size() != 8 && text.size() != 16)) {
    refuse(place, fmt::format("\"{}\" is neither \"propagate\" nor 8 hex digits (f32) or 16 (f64)", text));
  }
  const std::uint64_t bits = std::stoull(text, nullptr, 16);
  const Format& f = format(text.size() == 8 ? FormatId::kF32 : FormatId::kF64);
  if (decode(f, bits).cls != ValueClass::kNan) refuse(place, fmt::format("\"{}\" is not a NaN of {}", text, f.name));
  return bits;
}

std::string nan_order_of(const json& value, const std::string& place) {
  const std::string order = text_of(value, place);
  const std::set<char> letters(order.begin(), order.end());
  if (order.empty() || letters.size() != order.size() || order.find_first_not_of("abc") != std::string::npos) {
    refuse(place, fmt::format("\"{}\" must name operands a, b, c, each at most once", order));
  }
  return order;
}

NanRule nan_of(const json& value, const std::string& place) {
  NanRule rule;
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) {
      const std::string at = place + "." + key;
      if (key == "propagate") {
        rule.propagate = true;
        rule.order = nan_order_of(member, at);
      } else if (key == "generated") {
        rule.bits = nan_bits_of(text_of(member, at), at);
      } else {
        refuse(at, "unknown key; known are propagate, generated");
      }
    }
    return rule;
  }
  const std::string text = text_of(value, place);
  if (text == "propagate") {
    rule.propagate = true;
  } else {
    rule.bits = nan_bits_of(text, place);
  }
  return rule;
}

template <typename Table>
auto* find_key(Table& table, const std::string& key) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const auto& entry) { return entry.key == key; });
  return found == table.end() ? nullptr : &*found;
}

void read_rule_key(const std::string& key, const json& value, const std::string& place, ProfileRule& rule) {
  Model& m = rule.model;
  if (const auto* integer = find_key(kIntegers, key)) return read_integer(value, place, *integer, m);
  if (const auto* boolean = find_key(kBooleans, key)) {
    m.*(boolean->member) = boolean_of(value, place);
  } else if (const auto* rounding = find_key(kRoundingKeys, key)) {
    m.*(rounding->member) = enum_of(value, place, kRoundings);
  } else if (key == "builtins") {
    rule.builtins = text_of(value, place);
    if (rule.builtins.empty()) refuse(place, "must be a glob of builtin names, not empty");
  } else if (key == "operands") {
    rule.operands = enum_of(value, place, kWidths);
  } else if (key == "status") {
    rule.status = enum_of(value, place, kStatuses);
  } else if (key == "source") {
    rule.source = text_of(value, place);
  } else if (key == "model") {
    m.kind = enum_of(value, place, kModelKinds);
  } else if (key == "order") {
    m.order = enum_of(value, place, kOrders);
  } else if (key == "grouping") {
    m.grouping = enum_of(value, place, kGroupings);
  } else if (key == "product_overflow") {
    m.product_overflow = enum_of(value, place, kOverflows);
  } else if (key == "nan") {
    m.nan = nan_of(value, place);
  } else if (key == "scale") {
    m.scale = enum_of(value, place, kScaleEntries);
  } else {
    refuse(place, "unknown key");
  }
}

ProfileRule rule_of(const json& value, const std::string& place) {
  if (!value.is_object()) refuse(place, fmt::format("must be an object, not {}", value.type_name()));
  if (!value.contains("builtins")) refuse(place + ".builtins", "missing");
  ProfileRule rule;
  for (const auto& [key, member] : value.items()) read_rule_key(key, member, place + "." + key, rule);
  if (rule.status == RuleStatus::kConfirmed && rule.source.empty()) {
    refuse(place + ".source", "missing; a confirmed rule names what confirmed it");
  }
  if (rule.model.scale == ScaleEntry::kInBlockSum && rule.model.kind != ModelKind::kBlockSums) {
    refuse(place + ".scale", "in_block_sum is for the model block_sums only");
  }
  return rule;
}

Profile profile_of(const json& root, std::string_view file_name) {
  if (!root.is_object()) refuse("", fmt::format("a profile must be an object, not {}", root.type_name()));
  if (!root.contains("schema")) refuse("schema", fmt::format("missing; must be \"{}\"", kProfileSchema));
  if (const std::string schema = text_of(root["schema"], "schema"); schema != kProfileSchema) {
    refuse("schema", fmt::format("\"{}\" is not \"{}\"", schema, kProfileSchema));
  }
  if (!root.contains("rules")) refuse("rules", "missing");
  Profile profile;
  profile.name = std::string(file_name);
  profile.arch = "gfx950";
  for (const auto& [key, value] : root.items()) {
    if (key == "name") {
      profile.name = text_of(value, key);
    } else if (key == "arch") {
      profile.arch = text_of(value, key);
    } else if (key != "schema" && key != "rules") {
      refuse(key, "unknown key; known are schema, name, arch, rules");
    }
  }
  const json& rules = root["rules"];
  if (!rules.is_array() || rules.empty()) refuse("rules", "must be an array of at least one rule");
  for (std::size_t i = 0; i < rules.size(); ++i) {
    profile.rules.push_back(rule_of(rules[i], fmt::format("rules[{}]", i)));
  }
  return profile;
}

constexpr int kDeepest = 16;  // objects and lists in one another; a profile has 5

// Parses, and refuses a key that stands twice in one object (JSON itself would let the last one win in silence), a NUL
// (which the library takes for the end of the text) and endless nesting. The harness reads its files by
// harness/system/json_text.h; the oracles know nothing of the harness.
json parse_strictly(std::string_view text) {
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
    refuse("", fmt::format("not JSON: byte {}: a NUL, which no JSON text has", nul + 1));
  std::vector<std::set<std::string>> open;
  const auto watch = [&](int depth, json::parse_event_t event, json& parsed) {
    if (depth > kDeepest) refuse("", fmt::format("nested deeper than {}", kDeepest));
    if (event == json::parse_event_t::object_start) open.emplace_back();
    if (event == json::parse_event_t::object_end) open.pop_back();
    if (event == json::parse_event_t::key && !open.back().insert(parsed.get<std::string>()).second) {
      refuse(parsed.get<std::string>(), "stands twice in one object");
    }
    return true;
  };
  return json::parse(text, watch);
}

// "line 1, column 5: ..." of the library's "[json.exception.parse_error.101] parse error at line 1, column 5: ...".
std::string place_in_text(const std::string& message) {
  constexpr std::string_view kPrefix = "parse error at ";
  const std::size_t at = message.find(kPrefix);
  return at == std::string::npos ? message : message.substr(at + kPrefix.size());
}

}  // namespace

tl::expected<Profile, std::string> parse_profile(std::string_view json_text, std::string_view file_name) {
  try {
    return profile_of(parse_strictly(json_text), file_name);
  } catch (const Refusal& refusal) {
    return tl::unexpected(fmt::format("{}: {}", file_name, refusal.line));
  } catch (const json::exception& error) {
    return tl::unexpected(fmt::format("{}: not JSON: {}", file_name, place_in_text(error.what())));
  }
}

}  // namespace mfma::oracles
