// What is summed where reports are put together, of shards or of rounds: the fields that run_fields.h says so of.
#pragma once

#include "reports/model/report.h"

namespace mfma::reports {

// Compilers are added by their places; those that `sum` does not have are left out.
void add_sums(const RunReport& more, RunReport& sum);

}  // namespace mfma::reports
