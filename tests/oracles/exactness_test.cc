// What is called exact must survive every lawful model: corpus profiles and random ones; and what should be exact
// (small integers, the 4/6-bit pairs) must be called so.
#include "oracles/exactness/exactness.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "oracles/plain/dense.h"
#include "tests/oracles/probe_file.h"

namespace mfma::oracles {
namespace {

using Random = std::mt19937_64;

template <typename T>
T pick(Random& random, std::initializer_list<T> values) {
  return *(values.begin() + random() % values.size());
}

Model lawful_model(Random& random, int least_bits) {
  Model m;
  m.kind = pick(random, {ModelKind::kFmaChain, ModelKind::kMultiplyAdd, ModelKind::kPairwise, ModelKind::kExactSum,
                         ModelKind::kAlignedSum, ModelKind::kAlignedSum, ModelKind::kAlignedSum, ModelKind::kAlignedSum,
                         ModelKind::kBlockSums});
  m.step = pick(random, {1, 2, 3, 4, 8, 16, 32, 64, 128});
  m.order = pick(random, {StepOrder::kAscending, StepOrder::kDescending});
  m.groups = pick(random, {1, 1, 2, 3, 4, 8});
  m.grouping = pick(random, {Grouping::kInterleaved, Grouping::kContiguous});
  const auto width = [&] { return least_bits + pick(random, {0, 0, 0, 1, 7, 8}); };
  const auto rounding = [&] { return pick(random, {Rounding::kTowardZero, Rounding::kDown, Rounding::kNearestEven}); };
  m.product_fraction_bits = width(), m.product_rounding = rounding();
  m.merge_fraction_bits = width(), m.merge_rounding = rounding();
  m.sum_fraction_bits = width(), m.sum_rounding = rounding();
  m.c_fraction_bits = width(), m.c_rounding = rounding();
  m.final_fraction_bits = width(), m.final_rounding = rounding();
  if (random() % 3 == 0) m.final_fraction_bits.reset();
  if (random() % 2 == 0) m.drop_c_below = 24 + static_cast<int>(random() % 3) + (least_bits - 24);
  m.zero_products_raise_exponent = random() % 2 == 0;
  m.normalise_subnormals = random() % 2 == 0;
  m.normalise_products = random() % 2 == 0;
  m.product_overflow = pick(random, {ProductOverflow::kInfinity, ProductOverflow::kNone});
  m.scale = pick(random, {ScaleEntry::kInProductExponent, ScaleEntry::kInBlockSum});
  return m;
}

struct Operands {
  FormatId a_format, b_format, acc_format;
  std::vector<std::uint64_t> a, b;
  std::uint64_t c = 0;
  bool scaled = false;
  std::vector<std::uint8_t> scale_a, scale_b;

