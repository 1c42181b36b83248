#include "reports/terminal/compare_terminal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "reports/terminal/terminal.h"

namespace mfma::reports {
namespace {

constexpr std::size_t kShown = 20;  // of each list

std::string place_of(const Finding& f) {
  const std::string& where = is_of_waiver(f.kind) ? f.message : f.shape.empty() ? f.instance : f.program;
  std::string text = fmt::format("[{}] {}", code_of(f.kind), where);
  if (!f.level.empty()) text += fmt::format(" at -{} with {}", f.level, f.compiler);
  return text;
}

std::string bits_of(const ElementDifference& d) { return fmt::format("{:0{}x}", d.actual, d.width / 4); }

// "D[0,1,2]: expected 3f800000, was 3f800001, is 3f800002"
std::string change_of(const ChangedFinding& f) {
  for (const ElementDifference& a : f.before->differences) {
    for (const ElementDifference& b : f.after->differences) {
      const bool same =
          a.block == b.block && a.row == b.row && a.column == b.column && a.lane == b.lane && a.bit == b.bit;
      if (!same || a.actual == b.actual) continue;
      return fmt::format("D[{},{},{}]: expected {:0{}x}, was {}, is {}", b.block, b.row, b.column, b.expected,
                         b.width / 4, bits_of(a), bits_of(b));
    }
  }
  return {};
}

std::string or_none(const std::string& text) { return text.empty() ? "(none)" : text; }

}  // namespace

std::vector<ComparisonPart> parts_of(const Comparison& c) {
  std::vector<ComparisonPart> parts;
  ComparisonPart& environment = parts.emplace_back(ComparisonPart{"changed in the environment", {}});
  for (const ChangedFact& f : c.environment)
    environment.lines.push_back(fmt::format("{}: {} -> {}", f.name, or_none(f.before), or_none(f.after)));
  ComparisonPart& failures = parts.emplace_back(ComparisonPart{"new failures", {}});
  for (const ChangedFinding& f : c.new_failures)
    failures.lines.push_back(fmt::format("{}: {}", place_of(f.shown()), f.shown().message));
  ComparisonPart& fixed = parts.emplace_back(ComparisonPart{"fixed", {}});
  for (const ChangedFinding& f : c.fixed) fixed.lines.push_back(place_of(f.shown()));
  ComparisonPart& bits = parts.emplace_back(ComparisonPart{"still wrong, with other bits", {}});
  for (const ChangedFinding& f : c.changed_bits)
    bits.lines.push_back(fmt::format("{}: {}", place_of(f.shown()), change_of(f)));
  ComparisonPart& still = parts.emplace_back(ComparisonPart{"wrong in both", {}});
  for (const ChangedFinding& f : c.still_wrong)
    still.lines.push_back(place_of(f.shown()) + (f.shown().waived.empty() ? "" : " (waived)"));
  ComparisonPart& verdicts = parts.emplace_back(ComparisonPart{"other verdicts", {}});
  for (const ChangedVerdict& v : c.verdicts)
    verdicts.lines.push_back(fmt::format("{}: {} -> {}", v.id, name_of(v.before), name_of(v.after)));
  parts.push_back({"without a verdict now", c.lost});
  parts.push_back({"only in the old report", c.only_before});
  parts.push_back({"only in the new report", c.only_after});
  return parts;
}

std::string summary_of(const Comparison& c) {
  if (c.in_both == 0) return "nothing to compare: no instance or program is in both reports";
  return fmt::format(
      "{} instances and programs in both; {} new failures, {} fixed, {} with other bits, {} wrong in both, {} other "
      "verdicts, {} without a verdict now",
      c.in_both, c.new_failures.size(), c.fixed.size(), c.changed_bits.size(), c.still_wrong.size(), c.verdicts.size(),
      c.lost.size());
}

std::string unlike_of(const Comparison& c) {
  if (c.unlike.empty()) return {};
  return fmt::format("not like with like: {} differ{}; what is new or fixed here may come from that",
                     fmt::join(c.unlike, ", "), c.unlike.size() == 1 ? "s" : "");
}

const char* word_of_comparison(ExitCode code) {
  return code == ExitCode::kPass         ? "NO NEW FAILURES"
         : code == ExitCode::kFailure    ? "NEW FAILURES"
         : code == ExitCode::kHangOrLost ? "NEW HANGS"
                                         : "NO VERDICT";
}

std::string to_terminal(const Comparison& c, bool colour) {
  std::string out = fmt::format("old  {}\nnew  {}\n", printable(c.before_name), printable(c.after_name));
  for (const ComparisonPart& part : parts_of(c)) {
    if (part.lines.empty()) continue;
    out += fmt::format("\n{} ({})\n", part.title, part.lines.size());
    for (std::size_t i = 0; i < std::min(part.lines.size(), kShown); ++i)
      out += fmt::format("  {}\n", printable(part.lines[i]));
    if (part.lines.size() > kShown)
      out += fmt::format("  and {} more: --json FILE has them all\n", part.lines.size() - kShown);
  }
  const ExitCode code = c.exit_code();
  const char* paint = !colour                                                       ? ""
                      : code == ExitCode::kPass                                     ? "\x1b[32;1m"
                      : code == ExitCode::kFailure || code == ExitCode::kHangOrLost ? "\x1b[31;1m"
                                                                                    : "\x1b[33;1m";
  if (!c.unlike.empty()) out += fmt::format("\n{}\n", unlike_of(c));
  return out + fmt::format("\n{}\n{}{}{} (exit {})\n", summary_of(c), paint, word_of_comparison(code),
                           colour ? "\x1b[0m" : "", static_cast<int>(code));
}

}  // namespace mfma::reports
