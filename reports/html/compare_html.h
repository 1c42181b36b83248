// What changed between two reports, as one page without scripts.
#pragma once

#include <string>

#include "reports/model/compare.h"

namespace mfma::reports {

std::string to_html(const Comparison& c);

}  // namespace mfma::reports
