#include "harness/conformance/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/conformance/oracle_view.h"

namespace mfma::conformance {
namespace {

using catalogue::Instance;
using catalogue::Modifiers;

// True when every immediate but at most one is 0.
bool at_most_one_set(const Modifiers& m) {
  return (m.cbsz != 0) + (m.abid != 0) + (m.blgp != 0) <= 1;
}

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

bool is_plain(const Instance& i) {
  const Modifiers& m = i.modifiers;
  return m == Modifiers{};
}

}  // namespace

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
      const bool mine = number++ % selection.shard.count == selection.shard.index;
      if (!wanted || !mine) continue;
      if (selection.modifiers == ModifierChoice::kDefault && !is_default(i)) continue;
      if (selection.modifiers == ModifierChoice::kNone && !is_plain(i)) continue;
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
      return fmt::format("profile '{}' has no rule for {}; add one whose \"builtins\" glob matches it, or choose other "
                         "builtins with --builtin",
                         profile.name, catalogue::instance_id(i));
    }
    const auto format = [](catalogue::ElementFormat f) { return oracles::format(oracle_format(f)); };
    const auto error = oracles::model_error(rule->model, format(i.a_format()), format(i.b_format()),
                                            format(i.builtin->acc_format));
    if (error) {
      return fmt::format("profile '{}': the rule \"{}\" does not fit {}: {}", profile.name, rule->builtins,
                         catalogue::instance_id(i), *error);
    }
  }
  return {};
}

}  // namespace mfma::conformance
