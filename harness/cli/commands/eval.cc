// `mfma-conform eval`: the oracle alone, as a filter.

#include "oracles/plain/eval.h"

#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>

#include "harness/cli/commands/builtin_name.h"
#include "harness/cli/commands/command.h"
#include "harness/cli/commands/options.h"
#include "harness/cli/commands/profiles.h"
#include "harness/conformance/calls/plan.h"
#include "harness/conformance/execution/oracle_view.h"

namespace mfma::cli {
namespace {

using reports::ExitCode;

struct EvalArguments {
  std::string builtin;
  int cbsz = 0, blgp = 0;
  std::string profile;
};

oracles::EvalShape shape_of(const catalogue::Instance& instance) {
  oracles::EvalShape shape;
  const bool negates = instance.builtin->modifiers == catalogue::ModifierKind::kNegate;
  shape.k = instance.builtin->shape.k;
  shape.a_format = oracles::format(conformance::oracle_format(instance.a_format()));
  shape.b_format = oracles::format(conformance::oracle_format(instance.b_format()));
  shape.acc_format = oracles::format(conformance::oracle_format(instance.builtin->acc_format));
  shape.negate_a = negates && (instance.modifiers.blgp & 1);
  shape.negate_b = negates && (instance.modifiers.blgp & 2);
  shape.negate_c = negates && (instance.modifiers.blgp & 4);
  return shape;
}

// The scaled builtins run with or without scales: a line's fields say which.
bool gives_scales(const std::string& line) {
  return line.find("sa:") != std::string::npos || line.find("sb:") != std::string::npos;
}

int eval(const EvalArguments& args) {
  const auto builtin = builtin_named(args.builtin);
  if (!builtin) return fail(ExitCode::kUsage, builtin.error());
  catalogue::Instance instance{*builtin, {}};
  instance.modifiers.cbsz = args.cbsz;
  instance.modifiers.blgp = args.blgp;
  if (const std::string why = catalogue::why_illegal(**builtin, instance.modifiers); !why.empty()) {
    return fail(ExitCode::kUsage, why);
  }
  const bool scalable = (*builtin)->modifiers == catalogue::ModifierKind::kScaled;
  if ((*builtin)->modifiers == catalogue::ModifierKind::kBroadcast && (args.cbsz || args.blgp)) {
    return fail(
        ExitCode::kUsage,
        fmt::format("{}: cbsz and blgp say which lanes are read, not what is done with a row and a column; give "
                    "the row and the column that meet, without them",
                    (*builtin)->name));
  }
  const auto profile = profile_or_default(args.profile);
  if (!profile) return fail(ExitCode::kUsage, profile.error());
  if (const std::string unusable = conformance::unusable_profile(profile->profile, {instance}); !unusable.empty()) {
    return fail(ExitCode::kUsage, unusable);
  }
  const oracles::ProfileRule* rule = conformance::rule_of(profile->profile, instance);

  oracles::EvalShape shape = shape_of(instance);
  std::string line;
  for (std::uint64_t number = 1; std::getline(std::cin, line); ++number) {
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#') continue;
    shape.scaled = scalable && gives_scales(line);
    const auto parsed = oracles::parse_eval_line(line, shape);
    const auto result = parsed ? oracles::evaluate(*parsed, rule->model)
                               : tl::expected<std::uint64_t, std::string>(tl::make_unexpected(parsed.error()));
    if (!result) {
      std::cout.flush();
      return fail(ExitCode::kUsage, fmt::format("line {}: {}", number, result.error()));
    }
    std::cout << oracles::hex_of(*result, shape.acc_format) << '\n';
  }
  std::cout.flush();
  if (!std::cout) return fail(ExitCode::kNoVerdict, kCannotShow);
  if (std::cin.bad() || std::ferror(stdin) != 0) return fail(ExitCode::kNoVerdict, "cannot read standard input");
  return 0;
}

}  // namespace

void add_eval(CLI::App& app, Invocation& invocation) {
  auto args = std::make_shared<EvalArguments>();
  CLI::App* command = app.add_subcommand("eval", "The oracle alone, as a filter from operands to results");
  command->footer(
      "Each line of standard input is one dot product\n"
      "  a:H,H,... b:H,H,... c:H [sa:H,... sb:H,...]\n"
      "in raw hex bits: K elements of a row of A and of a column of B, one scale byte per 32 k. Without sa and sb a\n"
      "scaled builtin runs unscaled. Each line of output is the raw bits of d. Empty lines and lines that begin with "
      "#\n"
      "are passed over; a line that cannot be read ends the run with exit code 64 and its number.\n"
      "Exit codes: 0 every line was read; 2 the results cannot be written; 64 a line or an option is refused.");
  command->add_option("--builtin", args->builtin, "The builtin")->type_name("NAME")->required();
  add_number(command, "--cbsz", args->cbsz, 0, 7, "Scaled builtins: format of A, 0..4 = fp8, bf8, fp6, bf6, fp4")
      ->default_str("0");
  add_number(command, "--blgp", args->blgp, 0, 7, "Scaled builtins: format of B; f64: bits 0..2 negate A, B, C")
      ->default_str("0");
  add_file(command, "--profile", args->profile, "Arithmetic profile (default: built in, gfx950-candidate)");
  command->callback([args, &invocation] { invocation.action = [args] { return eval(*args); }; });
}

}  // namespace mfma::cli
