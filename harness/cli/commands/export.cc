// `mfma-conform export`: a case from a file as a folder for a bug report.

#include <fmt/format.h>

#include <memory>

#include "harness/bundles/case_bundle.h"
#include "harness/cli/commands/case_setup.h"
#include "harness/cli/commands/command.h"
#include "harness/cli/commands/options.h"
#include "reports/terminal/terminal.h"

namespace mfma::cli {
namespace {

using reports::ExitCode;

struct ExportArguments {
  CaseArguments of_case;
  std::string folder;
};

int write_bundle(const ExportArguments& args) {
  const auto set = set_up(args.of_case);
  if (!set) return fail(set.error().code, set.error().message);
  CaseSetup& setup = **set;
  const cases::Case& c = setup.file.c;
  const conformance::Replay first = conformance::replay(*setup.runner, setup.level, c, args.of_case.repeat);
  if (const std::string stale = stale_expectation(setup, first.worst); !stale.empty()) {
    return fail(ExitCode::kNoVerdict, fmt::format("{}: {}", args.of_case.file, stale));
  }

  bundles::CaseBundle bundle;
  bundle.subject = &setup.subject;
  bundle.c = c;
  bundle.level = setup.level;
  bundle.attribution =
      conformance::attribute(setup.subject, c, conformance::attribution_levels(setup.level), args.of_case.repeat);
  bundle.seen_failing = first.worst.failing;
  // What the file saw fail, on another device or by another compiler, decides as well.
  if (setup.expects && setup.file.actual) {
    for (std::size_t n = 0; n < setup.file.actual->size(); ++n) {
      if ((*setup.file.actual)[n] != (*setup.file.expected)[n]) bundle.seen_failing.push_back(n);
    }
  }
  const auto written = bundles::write_case_bundle(bundle, args.folder);
  if (!written) return fail(ExitCode::kNoVerdict, written.error());

  const bool conclusive = written->seen.status == devices::LaunchStatus::kCompleted;
  const ExitCode code = bundle.attribution.fails() ? ExitCode::kFailure
                        : conclusive               ? ExitCode::kPass
                                                   : ExitCode::kNoVerdict;
  std::string out = heading(args.of_case, setup);
  out += "\n" + conformance::table_of(bundle.attribution);
  out += fmt::format("attribution: {}\n\n", conformance::sentence_of(bundle.attribution));
  out += fmt::format("written   {}: repro.hip ({} lines), repro.ll, repro.s, repro.sh, README.md\n", args.folder,
                     written->lines);
  out += fmt::format("repro.hip at -{}: {}\n", setup.level,
                     !conclusive ? fmt::format("no result: {}", written->seen.message)
                     : written->seen.failing.empty()
                         ? "D is as expected here"
                         : fmt::format("{} elements of D differ", written->seen.failing.size()));
  if (setup.device->info().is_emulated) {
    out += "EMULATED DEVICE: this is evidence about the compiler and the harness, not about hardware.\n";
  }
  out += fmt::format("{} (exit {})\n",
                     code == ExitCode::kFailure ? "FAIL"
                     : code == ExitCode::kPass  ? "PASS"
                                                : "NO VERDICT",
                     static_cast<int>(code));
  return show(reports::printable(out)) ? static_cast<int>(code)
                                       : fail(code == ExitCode::kPass ? ExitCode::kNoVerdict : code, kCannotShow);
}

}  // namespace

void add_export(CLI::App& app, Invocation& invocation) {
  auto args = std::make_shared<ExportArguments>();
  args->of_case.several_compilers = true;
  CLI::App* command = app.add_subcommand(
      "export", "Make a folder for a bug report of a case: a program that stands alone, its code, who is to blame");
  command->footer(
      "Leaves repro.hip (exits 0 or 1 on hardware), repro.ll, repro.s, repro.sh and README.md (docs/bug-reports.md).\n"
      "Exit codes: 1 the case fails, and the folder is written; 0 it does not fail here, and the folder is written;\n"
      "2 no verdict, or the folder cannot be written; 64 a file or an option is refused.\n"
      "The compiler and the flags that the file names are run: read a file from a stranger first.");
  add_case_options(command, args->of_case);
  add_file(command, "--to", args->folder, "The folder; made where it is not there, files of these names are replaced")
      ->type_name("DIR")
      ->required();
  command->callback([args, &invocation] { invocation.action = [args] { return write_bundle(*args); }; });
}

}  // namespace mfma::cli
