#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "harness/system/json_text.h"
#include "harness/system/whole_file.h"
#include "reports/json/json.h"
#include "reports/json/json_parts.h"
#include "reports/json/waiver_file.h"

namespace mfma::reports {
namespace json {
namespace {

std::string text(const Json& json, const char* key) {
  return json.contains(key) ? json.at(key).get<std::string>() : std::string();
}
std::uint64_t number(const Json& json, const char* key) {
  return json.contains(key) ? json.at(key).get<std::uint64_t>() : 0;
}

// nlohmann gives -1 as 18446744073709551615 and 1.5 as 1.
template <typename T>
T whole(const Json& json) {
  if (!json.is_number_unsigned())
    throw std::invalid_argument(
        fmt::format("{} is not a whole number", json.dump(-1, ' ', false, Json::error_handler_t::replace)));
  return json.get<T>();
}

std::uint64_t bits(const Json& json) {
  const auto& digits = json.get_ref<const std::string&>();
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (error != std::errc() || end != digits.data() + digits.size())
    throw std::invalid_argument(fmt::format("'{}' is not a bit pattern", digits));
  return value;
}

Verdict verdict(const Json& json) {
  const auto& name = json.get_ref<const std::string&>();
  const auto found = verdict_named(name);
  if (!found) throw std::invalid_argument(fmt::format("'{}' is no verdict", name));
  return *found;
}

ElementDifference read_difference(const Json& json) {
  ElementDifference d;
  d.block = json.at("block");
  d.row = json.at("row");
  d.column = json.at("column");
  d.lane = json.at("lane");
  d.bit = json.at("bit");
  d.width = json.at("width");
  d.expected = bits(json.at("expected"));
  d.actual = bits(json.at("actual"));
  d.exact = json.at("exact");
  d.against = text(json, "against");
  return d;
}

ReducedFailure read_reduced(const Json& json) {
  ReducedFailure r;
  r.instance = json.at("instance");
  r.level = json.at("level");
  r.nonzero_products = whole<std::uint64_t>(json.at("nonzero_products"));
  r.candidates = whole<std::uint64_t>(json.at("candidates"));
  r.exhausted = json.at("exhausted");
  r.difference = read_difference(json.at("difference"));
  r.file = json.at("file");
  r.text = json.at("case");
  return r;
}

std::map<int, std::uint64_t> read_histogram(const Json& json) {
  std::map<int, std::uint64_t> counts;
  for (const auto& [place, count] : json.items()) {
    int number = 0;
    const auto [end, error] = std::from_chars(place.data(), place.data() + place.size(), number);
    if (error != std::errc() || end != place.data() + place.size())
      throw std::invalid_argument(fmt::format("'{}' is not a number", place));
    counts[number] = whole<std::uint64_t>(count);
  }
  return counts;
}

Location read_located(const Json& json) {
  Location l;
  l.runs = whole<std::uint64_t>(json.at("runs"));
  l.failed = whole<std::uint64_t>(json.at("failed"));
  l.units = whole<std::uint64_t>(json.at("simds"));
  for (const Json& u : json.at("failing")) {
    l.failing.push_back({whole<unsigned>(u.at("xcc")), whole<unsigned>(u.at("se")), whole<unsigned>(u.at("cu")),
                         whole<unsigned>(u.at("simd")), whole<std::uint64_t>(u.at("runs")),
                         whole<std::uint64_t>(u.at("failed"))});
  }
  l.message = json.at("message");
  return l;
}

AcrossDevices read_across(const Json& json) {
  return {json.at("with").get<std::vector<std::string>>(), json.at("without").get<std::vector<std::string>>(),
          json.at("unknown").get<std::vector<std::string>>(), json.at("attributed_to")};
}

std::vector<ErrorCounter> read_error_counters(const Json& json) {
  const auto number = [](const Json& n) { return n.is_null() ? std::nullopt : std::optional(whole<std::uint64_t>(n)); };
  std::vector<ErrorCounter> counters;
  for (const auto& [name, counter] : json.items())
    counters.push_back({name, number(counter.at("before")), number(counter.at("after"))});
  return counters;
}

CompilerReport read_compiler(const Json& json) {
  return {json.at("path"),
          json.at("resolved"),
          json.at("version"),
          json.at("hash"),
          json.at("flags").get<std::vector<std::string>>(),
          whole<std::uint64_t>(json.at("kernels_compiled")),
          whole<std::uint64_t>(json.at("kernels_from_cache"))};
}

}  // namespace

void read_header(const Json& json, RunReport& r) {
  r.tool_version = json.at("tool").at("version");
  r.command = json.at("command");
  r.started = json.at("started");
  r.seconds = json.at("seconds");
  r.stopped = json.at("stopped");
  r.arch = json.at("arch");
  for (const Json& c : json.at("compilers")) r.compilers.push_back(read_compiler(c));
  r.levels = json.at("levels").get<std::vector<std::string>>();
  const Json& device = json.at("device");
  r.device_id = device.at("id");
  r.device_kind = device.at("kind");
  r.device_emulated = device.at("emulated");
  r.device_description = device.at("description");
  for (const auto& [name, fact] : device.at("facts").items())
    r.device_facts.emplace_back(name, fact.get<std::string>());
  r.device_errors = read_error_counters(device.at("error_counters"));
  const Json& profile = json.at("profile");
  r.profile_name = profile.at("name");
  r.profile_source = profile.at("source");
  r.profile_digest = profile.at("digest");
  const Json& device_profile = json.at("device_profile");
  r.device_profile_name = device_profile.at("name");
  r.device_profile_source = device_profile.at("source");
  r.device_profile_digest = device_profile.at("digest");
  r.broadcast_reading = json.at("broadcast_reading");
  r.seed = whole<std::uint64_t>(json.at("seed"));
  r.tier = json.at("tier");
  r.cases_per_instance = whole<std::uint64_t>(json.at("cases_per_instance"));
  r.cases_per_program = whole<std::uint64_t>(json.at("cases_per_program"));
  r.repeats = whole<std::uint64_t>(json.at("repeats"));
  r.rounds = whole<std::uint64_t>(json.at("rounds"));
  r.modifiers = json.at("modifiers");
  r.operand_classes = json.at("operand_classes").get<std::vector<std::string>>();
  r.properties = json.at("properties").get<std::vector<std::string>>();
  r.shapes_asked = json.at("shapes_asked");
  r.shard_index = whole<std::uint64_t>(json.at("shard").at("index"));
  r.shard_count = whole<std::uint64_t>(json.at("shard").at("count"));
}

Counts read_counts(const Json& json) {
  Counts counts;
  for (const CountField& field : count_fields()) {
    if (json.contains(field.name)) counts.*field.member = whole<std::uint64_t>(json.at(field.name));
  }
  return counts;
}

namespace {

std::vector<PropertyCount> read_properties(const Json& unit) {
  std::vector<PropertyCount> counts;
  const auto& of = unit.at("properties").get_ref<const Json::object_t&>();
  for (const auto& [name, checks] : of) counts.push_back({name, whole<std::uint64_t>(checks), 0});
  if (!unit.contains("properties_broken")) return counts;
  const auto& broken_of = unit.at("properties_broken").get_ref<const Json::object_t&>();
  for (const auto& [name, broken] : broken_of) add_to(counts, {name, 0, whole<std::uint64_t>(broken)});
  return counts;
}

}  // namespace

UnitReport read_unit(const Json& json, const char* group, const char* id) {
  UnitReport u;
  u.number = whole<std::uint64_t>(json.at("number"));
  u.group = json.at(group);
  u.id = json.at(id);
  u.smoke = json.value("smoke", false);
  u.verdict = verdict(json.at("verdict"));
  u.untouched = json.value("untouched", false);
  u.counts = read_counts(json.at("counts"));
  if (json.contains("properties")) u.properties = read_properties(json);
  if (json.contains("open")) {
    for (const Json& o : json.at("open")) u.open.push_back(read_open_point(o));
  }
  return u;
}

BuiltinReport read_row(const Json& json, const char* name, const char* units) {
  BuiltinReport b;
  b.builtin = json.at(name);
  b.instances = whole<std::uint64_t>(json.at(units));
  for (const Verdict v : kVerdicts) b.with(v) = whole<std::uint64_t>(json.at(count_name_of(v)));
  const std::string statuses = json.at("rule_status");
  for (std::size_t at = 0; at < statuses.size();) {
    const std::size_t plus = std::min(statuses.find('+', at), statuses.size());
    b.rule_statuses.push_back(statuses.substr(at, plus - at));
    at = plus + 1;
  }
  b.rule_sources = json.at("rule_sources").get<std::vector<std::string>>();
  b.unlawful = json.at("properties_left_out");
  b.counts = read_counts(json.at("counts"));
  return b;
}

Finding read_finding(const Json& json) {
  Finding f;
  const std::string code = json.at("code");
  const auto kind = kind_named(code);
  if (!kind) throw std::invalid_argument(fmt::format("'{}' is no code of a finding", code));
  f.kind = *kind;
  f.unit = whole<std::uint64_t>(json.at("unit"));
  f.builtin = json.at("builtin");
  f.instance = json.at("instance");
  f.shape = text(json, "shape");
  f.program = text(json, "program");
  f.compiler = json.at("compiler");
  f.level = json.at("level");
  f.device = json.at("device");
  f.case_id = text(json, "case");
  f.operand_class = text(json, "operand_class");
  f.property = text(json, "property");
  f.message = json.at("message");
  f.attribution = text(json, "attribution");
  f.waived = text(json, "waived");
  f.cases_affected = number(json, "cases_affected");
  f.elements_differing = number(json, "elements_differing");
  f.unsettled = json.value("unsettled_reading", false);
  if (json.contains("differences")) {
    for (const Json& d : json.at("differences")) f.differences.push_back(read_difference(d));
  }
  if (json.contains("replay")) {
    f.replays = whole<std::uint64_t>(json.at("replay").at("runs"));
    f.replays_failed = whole<std::uint64_t>(json.at("replay").at("failed"));
  }
  if (json.contains("repeat")) {
    f.repeats = whole<std::uint64_t>(json.at("repeat").at("launches"));
    f.repeats_failed = whole<std::uint64_t>(json.at("repeat").at("differing"));
  }
  if (json.contains("across_devices")) f.across = read_across(json.at("across_devices"));
  if (json.contains("failing_lanes")) f.failing_lanes = read_histogram(json.at("failing_lanes"));
  if (json.contains("failing_bits")) f.failing_bits = read_histogram(json.at("failing_bits"));
  if (json.contains("located")) f.located = read_located(json.at("located"));
  f.case_file = text(json, "case_file");
  if (json.contains("reduced")) f.reduced = read_reduced(json.at("reduced"));
  f.log = text(json, "log");
  f.source = text(json, "source");
  return f;
}

OpenPoint read_open_point(const Json& json) {
  return {json.at("property"), json.at("builtin"), json.at("reading"), whole<std::uint64_t>(json.at("checks"))};
}

JudgedWaiver read_waiver(const Json& json) {
  JudgedWaiver w;
  w.waiver.file = json.at("file");
  w.waiver.number = whole<std::uint64_t>(json.at("number"));
  for (const WaiverField& field : waiver_fields()) w.waiver.*(field.member) = text(json, field.name);
  w.waiver.may_pass = json.value("may_pass", false);
  const std::string state = json.at("state");
  const auto* found =
      std::find_if(kWaiverStates.begin(), kWaiverStates.end(), [&](WaiverState s) { return name_of(s) == state; });
  if (found == kWaiverStates.end()) throw std::invalid_argument(fmt::format("'{}' is no state of a waiver", state));
  w.state = *found;
  w.findings = whole<std::uint64_t>(json.at("findings"));
  w.units = whole<std::uint64_t>(json.at("units"));
  w.units_left = whole<std::uint64_t>(json.at("units_left"));
  return w;
}

std::string reason_of(const std::exception& e) {
  const std::string what = e.what();
  const std::size_t end = what.find("] ");
  return what.rfind("[json.exception", 0) == 0 && end != std::string::npos ? what.substr(end + 2) : what;
}

}  // namespace json

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
  json::read_header(json, r);
  for (const Json& b : json.at("builtins")) r.builtins.push_back(json::read_row(b, "builtin", "instances"));
  for (const Json& s : json.at("shapes")) r.shapes.push_back(json::read_row(s, "shape", "programs"));
  for (const Json& f : json.at("findings")) r.findings.push_back(json::read_finding(f));
  for (const Json& u : json.at("instances")) r.units.push_back(json::read_unit(u, "builtin", "instance"));
  for (const Json& u : json.at("programs")) r.program_units.push_back(json::read_unit(u, "shape", "program"));
  for (const UnitReport& u : r.units) require_sums(u);
  for (const UnitReport& u : r.program_units) require_sums(u);
  for (const Json& w : json.at("waivers")) r.waivers.push_back(json::read_waiver(w));
  std::vector<OpenPoint> open;
  for (const Json& o : json.at("open")) open.push_back(json::read_open_point(o));
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
