// A run report full of hostile text: its JSON is JSON that holds the same counts, a terminal gets no control codes, and
// no text breaks out of its HTML.
#include "reports/model/report.h"

#include <fmt/format.h>
#include <fuzzer/FuzzedDataProvider.h>

#include <nlohmann/json.hpp>

#include "fuzz/targets/draw_finding_kind.h"
#include "fuzz/targets/target.h"
#include "reports/html/html.h"
#include "reports/json/json.h"
#include "reports/terminal/terminal.h"

namespace mfma::fuzz {
namespace {

constexpr std::size_t kLongestText = 64;

std::string text(FuzzedDataProvider& in) { return in.ConsumeRandomLengthString(kLongestText); }

reports::Finding draw_finding(FuzzedDataProvider& in) {
  reports::Finding f;
  f.kind = draw_finding_kind(in);
  f.builtin = "mfma_f32_4x4x1f32";
  f.instance = f.case_id = f.builtin;
  for (std::string* field : {&f.compiler, &f.level, &f.message, &f.log}) *field = text(in);
  f.cases_affected = in.ConsumeIntegral<std::uint64_t>();
  f.elements_differing = in.ConsumeIntegral<std::uint64_t>();
  reports::ElementDifference d;
  d.width = in.ConsumeBool() ? 64 : 32;
  d.expected = in.ConsumeIntegral<std::uint64_t>();
  d.actual = in.ConsumeIntegral<std::uint64_t>();
  d.exact = in.ConsumeBool();
  f.differences.assign(in.ConsumeIntegralInRange<std::size_t>(0, 3), d);
  return f;
}

reports::BuiltinReport draw_builtin(FuzzedDataProvider& in) {
  reports::BuiltinReport b;
  b.builtin = "mfma_f32_4x4x1f32";
  b.add_rule("candidate", text(in));
  for (std::uint64_t* count : {&b.passed, &b.failed, &b.inconclusive, &b.hung}) {
    *count = in.ConsumeIntegral<std::uint16_t>();
    b.instances += *count;
  }
  for (std::uint64_t* count : {&b.counts.elements, &b.counts.exact, &b.counts.unconfirmed, &b.counts.unsettled_cases}) {
    *count = in.ConsumeIntegral<std::uint16_t>();
  }
  return b;
}

reports::RunReport draw_report(FuzzedDataProvider& in) {
  reports::RunReport r;
  for (std::string* field : {&r.command, &r.device_description, &r.profile_name, &r.profile_source,
                             &r.device_profile_name, &r.device_profile_source}) {
    *field = text(in);
  }
  r.seed = in.ConsumeIntegral<std::uint64_t>();
  r.compilers.push_back({text(in), text(in), text(in), "0123456789abcdef", {text(in)}, 1, 0});
  r.builtins.push_back(draw_builtin(in));
  for (auto n = in.ConsumeIntegralInRange(0, 3); n > 0; --n) r.findings.push_back(draw_finding(in));
  return r;
}

int wrong(const char* what, const std::string& output) {
  fmt::print(stderr, "{}: {}\n", what, output);
  return 1;
}

bool may_stand_on_a_terminal(const std::string& output) {
  for (const char c : output) {
    if ((static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t') || c == '\x7f') return false;
  }
  return true;
}

// Two scripts, the data and the program's, nothing in the data that could end them, and JSON in it.
bool is_whole_page(const std::string& page) {
  std::size_t scripts = 0;
  for (std::size_t at = page.find("<script"); at != std::string::npos; at = page.find("<script", at + 1)) ++scripts;
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = page.find(begin);
  if (scripts != 2 || from == std::string::npos) return false;
  const std::size_t first = from + begin.size();
  const std::string data = page.substr(first, page.find('<', first) - first);
  return page.compare(first + data.size(), 9, "</script>") == 0 && nlohmann::json::accept(data);
}

}  // namespace

std::string begin(const Options&) { return {}; }

}  // namespace mfma::fuzz

int fuzz_one(const std::uint8_t* data, std::size_t size) {
  using namespace mfma;
  FuzzedDataProvider in(data, size);
  const reports::RunReport report = fuzz::draw_report(in);
  const std::string json = reports::to_json(report);
  const auto read = nlohmann::json::parse(json, nullptr, false);
  if (read.is_discarded()) return fuzz::wrong("no JSON", json);
  if (read.at("exit_code") != static_cast<int>(report.exit_code()) || read.at("seed") != report.seed ||
      read.at("totals").at("failed") != report.instances_with(reports::Verdict::kFail) ||
      read.at("findings").size() != report.findings.size()) {
    return fuzz::wrong("JSON that does not hold the report's numbers", json);
  }
  for (const bool verbose : {false, true}) {
    const std::string shown = reports::to_terminal(report, {.colour = false, .verbose = verbose});
    if (!fuzz::may_stand_on_a_terminal(shown)) return fuzz::wrong("control codes for a terminal", shown);
  }
  const std::string page = reports::to_html(report);
  if (!fuzz::is_whole_page(page)) return fuzz::wrong("HTML that text broke out of", page);
  const std::string rest = in.ConsumeRemainingBytesAsString();
  return fuzz::may_stand_on_a_terminal(reports::printable(rest)) ? 0 : fuzz::wrong("printable() is not", rest);
}
