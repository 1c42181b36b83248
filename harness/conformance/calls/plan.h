// What a run covers: which instances, with how many cases. Which operand class a case has, its index says
// (harness/operands/operands.h).
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "harness/catalogue/instance.h"
#include "harness/conformance/execution/rules.h"
#include "harness/properties/property.h"

namespace mfma::conformance {

enum class ModifierChoice {
  kAll,      // every legal instance
  kDefault,  // every value of every immediate at least once on each builtin, not every combination
  kNone,     // the instance with all immediates 0
};
enum class Tier { kQuick, kStandard, kComprehensive, kFull };

struct Shard {
  std::uint64_t index = 0, count = 1;  // index < count

  [[nodiscard]] bool has(std::uint64_t number) const { return number % count == index; }
};

struct Selection {
  std::string builtin_glob = "*";
  ModifierChoice modifiers = ModifierChoice::kAll;
  Shard shard;
};

// The instances of the selection, in catalogue order. Shards are together complete, and disjoint but for the smoke set,
// which every shard has: instance number n of the whole catalogue belongs to shard n % count. One line when the glob
// matches nothing.
[[nodiscard]] tl::expected<std::vector<catalogue::Instance>, std::string> select_instances(const Selection& selection);

// Its place among all 2354.
[[nodiscard]] std::uint64_t number_of(const catalogue::Instance& instance);
// The instance of each builtin with all immediates 0: a shard that did not run it says nothing of the machine it ran
// on.
[[nodiscard]] bool is_smoke(const catalogue::Instance& instance);

// The immediates that kDefault runs of one builtin.
[[nodiscard]] std::vector<catalogue::Instance> default_instances(const catalogue::Builtin& builtin);

[[nodiscard]] std::uint64_t cases_per_instance(Tier tier);

// Which properties are checked, and how often.
struct PropertyPlan {
  std::vector<const properties::Property*> properties;
  std::uint64_t trials = 1;  // per property and instance
  // Properties that are not of a modifier or a mode are checked on every `stride`-th instance of a builtin, each on
  // others, and all of them on the first.
  std::uint64_t stride = 4;

  [[nodiscard]] bool covers(const properties::Property& property, const catalogue::Instance& instance) const;
};
[[nodiscard]] PropertyPlan property_plan(Tier tier);  // of all properties
// "all", "none", or names with commas between. One line when a name is unknown or there twice.
[[nodiscard]] tl::expected<std::vector<const properties::Property*>, std::string> properties_named(
    const std::string& list);

}  // namespace mfma::conformance
