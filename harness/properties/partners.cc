// What other builtins, and the same one with other modifiers, must give on operands that say the same.
#include <bit>
#include <functional>
#include <utility>

#include "harness/cases/codes.h"
#include "harness/properties/families.h"

namespace mfma::properties {
namespace {

using catalogue::Builtin;
using catalogue::Instance;
using catalogue::ModifierKind;

bool is_plain(const Instance& i) { return i.modifiers.cbsz == 0 && i.modifiers.abid == 0 && i.modifiers.blgp == 0; }

std::vector<Comparison> every_element(std::size_t count, Relation relation, std::uint32_t subject,
                                      std::uint32_t reference) {
  std::vector<Comparison> comparisons;
  for (std::size_t n = 0; n < count; ++n) comparisons.push_back(compare(relation, subject, n, reference, n));
  return comparisons;
}

// The same operands under other modifiers.
cases::Case as_instance(cases::Case c, const Instance& instance) {
  c.instance = instance;
  return c;
}

catalogue::RegisterImage moved_lanes(const catalogue::RegisterImage& image, const std::function<int(int)>& source) {
  catalogue::RegisterImage moved(image.registers);
  for (int lane = 0; lane < catalogue::kLanes; ++lane) {
    for (int reg = 0; reg < image.registers; ++reg) moved.at(lane, reg) = image.at(source(lane), reg);
  }
  return moved;
}

const Builtin* transposed_builtin(const Builtin& b) {
  if (b.a_format == b.b_format) return &b;
  for (const Builtin& other : catalogue::builtins()) {
    if (other.shape == b.shape && other.a_format == b.b_format && other.b_format == b.a_format &&
        other.acc_format == b.acc_format && other.modifiers == b.modifiers) {
      return &other;
    }
  }
  return nullptr;
}

// The instance that computes the transposed product from swapped operands.
Instance transposed_instance(const Instance& i) {
  Instance other = i;
  other.builtin = transposed_builtin(*i.builtin);
  other.modifiers.op_sel_a = other.modifiers.op_sel_b = 0;
  if (i.builtin->modifiers == ModifierKind::kScaled) {
    std::swap(other.modifiers.cbsz, other.modifiers.blgp);
  } else if (i.builtin->modifiers == ModifierKind::kNegate) {
    const int flags = i.modifiers.blgp;
    other.modifiers.blgp = (flags & 4) | (flags & 1) << 1 | (flags & 2) >> 1;
  }
  return other;
}

// Builtins whose products, chained over K and laid side by side, make a part of this one's.
std::vector<const Builtin*> narrower_builtins(const Instance& wide) {
  std::vector<const Builtin*> found;
  const catalogue::Shape& w = wide.builtin->shape;
  for (const Builtin& b : catalogue::builtins()) {
    if (&b == wide.builtin || b.modifiers == ModifierKind::kScaled) continue;
    if (b.a_format != wide.a_format() || b.b_format != wide.b_format() || b.acc_format != wide.builtin->acc_format)
      continue;
    if (b.shape.m <= w.m && b.shape.n <= w.n && w.k % b.shape.k == 0) found.push_back(&b);
  }
  return found;
}

struct Tile {
  int block, row, column;  // in the wide one: its block, and the first row and column
};

}  // namespace

bool can_transpose(const Instance& i) {
  if (i.builtin->shape.m != i.builtin->shape.n || transposed_builtin(*i.builtin) == nullptr) return false;
  return !has_pattern_modifiers(i) || is_plain(i);
}

// Within one builtin every element; where another builtin has the swapped formats, exact elements only: a profile may
// give the two different models.
std::optional<Trial> transpose(const Draw& draw) {
  const bool one_builtin = transposed_builtin(*draw.instance.builtin) == draw.instance.builtin;
  const Matrices m = draw_matrices(draw, one_builtin ? Origin::kAny : Origin::kExact);
  const std::vector<std::uint8_t> compared = one_builtin ? std::vector<std::uint8_t>(m.c.size(), 1) : exact_elements(m);
  Matrices other(blank_case(transposed_instance(draw.instance)));
  const catalogue::Shape& s = m.shape();
  std::vector<Comparison> comparisons;
  each_element(s, [&](int block, int i, int j) {
    other.c_at(block, j, i) = m.c_at(block, i, j);
    if (compared[m.element(block, i, j)] == 0) return;
    comparisons.push_back(compare(Relation::kSame, 1, other.element(block, j, i), 0, m.element(block, i, j)));
  });
  if (comparisons.empty()) return std::nullopt;
  for (int block = 0; block < s.blocks; ++block) {
    for (int k = 0; k < s.k; ++k) {
      for (int i = 0; i < s.m; ++i) other.b_at(block, k, i) = m.a_at(block, i, k);
      for (int j = 0; j < s.n; ++j) other.a_at(block, j, k) = m.b_at(block, k, j);
    }
  }
  for (int q = 0; m.has_scales() && q < m.scale_blocks(); ++q) {
    for (int i = 0; i < s.m; ++i) other.scale_b_at(q, i) = m.scale_a_at(i, q);
    for (int j = 0; j < s.n; ++j) other.scale_a_at(j, q) = m.scale_b_at(q, j);
  }
  return one_reading({step_of(m.to_case()), step_of(other.to_case())}, std::move(comparisons));
}

bool has_narrower(const Instance& i) {
  const bool plain = i.builtin->modifiers == ModifierKind::kScaled ? !i.modifiers.scaled : is_plain(i);
  return plain && !narrower_builtins(i).empty();
}

// Exact elements only: every partial sum is then a number of the accumulator, so it does not matter where the narrower
// one rounds.
std::optional<Trial> tiles_of_a_wider_one(const Draw& draw) {
  const Matrices wide = draw_matrices(draw, Origin::kExact);
  const std::vector<const Builtin*> candidates = narrower_builtins(draw.instance);
  const Builtin& narrow = *candidates[draw.rng.below(static_cast<std::uint32_t>(candidates.size()))];
  const catalogue::Shape &w = wide.shape(), &s = narrow.shape;
  const std::vector<std::uint8_t> exact = exact_elements(wide);

  std::vector<Tile> tiles;
  for (int block = 0; block < s.blocks; ++block) {
    const auto place = [&](int count) { return static_cast<int>(draw.rng.below(static_cast<std::uint32_t>(count))); };
    tiles.push_back({place(w.blocks), place(w.m / s.m) * s.m, place(w.n / s.n) * s.n});
  }
  std::vector<Step> steps = {step_of(wide.to_case())};
  for (int first = 0; first < w.k; first += s.k) {
    Matrices part(blank_case({&narrow, {}}));
    for (int block = 0; block < s.blocks; ++block) {
      const Tile& tile = tiles[static_cast<std::size_t>(block)];
      for (int k = 0; k < s.k; ++k) {
        for (int i = 0; i < s.m; ++i) part.a_at(block, i, k) = wide.a_at(tile.block, tile.row + i, first + k);
        for (int j = 0; j < s.n; ++j) part.b_at(block, k, j) = wide.b_at(tile.block, first + k, tile.column + j);
      }
    }
    if (first == 0) {
      each_element(s, [&](int block, int i, int j) {
        const Tile& tile = tiles[static_cast<std::size_t>(block)];
        part.c_at(block, i, j) = wide.c_at(tile.block, tile.row + i, tile.column + j);
      });
    }
    steps.push_back(step_of(part.to_case()));
    if (first != 0) steps.back().c_from = steps.size() - 2;
  }
  const auto last = static_cast<std::uint32_t>(steps.size() - 1);
  const Matrices numbering(blank_case({&narrow, {}}));
  std::vector<Comparison> comparisons;
  each_element(s, [&](int block, int i, int j) {
    const Tile& tile = tiles[static_cast<std::size_t>(block)];
    const std::size_t in_wide = wide.element(tile.block, tile.row + i, tile.column + j);
    if (exact[in_wide] == 0) return;
    comparisons.push_back(compare(Relation::kSameBits, last, numbering.element(block, i, j), 0, in_wide));
  });
  if (comparisons.empty()) return std::nullopt;
  return one_reading(std::move(steps), std::move(comparisons));
}

bool broadcasts_a(const Instance& i) { return has_pattern_modifiers(i) && i.modifiers.cbsz != 0; }

std::optional<Trial> broadcast_of_a(const Draw& draw) {
  const cases::Case given = draw_matrices(draw, Origin::kAny).to_case();
  Instance plain = draw.instance;
  plain.modifiers.cbsz = plain.modifiers.abid = 0;
  const std::size_t count = Matrices(given).c.size();
  const auto moved = [&](int (*source)(const Instance&, int)) {
    cases::Case c = as_instance(given, plain);
    c.a = moved_lanes(given.a, [&](int lane) { return source(draw.instance, lane); });
    return c;
  };
  Trial trial;
  trial.steps = {step_of(given), step_of(moved(per_set_source_lane))};
  trial.readings.push_back({"per-set", every_element(count, Relation::kSameBits, 0, 1)});
  if (catalogue::rests_on_unsettled_broadcast(draw.instance)) {
    trial.steps.push_back(step_of(moved(whole_wave_source_lane)));
    trial.readings.push_back({"whole-wave", every_element(count, Relation::kSameBits, 0, 2)});
  } else {
    trial.readings[0].name.clear();
  }
  return trial;
}

std::optional<Trial> pattern_of_b(const Draw& draw) {
  const cases::Case given = draw_matrices(draw, Origin::kAny).to_case();
  Instance straight = draw.instance;
  straight.modifiers.blgp = 0;
  const std::size_t count = Matrices(given).c.size();
  cases::Case moved = as_instance(given, straight);
  moved.b =
      moved_lanes(given.b, [&](int lane) { return catalogue::blgp_source_lane(draw.instance.modifiers.blgp, lane); });
  Trial trial;
  trial.steps = {step_of(given), step_of(std::move(moved))};
  trial.readings.push_back({{}, every_element(count, Relation::kSameBits, 0, 1)});
  if (catalogue::rests_on_unsettled_blgp(draw.instance)) {
    trial.steps.push_back(step_of(as_instance(given, straight)));
    trial.readings[0].name = "moves lanes of B";
    trial.readings.push_back({"ignored", every_element(count, Relation::kSameBits, 0, 2)});
  }
  return trial;
}

bool negates_f64(const Instance& i) { return i.builtin->modifiers == ModifierKind::kNegate && i.modifiers.blgp != 0; }

std::optional<Trial> f64_negation(const Draw& draw) {
  const Matrices m = draw_matrices(draw, Origin::kAny);
  Matrices flipped = m;
  const int flags = draw.instance.modifiers.blgp;
  std::vector<std::uint64_t>* const operands[] = {&flipped.a, &flipped.b, &flipped.c};
  for (int n = 0; n < 3; ++n) {
    if ((flags >> n & 1) == 0) continue;
    for (std::uint64_t& code : *operands[n]) code ^= std::uint64_t{1} << 63;
  }
  Instance straight = draw.instance;
  straight.modifiers.blgp = 0;
  return one_reading({step_of(m.to_case()), step_of(as_instance(flipped.to_case(), straight))},
                     every_element(m.c.size(), Relation::kSame, 0, 1));
}

bool is_scaled(const Instance& i) { return i.modifiers.scaled; }

bool selects_scale_byte(const Instance& i) {
  return i.modifiers.scaled && (i.modifiers.op_sel_a != 0 || i.modifiers.op_sel_b != 0);
}

std::optional<Trial> scale_byte(const Draw& draw) {
  const Matrices m = draw_matrices(draw, Origin::kAny);
  const cases::Case given = m.to_case();
  Instance first = draw.instance;
  first.modifiers.op_sel_a = first.modifiers.op_sel_b = 0;
  cases::Case moved = as_instance(given, first);
  const auto rotate = [](catalogue::RegisterImage& image, int byte) {
    for (std::uint32_t& dword : image.dwords) dword = std::rotr(dword, 8 * byte);
  };
  rotate(moved.scale_a, draw.instance.modifiers.op_sel_a);
  rotate(moved.scale_b, draw.instance.modifiers.op_sel_b);
  return one_reading({step_of(given), step_of(std::move(moved))}, every_element(m.c.size(), Relation::kSameBits, 0, 1));
}

// The manual has both forms run with scales of one; AMD's emulator sums the scaled form by blocks and the other not.
std::optional<Trial> neutral_scale(const Draw& draw) {
  Instance unscaled = draw.instance;
  unscaled.modifiers.scaled = false;
  unscaled.modifiers.op_sel_a = unscaled.modifiers.op_sel_b = 0;
  Trial trial;
  trial.readings = {{"on every element", {}}, {"on exact elements only", {}}};
  for (const Origin origin : {Origin::kExact, Origin::kAny}) {
    Matrices m = draw_matrices(draw, origin);
    for (std::uint64_t& code : m.scale_a) code = cases::kNeutralScale;
    for (std::uint64_t& code : m.scale_b) code = cases::kNeutralScale;
    const std::vector<std::uint8_t> exact =
        origin == Origin::kExact ? exact_elements(m) : std::vector<std::uint8_t>(m.c.size());
    const auto first = static_cast<std::uint32_t>(trial.steps.size());
    trial.steps.push_back(step_of(m.to_case()));
    cases::Case other = as_instance(trial.steps.back().operands, unscaled);
    other.has_scales = false;
    other.scale_a = other.scale_b = {};
    trial.steps.push_back(step_of(std::move(other)));
    for (std::size_t n = 0; n < exact.size(); ++n) {
      const Comparison c = compare(Relation::kSame, first, n, first + 1, n);
      trial.readings[0].comparisons.push_back(c);
      if (exact[n] != 0) trial.readings[1].comparisons.push_back(c);
    }
  }
  if (trial.readings[1].comparisons.empty()) return std::nullopt;
  return trial;
}

}  // namespace mfma::properties
