// `mfma-conform list`: the catalogue, a line per builtin.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "harness/catalogue/describe.h"
#include "harness/cli/command.h"
#include "harness/conformance/plan.h"

namespace mfma::cli {
namespace {

struct ListArguments {
  std::string builtin = "*";
  bool instances = false;
};

int list(const ListArguments& args) {
  const auto selected = conformance::select_instances({args.builtin, conformance::ModifierChoice::kAll, {}});
  if (!selected) return fail(reports::ExitCode::kUsage, selected.error());
  if (args.instances) {
    for (const catalogue::Instance& i : *selected) fmt::print("{}\n", catalogue::instance_id(i));
    return 0;
  }
  fmt::print("{}", catalogue::list_heading());
  std::size_t builtins = 0;
  for (const catalogue::Builtin* builtin : catalogue::match_builtins(args.builtin)) {
    fmt::print("{}", catalogue::list_line(*builtin));
    ++builtins;
  }
  fmt::print("{} builtins, {} legal instances\n", builtins, selected->size());
  return 0;
}

}  // namespace

void add_list(CLI::App& app, Invocation& invocation) {
  auto args = std::make_shared<ListArguments>();
  CLI::App* command = app.add_subcommand("list", "The catalogue: one line per builtin, or per instance");
  command->add_option("--builtin", args->builtin, "Only builtins of this name or glob")->type_name("GLOB")->capture_default_str();
  command->add_flag("--instances", args->instances, "Every legal instance's id, one per line");
  command->callback([args, &invocation] { invocation.action = [args] { return list(*args); }; });
}

}  // namespace mfma::cli
