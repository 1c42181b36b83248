// Which elements of A, B and C an element of D depends on, and that nothing else matters. Every lawful model computes
// an element from its row of A, its column of B, its scales and its C by one function of them, so every bit must agree.
#include <utility>

#include "harness/catalogue/layout.h"
#include "harness/properties/families.h"

namespace mfma::properties {
namespace {

using catalogue::Instance;
using catalogue::Operand;

constexpr int kPatternGroup = 16;  // lanes that blgp moves as a whole (manual Table 29)

// A permutation of the columns that a pattern of B's lanes commutes with: within groups of 16, the same in each.
std::vector<int> column_permutation(const Instance& instance, cases::Rng& rng) {
  const int n = instance.builtin->shape.n;
  if (!moves_b(instance) || n <= kPatternGroup) return permutation(n, rng);
  const std::vector<int> within = permutation(kPatternGroup, rng);
  std::vector<int> order;
  for (int j = 0; j < n; ++j) {
    order.push_back(j / kPatternGroup * kPatternGroup + within[static_cast<std::size_t>(j % kPatternGroup)]);
  }
  return order;
}

std::vector<bool> some_columns(const Instance& instance, cases::Rng& rng) {
  const int n = instance.builtin->shape.n;
  if (!moves_b(instance) || n <= kPatternGroup) return some_of(n, rng);
  const std::vector<bool> within = some_of(kPatternGroup, rng);
  std::vector<bool> chosen;
  for (int j = 0; j < n; ++j) chosen.push_back(within[static_cast<std::size_t>(j % kPatternGroup)]);
  return chosen;
}

bool in(const std::vector<bool>& set, int n) { return set[static_cast<std::size_t>(n)]; }
int at(const std::vector<int>& order, int n) { return order[static_cast<std::size_t>(n)]; }

// Lanes from which operand A (or B) of `block` is read, under every published reading of cbsz.
std::vector<bool> lanes_read(const Instance& instance, Operand operand, int block) {
  const catalogue::Layout& layout = catalogue::shared_layout(instance, operand);
  std::vector<bool> lanes(catalogue::kLanes);
  const auto note = [&](int lane) { lanes[static_cast<std::size_t>(lane)] = true; };
  for (int row = 0; row < layout.rows(); ++row) {
    for (int column = 0; column < layout.columns(); ++column) {
      const int lane = layout.locate({block, row, column}).lane;
      if (!has_pattern_modifiers(instance)) {
        note(lane);
      } else if (operand == Operand::kB) {
        note(catalogue::blgp_source_lane(instance.modifiers.blgp, lane));
      } else {
        note(per_set_source_lane(instance, lane));
        note(whole_wave_source_lane(instance, lane));
      }
    }
  }
  return lanes;
}

// Elements of `layout` outside the lanes come from `other`.
void replace_outside(const catalogue::Layout& layout, const std::vector<bool>& lanes,
                     const std::vector<std::uint64_t>& other, std::vector<std::uint64_t>& codes) {
  for (std::size_t n = 0; n < codes.size(); ++n) {
    if (!lanes[static_cast<std::size_t>(layout.locations()[n].lane)]) codes[n] = other[n];
  }
}

std::vector<Comparison> all_elements(const Matrices& m, Relation relation, std::uint32_t subject,
                                     std::uint32_t reference) {
  std::vector<Comparison> comparisons;
  for (std::size_t n = 0; n < m.c.size(); ++n) comparisons.push_back(compare(relation, subject, n, reference, n));
  return comparisons;
}

}  // namespace

std::optional<Trial> determinism(const Draw& draw) {
  const Matrices m = draw_matrices(draw, Origin::kAny);
  std::vector<Step> steps = {step_of(m.to_case()), step_of(m.to_case()), step_of(m.to_case())};
  steps[1].apart = steps[2].apart = true;
  std::vector<Comparison> comparisons = all_elements(m, Relation::kSameBits, 1, 0);
  for (const Comparison& c : all_elements(m, Relation::kSameBits, 2, 0)) comparisons.push_back(c);
  return one_reading(std::move(steps), std::move(comparisons));
}

std::optional<Trial> permute_rows(const Draw& draw) {
  const Matrices m = draw_matrices(draw, Origin::kAny);
  const std::vector<int> order = permutation(m.shape().m, draw.rng);
  Matrices moved = m;
  std::vector<Comparison> comparisons;
  each_element(m.shape(), [&](int block, int i, int j) {
    moved.c_at(block, i, j) = m.c_at(block, at(order, i), j);
    comparisons.push_back(
        compare(Relation::kSameBits, 1, m.element(block, i, j), 0, m.element(block, at(order, i), j)));
  });
  for (int i = 0; i < m.shape().m; ++i) {
    for (int block = 0; block < m.shape().blocks; ++block) {
      for (int k = 0; k < m.shape().k; ++k) moved.a_at(block, i, k) = m.a_at(block, at(order, i), k);
    }
    for (int q = 0; m.has_scales() && q < m.scale_blocks(); ++q) moved.scale_a_at(i, q) = m.scale_a_at(at(order, i), q);
  }
  return one_reading({step_of(m.to_case()), step_of(moved.to_case())}, std::move(comparisons));
}

std::optional<Trial> permute_columns(const Draw& draw) {
  const Matrices m = draw_matrices(draw, Origin::kAny);
  const std::vector<int> order = column_permutation(draw.instance, draw.rng);
  Matrices moved = m;
  std::vector<Comparison> comparisons;
  each_element(m.shape(), [&](int block, int i, int j) {
    moved.c_at(block, i, j) = m.c_at(block, i, at(order, j));
    comparisons.push_back(
        compare(Relation::kSameBits, 1, m.element(block, i, j), 0, m.element(block, i, at(order, j))));
  });
  for (int j = 0; j < m.shape().n; ++j) {
    for (int block = 0; block < m.shape().blocks; ++block) {
      for (int k = 0; k < m.shape().k; ++k) moved.b_at(block, k, j) = m.b_at(block, k, at(order, j));
    }
    for (int q = 0; m.has_scales() && q < m.scale_blocks(); ++q) moved.scale_b_at(q, j) = m.scale_b_at(q, at(order, j));
  }
  return one_reading({step_of(m.to_case()), step_of(moved.to_case())}, std::move(comparisons));
}

std::optional<Trial> other_rows_and_columns(const Draw& draw) {
  const Matrices m = draw_matrices(draw, Origin::kAny);
  const Matrices other = draw_matrices(draw, Origin::kOther);
  const std::vector<bool> rows = some_of(m.shape().m, draw.rng);
  const std::vector<bool> columns = some_columns(draw.instance, draw.rng);
  Matrices mixed = other;
  for (int block = 0; block < m.shape().blocks; ++block) {
    for (int k = 0; k < m.shape().k; ++k) {
      for (int i = 0; i < m.shape().m; ++i) {
        if (in(rows, i)) mixed.a_at(block, i, k) = m.a_at(block, i, k);
      }
      for (int j = 0; j < m.shape().n; ++j) {
        if (in(columns, j)) mixed.b_at(block, k, j) = m.b_at(block, k, j);
      }
    }
  }
  for (int q = 0; m.has_scales() && q < m.scale_blocks(); ++q) {
    for (int i = 0; i < m.shape().m; ++i) {
      if (in(rows, i)) mixed.scale_a_at(i, q) = m.scale_a_at(i, q);
    }
    for (int j = 0; j < m.shape().n; ++j) {
      if (in(columns, j)) mixed.scale_b_at(q, j) = m.scale_b_at(q, j);
    }
  }
  std::vector<Comparison> comparisons;
  each_element(m.shape(), [&](int block, int i, int j) {
    if (!in(rows, i) || !in(columns, j)) return;
    mixed.c_at(block, i, j) = m.c_at(block, i, j);
    const std::size_t element = m.element(block, i, j);
    comparisons.push_back(compare(Relation::kSameBits, 1, element, 0, element));
  });
  return one_reading({step_of(m.to_case()), step_of(mixed.to_case())}, std::move(comparisons));
}

bool has_blocks(const Instance& i) { return i.builtin->shape.blocks > 1; }

std::optional<Trial> other_blocks(const Draw& draw) {
  const Matrices m = draw_matrices(draw, Origin::kAny);
  const Matrices other = draw_matrices(draw, Origin::kOther);
  const auto kept = static_cast<int>(draw.rng.below(static_cast<std::uint32_t>(m.shape().blocks)));
  Matrices mixed = m;
  replace_outside(catalogue::shared_layout(draw.instance, Operand::kA), lanes_read(draw.instance, Operand::kA, kept),
                  other.a, mixed.a);
  replace_outside(catalogue::shared_layout(draw.instance, Operand::kB), lanes_read(draw.instance, Operand::kB, kept),
                  other.b, mixed.b);
  std::vector<Comparison> comparisons;
  each_element(m.shape(), [&](int block, int i, int j) {
    const std::size_t element = m.element(block, i, j);
    if (block == kept) {
      comparisons.push_back(compare(Relation::kSameBits, 1, element, 0, element));
    } else {
      mixed.c_at(block, i, j) = other.c_at(block, i, j);
    }
  });
  return one_reading({step_of(m.to_case()), step_of(mixed.to_case())}, std::move(comparisons));
}

bool has_unread_bits(const Instance& i) {
  return i.modifiers.scaled || i.a_registers() < i.builtin->a_registers || i.b_registers() < i.builtin->b_registers;
}

std::optional<Trial> unread_bits(const Draw& draw) {
  const Matrices m = draw_matrices(draw, Origin::kAny);
  // Another case's registers under the same elements.
  Matrices elsewhere = draw_matrices(draw, Origin::kOther);
  elsewhere.a = m.a;
  elsewhere.b = m.b;
  elsewhere.c = m.c;
  elsewhere.scale_a = m.scale_a;
  elsewhere.scale_b = m.scale_b;
  return one_reading({step_of(m.to_case()), step_of(elsewhere.to_case())}, all_elements(m, Relation::kSameBits, 1, 0));
}

}  // namespace mfma::properties
