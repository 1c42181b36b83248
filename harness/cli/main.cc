// mfma-conform: the command line.

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string_view>

#include "harness/cli/commands/command.h"
#include "harness/cli/commands/devices.h"
#include "harness/cli/documentation/program_doc.h"
#include "harness/system/shell.h"
#include "harness/system/version.h"
#include "reports/terminal/terminal.h"

namespace mfma::cli {

void say(const std::string& message) {
  constexpr std::size_t kLongest = 2000;  // an argument or a line of input may be of any length
  std::string line = reports::printable("mfma-conform: " + message.substr(0, kLongest));
  if (message.size() > kLongest) line += " ...";
  std::replace(line.begin(), line.end(), '\n', ' ');
  line += '\n';
  std::fputs(line.c_str(), stderr);  // where stderr cannot be written there is nobody to tell
}

int fail(reports::ExitCode code, const std::string& message) {
  say(message);
  return static_cast<int>(code);
}

bool show(const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
}

namespace {

std::string footer() {
  std::string text = "Exit codes:";
  for (const ExitCodeDoc& code : kExitCodes) text += fmt::format("\n  {:>2}  {}", code.code, code.meaning);
  return text;
}

// A closed standard stream would be the number of the next file that is opened: a report would end up in a log.
void open_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) == -1) (void)!open("/dev/null", O_RDWR);
  }
}

// As a shell takes it, so that the line in a report can be pasted.
std::string command_line(int argc, char** argv) {
  std::string line = "mfma-conform";
  for (int i = 1; i < argc; ++i) line += " " + system::shell_word(argv[i]);
  return line;
}

// The program as a judge of command lines, for the tests of the documentation: "parse-only COMMAND..." ends with 0
// where the rest would be taken, without doing it. Not for users.
constexpr std::string_view kParseOnly = "parse-only";

int main_checked(int argc, char** argv, bool parse_only) {
  CLI::App app(
      "Conformance tests for the dense MFMA builtins of AMD gfx950: every builtin compiled by a compiler under\n"
      "test, run on a device, and every output bit compared with an independent oracle.",
      "mfma-conform");
  app.set_version_flag("--version", fmt::format("mfma-conform {}", system::kVersion), "Print the version and exit");
  app.require_subcommand(1);
  app.footer(footer());
  Invocation invocation;
  invocation.command_line = command_line(argc, argv);
  add_run(app, invocation);
  add_list(app, invocation);
  add_describe(app, invocation);
  add_eval(app, invocation);
  add_fuzz(app, invocation);
  add_check_compiler(app, invocation);
  add_replay(app, invocation);
  add_minimize(app, invocation);
  add_export(app, invocation);
  add_report(app, invocation);
  add_merge(app, invocation);
  add_compare(app, invocation);
  add_documentation(app, invocation);
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  const auto called = [&](const CLI::App* command) { return argc > 1 && command->get_name() == argv[1]; };
  if (argc > 1 && argv[1][0] != '-' && std::none_of(commands.begin(), commands.end(), called)) {
    return fail(reports::ExitCode::kUsage, fmt::format("no command '{}' (see mfma-conform --help)", argv[1]));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return fail(reports::ExitCode::kUsage, fmt::format("{} (see mfma-conform --help)", error.what()));
  }
  return parse_only ? 0 : invocation.action();
}

}  // namespace
}  // namespace mfma::cli

int main(int argc, char** argv) {
  mfma::cli::open_standard_streams();
  try {
    if (argc > 1 && std::string_view(argv[1]) == mfma::cli::kWorkerCommand) return mfma::cli::run_worker(argc, argv);
    const bool parse_only = argc > 1 && argv[1] == mfma::cli::kParseOnly;
    return mfma::cli::main_checked(argc - parse_only, argv + parse_only, parse_only);
  } catch (const std::exception& error) {
    // Nothing is known to reach this; were it to, a line and "no verdict" beat an abort.
    return mfma::cli::fail(mfma::reports::ExitCode::kNoVerdict, std::string("internal error: ") + error.what());
  }
}
