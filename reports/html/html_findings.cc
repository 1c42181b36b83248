#include "reports/html/html_findings.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "harness/cases/case_file.h"

namespace mfma::reports::html {
namespace {

// So that a page with very many findings can still be opened. Bytes are of escaped text, of all findings and their
// calls.
constexpr std::size_t kInFull = 2000, kBytesInFull = 20'000'000, kBytesInBrief = 30'000'000, kBytesAtAll = 42'000'000;
constexpr std::size_t kBriefMessage = 120;

// Texts that many findings share.
class Strings {
 public:
  std::size_t place_of(const std::string& text) {
    const auto [found, is_new] = places_.try_emplace(text, places_.size());
    if (is_new) list_.push_back(text);
    return found->second;
  }
  Json take() { return std::move(list_); }

 private:
  std::map<std::string, std::size_t> places_;
  Json list_ = Json::array();
};

void set(Json& json, const char* key, const std::string& text) {
  if (!text.empty()) json[key] = text;
}

// block, row, column, lane, bit, width, expected, actual, exact, against
Json difference(const ElementDifference& d) {
  return {d.block,
          d.row,
          d.column,
          d.lane,
          d.bit,
          d.width,
          fmt::format("{:0{}x}", d.expected, d.width / 4),
          fmt::format("{:0{}x}", d.actual, d.width / 4),
          d.exact ? 1 : 0,
          d.against};
}

Json reduced(const ReducedFailure& r, Calls& calls) {
  Json json = {{"instance", r.instance},     {"level", r.level},         {"nonzero_products", r.nonzero_products},
               {"candidates", r.candidates}, {"exhausted", r.exhausted}, {"difference", difference(r.difference)}};
  set(json, "file", r.file);
  set(json, "text", r.text);
  if (calls.add(r.instance)) {
    calls.add_result(r.instance, r.difference.expected);
    calls.add_result(r.instance, r.difference.actual);
  }
  if (r.text.empty()) return json;
  if (const auto file = cases::parse_case_file(r.text, "case"); file) {
    json["matrices"] = calls.matrices(*file);
  } else {
    json["unread"] = file.error();
  }
  return json;
}

class Writer {
 public:
  Writer(Calls& calls, Strings& strings) : calls_(calls), strings_(strings) {}

  // What and where, of every finding.
  Json bare(const Finding& f) {
    Json json = {{"k", static_cast<int>(f.kind)}, {"v", static_cast<int>(verdict_of(f))}};
    if (is_of_waiver(f.kind)) {
      json["g"] = json["i"] = strings_.place_of("waivers");
      json["m"] = f.message.substr(0, kBriefMessage);
      return json;
    }
    json["u"] = f.unit;
    json["g"] = strings_.place_of(f.shape.empty() ? f.builtin : f.shape);
    json["i"] = strings_.place_of(f.shape.empty() ? f.instance : f.program);
    if (!f.shape.empty()) json["p"] = 1;
    json["c"] = strings_.place_of(f.compiler);
    json["l"] = strings_.place_of(f.level);
    json["d"] = strings_.place_of(f.device);
    json["m"] = f.message.substr(0, kBriefMessage);
    return json;
  }

  Json brief(const Finding& f) {
    Json json = bare(f);
    json["m"] = f.message.substr(0, 4 * kBriefMessage);
    add_words(f, json);
    if (!f.differences.empty()) json["diff"].push_back(difference(f.differences.front()));
    return json;
  }

  Json full(const Finding& f) {
    Json json = bare(f);
    json["m"] = f.message;
    add_words(f, json);
    const bool known = f.shape.empty() && calls_.add(f.instance);
    for (const ElementDifference& d : f.differences) {
      json["diff"].push_back(difference(d));
      if (!known) continue;
      calls_.add_result(f.instance, d.expected);
      calls_.add_result(f.instance, d.actual);
    }
    set(json, "case_file", f.case_file);
    if (f.reduced) json["reduced"] = reduced(*f.reduced, calls_);
    set(json, "log", f.log);
    set(json, "source", f.source);
    const Json whole = json::finding(f, Detail::kFull);
    for (const char* key : {"repeat", "across_devices", "failing_lanes", "failing_bits", "located"}) {
      if (whole.contains(key)) json[key] = whole[key];
    }
    return json;
  }

