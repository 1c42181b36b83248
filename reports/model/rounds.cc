#include "reports/model/rounds.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "reports/model/sums.h"

namespace mfma::reports {
namespace {

using Key = std::tuple<FindingKind, std::string, std::string, std::string, std::string>;

Key key_of(const Finding& f) {
  return {f.kind, f.shape.empty() ? f.instance : f.program, f.compiler, f.level, f.property};
}

void merge_findings(std::vector<Finding>& sum, std::vector<Finding>&& round) {
  std::map<Key, std::size_t> places;
  for (std::size_t i = 0; i < sum.size(); ++i) places.try_emplace(key_of(sum[i]), i);
  for (Finding& f : round) {
    const auto [at, is_new] = places.try_emplace(key_of(f), sum.size());
    if (is_new) {
      sum.push_back(std::move(f));
      continue;
    }
    Finding& kept = sum[at->second];
    kept.cases_affected += f.cases_affected;
    kept.elements_differing += f.elements_differing;
    for (const auto& [lane, count] : f.failing_lanes) kept.failing_lanes[lane] += count;
    for (const auto& [bit, count] : f.failing_bits) kept.failing_bits[bit] += count;
  }
}

void merge_units(std::vector<UnitReport>& sum, const std::vector<UnitReport>& round) {
  std::map<std::uint64_t, std::size_t> places;
  for (std::size_t i = 0; i < sum.size(); ++i) places[sum[i].number] = i;
  for (const UnitReport& unit : round) {
    const auto [at, is_new] = places.try_emplace(unit.number, sum.size());
    if (is_new) {
      sum.push_back(unit);
      continue;
    }
    UnitReport& kept = sum[at->second];
    kept.verdict = worse(kept.verdict, unit.verdict);
    kept.untouched = kept.untouched || unit.untouched;
    kept.counts += unit.counts;
    for (const PropertyCount& p : unit.properties) add_to(kept.properties, p);
    for (const OpenPoint& point : unit.open) {
      const auto same = std::find_if(kept.open.begin(), kept.open.end(), [&](const OpenPoint& o) {
        return o.property == point.property && o.builtin == point.builtin && o.reading == point.reading;
      });
      if (same == kept.open.end()) {
        kept.open.push_back(point);
      } else {
        same->checks += point.checks;
      }
    }
  }
}

// Digests of rounds chain, so that devices can be compared over all of them.
void merge_digests(std::vector<ExecutionDigest>& sum, const std::vector<ExecutionDigest>& round) {
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> places;
  for (std::size_t i = 0; i < sum.size(); ++i) places[{sum[i].instance, sum[i].compiler, sum[i].level}] = i;
  for (const ExecutionDigest& e : round) {
    const auto [at, is_new] = places.try_emplace({e.instance, e.compiler, e.level}, sum.size());
    if (is_new) {
      sum.push_back(e);
      continue;
    }
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;  // keeps the order of the rounds in the sum
    ExecutionDigest& kept = sum[at->second];
    kept.cases += e.cases;
    kept.digest = (kept.digest ^ e.digest) * kOdd + e.digest;
  }
}

// From before the first round to after the last.
void merge_errors(std::vector<ErrorCounter>& sum, const std::vector<ErrorCounter>& round) {
  for (ErrorCounter& c : sum) c.after.reset();
  for (const ErrorCounter& c : round) {
    const auto at = std::find_if(sum.begin(), sum.end(), [&](const ErrorCounter& s) { return s.name == c.name; });
    if (at == sum.end()) {
      sum.push_back(c);
    } else {
      at->after = c.after;
    }
  }
}

}  // namespace

void add_round(RunReport& sum, RunReport&& round) {
  merge_errors(sum.device_errors, round.device_errors);
  ++sum.rounds;
  add_sums(round, sum);
  merge_units(sum.units, round.units);
  merge_units(sum.program_units, round.program_units);
  merge_findings(sum.findings, std::move(round.findings));
  merge_digests(sum.digests, round.digests);
  if (sum.stopped.empty()) sum.stopped = round.stopped;
  summarize(sum);
}

}  // namespace mfma::reports
