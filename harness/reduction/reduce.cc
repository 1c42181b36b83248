// Delta debugging in the manner of Zeller and Hildebrandt (2002), on units that suit a matrix product: blocks, rows,
// columns, k, then elements, then the values of what is left. Candidates are judged many to a launch.
#include "harness/reduction/reduce.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "harness/compilers/levels.h"
#include "harness/reduction/working_case.h"

namespace mfma::reduction {
namespace {

using namespace detail;
using Clock = std::chrono::steady_clock;
using Unit = std::vector<Place>;  // elements that are reset together

constexpr int kMostRounds = 8;
constexpr std::size_t kMostUnitsAtOnce = 64;  // of which each alone is tried
constexpr std::size_t kMostValues = 64;       // elements whose values are simplified one by one

int rank_of(const std::string& level) {
  const auto& all = compilers::kLevels;
  const auto at = std::find_if(all.begin(), all.end(), [&](const compilers::Level& l) { return l.name == level; });
  return static_cast<int>(at - all.begin());
}

int modifiers_set(const catalogue::Instance& i) {
  const catalogue::Modifiers& m = i.modifiers;
  switch (i.builtin->modifiers) {
    case catalogue::ModifierKind::kScaled:
      return (m.op_sel_a != 0) + (m.op_sel_b != 0) + m.scaled;
    case catalogue::ModifierKind::kNegate:
      return std::popcount(static_cast<unsigned>(m.blgp));
    case catalogue::ModifierKind::kBroadcast:
      break;
  }
  return (m.cbsz != 0) + (m.abid != 0) + (m.blgp != 0);
}

// Legal instances of the same formats with fewer modifiers, the fewest first.
std::vector<catalogue::Instance> with_fewer_modifiers(const catalogue::Instance& given) {
  std::vector<catalogue::Instance> fewer;
  const auto propose = [&](const catalogue::Modifiers& m) {
    const catalogue::Instance instance{given.builtin, m};
    const bool is_new = std::find(fewer.begin(), fewer.end(), instance) == fewer.end();
    if (is_new && modifiers_set(instance) < modifiers_set(given) && catalogue::why_illegal(*given.builtin, m).empty()) {
      fewer.push_back(instance);
    }
  };
  const bool scaled_builtin = given.builtin->modifiers == catalogue::ModifierKind::kScaled;
  const bool negates = given.builtin->modifiers == catalogue::ModifierKind::kNegate;
  catalogue::Modifiers none;
  if (scaled_builtin) {
    none.cbsz = given.modifiers.cbsz;  // formats, which are no modifiers
    none.blgp = given.modifiers.blgp;
  }
  propose(none);
  // Each subset of what is set, taken away; legality sorts out the rest.
  for (unsigned gone = 31; gone != 0; --gone) {
    catalogue::Modifiers m = given.modifiers;
    if (scaled_builtin) {
      if (gone & 1) m.op_sel_a = 0;
      if (gone & 2) m.op_sel_b = 0;
      if (gone >= 4) continue;
    } else if (negates) {
      if (gone >= 8) continue;
      m.blgp &= static_cast<int>(~gone);
    } else {
      if (gone & 1) m.cbsz = m.abid = 0;
      if (gone & 2) m.abid = 0;
      if (gone & 4) m.blgp = 0;
      if (gone >= 8) continue;
    }
    propose(m);
  }
  std::sort(fewer.begin(), fewer.end(), [](const auto& x, const auto& y) {
    const int of_x = modifiers_set(x), of_y = modifiers_set(y);
    return of_x != of_y ? of_x < of_y : catalogue::legal_rank(x) < catalogue::legal_rank(y);
  });
  return fewer;
}

class Reducer {
 public:
  Reducer(const Candidate& failing, std::span<const std::string> levels, const Judge& judge, const Budget& budget)
      : best_(failing.c), level_(failing.level), levels_(levels.begin(), levels.end()), judge_(judge), budget_(budget) {
    std::sort(levels_.begin(), levels_.end(),
              [](const std::string& x, const std::string& y) { return rank_of(x) < rank_of(y); });
  }

