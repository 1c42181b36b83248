// Optimisation levels as options name them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "harness/compilers/levels.h"

namespace mfma::cli {

inline std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    parts.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return parts;
}

// "O0,O2" to its parts, none of them empty, unknown or there twice.
inline tl::expected<std::vector<std::string>, std::string> parse_levels(const std::string& text) {
  std::vector<std::string> levels;
  for (const std::string& level : split_at_commas(text)) {
    const bool known = compilers::is_level(level);
    if (!known || std::count(levels.begin(), levels.end(), level)) {
      return tl::make_unexpected(fmt::format("--opt '{}': '{}' is {}; want some of {}, each once, with commas between",
                                             text, level, known ? "there twice" : "no level",
                                             compilers::levels_in_words()));
    }
    levels.push_back(level);
  }
  return levels;
}

}  // namespace mfma::cli
