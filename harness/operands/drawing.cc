#include "harness/operands/drawing.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

namespace mfma::operands::detail {
namespace {

using catalogue::bits_of;
using catalogue::Element;
using catalogue::ElementFormat;
using catalogue::Instance;
using catalogue::ModifierKind;
using catalogue::Operand;

constexpr std::uint64_t ones(int count) { return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1; }

__extension__ typedef unsigned __int128 Uint128;

int bit_width(Uint128 x) {
  const auto high = static_cast<std::uint64_t>(x >> 64);
  return high != 0 ? 64 + static_cast<int>(std::bit_width(high))
                   : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(x)));
}

Int128 shifted(Int128 x, int by) {
  if (by >= 0) return x << by;
  return -by > 126 ? 0 : x >> -by;
}

// The value of a finite code; zero for the others.
void decode(ElementFormat f, std::uint64_t code, std::int64_t& significand, int& exponent) {
  if (cases::is_integer(f)) {
    const int unused = 64 - bits_of(f);
    significand = static_cast<std::int64_t>(code << unused) >> unused;
    exponent = 0;
    return;
  }
  const cases::FloatFields fields = cases::fields_of(f);
  const auto field = static_cast<int>(code >> fields.fraction_bits & ones(fields.exponent_bits));
  const std::uint64_t hidden = field == 0 ? 0 : std::uint64_t{1} << fields.fraction_bits;
  significand =
      cases::is_finite_code(f, code) ? static_cast<std::int64_t>((code & ones(fields.fraction_bits)) | hidden) : 0;
  if ((code & cases::negative_zero(f)) != 0) significand = -significand;
  exponent = std::max(field, 1) - fields.bias - fields.fraction_bits;
}

std::uint64_t cut_integer(ElementFormat f, Int128 n) {
  const Int128 least = -(Int128{1} << (bits_of(f) - 1));
  const Int128 most = -least - 1;
  return static_cast<std::uint64_t>(std::clamp(n, least, most)) & ones(bits_of(f));
}

}  // namespace

bool permutes_b(const Instance& instance) {
  return instance.builtin->modifiers == ModifierKind::kBroadcast && instance.modifiers.blgp != 0;
}

Element stored_place_of_a(const Instance& instance, Element wanted) {
  if (instance.builtin->modifiers != ModifierKind::kBroadcast || instance.modifiers.cbsz == 0) return wanted;
  const int set = 1 << instance.modifiers.cbsz;
  wanted.block = wanted.block / set * set + instance.modifiers.abid;
  return wanted;
}

Element stored_place_of_b(const Instance& instance, const catalogue::Layout& layout, Element wanted) {
  if (!permutes_b(instance)) return wanted;
  const catalogue::Location at = layout.locate(wanted);
  return layout.element_at(catalogue::blgp_source_lane(instance.modifiers.blgp, at.lane), at.bit).value_or(wanted);
}

bool negates_c(const Instance& instance) {
  return instance.builtin->modifiers == ModifierKind::kNegate && (instance.modifiers.blgp & 4) != 0;
}

Reach reach_of(ElementFormat f) {
  const cases::FloatFields fields = cases::fields_of(f);
  Reach reach{};
  reach.fraction_bits = fields.fraction_bits;
  reach.least = 1 - fields.bias;
  reach.least_bit = reach.least - fields.fraction_bits;
  const std::uint64_t top = ones(fields.exponent_bits) << fields.fraction_bits;
  reach.largest = static_cast<int>(ones(fields.exponent_bits)) - fields.bias - (cases::is_finite_code(f, top) ? 0 : 1);
  return reach;
}

std::uint64_t zero_of(ElementFormat f, bool negative) { return negative ? cases::negative_zero(f) : 0; }

