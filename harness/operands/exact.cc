// Class kExact: whole cases in which no rounding, alignment or order can matter, with operands far from trivial.
//
// The rule is docs/numerics.md, section 4: with every term of an element a multiple of 2^u, their magnitudes together
// at most 2^(u + p), and no product's exponent (zero factors at their format's least one) more than p above u, an
// element is exact. So row i of A holds multiples of 2^R[i] below 2^(R[i] + width), log-uniform in size, column j of B
// the same with S[j], and C[i, j] multiples of 2^(R[i] + S[j]) below 2^(p - 1) of them. A block scale moves the
// elements of its block down by what it moves the products up, or by up to `spread` less.
#include <algorithm>
#include <bit>

#include "harness/operands/drawing.h"

namespace mfma::operands::detail {
namespace {

using catalogue::Element;
using catalogue::ElementFormat;

constexpr int kMostUnit = 25;  // of a line under scales: combined scales stay normal f32
constexpr int kMostSpread = 5;
constexpr int kMostWidth = 26;

int log2_up(int n) { return static_cast<int>(std::bit_width(static_cast<unsigned>(n - 1))); }

// A by rows or B by columns.
struct Side {
  ElementFormat format{};
  Reach reach{};
  int width = 1;                           // elements are below 2^width units
  int spread = 0;                          // the unit of a block of 32 k may be this much above its line's
  int least_shift = 0, largest_shift = 0;  // exponents that an element's unit may have, scales not counted
};

Side side_of(ElementFormat f) {
  Side s;
  s.format = f;
  s.reach = reach_of(f);
  if (f == ElementFormat::kFp8E4m3) --s.reach.largest;  // keeps clear of the NaN among the largest numbers
  return s;
}

int most_width(const Side& s) { return std::min(s.reach.largest - s.reach.least_bit + 1, kMostWidth); }

// What the exponents of a line's factors may be above its unit when elements have this shift.
int rise(const Side& s, int shift) { return std::max(s.width - 1, s.reach.least - shift) + s.spread; }

// Formats of few bits take all they have; wide ones share what there is.
void draw_widths(Side& a, Side& b, int precision, int k, bool scaled, Rng& rng) {
  if (scaled) {
    a.spread = rng.between(0, kMostSpread);
    b.spread = rng.between(0, kMostSpread);
  }
  const int bits = precision - 1 - log2_up(k) - a.spread - b.spread;
  const int largest = std::min(most_width(a), bits - 1);
  a.width = rng.between(std::min(std::max(1, bits - most_width(b)), largest), largest);
  b.width = std::clamp(bits - a.width, 1, most_width(b));
}

void set_shifts(Side& s, int largest_rise, int furthest) {
  s.least_shift = s.reach.least_bit;
  while (rise(s, s.least_shift) > largest_rise) ++s.least_shift;
  s.largest_shift = std::max(s.least_shift, s.reach.largest - s.width + 1);
  if (s.largest_shift - s.least_shift > 2 * furthest) {
    s.least_shift = std::max(s.least_shift, -furthest);
    s.largest_shift = std::min(s.largest_shift, furthest - s.width);
  }
}

// n * 2^shift with 0 <= n < 2^width, log-uniform, as many significant bits as the format has; one in 16 is a zero.
std::uint64_t draw_number(const Side& s, int shift, Rng& rng) {
  const std::uint64_t random = rng.next();
  const bool negative = (random & 1) != 0;
  if ((random >> 1 & 15) == 0) return zero_of(s.format, negative);
  const auto leading = static_cast<int>((random >> 5 & 0xffff) * static_cast<unsigned>(s.width) >> 16);
  const int lost = std::max(0, leading - s.reach.fraction_bits);
  const std::uint64_t hidden = std::uint64_t{1} << leading;
  const std::uint64_t n = (hidden | (random >> 24 & (hidden - 1))) >> lost << lost;
  return cases::encode_exact(s.format, negative ? -static_cast<std::int64_t>(n) : static_cast<std::int64_t>(n), shift);
}

// Units of lines by [block][line].
using Units = std::vector<int>;

Units draw_units(const Side& s, int blocks, int lines, bool scaled, bool one_for_all, Rng& rng) {
  const auto draw = [&] {
    return scaled ? rng.between(-kMostUnit, kMostUnit) : rng.between(s.least_shift, s.largest_shift);
  };
  Units units(static_cast<std::size_t>(blocks * lines), draw());
  if (!one_for_all) std::ranges::generate(units, draw);
  return units;
}

// Draws the scale of one block of one line; returns the shift of the elements under it.
int draw_scale(const Side& s, int unit, std::uint64_t& scale, Rng& rng) {
  const int shift = rng.between(s.least_shift, s.largest_shift);
  scale = static_cast<std::uint64_t>(cases::kNeutralScale + unit + rng.between(0, s.spread) - shift);
  return shift;
}

bool is_zero(ElementFormat f, std::uint64_t code) { return (code & ~cases::negative_zero(f)) == 0; }

bool has_nonzero_product(Draft& d, int block, int i, int j) {
  for (int k = 0; k < d.shape.k; ++k) {
    const Element a = stored_place_of_a(d.c.instance, {block, i, k});
    const Element b = stored_place_of_b(d.c.instance, d.b.layout(), {block, k, j});
    if (!is_zero(d.a_format, d.a.at(a.block, a.row, a.column)) &&
        !is_zero(d.b_format, d.b.at(b.block, b.row, b.column)))
      return true;
  }
  return false;
}

std::uint64_t draw_c(Draft& d, int block, int i, int j, int unit, int precision) {
  const std::uint64_t random = d.rng.next();
  const bool negative = (random & 1) != 0;
  if ((random >> 1 & 7) == 0) {
    // Models differ on the sum of negative zeros alone.
    const bool any_sign = has_nonzero_product(d, block, i, j);
    return zero_of(d.acc_format, any_sign ? negative : negates_c(d.c.instance));
  }
  const auto leading = static_cast<int>((random >> 4 & 0xff) * static_cast<unsigned>(precision - 1) >> 8);
  const std::uint64_t hidden = std::uint64_t{1} << leading;
  const auto n = static_cast<std::int64_t>(hidden | (random >> 12 & (hidden - 1)));
  return cases::encode_exact(d.acc_format, negative ? -n : n, unit);
}

void make_exact_integers(Draft& d) {
  // K products of at most 2^14 each leave this much to C.
  const std::int64_t most = 0x7fffffff - (std::int64_t{d.shape.k} << 14);
  for (std::uint64_t& code : d.acc.codes()) {
    const auto n = static_cast<std::int64_t>(d.rng.next() >> (33 + d.rng.below(31)));
    code = cases::encode_exact(d.acc_format, std::min(n, most) * (d.rng.coin() ? 1 : -1), 0);
  }
  d.store();
}

}  // namespace

void make_exact(Case& c, Rng& rng) {
  Draft d(c, rng);
  if (cases::is_integer(d.a_format)) return make_exact_integers(d);  // A and B stay random bits
  const int precision = cases::fields_of(d.acc_format).fraction_bits + 1;
  const int furthest = d.acc_format == ElementFormat::kF64 ? 400 : 50;
  Side a = side_of(d.a_format), b = side_of(d.b_format);
  draw_widths(a, b, precision, d.shape.k, c.has_scales, rng);
  const int slack = precision - rise(a, a.reach.least) - rise(b, b.reach.least);
  set_shifts(a, rise(a, a.reach.least) + slack / 2, furthest);
  set_shifts(b, rise(b, b.reach.least) + slack / 2, furthest);
  const catalogue::Shape& s = d.shape;
  const Units rows = draw_units(a, s.blocks, s.m, c.has_scales, false, rng);
  const Units columns = draw_units(b, s.blocks, s.n, c.has_scales, permutes_b(c.instance), rng);
  const auto row_unit = [&](int block, int i) { return rows[static_cast<std::size_t>(block * s.m + i)]; };
  const auto column_unit = [&](int block, int j) { return columns[static_cast<std::size_t>(block * s.n + j)]; };

  for (int block = 0; block < s.blocks; ++block) {
    for (int i = 0; i < s.m; ++i) {
      int shift = row_unit(block, i);
      for (int k = 0; k < s.k; ++k) {
        if (d.scale_a && k % 32 == 0) shift = draw_scale(a, row_unit(block, i), d.scale_a->at(0, i, k / 32), rng);
        d.a.at(block, i, k) = draw_number(a, shift, rng);
      }
    }
    for (int j = 0; j < s.n; ++j) {
      int shift = column_unit(block, j);
      for (int k = 0; k < s.k; ++k) {
        if (d.scale_b && k % 32 == 0) shift = draw_scale(b, column_unit(block, j), d.scale_b->at(0, k / 32, j), rng);
        d.b.at(block, k, j) = draw_number(b, shift, rng);
      }
    }
  }
  for (int block = 0; block < s.blocks; ++block) {
    for (int i = 0; i < s.m; ++i) {
      const int from = stored_place_of_a(c.instance, {block, i, 0}).block;
      for (int j = 0; j < s.n; ++j) {
        d.acc.at(block, i, j) = draw_c(d, block, i, j, row_unit(from, i) + column_unit(block, j), precision);
      }
    }
  }
  d.store();
}

}  // namespace mfma::operands::detail
