#include "harness/checks/check_fields.h"
#include "harness/checks/render.h"
#include "reports/json/record_json.h"
#include "reports/json/record_schema.h"

namespace mfma::checks {

using reports::json::Json;

std::string to_json(const std::vector<CheckReport>& reports, const std::string& command) {
  return reports::json::to_json(CheckDocument{command, reports}, kCheckFields)
             .dump(2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

std::string check_schema() {
  using reports::json::Schema;
  Json check = Schema(false).of(kCheckFields, "");
  return Schema::document("check", "mfma-conform check of compilers", std::move(check), Json::object()).dump(1) + "\n";
}

}  // namespace mfma::checks
