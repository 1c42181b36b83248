// The parts of a report as JSON, for the report, the event log and the page. The tables of reports/model say what they
// are.
#pragma once

#include <exception>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "reports/json/json.h"
#include "reports/model/record.h"
#include "reports/model/report.h"

namespace mfma::reports::json {

using Json = nlohmann::ordered_json;

// What the run was: everything but results.
Json header(const RunReport& r);
Json totals(const RunReport& r);
Json program_totals(const RunReport& r);
Json unit(const UnitReport& u, bool is_program);
// A row of builtins or of shapes.
Json row(const BuiltinReport& b, bool is_shape);
// Empty fields are left out.
Json finding(const Finding& f, Detail detail);
Json open_point(const OpenPoint& o);
Json waiver(const JudgedWaiver& w);
Json few_counts(const Counts& c);  // without those that are 0

// What an exception of reading says, without nlohmann's "[json.exception.type_error.302] ".
std::string reason_of(const std::exception& e);

}  // namespace mfma::reports::json
