#include "reports/model/report.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "harness/system/shell.h"
#include "reports/model/unit_fields.h"

namespace mfma::reports {

std::string_view code_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::kWrongBits:
      return "wrong-bits";
    case FindingKind::kPropertyBroken:
      return "property-broken";
    case FindingKind::kWrongInstruction:
      return "wrong-instruction";
    case FindingKind::kCompileRejected:
      return "compile-rejected";
    case FindingKind::kBatchFailure:
      return "batch-failure";
    case FindingKind::kUnsupportedInstruction:
      return "device-inconclusive";
    case FindingKind::kObjectRefused:
      return "object-refused";
    case FindingKind::kDeviceFault:
      return "device-fault";
    case FindingKind::kMissingWaitState:
      return "missing-wait-state";
    case FindingKind::kWaitStateWarning:
      return "wait-state-warning";
    case FindingKind::kUnstableBits:
      return "unstable-bits";
    case FindingKind::kDevicesDiffer:
      return "devices-differ";
    case FindingKind::kDeviceLost:
      return "device-lost";
    case FindingKind::kWaiverExpired:
      return "waiver-expired";
    case FindingKind::kWaiverUnused:
      return "waiver-unused";
    case FindingKind::kHang:
      break;
  }
  return "hang";
}

std::optional<FindingKind> kind_named(std::string_view code) {
  for (int k = 0; k < kFindingKinds; ++k) {
    if (code_of(static_cast<FindingKind>(k)) == code) return static_cast<FindingKind>(k);
  }
  return std::nullopt;
}

bool is_of_waiver(FindingKind kind) {
  return kind == FindingKind::kWaiverExpired || kind == FindingKind::kWaiverUnused;
}

std::string_view name_of(Verdict v) {
  switch (v) {
    case Verdict::kPass:
      return "pass";
    case Verdict::kWaived:
      return "waived";
    case Verdict::kNotRun:
      return "not-run";
    case Verdict::kInconclusive:
      return "inconclusive";
    case Verdict::kHang:
      return "hang";
    case Verdict::kFail:
      break;
  }
  return "fail";
}

std::optional<Verdict> verdict_named(std::string_view name) {
  const auto* found = std::find_if(kVerdicts.begin(), kVerdicts.end(), [&](Verdict v) { return name_of(v) == name; });
  return found == kVerdicts.end() ? std::nullopt : std::optional(*found);
}

std::string_view count_name_of(Verdict v) {
  switch (v) {
    case Verdict::kPass:
      return "passed";
    case Verdict::kWaived:
      return "waived";
    case Verdict::kNotRun:
      return "not_run";
    case Verdict::kInconclusive:
      return "inconclusive";
    case Verdict::kHang:
      return "hung";
    case Verdict::kFail:
      break;
  }
  return "failed";
}

Verdict worse(Verdict x, Verdict y) { return std::max(x, y); }

ExitCode worse(ExitCode x, ExitCode y) {
  for (const ExitCode code : {ExitCode::kFailure, ExitCode::kHangOrLost, ExitCode::kNoVerdict}) {
    if (x == code || y == code) return code;
  }
  return ExitCode::kPass;
}

Verdict verdict_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::kWrongBits:
    case FindingKind::kPropertyBroken:
    case FindingKind::kWrongInstruction:
    case FindingKind::kDeviceFault:
    case FindingKind::kMissingWaitState:
    case FindingKind::kUnstableBits:
    case FindingKind::kDevicesDiffer:
    case FindingKind::kWaiverExpired:
    case FindingKind::kWaiverUnused:
      return Verdict::kFail;
    case FindingKind::kWaitStateWarning:
      return Verdict::kPass;
    case FindingKind::kCompileRejected:
    case FindingKind::kBatchFailure:
    case FindingKind::kUnsupportedInstruction:
    case FindingKind::kObjectRefused:
      return Verdict::kInconclusive;
    case FindingKind::kHang:
    case FindingKind::kDeviceLost:
      break;
  }
  return Verdict::kHang;
}

Verdict verdict_of(const Finding& f) {
  const Verdict v = verdict_of(f.kind);
  return v != Verdict::kPass && !f.waived.empty() ? Verdict::kWaived : v;
}

std::string replay_command(const Finding& f) {
  const std::string& file = f.reduced && !f.reduced->file.empty() ? f.reduced->file : f.case_file;
  if (file.empty()) return {};
  return "mfma-conform replay " + system::shell_word(file);
}

Counts& Counts::operator+=(const Counts& other) {
  for (const record::Count<Counts>& count : kCounts) this->*count.member += other.*count.member;
  return *this;
}

void add_to(std::vector<PropertyCount>& counts, const PropertyCount& more) {
  const auto same =
      std::find_if(counts.begin(), counts.end(), [&](const PropertyCount& c) { return c.property == more.property; });
  if (same == counts.end()) {
    counts.push_back(more);
    return;
  }
  same->checks += more.checks;
  same->broken += more.broken;
}

