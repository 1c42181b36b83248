#include "reports/model/merge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "reports/model/finding_key.h"
#include "reports/model/same_run.h"
#include "reports/model/sums.h"
#include "reports/model/waive.h"

namespace mfma::reports {
namespace {

std::string why_not(const std::vector<NamedReport>& shards) {
  if (shards.empty()) return "no reports to merge";
  const NamedReport& first = shards.front();
  const std::uint64_t count = first.report.shard_count;
  std::map<std::uint64_t, const NamedReport*> by_index;
  for (const NamedReport& s : shards) {
    if (s.report.shard_count != count) {
      return fmt::format("{} is of {} shards, {} of {}", first.name, count, s.name, s.report.shard_count);
    }
    if (s.report.shard_index < 1 || s.report.shard_index > count)
      return fmt::format("{}: there is no shard {}/{}", s.name, s.report.shard_index, count);
    const auto [at, is_new] = by_index.try_emplace(s.report.shard_index, &s);
    if (!is_new)
      return fmt::format("{} and {} are both shard {}/{}", at->second->name, s.name, s.report.shard_index, count);
    if (const std::string other = difference_of_runs(first.report, s.report); !other.empty()) {
      return fmt::format("{} and {} are not of one run: {}", first.name, s.name, other);
    }
  }
  std::vector<std::uint64_t> missing;
  for (std::uint64_t i = 1; i <= count && missing.size() < 10; ++i) {
    if (!by_index.count(i)) missing.push_back(i);
  }
  if (!missing.empty()) return fmt::format("of {} shards these are missing: {}", count, fmt::join(missing, ", "));
  return {};
}

// The units of all shards by number; of the smoke set the worst of each.
tl::expected<std::vector<UnitReport>, std::string> united(const std::vector<NamedReport>& shards,
                                                          std::vector<UnitReport> RunReport::*units) {
  std::map<std::uint64_t, std::pair<UnitReport, const NamedReport*>> all;
  for (const NamedReport& s : shards) {
    for (const UnitReport& unit : s.report.*units) {
      const auto [at, is_new] = all.try_emplace(unit.number, unit, &s);
      if (is_new) continue;
      UnitReport& before = at->second.first;
      if (!unit.smoke || before.id != unit.id) {
        return tl::make_unexpected(fmt::format("{} and {} both have {}", at->second.second->name, s.name, unit.id));
      }
      if (unit.verdict > before.verdict) before = unit;
    }
  }
  std::vector<UnitReport> sorted;
  for (auto& [number, unit] : all) sorted.push_back(std::move(unit.first));
  return sorted;
}

// In the order of their units; of one unit in one shard as they were. Of the smoke set, which several shards ran, each
// once.
std::vector<Finding> findings_of(const std::vector<NamedReport>& shards) {
  std::map<std::tuple<bool, std::uint64_t, std::uint64_t>, std::vector<Finding>> sorted;  // program?, unit, shard
  std::set<FindingKey> met;
  for (const NamedReport& s : shards) {
    auto of_this = met;
    for (const Finding& f : s.report.findings) {
      const FindingKey key = key_of(f);
      if (met.count(key)) continue;
      of_this.insert(key);
      sorted[{key.is_program, f.unit, s.report.shard_index}].push_back(f);
    }
    met = std::move(of_this);
  }
  std::vector<Finding> findings;
  for (auto& [key, list] : sorted) std::move(list.begin(), list.end(), std::back_inserter(findings));
  return findings;
}

// The rules that any shard's instances fall under.
void add_rules(const std::vector<BuiltinReport>& from, std::vector<BuiltinReport>& rows) {
  for (const BuiltinReport& b : from) {
    auto row = std::find_if(rows.begin(), rows.end(), [&](const BuiltinReport& r) { return r.builtin == b.builtin; });
    if (row == rows.end()) row = rows.insert(rows.end(), b);
    for (const std::string& status : b.rule_statuses) {
      for (const std::string& source : b.rule_sources) row->add_rule(status, source);
    }
    row->unlawful = row->unlawful || b.unlawful;
  }
}

}  // namespace

tl::expected<RunReport, std::string> merge(std::vector<NamedReport> shards) {
  if (const std::string why = why_not(shards); !why.empty()) return tl::make_unexpected(why);
  std::sort(shards.begin(), shards.end(),
            [](const NamedReport& x, const NamedReport& y) { return x.report.shard_index < y.report.shard_index; });
  RunReport whole = shards.front().report;
  for (const auto units : {&RunReport::units, &RunReport::program_units}) {
    auto all = united(shards, units);
    if (!all) return tl::make_unexpected(all.error());
    whole.*units = *std::move(all);
  }
  whole.findings = findings_of(shards);
  for (const NamedReport& s : shards) {
    add_rules(s.report.builtins, whole.builtins);
    add_rules(s.report.shapes, whole.shapes);
    if (s.report.stopped > whole.stopped) whole.stopped = s.report.stopped;
    if (&s == &shards.front()) continue;
    add_sums(s.report, whole);
  }
  summarize(whole);
  whole.shard_index = whole.shard_count = 1;
  judge_waivers(whole);
  return whole;
}

}  // namespace mfma::reports
