// Waivers: findings that are known and accepted for now, so that a new compiler is judged by what changed.
//
//   { "schema": "mfma-conform/waivers/1",
//     "waivers": [ { "finding": "immediate-changed mfma_*=* on gfx950", "compiler": "*clang version 22.*",
//                    "reason": "one line", "link": "https://..." } ] }
// `finding` is a glob (fnmatch) over key_of(), `compiler` one over the first line of --version; all four are required.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "harness/checks/finding.h"

namespace mfma::checks {

struct Waiver {
  std::string finding, compiler, reason, link;
};

inline constexpr const char* kWaiverSchema = "mfma-conform/waivers/1";

// One line with the place on anything that is not such a file; `name` stands for it in the message.
tl::expected<std::vector<Waiver>, std::string> parse_waivers(std::string_view text, std::string_view name);
tl::expected<std::vector<Waiver>, std::string> read_waivers(const std::filesystem::path& file);

// Marks what the waivers cover (the first that matches gives the reason). Returns the waivers for this compiler that
// cover nothing: what they stood for is gone.
std::vector<Waiver> apply_waivers(const std::vector<Waiver>& waivers, const std::string& compiler_version,
                                  std::vector<Finding>& findings);

}  // namespace mfma::checks
