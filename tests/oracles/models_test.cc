// The models against the host's fused and unfused arithmetic, and the rules for specials, zeros and NaN bits.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "oracles/arithmetic/model.h"
#include "oracles/plain/dense.h"

namespace mfma::oracles {
namespace {

using Codes = std::vector<std::uint64_t>;

Model of_kind(ModelKind kind, int step = 16) {
  Model m;
  m.kind = kind;
  m.step = step;
  return m;
}

std::uint64_t run(FormatId input, FormatId acc, const Codes& a, const Codes& b, std::uint64_t c, const Model& m) {
  return dot_product({format(input), format(input), format(acc), a, b, c, false, {}, {}}, m);
}

// Codes whose exponents lie near one another often enough to cancel, with every special among them.
std::uint64_t random_code(std::mt19937_64& random, const Format& f, int window) {
  const std::uint64_t kind = random() % 64;
  const std::uint64_t all_ones = (std::uint64_t{1} << f.exponent_bits) - 1;
  std::uint64_t field = static_cast<std::uint64_t>(f.bias) - static_cast<std::uint64_t>(window) +
                        random() % (2 * static_cast<std::uint64_t>(window) + 1);
  std::uint64_t fraction = random() & ((std::uint64_t{1} << f.fraction_bits) - 1);
  if (kind == 0) field = random() & all_ones;  // anything, infinities and NaNs too
  if (kind == 1) field = 0;                    // subnormal
  if (kind == 2) field = fraction = 0;
  if (kind == 3) field = all_ones, fraction = 0;
  if (kind < 20) fraction &= ~std::uint64_t{0} << (f.fraction_bits * 3 / 4);
  return (random() & 1) << (f.bits - 1) | field << f.fraction_bits | fraction;
}

template <typename Float>
std::uint64_t bits_of(Float x) {
  if (std::isnan(x)) return sizeof(Float) == 4 ? 0x7fc00000 : 0x7ff8000000000000;
  if constexpr (sizeof(Float) == 4)
    return std::bit_cast<std::uint32_t>(x);
  else
    return std::bit_cast<std::uint64_t>(x);
}

template <typename Float>
Float float_of(std::uint64_t bits) {
  if constexpr (sizeof(Float) == 4)
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  else
    return std::bit_cast<double>(bits);
}

template <typename Float>
void compare_chains(FormatId id, int window) {
  std::mt19937_64 random(3);
  const Format& f = format(id);
  Model descending = of_kind(ModelKind::kFmaChain);
  descending.order = StepOrder::kDescending;
  for (int i = 0; i < 60000; ++i) {
    Codes a(4), b(4);
    for (std::size_t k = 0; k < 4; ++k) a[k] = random_code(random, f, window), b[k] = random_code(random, f, window);
    const std::uint64_t c = random_code(random, f, 2 * window);
    volatile Float fused = float_of<Float>(c), down = fused, unfused = fused, product = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      fused = std::fma(float_of<Float>(a[k]), float_of<Float>(b[k]), fused);
      down = std::fma(float_of<Float>(a[3 - k]), float_of<Float>(b[3 - k]), down);
      product = float_of<Float>(a[k]) * float_of<Float>(b[k]);
      unfused = unfused + product;
    }
    ASSERT_EQ(run(id, id, a, b, c, of_kind(ModelKind::kFmaChain)), bits_of<Float>(fused)) << i;
    ASSERT_EQ(run(id, id, a, b, c, descending), bits_of<Float>(down)) << i;
    ASSERT_EQ(run(id, id, a, b, c, of_kind(ModelKind::kMultiplyAdd)), bits_of<Float>(unfused)) << i;
    // Pairwise over 4: ((p0 + p1) + (p2 + p3)) + c.
    volatile Float p[4];
    for (std::size_t k = 0; k < 4; ++k) p[k] = float_of<Float>(a[k]) * float_of<Float>(b[k]);
    volatile Float low = p[0] + p[1], high = p[2] + p[3], tree = low + high;
    volatile Float pairwise = tree + float_of<Float>(c);
    ASSERT_EQ(run(id, id, a, b, c, of_kind(ModelKind::kPairwise, 4)), bits_of<Float>(pairwise)) << i;
  }
}

TEST(Models, F32ChainsAgreeWithTheHost) { compare_chains<float>(FormatId::kF32, 20); }
TEST(Models, F64ChainsAgreeWithTheHost) { compare_chains<double>(FormatId::kF64, 40); }
TEST(Models, F32ChainsAgreeWithTheHostFarApart) { compare_chains<float>(FormatId::kF32, 100); }
TEST(Models, F64ChainsAgreeWithTheHostFarApart) { compare_chains<double>(FormatId::kF64, 900); }

// Sums of E4M3 products and a near c are exact in f64, so one host conversion gives the exact sum's rounding.
TEST(Models, ExactSumAgreesWithTheHost) {
  std::mt19937_64 random(4);
  const Format& f = format(FormatId::kFp8E4m3);
  const auto value = [&](std::uint64_t code) {
    const Decoded x = decode(f, code);
    return std::ldexp(static_cast<double>(x.significand), x.exponent) * (x.negative ? -1 : 1);
  };
  for (int i = 0; i < 20000; ++i) {
    Codes a(32), b(32);
    double sum = 0;
    for (std::size_t k = 0; k < 32; ++k) {
      do a[k] = random() & 0xff;
      while ((a[k] & 0x7f) == 0x7f);
      do b[k] = random() & 0xff;
      while ((b[k] & 0x7f) == 0x7f);
      sum += value(a[k]) * value(b[k]);
    }
    const auto c = static_cast<float>(std::ldexp(static_cast<double>(random() % 0x1000000) - 0x800000, -8));
    const std::uint64_t d = run(FormatId::kFp8E4m3, FormatId::kF32, a, b, std::bit_cast<std::uint32_t>(c),
                                of_kind(ModelKind::kExactSum, 128));
    ASSERT_EQ(d, std::bit_cast<std::uint32_t>(static_cast<float>(sum + static_cast<double>(c) + 0.0))) << i;
  }
}

TEST(Models, ExactSumSpansTheWholeRangeOfF64) {
  const std::uint64_t largest = 0x7fefffffffffffff, least = 1;
  const std::uint64_t minus = std::uint64_t{1} << 63;
  // largest^2 - largest^2 + least * 1 + 1 * least: only the two subnormals are left.
  const Codes a = {largest, largest | minus, least, 0x3ff0000000000000};
  const Codes b = {largest, largest, 0x3ff0000000000000, least};
  EXPECT_EQ(run(FormatId::kF64, FormatId::kF64, a, b, 0, of_kind(ModelKind::kExactSum, 4)), 2U);
  // A product of two least subnormals breaks a tie that lies 2^1000 and more above it.
  const Codes tie_a = {0x3ff0000000000000, least};
  const Codes tie_b = {0x3ca0000000000000, least};  // 2^-53
  EXPECT_EQ(run(FormatId::kF64, FormatId::kF64, tie_a, tie_b, 0x3ff0000000000000, of_kind(ModelKind::kExactSum, 2)),
            0x3ff0000000000001U);
}

// Widening the inputs to f64 takes the 128-bit path; where no input is subnormal, nothing else changes.
TEST(Models, AlignedSumIsTheSameInBothWidths) {
  std::mt19937_64 random(5);
  const Format& f16 = format(FormatId::kF16);
  const auto widened = [&](std::uint64_t code) {
    const Decoded x = decode(f16, code);
    if (x.cls == ValueClass::kInfinity) return bits_of(x.negative ? -HUGE_VAL : HUGE_VAL);
    const double v = std::ldexp(static_cast<double>(x.significand), x.exponent);
    return bits_of(x.negative ? -v : v);
  };
  for (int i = 0; i < 20000; ++i) {
    Model m;
    m.normalise_subnormals = true;
    m.normalise_products = (random() & 1) != 0;
    m.groups = 1 << random() % 3;
    m.grouping = random() % 2 == 0 ? Grouping::kInterleaved : Grouping::kContiguous;
    const Rounding roundings[] = {Rounding::kTowardZero, Rounding::kDown, Rounding::kNearestEven};
    for (Rounding* r : {&m.product_rounding, &m.merge_rounding, &m.sum_rounding, &m.c_rounding, &m.final_rounding}) {
      *r = roundings[random() % 3];
    }
    Codes a(16), b(16), wide_a(16), wide_b(16);
    for (std::size_t k = 0; k < 16; ++k) {
      do a[k] = random_code(random, f16, 10);
      while (decode(f16, a[k]).cls == ValueClass::kNan);
      do b[k] = random_code(random, f16, 10);
      while (decode(f16, b[k]).cls == ValueClass::kNan);
      wide_a[k] = widened(a[k]), wide_b[k] = widened(b[k]);
    }
    const std::uint64_t c = random_code(random, format(FormatId::kF32), 25);
    ASSERT_EQ(run(FormatId::kF16, FormatId::kF32, a, b, c, m),
              run(FormatId::kF64, FormatId::kF32, wide_a, wide_b, c, m))
        << i;
  }
}

TEST(Models, InfinitiesFollowIeeeInEveryModel) {
  const Codes inf_one = {0x7c00, 0x3c00}, one_one = {0x3c00, 0x3c00}, inf_inf = {0x7c00, 0x7c00};
  const Codes one_minus = {0x3c00, 0xbc00}, zero_one = {0x0000, 0x3c00};
  for (ModelKind kind : {ModelKind::kFmaChain, ModelKind::kMultiplyAdd, ModelKind::kPairwise, ModelKind::kExactSum,
                         ModelKind::kAlignedSum, ModelKind::kBlockSums}) {
    const Model m = of_kind(kind, 2);
    const auto d = [&](const Codes& a, const Codes& b, std::uint64_t c) {
      return run(FormatId::kF16, FormatId::kF32, a, b, c, m);
    };
    EXPECT_EQ(d(inf_one, one_one, 0), 0x7f800000U);
    EXPECT_EQ(d(inf_one, {0xbc00, 0x3c00}, 0x42000000), 0xff800000U);
    EXPECT_EQ(d(inf_inf, one_minus, 0), 0x7fc00000U);         // inf - inf
    EXPECT_EQ(d(inf_one, zero_one, 0), 0x7fc00000U);          // inf * 0
    EXPECT_EQ(d(inf_one, one_one, 0xff800000), 0x7fc00000U);  // inf + -inf of c
    EXPECT_EQ(d(one_one, one_one, 0xff800000), 0xff800000U);
    EXPECT_EQ(d(inf_inf, one_one, 0x7f800000), 0x7f800000U);
    EXPECT_EQ(d({0x7e00, 0}, one_one, 0), 0x7fc00000U);  // NaN * 1
    EXPECT_EQ(d({0x7e00, 0}, {0, 0}, 0), 0x7fc00000U);   // NaN * 0
    EXPECT_EQ(d(one_one, one_one, 0xffc54321), 0x7fc00000U);
  }
}

TEST(Models, InfinitiesOfAnotherStepMeetLater) {
  Codes a(32, 0), b(32, 0x3c00);
  a[0] = 0x7c00, a[31] = 0xfc00;
  EXPECT_EQ(run(FormatId::kF16, FormatId::kF32, a, b, 0, of_kind(ModelKind::kAlignedSum, 8)), 0x7fc00000U);
  a[31] = 0x3c00;
  EXPECT_EQ(run(FormatId::kF16, FormatId::kF32, a, b, 0, of_kind(ModelKind::kAlignedSum, 8)), 0x7f800000U);
}

// Probe Z of docs/numerics.md: all products -0 and C = -0.
TEST(Models, SumsOfZeros) {
  const Codes minus = {0x8000, 0x8000}, ones = {0x3c00, 0x3c00}, mixed = {0x8000, 0x0000};
  const auto d = [&](ModelKind kind, const Codes& a, std::uint64_t c) {
    return run(FormatId::kF16, FormatId::kF32, a, ones, c, of_kind(kind, 2));
  };
  for (ModelKind kind : {ModelKind::kFmaChain, ModelKind::kMultiplyAdd, ModelKind::kPairwise}) {
    EXPECT_EQ(d(kind, minus, 0x80000000), 0x80000000U);
    EXPECT_EQ(d(kind, minus, 0), 0U);
    EXPECT_EQ(d(kind, mixed, 0x80000000), 0U);
  }
  for (ModelKind kind : {ModelKind::kExactSum, ModelKind::kAlignedSum, ModelKind::kBlockSums}) {
    EXPECT_EQ(d(kind, minus, 0x80000000), 0U);  // a choice: unknown on hardware
    EXPECT_EQ(d(kind, minus, 0), 0U);
  }
  for (ModelKind kind : {ModelKind::kFmaChain, ModelKind::kPairwise, ModelKind::kExactSum, ModelKind::kAlignedSum}) {
    EXPECT_EQ(run(FormatId::kF16, FormatId::kF32, {0x3c00, 0xbc00}, ones, 0x80000000, of_kind(kind, 2)), 0U);
  }
}

// A total that only the last rounding brings to zero keeps its sign.
TEST(Models, UnderflowKeepsTheSign) {
  const Codes a = {0x80000001}, b = {0x3e800000};  // -2^-149 * 2^-2
  for (ModelKind kind : {ModelKind::kFmaChain, ModelKind::kMultiplyAdd, ModelKind::kExactSum, ModelKind::kAlignedSum}) {
    EXPECT_EQ(run(FormatId::kF32, FormatId::kF32, a, b, 0x80000000, of_kind(kind)), 0x80000000U);
  }
}

TEST(Models, NanBits) {
  Model m;
  m.nan.bits = 0xffc00000;
  EXPECT_EQ(run(FormatId::kF16, FormatId::kF32, {0x7c00}, {0}, 0, m), 0xffc00000U);
  EXPECT_EQ(run(FormatId::kF16, FormatId::kF32, {0x7e01}, {0x3c00}, 0, m), 0xffc00000U);
  m.nan.propagate = true;
  // Probes C1 to C8.
  EXPECT_EQ(run(FormatId::kF16, FormatId::kF32, {0x7e01}, {0x3c00}, 0, m), 0x7fc02000U);
  EXPECT_EQ(run(FormatId::kF16, FormatId::kF32, {0x7d01}, {0x3c00}, 0, m), 0x7fe02000U);  // signalling: quieted
  EXPECT_EQ(run(FormatId::kF16, FormatId::kF32, {0x3c00}, {0x3c00}, 0x7f812345, m), 0x7fc12345U);
  EXPECT_EQ(run(FormatId::kF16, FormatId::kF32, {0x3c00}, {0x3c00}, 0xffc54321, m), 0xffc54321U);
  EXPECT_EQ(run(FormatId::kF16, FormatId::kF32, {0x7c00}, {0x0000}, 0, m), 0xffc00000U);  // generated
  EXPECT_EQ(run(FormatId::kF16, FormatId::kF32, {0x7e01}, {0x0000}, 0x7fc12345, m), 0x7fc02000U);
  EXPECT_EQ(run(FormatId::kFp8E4m3, FormatId::kF32, {0xff}, {0x38}, 0, m), 0xfff00000U);
  EXPECT_EQ(run(FormatId::kBf8E5m2, FormatId::kF32, {0x3c}, {0x7d}, 0, m), 0x7fe00000U);
  EXPECT_EQ(run(FormatId::kF64, FormatId::kF64, {0x7ff0000000000001}, {0}, 0, of_kind(ModelKind::kFmaChain)),
            0x7ff8000000000000U);
  // Operand first, then k.
  const Codes a = {0x3c00, 0x7e02}, b = {0x7e01, 0x3c00};
  EXPECT_EQ(run(FormatId::kF16, FormatId::kF32, a, b, 0x7fc00003, m), 0x7fc04000U);
  m.nan.order = "bac";
  EXPECT_EQ(run(FormatId::kF16, FormatId::kF32, a, b, 0x7fc00003, m), 0x7fc02000U);
  m.nan.order = "cab";
  EXPECT_EQ(run(FormatId::kF16, FormatId::kF32, a, b, 0x7fc00003, m), 0x7fc00003U);
  EXPECT_EQ(run(FormatId::kF16, FormatId::kF32, {0x7e05, 0x7e02}, b, 0, m), 0x7fc0a000U);
}

TEST(Models, IntegersWrap) {
  const Model m = of_kind(ModelKind::kInteger);
  EXPECT_EQ(run(FormatId::kI8, FormatId::kI32, {0x80, 0x80}, {0x80, 0x7f}, 5, m), 16384U - 16256U + 5U);
  EXPECT_EQ(run(FormatId::kI8, FormatId::kI32, {0xff}, {0x01}, 0x80000000, m), 0x7fffffffU);
  EXPECT_EQ(run(FormatId::kI8, FormatId::kI32, {}, {}, 0xfffffffe, m), 0xfffffffeU);
}

TEST(Models, AnEmptySumIsC) {
  for (ModelKind kind : {ModelKind::kFmaChain, ModelKind::kPairwise, ModelKind::kExactSum, ModelKind::kAlignedSum}) {
    EXPECT_EQ(run(FormatId::kF16, FormatId::kF32, {}, {}, 0xc0490fdb, of_kind(kind)), 0xc0490fdbU);
  }
}

TEST(Models, ErrorsSayWhatIsWrong) {
  const Format &f16 = format(FormatId::kF16), &f32 = format(FormatId::kF32), &i8 = format(FormatId::kI8);
  EXPECT_FALSE(model_error(Model{}, f16, f16, f32));
  EXPECT_TRUE(model_error(of_kind(ModelKind::kInteger), f16, f16, f32));
  EXPECT_FALSE(model_error(Model{}, i8, i8, format(FormatId::kI32)));  // whatever the kind: integer arithmetic
  Model normalising;
  normalising.normalise_subnormals = true;
  EXPECT_EQ(run(FormatId::kI8, FormatId::kI32, {2}, {3}, 1, normalising), 7U);
  EXPECT_TRUE(model_error(Model{}, i8, i8, f32));
  EXPECT_EQ(*model_error(of_kind(ModelKind::kAlignedSum, 0), f16, f16, f32), "step: 0 is out of range 1..128");
  Model m;
  m.final_fraction_bits = 65;
  EXPECT_EQ(*model_error(m, f16, f16, f32), "final_fraction_bits: 65 is out of range 1..64");
  m = Model{};
  m.nan.bits = 0x7fc00000;
  EXPECT_FALSE(model_error(m, f16, f16, f32));
  EXPECT_TRUE(model_error(m, f16, f16, format(FormatId::kF64)));
  EXPECT_THROW(run(FormatId::kI8, FormatId::kF32, {1}, {1}, 0, Model{}), std::invalid_argument);
  EXPECT_THROW(run(FormatId::kF16, FormatId::kF32, {1}, {}, 0, Model{}), std::invalid_argument);
}

}  // namespace
}  // namespace mfma::oracles
