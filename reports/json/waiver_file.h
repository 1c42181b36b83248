// Files of waivers, for `run` and for `check-compiler`.
//
//   { "schema": "mfma-conform/waivers/1",
//     "waivers": [ { "builtin": "mfma_*_bf16*", "code": "wrong-bits", "compiler": "*clang*", "compiler_to": "22.1.8",
//                    "expires": "2027-03-31", "reason": "one line", "link": "https://..." },
//                  { "finding": "immediate-changed mfma_*=* on gfx950", "compiler": "*clang version 22.*",
//                    "reason": "one line", "link": "https://..." } ] }
// The second kind, with "finding", is check-compiler's.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "reports/model/waiver.h"

namespace mfma::reports {

inline constexpr const char* kWaiverSchema = "mfma-conform/waivers/1";

// One line with the place on anything that is not such a file, an unknown key included; `name` stands for it in the
// message. Whether a builtin, an instance or a property of that name exists is not asked.
tl::expected<std::vector<Waiver>, std::string> parse_waivers(std::string_view text, std::string_view name);
tl::expected<std::vector<Waiver>, std::string> read_waivers(const std::filesystem::path& file);

}  // namespace mfma::reports
