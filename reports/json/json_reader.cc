#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "harness/system/json_text.h"
#include "harness/system/whole_file.h"
#include "reports/json/json.h"
#include "reports/json/json_parts.h"
#include "reports/json/record_json.h"
#include "reports/model/run_fields.h"

namespace mfma::reports {
namespace {

using json::Json;

// Far above what a run writes; a page of it could not be read by anybody.
constexpr std::size_t kLargestFile = std::size_t{1} << 30;

bool same_counts(const std::vector<BuiltinReport>& x, const std::vector<BuiltinReport>& y) {
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const BuiltinReport& a, const BuiltinReport& b) {
    return a.builtin == b.builtin && a.instances == b.instances && a.counts == b.counts &&
           std::all_of(kVerdicts.begin(), kVerdicts.end(), [&](Verdict v) { return a.with(v) == b.with(v); });
  });
}

void require_sums(const UnitReport& u) {
  std::uint64_t checks = 0, broken = 0;
  for (const PropertyCount& p : u.properties) {
    checks += p.checks;
    broken += p.broken;
  }
  if (checks == u.counts.property_checks && broken == u.counts.properties_broken) return;
  throw std::invalid_argument(fmt::format("\"properties\" of {} do not add up to its counts", u.id));
}

RunReport read_all(const Json& json) {
  RunReport r;
  json::read_rows(json, kRunFields, r);
  for (const UnitReport& u : r.units) require_sums(u);
  for (const UnitReport& u : r.program_units) require_sums(u);
  const std::vector<OpenPoint> open = r.open;
  const std::vector<BuiltinReport> builtins = r.builtins, shapes = r.shapes;
  summarize(r);
  if (!same_counts(builtins, r.builtins))
    throw std::invalid_argument("\"builtins\" does not add up to what \"instances\" has");
  if (!same_counts(shapes, r.shapes))
    throw std::invalid_argument("\"shapes\" does not add up to what \"programs\" has");
  if (open != r.open) throw std::invalid_argument("\"open\" does not add up to what \"instances\" has");
  if (json.at("exit_code") != static_cast<int>(r.exit_code())) {
    throw std::invalid_argument(
        fmt::format("\"exit_code\" is not {}, which the results come to", static_cast<int>(r.exit_code())));
  }
  return r;
}

}  // namespace

tl::expected<RunReport, std::string> from_json(std::string_view text, const std::string& name) {
  const auto refuse = [&](const std::string& why) { return tl::make_unexpected(fmt::format("{}: {}", name, why)); };
  const auto parsed = system::parse_json<Json>(text);
  if (!parsed) {
    return refuse(parsed.error().byte == 0 ? parsed.error().what
                                           : "not JSON, or not all of it: want a report that 'run --json FILE' wrote");
  }
  const Json& json = *parsed;
  if (!json.is_object() || !json.contains("schema")) return refuse("not a report of mfma-conform: no \"schema\"");
  if (json.at("schema") != kReportSchema) {
    return refuse(fmt::format("schema {} is not {}",
                              json.at("schema").dump(-1, ' ', false, Json::error_handler_t::replace), kReportSchema));
  }
  try {
    return read_all(json);
  } catch (const std::exception& e) {
    return refuse(json::reason_of(e));
  }
}

tl::expected<RunReport, std::string> read_report(const std::filesystem::path& file) {
  const auto text = system::read_bounded_file(file, kLargestFile);
  if (!text)
    return tl::make_unexpected(
        fmt::format("{}: {}; want a report that 'run --json FILE' wrote", file.string(), text.error()));
  return from_json(*text, file.string());
}

}  // namespace mfma::reports
