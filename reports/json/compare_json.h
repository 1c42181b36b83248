// What changed between two reports as JSON, schema reports/schema/compare-1.json.
#pragma once

#include <string>

#include "reports/model/compare.h"

namespace mfma::reports {

std::string to_json(const Comparison& c);

}  // namespace mfma::reports
