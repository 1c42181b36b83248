#include "harness/cli/commands/check_objects.h"

#include <fmt/format.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "harness/cli/commands/command.h"
#include "harness/gfx950/hazards/static_hazards.h"
#include "harness/gfx950/object/code_object.h"
#include "harness/system/whole_file.h"
#include "reports/terminal/terminal.h"

namespace mfma::cli {
namespace {

using reports::ExitCode;

struct Tally {
  std::size_t kernels = 0, functions = 0, errors = 0, warnings = 0, unseen = 0, unreadable = 0;
  std::uint64_t instructions = 0;

  // 1 wins over 2, as everywhere.
  ExitCode exit_code() const {
    if (errors != 0) return ExitCode::kFailure;
    return unseen != 0 || unreadable != 0 ? ExitCode::kNoVerdict : ExitCode::kPass;
  }
};

std::string counted(std::size_t n, const char* noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); }

std::string function_text(const gfx950::FunctionHazards& f, bool verbose, Tally& tally) {
  std::size_t errors = 0;
  std::string text;
  for (const gfx950::Hazard& h : f.hazards) {
    if (h.rule->severity == gfx950::Severity::kError) ++errors;
    text += fmt::format("    {}\n", gfx950::describe(h));
  }
  if (f.more_hazards) {
    text += fmt::format("    more than {} of a severity: the rest is not listed\n", gfx950::HazardList::kMost);
  }
  for (const gfx950::Unseen& u : f.unseen) {
    text += fmt::format("    not seen beyond {:#x} {}: {}\n", u.pc, u.instruction, u.why);
  }
  (f.is_kernel ? tally.kernels : tally.functions) += 1;
  tally.instructions += f.instructions;
  tally.errors += errors;
  tally.warnings += f.hazards.size() - errors;
  tally.unseen += f.unseen.size();
  if (text.empty() && !verbose) return {};
  return fmt::format("  {} {} at {:#x}, {}: {}, {}, {} not seen\n{}", f.is_kernel ? "kernel" : "function",
                     reports::printable(f.name), f.begin, counted(f.instructions, "instruction"),
                     counted(errors, "error"), counted(f.hazards.size() - errors, "warning"),
                     counted(f.unseen.size(), "place"), text);
}

// What was found in one file; a line on standard error when it cannot be read.
std::string object_text(const std::string& file, bool verbose, Tally& tally) {
  const auto unreadable = [&](const std::string& why) {
    ++tally.unreadable;
    say(fmt::format("--object {}: {}", file, why));
    return std::string();
  };
  const auto bytes = system::read_whole_file(file);
  if (!bytes) return unreadable("cannot be read");
  const auto object = gfx950::load_code_object(std::as_bytes(std::span(*bytes)));
  if (!object) return unreadable(object.error());
  std::string text = fmt::format("object {}\n", reports::printable(file));
  for (const gfx950::FunctionHazards& f : gfx950::static_hazards(**object)) text += function_text(f, verbose, tally);
  return text;
}

}  // namespace

int check_objects(const std::vector<std::string>& files, bool verbose) {
  Tally tally;
  std::string text;
  for (const std::string& file : files) text += object_text(file, verbose, tally);
  const ExitCode code = tally.exit_code();
  text +=
      fmt::format("{}, {}, {}: {}, {}, {} not seen\n{} (exit {})\n", counted(tally.kernels, "kernel"),
                  counted(tally.functions, "function"), counted(tally.instructions, "instruction"),
                  counted(tally.errors, "error"), counted(tally.warnings, "warning"), counted(tally.unseen, "place"),
                  code == ExitCode::kPass      ? "PASS"
                  : code == ExitCode::kFailure ? "FAIL"
                                               : "NO VERDICT",
                  static_cast<int>(code));
  return show(text) ? static_cast<int>(code) : fail(ExitCode::kNoVerdict, kCannotShow);
}

}  // namespace mfma::cli
