// Classes whose C is chosen after the products: sums that cancel, and integer sums at the edges of 32 bits.
#include <algorithm>
#include <array>

#include "harness/operands/drawing.h"

namespace mfma::operands::detail {
namespace {

using catalogue::ElementFormat;

constexpr int kExponentReach = 6;
constexpr int kF64Reach = 2;  // keeps the exact total of 106-bit products within Totals' bits
constexpr int kScaleReach = 3;

// Calls set(block, i, j, total), whose result is the C that the instruction shall see, for every element.
template <typename Set>
void choose_c(Draft& d, Set set) {
  const Totals totals(d);
  const std::uint64_t flip = negates_c(d.c.instance) ? cases::negative_zero(d.acc_format) : 0;
  for (int block = 0; block < d.shape.blocks; ++block) {
    for (int i = 0; i < d.shape.m; ++i) {
      for (int j = 0; j < d.shape.n; ++j) d.acc.at(block, i, j) = set(totals.at(block, i, j)) ^ flip;
    }
  }
}

// Products of neighbouring k with their signs turned round, or nearly the same size: what is left is small.
void cancel_products(Draft& d) {
  for (int block = 0; block < d.shape.blocks; ++block) {
    for (int k = 0; k + 1 < d.shape.k; k += 2) {
      for (int i = 0; i < d.shape.m; ++i) {
        const std::uint64_t a = d.a.at(block, i, k);
        d.a.at(block, i, k + 1) = cases::is_integer(d.a_format) ? (0 - a) & 0xff : a ^ cases::negative_zero(d.a_format);
      }
      for (int j = 0; j < d.shape.n; ++j) {
        const std::uint64_t b = d.b.at(block, k, j);
        const std::uint64_t other = b ^ (d.rng.below(4) == 0 ? 1 : 0);
        const bool usable = cases::is_integer(d.b_format) || cases::is_finite_code(d.b_format, other);
        d.put_b(block, k + 1, j, usable ? other : b);
      }
    }
  }
}

}  // namespace

void make_near_cancel(Case& c, Rng& rng) {
  Draft d(c, rng);
  const int reach = d.a_format == ElementFormat::kF64 ? kF64Reach : kExponentReach;
  for (std::uint64_t& code : d.a.codes()) code = near_one(d.a_format, reach, rng);
  for (std::uint64_t& code : d.b.codes()) code = near_one(d.b_format, reach, rng);
  if (d.scale_a) {
    for (std::optional<Elements>* scales : {&d.scale_a, &d.scale_b}) {
      for (std::uint64_t& code : (*scales)->codes()) {
        code = static_cast<std::uint64_t>(cases::kNeutralScale + rng.between(-kScaleReach, kScaleReach));
      }
    }
  }
  const bool among_products = rng.coin();
  if (among_products) cancel_products(d);
  choose_c(d, [&](const Totals::Total& total) {
    const int ulps = rng.coin() ? 0 : rng.between(-3, 3);
    return encode_cut(d.acc_format, -total.n, total.exponent, ulps);
  });
  d.store();
}

void make_integer_edges(Case& c, Rng& rng) {
  constexpr std::array<std::uint64_t, 8> kEdges{0x80, 0x80, 0x7f, 0x81, 0xff, 0x01, 0x00, 0x7f};
  Draft d(c, rng);
  // All extremes of one sign, so that sums are as large as they come, or extremes at random.
  const auto kind = rng.below(3);
  const auto draw = [&] { return kind == 0 ? 0x80 : kEdges[rng.below(8)]; };
  std::ranges::generate(d.a.codes(), draw);
  std::ranges::generate(d.b.codes(), draw);
  choose_c(d, [&](const Totals::Total& total) -> std::uint64_t {
    // The last number that fits, or the first that does not, and their neighbours; the sign is one C can reach it from.
    const Int128 edge = total.n > 0 || (total.n == 0 && rng.coin()) ? Int128{1} << 31 : -(Int128{1} << 31);
    switch (rng.below(8)) {
      case 0:
        return rng.coin() ? 0x7fffffff : 0x80000000;
      case 1:
        return rng.next() & 0xffffffff;
      default:
        return encode_cut(d.acc_format, edge - total.n, 0, rng.between(-2, 2));
    }
  });
  d.store();
}

}  // namespace mfma::operands::detail
