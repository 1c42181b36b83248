// The findings of a report as the HTML page's data.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reports/html/html_calls.h"
#include "reports/model/report.h"

namespace mfma::reports::html {

// JSON text with what could end the <script> it stands in, or a line of JavaScript, written as \uXXXX.
std::string island_text(const Json& json);

struct FindingsText {
  std::string text;  // "[ ... ]"
  Json strings;      // that findings name by their place in this list
  std::size_t in_full = 0, in_brief = 0, left_out = 0;
  // Of all findings, also of those that are left out.
  Json counts;  // [[place in the kinds, verdict, how many], ...]
};

FindingsText findings_text(const RunReport& report, Calls& calls);

// Codes of all kinds, in their order.
Json kind_codes();

}  // namespace mfma::reports::html
