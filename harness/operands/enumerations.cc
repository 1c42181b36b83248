// Classes that go through something completely, a place of it per index: period_of() says how many there are.
#include <algorithm>
#include <bit>

#include "harness/operands/drawing.h"

namespace mfma::operands::detail {
namespace {

using catalogue::bits_of;
using catalogue::ElementFormat;
using catalogue::Instance;

std::uint64_t mask_of(int bits) { return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }

int ceil_div(int a, int b) { return (a + b - 1) / b; }

// --- one_hot: places 0..K-1 have one element in each row of A, places K..2K-1 one in each column of B.

// The k of the one element of a line: K places visit each, and neighbouring lines have different ones.
int hot_k(int place, int line, int block, int k) { return (place + line + 3 * block) % k; }

std::uint64_t draw_small(ElementFormat f, Rng& rng) { return small_value(f, rng.below(small_values(f))); }

std::uint64_t draw_one(ElementFormat f, Rng& rng) { return cases::encode_exact(f, rng.coin() ? 1 : -1, 0); }

// --- code_pairs: one k has codes, the rest zeros. A tile of A for all blocks, a tile of B for each.

struct Pairs {
  int codes_a, codes_b, tiles_a, tiles_b, steps;  // steps: cases to one tile of A
};

Pairs pairs_of(const Instance& instance) {
  const catalogue::Shape& s = instance.builtin->shape;
  Pairs p{};
  p.codes_a = 1 << bits_of(instance.a_format());
  p.codes_b = 1 << bits_of(instance.b_format());
  p.tiles_a = ceil_div(p.codes_a, s.m);
  p.tiles_b = ceil_div(p.codes_b, s.n);
  p.steps = ceil_div(p.tiles_b, s.blocks);
  return p;
}

// --- nan_payloads: the encodings of a format, numbered.

std::uint64_t nan_count(ElementFormat f) {
  if (cases::is_integer(f)) return 0;
  if (f == ElementFormat::kFp8E4m3) return 2;
  const cases::FloatFields fields = cases::fields_of(f);
  const std::uint64_t top = mask_of(fields.exponent_bits) << fields.fraction_bits;
  return cases::is_finite_code(f, top) ? 0 : 2 * mask_of(fields.fraction_bits);
}

// 32 and 64-bit formats have too many to enumerate: single payload bits under both quiet bits, then random ones.
std::uint64_t nan_code(ElementFormat f, std::uint64_t n, Rng& rng) {
  const cases::FloatFields fields = cases::fields_of(f);
  const std::uint64_t sign = zero_of(f, (n & 1) != 0);
  if (f == ElementFormat::kFp8E4m3) return sign | 0x7f;
  const std::uint64_t top = mask_of(fields.exponent_bits) << fields.fraction_bits;
  if (bits_of(f) <= 16) return sign | top | (1 + n / 2 % mask_of(fields.fraction_bits));
  const auto bit = n / 2 % (2 * static_cast<std::uint64_t>(fields.fraction_bits));
  std::uint64_t fraction = rng.next() & mask_of(fields.fraction_bits);
  if (bit < static_cast<std::uint64_t>(fields.fraction_bits)) {
    fraction = std::uint64_t{1} << bit | (rng.coin() ? std::uint64_t{1} << (fields.fraction_bits - 1) : 0);
  }
  return sign | top | std::max<std::uint64_t>(fraction, 1);
}

// Rounds of three places: NaNs in every row of A, in every column of B, in every element of C.
std::uint64_t nan_rounds(const Instance& instance) {
  const catalogue::Shape& s = instance.builtin->shape;
  const auto rounds = [](ElementFormat f, int lines) {
    const auto n = static_cast<std::uint64_t>(lines);
    return bits_of(f) <= 16 ? (nan_count(f) + n - 1) / n : 1;
  };
  return std::max({rounds(instance.a_format(), s.m), rounds(instance.b_format(), s.n), std::uint64_t{1}});
}

}  // namespace

std::uint64_t one_hot_period(const Instance& instance) {
  return period_for(2 * static_cast<std::uint64_t>(instance.builtin->shape.k));
}

void make_one_hot(Case& c, Rng& rng) {
  Draft d(c, rng);
  d.clear();
  const int k_count = d.shape.k;
  const auto place = static_cast<int>(position_in(c, one_hot_period(c.instance), 7).in_period);
  const bool hot_rows = place % (2 * k_count) < k_count;
  if (hot_rows) {
    for (std::uint64_t& code : d.b.codes()) code = draw_small(d.b_format, rng);
  } else {
    for (std::uint64_t& code : d.a.codes()) code = draw_small(d.a_format, rng);
  }
  for (int block = 0; block < d.shape.blocks; ++block) {
    for (int i = 0; hot_rows && i < d.shape.m; ++i) {
      d.a.at(block, i, hot_k(place, i, block, k_count)) = draw_one(d.a_format, rng);
    }
    for (int j = 0; !hot_rows && j < d.shape.n; ++j) {
      d.b.at(block, hot_k(place, j, block, k_count), j) = draw_one(d.b_format, rng);
    }
  }
  if (d.scale_a) {
    for (std::optional<Elements>* scales : {&d.scale_a, &d.scale_b}) {
      for (std::uint64_t& code : (*scales)->codes()) {
        code = static_cast<std::uint64_t>(cases::kNeutralScale + rng.between(-2, 2));
      }
    }
  }
  d.store();
}

std::uint64_t code_pairs_period(const Instance& instance) {
  const Pairs p = pairs_of(instance);
  return period_for(static_cast<std::uint64_t>(p.tiles_a * p.steps));
}

void make_code_pairs(Case& c, Rng& rng) {
  Draft d(c, rng);
  d.clear();
  const Pairs p = pairs_of(c.instance);
  // Instances walk the pairs from places that are far apart.
  const auto place =
      static_cast<int>(position_in(c, code_pairs_period(c.instance), 13).in_period) % (p.tiles_a * p.steps);
  const int tile_a = place / p.steps;
  const int k = rng.between(0, d.shape.k - 1);
  for (int block = 0; block < d.shape.blocks; ++block) {
    const int tile_b = (place % p.steps * d.shape.blocks + block) % p.tiles_b;
    for (int i = 0; i < d.shape.m; ++i) {
      d.a.at(block, i, k) = static_cast<std::uint64_t>((tile_a * d.shape.m + i) % p.codes_a);
    }
    for (int j = 0; j < d.shape.n; ++j) {
      d.put_b(block, k, j, static_cast<std::uint64_t>((tile_b * d.shape.n + j) % p.codes_b));
    }
  }
  d.store();
}

std::uint64_t scale_bytes_period(const Instance& instance) {
  return instance.modifiers.scaled ? period_for(2 * 256) : 1;
}

void make_scale_bytes(Case& c, Rng& rng) {
  Draft d(c, rng);
  d.clear();
  const auto place = static_cast<int>(position_in(c, scale_bytes_period(c.instance), 37).in_period) % 512;
  const int blocks = d.scale_blocks();
  // Counting up along rows and K blocks, from one more in each place: distinct within a case, every byte in every
  // position within 256 places. B counts down: in the first half from the same byte, so that sums go to both ends of
  // the range, in the second from where A's first and its own make 2^0.
  for (int i = 0; i < d.shape.m; ++i) {
    for (int q = 0; q < blocks; ++q)
      d.scale_a->at(0, i, q) = static_cast<std::uint64_t>((place + i * blocks + q) & 0xff);
  }
  const int start_b = place < 256 ? place : 254 - place;
  for (int j = 0; j < d.shape.n; ++j) {
    for (int q = 0; q < blocks; ++q)
      d.scale_b->at(0, q, j) = static_cast<std::uint64_t>((start_b - j * blocks - q) & 0xff);
  }
  // Rows with one live block each, so that its scale alone shows, or all of them.
  const bool one_block = rng.coin();
  for (int i = 0; i < d.shape.m; ++i) {
    for (int q = 0; q < blocks; ++q) {
      if (one_block && (i + place) % blocks != q) continue;
      for (int n = 0; n < 3; ++n) d.a.at(0, i, 32 * q + rng.between(0, 31)) = near_one(d.a_format, 3, rng);
    }
  }
  for (std::uint64_t& code : d.b.codes()) code = near_one(d.b_format, 3, rng);
  const Reach acc = reach_of(d.acc_format);
  for (std::uint64_t& code : d.acc.codes()) {
    code = rng.coin() ? 0 : with_exponent(d.acc_format, rng.between(acc.least_bit, acc.largest), rng);
  }
  d.store();
}

std::uint64_t nan_payloads_period(const Instance& instance) { return period_for(3 * nan_rounds(instance)); }

void make_nan_payloads(Case& c, Rng& rng) {
  Draft d(c, rng);
  for (std::uint64_t& code : d.a.codes()) code = draw_small(d.a_format, rng);
  for (std::uint64_t& code : d.b.codes()) code = draw_small(d.b_format, rng);
  for (std::uint64_t& code : d.acc.codes()) code = near_one(d.acc_format, 12, rng);
  if (d.scale_a) {
    for (std::optional<Elements>* scales : {&d.scale_a, &d.scale_b}) {
      for (std::uint64_t& code : (*scales)->codes()) code = cases::kNeutralScale;
    }
  }
  const Position at = position_in(c, nan_payloads_period(c.instance), 3);
  const std::uint64_t place = at.in_period % (3 * nan_rounds(c.instance));
  const std::uint64_t dense = place % 3, round = place / 3;
  const auto put = [&](ElementFormat f, std::uint64_t operand, int line, int lines, std::uint64_t& code) {
    // All lines of the operand whose turn it is, one in six of the others.
    if (nan_count(f) == 0 || (dense != operand && rng.below(6) != 0)) return;
    const auto n = round * static_cast<std::uint64_t>(lines) + static_cast<std::uint64_t>(line);
    code = nan_code(f, bits_of(f) <= 16 ? n % nan_count(f) : n + (rng.next() >> 40), rng);
  };
  for (int block = 0; block < d.shape.blocks; ++block) {
    for (int i = 0; i < d.shape.m; ++i) {
      put(d.a_format, 0, i, d.shape.m, d.a.at(block, i, rng.between(0, d.shape.k - 1)));
    }
    for (int j = 0; j < d.shape.n; ++j) {
      put(d.b_format, 1, j, d.shape.n, d.b.at(block, rng.between(0, d.shape.k - 1), j));
    }
    for (int i = 0; i < d.shape.m; ++i) {
      for (int j = 0; j < d.shape.n; ++j) put(d.acc_format, 2, j, d.shape.n, d.acc.at(block, i, j));
    }
  }
  d.store();
}

}  // namespace mfma::operands::detail
