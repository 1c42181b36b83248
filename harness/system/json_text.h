// The one reader of JSON text: reports, event logs and waivers. (The oracles, which know nothing of the harness, read
// profiles by their own.) Stricter than JSON itself: a key that stands
// twice in one object is refused (JSON would let the last one win in silence), and so are a NUL, anything after the
// value, numbers that no double holds, and what is nested or spread so far that it is no file of ours.
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace mfma::system {

inline constexpr std::size_t kDeepestJson = 100;       // objects and arrays in one another
inline constexpr std::size_t kLargestObject = 10'000;  // keys of one object: looking one up takes as many steps

struct JsonFault {
  std::size_t byte = 0;  // where the text stops being JSON, from 1; 0: it is JSON that is refused
  std::string what;  // one line with the place: "line 1, column 5: ..." or "rules[0].step stands twice in one object"
};

// For nlohmann::json, whose keys are sorted, and nlohmann::ordered_json, whose keys are as in the text. Throws nothing
// of nlohmann's.
template <typename Json>
tl::expected<Json, JsonFault> parse_json(std::string_view text);

extern template tl::expected<nlohmann::json, JsonFault> parse_json(std::string_view);
extern template tl::expected<nlohmann::ordered_json, JsonFault> parse_json(std::string_view);

}  // namespace mfma::system
