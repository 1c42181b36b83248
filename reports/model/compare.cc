#include "reports/model/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace mfma::reports {
namespace {

using UnitKey = std::pair<bool, std::string>;  // whether it is a program, and its id

std::map<UnitKey, const UnitReport*> units_of(const RunReport& r) {
  std::map<UnitKey, const UnitReport*> units;
  for (const UnitReport& u : r.units) units[{false, u.id}] = &u;
  for (const UnitReport& u : r.program_units) units[{true, u.id}] = &u;
  return units;
}

// By path of the new report's compilers: the path of the old report's that is its counterpart.
std::map<std::string, std::string> counterparts(const RunReport& before, const RunReport& after) {
  std::map<std::string, std::string> found;
  std::set<std::string> taken;
  const auto match = [&](const auto& same) {
    for (const CompilerReport& a : after.compilers) {
      if (found.count(a.path)) continue;
      for (const CompilerReport& b : before.compilers) {
        if (taken.count(b.path) || !same(b, a)) continue;
        found[a.path] = b.path;
        taken.insert(b.path);
        break;
      }
    }
  };
  match([](const CompilerReport& b, const CompilerReport& a) { return b.version == a.version && b.path == a.path; });
  match([](const CompilerReport& b, const CompilerReport& a) { return b.version == a.version; });
  match([](const CompilerReport& b, const CompilerReport& a) { return b.path == a.path; });
  match([](const CompilerReport&, const CompilerReport&) { return true; });
  return found;
}

std::string joined(const std::vector<std::string>& list) { return fmt::to_string(fmt::join(list, ",")); }

void add_fact(std::vector<ChangedFact>& changed, const std::string& name, const std::string& before,
              const std::string& after) {
  if (before != after) changed.push_back({name, before, after});
}

void add_compilers(const RunReport& before, const RunReport& after, const std::map<std::string, std::string>& pairs,
                   std::vector<ChangedFact>& changed) {
  const auto text = [](const CompilerReport& c) { return fmt::format("{} ({}, hash {})", c.version, c.path, c.hash); };
  std::set<std::string> matched;
  for (const CompilerReport& a : after.compilers) {
    const auto pair = pairs.find(a.path);
    if (pair == pairs.end()) {
      changed.push_back({"compiler", "", text(a)});
      continue;
    }
    matched.insert(pair->second);
    const auto b = std::find_if(before.compilers.begin(), before.compilers.end(),
                                [&](const CompilerReport& c) { return c.path == pair->second; });
    add_fact(changed, "compiler", text(*b), text(a));
    add_fact(changed, "flags", fmt::to_string(fmt::join(b->flags, " ")), fmt::to_string(fmt::join(a.flags, " ")));
  }
  for (const CompilerReport& b : before.compilers) {
    if (!matched.count(b.path)) changed.push_back({"compiler", text(b), ""});
  }
}

std::vector<ChangedFact> environment_of(const RunReport& before, const RunReport& after,
                                        const std::map<std::string, std::string>& pairs) {
  std::vector<ChangedFact> changed;
  const auto add = [&](const std::string& name, const std::string& b, const std::string& a) {
    add_fact(changed, name, b, a);
  };
  add("mfma-conform", before.tool_version, after.tool_version);
  add_compilers(before, after, pairs, changed);
  add("levels", joined(before.levels), joined(after.levels));
  add("arch", before.arch, after.arch);
  add("device", before.device_description, after.device_description);
  add("device: id", before.device_id, after.device_id);
  add("device: kind", before.device_kind, after.device_kind);
  std::map<std::string, std::pair<std::string, std::string>> facts;
  for (const auto& [name, fact] : before.device_facts) facts[name].first = fact;
  for (const auto& [name, fact] : after.device_facts) facts[name].second = fact;
  for (const auto& [name, fact] : facts) add("device: " + name, fact.first, fact.second);
  const auto profile = [](const std::string& name, const std::string& digest) {
    return digest.empty() ? name : fmt::format("{} ({})", name, digest);
  };
  add("profile", profile(before.profile_name, before.profile_digest),
      profile(after.profile_name, after.profile_digest));
  add("device profile", profile(before.device_profile_name, before.device_profile_digest),
      profile(after.device_profile_name, after.device_profile_digest));
  add("cbsz reading", before.broadcast_reading, after.broadcast_reading);
  add("seed", std::to_string(before.seed), std::to_string(after.seed));
  add("tier", before.tier, after.tier);
  add("cases per instance", std::to_string(before.cases_per_instance), std::to_string(after.cases_per_instance));
  add("cases per program", std::to_string(before.cases_per_program), std::to_string(after.cases_per_program));
  add("repeats", std::to_string(before.repeats), std::to_string(after.repeats));
  add("rounds", std::to_string(before.rounds), std::to_string(after.rounds));
  add("modifiers", before.modifiers, after.modifiers);
  add("operand classes", joined(before.operand_classes), joined(after.operand_classes));
  add("properties", joined(before.properties), joined(after.properties));
  add("shapes", before.shapes_asked, after.shapes_asked);
  add("shard", fmt::format("{}/{}", before.shard_index, before.shard_count),
      fmt::format("{}/{}", after.shard_index, after.shard_count));
  add("ended early by", before.stopped, after.stopped);
  return changed;
}

bool decides_the_cases(const ChangedFact& f) {
  static const std::set<std::string> names = {
      "profile",   "device profile",  "cbsz reading", "seed",   "cases per instance", "cases per program", "rounds",
      "modifiers", "operand classes", "properties",   "shapes", "ended early by"};
  return names.contains(f.name);
}

class Comparer {
 public:
  Comparer(const RunReport& before, const RunReport& after)
      : before_(before),
        after_(after),
        pairs_(counterparts(before, after)),
        old_units_(units_of(before)),
        new_units_(units_of(after)) {}

