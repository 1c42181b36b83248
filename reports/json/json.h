// The run report as JSON, schema "mfma-conform/report/1": fields are only ever added. reports/schema describes each.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "reports/model/report.h"
#include "reports/model/words.h"

namespace mfma::reports {

// Bit patterns are hex strings as wide as the element. Text that is not UTF-8 (compiler logs) has bad bytes replaced.
// Instances, programs and findings have a line each; empty fields of findings are left out. Findings after the first
// 2000, or 8 MB, keep one difference and no logs; after 14 MB no difference and no case. Both say "shortened".
std::string to_json(const RunReport& report);

// As write_report_text.
tl::expected<void, std::string> write_json(const RunReport& report, const std::filesystem::path& file);

// The report that to_json() wrote. One line that begins with `name` on anything else: not JSON, another schema, a field
// that is missing or of another kind, or rows and totals that its instances and programs do not add up to.
tl::expected<RunReport, std::string> from_json(std::string_view text, const std::string& name);
tl::expected<RunReport, std::string> read_report(const std::filesystem::path& file);

}  // namespace mfma::reports
