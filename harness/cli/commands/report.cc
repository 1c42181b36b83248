// `mfma-conform report` and `merge`: reports made of what runs left.

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "harness/cli/commands/command.h"
#include "harness/cli/commands/outputs.h"
#include "harness/cli/commands/read_either.h"
#include "reports/json/events.h"
#include "reports/json/json.h"
#include "reports/model/merge.h"

namespace mfma::cli {

tl::expected<reports::RunReport, std::string> read_either(const std::string& file) {
  if (!reports::is_event_log(file)) return reports::read_report(file);
  const auto events = reports::read_events(file);
  if (!events) return tl::make_unexpected(events.error());
  for (const std::string& launch : events->in_flight) say(fmt::format("{}: in flight when it ended: {}", file, launch));
  return reports::report_of(*events);
}

namespace {

using reports::ExitCode;

struct ReportArguments {
  std::vector<std::string> files;
  Outputs outputs;
};

int report(const ReportArguments& args) {
  const auto read = read_either(args.files.at(0));
  if (!read) return fail(ExitCode::kUsage, read.error());
  return static_cast<int>(put_out(*read, args.outputs));
}

int merge(const ReportArguments& args, const std::string& command_line) {
  std::vector<reports::NamedReport> shards;
  for (const std::string& file : args.files) {
    auto read = read_either(file);
    if (!read) return fail(ExitCode::kUsage, read.error());
    shards.push_back({file, *std::move(read)});
  }
  auto whole = reports::merge(std::move(shards));
  if (!whole) return fail(ExitCode::kUsage, whole.error());
  whole->command = command_line;
  return static_cast<int>(put_out(*whole, args.outputs));
}

constexpr const char* kCodes =
    "The exit code is that of the report: 0 pass; 1 a conformance failure; 2 no verdict; 3 hang or device lost; 64 a "
    "file is refused.";

}  // namespace

void add_report(CLI::App& app, Invocation& invocation) {
  auto args = std::make_shared<ReportArguments>();
  CLI::App* command = app.add_subcommand(
      "report", "Show the report of a run from its JSON or from its event log, also of one that was killed");
  command->footer(kCodes);
  command->add_option("FILE", args->files, "A report of run --json, or a log of run --events")->required()->expected(1);
  add_output_options(command, args->outputs);
  command->callback([args, &invocation] { invocation.action = [args] { return report(*args); }; });
}

void add_merge(CLI::App& app, Invocation& invocation) {
  auto args = std::make_shared<ReportArguments>();
  CLI::App* command = app.add_subcommand(
      "merge", "Put the reports of all shards of a run together; those that do not belong together are refused");
  command->footer(kCodes);
  command->add_option("FILE", args->files, "The report or event log of each shard")->required()->expected(1, 1'000'000);
  add_output_options(command, args->outputs);
  command->callback([args, &invocation] {
    invocation.action = [args, &invocation] { return merge(*args, invocation.command_line); };
  });
}

}  // namespace mfma::cli
