// Reports for tests: random ones, hostile text, one finding of each kind.
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "reports/model/report.h"

namespace mfma::reports::testing {

std::vector<FindingKind> all_kinds();

// A report of an emulated run with nothing in it.
RunReport empty_report();
// Appends a unit and returns its place; `id` of a program where `is_program`. summarize() is the caller's.
std::size_t add_unit(RunReport& report, const std::string& group, const std::string& id, Verdict v,
                     bool is_program = false);
// A finding of that kind on a real instance, with everything that such a finding has.
Finding sample_finding(FindingKind kind, std::uint64_t unit);
// Of a program.
Finding sample_program_finding(std::uint64_t unit);

// One unit and one finding for each kind, and a program's.
RunReport every_kind();
// Units of every verdict and findings of every kind, counts that add up.
RunReport random_report(std::mt19937& random);

// What could break out of HTML, JSON or a script, or misuse a terminal.
const std::vector<std::string>& hostile_texts();
// A report in which every text is hostile.
RunReport hostile_report();

}  // namespace mfma::reports::testing
