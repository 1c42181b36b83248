#include "reports/json/schema.h"

#include "reports/json/event_fields.h"
#include "reports/json/record_schema.h"
#include "reports/model/compare_fields.h"
#include "reports/model/run_fields.h"

namespace mfma::reports {

using json::Json;
using json::Schema;

std::string report_schema() {
  Schema schema(true);
  Json report = schema.object("The report of a run.", kRunFields);
  return Schema::document("report", "mfma-conform run report", std::move(report), schema.take_definitions()).dump(1) +
         "\n";
}

std::string compare_schema() {
  Schema schema(false);
  Json comparison = schema.of(kComparisonFields, "");
  return Schema::document("compare", "mfma-conform comparison of two reports", std::move(comparison), Json::object())
             .dump(1) +
         "\n";
}

std::string events_schema() {
  Schema schema(false);
  Json names = Json::array(), events = Json::array();
  record::for_each(kEvents, [&](const auto& event) {
    names.push_back(std::get<0>(event.rows).value);
    events.push_back(schema.of(event, ""));
  });
  Json line = {
      {"description", "A line of the event log of a run. Each is written before anything that follows it is done."},
      {"type", "object"},
      {"required", {"event"}},
      {"properties", {{"event", {{"enum", std::move(names)}, {"description", "What happened."}}}}},
      {"oneOf", std::move(events)}};
  return Schema::document("events", "mfma-conform event log, one line", std::move(line), Json::object()).dump(1) + "\n";
}

}  // namespace mfma::reports
