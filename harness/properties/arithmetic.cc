// Symmetries of the sum itself. Products are exact and commute in every lawful model, so their signs and a common power
// of two may be moved about freely; the order and grouping of a sum are the model's, so whatever disturbs them is
// compared on exact elements only.
#include <algorithm>
#include <utility>

#include "harness/cases/codes.h"
#include "harness/properties/families.h"

namespace mfma::properties {
namespace {

using catalogue::ElementFormat;
using catalogue::Instance;

// Comparisons of step 1 with step 0, element by element, on the elements where `exact` is set.
std::vector<Comparison> on(const std::vector<std::uint8_t>& exact, Relation relation, std::uint32_t subject = 1,
                           std::uint32_t reference = 0) {
  std::vector<Comparison> comparisons;
  for (std::size_t n = 0; n < exact.size(); ++n) {
    if (exact[n] != 0) comparisons.push_back(compare(relation, subject, n, reference, n));
  }
  return comparisons;
}

std::optional<Trial> unless_empty(std::vector<Step> steps, std::vector<Comparison> comparisons) {
  if (comparisons.empty()) return std::nullopt;
  return one_reading(std::move(steps), std::move(comparisons));
}

// k that share a lane of B: patterns of blgp move them together.
int k_per_lane(const Instance& i) {
  const catalogue::Shape& s = i.builtin->shape;
  return s.k * s.n * s.blocks / catalogue::kLanes;
}

bool moves_k(const Instance& i) { return moves_b(i) && i.builtin->shape.blocks == 1; }

std::vector<int> k_permutation(const Instance& i, cases::Rng& rng) {
  const int k = i.builtin->shape.k;
  int run = k;  // k stay within runs of this length, all runs permuted alike
  if (moves_k(i)) run = k_per_lane(i);
  if (i.modifiers.scaled) run = kScaleBlock;
  const std::vector<int> within = permutation(run, rng);
  std::vector<int> runs = permutation(k / run, rng);
  if (moves_k(i)) std::sort(runs.begin(), runs.end());
  std::vector<int> order;
  for (int n = 0; n < k; ++n) {
    order.push_back(runs[static_cast<std::size_t>(n / run)] * run + within[static_cast<std::size_t>(n % run)]);
  }
  return order;
}

void negate_all(ElementFormat format, std::vector<std::uint64_t>& codes) {
  for (std::uint64_t& code : codes) code = negated(format, code);
}

// -128 has no negative among i8.
void without_least(ElementFormat format, std::vector<std::uint64_t>& codes) {
  if (!cases::is_integer(format)) return;
  for (std::uint64_t& code : codes) {
    if (code == 0x80) code = 0x81;
  }
}

void shift_exponents(ElementFormat format, std::vector<std::uint64_t>& codes, int by) {
  const int at = cases::fields_of(format).fraction_bits;
  for (std::uint64_t& code : codes) code += static_cast<std::uint64_t>(static_cast<std::int64_t>(by)) << at;
}

bool can_shift(ElementFormat format) {
  return !cases::is_integer(format) && cases::fields_of(format).exponent_bits >= 4;
}

int largest_shift(ElementFormat format) {
  switch (cases::fields_of(format).exponent_bits) {
    case 4:
      return 3;
    case 5:
      return 6;
    default:
      return 20;
  }
}

int shift_between(int most, cases::Rng& rng) {
  const int by = rng.between(1, most);
  return rng.coin() ? by : -by;
}

}  // namespace

bool has_several_k(const Instance& i) {
  if (i.builtin->shape.k == 1) return false;
  return !moves_k(i) || k_per_lane(i) > 1;
}

std::optional<Trial> permute_k(const Draw& draw) {
  const Matrices m = draw_matrices(draw, Origin::kExact);
  const std::vector<int> order = k_permutation(draw.instance, draw.rng);
  const auto from = [&](int k) { return order[static_cast<std::size_t>(k)]; };
  Matrices moved = m;
  const catalogue::Shape& s = m.shape();
  for (int block = 0; block < s.blocks; ++block) {
    for (int k = 0; k < s.k; ++k) {
      for (int i = 0; i < s.m; ++i) moved.a_at(block, i, k) = m.a_at(block, i, from(k));
      for (int j = 0; j < s.n; ++j) moved.b_at(block, k, j) = m.b_at(block, from(k), j);
    }
  }
  for (int q = 0; m.has_scales() && q < m.scale_blocks(); ++q) {
    const int from_q = from(q * kScaleBlock) / kScaleBlock;
    for (int i = 0; i < s.m; ++i) moved.scale_a_at(i, q) = m.scale_a_at(i, from_q);
    for (int j = 0; j < s.n; ++j) moved.scale_b_at(q, j) = m.scale_b_at(from_q, j);
  }
  return unless_empty({step_of(m.to_case()), step_of(moved.to_case())}, on(exact_elements(m), Relation::kSameBits));
}

// With A or B all zeros, D is C where the element is exact: not where a model may align C to the exponents of zero
// products, nor where all terms are -0. An exact zero sum is +0.
std::optional<Trial> zero_operand(const Draw& draw) {
  Matrices m = draw_matrices(draw, Origin::kExact);
  m.c = draw_matrices(draw, Origin::kAny).c;
  const bool zero_a = draw.rng.coin();
  const ElementFormat format = zero_a ? draw.instance.a_format() : draw.instance.b_format();
  for (std::uint64_t& code : zero_a ? m.a : m.b) code = any_zero(format, draw.rng);
  const std::vector<std::uint8_t> exact = exact_elements(m);
  const ElementFormat acc = draw.instance.builtin->acc_format;
  const bool negates_c = negates_f64(draw.instance) && (draw.instance.modifiers.blgp & 4) != 0;
  std::vector<Comparison> comparisons;
  for (std::size_t n = 0; n < exact.size(); ++n) {
    if (exact[n] == 0) continue;
    Comparison c = compare(Relation::kConstant, 0, n, 0, n);
    c.operand = negates_c ? negated(acc, m.c[n]) : m.c[n];
    if (magnitude(acc, c.operand) == 0) c.operand = 0;
    comparisons.push_back(c);
  }
  return unless_empty({step_of(m.to_case())}, std::move(comparisons));
}

bool can_zero_slices(const Instance& i) { return i.builtin->shape.k > 1 && !moves_k(i); }

// Some k zero in A, in B, or in both: the products there are zeros each time.
std::optional<Trial> zero_slices(const Draw& draw) {
  const Matrices m = draw_matrices(draw, Origin::kExact);
  const catalogue::Shape& s = m.shape();
  const std::vector<bool> zero = some_of(s.k, draw.rng);
  Matrices in_a = m, in_b = m;
  for (int block = 0; block < s.blocks; ++block) {
    for (int k = 0; k < s.k; ++k) {
      if (!zero[static_cast<std::size_t>(k)]) continue;
      for (int i = 0; i < s.m; ++i) in_a.a_at(block, i, k) = any_zero(draw.instance.a_format(), draw.rng);
      for (int j = 0; j < s.n; ++j) in_b.b_at(block, k, j) = any_zero(draw.instance.b_format(), draw.rng);
    }
  }
  Matrices in_both = in_a;
  in_both.b = in_b.b;
  // Zeros in both have the same terms and no larger exponents: exact where one of the others is, but for zeros' signs.
  std::vector<Comparison> comparisons = on(exact_elements(in_a), Relation::kSameValue, 1, 0);
  for (const Comparison& c : on(exact_elements(in_b), Relation::kSameValue, 2, 0)) comparisons.push_back(c);
  return unless_empty({step_of(in_both.to_case()), step_of(in_a.to_case()), step_of(in_b.to_case())},
                      std::move(comparisons));
}

bool can_be_scaled(const Instance& i) {
  return i.modifiers.scaled || can_shift(i.a_format()) || can_shift(i.b_format());
}

// Every exponent that a model compares moves by the same: those of products (zeros among them, by their other factor or
// their scale), of C and of every partial sum. Widths are relative to them, and no end of the range is near.
std::optional<Trial> scale_by_power_of_two(const Draw& draw) {
  const Matrices m = draw_near_one(draw);
  const Instance& i = draw.instance;
  Matrices moved = m;
  int by = 0;
  if (m.has_scales()) {
    by = shift_between(10, draw.rng);
    for (std::uint64_t& code : draw.rng.coin() ? moved.scale_a : moved.scale_b) {
      code += static_cast<std::uint64_t>(static_cast<std::int64_t>(by));
    }
  } else {
    const bool a = !can_shift(i.b_format()) || (can_shift(i.a_format()) && draw.rng.coin());
    const ElementFormat format = a ? i.a_format() : i.b_format();
    by = shift_between(largest_shift(format), draw.rng);
    shift_exponents(format, a ? moved.a : moved.b, by);
  }
  shift_exponents(i.builtin->acc_format, moved.c, by);
  std::vector<Comparison> comparisons;
  for (std::size_t n = 0; n < m.c.size(); ++n) {
    Comparison c = compare(Relation::kShifted, 1, n, 0, n);
    c.operand = static_cast<std::uint64_t>(static_cast<std::int64_t>(by));
    comparisons.push_back(c);
  }
  return unless_empty({step_of(m.to_case()), step_of(moved.to_case())}, std::move(comparisons));
}

std::optional<Trial> negate_both(const Draw& draw) {
  Matrices m = draw_matrices(draw, Origin::kAny);
  without_least(draw.instance.a_format(), m.a);
  without_least(draw.instance.b_format(), m.b);
  Matrices other = m;
  negate_all(draw.instance.a_format(), other.a);
  negate_all(draw.instance.b_format(), other.b);
  return one_reading({step_of(m.to_case()), step_of(other.to_case())},
                     on(std::vector<std::uint8_t>(m.c.size(), 1), Relation::kSame));
}

// Exact elements only: a model that rounds toward minus infinity is not symmetric.
std::optional<Trial> negate_one(const Draw& draw) {
  Matrices m = draw_matrices(draw, Origin::kExact);
  without_least(draw.instance.a_format(), m.a);
  without_least(draw.instance.b_format(), m.b);
  const std::vector<std::uint8_t> exact = exact_elements(m);
  Matrices other = m;
  if (draw.rng.coin()) {
    negate_all(draw.instance.a_format(), other.a);
  } else {
    negate_all(draw.instance.b_format(), other.b);
  }
  negate_all(draw.instance.builtin->acc_format, other.c);
  return unless_empty({step_of(m.to_case()), step_of(other.to_case())}, on(exact, Relation::kNegated));
}

// One product of each element goes from -x to +x, the rest stays. Exact elements only: sums that truncate to the
// largest exponent are known not to be monotonic.
std::optional<Trial> raise_one_product(const Draw& draw) {
  const Instance& instance = draw.instance;
  Matrices m = draw_matrices(draw, Origin::kExact);
  without_least(instance.a_format(), m.a);
  without_least(instance.b_format(), m.b);
  for (std::uint64_t& code : m.b) code = magnitude(instance.b_format(), code);
  const catalogue::Shape& s = m.shape();
  Matrices above = m;
  const auto k = static_cast<int>(draw.rng.below(static_cast<std::uint32_t>(s.k)));
  for (int block = 0; block < s.blocks; ++block) {
    for (int i = 0; i < s.m; ++i) {
      const std::uint64_t size = magnitude(instance.a_format(), m.a_at(block, i, k));
      m.a_at(block, i, k) = negated(instance.a_format(), size);
      above.a_at(block, i, k) = size;
    }
  }
  const int signs = instance.builtin->modifiers == catalogue::ModifierKind::kNegate ? instance.modifiers.blgp & 3 : 0;
  if (signs == 1 || signs == 2) std::swap(m, above);  // one factor is negated by the instruction
  std::vector<std::uint8_t> exact = exact_elements(m);
  const std::vector<std::uint8_t> exact_above = exact_elements(above);
  for (std::size_t n = 0; n < exact.size(); ++n) exact[n] = static_cast<std::uint8_t>(exact[n] & exact_above[n]);
  return unless_empty({step_of(m.to_case()), step_of(above.to_case())}, on(exact, Relation::kAtLeast));
}

bool is_integer_instance(const Instance& i) { return cases::is_integer(i.a_format()); }

std::optional<Trial> add_to_c(const Draw& draw) {
  const Matrices m = draw_matrices(draw, Origin::kAny);
  Matrices other = m;
  std::vector<Comparison> comparisons;
  for (std::size_t n = 0; n < m.c.size(); ++n) {
    Comparison c = compare(Relation::kPlus, 1, n, 0, n);
    c.operand = draw.rng.next() & 0xffffffff;
    other.c[n] = (m.c[n] + c.operand) & 0xffffffff;
    comparisons.push_back(c);
  }
  return one_reading({step_of(m.to_case()), step_of(other.to_case())}, std::move(comparisons));
}

}  // namespace mfma::properties
