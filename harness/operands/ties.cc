// Class kRoundingTies: exact sums half way between two numbers of the accumulator, or so close to it that only an
// adder that rounds once gets them right.
//
// Row i and column j make a product of 2^x, x = r[i] + s[j], times 1, 1 +- 2^-h, 1 - 2^-2h or (1 +- 2^-h)^2. What it is
// added to is an odd or even multiple of 2^(x + 1) of p bits, so the sum is a tie for a product of 2^x and beside one
// for the others; 2^-2h is below the 53rd bit where the formats have the fraction bits for it.
#include <algorithm>

#include "harness/operands/drawing.h"

namespace mfma::operands::detail {
namespace {

using catalogue::ElementFormat;

constexpr int kMostCentre = 30;
constexpr int kMostOffset = 5;  // of a line from the centre
constexpr int kMostGap = 30;    // of the tiny product, shared between A and B

enum class Partner {
  kC,           // the product meets C alone
  kCAndTiny,    // a second, far smaller product at another k
  kProduct,     // C is zero; a larger product at another k takes its place
  kSubnormalC,  // the tie lies at half the least subnormal
};

struct Line {
  int exponent;
  int shape;  // 0: 2^e, 1: (1 + 2^-h) 2^e, -1: (1 - 2^-h) 2^e
};

struct Plan {
  Reach a, b;
  int h;  // 0: the formats have no room for 1 +- 2^-h
  int precision;
  int k_main, k_other;
  int gap_a, gap_b;  // of the product at k_other: below the main one, or above it
};

std::uint64_t code_of(ElementFormat f, const Line& line, int h, bool negative) {
  const std::int64_t sign = negative ? -1 : 1;
  if (line.shape == 0) return power_of_two(f, line.exponent, negative);
  return cases::encode_exact(f, sign * ((std::int64_t{1} << h) + line.shape), line.exponent - h);
}

Line draw_line(const Reach& reach, int low, int high, int h, Rng& rng) {
  // 1 - 2^-h is one binade lower, and must still be normal.
  Line line{std::clamp(rng.between(low, high), reach.least + 1, reach.largest), 0};
  if (h != 0 && rng.coin()) line.shape = rng.coin() ? 1 : -1;
  return line;
}

// p bits, a multiple of 2^(x + 1): C whose last place is twice the product.
std::uint64_t c_above(ElementFormat acc, int precision, int x, Rng& rng) {
  const auto hidden = std::uint64_t{1} << (precision - 1);
  const auto m = static_cast<std::int64_t>(hidden | (rng.next() >> (65 - precision)));
  return cases::encode_exact(acc, rng.coin() ? m : -m, x + 1);
}

std::uint64_t subnormal_c(ElementFormat acc, Rng& rng) {
  const Reach reach = reach_of(acc);
  const std::uint64_t fraction = rng.next() >> (64 - reach.fraction_bits) >> rng.below(4);
  return zero_of(acc, rng.coin()) | fraction;
}

Partner draw_partner(const Draft& d, const Plan& p, Rng& rng) {
  const auto kind = rng.below(8);
  const Reach acc = reach_of(d.acc_format);
  if (kind == 0 && !d.c.has_scales && p.a.least + 1 + p.b.least + 1 < acc.least_bit) return Partner::kSubnormalC;
  if (d.shape.k == 1 || kind < 5) return Partner::kC;
  // A product p binades above another needs formats that reach so far.
  const int half_a = (p.a.largest - p.a.least) / 2, half_b = (p.b.largest - p.b.least) / 2;
  const bool reaches = half_a + half_b >= p.precision && std::min(half_a, half_b) > 2 * kMostOffset;
  return kind == 5 && reaches ? Partner::kProduct : Partner::kCAndTiny;
}

}  // namespace

void make_rounding_ties(Case& c, Rng& rng) {
  Draft d(c, rng);
  d.clear();
  Plan p{};
  p.a = reach_of(d.a_format);
  p.b = reach_of(d.b_format);
  p.precision = cases::fields_of(d.acc_format).fraction_bits + 1;
  const int fraction = std::min(p.a.fraction_bits, p.b.fraction_bits);
  p.h = fraction < 7 ? 0 : rng.between((2 * fraction + 2) / 3, fraction);
  p.k_main = rng.between(0, d.shape.k - 1);
  p.k_other = d.shape.k == 1 ? 0 : (p.k_main + rng.between(1, d.shape.k - 1)) % d.shape.k;
  const Partner partner = draw_partner(d, p, rng);
  int centre_a = rng.between(-kMostCentre, kMostCentre), centre_b = rng.between(-kMostCentre, kMostCentre);
  int offset = permutes_b(c.instance) ? 0 : kMostOffset;
  p.gap_a = -rng.between(0, kMostGap);
  p.gap_b = -rng.between(4, kMostGap);
  if (partner == Partner::kSubnormalC) {
    const int x = reach_of(d.acc_format).least_bit - 1;
    centre_a = rng.between(std::max(p.a.least + 1, x - p.b.largest), std::min(p.a.largest, x - p.b.least - 1));
    centre_b = x - centre_a;
    offset = 0;
  } else if (partner == Partner::kProduct) {
    // Lower halves of both ranges for the tie, upper ones for what it meets.
    const int half_a = (p.a.largest - p.a.least) / 2, half_b = (p.b.largest - p.b.least) / 2;
    p.gap_a = std::clamp(p.precision * half_a / (half_a + half_b), p.precision - half_b, half_a);
    p.gap_b = p.precision - p.gap_a;
    centre_a = std::clamp(-p.gap_a / 2, p.a.least + 1 + kMostOffset, p.a.largest - p.gap_a - kMostOffset);
    centre_b = std::clamp(-p.gap_b / 2, p.b.least + 1 + kMostOffset, p.b.largest - p.gap_b - kMostOffset);
  }
  if (d.scale_a) {
    for (int q = 0; q < d.scale_blocks(); ++q) {
      d.scale_rows(q, q == p.k_main / 32 ? 0 : -rng.between(0, 20));
      d.scale_columns(q, q == p.k_main / 32 ? 0 : -rng.between(0, 20));
    }
  }

  std::vector<Line> rows, columns;
  for (int i = 0; i < d.shape.m; ++i) {
    rows.push_back(draw_line(p.a, centre_a - offset, centre_a + offset, p.h, rng));
    for (int block = 0; block < d.shape.blocks; ++block) {
      d.a.at(block, i, p.k_main) = code_of(d.a_format, rows.back(), p.h, rng.coin());
      if (partner == Partner::kCAndTiny || partner == Partner::kProduct) {
        d.a.at(block, i, p.k_other) = power_of_two(d.a_format, rows.back().exponent + p.gap_a, rng.coin());
      }
    }
  }
  for (int j = 0; j < d.shape.n; ++j) {
    columns.push_back(draw_line(p.b, centre_b - offset, centre_b + offset, p.h, rng));
    for (int block = 0; block < d.shape.blocks; ++block) {
      if (partner == Partner::kCAndTiny) {
        d.put_b(block, p.k_other, j, power_of_two(d.b_format, columns.back().exponent + p.gap_b, rng.coin()));
      } else if (partner == Partner::kProduct) {
        // As many bits as the format has, all above the tie.
        const std::uint64_t big = with_exponent(d.b_format, columns.back().exponent + p.gap_b, rng);
        d.put_b(block, p.k_other, j, big);
      }
      d.put_b(block, p.k_main, j, code_of(d.b_format, columns.back(), p.h, rng.coin()));
    }
  }
  for (int block = 0; block < d.shape.blocks; ++block) {
    for (int i = 0; i < d.shape.m; ++i) {
      for (int j = 0; j < d.shape.n; ++j) {
        const int x = rows[static_cast<std::size_t>(i)].exponent + columns[static_cast<std::size_t>(j)].exponent;
        std::uint64_t& code = d.acc.at(block, i, j);
        if (partner == Partner::kProduct) continue;
        code = partner == Partner::kSubnormalC ? subnormal_c(d.acc_format, rng)
                                               : c_above(d.acc_format, p.precision, x, rng);
      }
    }
  }
  d.store();
}

}  // namespace mfma::operands::detail
