// `mfma-conform documentation`: docs/cli.md, the manual page, the completions and the schemas. For the build; not in
// the help.
#include <memory>

#include "harness/checks/render.h"
#include "harness/cli/commands/command.h"
#include "harness/cli/commands/options.h"
#include "harness/cli/documentation/program_doc.h"
#include "harness/system/version.h"
#include "reports/json/schema.h"

namespace mfma::cli {
namespace {

using Writer = std::string (*)(const ProgramDoc&);
const Words<Writer> kFormats = {{"markdown", to_markdown},
                                {"man", to_man},
                                {"bash", to_bash},
                                {"zsh", to_zsh},
                                {"fish", to_fish},
                                {"schema-report", [](const ProgramDoc&) { return reports::report_schema(); }},
                                {"schema-events", [](const ProgramDoc&) { return reports::events_schema(); }},
                                {"schema-compare", [](const ProgramDoc&) { return reports::compare_schema(); }},
                                {"schema-check", [](const ProgramDoc&) { return checks::check_schema(); }}};

}  // namespace

void add_documentation(CLI::App& app, Invocation& invocation) {
  auto format = std::make_shared<Writer>(to_markdown);
  CLI::App* command = app.add_subcommand("documentation", "The program's own documentation");
  command->group("");  // hidden
  add_choice(command, "--format", *format, kFormats, "What to make");
  command->callback([format, &app, &invocation] {
    invocation.action = [format, &app] {
      return show((*format)(describe_program(app, system::kVersion)))
                 ? 0
                 : fail(reports::ExitCode::kNoVerdict, kCannotShow);
    };
  });
}

}  // namespace mfma::cli