  Comparison compare() {
    c_.environment = environment_of(before_, after_, pairs_);
    for (const ChangedFact& f : c_.environment) {
      if (decides_the_cases(f)) c_.unlike.push_back(f.name);
    }
    compare_units();
    const auto old = keyed(before_, false), now = keyed(after_, true);
    for (const auto& [key, f] : now) {
      const auto same = old.find(key);
      if (same == old.end()) {
        if (is_failure(*f)) c_.new_failures.push_back({std::nullopt, *f});
        continue;
      }
      c_.still_wrong.push_back({*same->second, *f});
      const bool counts_now = is_failure(*f) && !is_failure(*same->second);  // waived before
      if (counts_now) c_.new_failures.push_back({*same->second, *f});
      if (differ(*same->second, *f)) c_.changed_bits.push_back({*same->second, *f});
    }
    for (const auto& [key, f] : old) {
      if (!now.count(key) && ran_again(*f)) c_.fixed.push_back({*f, std::nullopt});
    }
    return std::move(c_);
  }

 private:
  using Key =
      std::tuple<UnitKey, FindingKind, std::string, std::string, std::string>;  // unit, code, property, level, compiler

  static bool is_failure(const Finding& f) {
    return verdict_of(f) == Verdict::kFail || verdict_of(f) == Verdict::kHang;
  }

  // A unit's number is its place in its own report's plan; of two versions of the program it may differ.
  static std::string id_of(const Finding& f, const RunReport& r) {
    if (is_of_waiver(f.kind)) return f.message;
    const auto& units = f.shape.empty() ? r.units : r.program_units;
    const auto unit = std::find_if(units.begin(), units.end(), [&](const UnitReport& u) { return u.number == f.unit; });
    return unit != units.end() ? unit->id : f.shape.empty() ? f.instance : f.program;
  }

