// Profiles: a JSON file that gives each builtin its arithmetic model, with its status and source.
//
// The first rule whose glob matches a builtin's name wins. An unknown key, a value out of range or a file that is
// not JSON is refused with one line that names the place, as is a key that stands twice.
//
// Keys of a profile: schema and rules must be there; name defaults to the file's name, arch to gfx950. Keys of a rule:
// builtins must be there; operands, status, source (which a confirmed rule must have), model, and the fields of Model
// under their own names, each with Model's default. `nan` is 8 or 16 hex digits, "propagate" (order abc), or
// {"propagate": "cab", "generated": "ffc00000"}. null is a value of drop_c_below and final_fraction_bits only.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "oracles/arithmetic/model.h"

namespace mfma::oracles {

enum class RuleStatus { kCandidate, kConfirmed };

// Which operand widths a rule is for: the f8f6f4 builtins take two rules, by the formats of an instance.
enum class OperandWidth {
  kAny,
  kWide,    // "8-bit": A or B has 8 bits or more
  kNarrow,  // "4/6-bit": both have fewer than 8 bits
};

struct ProfileRule {
  std::string builtins;                        // glob: '*' and '?'
  OperandWidth operands = OperandWidth::kAny;  // JSON key "operands": "any", "8-bit", "4/6-bit"
  RuleStatus status = RuleStatus::kCandidate;
  std::string source;
  Model model;
};

struct Profile {
  std::string name;
  std::string arch;
  std::vector<ProfileRule> rules;

  // The first rule that matches the builtin's name and the widths (bits) of its A and B formats, or nullptr.
  const ProfileRule* rule_for(std::string_view builtin, int a_bits, int b_bits) const;
};

// '*' matches any run, '?' any one character.
bool glob_matches(std::string_view glob, std::string_view text);

inline constexpr std::string_view kProfileSchema = "mfma-conform/profile/1";

// The built-in candidate for gfx950: the same text as corpus/profiles/gfx950-candidate.json (a test holds them equal).
const Profile& default_profile();

// One-line error: "FILE: rules[2].step: 300 is out of range 1..128" and the like.
tl::expected<Profile, std::string> parse_profile(std::string_view json_text, std::string_view file_name);
tl::expected<Profile, std::string> load_profile(const std::filesystem::path& file);

}  // namespace mfma::oracles