  Reduction run() {
    result_.smallest = {best_.made(), level_};
    const auto first = judged(1, [&](std::size_t) { return best_.made(); });
    if (!first[0]) return result_;
    result_.reproduced = true;
    lower_level();
    clear_unread();
    drop_modifiers();
    for (int round = 0; round < kMostRounds && !result_.exhausted; ++round) {
      bool changed = false;
      // Products before C: a failure of one product and C is easier to read than one of three products.
      for (const auto& units : {blocks(), lines(kSlotA, true), lines(kSlotB, false), whole(kSlotScaleA),
                                whole(kSlotScaleB), products(), lines(kSlotC, true)}) {
        changed |= drop(units);
      }
      for (const Slot slot : {kSlotA, kSlotB, kSlotC, kSlotScaleA, kSlotScaleB}) changed |= drop(elements(slot));
      changed |= set_to_one();
      changed |= simplify();
      changed |= drop_modifiers();
      changed |= lower_level();
      changed |= clear_unread();
      if (!changed) break;
    }
    result_.smallest = {best_.made(), level_};
    return result_;
  }

 private:
  template <typename Make>
  std::vector<bool> judged_at(const std::string& level, std::size_t count, const Make& make, bool first_only = false) {
    std::vector<bool> fails(count, false);
    for (std::size_t at = 0; at < count;) {
      if (result_.judged >= budget_.candidates || Clock::now() - begin_ >= budget_.time) {
        result_.exhausted = true;
        return fails;
      }
      const std::uint64_t room = budget_.candidates - result_.judged;
      const std::size_t size = std::min({count - at, std::max<std::size_t>(budget_.batch, 1),
                                         static_cast<std::size_t>(std::min<std::uint64_t>(room, 1u << 20))});
      std::vector<cases::Case> batch;
      for (std::size_t i = 0; i < size; ++i) batch.push_back(make(at + i));
      const std::vector<bool> verdicts = judge_(batch.front().instance, level, batch);
      result_.judged += size;
      ++result_.launches;
      bool any = false;
      for (std::size_t i = 0; i < size; ++i) {
        fails[at + i] = verdicts.at(i);
        any |= verdicts.at(i);
      }
      if (any && first_only) return fails;
      at += size;
    }
    return fails;
  }
  template <typename Make>
  std::vector<bool> judged(std::size_t count, const Make& make) {
    return judged_at(level_, count, make);
  }
  // The first of the candidates that fails.
  template <typename Make>
  std::optional<std::size_t> first_failing(std::size_t count, const Make& make) {
    const std::vector<bool> fails = judged_at(level_, count, make, true);
    const auto at = std::find(fails.begin(), fails.end(), true);
    if (at == fails.end()) return std::nullopt;
    return static_cast<std::size_t>(at - fails.begin());
  }
  void accept(const cases::Case& c) { best_ = WorkingCase(c); }

  // --- Units -------------------------------------------------------------------------------------------------------
  bool empty(Slot slot) const { return best_.codes(slot).empty(); }

  std::vector<Unit> elements(Slot slot) const {
    std::vector<Unit> units;
    for (std::size_t i = 0; i < best_.codes(slot).size(); ++i) units.push_back({{slot, i}});
    return units;
  }
  std::vector<Unit> whole(Slot slot) const {
    std::vector<Unit> units(1);
    for (std::size_t i = 0; i < best_.codes(slot).size(); ++i) units[0].push_back({slot, i});
    return units;
  }
  // Rows or columns of each block.
  std::vector<Unit> lines(Slot slot, bool rows) const {
    if (empty(slot)) return {};
    const catalogue::Layout& layout = best_.layout(slot);
    const auto columns = static_cast<std::size_t>(layout.columns());
    const auto of_block = static_cast<std::size_t>(layout.rows()) * columns;
    const std::size_t in_block = rows ? static_cast<std::size_t>(layout.rows()) : columns;
    std::vector<Unit> units(static_cast<std::size_t>(layout.blocks()) * in_block);
    for (std::size_t i = 0; i < best_.codes(slot).size(); ++i) {
      const std::size_t line = rows ? i % of_block / columns : i % columns;
      units[i / of_block * in_block + line].push_back({slot, i});
    }
    return units;
  }
  std::vector<Unit> blocks() const {
    std::vector<Unit> units(static_cast<std::size_t>(best_.layout(kSlotA).blocks()));
    if (units.size() == 1) return {};
    for (const Slot slot : {kSlotA, kSlotB, kSlotC}) {
      const std::size_t of_block = best_.codes(slot).size() / units.size();
      for (std::size_t i = 0; i < best_.codes(slot).size(); ++i) units[i / of_block].push_back({slot, i});
    }
    return units;
  }
  // A column of A with the row of B that meets it, over all blocks: one k.
  std::vector<Unit> products() const {
    const auto k = static_cast<std::size_t>(best_.layout(kSlotA).columns());
    const auto n = static_cast<std::size_t>(best_.layout(kSlotB).columns());
    std::vector<Unit> units(k);
    for (std::size_t i = 0; i < best_.codes(kSlotA).size(); ++i) units[i % k].push_back({kSlotA, i});
    for (std::size_t i = 0; i < best_.codes(kSlotB).size(); ++i) units[i / n % k].push_back({kSlotB, i});
    return units;
  }

