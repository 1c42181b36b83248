// What waivers make of a report.
#pragma once

#include "reports/model/report.h"

namespace mfma::reports {

// Judges RunReport::waivers, those of check-compiler aside, against all findings and verdicts of the report:
//   - a finding that one of them matches and that has not expired is waived, with its reason and link;
//   - an instance or a program is waived when all that is wrong with it is; where it was untouched it is not run;
//   - a waiver that is past its date on the day the report was started, or that matches nothing though all it is about
//     ran to the end, adds a finding (kWaiverExpired, kWaiverUnused) after all others, which fails the run.
// A shard of several judges only waivers of one instance as unused: the others may be used in another shard, and
// merge() judges the whole. Gives the same again when it is called again.
void judge_waivers(RunReport& report);

}  // namespace mfma::reports
