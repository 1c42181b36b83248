#include "reports/json/json.h"

#include <fmt/format.h>

#include "reports/json/json_parts.h"
#include "reports/json/report_file.h"

namespace mfma::reports {
namespace {

using json::Json;

// So that a report with very many findings can still be opened: in full as many and as long as this, then short, then
// bare.
constexpr std::size_t kFindingsInFull = 2000, kBytesInFull = 8'000'000, kBytesInShort = 14'000'000;

std::string dump(const Json& json, int indent) { return json.dump(indent, ' ', false, Json::error_handler_t::replace); }

// "key": [ an element to a line ]
template <typename List, typename Part>
void add_list(const char* key, const List& list, const Part& part, std::string& out) {
  out += fmt::format(",\n  \"{}\": [", key);
  const char* before = "\n    ";
  for (std::size_t i = 0; i < list.size(); ++i) {
    out += before + dump(part(list[i], i), -1);
    before = ",\n    ";
  }
  out += list.empty() ? "]" : "\n  ]";
}

}  // namespace

std::string to_json(const RunReport& r) {
  Json head = json::header(r);
  head["totals"] = json::totals(r);
  head["program_totals"] = json::program_totals(r);
  std::string out = dump(head, 2);
  out.resize(out.rfind('\n'));  // its closing brace comes last
  add_list(
      "builtins", r.builtins, [](const BuiltinReport& b, std::size_t) { return json::row(b, "builtin", "instances"); },
      out);
  add_list(
      "shapes", r.shapes, [](const BuiltinReport& b, std::size_t) { return json::row(b, "shape", "programs"); }, out);
  const std::size_t before = out.size();
  const auto detail = [&](std::size_t n) {
    const std::size_t written = out.size() - before;
    return n < kFindingsInFull && written < kBytesInFull ? json::Detail::kFull
           : written < kBytesInShort                     ? json::Detail::kShort
                                                         : json::Detail::kBare;
  };
  add_list(
      "findings", r.findings, [&](const Finding& f, std::size_t n) { return json::finding(f, detail(n)); }, out);
  add_list(
      "open", r.open, [](const OpenPoint& o, std::size_t) { return json::open_point(o); }, out);
  add_list(
      "waivers", r.waivers, [](const JudgedWaiver& w, std::size_t) { return json::waiver(w); }, out);
  add_list(
      "instances", r.units, [](const UnitReport& u, std::size_t) { return json::unit(u, "builtin", "instance"); }, out);
  add_list(
      "programs", r.program_units, [](const UnitReport& u, std::size_t) { return json::unit(u, "shape", "program"); },
      out);
  return out + "\n}\n";
}

tl::expected<void, std::string> write_json(const RunReport& report, const std::filesystem::path& file) {
  return write_report_text(to_json(report), file);
}

}  // namespace mfma::reports
