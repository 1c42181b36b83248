#include "reports/model/same_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <vector>

#include "reports/model/waiver.h"

namespace mfma::reports {
namespace {

std::string compilers_of(const RunReport& r) {
  std::vector<std::string> all;
  for (const CompilerReport& c : r.compilers)
    all.push_back(fmt::format("{} (hash {}, flags {})", c.version, c.hash, fmt::join(c.flags, " ")));
  return fmt::to_string(fmt::join(all, "; "));
}

std::string listed(const std::vector<std::string>& list) {
  return list.empty() ? "none named" : fmt::to_string(fmt::join(list, ","));
}

std::string waivers_of(const RunReport& r) {
  std::vector<std::string> all;
  for (const JudgedWaiver& w : r.waivers)
    all.push_back(fmt::format("{}, {}, {}", describe(w.waiver), w.waiver.reason, w.waiver.link));
  return listed(all);
}

}  // namespace

std::string difference_of_runs(const RunReport& x, const RunReport& y) {
  struct Field {
    const char* name;
    std::function<std::string(const RunReport&)> of;
  };
  const Field fields[] = {
      {"version of mfma-conform", [](const RunReport& r) { return r.tool_version; }},
      {"arch", [](const RunReport& r) { return r.arch; }},
      {"compilers", compilers_of},
      {"levels", [](const RunReport& r) { return listed(r.levels); }},
      {"kind of device", [](const RunReport& r) { return r.device_kind; }},
      {"profile", [](const RunReport& r) { return fmt::format("{} ({})", r.profile_name, r.profile_digest); }},
      {"device profile",
       [](const RunReport& r) { return fmt::format("{} ({})", r.device_profile_name, r.device_profile_digest); }},
      {"cbsz reading", [](const RunReport& r) { return r.broadcast_reading; }},
      {"seed", [](const RunReport& r) { return std::to_string(r.seed); }},
      {"tier", [](const RunReport& r) { return r.tier; }},
      {"cases per instance", [](const RunReport& r) { return std::to_string(r.cases_per_instance); }},
      {"cases per program", [](const RunReport& r) { return std::to_string(r.cases_per_program); }},
      {"launches of each case", [](const RunReport& r) { return std::to_string(r.repeats); }},
      {"rounds", [](const RunReport& r) { return std::to_string(r.rounds); }},
      {"modifiers", [](const RunReport& r) { return r.modifiers; }},
      {"operand classes", [](const RunReport& r) { return listed(r.operand_classes); }},
      {"properties", [](const RunReport& r) { return listed(r.properties); }},
      {"waivers", waivers_of},
      {"shapes", [](const RunReport& r) { return r.shapes_asked.empty() ? std::string("by tier") : r.shapes_asked; }},
  };
  for (const Field& field : fields) {
    const std::string a = field.of(x), b = field.of(y);
    if (a != b) return fmt::format("{}: {} and {}", field.name, a, b);
  }
  return {};
}

}  // namespace mfma::reports
