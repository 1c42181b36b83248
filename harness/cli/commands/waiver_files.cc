#include "harness/cli/commands/waiver_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/catalogue/instance.h"
#include "harness/cli/commands/data.h"
#include "harness/cli/commands/levels.h"
#include "harness/conformance/calls/plan.h"
#include "harness/kernels/shapes.h"
#include "harness/properties/property.h"
#include "harness/system/glob.h"
#include "reports/json/waiver_file.h"

namespace mfma::cli {
namespace {

using reports::Waiver;

bool names_instance(const std::string& glob) {
  const auto& all = catalogue::builtins();
  return std::any_of(all.begin(), all.end(), [&](const catalogue::Builtin& b) {
    const std::vector<catalogue::Instance> instances = catalogue::legal_instances(b);
    return std::any_of(instances.begin(), instances.end(), [&](const catalogue::Instance& i) {
      return system::glob_matches(glob, catalogue::instance_id(i));
    });
  });
}

bool names_shape(const std::string& glob) {
  if (system::glob_matches(glob, "random")) return true;
  const auto all = kernels::shapes();
  return std::any_of(all.begin(), all.end(),
                     [&](const auto& shape) { return system::glob_matches(glob, std::string(shape.name)); });
}

// A waiver of nothing that there is would never be unused.
std::string unknown_name(const Waiver& w) {
  if (!w.builtin.empty() && catalogue::match_builtins(w.builtin).empty()) {
    return fmt::format("\"builtin\": {}; 'mfma-conform list' shows all", catalogue::explain_unknown_name(w.builtin));
  }
  if (!w.instance.empty() && !names_instance(w.instance)) {
    return fmt::format("\"instance\": no instance matches '{}'; 'mfma-conform list --instances' shows all", w.instance);
  }
  if (!w.shape.empty() && !names_shape(w.shape))
    return fmt::format("\"shape\": no shape matches '{}'; 'mfma-conform list --shapes' shows all", w.shape);
  if (!w.property.empty() && !properties::find_property(w.property)) {
    return fmt::format("\"property\": '{}' is no property; 'mfma-conform list --properties' shows all", w.property);
  }
  if (!w.level.empty()) {
    const auto levels = parse_levels(w.level);
    if (!levels || levels->size() != 1)
      return fmt::format("\"level\": '{}' is none of O0, O1, O2, O3, Os and Oz", w.level);
  }
  if (!w.arch.empty() && !system::glob_matches(w.arch, conformance::kArch)) {
    return fmt::format("\"arch\": '{}' does not match {}, the only one there is", w.arch, conformance::kArch);
  }
  return {};
}

}  // namespace

tl::expected<std::vector<reports::JudgedWaiver>, std::string> read_waiver_files(const std::vector<std::string>& files) {
  std::vector<reports::JudgedWaiver> all;
  for (const std::string& file : files) {
    auto waivers = reports::read_waivers(data_file("waivers", file));
    if (!waivers) return tl::make_unexpected("--waivers " + waivers.error());
    for (Waiver& w : *waivers) {
      if (!w.finding.empty()) continue;
      if (const std::string why = unknown_name(w); !why.empty()) {
        return tl::make_unexpected(fmt::format("--waivers {}: waiver {}: {}", file, w.number, why));
      }
      all.emplace_back().waiver = std::move(w);
    }
  }
  return all;
}

}  // namespace mfma::cli
