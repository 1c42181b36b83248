// The optimisation levels: the one list of them.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace mfma::compilers {

struct Level {
  std::string_view name;    // as options, files and reports have it; a compiler gets it after a dash
  bool is_ordinary = true;  // of the row in which each optimises more than the one before
};

inline constexpr std::array kLevels{Level{"O0"}, Level{"O1"},        Level{"O2"},
                                    Level{"O3"}, Level{"Os", false}, Level{"Oz", false}};

inline bool is_level(std::string_view name) {
  for (const Level& level : kLevels) {
    if (level.name == name) return true;
  }
  return false;
}

inline std::vector<std::string> level_names() {
  std::vector<std::string> names;
  for (const Level& level : kLevels) names.emplace_back(level.name);
  return names;
}

inline std::vector<std::string> ordinary_level_names() {
  std::vector<std::string> names;
  for (const Level& level : kLevels) {
    if (level.is_ordinary) names.emplace_back(level.name);
  }
  return names;
}

// "O0, O1, O2, O3, Os, Oz", for messages.
inline std::string levels_in_words() {
  std::string words;
  for (const Level& level : kLevels) words += (words.empty() ? "" : ", ") + std::string(level.name);
  return words;
}

}  // namespace mfma::compilers
