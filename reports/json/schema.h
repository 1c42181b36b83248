// The schemas of reports/schema/, made from the tables of fields: `mfma-conform documentation --format schema-report`.
#pragma once

#include <string>

namespace mfma::reports {

// As text, an indent of one space, with a line break at its end.
std::string report_schema();
std::string events_schema();
std::string compare_schema();

}  // namespace mfma::reports