std::uint64_t& BuiltinReport::with(Verdict v) {
  switch (v) {
    case Verdict::kPass:
      return passed;
    case Verdict::kWaived:
      return waived;
    case Verdict::kNotRun:
      return not_run;
    case Verdict::kInconclusive:
      return inconclusive;
    case Verdict::kHang:
      return hung;
    case Verdict::kFail:
      break;
  }
  return failed;
}
std::uint64_t BuiltinReport::with(Verdict v) const { return const_cast<BuiltinReport*>(this)->with(v); }

Verdict BuiltinReport::verdict() const {
  if (instances == 0) return Verdict::kInconclusive;
  Verdict worst = Verdict::kPass;
  for (const Verdict v : kVerdicts) {
    if (with(v)) worst = worse(worst, v);
  }
  return worst;
}

namespace {

void insert_sorted(std::vector<std::string>& list, const std::string& text) {
  const auto at = std::lower_bound(list.begin(), list.end(), text);
  if (at == list.end() || *at != text) list.insert(at, text);
}

}  // namespace

void BuiltinReport::add_rule(const std::string& status, const std::string& source) {
  insert_sorted(rule_statuses, status);
  insert_sorted(rule_sources, source);
}

std::string BuiltinReport::rule_status() const {
  std::string text;
  for (const std::string& status : rule_statuses) text += (text.empty() ? "" : "+") + status;
  return text;
}

namespace {

Counts sum_of(const std::vector<BuiltinReport>& rows) {
  Counts sum;
  for (const BuiltinReport& b : rows) sum += b.counts;
  return sum;
}

std::uint64_t planned(const std::vector<BuiltinReport>& rows) {
  std::uint64_t sum = 0;
  for (const BuiltinReport& b : rows) sum += b.instances;
  return sum;
}

std::uint64_t with(Verdict v, const std::vector<BuiltinReport>& rows) {
  std::uint64_t sum = 0;
  for (const BuiltinReport& b : rows) sum += b.with(v);
  return sum;
}

void count_units(const std::vector<UnitReport>& units, std::vector<BuiltinReport>& rows) {
  std::map<std::string, BuiltinReport> known;
  for (BuiltinReport& row : rows) known[row.builtin] = std::move(row);
  rows.clear();
  std::map<std::string, std::size_t> places;
  for (const UnitReport& unit : units) {
    const auto [at, is_new] = places.try_emplace(unit.group, rows.size());
    if (is_new) {
      BuiltinReport& row = rows.emplace_back();
      row.builtin = unit.group;
      if (const auto before = known.find(unit.group); before != known.end()) {
        row.rule_statuses = before->second.rule_statuses;
        row.rule_sources = before->second.rule_sources;
        row.unlawful = before->second.unlawful;
      }
    }
    BuiltinReport& row = rows[at->second];
    row.instances += 1;
    row.with(unit.verdict) += 1;
    row.counts += unit.counts;
  }
}

}  // namespace

void summarize(RunReport& report) {
  count_units(report.units, report.builtins);
  count_units(report.program_units, report.shapes);
  report.open.clear();
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> places;
  for (const UnitReport& unit : report.units) {
    for (const OpenPoint& point : unit.open) {
      const auto [at, first] = places.try_emplace({point.builtin, point.property, point.reading}, report.open.size());
      if (first) {
        report.open.push_back(point);
      } else {
        report.open[at->second].checks += point.checks;
      }
    }
  }
}

Counts RunReport::totals() const { return sum_of(builtins); }
std::uint64_t RunReport::instances() const { return planned(builtins); }
std::uint64_t RunReport::instances_with(Verdict v) const { return with(v, builtins); }
Counts RunReport::program_totals() const { return sum_of(shapes); }
std::uint64_t RunReport::programs() const { return planned(shapes); }
std::uint64_t RunReport::programs_with(Verdict v) const { return with(v, shapes); }

std::uint64_t RunReport::waivers_with(WaiverState s) const {
  return static_cast<std::uint64_t>(
      std::count_if(waivers.begin(), waivers.end(), [&](const JudgedWaiver& w) { return w.state == s; }));
}

ExitCode RunReport::exit_code() const {
  const auto any = [this](Verdict v) { return instances_with(v) + programs_with(v) != 0; };
  const bool idle = totals().elements + program_totals().elements == 0;
  if (any(Verdict::kFail) || waivers_with(WaiverState::kExpired) + waivers_with(WaiverState::kUnused) != 0)
    return ExitCode::kFailure;
  if (any(Verdict::kHang)) return ExitCode::kHangOrLost;
  if (any(Verdict::kInconclusive) || any(Verdict::kNotRun) || idle) return ExitCode::kNoVerdict;
  return ExitCode::kPass;
}

}  // namespace mfma::reports
