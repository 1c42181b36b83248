#include "reports/model/waive.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "harness/system/glob.h"
#include "reports/model/waiver.h"

namespace mfma::reports {
namespace {

bool matches(const std::string& glob, const std::string& text) {
  return glob.empty() || system::glob_matches(glob, text);
}
bool equals(const std::string& wanted, const std::string& text) { return wanted.empty() || wanted == text; }

// A program names the instances that it calls as "one + another".
bool matches_one(const std::string& glob, const std::string& instances) {
  for (std::size_t at = 0; at <= instances.size();) {
    const std::size_t end = std::min(instances.find(" + ", at), instances.size());
    if (matches(glob, instances.substr(at, end - at))) return true;
    at = end + 3;
  }
  return false;
}

// The unit of a finding: whether it is a program's, and its number.
using UnitKey = std::pair<bool, std::uint64_t>;
UnitKey unit_of(const Finding& f) { return {!f.shape.empty(), f.unit}; }

class Judge {
 public:
  explicit Judge(RunReport& report) : report_(report), today_(report.started.substr(0, 10)) {}

  void judge() {
    std::erase_if(report_.findings, [](const Finding& f) { return is_of_waiver(f.kind); });
    for (Finding& f : report_.findings) f.waived.clear();
    for (JudgedWaiver& w : report_.waivers) {
      if (w.waiver.finding.empty()) judge(w);
    }
    set_verdicts();
    summarize(report_);
    for (const JudgedWaiver& w : report_.waivers) add_finding(w);
  }

 private:
  void judge(JudgedWaiver& w) {
    w.findings = w.units = w.units_left = 0;
    w.state = WaiverState::kIdle;
    std::set<std::string> compilers;  // paths
    for (const CompilerReport& c : report_.compilers) {
      if (is_about_compiler(w.waiver, c.version)) compilers.insert(c.path);
    }
    if (!is_about_run(w.waiver) || compilers.empty()) return;
    const bool expired = is_expired(w.waiver, today_);
    for (Finding& f : report_.findings) {
      if (verdict_of(f.kind) == Verdict::kPass || !compilers.count(f.compiler) || !is_about(w.waiver, f)) continue;
      ++w.findings;
      if (!expired && f.waived.empty()) f.waived = fmt::format("{} ({})", w.waiver.reason, w.waiver.link);
    }
    count_units(w);
    w.state = state_of(w, expired);
  }

  bool is_about_run(const Waiver& w) const {
    return matches(w.arch, report_.arch) &&
           (matches(w.device, report_.device_id) || matches(w.device, report_.device_description)) &&
           (w.level.empty() ||
            std::find(report_.levels.begin(), report_.levels.end(), w.level) != report_.levels.end());
  }

  static bool is_about(const Waiver& w, const Finding& f) {
    return matches(w.builtin, f.builtin) && matches_one(w.instance, f.instance) && matches(w.shape, f.shape) &&
           w.shape.empty() == f.shape.empty() && equals(w.code, std::string(code_of(f.kind))) &&
           equals(w.property, f.property) && equals(w.level, f.level);
  }

  // Which builtins a program calls is known of those alone that fail: a waiver of programs by builtin is never unused.
  void count_units(JudgedWaiver& w) const {
    const bool of_programs = !w.waiver.shape.empty();
    if (of_programs && !(w.waiver.builtin.empty() && w.waiver.instance.empty())) return;
    for (const UnitReport& u : of_programs ? report_.program_units : report_.units) {
      const bool about = of_programs ? matches(w.waiver.shape, u.group)
                                     : matches(w.waiver.builtin, u.group) && matches(w.waiver.instance, u.id);
      if (!about || !has_property(u, w.waiver.property)) continue;
      ++(u.untouched || u.counts.left != 0 ? w.units_left : w.units);
    }
  }

  // What was not run may have it yet.
  static bool has_property(const UnitReport& u, const std::string& property) {
    return property.empty() || u.untouched ||
           std::any_of(u.properties.begin(), u.properties.end(),
                       [&](const PropertyCount& p) { return p.property == property; });
  }

  WaiverState state_of(const JudgedWaiver& w, bool expired) const {
    if (expired) return w.findings + w.units != 0 ? WaiverState::kExpired : WaiverState::kIdle;
    if (w.findings != 0) return WaiverState::kUsed;
    const std::string& instance = w.waiver.instance;
    const bool of_one = !instance.empty() && instance.find_first_of("*?[\\") == std::string::npos;
    const bool whole = report_.shard_count <= 1 || of_one;
    return whole && w.units != 0 && w.units_left == 0 && !w.waiver.may_pass ? WaiverState::kUnused : WaiverState::kIdle;
  }

  void set_verdicts() {
    struct Wrong {
      Verdict as_found = Verdict::kPass, counted = Verdict::kPass;  // the worst, with and without what is waived
    };
    std::map<UnitKey, Wrong> wrong;
    for (const Finding& f : report_.findings) {
      Wrong& of_unit = wrong[unit_of(f)];
      of_unit.as_found = worse(of_unit.as_found, verdict_of(f.kind));
      of_unit.counted = worse(of_unit.counted, verdict_of(f));
    }
    for (auto* units : {&report_.units, &report_.program_units}) {
      for (UnitReport& u : *units) {
        const auto found = wrong.find({units == &report_.program_units, u.number});
        // A verdict that no finding accounts for is not for a waiver to change.
        if (found == wrong.end() || found->second.as_found == Verdict::kPass || u.verdict > found->second.as_found)
          continue;
        u.verdict = found->second.counted;
        if (u.untouched) u.verdict = worse(u.verdict, Verdict::kNotRun);
      }
    }
  }

  void add_finding(const JudgedWaiver& w) {
    if (w.state != WaiverState::kExpired && w.state != WaiverState::kUnused) return;
    Finding f;
    f.device = report_.device_id;
    const std::string name = describe(w.waiver);
    if (w.state == WaiverState::kExpired) {
      f.kind = FindingKind::kWaiverExpired;
      f.message = fmt::format("{} has expired; it matches {} findings: renew or remove it: {} ({})", name, w.findings,
                              w.waiver.reason, w.waiver.link);
    } else {
      f.kind = FindingKind::kWaiverUnused;
      f.message = fmt::format(
          "{} waives nothing: {} {} that it is about ran without such a finding: remove it, or say \"may_pass\": {} "
          "({})",
          name, w.units, w.waiver.shape.empty() ? "instances" : "programs", w.waiver.reason, w.waiver.link);
    }
    report_.findings.push_back(std::move(f));
  }

  RunReport& report_;
  const std::string today_;
};

}  // namespace

void judge_waivers(RunReport& report) {
  if (!report.waivers.empty()) Judge(report).judge();
}

}  // namespace mfma::reports
