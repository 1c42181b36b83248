// The kind of a drawn finding: any that a report may hold.
#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include "reports/model/report.h"

namespace mfma::fuzz {

inline reports::FindingKind draw_finding_kind(FuzzedDataProvider& in) {
  return static_cast<reports::FindingKind>(in.ConsumeIntegralInRange(0, reports::kFindingKinds - 1));
}

}  // namespace mfma::fuzz
