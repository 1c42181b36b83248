#include "reports/json/compare_json.h"

#include "reports/json/record_json.h"
#include "reports/model/compare_fields.h"

namespace mfma::reports {

std::string to_json(const Comparison& c) {
  return json::to_json(c, kComparisonFields).dump(1, ' ', false, json::Json::error_handler_t::replace) + "\n";
}

}  // namespace mfma::reports
