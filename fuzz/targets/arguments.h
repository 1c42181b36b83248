// The flags of both mains.
#pragma once

#include <string_view>

#include "fuzz/targets/target.h"

namespace mfma::fuzz {

// True when `argument` was one of the flags, and is now in `options`.
inline bool take_flag(std::string_view argument, Options& options) {
  for (const auto& [name, value] : {std::pair{std::string_view("--builtin="), &options.builtin},
                                    std::pair{std::string_view("--compiler="), &options.compiler}}) {
    if (!argument.starts_with(name)) continue;
    *value = argument.substr(name.size());
    return true;
  }
  return false;
}

}  // namespace mfma::fuzz