std::uint64_t with_exponent(ElementFormat f, int exponent, Rng& rng) {
  const Reach reach = reach_of(f);
  exponent = std::clamp(exponent, reach.least_bit, reach.largest);
  const std::uint64_t random = rng.next();
  const std::uint64_t sign = zero_of(f, random >> 63 != 0);
  if (exponent < reach.least) {
    const int leading = exponent - reach.least_bit;
    return sign | std::uint64_t{1} << leading | (random & ones(leading));
  }
  const auto field = static_cast<std::uint64_t>(exponent - reach.least + 1);
  const std::uint64_t code = sign | field << reach.fraction_bits | (random & ones(reach.fraction_bits));
  return cases::is_finite_code(f, code) ? code : code & ~std::uint64_t{1};
}

std::uint64_t power_of_two(ElementFormat f, int exponent, bool negative) {
  const Reach reach = reach_of(f);
  return cases::encode_exact(f, negative ? -1 : 1, std::clamp(exponent, reach.least_bit, reach.largest));
}

std::uint64_t near_one(ElementFormat f, int most, Rng& rng) {
  if (cases::is_integer(f)) return rng.next() & ones(bits_of(f));
  const Reach reach = reach_of(f);
  // Narrow formats as they are: every code is near one.
  if (reach.largest - reach.least_bit <= 2 * most) {
    const std::uint64_t code = rng.next() & ones(bits_of(f));
    return cases::is_finite_code(f, code) ? code : zero_of(f, (code & 1) != 0);
  }
  return with_exponent(f, rng.between(-most, most), rng);
}

std::uint64_t encode_cut(ElementFormat f, Int128 n, int exponent, int ulps) {
  if (cases::is_integer(f)) return cut_integer(f, n + ulps);
  const Reach reach = reach_of(f);
  const std::uint64_t sign = zero_of(f, n < 0);
  const Uint128 magnitude = n < 0 ? -static_cast<Uint128>(n) : static_cast<Uint128>(n);
  const std::uint64_t largest = cases::encode_exact(f, static_cast<std::int64_t>(ones(reach.fraction_bits + 1)),
                                                    reach.largest - reach.fraction_bits);
  std::uint64_t code = 0;
  if (magnitude != 0) {
    const int leading = exponent + bit_width(magnitude) - 1;
    const int last = std::max(leading, reach.least) - reach.fraction_bits;
    const int drop = last - exponent;
    if (leading > reach.largest) {
      code = largest;
    } else if (drop < 128) {
      const Uint128 kept = drop >= 0 ? magnitude >> drop : magnitude << -drop;
      if (kept != 0) code = cases::encode_exact(f, static_cast<std::int64_t>(kept), last);
    }
  }
  const auto moved = static_cast<std::int64_t>(code) + ulps;
  return sign | std::min(static_cast<std::uint64_t>(std::max<std::int64_t>(moved, 0)), largest);
}

Draft::Draft(Case& of, Rng& random)
    : c(of),
      rng(random),
      shape(of.instance.builtin->shape),
      a_format(of.instance.a_format()),
      b_format(of.instance.b_format()),
      acc_format(of.instance.builtin->acc_format),
      a(of.instance, Operand::kA, of.a),
      b(of.instance, Operand::kB, of.b),
      acc(of.instance, Operand::kC, of.c) {
  if (!of.has_scales) return;
  scale_a.emplace(of.instance, Operand::kScaleA, of.scale_a);
  scale_b.emplace(of.instance, Operand::kScaleB, of.scale_b);
}

void Draft::clear() {
  std::ranges::fill(a.codes(), zero_of(a_format, rng.coin()));
  std::ranges::fill(b.codes(), zero_of(b_format, rng.coin()));
  std::ranges::fill(acc.codes(), 0);
  if (!scale_a) return;
  std::ranges::fill(scale_a->codes(), cases::kNeutralScale);
  std::ranges::fill(scale_b->codes(), cases::kNeutralScale);
}

void Draft::put_b(int block, int k, int j, std::uint64_t code) {
  const Element at = stored_place_of_b(c.instance, b.layout(), {block, k, j});
  b.at(at.block, at.row, at.column) = code;
}

void Draft::scale_rows(int q, int exponent) {
  for (int i = 0; i < shape.m; ++i) scale_a->at(0, i, q) = static_cast<std::uint64_t>(cases::kNeutralScale + exponent);
}

