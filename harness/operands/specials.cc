// Class kSpecials: the cross of special values. operands.h says what it promises, this says how.
//
// Position p of an instance, modulo its period, is a lone case when p is even, else a mixed one (or, on the scaled
// form, every second time a scale case). In a lone case one k carries specials and all others zeros. The specials of
// A go down the rows and those of B along the columns, in tiles of M and N where there are more; where there is room
// for several copies of either, each copy meets other specials of C. A block is one step of the cross: a tile of B and
// a part of C's list. All blocks of a case share the tile of A, so that cbsz changes nothing.
#include <algorithm>
#include <span>

#include "harness/cases/codes.h"
#include "harness/operands/drawing.h"

namespace mfma::operands::detail {
namespace {

using cases::encode_exact;
using cases::is_finite_code;
using cases::kNanScale;
using cases::kNeutralScale;
using cases::negative_zero;
using cases::special_scales;
using cases::specials_of;
using catalogue::ElementFormat;
using catalogue::Instance;
using catalogue::Operand;

int ceil_div(int a, int b) { return (a + b - 1) / b; }

struct Cross {
  std::span<const std::uint64_t> a, b, c;
  int m, n, blocks;
  int copies_a, copies_b;  // whole copies of the lists that fit the rows and the columns
  int tiles_a, tiles_b;    // tiles that the lists need where they do not fit
  int steps_per_tile_a;    // tiles of B times parts of C's list
  int cases_per_tile_a;
  int lone_cases;
};

Cross cross_of(const Instance& instance) {
  const catalogue::Shape& s = instance.builtin->shape;
  Cross x{};
  x.a = specials_of(instance.a_format());
  x.b = specials_of(instance.b_format());
  x.c = specials_of(instance.builtin->acc_format);
  const int count_a = static_cast<int>(x.a.size()), count_b = static_cast<int>(x.b.size());
  x.m = s.m;
  x.n = s.n;
  x.blocks = s.blocks;
  x.copies_a = std::max(1, s.m / count_a);
  x.copies_b = std::max(1, s.n / count_b);
  x.tiles_a = ceil_div(count_a, s.m);
  x.tiles_b = ceil_div(count_b, s.n);
  x.steps_per_tile_a = x.tiles_b * ceil_div(static_cast<int>(x.c.size()), x.copies_a * x.copies_b);
  x.cases_per_tile_a = ceil_div(x.steps_per_tile_a, s.blocks);
  x.lone_cases = x.tiles_a * x.cases_per_tile_a;
  return x;
}

struct SpecialsPosition {
  std::uint64_t in_period;
  std::uint64_t odd_before;  // how many odd positions the walk from position 0 has passed, over all periods
};

SpecialsPosition position_of(const Case& c) {
  const std::uint64_t period = specials_period(c.instance);
  const Position at = position_in(c, period, 2);
  return {at.in_period, at.periods_before * (period / 2) + at.in_period / 2};
}

void fill(Elements& elements, std::uint64_t code) { std::ranges::fill(elements.codes(), code); }

void put_b(const Case& c, Elements& b, int block, int k, int j, std::uint64_t code) {
  const catalogue::Element at = stored_place_of_b(c.instance, b.layout(), {block, k, j});
  b.at(at.block, at.row, at.column) = code;
}

// Zeros of one sign in A and of one sign in B, so that the zero products of a case share theirs.
void fill_with_zeros(const Case& c, Elements& a, Elements& b, Rng& rng) {
  fill(a, rng.coin() ? negative_zero(c.instance.a_format()) : 0);
  fill(b, rng.coin() ? negative_zero(c.instance.b_format()) : 0);
}

void set_scales(Case& c, Operand operand, catalogue::RegisterImage& image, std::uint64_t code) {
  Elements scales(c.instance, operand, image);
  fill(scales, code);
  scales.store();
}

// Every second scale from the short list, the others counting through all bytes from one odd position to the next.
void cross_scales(Case& c, Operand operand, catalogue::RegisterImage& image, std::uint64_t start, Rng& rng) {
  Elements scales(c.instance, operand, image);
  const std::span<const std::uint8_t> list = special_scales();
  const std::uint64_t turn = rng.below(static_cast<std::uint32_t>(list.size()));
  const std::uint64_t first = position_of(c).odd_before * (scales.codes().size() / 2) + start;
  for (std::size_t i = 0; i < scales.codes().size(); ++i) {
    const std::uint64_t counted = (first + i / 2) & 0xff;
    scales.codes()[i] = i % 2 == 0 ? list[(i / 2 + turn) % list.size()] : counted;
  }
  scales.store();
}

void make_lone(Case& c, int number, Rng& rng) {
  const Cross x = cross_of(c.instance);
  const int count_a = static_cast<int>(x.a.size()), count_b = static_cast<int>(x.b.size());
  Elements a(c.instance, Operand::kA, c.a), b(c.instance, Operand::kB, c.b), acc(c.instance, Operand::kC, c.c);
  fill_with_zeros(c, a, b, rng);
  const int k = rng.between(0, c.instance.builtin->shape.k - 1);
  const int tile_a = number / x.cases_per_tile_a;
  for (int block = 0; block < x.blocks; ++block) {
    const int step = (number % x.cases_per_tile_a * x.blocks + block) % x.steps_per_tile_a;
    const int tile_b = step % x.tiles_b;
    const int first_c = step / x.tiles_b * x.copies_a * x.copies_b;
    for (int i = 0; i < x.m; ++i) a.at(block, i, k) = x.a[static_cast<std::size_t>((tile_a * x.m + i) % count_a)];
    for (int j = 0; j < x.n; ++j) {
      put_b(c, b, block, k, j, x.b[static_cast<std::size_t>((tile_b * x.n + j) % count_b)]);
    }
    for (int i = 0; i < x.m; ++i) {
      for (int j = 0; j < x.n; ++j) {
        // Which copy of the pair this is; then an offset of the pair's own, so that neighbours meet different C.
        const int copy = std::min(i / count_a, x.copies_a - 1) * x.copies_b + std::min(j / count_b, x.copies_b - 1);
        const int offset = i % count_a + 7 * (j % count_b);
        acc.at(block, i, j) = x.c[static_cast<std::size_t>(first_c + copy + offset) % x.c.size()];
      }
    }
  }
  a.store();
  b.store();
  acc.store();
  if (!c.has_scales) return;
  set_scales(c, Operand::kScaleA, c.scale_a, kNeutralScale);
  set_scales(c, Operand::kScaleB, c.scale_b, kNeutralScale);
}

// Products of plus and minus one under every scale; C is zero in half of the elements, else a special.
void make_scale_case(Case& c, Rng& rng) {
  const catalogue::Shape& s = c.instance.builtin->shape;
  const auto one = [&rng](ElementFormat f) { return encode_exact(f, rng.coin() ? 1 : -1, 0); };
  Elements a(c.instance, Operand::kA, c.a), b(c.instance, Operand::kB, c.b), acc(c.instance, Operand::kC, c.c);
  fill_with_zeros(c, a, b, rng);
  const int k = rng.between(0, s.k - 1);
  for (int i = 0; i < s.m; ++i) a.at(0, i, k) = one(c.instance.a_format());
  for (int j = 0; j < s.n; ++j) b.at(0, k, j) = one(c.instance.b_format());
  const std::span<const std::uint64_t> list = specials_of(c.instance.builtin->acc_format);
  for (std::uint64_t& code : acc.codes()) {
    code = rng.coin() ? 0 : list[rng.below(static_cast<std::uint32_t>(list.size()))];
  }
  a.store();
  b.store();
  acc.store();
  cross_scales(c, Operand::kScaleA, c.scale_a, 0, rng);
  cross_scales(c, Operand::kScaleB, c.scale_b, 128, rng);
  if (rng.below(4) == 0) return;
  // A NaN scale over a block of zeros says nothing of the block that has the product: mostly leave it out.
  Elements scale_a(c.instance, Operand::kScaleA, c.scale_a), scale_b(c.instance, Operand::kScaleB, c.scale_b);
  for (int q = 0; q < scale_a.layout().columns(); ++q) {
    if (q == k / 32) continue;
    for (int i = 0; i < s.m; ++i) {
      if (scale_a.at(0, i, q) == kNanScale) scale_a.at(0, i, q) = kNeutralScale;
    }
    for (int j = 0; j < s.n; ++j) {
      if (scale_b.at(0, q, j) == kNanScale) scale_b.at(0, q, j) = kNeutralScale;
    }
  }
  scale_a.store();
  scale_b.store();
}

// How often a mixed case takes a special that is not finite: as the list has them, never, or about once in 4 K
// elements, so that some elements of D have one and others none.
enum class NonFinite { kAsListed, kNever, kRare };

void fill_with_specials(Case& c, Operand operand, ElementFormat f, catalogue::RegisterImage& image, NonFinite rule,
                        Rng& rng) {
  Elements elements(c.instance, operand, image);
  const std::span<const std::uint64_t> list = specials_of(f);
  const auto rarity = static_cast<std::uint32_t>(4 * c.instance.builtin->shape.k);
  for (std::uint64_t& code : elements.codes()) {
    const bool any = rule == NonFinite::kAsListed || (rule == NonFinite::kRare && rng.below(rarity) == 0);
    do {
      code = list[rng.below(static_cast<std::uint32_t>(list.size()))];
    } while (!any && !is_finite_code(f, code));
  }
  elements.store();
}

void make_special_mix(Case& c, Rng& rng) {
  constexpr NonFinite kRules[3] = {NonFinite::kAsListed, NonFinite::kNever, NonFinite::kRare};
  const NonFinite rule = kRules[rng.below(3)];
  fill_with_specials(c, Operand::kA, c.instance.a_format(), c.a, rule, rng);
  fill_with_specials(c, Operand::kB, c.instance.b_format(), c.b, rule, rng);
  const NonFinite rule_c = rule == NonFinite::kNever ? rule : NonFinite::kAsListed;
  fill_with_specials(c, Operand::kC, c.instance.builtin->acc_format, c.c, rule_c, rng);
  if (!c.has_scales) return;
  cross_scales(c, Operand::kScaleA, c.scale_a, 0, rng);
  cross_scales(c, Operand::kScaleB, c.scale_b, 128, rng);
}

}  // namespace

std::uint64_t specials_period(const Instance& instance) {
  return period_for(static_cast<std::uint64_t>(2 * cross_of(instance).lone_cases));
}

void make_specials(Case& c, Rng& rng) {
  const std::uint64_t position = position_of(c).in_period;
  if (position % 2 == 0) {
    make_lone(c, static_cast<int>(position / 2) % cross_of(c.instance).lone_cases, rng);
  } else if (c.has_scales && position % 4 == 3) {
    make_scale_case(c, rng);
  } else {
    make_special_mix(c, rng);
  }
}

}  // namespace mfma::operands::detail
