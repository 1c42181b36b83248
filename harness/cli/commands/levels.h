// Optimisation levels as options name them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <tl/expected.hpp>
#include <vector>

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
  static const std::set<std::string> kLevels = {"O0", "O1", "O2", "O3", "Os", "Oz"};
  std::vector<std::string> levels;
  for (const std::string& level : split_at_commas(text)) {
    if (!kLevels.count(level) || std::count(levels.begin(), levels.end(), level)) {
      return tl::make_unexpected(
          fmt::format("--opt '{}': '{}' is {}; want some of O0, O1, O2, O3, Os, Oz, each once, with commas between",
                      text, level, kLevels.count(level) ? "there twice" : "no level"));
    }
    levels.push_back(level);
  }
  return levels;
}

}  // namespace mfma::cli
