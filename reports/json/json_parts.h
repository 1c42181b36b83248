// The parts of a report as JSON, for the report and for the event log. reports/schema has what they mean.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <tl/expected.hpp>

#include "reports/json/json.h"
#include "reports/model/report.h"

namespace mfma::reports::json {

using Json = nlohmann::ordered_json;

struct CountField {
  const char* name;
  std::uint64_t Counts::*member;
};
const std::array<CountField, 12>& count_fields();
const char* count_name_of(Verdict v);  // "passed", "failed", ...
const char* name_of(WaiverState s);    // "used", "unused", "expired", "idle"

// What the run was: everything but results.
Json header(const RunReport& r);
Json totals(const RunReport& r);
Json program_totals(const RunReport& r);
// `group` and `id` are the names of these keys: "builtin" and "instance", or "shape" and "program".
Json unit(const UnitReport& u, const char* group, const char* id);
// A row of builtins or shapes; `units` is the key of how many it has.
Json row(const BuiltinReport& b, const char* name, const char* units);
// Empty fields are left out. Short: one difference, no log, no source and no histogram, and "shortened"; bare: what was
// seen and where, and of no case.
enum class Detail { kFull, kShort, kBare };
Json finding(const Finding& f, Detail detail);
Json open_point(const OpenPoint& o);
Json waiver(const JudgedWaiver& w);
Json all_counts(const Counts& c);
Json few_counts(const Counts& c);  // without those that are 0

// Reading. All throw nlohmann's exceptions on what is not of its kind, and std::invalid_argument on a word that is
// unknown.
void read_header(const Json& json, RunReport& r);
Counts read_counts(const Json& json);
UnitReport read_unit(const Json& json, const char* group, const char* id);
BuiltinReport read_row(const Json& json, const char* name, const char* units);
Finding read_finding(const Json& json);
OpenPoint read_open_point(const Json& json);
JudgedWaiver read_waiver(const Json& json);
// What such an exception says, without nlohmann's "[json.exception.type_error.302] ".
std::string reason_of(const std::exception& e);

}  // namespace mfma::reports::json
