// The comparison that the targets which run a case share.
#pragma once

#include <string>

#include "harness/cases/case.h"
#include "harness/conformance/execution/oracle_view.h"

namespace mfma::fuzz {

// 0 when D is what the oracle says, else 1 and a line with the first element that differs.
int compare(const conformance::OracleView& view, const cases::Case& c, const catalogue::RegisterImage& d,
            const std::string& subject);

}  // namespace mfma::fuzz
