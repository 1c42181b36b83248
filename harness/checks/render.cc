#include "harness/checks/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "harness/checks/targets.h"
#include "reports/terminal/terminal.h"

namespace mfma::checks {
namespace {

using reports::printable;

// "x" accepted, "-" refused with a diagnostic, "b" by the backend, "!" crash, "t" hang, "?" no telling.
char mark_of(compilers::Outcome outcome) {
  switch (outcome) {
    case compilers::Outcome::kOk:
      return 'x';
    case compilers::Outcome::kDiagnostic:
      return '-';
    case compilers::Outcome::kBackendError:
      return 'b';
    case compilers::Outcome::kCrash:
      return '!';
    case compilers::Outcome::kTimeout:
      return 't';
    default:
      return '?';
  }
}

// One mark per level, or a single one where all are alike.
std::string marks_of(const CheckReport& report, const std::string& builtin, std::string_view arch) {
  std::string marks;
  for (const Acceptance& a : report.acceptance) {
    if (a.builtin == builtin && a.arch == arch) marks += mark_of(a.outcome);
  }
  const bool alike = std::adjacent_find(marks.begin(), marks.end(), std::not_equal_to<>()) == marks.end();
  return alike ? marks.substr(0, 1) : marks;
}

void add_matrix(const CheckReport& report, std::string& out) {
  out += fmt::format("{:<34}", "acceptance");
  for (const Target& target : targets()) out += fmt::format(" {:<8}", target.arch);
  out += "\n";
  for (const std::string_view name : all_names()) {
    out += fmt::format("{:<34}", name);
    for (const Target& target : targets()) {
      out += fmt::format(" {:<8}", marks_of(report, std::string(name), target.arch));
    }
    out += "\n";
  }
  out +=
      "x compiled, - diagnosed, b backend error, ! crash, t hang, ? no telling; one mark per level where they "
      "differ\n\n";
}

// Findings that differ only in the builtin they are about are shown as one, unless every one is asked for.
struct Group {
  const Finding* first;
  std::vector<std::string> builtins;
};

// What follows the builtin's name in a subject: "cbsz=-1"; an instance's id stays whole.
std::string about(const Finding& f) {
  const std::size_t space = f.subject.find(' ');
  return space == std::string::npos ? std::string() : f.subject.substr(space + 1);
}

std::vector<Group> groups_of(const std::vector<const Finding*>& findings, bool each_alone) {
  std::vector<Group> groups;
  for (const Finding* f : findings) {
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& g) {
      return g.first->code == f->code && g.first->arch == f->arch && g.first->message == f->message &&
             g.first->levels == f->levels && g.first->waived == f->waived && about(*g.first) == about(*f);
    });
    const std::string builtin = f->subject.substr(0, f->subject.find(' '));
    if (same == groups.end() || each_alone) {
      groups.push_back({f, {builtin}});
    } else {
      same->builtins.push_back(builtin);
    }
  }
  return groups;
}

std::string line_of(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 3;
  std::string out = fmt::format(
      "{}",
      fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, names.size())), ", "));
  if (names.size() > kShown) out += fmt::format(" and {} more", names.size() - kShown);
  return out;
}

void add_group(const Group& g, std::string& out) {
  const Finding& f = *g.first;
  const std::string what = about(f);
  out += fmt::format("{} [{}] {}{} on {}\n", name_of(f.severity), info_of(f.code).name,
                     what.empty() ? std::string() : printable(what) + " of ", printable(line_of(g.builtins)),
                     printable(f.arch));
  out += fmt::format("  {}\n", printable(f.message));
  out += fmt::format("  at -{}", printable(fmt::format("{}", fmt::join(f.levels, ", -"))));
  if (!f.levels_without.empty())
    out += fmt::format(", not at -{}", printable(fmt::format("{}", fmt::join(f.levels_without, ", -"))));
  out += "\n";
  if (!f.waived.empty()) out += fmt::format("  waived: {}\n", printable(f.waived));
}

struct Tally {
  std::uint64_t all = 0, gating = 0, waived = 0;
};

std::map<Code, Tally> tallies_of(const CheckReport& report) {
  std::map<Code, Tally> tallies;
  for (const Finding& f : report.findings) {
    Tally& t = tallies[f.code];
    ++t.all;
    if (f.gates()) ++t.gating;
    if (!f.waived.empty()) ++t.waived;
  }
  return tallies;
}

}  // namespace

std::string to_terminal(const CheckReport& report, const RenderOptions& options) {
  std::string out =
      fmt::format("compiler  {} ({}, {})\nlevels    -{}\n\n", printable(report.compiler.version),
                  printable(report.compiler.path.string()), report.compiler.hash, fmt::join(report.levels, ", -"));
  if (!report.acceptance.empty()) add_matrix(report, out);
  for (const std::string& arch : report.unknown_targets) {
    out += fmt::format("{} is unknown to this compiler: its column was not judged\n", printable(arch));
  }
  std::vector<const Finding*> shown;
  for (const Finding& f : report.findings) {
    if (options.verbose || (f.waived.empty() && f.severity != Severity::kIgnore)) shown.push_back(&f);
  }
  for (const Group& g : groups_of(shown, options.verbose)) add_group(g, out);
  const std::size_t hidden = report.findings.size() - shown.size();
  if (!report.findings.empty()) out += "\n";
  for (const auto& [code, tally] : tallies_of(report)) {
    out += fmt::format("{:<28} {:>6} findings, {:>6} gate, {:>6} waived   {}\n", info_of(code).name, tally.all,
                       tally.gating, tally.waived, info_of(code).meaning);
  }
  for (const reports::Waiver& waiver : options.waivers.unused) {
    out += fmt::format("waiver '{}' covers nothing any more: remove it\n", printable(waiver.finding));
  }
  for (const reports::Waiver& waiver : options.waivers.expired) {
    out += fmt::format("waiver '{}' expired on {} and waives nothing: renew or remove it\n", printable(waiver.finding),
                       waiver.expires);
  }
  if (hidden != 0) out += fmt::format("{} findings are waived or ignored: -v shows them\n", hidden);
  const reports::ExitCode code = exit_code(report);
  out += fmt::format(
      "{} builtin calls for {} targets, {} immediates out of range, {} encodings, wait states of {} kernels, {} "
      "kernels executed\n{} (exit {}) in {:.1f} s\n",
      report.calls, targets().size(), report.immediates, report.encodings, report.wait_states, report.executions,
      code == reports::ExitCode::kPass      ? "PASS"
      : code == reports::ExitCode::kFailure ? "FAIL"
                                            : "NO VERDICT",
      static_cast<int>(code), report.seconds);
  return out;
}

reports::ExitCode exit_code(const CheckReport& report) {
  const auto gates = [](const Finding& f) { return f.gates() && f.code != Code::kToolFailure; };
  if (std::any_of(report.findings.begin(), report.findings.end(), gates)) return reports::ExitCode::kFailure;
  const bool tool_failed = std::any_of(report.findings.begin(), report.findings.end(), [](const Finding& f) {
    return f.code == Code::kToolFailure || f.code == Code::kNotExecuted || f.code == Code::kWaitUnseen;
  });
  if (tool_failed || report.calls + report.immediates + report.encodings + report.wait_states + report.executions == 0)
    return reports::ExitCode::kNoVerdict;
  return reports::ExitCode::kPass;
}

}  // namespace mfma::checks
