#include "reports/json/json_parts.h"

#include <exception>
#include <string>

#include "reports/json/record_json.h"
#include "reports/model/run_fields.h"

namespace mfma::reports::json {

Json header(const RunReport& r) {
  Json json = Json::object();
  write_rows(r, kRunHead, Detail::kFull, json);
  return json;
}

Json totals(const RunReport& r) { return to_json(r, kTotals); }
Json program_totals(const RunReport& r) { return to_json(r, kProgramTotals); }
Json unit(const UnitReport& u, bool is_program) {
  return is_program ? to_json(u, kProgramFields) : to_json(u, kInstanceFields);
}
Json row(const BuiltinReport& b, bool is_shape) {
  return is_shape ? to_json(b, kShapeFields) : to_json(b, kBuiltinFields);
}
Json finding(const Finding& f, Detail detail) { return to_json(f, kFindingFields, detail); }
Json open_point(const OpenPoint& o) { return to_json(o, kOpenPointFields); }
Json waiver(const JudgedWaiver& w) { return to_json(w, kWaiverFields); }
Json few_counts(const Counts& c) { return counts(c, kCounts, true); }

std::string reason_of(const std::exception& e) {
  const std::string what = e.what();
  const std::size_t end = what.find("] ");
  return what.rfind("[json.exception", 0) == 0 && end != std::string::npos ? what.substr(end + 2) : what;
}

}  // namespace mfma::reports::json
