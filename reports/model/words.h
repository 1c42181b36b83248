// Words that reports are written with and that are no part of the types in report.h.
#pragma once

#include <string_view>

#include "reports/model/report.h"

namespace mfma::reports {

inline constexpr const char* kReportSchema = "mfma-conform/report/1";

// As the name of a number of units: "passed", "not_run".
std::string_view count_name_of(Verdict v);
std::string_view name_of(WaiverState s);  // "used", "unused", "expired", "idle"

}  // namespace mfma::reports
