// The dense product against element-wise dot products, and its checks of sizes.
#include "oracles/plain/dense.h"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

namespace mfma::oracles {
namespace {

using Codes = std::vector<std::uint64_t>;

struct Operands {
  DenseShape shape;
  Codes a, b, c;
  std::vector<std::uint8_t> scale_a, scale_b;
};

std::size_t at(int x) { return static_cast<std::size_t>(x); }

Operands random_operands(const DenseShape& s, const Format& a, const Format& b, const Format& acc, bool scaled) {
  std::mt19937_64 random(11);
  const auto codes = [&](int count, const Format& f) {
    Codes result(at(count));
    const std::uint64_t mask = f.bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << f.bits) - 1;
    for (auto& x : result) x = random() & mask;
    return result;
  };
  Operands o = {s, codes(s.blocks * s.m * s.k, a), codes(s.blocks * s.k * s.n, b), codes(s.blocks * s.m * s.n, acc), {},
                {}};
  for (int i = 0; scaled && i < s.m * s.k / 32; ++i)
    o.scale_a.push_back(static_cast<std::uint8_t>(120 + random() % 16));
  for (int i = 0; scaled && i < s.n * s.k / 32; ++i) o.scale_b.push_back(static_cast<std::uint8_t>(random()));
  return o;
}

DenseProblem problem_of(const Operands& o, const Format& a, const Format& b, const Format& acc, bool scaled) {
  return {o.shape, a, b, acc, {}, o.a, o.b, o.c, scaled, o.scale_a, o.scale_b};
}

void check(const DenseShape& s, FormatId a_id, FormatId b_id, FormatId acc_id, bool scaled, const Model& model) {
  const Format &a = format(a_id), &b = format(b_id), &acc = format(acc_id);
  const Operands o = random_operands(s, a, b, acc, scaled);
  const DenseResult result = dense_product(problem_of(o, a, b, acc, scaled), model);
  ASSERT_EQ(result.d.size(), o.c.size());
  ASSERT_EQ(result.exact.size(), o.c.size());
  for (int block = 0; block < s.blocks; ++block) {
    for (int i = 0; i < s.m; ++i) {
      for (int j = 0; j < s.n; ++j) {
        Codes row, column;
        for (int k = 0; k < s.k; ++k) {
          row.push_back(o.a[at((block * s.m + i) * s.k + k)]);
          column.push_back(o.b[at((block * s.k + k) * s.n + j)]);
        }
        std::vector<std::uint8_t> scale_a, scale_b;
        for (int q = 0; scaled && q < s.k / 32; ++q) {
          scale_a.push_back(o.scale_a[at(i * s.k / 32 + q)]);
          scale_b.push_back(o.scale_b[at(q * s.n + j)]);
        }
        const auto place = at((block * s.m + i) * s.n + j);
        const DotProblem dot = {a, b, acc, row, column, o.c[place], scaled, scale_a, scale_b};
        ASSERT_EQ(result.d[place], dot_product(dot, model)) << block << " " << i << " " << j;
        ASSERT_EQ(result.exact[place] != 0, is_exact(dot)) << block << " " << i << " " << j;
      }
    }
  }
}

Model of_kind(ModelKind kind) {
  Model m;
  m.kind = kind;
  return m;
}

TEST(Dense, IsTheDotProductOfEveryRowAndColumn) {
  using enum FormatId;
  check({16, 16, 16, 1}, kF16, kF16, kF32, false, Model{});
  check({4, 4, 4, 16}, kBf16, kBf16, kF32, false, Model{});
  check({32, 32, 2, 1}, kF32, kF32, kF32, false, of_kind(ModelKind::kFmaChain));
  check({4, 4, 4, 4}, kF64, kF64, kF64, false, of_kind(ModelKind::kFmaChain));
  check({16, 16, 64, 1}, kI8, kI8, kI32, false, of_kind(ModelKind::kInteger));
  check({16, 16, 128, 1}, kFp8E4m3, kFp4E2m1, kF32, true, Model{});
  check({32, 32, 64, 1}, kFp6E2m3, kBf8E5m2, kF32, true, of_kind(ModelKind::kExactSum));
  Model blocks = of_kind(ModelKind::kBlockSums);
  blocks.scale = ScaleEntry::kInBlockSum;
  check({16, 16, 128, 1}, kBf6E3m2, kFp4E2m1, kF32, true, blocks);
}

// The scale in the block's sum is the scale in the products, while nothing underflows or overflows on the way.
TEST(Dense, BlockSumsMayScaleEitherPlace) {
  const Format &f6 = format(FormatId::kFp6E2m3), &f4 = format(FormatId::kFp4E2m1), &f32 = format(FormatId::kF32);
  Operands o = random_operands({16, 16, 128, 1}, f6, f4, f32, true);
  for (auto& s : o.scale_b) s = static_cast<std::uint8_t>(100 + s % 50);
  Model in_sum = of_kind(ModelKind::kBlockSums), in_product = in_sum;
  in_sum.scale = ScaleEntry::kInBlockSum;
  EXPECT_EQ(dense_product(problem_of(o, f6, f4, f32, true), in_sum).d,
            dense_product(problem_of(o, f6, f4, f32, true), in_product).d);
}

TEST(Dense, NegationsFlipSigns) {
  const Format& f64 = format(FormatId::kF64);
  Operands o = {{1, 1, 1, 1}, {0x4000000000000000}, {0x4008000000000000}, {0x3ff0000000000000}, {}, {}};  // 2 * 3 + 1
  const auto d = [&](bool a, bool b, bool c) {
    DenseProblem p = problem_of(o, f64, f64, f64, false);
    p.modifiers.negate_a = a, p.modifiers.negate_b = b, p.modifiers.negate_c = c;
    return dense_product(p, of_kind(ModelKind::kFmaChain)).d.front();
  };
  EXPECT_EQ(d(false, false, false), 0x401c000000000000U);  // 7
  EXPECT_EQ(d(true, false, false), 0xc014000000000000U);   // -5
  EXPECT_EQ(d(false, true, false), 0xc014000000000000U);
  EXPECT_EQ(d(true, true, false), 0x401c000000000000U);
  EXPECT_EQ(d(false, false, true), 0x4014000000000000U);  // 5
  EXPECT_EQ(d(true, false, true), 0xc01c000000000000U);
}

TEST(Dense, AnAlteredDescriptorIsFollowed) {
  Format shifted = format(FormatId::kFp8E4m3);
  shifted.bias += 1;
  Operands o = {{1, 1, 1, 1}, {0x38}, {0x38}, {0}, {}, {}};
  const Format& f32 = format(FormatId::kF32);
  EXPECT_EQ(dense_product(problem_of(o, shifted, shifted, f32, false), Model{}).d.front(), 0x3e800000U);  // 1/4
}

TEST(Dense, RefusesSizesThatDoNotFit) {
  const Format &f16 = format(FormatId::kF16), &f32 = format(FormatId::kF32);
  const Operands good = random_operands({4, 4, 4, 1}, f16, f16, f32, false);
  const auto run = [&](const Operands& o, bool scaled = false) {
    return dense_product(problem_of(o, f16, f16, f32, scaled), Model{});
  };
  EXPECT_NO_THROW(run(good));
  for (auto member : {&Operands::a, &Operands::b, &Operands::c}) {
    Operands o = good;
    (o.*member).pop_back();
    EXPECT_THROW(run(o), std::invalid_argument);
  }
  EXPECT_THROW(run(good, true), std::invalid_argument);
  Operands o = good;
  o.shape.m = 0;
  EXPECT_THROW(run(o), std::invalid_argument);
}

}  // namespace
}  // namespace mfma::oracles
