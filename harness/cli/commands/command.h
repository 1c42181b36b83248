// The commands of mfma-conform: each adds itself to the parser and sets what runs when it was chosen.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "reports/model/report.h"

namespace mfma::cli {

// What the chosen command does after parsing; returns the process's exit code.
using Action = std::function<int()>;

struct Invocation {
  std::string command_line;  // as typed, for reports
  Action action;             // set by the chosen command
};

void add_run(CLI::App& app, Invocation& invocation);
void add_list(CLI::App& app, Invocation& invocation);
void add_describe(CLI::App& app, Invocation& invocation);
void add_eval(CLI::App& app, Invocation& invocation);
void add_fuzz(CLI::App& app, Invocation& invocation);
void add_check_compiler(CLI::App& app, Invocation& invocation);
void add_replay(CLI::App& app, Invocation& invocation);
void add_minimize(CLI::App& app, Invocation& invocation);
void add_export(CLI::App& app, Invocation& invocation);
void add_report(CLI::App& app, Invocation& invocation);
void add_merge(CLI::App& app, Invocation& invocation);
void add_compare(CLI::App& app, Invocation& invocation);
void add_documentation(CLI::App& app, Invocation& invocation);  // hidden

// "mfma-conform: MESSAGE" on stderr, as one line of printable text whatever the message holds.
void say(const std::string& message);
// The same; returns the code.
int fail(reports::ExitCode code, const std::string& message);

// Writes to standard output and sees it through. False when it cannot be written: a full disk, a closed pipe.
bool show(const std::string& text);
inline constexpr const char* kCannotShow = "cannot write to standard output";

}  // namespace mfma::cli
