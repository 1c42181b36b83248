// The parts of the HTML report that are the same for every run: texts of reports/html/, carried into the program when
// it is configured.
#pragma once

#include <string_view>

namespace mfma::reports::html {

struct Asset {
  std::string_view text;
  std::string_view sha256;  // of the text, in hex
};

extern const std::string_view kPage;  // with {{NAME}} where a part goes
extern const Asset kStyle;
extern const Asset kScript;

}  // namespace mfma::reports::html
