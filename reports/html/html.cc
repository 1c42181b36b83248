#include "reports/html/html.h"

#include <fmt/format.h>

#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "reports/html/html_assets.h"
#include "reports/html/html_data.h"
#include "reports/json/report_file.h"

namespace mfma::reports {
namespace {

constexpr const char* kEmulated =
    "EMULATED DEVICE: this is evidence about the compiler and the harness, not about hardware.";

int value_of_hex(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

// "sha256-" and the digest in base64, as a content security policy has it.
std::string policy_source(std::string_view sha256) {
  static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out = "'sha256-";
  // Three hex digits are twelve bits, two of base64; 64 hex digits leave one over, which is four bits and two of
  // padding.
  for (std::size_t i = 0; i + 3 <= sha256.size(); i += 3) {
    const int bits = value_of_hex(sha256[i]) << 8 | value_of_hex(sha256[i + 1]) << 4 | value_of_hex(sha256[i + 2]);
    out += kDigits[static_cast<std::size_t>(bits >> 6)];
    out += kDigits[static_cast<std::size_t>(bits & 63)];
  }
  out += kDigits[static_cast<std::size_t>(value_of_hex(sha256.back()) << 2)];
  return out + "='";
}

// Text of a report inside HTML. Control characters, which HTML does not allow, and bytes of no UTF-8 text are '?'.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += u < 0x20 || u >= 0x7f ? '?' : c;
    }
  }
  return out;
}

using Parts = std::array<std::pair<std::string_view, std::string>, 9>;

// The page with its {{NAME}}s replaced. What goes in is not looked at again: it may hold braces of its own.
std::string fill(std::string_view page, const Parts& parts) {
  std::string out;
  std::size_t at = 0;
  for (std::size_t open = page.find("{{"); open != std::string_view::npos; open = page.find("{{", at)) {
    const std::size_t close = page.find("}}", open);
    const std::string_view name = page.substr(open + 2, close - open - 2);
    const auto* part = parts.begin();
    while (part != parts.end() && part->first != name) ++part;
    if (part == parts.end()) throw std::logic_error(fmt::format("the HTML page has a part without a text: {}", name));
    out.append(page.substr(at, open - at)).append(part->second);
    at = close + 2;
  }
  return out.append(page.substr(at));
}

}  // namespace

std::string to_html(const RunReport& report) {
  const std::string word = html::verdict_word(report);
  const int code = static_cast<int>(report.exit_code());
  const std::string policy =
      fmt::format("default-src 'none'; script-src {}; style-src {}; base-uri 'none'; form-action 'none'",
                  policy_source(html::kScript.sha256), policy_source(html::kStyle.sha256));
  return fill(html::kPage, {{{"POLICY", policy},
                             {"TITLE", escaped(fmt::format("{}: mfma-conform on {}", word, report.device_id))},
                             {"STYLE", std::string(html::kStyle.text)},
                             {"CLASS", fmt::format("exit-{}", code)},
                             {"VERDICT", escaped(fmt::format("{} (exit {})", word, code))},
                             {"REASON", escaped(html::verdict_reason(report))},
                             {"DEVICE", escaped(report.device_emulated ? kEmulated : report.device_description)},
                             {"DATA", html::data_island(report)},
                             {"SCRIPT", std::string(html::kScript.text)}}});
}

tl::expected<void, std::string> write_html(const RunReport& report, const std::filesystem::path& file) {
  return write_report_text(to_html(report), file);
}

}  // namespace mfma::reports
