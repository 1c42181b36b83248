// Classes on the signs of zeros and of infinities.
#include <algorithm>

#include "harness/operands/drawing.h"

namespace mfma::operands::detail {
namespace {

using catalogue::ElementFormat;

bool has_infinity(ElementFormat f) {
  return f == ElementFormat::kF64 || f == ElementFormat::kF32 || f == ElementFormat::kF16 ||
         f == ElementFormat::kBf16 || f == ElementFormat::kBf8E5m2;
}

std::uint64_t infinity_of(ElementFormat f, bool negative) {
  const cases::FloatFields fields = cases::fields_of(f);
  return zero_of(f, negative) | ((std::uint64_t{1} << fields.exponent_bits) - 1) << fields.fraction_bits;
}

// Signed zeros, and now and then a number that makes them matter: plus or minus one, or the least subnormal.
std::uint64_t draw_near_zero(ElementFormat f, std::uint32_t one_in, Rng& rng) {
  if (one_in == 0 || rng.below(one_in) != 0) return zero_of(f, rng.coin());
  const bool negative = rng.coin();  // drawn apart: the order of arguments is the compiler's to choose
  return power_of_two(f, rng.coin() ? 0 : reach_of(f).least_bit, negative);
}

}  // namespace

void make_infinities(Case& c, Rng& rng) {
  Draft d(c, rng);
  // One element of D in a few meets an infinity: as many as K in rows and columns would leave only NaNs.
  const auto rarity = static_cast<std::uint32_t>(3 * d.shape.k);
  const auto fill = [&](Elements& elements, ElementFormat f, std::uint32_t one_in) {
    for (std::uint64_t& code : elements.codes()) {
      code = small_value(f, rng.below(small_values(f)));
      if (has_infinity(f) && rng.below(one_in) == 0) code = infinity_of(f, rng.coin());
    }
  };
  fill(d.a, d.a_format, rarity);
  fill(d.b, d.b_format, rarity);
  for (std::uint64_t& code : d.acc.codes()) {
    code = rng.below(3) == 0 ? infinity_of(d.acc_format, rng.coin()) : near_one(d.acc_format, 12, rng);
  }
  if (d.scale_a) {
    for (int q = 0; q < d.scale_blocks(); ++q) {
      d.scale_rows(q, rng.between(-3, 3));
      d.scale_columns(q, rng.between(-3, 3));
    }
  }
  d.store();
}

void make_signed_zeros(Case& c, Rng& rng) {
  Draft d(c, rng);
  d.clear();
  // One sign for each row and each column: products of a row and a column are zeros of one sign. Or any signs, with or
  // without numbers between.
  const auto kind = rng.below(4);
  if (kind < 2) {
    for (int block = 0; block < d.shape.blocks; ++block) {
      for (int i = 0; i < d.shape.m; ++i) {
        const std::uint64_t zero = zero_of(d.a_format, rng.coin());
        for (int k = 0; k < d.shape.k; ++k) d.a.at(block, i, k) = zero;
      }
      for (int j = 0; j < d.shape.n; ++j) {
        const bool negative = rng.coin();
        for (int k = 0; k < d.shape.k; ++k) {
          d.put_b(block, k, j, rng.coin() ? power_of_two(d.b_format, 0, negative) : zero_of(d.b_format, negative));
        }
      }
    }
  } else {
    const std::uint32_t one_in = kind == 2 ? 0 : static_cast<std::uint32_t>(d.shape.k + 2);
    for (std::uint64_t& code : d.a.codes()) code = draw_near_zero(d.a_format, one_in, rng);
    for (std::uint64_t& code : d.b.codes()) code = draw_near_zero(d.b_format, one_in, rng);
  }
  for (std::uint64_t& code : d.acc.codes()) code = draw_near_zero(d.acc_format, kind == 3 ? 4 : 16, rng);
  d.store();
}

}  // namespace mfma::operands::detail