  std::map<Key, const Finding*> keyed(const RunReport& r, bool is_new) const {
    std::map<std::pair<bool, std::uint64_t>, std::string> ids;
    std::map<Key, const Finding*> findings;
    for (const Finding& f : r.findings) {
      if (verdict_of(f.kind) == Verdict::kPass) continue;
      std::string compiler = f.compiler;
      if (is_new) {
        const auto pair = pairs_.find(f.compiler);
        compiler = pair != pairs_.end() ? pair->second : f.compiler.empty() ? "" : "new: " + f.compiler;
      }
      std::string& id = ids[{!f.shape.empty(), is_of_waiver(f.kind) ? ~std::uint64_t{0} : f.unit}];
      if (id.empty() || is_of_waiver(f.kind)) id = id_of(f, r);
      findings.try_emplace({{!f.shape.empty(), id}, f.kind, f.property, f.level, compiler}, &f);
    }
    return findings;
  }

  // The same element of the same case with other bits.
  static bool differ(const Finding& x, const Finding& y) {
    if (x.case_id != y.case_id) return false;
    for (const ElementDifference& a : x.differences) {
      for (const ElementDifference& b : y.differences) {
        if (a.block == b.block && a.row == b.row && a.column == b.column && a.lane == b.lane && a.bit == b.bit &&
            a.actual != b.actual)
          return true;
      }
    }
    return false;
  }

  bool ran_again(const Finding& f) const {
    if (is_of_waiver(f.kind)) return true;
    const auto unit = new_units_.find({!f.shape.empty(), id_of(f, before_)});
    if (unit == new_units_.end() || unit->second->untouched || unit->second->counts.left != 0) return false;
    const bool compiler =
        std::any_of(pairs_.begin(), pairs_.end(), [&](const auto& pair) { return pair.second == f.compiler; });
    const bool level =
        !f.shape.empty() || std::find(after_.levels.begin(), after_.levels.end(), f.level) != after_.levels.end();
    const bool property = f.property.empty() || std::find(after_.properties.begin(), after_.properties.end(),
                                                          f.property) != after_.properties.end();
    return compiler && level && property && has_answer(unit->second->verdict);
  }

  static bool has_answer(Verdict v) { return v == Verdict::kPass || v == Verdict::kWaived || v == Verdict::kFail; }

  void compare_units() {
    for (const auto& [key, now] : new_units_) {
      const auto old = old_units_.find(key);
      if (old == old_units_.end()) {
        c_.only_after.push_back(key.second);
        continue;
      }
      ++c_.in_both;
      const Verdict before = old->second->verdict;
      if (before == now->verdict) continue;
      c_.verdicts.push_back({key.first ? "program" : "instance", key.second, before, now->verdict});
      if (has_answer(before) && (now->verdict == Verdict::kInconclusive || now->verdict == Verdict::kNotRun))
        c_.lost.push_back(key.second);
    }
    for (const auto& [key, old] : old_units_) {
      if (!new_units_.count(key)) c_.only_before.push_back(key.second);
    }
  }

  const RunReport& before_;
  const RunReport& after_;
  const std::map<std::string, std::string> pairs_;
  const std::map<UnitKey, const UnitReport*> old_units_, new_units_;
  Comparison c_;
};

}  // namespace

ExitCode Comparison::exit_code() const {
  if (!new_failures.empty()) {
    const bool only_hangs = std::all_of(new_failures.begin(), new_failures.end(), [](const ChangedFinding& f) {
      return verdict_of(f.shown()) == Verdict::kHang;
    });
    return only_hangs ? ExitCode::kHangOrLost : ExitCode::kFailure;
  }
  return in_both == 0 || !lost.empty() ? ExitCode::kNoVerdict : ExitCode::kPass;
}

Comparison compare(const RunReport& before, const std::string& before_name, const RunReport& after,
                   const std::string& after_name) {
  Comparison c = Comparer(before, after).compare();
  c.before_name = before_name;
  c.after_name = after_name;
  return c;
}

}  // namespace mfma::reports
