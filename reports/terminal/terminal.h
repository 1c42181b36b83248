// The run report for a person at a terminal: one line per builtin, detail on failure, the verdict last.
#pragma once

#include <cstddef>
#include <string>

#include "reports/model/report.h"

namespace mfma::reports {

struct TerminalOptions {
  bool colour = false;
  bool verbose = false;
  std::size_t most_findings = 10;  // shown in detail; the rest are counted
};

std::string to_terminal(const RunReport& report, const TerminalOptions& options);

// Control characters other than newline and tab replaced by '?': compiler logs and names may hold anything.
std::string printable(const std::string& text);

}  // namespace mfma::reports
