#include "harness/conformance/calls/plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace mfma::conformance {
namespace {

using catalogue::Instance;
using catalogue::Modifiers;

// True when every immediate but at most one is 0.
bool at_most_one_set(const Modifiers& m) { return (m.cbsz != 0) + (m.abid != 0) + (m.blgp != 0) <= 1; }

bool is_default(const Instance& i) {
  const Modifiers& m = i.modifiers;
  switch (i.builtin->modifiers) {
    case catalogue::ModifierKind::kScaled:
      // Every format pair, unscaled and with one op_sel pair each; all 16 op_sel pairs occur over the 25.
      if (!m.scaled) return true;
      return m.op_sel_a == (m.cbsz + m.blgp) % 4 && m.op_sel_b == (m.cbsz + 2 * m.blgp) % 4;
    case catalogue::ModifierKind::kBroadcast:
      // abid needs a cbsz beside it: every block of every broadcast, blgp alone.
      return at_most_one_set(m) || (m.blgp == 0 && m.cbsz != 0);
    case catalogue::ModifierKind::kNegate:
      return true;
  }
  return true;
}

}  // namespace

bool is_smoke(const Instance& i) { return i.modifiers == Modifiers{}; }

std::uint64_t number_of(const Instance& instance) {
  static const std::vector<std::uint64_t> firsts = [] {
    std::vector<std::uint64_t> numbers = {0};
    for (const catalogue::Builtin& b : catalogue::builtins()) {
      numbers.push_back(numbers.back() + static_cast<std::uint64_t>(catalogue::legal_count(b)));
    }
    return numbers;
  }();
  const auto builtin = static_cast<std::size_t>(instance.builtin - catalogue::builtins().data());
  return firsts.at(builtin) + static_cast<std::uint64_t>(catalogue::legal_rank(instance));
}

std::vector<Instance> default_instances(const catalogue::Builtin& builtin) {
  std::vector<Instance> chosen;
  for (const Instance& i : catalogue::legal_instances(builtin)) {
    if (is_default(i)) chosen.push_back(i);
  }
  return chosen;
}

tl::expected<std::vector<Instance>, std::string> select_instances(const Selection& selection) {
  const std::vector<const catalogue::Builtin*> matched = catalogue::match_builtins(selection.builtin_glob);
  if (matched.empty()) {
    return tl::make_unexpected(catalogue::explain_unknown_name(selection.builtin_glob) +
                               "; 'mfma-conform list' shows all 38");
  }
  std::vector<Instance> chosen;
  std::uint64_t number = 0;  // over the whole catalogue, so that a shard does not depend on the glob
  for (const catalogue::Builtin& builtin : catalogue::builtins()) {
    const bool wanted = std::find(matched.begin(), matched.end(), &builtin) != matched.end();
    for (const Instance& i : catalogue::legal_instances(builtin)) {
      const bool mine = selection.shard.has(number++);
      if (!wanted || (!mine && !is_smoke(i))) continue;
      if (selection.modifiers == ModifierChoice::kDefault && !is_default(i)) continue;
      if (selection.modifiers == ModifierChoice::kNone && !is_smoke(i)) continue;
      chosen.push_back(i);
    }
  }
  return chosen;
}

std::uint64_t cases_per_instance(Tier tier) {
  switch (tier) {
    case Tier::kQuick:
      return 12;
    case Tier::kStandard:
      return 300;
    case Tier::kComprehensive:
      return 3000;
    case Tier::kFull:
      break;
  }
  return 30000;
}

bool PropertyPlan::covers(const properties::Property& property, const Instance& instance) const {
  if (!property.applies(instance)) return false;
  if (property.particular) return true;
  const auto rank = static_cast<std::uint64_t>(catalogue::legal_rank(instance));
  const auto number = static_cast<std::uint64_t>(&property - properties::all_properties().data());
  return rank == 0 || (rank + number) % stride == 0;
}

PropertyPlan property_plan(Tier tier) {
  PropertyPlan plan;
  for (const properties::Property& p : properties::all_properties()) plan.properties.push_back(&p);
  switch (tier) {
    case Tier::kQuick:
      break;
    case Tier::kStandard:
      plan.stride = 1;
      plan.trials = 2;
      break;
    case Tier::kComprehensive:
      plan.stride = 1;
      plan.trials = 16;
      break;
    case Tier::kFull:
      plan.stride = 1;
      plan.trials = 128;
      break;
  }
  return plan;
}

tl::expected<std::vector<const properties::Property*>, std::string> properties_named(const std::string& list) {
  std::vector<const properties::Property*> chosen;
  if (list == "none") return chosen;
  if (list == "all") return property_plan(Tier::kQuick).properties;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    const std::string name = list.substr(at, comma - at);
    at = comma + 1;
    const properties::Property* property = properties::find_property(name);
    if (!property) {
      return tl::make_unexpected(fmt::format(
          "--properties '{}': '{}' is no property; 'mfma-conform list --properties' shows them, or give all or none",
          list, name));
    }
    if (std::find(chosen.begin(), chosen.end(), property) != chosen.end()) {
      return tl::make_unexpected(fmt::format("--properties '{}': '{}' is there twice", list, name));
    }
    chosen.push_back(property);
  }
  return chosen;
}

}  // namespace mfma::conformance
