// `mfma-conform replay`: a case from a file, run again several times.

#include <fmt/format.h>

#include <memory>

#include "harness/cli/commands/case_setup.h"
#include "harness/cli/commands/command.h"
#include "harness/conformance/followup/attribution.h"
#include "reports/terminal/terminal.h"

namespace mfma::cli {
namespace {

using reports::ExitCode;

// When several apply, a failure wins over a hang, and a hang over no verdict.
ExitCode code_of(const conformance::Replay& replay, const std::string& wrong_instruction) {
  if (replay.label.failed > 0 || !replay.stable || !wrong_instruction.empty()) return ExitCode::kFailure;
  if (replay.conclusive) return ExitCode::kPass;
  if (replay.worst.status == devices::LaunchStatus::kFault) return ExitCode::kFailure;
  const devices::LaunchStatus status = replay.worst.status;
  const bool gone = status == devices::LaunchStatus::kHang || status == devices::LaunchStatus::kLost;
  return gone ? ExitCode::kHangOrLost : ExitCode::kNoVerdict;
}

struct ReplayArguments {
  CaseArguments of_case;
  bool attribute = false;
};

int replay(const ReplayArguments& replay_args) {
  CaseArguments args = replay_args.of_case;
  args.several_compilers = replay_args.attribute;
  const auto set = set_up(args);
  if (!set) return fail(set.error().code, set.error().message);
  CaseSetup& setup = **set;
  const cases::Case& c = setup.file.c;
  const conformance::Replay result = conformance::replay(*setup.runner, setup.level, c, args.repeat);
  if (const std::string stale = stale_expectation(setup, result.worst); !stale.empty()) {
    return fail(ExitCode::kNoVerdict, fmt::format("{}: {}", args.file, stale));
  }
  const std::string wrong_instruction = setup.runner->wrong_instruction(c.instance, setup.level);
  ExitCode code = code_of(result, wrong_instruction);

  std::string out = heading(args, setup);
  out += fmt::format("failed    {} of {} runs: {}\n", result.label.failed, result.label.runs,
                     result.conclusive || result.label.failed > 0 ? cases::word_of(result.label) : "no verdict");
  out += differences_of(c, result.worst);
  if (!result.conclusive)
    out += fmt::format("  no result: {}\n",
                       result.worst.message.empty() ? "not every run gave one" : result.worst.message);
  if (!result.stable) out += "  the runs did not all give the same D\n";
  if (!wrong_instruction.empty()) out += fmt::format("  wrong instruction: {}\n", wrong_instruction);
  if (!result.worst.unconfirmed.empty()) {
    out += fmt::format("  {} elements differ where the profile is unconfirmed: counted, not failed\n",
                       result.worst.unconfirmed.size());
  }
  if (replay_args.attribute) {
    const conformance::Attribution a =
        conformance::attribute(setup.subject, c, conformance::attribution_levels(setup.level), args.repeat);
    out += "\n" + conformance::table_of(a) + fmt::format("attribution: {}\n\n", conformance::sentence_of(a));
    if (a.fails()) code = ExitCode::kFailure;  // a failure elsewhere is one, too
  }
  if (setup.device->info().is_emulated) {
    out += "EMULATED DEVICE: this is evidence about the compiler and the harness, not about hardware.\n";
  }
  const char* word = code == ExitCode::kPass         ? "PASS"
                     : code == ExitCode::kFailure    ? "FAIL"
                     : code == ExitCode::kHangOrLost ? "HANG"
                                                     : "NO VERDICT";
  out += fmt::format("{} (exit {})\n", word, static_cast<int>(code));
  const ExitCode unread = code == ExitCode::kPass ? ExitCode::kNoVerdict : code;
  return show(reports::printable(out)) ? static_cast<int>(code) : fail(unread, kCannotShow);
}

}  // namespace

void add_replay(CLI::App& app, Invocation& invocation) {
  auto args = std::make_shared<ReplayArguments>();
  CLI::App* command =
      app.add_subcommand("replay", "Run a case file again and say whether it fails, how often and where");
  command->footer(
      "Exit codes: 0 it passes; 1 it fails in some run or, with --attribute, in some cell of the table; 2 no verdict; "
      "3 hang; 64 a file or an option is refused.\n"
      "The compiler and the flags that the file names are run: read a file from a stranger first.");
  add_case_options(command, args->of_case);
  command->add_flag(
      "--attribute", args->attribute,
      "Run it again at -O0 to -O3, by builtin and inline asm, in either kind of register, with every compiler;\n"
      "--compiler may then be given several times, and the first replays");
  command->callback([args, &invocation] { invocation.action = [args] { return replay(*args); }; });
}

}  // namespace mfma::cli
