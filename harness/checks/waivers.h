// Waivers over what check-compiler finds: those of a file (reports/json/waiver_file.h) that have a "finding".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/checks/finding.h"
#include "reports/model/waiver.h"

namespace mfma::checks {

struct LeftWaivers {
  std::vector<reports::Waiver> unused;   // cover nothing: what they stood for is gone
  std::vector<reports::Waiver> expired;  // waive nothing any more
};

// Marks what the waivers cover (the first that matches gives the reason); `finding` is a glob (fnmatch) over key_of().
// Of the waivers for this compiler, those that did not: `today` is "2026-11-30".
LeftWaivers apply_waivers(const std::vector<reports::Waiver>& waivers, const std::string& compiler_version,
                          std::string_view today, std::vector<Finding>& findings);

}  // namespace mfma::checks
