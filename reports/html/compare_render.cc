#include <fmt/format.h>

#include <algorithm>

#include "reports/json/json_parts.h"
#include "reports/model/compare.h"
#include "reports/terminal/terminal.h"

namespace mfma::reports {
namespace {

using json::Json;

constexpr std::size_t kShown = 20;  // of each list, on a terminal
constexpr std::size_t kOnPage = 2000;

Json finding_or_null(const std::optional<Finding>& f) {
  return f ? json::finding(*f, json::Detail::kShort) : Json(nullptr);
}

Json findings(const std::vector<ChangedFinding>& list) {
  Json all = Json::array();
  for (const ChangedFinding& f : list)
    all.push_back({{"before", finding_or_null(f.before)}, {"after", finding_or_null(f.after)}});
  return all;
}

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

// The parts of a comparison as titles and lines, for the terminal and the page.
struct Part {
  std::string title;
  std::vector<std::string> lines;
};

std::vector<Part> parts_of(const Comparison& c) {
  std::vector<Part> parts;
  Part& environment = parts.emplace_back(Part{"changed in the environment", {}});
  for (const ChangedFact& f : c.environment)
    environment.lines.push_back(fmt::format("{}: {} -> {}", f.name, or_none(f.before), or_none(f.after)));
  Part& failures = parts.emplace_back(Part{"new failures", {}});
  for (const ChangedFinding& f : c.new_failures)
    failures.lines.push_back(fmt::format("{}: {}", place_of(f.shown()), f.shown().message));
  Part& fixed = parts.emplace_back(Part{"fixed", {}});
  for (const ChangedFinding& f : c.fixed) fixed.lines.push_back(place_of(f.shown()));
  Part& bits = parts.emplace_back(Part{"still wrong, with other bits", {}});
  for (const ChangedFinding& f : c.changed_bits)
    bits.lines.push_back(fmt::format("{}: {}", place_of(f.shown()), change_of(f)));
  Part& still = parts.emplace_back(Part{"wrong in both", {}});
  for (const ChangedFinding& f : c.still_wrong)
    still.lines.push_back(place_of(f.shown()) + (f.shown().waived.empty() ? "" : " (waived)"));
  Part& verdicts = parts.emplace_back(Part{"other verdicts", {}});
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

// Empty: the same cases were judged in the same way.
std::string unlike_of(const Comparison& c) {
  if (c.unlike.empty()) return {};
  return fmt::format("not like with like: {} differ{}; what is new or fixed here may come from that",
                     fmt::join(c.unlike, ", "), c.unlike.size() == 1 ? "s" : "");
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char ch : printable(text)) {
    switch (ch) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += ch;
    }
  }
  return out;
}

constexpr const char* kStyle =
    ":root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:70em;margin:2em auto;padding:0 "
    "1em}"
    "li{font-family:ui-monospace,monospace;font-size:13px;overflow-wrap:anywhere}summary{cursor:pointer;font-weight:"
    "600}"
    ".bad{color:#c22}.good{color:#282}@media(prefers-color-scheme:dark){.bad{color:#f77}.good{color:#7d7}}";

const char* word_of(ExitCode code) {
  return code == ExitCode::kPass         ? "NO NEW FAILURES"
         : code == ExitCode::kFailure    ? "NEW FAILURES"
         : code == ExitCode::kHangOrLost ? "NEW HANGS"
                                         : "NO VERDICT";
}

}  // namespace

std::string to_json(const Comparison& c) {
  Json environment = Json::array(), verdicts = Json::array();
  for (const ChangedFact& f : c.environment)
    environment.push_back({{"name", f.name}, {"before", f.before}, {"after", f.after}});
  for (const ChangedVerdict& v : c.verdicts) {
    verdicts.push_back({{"kind", v.kind}, {"id", v.id}, {"before", name_of(v.before)}, {"after", name_of(v.after)}});
  }
  const Json all = {{"schema", kCompareSchema},
                    {"exit_code", static_cast<int>(c.exit_code())},
                    {"before", c.before_name},
                    {"after", c.after_name},
                    {"in_both", c.in_both},
                    {"same_failures", c.still_wrong.size()},
                    {"environment", std::move(environment)},
                    {"unlike", c.unlike},
                    {"new_failures", findings(c.new_failures)},
                    {"fixed", findings(c.fixed)},
                    {"still_wrong", findings(c.still_wrong)},
                    {"changed_bits", findings(c.changed_bits)},
                    {"verdicts", std::move(verdicts)},
                    {"lost", c.lost},
                    {"only_before", c.only_before},
                    {"only_after", c.only_after}};
  return all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_terminal(const Comparison& c, bool colour) {
  std::string out = fmt::format("old  {}\nnew  {}\n", printable(c.before_name), printable(c.after_name));
  for (const Part& part : parts_of(c)) {
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
  return out + fmt::format("\n{}\n{}{}{} (exit {})\n", summary_of(c), paint, word_of(code), colour ? "\x1b[0m" : "",
                           static_cast<int>(code));
}

std::string to_html(const Comparison& c) {
  const ExitCode code = c.exit_code();
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>mfma-conform compare</title>"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
      "<meta name=\"viewport\" content=\"width=device-width\"><style>{}</style></head><body>\n"
      "<h1 class=\"{}\">{}</h1>\n<p>old: <code>{}</code><br>new: <code>{}</code></p>\n<p>{}</p>\n{}",
      kStyle, code == ExitCode::kPass ? "good" : "bad", word_of(code), escaped(c.before_name), escaped(c.after_name),
      summary_of(c), c.unlike.empty() ? std::string() : fmt::format("<p class=\"bad\">{}</p>\n", unlike_of(c)));
  for (const Part& part : parts_of(c)) {
    if (part.lines.empty()) continue;
    out += fmt::format("<details open><summary>{} ({})</summary><ul>\n", part.title, part.lines.size());
    for (std::size_t i = 0; i < std::min(part.lines.size(), kOnPage); ++i)
      out += fmt::format("<li>{}</li>\n", escaped(part.lines[i]));
    if (part.lines.size() > kOnPage)
      out += fmt::format("<li>and {} more: --json FILE has them all</li>\n", part.lines.size() - kOnPage);
    out += "</ul></details>\n";
  }
  return out + "</body></html>\n";
}

}  // namespace mfma::reports
