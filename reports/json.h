// The run report as JSON, schema "mfma-conform/report/1": fields are only ever added.
#pragma once

#include <filesystem>
#include <string>
#include <tl/expected.hpp>

#include "reports/report.h"

namespace mfma::reports {

inline constexpr const char* kReportSchema = "mfma-conform/report/1";

// Bit patterns are hex strings as wide as the element. Text that is not UTF-8 (compiler logs) has bad bytes replaced.
std::string to_json(const RunReport& report);

// Written aside and renamed, so that a reader never sees half a report. One line on failure.
tl::expected<void, std::string> write_json(const RunReport& report, const std::filesystem::path& file);
// The same for the text of any report.
tl::expected<void, std::string> write_report_text(const std::string& text, const std::filesystem::path& file);

}  // namespace mfma::reports
