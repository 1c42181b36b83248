// Patterns over names, in one meaning wherever the program takes one.
#pragma once

#include <string>

namespace mfma::system {

// Whether the whole of `text` matches: *, ? and [...], as fnmatch(3) has them.
[[nodiscard]] bool glob_matches(const std::string& glob, const std::string& text);

}  // namespace mfma::system
