// `mfma-conform list`: the catalogue, a line per builtin.

#include <fmt/format.h>

#include <memory>

#include "harness/catalogue/describe.h"
#include "harness/cli/command.h"
#include "harness/cli/shapes.h"
#include "harness/conformance/plan.h"

namespace mfma::cli {
namespace {

struct ListArguments {
  std::string builtin = "*";
  bool instances = false;
  bool shapes = false;
};

int list(const ListArguments& args) {
  if (args.shapes) return show(shape_lines()) ? 0 : fail(reports::ExitCode::kNoVerdict, kCannotShow);
  const auto selected = conformance::select_instances({args.builtin, conformance::ModifierChoice::kAll, {}});
  if (!selected) return fail(reports::ExitCode::kUsage, selected.error());
  std::string text;
  if (args.instances) {
    for (const catalogue::Instance& i : *selected) text += catalogue::instance_id(i) + "\n";
  } else {
    const std::vector<const catalogue::Builtin*> builtins = catalogue::match_builtins(args.builtin);
    text = catalogue::list_heading();
    for (const catalogue::Builtin* builtin : builtins) text += catalogue::list_line(*builtin);
    text += fmt::format("{} builtins, {} legal instances\n", builtins.size(), selected->size());
  }
  return show(text) ? 0 : fail(reports::ExitCode::kNoVerdict, kCannotShow);
}

}  // namespace

void add_list(CLI::App& app, Invocation& invocation) {
  auto args = std::make_shared<ListArguments>();
  CLI::App* command = app.add_subcommand("list", "The catalogue: one line per builtin, or per instance");
  command->add_option("--builtin", args->builtin, "Only builtins of this name or glob")->type_name("GLOB")->capture_default_str();
  command->add_flag("--instances", args->instances, "Every legal instance's id, one per line");
  command->add_flag("--shapes", args->shapes, "The program shapes instead: what 'run --shape' takes");
  command->callback([args, &invocation] { invocation.action = [args] { return list(*args); }; });
}

}  // namespace mfma::cli
