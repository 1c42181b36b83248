// A check report for people and for tools.
#pragma once

#include <string>
#include <vector>

#include "harness/checks/check.h"
#include "harness/checks/waivers.h"
#include "reports/model/report.h"

namespace mfma::checks {

struct RenderOptions {
  bool verbose = false;  // also what is waived or ignored, one by one, and the matrix per level
  LeftWaivers waivers = {};
};
std::string to_terminal(const CheckReport& report, const RenderOptions& options);

inline constexpr const char* kCheckSchema = "mfma-conform/check/1";
// One document for all compilers that were checked, as reports/schema/check-1.json has it.
std::string to_json(const std::vector<CheckReport>& reports, const std::string& command);

// The text of that schema, made from the fields (check_fields.h).
std::string check_schema();

// 1 when a finding gates; else 2 when the tool or the machine failed or nothing was checked; else 0.
reports::ExitCode exit_code(const CheckReport& report);

}  // namespace mfma::checks