void Draft::scale_columns(int q, int exponent) {
  for (int j = 0; j < shape.n; ++j) scale_b->at(0, q, j) = static_cast<std::uint64_t>(cases::kNeutralScale + exponent);
}

void Draft::store() {
  a.store();
  b.store();
  acc.store();
  if (scale_a) scale_a->store();
  if (scale_b) scale_b->store();
}

Totals::Totals(Draft& d) : shape_(d.shape) {
  const auto significant = [](ElementFormat f) {
    return cases::is_integer(f) ? bits_of(f) : cases::fields_of(f).fraction_bits + 1;
  };
  factor_bits_ = significant(d.a_format) + significant(d.b_format);
  const bool negates = d.c.instance.builtin->modifiers == ModifierKind::kNegate;
  const int signs = negates ? d.c.instance.modifiers.blgp : 0;
  for (int block = 0; block < shape_.blocks; ++block) {
    for (int i = 0; i < shape_.m; ++i) {
      for (int k = 0; k < shape_.k; ++k) {
        const Element from = stored_place_of_a(d.c.instance, {block, i, k});
        Factor x{};
        decode(d.a_format, d.a.at(from.block, from.row, from.column), x.significand, x.exponent);
        if ((signs & 1) != 0) x.significand = -x.significand;
        if (d.scale_a) x.exponent += static_cast<int>(d.scale_a->at(0, i, k / 32)) - cases::kNeutralScale;
        a_.push_back(x);
      }
    }
    for (int j = 0; j < shape_.n; ++j) {
      for (int k = 0; k < shape_.k; ++k) {
        const Element from = stored_place_of_b(d.c.instance, d.b.layout(), {block, k, j});
        Factor x{};
        decode(d.b_format, d.b.at(from.block, from.row, from.column), x.significand, x.exponent);
        if ((signs & 2) != 0) x.significand = -x.significand;
        if (d.scale_b) x.exponent += static_cast<int>(d.scale_b->at(0, k / 32, j)) - cases::kNeutralScale;
        b_.push_back(x);
      }
    }
  }
}

Totals::Total Totals::at(int block, int i, int j) const {
  const Factor* a = a_.data() + static_cast<std::size_t>((block * shape_.m + i) * shape_.k);
  const Factor* b = b_.data() + static_cast<std::size_t>((block * shape_.n + j) * shape_.k);
  int least = std::numeric_limits<int>::max(), most = std::numeric_limits<int>::min();
  for (int k = 0; k < shape_.k; ++k) {
    if (a[k].significand == 0 || b[k].significand == 0) continue;
    least = std::min(least, a[k].exponent + b[k].exponent);
    most = std::max(most, a[k].exponent + b[k].exponent);
  }
  Total total;
  if (most < least) return total;
  const int room = 126 - factor_bits_ - static_cast<int>(std::bit_width(static_cast<unsigned>(shape_.k)));
  total.exponent = std::max(least, most - room);
  for (int k = 0; k < shape_.k; ++k) {
    if (a[k].significand == 0 || b[k].significand == 0) continue;
    total.n += shifted(Int128{a[k].significand} * b[k].significand, a[k].exponent + b[k].exponent - total.exponent);
  }
  return total;
}

std::uint64_t period_for(std::uint64_t length) {
  std::uint64_t period = std::max<std::uint64_t>(length, 1);
  while (std::gcd(period, std::uint64_t{2 * 3 * 5 * 7}) != 1) ++period;
  return period;
}

Position position_in(const Case& c, std::uint64_t period, std::uint64_t per_rank) {
  std::uint64_t state = c.seed;
  const std::uint64_t by_seed = cases::splitmix64(state) % period;
  const auto rank = static_cast<std::uint64_t>(catalogue::legal_rank(c.instance));
  const std::uint64_t walked = per_rank * (rank + by_seed) % period + c.index;
  return {walked % period, walked / period};
}

}  // namespace mfma::operands::detail
