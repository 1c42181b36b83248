// The run report as JUnit XML, as Jenkins and GitLab read it.
#pragma once

#include <filesystem>
#include <string>
#include <tl/expected.hpp>

#include "reports/model/report.h"

namespace mfma::reports {

// A suite for each builtin with a case for its bits and one for each property; a suite for the shapes with a case for
// each; one for the waivers; and one, "run", with a case that says whether the run came to its end. In the XML:
//   pass                    nothing
//   fail                    <failure type=CODE>
//   hang, inconclusive      <error type=CODE>
//   waived, not run         <skipped message=REASON>
// The suite "run" has the numbers of the JSON report as <properties>. The time is that of the whole run, on
// <testsuites> and on the case of the suite "run": compilations and launches are shared, and no case has one of its
// own. Any text in the report makes well-formed XML: what XML 1.0 cannot hold is replaced by U+FFFD.
std::string to_junit(const RunReport& report);

// As write_report_text.
tl::expected<void, std::string> write_junit(const RunReport& report, const std::filesystem::path& file);

}  // namespace mfma::reports
