// Files that a reader never sees half of.
#pragma once

#include <filesystem>
#include <string>
#include <tl/expected.hpp>

namespace mfma::reports {

// Written aside and renamed; a device, a pipe or a link is written through. One line on failure.
tl::expected<void, std::string> write_report_text(const std::string& text, const std::filesystem::path& file);

}  // namespace mfma::reports
