// The profile that a command line asks for.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "harness/cli/commands/data.h"
#include "oracles/arithmetic/profile.h"

namespace mfma::cli {

struct NamedProfile {
  oracles::Profile profile;
  std::string source;  // the file as given, or "built in"
};

// `file` empty: the built-in profile. A bare name may be one of the profiles that come with the program (data.h). One
// line when the file cannot be read or is refused.
inline tl::expected<NamedProfile, std::string> profile_or_default(const std::string& file) {
  if (file.empty()) return NamedProfile{oracles::default_profile(), "built in"};
  auto loaded = oracles::load_profile(data_file("profiles", file));
  if (!loaded) return tl::make_unexpected(loaded.error());
  return NamedProfile{*std::move(loaded), file};
}

}  // namespace mfma::cli
