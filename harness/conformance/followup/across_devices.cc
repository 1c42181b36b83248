#include "harness/conformance/followup/across_devices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace mfma::conformance {
namespace {

using reports::Finding;
using reports::FindingKind;
using reports::RunReport;
using reports::Verdict;

// What is run: instance or program, compiler, level.
using Execution = std::tuple<std::string, std::string, std::string>;

Execution execution_of(const Finding& f) { return {f.shape.empty() ? f.instance : f.program, f.compiler, f.level}; }

bool speaks_of_device(const Finding& f) {
  const Verdict v = reports::verdict_of(f.kind);
  return v == Verdict::kFail || v == Verdict::kHang;
}

std::string address_of(const RunReport& r) {
  for (const auto& [name, fact] : r.device_facts) {
    if (name == "pci" && !fact.empty()) return fact;
  }
  return r.device_id;
}

// What each device found, by execution.
class Index {
 public:
  explicit Index(const std::vector<RunReport>& reports) {
    for (const RunReport& r : reports) {
      auto& of_device = kinds_.emplace_back();
      for (const Finding& f : r.findings) of_device[execution_of(f)].insert({f.kind, f.property});
    }
  }
  bool has(std::size_t device, const Finding& f) const {
    const auto* kinds = find(device, execution_of(f));
    return kinds && kinds->count({f.kind, f.property}) != 0;
  }
  // Something that kept it from its end, so that it might have had the finding.
  bool was_cut_short(std::size_t device, const Execution& execution) const {
    const auto* kinds = find(device, execution);
    return kinds && std::any_of(kinds->begin(), kinds->end(), [](const auto& kind) {
             const Verdict v = reports::verdict_of(kind.first);
             return v == Verdict::kInconclusive || v == Verdict::kHang;
           });
  }
  bool fails(std::size_t device, const Execution& execution) const {
    const auto* kinds = find(device, execution);
    return kinds && std::any_of(kinds->begin(), kinds->end(),
                                [](const auto& kind) { return reports::verdict_of(kind.first) == Verdict::kFail; });
  }

 private:
  using Kinds = std::set<std::pair<FindingKind, std::string>>;
  const Kinds* find(std::size_t device, const Execution& execution) const {
    const auto at = kinds_[device].find(execution);
    return at == kinds_[device].end() ? nullptr : &at->second;
  }
  std::vector<std::map<Execution, Kinds>> kinds_;
};

reports::AcrossDevices across_of(const Finding& f, const std::vector<RunReport>& reports, const Index& index) {
  reports::AcrossDevices across;
  std::size_t one = 0;
  for (std::size_t d = 0; d < reports.size(); ++d) {
    if (index.has(d, f)) {
      across.with.push_back(reports[d].device_id);
      one = d;
    } else {
      (index.was_cut_short(d, execution_of(f)) ? across.unknown : across.without).push_back(reports[d].device_id);
    }
  }
  if (across.with.size() == 1 && !across.without.empty()) across.attributed_to = address_of(reports[one]);
  return across;
}

void add_difference(RunReport& r, const reports::ExecutionDigest& e, const std::string& message) {
  Finding f;
  f.kind = FindingKind::kDevicesDiffer;
  f.instance = e.instance;
  f.builtin = e.instance.substr(0, e.instance.find(':'));
  f.compiler = e.compiler;
  f.level = e.level;
  f.device = r.device_id;
  f.message = message;
  for (reports::UnitReport& unit : r.units) {
    if (unit.id != e.instance) continue;
    unit.verdict = Verdict::kFail;
    f.unit = unit.number;
  }
  r.findings.push_back(std::move(f));
}

// A device's digest of one execution.
struct Digest {
  std::size_t device = 0;
  const reports::ExecutionDigest* execution = nullptr;
};

void compare_digests(std::vector<RunReport>& reports, const std::vector<Digest>& all) {
  std::map<std::uint64_t, std::vector<Digest>> groups;
  for (const Digest& d : all) groups[d.execution->digest].push_back(d);
  if (groups.size() < 2) return;
  const auto most = std::max_element(groups.begin(), groups.end(),
                                     [](const auto& x, const auto& y) { return x.second.size() < y.second.size(); });
  const bool majority = 2 * most->second.size() > all.size();
  const std::string message =
      majority
          ? fmt::format("other bits than {} of {} devices gave for the same cases, which agree", most->second.size(),
                        all.size())
          : fmt::format("{} devices gave {} different sets of bits for the same cases; which is right, nothing says",
                        all.size(), groups.size());
  for (const auto& [digest, members] : groups) {
    if (majority && digest == most->first) continue;
    for (const Digest& d : members) add_difference(reports[d.device], *d.execution, message);
  }
}

// A device that fails an execution by itself has a finding that says more, and its bits tell nothing of the others.
void compare_all_digests(std::vector<RunReport>& reports, const Index& index) {
  std::map<Execution, std::vector<Digest>> executions;
  for (std::size_t device = 0; device < reports.size(); ++device) {
    for (const reports::ExecutionDigest& e : reports[device].digests) {
      const Execution execution{e.instance, e.compiler, e.level};
      if (!index.fails(device, execution)) executions[execution].push_back({device, &e});
    }
  }
  for (const auto& [execution, all] : executions) {
    const std::uint64_t cases = all[0].execution->cases;
    if (std::all_of(all.begin(), all.end(), [&](const Digest& d) { return d.execution->cases == cases; }))
      compare_digests(reports, all);
  }
}

}  // namespace

void compare_devices(std::vector<RunReport>& reports) {
  if (reports.size() < 2) return;
  compare_all_digests(reports, Index(reports));
  for (RunReport& r : reports) summarize(r);
  const Index index(reports);
  for (RunReport& r : reports) {
    for (Finding& f : r.findings) {
      if (speaks_of_device(f)) f.across = across_of(f, reports, index);
    }
  }
}

std::vector<std::string> summary_across(const std::vector<RunReport>& reports) {
  if (reports.size() < 2) return {};
  std::vector<std::string> lines;
  std::set<std::tuple<FindingKind, Execution, std::string>> on_all, on_some;
  for (const RunReport& r : reports) {
    std::map<std::string_view, std::uint64_t> own;
    for (const Finding& f : r.findings) {
      if (!f.across) continue;
      if (!f.across->attributed_to.empty()) {
        ++own[reports::code_of(f.kind)];
      } else {
        (f.across->with.size() == reports.size() ? on_all : on_some).insert({f.kind, execution_of(f), f.property});
      }
    }
    for (const auto& [code, count] : own) {
      lines.push_back(
          fmt::format("across devices: {} [{}] on {} alone ({}): its own", count, code, r.device_id, address_of(r)));
    }
  }
  if (!on_some.empty())
    lines.push_back(fmt::format("across devices: {} findings on some devices and not on others", on_some.size()));
  if (!on_all.empty())
    lines.push_back(
        fmt::format("across devices: {} findings on all {} devices: not of one GPU", on_all.size(), reports.size()));
  if (lines.empty()) lines.push_back(fmt::format("across devices: the {} devices do not differ", reports.size()));
  return lines;
}

}  // namespace mfma::conformance
