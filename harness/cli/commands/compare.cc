// `mfma-conform compare`: what changed between two reports.

#include "reports/model/compare.h"

#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "harness/cli/commands/command.h"
#include "harness/cli/commands/options.h"
#include "harness/cli/commands/read_either.h"
#include "reports/html/compare_html.h"
#include "reports/json/compare_json.h"
#include "reports/json/report_file.h"
#include "reports/terminal/compare_terminal.h"

namespace mfma::cli {
namespace {

using reports::ExitCode;

struct CompareArguments {
  std::vector<std::string> files;
  std::string json, html;
  bool quiet = false;
};

int compare(const CompareArguments& args) {
  std::vector<reports::RunReport> read;
  for (const std::string& file : args.files) {
    auto report = read_either(file);
    if (!report) return fail(ExitCode::kUsage, report.error());
    read.push_back(*std::move(report));
  }
  const reports::Comparison c = reports::compare(read[0], args.files[0], read[1], args.files[1]);
  ExitCode code = c.exit_code();
  const auto unread = [&](const std::string& why) {
    code = worse(code, static_cast<ExitCode>(fail(ExitCode::kNoVerdict, why)));
  };
  if (!args.json.empty()) {
    if (const auto written = reports::write_report_text(reports::to_json(c), args.json); !written)
      unread(written.error());
  }
  if (!args.html.empty()) {
    if (const auto written = reports::write_report_text(reports::to_html(c), args.html); !written)
      unread(written.error());
  }
  const bool colour = isatty(STDOUT_FILENO) != 0 && !std::getenv("NO_COLOR");
  if (!args.quiet && !show(reports::to_terminal(c, colour))) unread(kCannotShow);
  return static_cast<int>(code);
}

}  // namespace

void add_compare(CLI::App& app, Invocation& invocation) {
  auto args = std::make_shared<CompareArguments>();
  CLI::App* command = app.add_subcommand(
      "compare", "Say what changed between two reports: new failures, fixed ones, other bits, another environment");
  command->footer(
      "Exit codes: 0 no new failure; 1 a new failure; 3 a new hang or lost device and no other new failure; 2 no "
      "verdict: nothing is in both reports, or something has no verdict any more; 64 a file is refused.");
  command->add_option("FILE", args->files, "The old report and the new one: of run --json, or logs of run --events")
      ->required()
      ->expected(2);
  add_file(command, "--json", args->json, "Write everything as JSON");
  add_file(command, "--html", args->html, "Write everything as one HTML page");
  command->add_flag("-q,--quiet", args->quiet, "Nothing on the terminal but errors");
  command->callback([args, &invocation] { invocation.action = [args] { return compare(*args); }; });
}

}  // namespace mfma::cli
