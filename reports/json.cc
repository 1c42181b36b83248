#include "reports/json.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>

#include "harness/cases/case_file.h"

namespace mfma::reports {
namespace {

using Json = nlohmann::ordered_json;

Json counts_json(const Counts& c) {
  return {{"executions", c.executions},
          {"cases", c.cases},
          {"cases_not_run", c.not_run},
          {"elements_compared", c.elements},
          {"elements_exact", c.exact},
          {"elements_model_dependent", c.model_dependent},
          {"elements_differing", c.differing},
          {"elements_unconfirmed", c.unconfirmed},
          {"property_checks", c.property_checks},
          {"properties_broken", c.properties_broken},
          {"cases_on_unsettled_reading", c.unsettled_cases}};
}

Json difference_json(const ElementDifference& d) {
  return {{"block", d.block},
          {"row", d.row},
          {"column", d.column},
          {"lane", d.lane},
          {"register", d.bit / 32},
          {"expected", fmt::format("{:0{}x}", d.expected, d.width / 4)},
          {"actual", fmt::format("{:0{}x}", d.actual, d.width / 4)},
          {"exact", d.exact},
          {"against", d.against}};
}

Json replay_json(const Finding& f) {
  if (f.replays == 0) return nullptr;
  return {{"runs", f.replays},
          {"failed", f.replays_failed},
          {"label", cases::word_of({.failed = f.replays_failed, .runs = f.replays})}};
}

Json reduced_json(const Finding& f) {
  if (!f.reduced) return nullptr;
  const ReducedFailure& r = *f.reduced;
  return {{"instance", r.instance},
          {"level", r.level},
          {"nonzero_products", r.nonzero_products},
          {"candidates", r.candidates},
          {"exhausted", r.exhausted},
          {"difference", difference_json(r.difference)},
          {"file", r.file},
          {"case", r.text}};
}

Json repeat_json(const Finding& f) {
  if (f.repeats <= 1) return nullptr;
  return {{"launches", f.repeats}, {"differing", f.repeats_failed}};
}

Json histogram_json(const std::map<int, std::uint64_t>& counts) {
  Json histogram = Json::object();
  for (const auto& [place, count] : counts) histogram[std::to_string(place)] = count;
  return histogram;
}

Json located_json(const Finding& f) {
  if (!f.located) return nullptr;
  Json units = Json::array();
  for (const Location::Unit& u : f.located->failing) {
    units.push_back({{"xcc", u.xcc}, {"se", u.se}, {"cu", u.cu}, {"simd", u.simd}, {"runs", u.runs}, {"failed", u.failed}});
  }
  return {{"runs", f.located->runs},
          {"failed", f.located->failed},
          {"simds", f.located->units},
          {"failing", std::move(units)},
          {"message", f.located->message}};
}

Json across_json(const Finding& f) {
  if (!f.across) return nullptr;
  return {{"with", f.across->with},
          {"without", f.across->without},
          {"unknown", f.across->unknown},
          {"attributed_to", f.across->attributed_to}};
}

Json finding_json(const Finding& f) {
  Json differences = Json::array();
  for (const ElementDifference& d : f.differences) differences.push_back(difference_json(d));
  Json finding = {{"code", code_of(f.kind)},
          {"verdict", name_of(verdict_of(f.kind))},
          {"builtin", f.builtin},
          {"instance", f.instance},
          {"compiler", f.compiler},
          {"level", f.level},
          {"device", f.device},
          {"case", f.case_id},
          {"operand_class", f.operand_class},
          {"property", f.property},
          {"message", f.message},
          {"cases_affected", f.cases_affected},
          {"elements_differing", f.elements_differing},
          {"unsettled_reading", f.unsettled},
          {"differences", std::move(differences)},
          {"replay", replay_json(f)},
          {"repeat", repeat_json(f)},
          {"failing_lanes", histogram_json(f.failing_lanes)},
          {"failing_bits", histogram_json(f.failing_bits)},
          {"located", located_json(f)},
          {"across_devices", across_json(f)},
          {"case_file", f.case_file},
          {"replay_command", replay_command(f)},
          {"reduced", reduced_json(f)},
          {"log", f.log}};
  if (!f.shape.empty()) {
    finding["shape"] = f.shape;
    finding["program"] = f.program;
    finding["source"] = f.source;
  }
  return finding;
}

Json shape_json(const BuiltinReport& s) {
  return {{"shape", s.builtin},
          {"verdict", name_of(s.verdict())},
          {"programs", s.instances},
          {"passed", s.passed},
          {"failed", s.failed},
          {"inconclusive", s.inconclusive},
          {"hung", s.hung},
          {"counts", counts_json(s.counts)}};
}

Json builtin_json(const BuiltinReport& b) {
  return {{"builtin", b.builtin},
          {"verdict", name_of(b.verdict())},
          {"instances", b.instances},
          {"passed", b.passed},
          {"failed", b.failed},
          {"inconclusive", b.inconclusive},
          {"hung", b.hung},
          {"rule_status", b.rule_status},
          {"rule_source", b.rule_source},
          {"properties_left_out", b.unlawful},
          {"counts", counts_json(b.counts)}};
}

Json open_json(const OpenPoint& o) {
  return {{"property", o.property}, {"builtin", o.builtin}, {"reading", o.reading}, {"checks", o.checks}};
}

Json facts_json(const RunReport& r) {
  Json facts = Json::object();
  for (const auto& [name, fact] : r.device_facts) facts[name] = fact;
  return facts;
}

Json errors_json(const RunReport& r) {
  const auto number = [](const std::optional<std::uint64_t>& n) { return n ? Json(*n) : Json(nullptr); };
  Json counters = Json::object();
  for (const ErrorCounter& c : r.device_errors) {
    counters[c.name] = {{"before", number(c.before)}, {"after", number(c.after)}, {"rose", c.rose()}};
  }
  return counters;
}

Json compiler_json(const CompilerReport& c) {
  return {{"path", c.path},
          {"resolved", c.resolved},
          {"version", c.version},
          {"hash", c.hash},
          {"flags", c.flags},
          {"kernels_compiled", c.kernels_compiled},
          {"kernels_from_cache", c.kernels_from_cache}};
}

}  // namespace

std::string to_json(const RunReport& r) {
  Json compilers = Json::array();
  for (const CompilerReport& c : r.compilers) compilers.push_back(compiler_json(c));
  Json builtins = Json::array();
  for (const BuiltinReport& b : r.builtins) builtins.push_back(builtin_json(b));
  Json shapes = Json::array();
  for (const BuiltinReport& b : r.shapes) shapes.push_back(shape_json(b));
  Json findings = Json::array();
  for (const Finding& f : r.findings) findings.push_back(finding_json(f));

  Json open = Json::array();
  for (const OpenPoint& o : r.open) open.push_back(open_json(o));

  const Json report = {
      {"schema", kReportSchema},
      {"tool", {{"name", "mfma-conform"}, {"version", r.tool_version}}},
      {"command", r.command},
      {"exit_code", static_cast<int>(r.exit_code())},
      {"started", r.started},
      {"seconds", r.seconds},
      {"arch", r.arch},
      {"compilers", std::move(compilers)},
      {"levels", r.levels},
      {"device",
       {{"id", r.device_id},
        {"kind", r.device_kind},
        {"emulated", r.device_emulated},
        {"description", r.device_description},
        {"facts", facts_json(r)},
        {"error_counters", errors_json(r)}}},
      {"profile", {{"name", r.profile_name}, {"source", r.profile_source}}},
      {"device_profile", {{"name", r.device_profile_name}, {"source", r.device_profile_source}}},
      {"broadcast_reading", r.broadcast_reading},
      {"seed", r.seed},
      {"tier", r.tier},
      {"cases_per_instance", r.cases_per_instance},
      {"repeats", r.repeats},
      {"rounds", r.rounds},
      {"modifiers", r.modifiers},
      {"properties", r.properties},
      {"shard", {{"index", r.shard_index}, {"count", r.shard_count}}},
      {"totals",
       {{"builtins", r.builtins.size()},
        {"instances", r.instances()},
        {"passed", r.instances_with(Verdict::kPass)},
        {"failed", r.instances_with(Verdict::kFail)},
        {"inconclusive", r.instances_with(Verdict::kInconclusive)},
        {"hung", r.instances_with(Verdict::kHang)},
        {"counts", counts_json(r.totals())}}},
      {"builtins", std::move(builtins)},
      {"shapes", std::move(shapes)},
      {"findings", std::move(findings)},
      {"open", std::move(open)},
  };
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace {

tl::unexpected<std::string> cannot_write(const std::filesystem::path& file, const std::string& why) {
  return tl::unexpected(fmt::format("cannot write the report to {}: {}", file.string(), why));
}

// What stands in the way of writing `text` to `file`; empty when it is written.
std::string write_text(const std::string& text, const std::filesystem::path& file) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  if (!out) return std::strerror(errno);
  out << text;
  out.close();
  return out ? "" : "writing failed (disk full?)";
}

}  // namespace

tl::expected<void, std::string> write_json(const RunReport& report, const std::filesystem::path& file) {
  return write_report_text(to_json(report), file);
}

tl::expected<void, std::string> write_report_text(const std::string& text, const std::filesystem::path& file) {
  std::error_code error;
  // A rename would put a file in the place of a device, a pipe or a link; those are written as they are.
  const std::filesystem::file_status status = std::filesystem::symlink_status(file, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    const std::string why = write_text(text, file);
    if (!why.empty()) return cannot_write(file, why);
    return {};
  }
  // Of this process alone, so that two runs with one report file do not mix.
  const std::filesystem::path aside = file.string() + fmt::format(".{}.part", ::getpid());
  std::string why = write_text(text, aside);
  if (why.empty()) {
    std::filesystem::rename(aside, file, error);
    if (error) why = error.message();
  }
  if (why.empty()) return {};
  std::filesystem::remove(aside, error);
  return cannot_write(file, why);
}

}  // namespace mfma::reports
