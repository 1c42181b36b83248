#include "reports/json/json_parts.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>

#include "harness/cases/case_file.h"
#include "reports/json/waiver_file.h"

namespace mfma::reports::json {

const std::array<CountField, 12>& count_fields() {
  static const std::array<CountField, 12> fields = {{{"executions", &Counts::executions},
                                                     {"cases", &Counts::cases},
                                                     {"cases_not_run", &Counts::not_run},
                                                     {"cases_left", &Counts::left},
                                                     {"elements_compared", &Counts::elements},
                                                     {"elements_exact", &Counts::exact},
                                                     {"elements_model_dependent", &Counts::model_dependent},
                                                     {"elements_differing", &Counts::differing},
                                                     {"elements_unconfirmed", &Counts::unconfirmed},
                                                     {"property_checks", &Counts::property_checks},
                                                     {"properties_broken", &Counts::properties_broken},
                                                     {"cases_on_unsettled_reading", &Counts::unsettled_cases}}};
  return fields;
}
static_assert(sizeof(Counts) == 12 * sizeof(std::uint64_t), "a count without a name in JSON");

const char* count_name_of(Verdict v) {
  switch (v) {
    case Verdict::kPass:
      return "passed";
    case Verdict::kWaived:
      return "waived";
    case Verdict::kNotRun:
      return "not_run";
    case Verdict::kInconclusive:
      return "inconclusive";
    case Verdict::kHang:
      return "hung";
    case Verdict::kFail:
      break;
  }
  return "failed";
}

namespace {

void set(Json& json, const char* key, const std::string& text) {
  if (!text.empty()) json[key] = text;
}

}  // namespace

Json all_counts(const Counts& c) {
  Json counts = Json::object();
  for (const CountField& field : count_fields()) counts[field.name] = c.*field.member;
  return counts;
}

// Of a unit: without what is 0.
Json few_counts(const Counts& c) {
  Json counts = Json::object();
  for (const CountField& field : count_fields()) {
    if (c.*field.member) counts[field.name] = c.*field.member;
  }
  return counts;
}

namespace {

Json difference(const ElementDifference& d) {
  Json json = {{"block", d.block},
               {"row", d.row},
               {"column", d.column},
               {"lane", d.lane},
               {"register", d.bit / 32},
               {"bit", d.bit},
               {"width", d.width},
               {"expected", fmt::format("{:0{}x}", d.expected, d.width / 4)},
               {"actual", fmt::format("{:0{}x}", d.actual, d.width / 4)},
               {"exact", d.exact}};
  set(json, "against", d.against);
  return json;
}

Json reduced(const ReducedFailure& r) {
  return {{"instance", r.instance},
          {"level", r.level},
          {"nonzero_products", r.nonzero_products},
          {"candidates", r.candidates},
          {"exhausted", r.exhausted},
          {"difference", difference(r.difference)},
          {"file", r.file},
          {"case", r.text}};
}

Json histogram(const std::map<int, std::uint64_t>& counts) {
  Json json = Json::object();
  for (const auto& [place, count] : counts) json[std::to_string(place)] = count;
  return json;
}

Json located(const Location& l) {
  Json units = Json::array();
  for (const Location::Unit& u : l.failing) {
    units.push_back(
        {{"xcc", u.xcc}, {"se", u.se}, {"cu", u.cu}, {"simd", u.simd}, {"runs", u.runs}, {"failed", u.failed}});
  }
  return {{"runs", l.runs},
          {"failed", l.failed},
          {"simds", l.units},
          {"failing", std::move(units)},
          {"message", l.message}};
}

Json across(const AcrossDevices& a) {
  return {{"with", a.with}, {"without", a.without}, {"unknown", a.unknown}, {"attributed_to", a.attributed_to}};
}

}  // namespace

Json finding(const Finding& f, Detail detail) {
  const bool in_full = detail == Detail::kFull, bare = detail == Detail::kBare;
  Json json = {{"code", code_of(f.kind)},
               {"verdict", name_of(verdict_of(f))},
               {"unit", f.unit},
               {"builtin", f.builtin},
               {"instance", f.instance}};
  set(json, "shape", f.shape);
  set(json, "program", f.program);
  json["compiler"] = f.compiler;
  json["level"] = f.level;
  json["device"] = f.device;
  if (!bare) {
    set(json, "case", f.case_id);
    set(json, "operand_class", f.operand_class);
  }
  set(json, "property", f.property);
  json["message"] = f.message;
  set(json, "attribution", f.attribution);
  set(json, "waived", f.waived);
  if (f.cases_affected) json["cases_affected"] = f.cases_affected;
  if (f.elements_differing) json["elements_differing"] = f.elements_differing;
  if (f.unsettled) json["unsettled_reading"] = true;
  if (bare) {
    json["shortened"] = true;
    return json;
  }
  for (const ElementDifference& d : f.differences) {
    json["differences"].push_back(difference(d));
    if (!in_full) break;
  }
  if (f.replays) {
    json["replay"] = {{"runs", f.replays},
                      {"failed", f.replays_failed},
                      {"label", cases::word_of({.failed = f.replays_failed, .runs = f.replays})}};
  }
  if (f.repeats > 1) json["repeat"] = {{"launches", f.repeats}, {"differing", f.repeats_failed}};
  if (f.across) json["across_devices"] = across(*f.across);
  set(json, "case_file", f.case_file);
  set(json, "replay_command", replay_command(f));
  if (f.reduced) json["reduced"] = reduced(*f.reduced);
  if (!in_full) {
    json["shortened"] = true;
    return json;
  }
  if (!f.failing_lanes.empty()) json["failing_lanes"] = histogram(f.failing_lanes);
  if (!f.failing_bits.empty()) json["failing_bits"] = histogram(f.failing_bits);
  if (f.located) json["located"] = located(*f.located);
  set(json, "log", f.log);
  set(json, "source", f.source);
  return json;
}

Json row(const BuiltinReport& b, const char* name, const char* units) {
  Json json = {{name, b.builtin}, {"verdict", name_of(b.verdict())}, {units, b.instances}};
  for (const Verdict v : kVerdicts) json[count_name_of(v)] = b.with(v);
  json["rule_status"] = b.rule_status();
  json["rule_sources"] = b.rule_sources;
  json["properties_left_out"] = b.unlawful;
  json["counts"] = all_counts(b.counts);
  return json;
}

Json unit(const UnitReport& u, const char* group, const char* id) {
  Json json = {{"number", u.number}, {group, u.group}, {id, u.id}, {"verdict", name_of(u.verdict)}};
  if (u.smoke) json["smoke"] = true;
  if (u.untouched) json["untouched"] = true;
  json["counts"] = few_counts(u.counts);
  for (const PropertyCount& p : u.properties) {
    json["properties"][p.property] = p.checks;
    if (p.broken) json["properties_broken"][p.property] = p.broken;
  }
  for (const OpenPoint& o : u.open) json["open"].push_back(open_point(o));
  return json;
}

Json open_point(const OpenPoint& o) {
  return {{"property", o.property}, {"builtin", o.builtin}, {"reading", o.reading}, {"checks", o.checks}};
}

const char* name_of(WaiverState s) {
  switch (s) {
    case WaiverState::kUsed:
      return "used";
    case WaiverState::kUnused:
      return "unused";
    case WaiverState::kExpired:
      return "expired";
    case WaiverState::kIdle:
      break;
  }
  return "idle";
}

Json waiver(const JudgedWaiver& w) {
  Json json = {{"file", w.waiver.file}, {"number", w.waiver.number}, {"state", name_of(w.state)}};
  for (const WaiverField& field : waiver_fields()) set(json, field.name, w.waiver.*(field.member));
  if (w.waiver.may_pass) json["may_pass"] = true;
  json["findings"] = w.findings;
  json["units"] = w.units;
  json["units_left"] = w.units_left;
  return json;
}

namespace {

Json facts(const RunReport& r) {
  Json facts = Json::object();
  for (const auto& [name, fact] : r.device_facts) facts[name] = fact;
  return facts;
}

Json error_counters(const RunReport& r) {
  const auto number = [](const std::optional<std::uint64_t>& n) { return n ? Json(*n) : Json(nullptr); };
  Json counters = Json::object();
  for (const ErrorCounter& c : r.device_errors) {
    counters[c.name] = {{"before", number(c.before)}, {"after", number(c.after)}, {"rose", c.rose()}};
  }
  return counters;
}

Json compiler(const CompilerReport& c) {
  return {{"path", c.path},
          {"resolved", c.resolved},
          {"version", c.version},
          {"hash", c.hash},
          {"flags", c.flags},
          {"kernels_compiled", c.kernels_compiled},
          {"kernels_from_cache", c.kernels_from_cache}};
}

}  // namespace

Json header(const RunReport& r) {
  Json compilers = Json::array();
  for (const CompilerReport& c : r.compilers) compilers.push_back(compiler(c));
  return {{"schema", kReportSchema},
          {"tool", {{"name", "mfma-conform"}, {"version", r.tool_version}}},
          {"command", r.command},
          {"exit_code", static_cast<int>(r.exit_code())},
          {"started", r.started},
          {"seconds", r.seconds},
          {"stopped", r.stopped},
          {"arch", r.arch},
          {"compilers", std::move(compilers)},
          {"levels", r.levels},
          {"device",
           {{"id", r.device_id},
            {"kind", r.device_kind},
            {"emulated", r.device_emulated},
            {"description", r.device_description},
            {"facts", facts(r)},
            {"error_counters", error_counters(r)}}},
          {"profile", {{"name", r.profile_name}, {"source", r.profile_source}, {"digest", r.profile_digest}}},
          {"device_profile",
           {{"name", r.device_profile_name}, {"source", r.device_profile_source}, {"digest", r.device_profile_digest}}},
          {"broadcast_reading", r.broadcast_reading},
          {"seed", r.seed},
          {"tier", r.tier},
          {"cases_per_instance", r.cases_per_instance},
          {"cases_per_program", r.cases_per_program},
          {"repeats", r.repeats},
          {"rounds", r.rounds},
          {"modifiers", r.modifiers},
          {"operand_classes", r.operand_classes},
          {"properties", r.properties},
          {"shapes_asked", r.shapes_asked},
          {"shard", {{"index", r.shard_index}, {"count", r.shard_count}}}};
}

Json totals(const RunReport& r) {
  Json json = {{"builtins", r.builtins.size()}, {"instances", r.instances()}};
  for (const Verdict v : kVerdicts) json[count_name_of(v)] = r.instances_with(v);
  json["counts"] = all_counts(r.totals());
  for (const WaiverState s : kWaiverStates) json["waivers"][name_of(s)] = r.waivers_with(s);
  return json;
}

Json program_totals(const RunReport& r) {
  Json json = {{"shapes", r.shapes.size()}, {"programs", r.programs()}};
  for (const Verdict v : kVerdicts) json[count_name_of(v)] = r.programs_with(v);
  json["counts"] = all_counts(r.program_totals());
  return json;
}

}  // namespace mfma::reports::json