 private:
  void add_words(const Finding& f, Json& json) {
    if (!f.shape.empty()) set(json, "call", f.instance);
    set(json, "case", f.case_id);
    if (!f.operand_class.empty()) json["class"] = strings_.place_of(f.operand_class);
    if (!f.property.empty()) json["property"] = strings_.place_of(f.property);
    set(json, "attribution", f.attribution);
    set(json, "waived", f.waived);
    if (f.cases_affected) json["cases"] = f.cases_affected;
    if (f.elements_differing) json["elements"] = f.elements_differing;
    if (f.unsettled) json["unsettled"] = 1;
    if (f.replays)
      json["replays"] = {f.replays, f.replays_failed, cases::word_of({.failed = f.replays_failed, .runs = f.replays})};
    set(json, "replay", replay_command(f));
  }

  Calls& calls_;
  Strings& strings_;
};

Json counts_of(const std::vector<Finding>& findings) {
  std::map<std::pair<int, int>, std::uint64_t> counts;
  for (const Finding& f : findings) ++counts[{static_cast<int>(f.kind), static_cast<int>(verdict_of(f))}];
  Json json = Json::array();
  for (const auto& [what, count] : counts) json.push_back({what.first, what.second, count});
  return json;
}

}  // namespace

std::string island_text(const Json& json) {
  const std::string dumped = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string out;
  out.reserve(dumped.size() + dumped.size() / 16);
  std::size_t kept = 0;  // up to where `out` has the text
  const auto replace = [&](std::size_t at, std::size_t length, const char* with) {
    out.append(dumped, kept, at - kept).append(with);
    kept = at + length;
  };
  for (std::size_t at = dumped.find_first_of("<>&\xe2"); at != std::string::npos;
       at = dumped.find_first_of("<>&\xe2", at + 1)) {
    const char c = dumped[at];
    if (c != '\xe2') {
      replace(at, 1, c == '<' ? "\\u003c" : c == '>' ? "\\u003e" : "\\u0026");
    } else if (dumped.compare(at, 3, "\xe2\x80\xa8") == 0) {
      replace(at, 3, "\\u2028");
    } else if (dumped.compare(at, 3, "\xe2\x80\xa9") == 0) {
      replace(at, 3, "\\u2029");
    }
  }
  return out.append(dumped, kept);
}

FindingsText findings_text(const RunReport& report, Calls& calls) {
  FindingsText out;
  Strings strings;
  Writer writer(calls, strings);
  out.text.push_back('[');
  for (const Finding& f : report.findings) {
    const std::size_t so_far = out.text.size() + calls.bytes(), shown = out.in_full + out.in_brief;
    const bool whole = out.in_brief == 0 && out.in_full < kInFull && so_far < kBytesInFull;
    std::string text = island_text(whole ? writer.full(f) : so_far < kBytesInBrief ? writer.brief(f) : writer.bare(f));
    // One finding may have a log of any size.
    bool fits = so_far + text.size() < kBytesAtAll;
    if (!fits) text = island_text(writer.bare(f));
    fits = so_far + text.size() < kBytesAtAll;
    if (!fits) {
      out.left_out = report.findings.size() - shown;
      break;
    }
    out.text += shown == 0 ? "\n" : ",\n";
    out.text += text;
    ++(whole ? out.in_full : out.in_brief);
  }
  out.text.push_back(']');
  out.strings = strings.take();
  out.counts = counts_of(report.findings);
  return out;
}

Json kind_codes() {
  Json codes = Json::array();
  for (int k = 0; k < kFindingKinds; ++k) codes.push_back(code_of(static_cast<FindingKind>(k)));
  return codes;
}

}  // namespace mfma::reports::html
