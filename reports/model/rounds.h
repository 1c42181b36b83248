// The rounds of a soak as one report.
#pragma once

#include "reports/model/report.h"

namespace mfma::reports {

// Adds a round on the same device with the same options but for the seed. Counts add up. An instance has the worst
// verdict that any round gave it; of findings that differ in their case alone the first is kept, with the cases and
// elements of all.
void add_round(RunReport& sum, RunReport&& round);

}  // namespace mfma::reports
