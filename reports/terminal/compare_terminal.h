// What changed between two reports, for people.
#pragma once

#include <string>
#include <vector>

#include "reports/model/compare.h"

namespace mfma::reports {

std::string to_terminal(const Comparison& c, bool colour);

// What a comparison says, as titles and lines: for the terminal and for the page.
struct ComparisonPart {
  std::string title;
  std::vector<std::string> lines;  // none: there is nothing of it
};
std::vector<ComparisonPart> parts_of(const Comparison& c);
std::string summary_of(const Comparison& c);
// Empty: the same cases were judged in the same way.
std::string unlike_of(const Comparison& c);
const char* word_of_comparison(ExitCode code);

}  // namespace mfma::reports
