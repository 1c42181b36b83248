#include "reports/model/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <compare>
#include <map>
#include <set>
#include <utility>

#include "reports/model/row_text.h"
#include "reports/model/run_fields.h"

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

// Goes by the rows of a run: the facts that differ.
class Facts {
 public:
  struct Told {
    record::Compared as;
    ChangedFact fact;
  };
  Facts(const RunReport& before, const RunReport& after, const std::map<std::string, std::string>& pairs,
        std::vector<Told>& told)
      : before_(before), after_(after), pairs_(pairs), told_(told) {}

  template <typename Row>
  void operator()(const Row& row) const {
    if constexpr (requires { text_of(before_, row); }) {
      if (row.about.compared.name) {
        std::vector<ChangedFact> changed;
        add_fact(changed, row.about.compared.name, text_of(before_, row), text_of(after_, row));
        tell(row.about.compared, std::move(changed));
      }
    }
    if constexpr (requires { row.present; }) record::for_each(row.of.rows, *this);
  }
  template <typename Of>
  void operator()(const record::List<RunReport, CompilerReport, Of>& row) const {
    std::vector<ChangedFact> changed;
    add_compilers(before_, after_, pairs_, changed);
    tell(row.about.compared, std::move(changed));
  }
  void operator()(const record::TextByName<RunReport>& row) const {
    std::map<std::string, std::pair<std::string, std::string>> texts;
    for (const auto& [name, text] : before_.*row.member) texts[name].first = text;
    for (const auto& [name, text] : after_.*row.member) texts[name].second = text;
    std::vector<ChangedFact> changed;
    for (const auto& [name, text] : texts) add_fact(changed, row.about.compared.name + name, text.first, text.second);
    tell(row.about.compared, std::move(changed));
  }

 private:
  void tell(const record::Compared& as, std::vector<ChangedFact> changed) const {
    for (ChangedFact& fact : changed) told_.push_back({as, std::move(fact)});
  }

  const RunReport& before_;
  const RunReport& after_;
  const std::map<std::string, std::string>& pairs_;
  std::vector<Told>& told_;
};

// Of the waivers that fail a run, in the order of their findings: what they are, without what became of them.
std::vector<std::string> failing_waivers(const RunReport& r) {
  std::vector<std::string> names;
  for (const JudgedWaiver& w : r.waivers) {
    if (w.state == WaiverState::kExpired || w.state == WaiverState::kUnused) names.push_back(describe(w.waiver));
  }
  return names;
}

// What a finding of one report has in common with the same in another. Numbers of units are places in a report's own
// plan: of two versions of the program they may differ.
struct Identity {
  bool is_program = false;
  std::string unit;  // its id; or the waiver
  FindingKind kind = FindingKind::kWrongBits;
  std::string property, level;
  std::string compiler;  // path of the old report's

  auto operator<=>(const Identity&) const = default;
};

class Comparer {
 public:
  Comparer(const RunReport& before, const RunReport& after)
      : before_(before),
        after_(after),
        pairs_(counterparts(before, after)),
        old_units_(units_of(before)),
        new_units_(units_of(after)) {}

  Comparison compare() {
    std::vector<Facts::Told> told;
    record::for_each(kRunHead, Facts(before_, after_, pairs_, told));
    std::stable_sort(told.begin(), told.end(),
                     [](const Facts::Told& x, const Facts::Told& y) { return x.as.order < y.as.order; });
    for (Facts::Told& t : told) {
      if (t.as.decides_cases) c_.unlike.push_back(t.fact.name);
      c_.environment.push_back(std::move(t.fact));
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
  static bool is_failure(const Finding& f) {
    return verdict_of(f) == Verdict::kFail || verdict_of(f) == Verdict::kHang;
  }

  static std::string id_of(const Finding& f, const RunReport& r) {
    const auto& units = f.shape.empty() ? r.units : r.program_units;
    const auto unit = std::find_if(units.begin(), units.end(), [&](const UnitReport& u) { return u.number == f.unit; });
    return unit != units.end() ? unit->id : f.shape.empty() ? f.instance : f.program;
  }

  std::map<Identity, const Finding*> keyed(const RunReport& r, bool is_new) const {
    std::map<std::pair<bool, std::uint64_t>, std::string> ids;
    const std::vector<std::string> waivers = failing_waivers(r);
    std::size_t waiver = 0;
    std::map<Identity, const Finding*> findings;
    for (const Finding& f : r.findings) {
      if (verdict_of(f.kind) == Verdict::kPass) continue;
      std::string compiler = f.compiler;
      if (is_new) {
        const auto pair = pairs_.find(f.compiler);
        compiler = pair != pairs_.end() ? pair->second : f.compiler.empty() ? "" : "new: " + f.compiler;
      }
      std::string unit;
      if (is_of_waiver(f.kind)) {
        unit = waiver < waivers.size() ? waivers[waiver++] : std::string();
      } else {
        std::string& id = ids[{!f.shape.empty(), f.unit}];
        if (id.empty()) id = id_of(f, r);
        unit = id;
      }
      findings.try_emplace({!f.shape.empty(), unit, f.kind, f.property, f.level, compiler}, &f);
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
