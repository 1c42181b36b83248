// The run report as one HTML file for a browser: no network, no frameworks, readable where the program is not
// installed.
//
// Everything a report says is carried as JSON in a <script type="application/json">, which no text can end or run
// (< > & are escaped in it), and is shown as text only. A content security policy lets no other script or style run
// than the page's own, which it names by their digests.
#pragma once

#include <filesystem>
#include <string>
#include <tl/expected.hpp>

#include "reports/model/report.h"

namespace mfma::reports {

// Below 50 MB whatever the report holds: of very many findings the later ones are shortened, first to one difference
// and no logs, then to what and where; should even that not do, the rest is counted and the page says so.
std::string to_html(const RunReport& report);

// As write_report_text.
tl::expected<void, std::string> write_html(const RunReport& report, const std::filesystem::path& file);

}  // namespace mfma::reports
