// The profile's rules, as they fall on instances.
#pragma once

#include <string>
#include <vector>

#include "harness/catalogue/instance.h"
#include "oracles/arithmetic/profile.h"

namespace mfma::conformance {

inline constexpr const char* kArch = "gfx950";

// The first rule that matches the instance; nullptr where there is none.
[[nodiscard]] const oracles::ProfileRule* rule_of(const oracles::Profile& profile, const catalogue::Instance& instance);

// Empty when the profile is for gfx950 and has a rule for every instance, and a model that can be computed on its
// formats; else one line that names the first instance without.
[[nodiscard]] std::string unusable_profile(const oracles::Profile& profile,
                                           const std::vector<catalogue::Instance>& instances);

// True where the exactness rule of docs/numerics.md, section 4, holds for the model: a profile may ask for alignments
// that are too narrow for an f64 accumulator.
[[nodiscard]] bool is_lawful(const oracles::Model& model, const catalogue::Instance& instance);

// "confirmed" or "candidate", as reports and digests have it.
[[nodiscard]] std::string name_of(oracles::RuleStatus status);

// 16 hex digits over every field of a model: two of one digest give the same bits.
[[nodiscard]] std::string digest_of(const oracles::Model& model);

// Of the model that the profile gives the instance: two profiles of one digest expect the same bits of it.
[[nodiscard]] std::string model_digest(const oracles::Profile& profile, const catalogue::Instance& instance);

// The same over all instances, and which rules are confirmed: two profiles of one digest judge alike.
[[nodiscard]] std::string profile_digest(const oracles::Profile& profile);

}  // namespace mfma::conformance