  // --- Steps -------------------------------------------------------------------------------------------------------
  bool is_active(const Unit& unit) const {
    return std::any_of(unit.begin(), unit.end(), [&](Place at) { return !best_.is_default(at); });
  }
  void reset(const Unit& unit, std::vector<Change>& changes) const {
    for (const Place at : unit) {
      if (!best_.is_default(at)) changes.push_back({at, best_.default_code(at.slot)});
    }
  }
  // The case with units [first, last) reset, or all others.
  cases::Case without(std::span<const Unit> units, std::size_t first, std::size_t last, bool others) const {
    std::vector<Change> changes;
    for (std::size_t i = 0; i < units.size(); ++i) {
      if ((i >= first && i < last) != others) reset(units[i], changes);
    }
    return best_.with(changes);
  }

  // Resets as many of the units as it can.
  bool drop(std::vector<Unit> units) {
    bool changed = false;
    while (keep_only(units)) changed = true;
    return drop_parts(std::move(units)) || changed;
  }

  // Resets all units but one part of them; `units` is then that part.
  bool keep_only(std::vector<Unit>& units) {
    std::erase_if(units, [&](const Unit& unit) { return !is_active(unit); });
    if (units.size() < 2) return false;
    const std::size_t part = (units.size() + kMostUnitsAtOnce - 1) / kMostUnitsAtOnce;
    const std::size_t parts = (units.size() + part - 1) / part;
    const auto make = [&](std::size_t i) { return without(units, i * part, (i + 1) * part, true); };
    const auto found = first_failing(parts, make);
    if (!found) return false;
    accept(make(*found));
    return true;
  }

  bool drop_parts(std::vector<Unit> units) {
    bool changed = false;
    for (std::size_t part = (units.size() + 1) / 2; !units.empty() && !result_.exhausted;) {
      const std::size_t parts = (units.size() + part - 1) / part;
      const std::vector<bool> fails =
          judged(parts, [&](std::size_t i) { return without(units, i * part, (i + 1) * part, false); });
      std::vector<std::size_t> alone;  // parts that can be reset, each alone
      for (std::size_t i = 0; i < parts; ++i) {
        if (fails[i]) alone.push_back(i);
      }
      if (!alone.empty()) {
        reset_together(units, part, alone);
        changed = true;
        std::erase_if(units, [&](const Unit& unit) { return !is_active(unit); });
        if (alone.size() > 1) {
          part = std::max<std::size_t>(1, std::min(part, (units.size() + 1) / 2));
          continue;
        }
      }
      if (part == 1) {
        if (alone.empty()) break;
        continue;
      }
      part = (part + 1) / 2;
    }
    return changed;
  }

  // Of parts that can each be reset, the longest run from the first that can be together: the first alone at least.
  void reset_together(const std::vector<Unit>& units, std::size_t part, const std::vector<std::size_t>& alone) {
    const auto make = [&](std::size_t count) {
      std::vector<Change> changes;
      for (std::size_t n = 0; n < count; ++n) {
        const std::size_t last = std::min(units.size(), (alone[n] + 1) * part);
        for (std::size_t i = alone[n] * part; i < last; ++i) reset(units[i], changes);
      }
      return best_.with(changes);
    };
    // Counts by halving: all, half of them, ... two.
    std::vector<std::size_t> counts;
    for (std::size_t count = alone.size(); count > 1; count = count > 2 ? (count + 1) / 2 : 1) counts.push_back(count);
    const auto found = first_failing(counts.size(), [&](std::size_t i) { return make(counts[i]); });
    accept(make(found ? counts[*found] : 1));
  }

