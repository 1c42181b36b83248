// The files that a report is written to, and the terminal: what `run`, `report` and `merge` share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "reports/model/report.h"

namespace mfma::cli {

struct Outputs {
  std::string json, html, junit;
  bool verbose = false;
  bool quiet = false;
};

void add_output_options(CLI::App* command, Outputs& outputs);

// "hip:1" as a part of a file's name: "hip-1".
std::string file_word(std::string device);
// "r.json" and "hip:1" -> "r.hip-1.json"; without a device the file as it is.
std::string file_of(const std::string& file, const std::string& device);

// Shows the report and writes its files. `device`: put into the files' names, where several devices have a report each.
// The report's exit code; where it cannot be shown or written, that is said,
// and a pass that nobody can read is no verdict.
reports::ExitCode put_out(const reports::RunReport& report, const Outputs& outputs, const std::string& device = {});

}  // namespace mfma::cli
