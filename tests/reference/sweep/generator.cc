#include "tests/reference/sweep/generator.h"

#include <algorithm>

#include "oracles/reference/reference.h"
#include "tests/reference/formats.h"

namespace mfma::oracles::reference::testing {

namespace {

std::uint64_t ones(int count) { return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1; }

int least_normal(const Format& f) { return 1 - f.bias; }
int least_exponent(const Format& f) { return least_normal(f) - f.fraction_bits; }
int largest_field(const Format& f) {
  return static_cast<int>(ones(f.exponent_bits)) - (f.specials == Specials::kIeee ? 1 : 0);
}
int largest_exponent(const Format& f) { return largest_field(f) - f.bias; }
std::uint64_t sign_bit(const Format& f) { return std::uint64_t{1} << (f.bits - 1); }

// Fractions as they make ties and carries: random, none, all ones, one bit, a run of leading or of trailing ones.
std::uint64_t random_fraction(int bits, Random& random) {
  if (bits == 0) return 0;
  const std::uint64_t mask = ones(bits);
  switch (random.below(8)) {
    case 0:
    case 1:
      return 0;
    case 2:
      return mask;
    case 3:
      return std::uint64_t{1} << random.below(bits);
    case 4:
      return mask & (mask << random.below(bits));
    case 5:
      return mask >> random.below(bits);
    default:
      return random.bits() & mask;
  }
}

// A finite non-zero number with 2^exponent <= |x| < 2^(exponent + 1), the exponent clamped to what the format has.
std::uint64_t with_exponent(const Format& f, int exponent, Random& random) {
  exponent = std::clamp(exponent, least_exponent(f), largest_exponent(f));
  const std::uint64_t sign = random.one_in(2) ? sign_bit(f) : 0;
  if (exponent < least_normal(f)) {
    const int leading = exponent - least_exponent(f);
    return sign | (std::uint64_t{1} << leading) | random_fraction(leading, random);
  }
  std::uint64_t fraction = random_fraction(f.fraction_bits, random);
  const auto field = static_cast<std::uint64_t>(exponent + f.bias);
  // The one NaN of a kNanOnly format lies among the numbers of the largest exponent.
  if (f.specials == Specials::kNanOnly && field == ones(f.exponent_bits)) fraction &= ~std::uint64_t{1};
  return sign | (field << f.fraction_bits) | fraction;
}

// Zeros, ones, the ends of the ranges, infinities and NaNs with payloads (the last two where the format has them).
std::uint64_t edge(const Format& f, Random& random) {
  const std::uint64_t sign = random.one_in(2) ? sign_bit(f) : 0;
  const std::uint64_t largest = (static_cast<std::uint64_t>(largest_field(f)) << f.fraction_bits) |
                                (ones(f.fraction_bits) - (f.specials == Specials::kNanOnly ? 1 : 0));
  const std::uint64_t hidden = std::uint64_t{1} << f.fraction_bits;
  const std::uint64_t top_field = ones(f.exponent_bits) << f.fraction_bits;
  switch (random.below(9)) {
    case 0:
    case 1:
      return sign;
    case 2:
      return sign | 1;
    case 3:
      return sign | (hidden - 1);
    case 4:
      return sign | hidden;
    case 5:
      return sign | largest;
    case 6:
      return sign | (static_cast<std::uint64_t>(f.bias) << f.fraction_bits);
    case 7:
      return sign | (f.specials == Specials::kIeee ? top_field : largest);
    default:
      return sign | top_field | random_fraction(f.fraction_bits, random);
  }
}

std::uint64_t random_code(const Format& f, Random& random) { return random.bits() & ones(f.bits); }

int random_size(const Pair& pair, Random& random) {
  const int choice = random.below(100);
  if (choice < 60) return random.between(1, 4);
  if (choice < 82) return random.between(5, 8);
  if (choice < 92) return random.between(9, 16);
  if (!pair.scaled || choice < 95) return random.between(17, 33);
  return random.one_in(4) ? 128 : random.between(33, 70);
}

// Distances between the exponents of products that the alignment widths, or the accumulator's precision, tell apart.
int random_gap(const Pair& pair, Random& random) {
  switch (random.below(7)) {
    case 0:
    case 1:
      return random.below(4);
    case 2:
      return random.between(20, 36);
    case 3:
      return random.between(22, 27);
    case 4:
      return random.between(0, 70);
    case 5:
      return pair.acc.fraction_bits + random.between(-2, 4);
    default:
      return 0;
  }
}

// The exponent of the largest product: anywhere below overflow, around 1, near overflow or near the subnormals of the
// accumulator.
int random_top(const Pair& pair, Random& random) {
  const int low = least_exponent(pair.a) + least_exponent(pair.b);
  const int high = std::min(largest_exponent(pair.a) + largest_exponent(pair.b), pair.acc.bias - 8);
  switch (random.below(10)) {
    case 0:
      return random.between(pair.acc.bias - 4, pair.acc.bias + 1);
    case 1:
    case 2:
      return random.between(least_exponent(pair.acc) - 3, least_normal(pair.acc) + 8);
    case 3:
    case 4:
    case 5:
      return random.between(low, high);
    case 6:
    case 7:
      return high - random.below(4);
    default:
      return random.between(-3, 3);
  }
}

// a_k and b_k with e(a_k) + e(b_k) = exponent, as far as the formats reach.
void set_product(Dot& dot, const Pair& pair, int k, int exponent, Random& random) {
  const int low = std::max(least_exponent(pair.a), exponent - largest_exponent(pair.b));
  const int high = std::min(largest_exponent(pair.a), exponent - least_exponent(pair.b));
  const int a = low <= high ? random.between(low, high) : (exponent > 0 ? largest_exponent(pair.a) : low);
  dot.set_codes(k, with_exponent(pair.a, a, random), with_exponent(pair.b, exponent - a, random));
}

void fill_by_exponents(Dot& dot, const Pair& pair, int scale, Random& random) {
  const int top = random_top(pair, random) - scale;
  const int size = static_cast<int>(dot.a.size());
  const int fixed_gap = random.between(0, pair.acc.fraction_bits + 13);
  const bool two_levels = random.one_in(3);
  for (int k = 0; k < size; ++k) {
    const int gap = two_levels ? fixed_gap * random.below(2) : random_gap(pair, random);
    set_product(dot, pair, k, top - gap, random);
  }
}

void fill_at_random(Dot& dot, const Pair& pair, Random& random) {
  for (std::size_t k = 0; k < dot.a.size(); ++k) {
    dot.a[k] = random_code(pair.a, random);
    dot.b[k] = random_code(pair.b, random);
  }
}

// Some products again with the sign turned round, or nearly.
void cancel_products(Dot& dot, const Pair& pair, Random& random) {
  const int size = static_cast<int>(dot.a.size());
  for (int k = 1; k < size; ++k) {
    if (!random.one_in(3)) continue;
    const auto from = static_cast<std::size_t>(random.below(k));
    const auto to = static_cast<std::size_t>(k);
    dot.a[to] = dot.a[from] ^ sign_bit(pair.a);
    dot.b[to] = dot.b[from] ^ (random.one_in(3) ? 1U : 0U);
  }
}

void sprinkle_edges(Dot& dot, const Pair& pair, Random& random) {
  for (std::size_t k = 0; k < dot.a.size(); ++k) {
    if (random.one_in(3)) dot.a[k] = edge(pair.a, random);
    if (random.one_in(3)) dot.b[k] = edge(pair.b, random);
  }
}

void sprinkle_zeros(Dot& dot, const Pair& pair, Random& random) {
  for (std::size_t k = 0; k < dot.a.size(); ++k) {
    if (random.one_in(2)) dot.a[k] = random.one_in(2) ? sign_bit(pair.a) : 0;
  }
}

std::uint8_t random_scale(Random& random) {
  switch (random.below(8)) {
    case 0:
      return static_cast<std::uint8_t>(random.below(256));
    case 1:
      return random.pick<std::uint8_t>({0x00, 0x01, 0xFD, 0xFE, 0x7F, 0x3F, 0xBF});
    default:
      return static_cast<std::uint8_t>(127 + random.between(-34, 34));
  }
}

// Returns the exponent of the first block.
int fill_scales(Dot& dot, Random& random) {
  dot.scaled = true;
  for (auto* scales : {&dot.scale_a, &dot.scale_b}) {
    for (std::uint8_t& scale : *scales) scale = random_scale(random);
  }
  if (random.one_in(64))
    dot.scale_a[static_cast<std::size_t>(random.below(static_cast<int>(dot.scale_a.size())))] = 0xFF;
  return dot.scale_a[0] + dot.scale_b[0] - 254;
}

// The negated exact sum of the products, a few units off: what is left is only what the alignment kept or cut.
std::uint64_t nearly_cancelling_c(Dot dot, const Pair& pair, Random& random) {
  dot.c = 0;
  const std::uint64_t sum = reference::dot_product(dot.problem(), exact(128)) ^ sign_bit(pair.acc);
  const int offset = random.one_in(2) ? 0 : random.between(-3, 3);
  const std::uint64_t shifted = sum + static_cast<std::uint64_t>(offset);
  return random.one_in(4) ? (shifted & ~ones(random.below(pair.acc.fraction_bits))) : shifted & ones(pair.acc.bits);
}

// An exponent near that of the first product, the widths of the alignment apart.
std::uint64_t c_at_a_gap(const Dot& dot, const Pair& pair, int scale, Random& random) {
  const auto exponent = [](const Format& f, std::uint64_t code) {
    return static_cast<int>((code >> f.fraction_bits) & ones(f.exponent_bits)) - f.bias;
  };
  const int reach = pair.acc.fraction_bits + 13;
  const int product = exponent(pair.a, dot.a[0]) + exponent(pair.b, dot.b[0]) + scale;
  return with_exponent(pair.acc, product + random.between(-reach, reach), random);
}

std::uint64_t random_c(const Dot& dot, const Pair& pair, int scale, Random& random) {
  switch (random.below(8)) {
    case 0:
      return 0;
    case 1:
      return edge(pair.acc, random);
    case 2:
      return random_code(pair.acc, random);
    case 3:
    case 4:
      return nearly_cancelling_c(dot, pair, random);
    default:
      return c_at_a_gap(dot, pair, scale, random);
  }
}

Dot random_integers(const Pair& pair, Random& random) {
  Dot dot(pair.a, pair.b, pair.acc, random_size(pair, random), random.bits() & ones(pair.acc.bits));
  fill_at_random(dot, pair, random);
  if (random.one_in(3)) {
    for (std::size_t k = 0; k < dot.a.size(); ++k) {
      dot.a[k] = random.pick<std::uint64_t>({0x80, 0x7F, 0x81, 0xFF, 0x00, 0x01});
      dot.b[k] = random.pick<std::uint64_t>({0x80, 0x7F, 0x81, 0xFF, 0x00, 0x01});
    }
  }
  if (random.one_in(3)) {
    dot.c = (random.pick<std::uint64_t>({0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0}) +
             static_cast<std::uint64_t>(random.between(-9, 9))) &
            ones(pair.acc.bits);
  }
  return dot;
}

}  // namespace

Dot random_dot(const Pair& pair, Random& random) {
  if (pair.a.is_integer) return random_integers(pair, random);
  Dot dot(pair.a, pair.b, pair.acc, random_size(pair, random), 0);
  const int scale = pair.scaled ? fill_scales(dot, random) : 0;
  if (random.one_in(8)) {
    fill_at_random(dot, pair, random);
  } else {
    fill_by_exponents(dot, pair, scale, random);
  }
  if (random.one_in(4)) cancel_products(dot, pair, random);
  if (random.one_in(16)) sprinkle_edges(dot, pair, random);
  if (random.one_in(16)) sprinkle_zeros(dot, pair, random);
  dot.c = random_c(dot, pair, scale, random);
  return dot;
}

Dot random_dot_of_powers(const Pair& pair, Random& random) {
  if (pair.a.is_integer) return random_integers(pair, random);
  Dot dot(pair.a, pair.b, pair.acc, random_size(pair, random), 0);
  const int scale = pair.scaled ? fill_scales(dot, random) : 0;
  const int top = random_top(pair, random) - scale;
  const int span = random.between(0, pair.acc.fraction_bits + 3);
  const auto power = [&](const Format& f, std::uint64_t code) {
    const std::uint64_t whole = code & ~ones(f.fraction_bits);
    return random.one_in(8) ? whole & sign_bit(f) : whole;
  };
  for (std::size_t k = 0; k < dot.a.size(); ++k) {
    set_product(dot, pair, static_cast<int>(k), top - random.between(0, span), random);
    dot.a[k] = power(pair.a, dot.a[k]);
    dot.b[k] = power(pair.b, dot.b[k]);
  }
  dot.c =
      random.one_in(3) ? 0 : power(pair.acc, with_exponent(pair.acc, top + scale - random.between(-2, span), random));
  return dot;
}

}  // namespace mfma::oracles::reference::testing
