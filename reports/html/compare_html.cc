#include "reports/html/compare_html.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/terminal/compare_terminal.h"
#include "reports/terminal/terminal.h"

namespace mfma::reports {
namespace {

constexpr std::size_t kOnPage = 2000;  // of each list

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

}  // namespace

std::string to_html(const Comparison& c) {
  const ExitCode code = c.exit_code();
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>mfma-conform compare</title>"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
      "<meta name=\"viewport\" content=\"width=device-width\"><style>{}</style></head><body>\n"
      "<h1 class=\"{}\">{}</h1>\n<p>old: <code>{}</code><br>new: <code>{}</code></p>\n<p>{}</p>\n{}",
      kStyle, code == ExitCode::kPass ? "good" : "bad", word_of_comparison(code), escaped(c.before_name),
      escaped(c.after_name), summary_of(c),
      c.unlike.empty() ? std::string() : fmt::format("<p class=\"bad\">{}</p>\n", unlike_of(c)));
  for (const ComparisonPart& part : parts_of(c)) {
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
