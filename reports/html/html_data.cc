#include "reports/html/html_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>
#include <vector>

#include "harness/catalogue/instance.h"
#include "reports/html/html_findings.h"
#include "reports/json/json_parts.h"
#include "reports/model/words.h"

namespace mfma::reports::html {
namespace {

using catalogue::ModifierKind;

// "2 of 2354 instances and 1 of 40 programs failed"; empty where none did.
std::string how_many(const RunReport& r, Verdict v, const char* did) {
  std::vector<std::string> parts;
  const auto add = [&](std::uint64_t n, std::uint64_t of, const char* what) {
    if (n != 0) parts.push_back(fmt::format("{} of {} {}{}", n, of, what, of == 1 ? "" : "s"));
  };
  add(r.instances_with(v), r.instances(), "instance");
  add(r.programs_with(v), r.programs(), "program");
  return parts.empty() ? "" : fmt::format("{} {}", fmt::join(parts, " and "), did);
}

Json unit(const UnitReport& u, bool is_program) {
  Json json = {{"n", u.number}, {"group", u.group}, {"id", u.id}, {"v", static_cast<int>(u.verdict)}};
  if (u.smoke) json["smoke"] = 1;
  json["counts"] = json::few_counts(u.counts);
  for (const OpenPoint& o : u.open) json["open"].push_back(json::open_point(o));
  if (is_program) return json;
  // The place of its cell in the grid of its builtin.
  if (const auto i = catalogue::parse_instance(u.id); i) {
    const catalogue::Modifiers& m = i->modifiers;
    json["at"] = {m.cbsz, m.abid, m.blgp, m.op_sel_a, m.op_sel_b, m.scaled ? 1 : 0};
  }
  return json;
}

Json units(const std::vector<UnitReport>& all, bool is_program) {
  Json list = Json::array();
  for (const UnitReport& u : all) list.push_back(unit(u, is_program));
  return list;
}

Json row(const BuiltinReport& b, bool is_shape) {
  Json json = json::row(b, is_shape);
  json["name"] = b.builtin;
  json["units"] = b.instances;
  const catalogue::Builtin* builtin = catalogue::find_builtin(b.builtin);
  if (!builtin || is_shape) return json;
  json["kind"] = builtin->modifiers == ModifierKind::kScaled   ? "scaled"
                 : builtin->modifiers == ModifierKind::kNegate ? "negate"
                                                               : "broadcast";
  const catalogue::Shape& s = builtin->shape;
  json["about"] =
      fmt::format("{}x{}x{}{}, {} x {} + {}", s.m, s.n, s.k, s.blocks > 1 ? fmt::format(", {} blocks", s.blocks) : "",
                  builtin->modifiers == ModifierKind::kScaled ? "8/6/4-bit" : name_of(builtin->a_format),
                  builtin->modifiers == ModifierKind::kScaled ? "8/6/4-bit" : name_of(builtin->b_format),
                  name_of(builtin->acc_format));
  return json;
}

void add(std::string& out, const char* key, const Json& json) {
  out += fmt::format(",\n\"{}\":", key) + island_text(json);
}

template <typename List, typename Part>
Json list_of(const List& list, const Part& part) {
  Json json = Json::array();
  for (const auto& item : list) json.push_back(part(item));
  return json;
}

}  // namespace

std::string verdict_word(const RunReport& report) {
  switch (report.exit_code()) {
    case ExitCode::kPass:
      return "PASS";
    case ExitCode::kFailure:
      return "FAIL";
    case ExitCode::kHangOrLost:
      return "HANG";
    case ExitCode::kNoVerdict:
    case ExitCode::kUsage:
      break;
  }
  return "NO VERDICT";
}

std::string verdict_reason(const RunReport& r) {
  std::vector<std::string> reasons;
  for (const auto& [v, did] :
       {std::pair(Verdict::kFail, "failed"), std::pair(Verdict::kHang, "hung or lost their device"),
        std::pair(Verdict::kInconclusive, "gave no verdict"), std::pair(Verdict::kNotRun, "not run to the end"),
        std::pair(Verdict::kWaived, "waived")}) {
    if (std::string part = how_many(r, v, did); !part.empty()) reasons.push_back(std::move(part));
  }
  for (const auto& [state, are] :
       {std::pair(WaiverState::kExpired, "expired"), std::pair(WaiverState::kUnused, "unused")}) {
    if (const std::uint64_t n = r.waivers_with(state); n != 0) {
      reasons.push_back(fmt::format("{} waiver{} {}, which fails the run", n, n == 1 ? " is" : "s are", are));
    }
  }
  if (r.totals().elements + r.program_totals().elements == 0) reasons.push_back("nothing was compared");
  if (!r.stopped.empty()) reasons.push_back(fmt::format("ended by {} before it was done", r.stopped));
  if (r.exit_code() == ExitCode::kPass)
    reasons.insert(reasons.begin(), "everything planned ran, and every bit that gates agreed");
  return fmt::to_string(fmt::join(reasons, "; "));
}

std::string data_island(const RunReport& r) {
  Calls calls(r.broadcast_reading);
  const FindingsText findings = findings_text(r, calls);
  std::string out = "{\"schema\":\"mfma-conform/html/1\"";
  Json head = json::header(r);
  head["seed"] = std::to_string(r.seed);  // a number of JavaScript has 53 bits
  add(out, "head", head);
  add(out, "word", verdict_word(r));
  add(out, "reason", verdict_reason(r));
  add(out, "verdicts", list_of(kVerdicts, [](Verdict v) { return name_of(v); }));
  add(out, "count_names", list_of(kVerdicts, [](Verdict v) { return count_name_of(v); }));
  add(out, "kinds", kind_codes());
  add(out, "totals", json::totals(r));
  add(out, "program_totals", json::program_totals(r));
  add(out, "builtins", list_of(r.builtins, [](const BuiltinReport& b) { return row(b, false); }));
  add(out, "shapes", list_of(r.shapes, [](const BuiltinReport& b) { return row(b, true); }));
  add(out, "open", list_of(r.open, json::open_point));
  add(out, "waivers", list_of(r.waivers, json::waiver));
  add(out, "instances", units(r.units, false));
  add(out, "programs", units(r.program_units, true));
  add(out, "calls", calls.calls());
  add(out, "layouts", calls.layouts());
  add(out, "values", calls.values());
  add(out, "formats", calls.formats());
  add(out, "strings", findings.strings);
  add(out, "finding_counts", findings.counts);
  add(out, "shown", {{"in_full", findings.in_full}, {"in_brief", findings.in_brief}, {"left_out", findings.left_out}});
  out += ",\n\"findings\":" + findings.text + "}";
  return out;
}

}  // namespace mfma::reports::html