  DotProblem problem() const {
    return {format(a_format), format(b_format), format(acc_format), a, b, c, scaled, scale_a, scale_b};
  }
};

// A code with the exponent in a window of `spread` that starts at a random place, and few fraction bits: the kind of
// operand for which sums sit on the edge of being exact.
std::uint64_t edge_code(Random& random, const Format& f, int base, int spread) {
  const std::uint64_t sign = f.is_signed ? (random() & 1) << (f.bits - 1) : 0;
  const std::uint64_t kind = random() % 16;
  if (kind < 3) return sign;  // zeros
  const int fields = 1 << f.exponent_bits;
  const int top = f.specials == Specials::kIeee ? fields - 2 : fields - 1;
  const auto field = static_cast<std::uint64_t>(
      std::clamp(base + static_cast<int>(random() % static_cast<std::uint64_t>(spread)), 0, top));
  const int kept = static_cast<int>(random() % static_cast<std::uint64_t>(std::min(f.fraction_bits, 6) + 1));
  std::uint64_t fraction = random() & ((std::uint64_t{1} << f.fraction_bits) - 1);
  fraction = fraction >> (f.fraction_bits - kept) << (f.fraction_bits - kept);
  if (kind == 15) fraction = std::uint64_t{1} << random() % static_cast<std::uint64_t>(f.fraction_bits);
  const std::uint64_t code = sign | field << f.fraction_bits | fraction;
  return decode(f, code).cls == ValueClass::kNan ? sign : code;
}

Operands edge_operands(Random& random, FormatId a, FormatId b, FormatId acc, int k, bool scaled) {
  Operands o = {a, b, acc, {}, {}, 0, scaled, {}, {}};
  const auto base = [&](const Format& f) {
    return static_cast<int>(random() % ((std::uint64_t{1} << f.exponent_bits) + 4)) - 4;
  };
  const int spread_a = 1 + static_cast<int>(random() % 10);
  const int spread_b = 1 + static_cast<int>(random() % 10);
  const int base_a = base(format(a));
  const int base_b = base(format(b));
  const std::uint64_t live = 1 + random() % 6;
  o.a.resize(static_cast<std::size_t>(k)), o.b.resize(static_cast<std::size_t>(k));
  for (std::uint64_t i = 0; i < live; ++i) {
    const std::size_t at = random() % static_cast<std::size_t>(k);
    o.a[at] = edge_code(random, format(a), base_a, spread_a);
    o.b[at] = edge_code(random, format(b), base_b, spread_b);
  }
  if (random() % 8 == 0) std::fill(o.a.begin(), o.a.end(), random() % 2 << (format(a).bits - 1));
  // c near the products.
  const Format& f = format(acc);
  const int near = base_a - format(a).bias + base_b - format(b).bias + f.bias;
  o.c = edge_code(random, f, near - 12 + static_cast<int>(random() % 24), 4);
  for (int q = 0; scaled && q < (k + 31) / 32; ++q) {
    o.scale_a.push_back(static_cast<std::uint8_t>(120 + random() % 16));
    o.scale_b.push_back(static_cast<std::uint8_t>(random() % 40 == 0 ? random() : 127));
  }
  return o;
}

std::string printed(const Operands& o) {
  std::string text;
  char buffer[32];
  for (const auto* codes : {&o.a, &o.b}) {
    for (std::uint64_t x : *codes)
      std::snprintf(buffer, sizeof buffer, "%llx,", static_cast<unsigned long long>(x)), text += buffer;
    text += " ";
  }
  std::snprintf(buffer, sizeof buffer, "c:%llx", static_cast<unsigned long long>(o.c));
  return text + buffer;
}

// Returns how many were exact.
int check_survival(FormatId a, FormatId b, FormatId acc, int k, bool scaled, int rounds, std::uint64_t seed) {
  Random random(seed);
  int exact = 0;
  for (int i = 0; i < rounds; ++i) {
    const Operands o = edge_operands(random, a, b, acc, k, scaled);
    if (!is_exact(o.problem())) continue;
    ++exact;
    const std::uint64_t d = dot_product(o.problem(), lawful_model(random, acc == FormatId::kF64 ? 53 : 24));
    for (int n = 0; n < 24; ++n) {
      const Model m = lawful_model(random, acc == FormatId::kF64 ? 53 : 24);
      if (dot_product(o.problem(), m) != d) {
        ADD_FAILURE() << printed(o) << ": " << std::hex << d << " or " << dot_product(o.problem(), m) << " by kind "
                      << static_cast<int>(m.kind) << " step " << std::dec << m.step;
        return exact;
      }
    }
  }
  return exact;
}

TEST(Exactness, SurvivesEveryLawfulModel) {
  struct Row {
    FormatId a, b, acc;
    int k;
    bool scaled;
  };
  using enum FormatId;
  const Row rows[] = {{kF16, kF16, kF32, 32, false},         {kF16, kF16, kF32, 4, false},
                      {kBf16, kBf16, kF32, 16, false},       {kF32, kF32, kF32, 4, false},
                      {kF64, kF64, kF64, 4, false},          {kFp8E4m3, kBf8E5m2, kF32, 32, false},
                      {kBf8E5m2, kBf8E5m2, kF32, 32, false}, {kFp8E4m3, kFp4E2m1, kF32, 128, true},
                      {kBf6E3m2, kFp6E2m3, kF32, 64, true},  {kFp4E2m1, kFp4E2m1, kF32, 128, true},
                      {kBf8E5m2, kBf6E3m2, kF32, 64, true}};
  std::uint64_t seed = 100;
  for (const Row& r : rows) {
    const int exact = check_survival(r.a, r.b, r.acc, r.k, r.scaled, 6000, ++seed);
    // The test means nothing where nothing is exact.
    EXPECT_GT(exact, 300) << format(r.a).name << " x " << format(r.b).name;
    EXPECT_LT(exact, 6000);
  }
}

// The rule is conservative, but not for nothing: on a good part of the operands it refuses, some models really differ.
TEST(Exactness, RefusesForAReason) {
  Random random(7);
  int refused = 0, differ = 0;
  for (int i = 0; i < 3000; ++i) {
    const Operands o = edge_operands(random, FormatId::kBf16, FormatId::kBf16, FormatId::kF32, 16, false);
    if (is_exact(o.problem())) continue;
    ++refused;
    const std::uint64_t d = dot_product(o.problem(), Model{});
    for (int n = 0; n < 60; ++n) {
      if (dot_product(o.problem(), lawful_model(random, 24)) != d) {
        ++differ;
        break;
      }
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(4 * differ, refused);
}

TEST(Exactness, SmallIntegersAre) {
  Random random(8);
  const auto f16_of = [](int v) {
    std::uint64_t code = v < 0 ? 0x8000 : 0;
    const auto m = static_cast<std::uint64_t>(std::abs(v));
    if (m == 0) return code;
    const int e = static_cast<int>(std::bit_width(m)) - 1;
    return code | static_cast<std::uint64_t>(e + 15) << 10 | ((m << (10 - e)) & 0x3ff);
  };
  for (int i = 0; i < 2000; ++i) {
    Operands o = {FormatId::kF16, FormatId::kF16, FormatId::kF32, {}, {}, 0, false, {}, {}};
    int sum = static_cast<int>(random() % 2001) - 1000;
    o.c = std::bit_cast<std::uint32_t>(static_cast<float>(sum));
    for (int k = 0; k < 32; ++k) {
      const int a = static_cast<int>(random() % 65) - 32, b = static_cast<int>(random() % 65) - 32;
      o.a.push_back(f16_of(a)), o.b.push_back(f16_of(b));
      sum += a * b;
    }
    ASSERT_TRUE(is_exact(o.problem())) << printed(o);
    ASSERT_EQ(dot_product(o.problem(), Model{}), std::bit_cast<std::uint32_t>(static_cast<float>(sum)));
  }
}

// The nine ordered pairs of 4/6-bit formats with C = 0 and equal scales; E3M2 x E3M2 while the sum fits (K = 32).
TEST(Exactness, NarrowPairsAre) {
  Random random(9);
  using enum FormatId;
  for (FormatId a : {kFp6E2m3, kBf6E3m2, kFp4E2m1}) {
    for (FormatId b : {kFp6E2m3, kBf6E3m2, kFp4E2m1}) {
      const bool widest = a == kBf6E3m2 && b == kBf6E3m2;
      for (int i = 0; i < 200; ++i) {
        const std::size_t k = widest ? 32 : 128;
        Operands o = {a, b, kF32, std::vector<std::uint64_t>(k), std::vector<std::uint64_t>(k), 0, true, {}, {}};
        for (auto& x : o.a) x = random() & ((1U << format(a).bits) - 1);
        for (auto& x : o.b) x = random() & ((1U << format(b).bits) - 1);
        o.scale_a.assign(k / 32, static_cast<std::uint8_t>(100 + i % 50));
        o.scale_b.assign(k / 32, 130);
        ASSERT_TRUE(is_exact(o.problem())) << format(a).name << " x " << format(b).name;
      }
    }
  }
}

bool exact_f16(std::vector<std::uint64_t> a, std::vector<std::uint64_t> b, std::uint64_t c) {
  return is_exact(Operands{FormatId::kF16, FormatId::kF16, FormatId::kF32, a, b, c, false, {}, {}}.problem());
}

TEST(Exactness, Zeros) {
  EXPECT_TRUE(exact_f16({0, 0}, {0, 0}, 0));
  EXPECT_TRUE(exact_f16({0x8000, 0}, {0x3c00, 0}, 0x80000000));  // mixed signs
  EXPECT_TRUE(exact_f16({0x8000, 0x8000}, {0x3c00, 0}, 0));
  EXPECT_FALSE(exact_f16({0x8000, 0x8000}, {0x3c00, 0}, 0x80000000));  // all -0
  EXPECT_TRUE(exact_f16({0x3c00, 0xbc00}, {0x3c00, 0x3c00}, 0x80000000));
  // Zero products of small C: they may stand at 2^-28, far above it.
  EXPECT_FALSE(exact_f16({0, 0}, {0, 0}, 0x80000001));
  EXPECT_TRUE(exact_f16({0, 0}, {0, 0}, 0x3f800001));
}

TEST(Exactness, InfinitiesAndNans) {
  EXPECT_TRUE(exact_f16({0x7c00, 0x3c00}, {0x3c00, 0x3c00}, 0));
  EXPECT_TRUE(exact_f16({0x7c00, 0xfc00}, {0x3c00, 0xbc00}, 0x7f800000));
  EXPECT_TRUE(exact_f16({0x3c00, 0x3c00}, {0x3c00, 0x3c00}, 0xff800000));
  EXPECT_FALSE(exact_f16({0x7c00, 0x3c00}, {0x3c00, 0x3c00}, 0xff800000));  // inf - inf
  EXPECT_FALSE(exact_f16({0x7c00, 0x3c00}, {0x0000, 0x3c00}, 0));           // inf * 0
  EXPECT_FALSE(exact_f16({0x7e00, 0x3c00}, {0x3c00, 0x3c00}, 0));
  EXPECT_FALSE(exact_f16({0x3c00, 0x3c00}, {0x3c00, 0x3c00}, 0x7fc00000));
  EXPECT_FALSE(exact_f16({0x7c00, 0x3c00}, {0x3c00, 0x3c00}, 0xff7fffff));  // c may meet an overflow on its way
  const Operands bf16 = {
      FormatId::kBf16, FormatId::kBf16, FormatId::kF32, {0x7f80, 0xff00}, {0x3f80, 0x4000}, 0, false, {}, {}};
  EXPECT_FALSE(is_exact(bf16.problem()));  // inf and a product of -2^128
}

TEST(Exactness, Overflow) {
  const auto bf16 = [](std::vector<std::uint64_t> a, std::vector<std::uint64_t> b, std::uint64_t c) {
    return is_exact(Operands{FormatId::kBf16, FormatId::kBf16, FormatId::kF32, a, b, c, false, {}, {}}.problem());
  };
  EXPECT_TRUE(bf16({0x7f00}, {0x3f80}, 0));   // 2^127
  EXPECT_FALSE(bf16({0x7f00}, {0x4000}, 0));  // 2^128
  EXPECT_FALSE(bf16({0x7f00, 0x7f00, 0xff00}, {0x3f80, 0x3f80, 0x3f80}, 0));
}

TEST(Exactness, Scales) {
  const auto fp4 = [](std::vector<std::uint8_t> sa, std::vector<std::uint8_t> sb) {
    Operands o = {FormatId::kFp4E2m1,
                  FormatId::kFp4E2m1,
                  FormatId::kF32,
                  std::vector<std::uint64_t>(64),
                  std::vector<std::uint64_t>(64),
                  0,
                  true,
                  sa,
                  sb};
    o.a[0] = o.b[0] = 2;
    return is_exact(o.problem());
  };
  EXPECT_TRUE(fp4({127, 127}, {127, 127}));
  EXPECT_TRUE(fp4({1, 1}, {127, 127}));
  EXPECT_FALSE(fp4({1, 127}, {127, 127}));  // the zero block again
  EXPECT_FALSE(fp4({0, 0}, {127, 127}));    // 2^-127: no normal f32
  EXPECT_TRUE(fp4({0, 0}, {128, 128}));
  EXPECT_FALSE(fp4({127, 255}, {127, 127}));  // NaN, even on a block of zeros
  EXPECT_FALSE(fp4({254, 127}, {254, 127}));
  EXPECT_FALSE(fp4({102, 127}, {127, 127}));  // the zero block stands 25 bits above the product
  // 2^-18 scaled by 2^127 and by 2^128: both products are finite, but 2^128 itself is not.
  Operands o = {FormatId::kFp8E4m3, FormatId::kFp8E4m3, FormatId::kF32, {1}, {1}, 0, true, {254}, {127}};
  EXPECT_TRUE(is_exact(o.problem()));
  o.scale_b = {128};
  EXPECT_FALSE(is_exact(o.problem()));
}

TEST(Exactness, Integers) {
  const auto i8 = [](std::vector<std::uint64_t> a, std::vector<std::uint64_t> b, std::uint64_t c) {
    return is_exact(Operands{FormatId::kI8, FormatId::kI8, FormatId::kI32, a, b, c, false, {}, {}}.problem());
  };
  EXPECT_TRUE(i8({0x80, 0x80}, {0x80, 0x7f}, 0x1000));
  EXPECT_TRUE(i8({1}, {1}, 0x7ffffffe));
  EXPECT_FALSE(i8({1}, {1}, 0x7fffffff));
  EXPECT_FALSE(i8({1, 0xff}, {1, 1}, 0x7fffffff));  // saturating on the way would show
  EXPECT_FALSE(i8({0}, {0}, 0x80000000));
  EXPECT_TRUE(i8({0xff}, {1}, 0x80000002));
}

}  // namespace
}  // namespace mfma::oracles
