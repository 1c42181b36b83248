// `mfma-conform list`: the catalogue, a line per builtin or instance; or operand classes, properties, program shapes.

#include <fmt/format.h>

#include <memory>
#include <set>
#include <string_view>

#include "harness/catalogue/describe.h"
#include "harness/cli/commands/command.h"
#include "harness/cli/commands/shapes.h"
#include "harness/conformance/calls/plan.h"
#include "harness/operands/operands.h"
#include "harness/properties/property.h"

namespace mfma::cli {
namespace {

struct ListArguments {
  std::string builtin = "*";
  bool instances = false;
  bool operands = false;
  bool properties = false;
  bool shapes = false;
};

// Each property with what it says, its source, and the builtins of `selected` that it applies to.
std::string list_properties(const std::vector<catalogue::Instance>& selected) {
  std::string text;
  for (const properties::Property& property : properties::all_properties()) {
    std::set<std::string_view> builtins;
    std::size_t instances = 0;
    for (const catalogue::Instance& i : selected) {
      if (!property.applies(i)) continue;
      builtins.insert(i.builtin->name);
      ++instances;
    }
    text += fmt::format("{}\n    {}\n    applies to: {} ({} builtins, {} instances)\n    source: {}\n", property.name,
                        property.statement, property.applies_to, builtins.size(), instances, property.source);
  }
  return text + fmt::format("{} properties; docs/properties.md says why no arithmetic may break them\n",
                            properties::all_properties().size());
}

int list(const ListArguments& args) {
  if (args.operands) {
    std::string text;
    for (const operands::OperandClass cls : operands::all_operand_classes()) {
      text += fmt::format("{:<18} {}\n", operands::name_of(cls), operands::describe(cls));
    }
    return show(text) ? 0 : fail(reports::ExitCode::kNoVerdict, kCannotShow);
  }
  if (args.shapes) return show(shape_lines()) ? 0 : fail(reports::ExitCode::kNoVerdict, kCannotShow);
  const auto selected = conformance::select_instances({args.builtin, conformance::ModifierChoice::kAll, {}});
  if (!selected) return fail(reports::ExitCode::kUsage, selected.error());
  std::string text;
  if (args.properties) {
    text = list_properties(*selected);
  } else if (args.instances) {
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
  CLI::App* command = app.add_subcommand(
      "list", "The catalogue, a line per builtin or instance; or operand classes, properties, program shapes");
  command->add_option("--builtin", args->builtin, "Only builtins of this name or glob")
      ->type_name("GLOB")
      ->capture_default_str();
  CLI::Option* instances = command->add_flag("--instances", args->instances, "Every legal instance's id, one per line");
  command->add_flag("--operands", args->operands, "The operand classes that `run --operands` takes, one per line")
      ->excludes(instances);
  command->add_flag("--properties", args->properties, "The properties that 'run' checks, and what they apply to")
      ->excludes(instances)
      ->excludes("--operands");
  CLI::Option* shapes = command->add_flag("--shapes", args->shapes, "The program shapes that 'run --shape' takes");
  for (const char* other : {"--instances", "--operands", "--properties"}) shapes->excludes(other);
  command->callback([args, &invocation] { invocation.action = [args] { return list(*args); }; });
}

}  // namespace mfma::cli
