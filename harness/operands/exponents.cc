// Classes that place exponents: any, at the widths of alignments, far apart, at the subnormals, at overflow.
//
// What is planned for a product is planned by k, alike for all rows and columns, so that it holds whichever row meets
// whichever column.
#include <algorithm>

#include "harness/operands/drawing.h"

namespace mfma::operands::detail {
namespace {

using catalogue::ElementFormat;

// The exponents of the two factors of a product; of the largest one, where gaps are counted from.
struct Top {
  int a, b;
};

// Exponents of A and B for a product `gap` below the top, taken from both as evenly as their reach allows.
Top below(const Reach& a, const Reach& b, const Top& top, int gap) {
  const int room_a = top.a - a.least_bit, room_b = top.b - b.least_bit;
  const int from_a = std::clamp(gap / 2, gap - room_b, std::max(room_a, gap - room_b));
  return {std::max(top.a - from_a, a.least_bit), std::max(top.b - (gap - from_a), b.least_bit)};
}

int precision_of(ElementFormat acc) { return cases::fields_of(acc).fraction_bits + 1; }

// 22..34 for an accumulator of 24 bits: two below its precision, and what lies beyond 31 and 32; of f64 likewise.
int edge_gap(ElementFormat acc, Rng& rng) { return precision_of(acc) + rng.between(-2, 10); }

void set_row(Draft& d, int block, int k, int exponent) {
  for (int i = 0; i < d.shape.m; ++i) d.a.at(block, i, k) = with_exponent(d.a_format, exponent, d.rng);
}

void set_column(Draft& d, int block, int k, int exponent) {
  for (int j = 0; j < d.shape.n; ++j) d.put_b(block, k, j, with_exponent(d.b_format, exponent, d.rng));
}

void set_all_c(Draft& d, int low, int high) {
  for (std::uint64_t& code : d.acc.codes()) code = with_exponent(d.acc_format, d.rng.between(low, high), d.rng);
}

// The top of wide formats lies anywhere near one, that of narrow ones at the end of their range.
Top draw_top(const Draft& d, Rng& rng) {
  const Reach a = reach_of(d.a_format), b = reach_of(d.b_format);
  const auto top = [&rng](const Reach& r) {
    return r.largest > 40 ? rng.between(-8, 24) : r.largest - rng.between(0, 1);
  };
  const int of_a = top(a);
  return {of_a, top(b)};
}

// Product exponents around `x` at every k: for subnormal results and for overflow.
void set_products(Draft& d, int low, int high) {
  const Reach a = reach_of(d.a_format), b = reach_of(d.b_format);
  for (int block = 0; block < d.shape.blocks; ++block) {
    for (int k = 0; k < d.shape.k; ++k) {
      const int x = d.rng.between(low, high);
      const int least = std::max(a.least_bit, x - b.largest), largest = std::min(a.largest, x - b.least_bit);
      const int of_a = least <= largest ? d.rng.between(least, largest) : std::clamp(x / 2, a.least_bit, a.largest);
      set_row(d, block, k, of_a);
      set_column(d, block, k, x - of_a);
    }
  }
}

// Scales that add `exponent` to every product, unevenly shared by A and B.
void scale_all(Draft& d, int exponent) {
  for (int q = 0; q < d.scale_blocks(); ++q) {
    const int of_a = std::clamp(exponent / 2 + d.rng.between(-10, 10), exponent - 127, exponent + 127);
    const int rows = std::clamp(of_a, -127, 127);
    d.scale_rows(q, rows);
    d.scale_columns(q, exponent - rows);
  }
}

}  // namespace

void make_uniform_exponents(Case& c, Rng& rng) {
  Draft d(c, rng);
  const auto draw = [&rng](ElementFormat f) {
    const Reach reach = reach_of(f);
    const int exponent = rng.between(reach.least - 1, reach.largest);  // one below the normals: the subnormals' field
    if (exponent >= reach.least) return with_exponent(f, exponent, rng);
    const std::uint64_t sign = zero_of(f, rng.coin());
    return sign | (rng.next() >> (64 - reach.fraction_bits));
  };
  for (std::uint64_t& code : d.a.codes()) code = draw(d.a_format);
  for (std::uint64_t& code : d.b.codes()) code = draw(d.b_format);
  for (std::uint64_t& code : d.acc.codes()) code = draw(d.acc_format);
  if (d.scale_a) {
    const int most = rng.coin() ? 127 : 8;
    for (std::optional<Elements>* scales : {&d.scale_a, &d.scale_b}) {
      for (std::uint64_t& code : (*scales)->codes()) {
        code = static_cast<std::uint64_t>(cases::kNeutralScale + rng.between(-most, most));
      }
    }
  }
  d.store();
}

void make_alignment_edges(Case& c, Rng& rng) {
  Draft d(c, rng);
  d.clear();
  const Reach a = reach_of(d.a_format), b = reach_of(d.b_format);
  const Top top = draw_top(d, rng);
  const bool gaps_among_products =
      d.shape.k > 1 && (c.has_scales || a.largest - a.least_bit + b.largest - b.least_bit > 24);
  // C below the top, C above it, or close to it where products make the gaps.
  const auto kind = rng.below(gaps_among_products ? 3 : 2);
  const int few = rng.coin() ? d.shape.k : std::min(d.shape.k, 3);
  const int first = rng.between(0, d.shape.k - 1);
  for (int block = 0; block < d.shape.blocks; ++block) {
    for (int n = few - 1; n >= 0; --n) {  // the top last, where several k share a stored element of B
      const int k = (first + n) % d.shape.k;
      // Where scales make the gap, elements of their block are as large as the top's.
      const bool scaled_down = d.scale_a && k / 32 != first / 32;
      const int gap = n == 0 ? 0 : scaled_down ? rng.between(0, 2) : edge_gap(d.acc_format, rng);
      const Top at = below(a, b, top, gap);
      set_row(d, block, k, at.a);
      set_column(d, block, k, at.b);
    }
  }
  if (d.scale_a) {
    const int base = rng.between(-20, 20);
    for (int q = 0; q < d.scale_blocks(); ++q) {
      const int gap = q == first / 32 ? 0 : edge_gap(d.acc_format, rng);
      const int of_a = gap * static_cast<int>(rng.below(3)) / 2;
      d.scale_rows(q, base - of_a);
      d.scale_columns(q, of_a - gap - base);
    }
  }
  const int x = top.a + top.b;
  const int p = precision_of(d.acc_format);
  if (kind == 0) set_all_c(d, x - p - 10, x - p + 2);
  if (kind == 1) set_all_c(d, x + p - 2, x + p + 10);
  if (kind == 2) set_all_c(d, x - 2, x + 2);
  d.store();
}

void make_huge_c(Case& c, Rng& rng) {
  Draft d(c, rng);
  for (std::uint64_t& code : d.a.codes()) code = near_one(d.a_format, 6, rng);
  for (std::uint64_t& code : d.b.codes()) code = near_one(d.b_format, 6, rng);
  if (d.scale_a) {
    for (int q = 0; q < d.scale_blocks(); ++q) {
      d.scale_rows(q, rng.between(-3, 3));
      d.scale_columns(q, rng.between(-3, 3));
    }
  }
  const Reach acc = reach_of(d.acc_format);
  const int away = 40 + precision_of(d.acc_format);
  for (std::uint64_t& code : d.acc.codes()) {
    const int exponent = rng.coin() ? rng.between(away, acc.largest) : rng.between(acc.least_bit, -away);
    code = with_exponent(d.acc_format, exponent, rng);
  }
  d.store();
}

void make_subnormals(Case& c, Rng& rng) {
  Draft d(c, rng);
  d.clear();
  const Reach a = reach_of(d.a_format), b = reach_of(d.b_format), acc = reach_of(d.acc_format);
  const bool reaches = c.has_scales || a.least_bit + b.least_bit < acc.least;
  if (reaches && rng.coin()) {
    // Products around the accumulator's subnormals, from half the least of them up to the normals.
    const int low = acc.least_bit - 2, high = acc.least + 2;
    if (c.has_scales) {
      const int x = rng.between(low, high);
      for (int block = 0; block < d.shape.blocks; ++block) {
        for (int k = 0; k < d.shape.k; ++k) {
          set_row(d, block, k, rng.between(-1, 1));
          set_column(d, block, k, rng.between(-1, 1));
        }
      }
      scale_all(d, x);
    } else {
      set_products(d, low, high);
    }
    set_all_c(d, acc.least_bit, acc.least);
  } else {
    // Subnormal elements in A, in B or in both; the others near one.
    const auto which = rng.below(3);
    const auto draw = [&rng](ElementFormat f, bool subnormal) {
      const Reach reach = reach_of(f);
      return subnormal ? with_exponent(f, rng.between(reach.least_bit, reach.least - 1), rng) : near_one(f, 6, rng);
    };
    for (std::uint64_t& code : d.a.codes()) code = draw(d.a_format, which != 1 && rng.below(4) != 0);
    for (std::uint64_t& code : d.b.codes()) code = draw(d.b_format, which != 0 && rng.below(4) != 0);
    const int x = (which != 1 ? a.least : 0) + (which != 0 ? b.least : 0);
    for (std::uint64_t& code : d.acc.codes()) {
      code = rng.below(4) == 0 ? with_exponent(d.acc_format, rng.between(acc.least_bit, acc.least), rng)
                               : with_exponent(d.acc_format, x + rng.between(-3, 6), rng);
    }
  }
  d.store();
}

bool products_overflow(const catalogue::Instance& instance) {
  if (cases::is_integer(instance.a_format())) return false;
  const int largest = reach_of(instance.a_format()).largest + reach_of(instance.b_format()).largest;
  return instance.modifiers.scaled || largest > reach_of(instance.builtin->acc_format).largest;
}

void make_product_overflow(Case& c, Rng& rng) {
  Draft d(c, rng);
  d.clear();
  const Reach a = reach_of(d.a_format), b = reach_of(d.b_format), acc = reach_of(d.acc_format);
  // A few k whose products lie at 2^(emax + 1), of random signs: some overflow, some only together, some cancel.
  const int live = std::min(d.shape.k, rng.between(1, 6));
  const bool same = rng.coin();  // products of one size cancel to nothing
  const bool powers = rng.coin();
  const int shared = rng.between(-1, 2);
  // Where scales carry the exponent, elements stay near one.
  const int carried = c.has_scales ? acc.largest : 0;
  if (c.has_scales) scale_all(d, carried);
  for (int block = 0; block < d.shape.blocks; ++block) {
    for (int n = 0; n < live; ++n) {
      const int k = rng.between(0, d.shape.k - 1);
      const int x = acc.largest - carried + (same ? shared : rng.between(-3, 1));
      const int of_a =
          c.has_scales ? x / 2 : rng.between(std::max(a.least, x - b.largest), std::min(a.largest, x - b.least));
      if (powers) {
        for (int i = 0; i < d.shape.m; ++i) d.a.at(block, i, k) = power_of_two(d.a_format, of_a, rng.coin());
        for (int j = 0; j < d.shape.n; ++j) d.put_b(block, k, j, power_of_two(d.b_format, x - of_a, rng.coin()));
      } else {
        set_row(d, block, k, of_a);
        set_column(d, block, k, x - of_a);
      }
    }
  }
  for (std::uint64_t& code : d.acc.codes()) {
    code = rng.coin() ? 0 : with_exponent(d.acc_format, acc.largest - rng.between(0, 3), rng);
  }
  d.store();
}

}  // namespace mfma::operands::detail