  std::vector<Place> active_places(std::initializer_list<Slot> slots) const {
    std::vector<Place> places;
    for (const Slot slot : slots) {
      for (std::size_t i = 0; i < best_.codes(slot).size(); ++i) {
        if (!best_.is_default({slot, i})) places.push_back({slot, i});
      }
    }
    return places;
  }

  // All that is left of A, of B or of both to one at once.
  bool set_to_one() {
    std::vector<std::vector<Change>> proposals;
    for (const auto& places : {active_places({kSlotA, kSlotB}), active_places({kSlotA}), active_places({kSlotB})}) {
      std::vector<Change> changes;
      for (const Place at : places) {
        for (const std::uint64_t code : simpler_at(best_, at)) {
          if (code == 0) continue;
          changes.push_back({at, code});
          break;
        }
      }
      if (!changes.empty()) proposals.push_back(std::move(changes));
    }
    const auto make = [&](std::size_t i) { return best_.with(proposals[i]); };
    const auto found = first_failing(proposals.size(), make);
    if (found) accept(make(*found));
    return found.has_value();
  }

  // Element by element, the simplest value that still fails.
  bool simplify() {
    std::vector<Place> places = active_places({kSlotA, kSlotB, kSlotC, kSlotScaleA, kSlotScaleB});
    if (places.size() > kMostValues) places.resize(kMostValues);
    bool changed = false;
    for (const Place at : places) {
      while (!result_.exhausted) {
        const std::vector<std::uint64_t> codes = simpler_at(best_, at);
        const auto make = [&](std::size_t i) { return best_.with(std::array{Change{at, codes[i]}}); };
        const auto found = first_failing(codes.size(), make);
        if (!found) break;
        accept(make(*found));
        changed = true;
      }
    }
    return changed;
  }

  bool drop_modifiers() {
    for (const catalogue::Instance& instance : with_fewer_modifiers(best_.made().instance)) {
      const cases::Case c = best_.under(instance);  // one instance to a launch
      if (!judged(1, [&](std::size_t) { return c; })[0]) continue;
      accept(c);
      return true;
    }
    return false;
  }

  bool lower_level() {
    for (const std::string& level : levels_) {
      if (rank_of(level) >= rank_of(level_)) break;
      if (!judged_at(level, 1, [&](std::size_t) { return best_.made(); })[0]) continue;
      level_ = level;
      return true;
    }
    return false;
  }

  bool clear_unread() {
    if (best_.unread_dwords() == 0) return false;
    static const std::vector<std::vector<Slot>> kTogether = {
        {kSlotA, kSlotB, kSlotC, kSlotScaleA, kSlotScaleB}, {kSlotA}, {kSlotB}, {kSlotC}, {kSlotScaleA}, {kSlotScaleB}};
    bool changed = false;
    for (const std::vector<Slot>& slots : kTogether) {
      const cases::Case c = best_.without_unread(slots);
      if (c == best_.made() || !judged(1, [&](std::size_t) { return c; })[0]) continue;
      accept(c);
      changed = true;
    }
    return changed;
  }

  WorkingCase best_;
  std::string level_;
  std::vector<std::string> levels_;
  const Judge& judge_;
  const Budget& budget_;
  const Clock::time_point begin_ = Clock::now();
  Reduction result_;
};

}  // namespace

Weight weigh(const Candidate& candidate) {
  const WorkingCase c(candidate.c);
  Weight weight;
  weight.level = rank_of(candidate.level);
  weight.modifiers = modifiers_set(candidate.c.instance);
  weight.unread = c.unread_dwords();
  for (std::size_t s = 0; s < kSlots; ++s) {
    for (std::size_t i = 0; i < c.codes(static_cast<Slot>(s)).size(); ++i) {
      const Place at{static_cast<Slot>(s), i};
      if (!c.is_default(at)) ++weight.elements;
      weight.complexity += complexity_at(c, at);
    }
  }
  return weight;
}

Reduction reduce(const Candidate& failing, std::span<const std::string> levels, const Judge& judge,
                 const Budget& budget) {
  return Reducer(failing, levels, judge, budget).run();
}

}  // namespace mfma::reduction
