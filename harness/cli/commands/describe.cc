// `mfma-conform describe`: everything about one builtin, its arithmetic with provenance included.

#include "harness/catalogue/describe.h"

#include <fmt/format.h>

#include <memory>

#include "harness/cli/commands/builtin_name.h"
#include "harness/cli/commands/command.h"
#include "harness/cli/commands/options.h"
#include "harness/cli/commands/profiles.h"
#include "harness/conformance/calls/plan.h"
#include "oracles/arithmetic/describe.h"

namespace mfma::cli {
namespace {

using reports::ExitCode;

struct DescribeArguments {
  std::string builtin;
  std::string profile;
};

// One instance per rule that applies: the f8f6f4 builtins have one for 8-bit operands and one for the smaller.
std::vector<catalogue::Instance> instances_by_rule(const catalogue::Builtin& builtin) {
  std::vector<catalogue::Instance> out = {{&builtin, {}}};
  if (builtin.modifiers == catalogue::ModifierKind::kScaled) {
    catalogue::Instance narrow{&builtin, {}};
    narrow.modifiers.cbsz = narrow.modifiers.blgp = 4;
    out.push_back(narrow);
  }
  return out;
}

int describe(const DescribeArguments& args) {
  const auto builtin = builtin_named(args.builtin);
  if (!builtin) return fail(ExitCode::kUsage, builtin.error());
  const auto profile = profile_or_default(args.profile);
  if (!profile) return fail(ExitCode::kUsage, profile.error());
  std::string text = catalogue::describe(**builtin);
  text += fmt::format("\narithmetic by profile '{}' ({})\n", profile->profile.name, profile->source);
  const std::vector<catalogue::Instance> instances = instances_by_rule(**builtin);
  for (std::size_t i = 0; i < instances.size(); ++i) {
    if (instances.size() > 1) text += i == 0 ? "  with an 8-bit operand:\n" : "  with 4 and 6-bit operands only:\n";
    const oracles::ProfileRule* rule = conformance::rule_of(profile->profile, instances[i]);
    text += rule ? oracles::describe(*rule) : "  no rule in this profile\n";
  }
  return show(text) ? 0 : fail(ExitCode::kNoVerdict, kCannotShow);
}

}  // namespace

void add_describe(CLI::App& app, Invocation& invocation) {
  auto args = std::make_shared<DescribeArguments>();
  CLI::App* command = app.add_subcommand(
      "describe", "One builtin: signature, modifiers, layouts, passes, arithmetic with its provenance");
  command->add_option("BUILTIN", args->builtin, "Its name")->required();
  add_file(command, "--profile", args->profile, "Arithmetic profile (default: built in, gfx950-candidate)");
  command->callback([args, &invocation] { invocation.action = [args] { return describe(*args); }; });
}

}  // namespace mfma::cli
