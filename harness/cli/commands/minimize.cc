// `mfma-conform minimize`: a failing case from a file, made small.

#include <fmt/format.h>

#include <memory>

#include "harness/cli/commands/case_setup.h"
#include "harness/cli/commands/command.h"
#include "harness/cli/commands/options.h"
#include "harness/compilers/levels.h"
#include "reports/terminal/terminal.h"

namespace mfma::cli {
namespace {

using reports::ExitCode;

struct MinimizeArguments {
  CaseArguments of_case;
  std::string output;
  std::uint64_t seconds = 60, steps = 20'000;
};

// "x.case" to "x.min.case".
std::string default_output(const std::string& file) {
  constexpr std::string_view kEnding = ".case";
  const bool ends = file.ends_with(kEnding);
  return (ends ? file.substr(0, file.size() - kEnding.size()) : file) + ".min" + std::string(kEnding);
}

std::string weights(const reduction::Candidate& from, const reduction::Candidate& to) {
  const reduction::Weight a = reduction::weigh(from), b = reduction::weigh(to);
  return fmt::format(
      "elements  {} that are not zero, scales that are not one: now {}\n"
      "unread    {} dwords with bits that nothing reads: now {}\n"
      "modifiers {} set: now {} ({})\n"
      "level     -{}: now -{}\n",
      a.elements, b.elements, a.unread, b.unread, a.modifiers, b.modifiers, catalogue::instance_id(to.c.instance),
      from.level, to.level);
}

int minimize(const MinimizeArguments& args) {
  const auto set = set_up(args.of_case);
  if (!set) return fail(set.error().code, set.error().message);
  CaseSetup& setup = **set;
  const cases::Case& c = setup.file.c;
  const std::string output = args.output.empty() ? default_output(args.of_case.file) : args.output;

  const conformance::Replay first = conformance::replay(*setup.runner, setup.level, c, args.of_case.repeat);
  if (const std::string stale = stale_expectation(setup, first.worst); !stale.empty()) {
    return fail(ExitCode::kNoVerdict, fmt::format("{}: {}", args.of_case.file, stale));
  }
  std::string out = heading(args.of_case, setup);
  out +=
      fmt::format("failed    {} of {} runs: {}\n", first.label.failed, first.label.runs, cases::word_of(first.label));
  if (first.label.failed == 0) {
    const ExitCode code =
        first.conclusive ? ExitCode::kPass
        : first.worst.status == devices::LaunchStatus::kHang || first.worst.status == devices::LaunchStatus::kLost
            ? ExitCode::kHangOrLost
            : ExitCode::kNoVerdict;
    out += first.conclusive ? "It does not fail: there is nothing to reduce.\n"
                            : fmt::format("  no result: {}\n", first.worst.message);
    return show(reports::printable(out)) ? static_cast<int>(code) : fail(ExitCode::kNoVerdict, kCannotShow);
  }

  reduction::Budget budget;
  budget.candidates = args.steps;
  budget.time = std::chrono::seconds(args.seconds);
  const std::vector<std::string> levels = compilers::level_names();
  const std::uint64_t attempts = first.label.failed == first.label.runs ? 1 : args.of_case.repeat;
  conformance::ReducedCase reduced =
      conformance::reduce_case(*setup.runner, c, setup.level, levels, budget, args.of_case.repeat, attempts);
  if (!reduced.seen.fails()) {
    out += "It failed at first and then no more: nothing is written.\nFAIL (exit 1)\n";
    return show(reports::printable(out)) ? 1 : fail(ExitCode::kFailure, kCannotShow);
  }
  reduced.file.comments = setup.file.comments;
  reduced.file.comments.push_back(fmt::format("reduced from {}", args.of_case.file));
  out += weights({c, setup.level}, reduced.reduction.smallest);
  const auto d = conformance::element_difference(reduced.file.c.instance, reduced.element, reduced.seen.expected,
                                                 reduced.seen.actual[reduced.element]);
  out += fmt::format("products  {} not zero in D[{},{},{}]\n", reduced.nonzero_products, d.block, d.row, d.column);
  out += differences_of(reduced.file.c, reduced.seen);
  out += fmt::format(
      "{} candidates in {} launches{}\n", reduced.reduction.judged, reduced.reduction.launches,
      reduced.reduction.exhausted ? "; the bound ended the search: --steps and --seconds give it more" : "");
  const auto saved = cases::save_case_file(reduced.file, output);
  if (saved) out += fmt::format("written   {}\n", output);
  out += "FAIL (exit 1)\n";
  const bool shown = show(reports::printable(out));
  if (!saved) return fail(ExitCode::kNoVerdict, fmt::format("{}; name another file with --output", saved.error()));
  return shown ? static_cast<int>(ExitCode::kFailure) : fail(ExitCode::kFailure, kCannotShow);
}

}  // namespace

void add_minimize(CLI::App& app, Invocation& invocation) {
  auto args = std::make_shared<MinimizeArguments>();
  CLI::App* command =
      app.add_subcommand("minimize", "Make a failing case small: elements towards 0 and 1, few products, no modifiers");
  command->footer(
      "Exit codes: 1 it fails, and the smaller case is written; 0 it does not fail; 2 no verdict, or the file cannot "
      "be\n"
      "written; 3 hang; 64 a file or an option is refused.");
  add_case_options(command, args->of_case);
  add_file(command, "--output", args->output, "Where the small case goes (default: FILE with .min before .case)");
  add_number<std::uint64_t>(command, "--seconds", args->seconds, 1, 86'400, "Stop looking after that long")
      ->default_str("60");
  add_number<std::uint64_t>(command, "--steps", args->steps, 1, 100'000'000, "Stop looking after so many candidates")
      ->default_str("20000");
  command->callback([args, &invocation] { invocation.action = [args] { return minimize(*args); }; });
}

}  // namespace mfma::cli
