// mfma-conform: the command line.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <exception>

#include "harness/cli/command.h"
#include "harness/cli/version.h"

namespace mfma::cli {

int fail(reports::ExitCode code, const std::string& message) {
  fmt::print(stderr, "mfma-conform: {}\n", message);
  return static_cast<int>(code);
}

namespace {

constexpr const char* kFooter =
    "Exit codes: 0 pass; 1 a conformance failure; 2 no verdict (tool error, nothing run, something inconclusive);\n"
    "3 hang or device lost; 64 usage.";

// Quotes what a shell would split, so that the line in a report can be pasted.
std::string command_line(int argc, char** argv) {
  std::string line = "mfma-conform";
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool plain = !word.empty() && word.find_first_of(" \t\n'\"\\$*?[]{}()<>|&;#~`!") == std::string::npos;
    if (plain) {
      line += " " + word;
      continue;
    }
    line += " '";
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += "'";
  }
  return line;
}

int main_checked(int argc, char** argv) {
  CLI::App app("Conformance tests for the dense MFMA builtins of AMD gfx950: every builtin compiled by a compiler under\n"
               "test, run on a device, and every output bit compared with an independent oracle.",
               "mfma-conform");
  app.set_version_flag("--version", fmt::format("mfma-conform {}", kVersion), "Print the version and exit");
  app.require_subcommand(1);
  app.footer(kFooter);
  Invocation invocation;
  invocation.command_line = command_line(argc, argv);
  add_run(app, invocation);
  add_list(app, invocation);
  add_describe(app, invocation);
  add_eval(app, invocation);
  add_fuzz(app, invocation);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return fail(reports::ExitCode::kUsage, fmt::format("{} (see mfma-conform --help)", error.what()));
  }
  return invocation.action();
}

}  // namespace
}  // namespace mfma::cli

int main(int argc, char** argv) {
  try {
    return mfma::cli::main_checked(argc, argv);
  } catch (const std::exception& error) {
    // Nothing is known to reach this; were it to, a line and "no verdict" beat an abort.
    return mfma::cli::fail(mfma::reports::ExitCode::kNoVerdict, std::string("internal error: ") + error.what());
  }
}
