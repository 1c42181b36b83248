#include "harness/cli/commands/outputs.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "harness/cli/commands/command.h"
#include "harness/cli/commands/options.h"
#include "reports/html/html.h"
#include "reports/json/json.h"
#include "reports/junit/junit.h"
#include "reports/terminal/terminal.h"

namespace mfma::cli {
using reports::ExitCode;

std::string file_word(std::string device) {
  std::replace(device.begin(), device.end(), ':', '-');
  return device;
}

std::string file_of(const std::string& file, const std::string& device) {
  if (device.empty()) return file;
  const std::filesystem::path path(file);
  return (path.parent_path() / (path.stem().string() + "." + file_word(device) + path.extension().string())).string();
}

void add_output_options(CLI::App* command, Outputs& outputs) {
  add_file(command, "--json", outputs.json, "Write the whole report as JSON");
  add_file(command, "--html", outputs.html, "Write the report as one HTML file for a browser, which needs no network");
  add_file(command, "--junit", outputs.junit, "Write the report as JUnit XML, for Jenkins, GitLab and the like");
  command->add_flag("-v,--verbose", outputs.verbose, "More about each builtin");
  command->add_flag("-q,--quiet", outputs.quiet, "Nothing on the terminal but errors");
}

ExitCode put_out(const reports::RunReport& report, const Outputs& outputs, const std::string& device) {
  ExitCode code = report.exit_code();
  const auto unread = [&](const std::string& why) {
    say(why);
    code = worse(code, ExitCode::kNoVerdict);
  };
  if (!outputs.json.empty()) {
    if (const auto written = reports::write_json(report, file_of(outputs.json, device)); !written)
      unread(written.error());
  }
  if (!outputs.html.empty()) {
    if (const auto written = reports::write_html(report, file_of(outputs.html, device)); !written)
      unread(written.error());
  }
  if (!outputs.junit.empty()) {
    if (const auto written = reports::write_junit(report, file_of(outputs.junit, device)); !written)
      unread(written.error());
  }
  if (!outputs.quiet) {
    const bool colour = isatty(STDOUT_FILENO) != 0 && !std::getenv("NO_COLOR");
    if (!show(reports::to_terminal(report, {.colour = colour, .verbose = outputs.verbose}))) unread(kCannotShow);
  }
  return code;
}

}  // namespace mfma::cli
