// Everything that the HTML page shows, as the text of its data island.
#pragma once

#include <string>

#include "reports/model/report.h"

namespace mfma::reports::html {

// JSON, schema "mfma-conform/html/1": for the page's own script and the tests, not for tools (--json is).
std::string data_island(const RunReport& report);

std::string verdict_word(const RunReport& report);    // "PASS", "FAIL", "HANG", "NO VERDICT"
std::string verdict_reason(const RunReport& report);  // why the exit code is what it is: a sentence

}  // namespace mfma::reports::html
