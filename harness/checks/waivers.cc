#include "harness/checks/waivers.h"

#include <fmt/format.h>

#include "harness/system/glob.h"
#include "reports/json/waiver_file.h"

namespace mfma::checks {

LeftWaivers apply_waivers(const std::vector<reports::Waiver>& waivers, const std::string& compiler_version,
                          std::string_view today, std::vector<Finding>& findings) {
  LeftWaivers left;
  for (const reports::Waiver& waiver : waivers) {
    if (waiver.finding.empty() || !reports::is_about_compiler(waiver, compiler_version)) continue;
    if (reports::is_expired(waiver, today)) {
      left.expired.push_back(waiver);
      continue;
    }
    bool used = false;
    for (Finding& f : findings) {
      if (!system::glob_matches(waiver.finding, key_of(f))) continue;
      used = true;
      if (f.waived.empty()) f.waived = fmt::format("{} ({})", waiver.reason, waiver.link);
    }
    if (!used) left.unused.push_back(waiver);
  }
  return left;
}

}  // namespace mfma::checks
