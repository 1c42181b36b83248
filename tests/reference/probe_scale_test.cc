// The f8f6f4 probes of numerics, section 4 G: where block scales enter, and what single scale codes mean.
#include "tests/reference/expect.h"

namespace mfma::oracles::reference::testing {
namespace {

constexpr std::uint64_t kNan = 0x7FC00000;

// FP4 with K = 128 and unit scales.
Dot fp4(std::uint64_t c) {
  Dot dot(kFp4, kFp4, kF32, 128, c);
  dot.scaled = true;
  return dot;
}

struct ScaleRow {
  const char* name;
  Dot dot;
  std::uint64_t rocj, wide, tr32, tr64, tr64blk, tr128;
};

Dot with_scale_a(Dot dot, std::size_t block, std::uint8_t code) {
  dot.scale_a.at(block) = code;
  return dot;
}

Dot with_all_scales(Dot dot, std::uint8_t a, std::uint8_t b) {
  dot.scale_a.assign(dot.scale_a.size(), a);
  dot.scale_b.assign(dot.scale_b.size(), b);
  return dot;
}

Dot ones(std::uint64_t c, int i, int sign_i, int j, int sign_j) {
  return fp4(c).set(i, {1, 0}, {sign_i, 0}).set(j, {1, 0}, {sign_j, 0});
}

std::vector<ScaleRow> rows() {
  constexpr std::uint64_t minus_one = 0xBF800000, kept = 0xB3000000, floored = 0xB3800000;
  constexpr std::uint64_t tiny = 0xAB800000, two24 = 0x4B800000, more = 0x4B800001;
  return {
      {"G1", with_scale_a(ones(minus_one, 0, 1, 32, -1), 1, 102), kept, kept, kept, 0, floored, 0},
      {"G2", with_scale_a(ones(minus_one, 0, 1, 64, -1), 2, 102), kept, kept, kept, kept, kept, 0},
      {"G3", with_scale_a(ones(minus_one, 32, 1, 0, -1), 0, 102), 0, kept, 0, 0, floored, 0},
      {"G4", ones(tiny, 0, 1, 1, -1), tiny, tiny, floored, floored, floored, floored},
      {"G5", ones(tiny, 0, 1, 32, -1), 0, tiny, floored, floored, floored, floored},
      {"G6", ones(two24, 0, 1, 31, 1), more, more, more, more, more, more},
      {"G7", ones(two24, 0, 1, 32, 1), two24, more, two24, more, more, more},
      {"G8", ones(two24, 0, 1, 64, 1), two24, more, two24, two24, two24, more},
      {"G9", with_all_scales(ones(0, 0, 1, 32, -1), 0xFE, 0xFE), kNan, 0, kNan, kNan, kNan, kNan},
      {"G10", with_all_scales(fp4(0).set(0, {6, 0}, {6, 0}).set(1, {6, 0}, {-6, 0}).set(2, {1, 0}, {1, 0}), 0xFA, 0x7F),
       0x7D000000, 0x7D000000, kNan, kNan, kNan, kNan},
  };
}

TEST(ProbeG, WhereTheScaleEnters) {
  for (const ScaleRow& row : rows()) {
    expect_bits(row.name, row.dot,
                {{"ROCJ", scaled_block_sums(), row.rocj},
                 {"WIDE", exact(128), row.wide},
                 {"TR32", tr(32), row.tr32},
                 {"TR64", tr(64), row.tr64},
                 {"TR64blk", tr_halves(64), row.tr64blk},
                 {"TR128", tr(128), row.tr128}});
  }
}

TEST(ProbeG, ScaleCodesOnOneProduct) {
  struct Row {
    std::uint8_t a, b;
    std::uint64_t d;
  };
  for (const Row& row : {Row{0x00, 0x7F, 0x00400000}, Row{0x00, 0xFE, 0x3F800000}, Row{0x00, 0x00, 0x00000000},
                         Row{0xFE, 0xFE, 0x7F800000}, Row{0x80, 0x7F, 0x40000000}, Row{0x7F, 0x7E, 0x3F000000}}) {
    const Dot dot = with_all_scales(fp4(0).set(5, {1, 0}, {1, 0}), row.a, row.b);
    expect_bits(fmt::format("scales {:02x}/{:02x}", row.a, row.b), dot,
                {{"TR64", tr(64), row.d},
                 {"SEQ", sequential(), row.d},
                 {"blocks", scaled_block_sums(), row.d},
                 {"MUL", multiply_then_add(), row.d},
                 {"EK", exact(128), row.d}});
  }
}

TEST(ProbeG, ANanScaleIsNotMaskedByZeros) {
  const Dot on_zeros = with_scale_a(fp4(0).set(40, {1, 0}, {1, 0}), 0, 0xFF);
  Dot on_b = fp4(0).set(40, {1, 0}, {1, 0});
  on_b.scale_b.at(3) = 0xFF;
  for (const Dot& dot : {on_zeros, on_b}) {
    expect_bits("FF", dot,
                {{"TR64", tr(64), kNan},
                 {"SEQ", sequential(), kNan},
                 {"blocks", scaled_block_sums(), kNan},
                 {"EK", exact(128), kNan},
                 {"P4", pairs(4), kNan}});
  }
  Dot unscaled = on_zeros;
  unscaled.scaled = false;
  expect_bits("not scaled", unscaled, {{"TR64", tr(64), 0x3F800000}});
}

// 2^-126 in steps of half an ulp: (1 + 2^-2) * 2^-24 in the block's sum is exact, the scale makes it subnormal, and it
// is rounded before c is added. With the scale in the products the chain rounds once per product.
TEST(ProbeG, BlockSumsAreRoundedAfterTheScale) {
  const Dot dot = with_all_scales(fp4(0x00000001).set(0, {1, 0}, {3, -1}), 0x00, 0x7F - 22);
  // 1.5 * 2^-149 rounds to 2^-148 (tie to even), plus 2^-149 is 3 ulps; fused it is 2.5 ulps, which rounds to 2.
  Model in_products = scaled_block_sums();
  in_products.scale = ScaleEntry::kInProductExponent;
  expect_bits("subnormal", dot,
              {{"blocks", scaled_block_sums(), 0x00000003},
               {"products", in_products, 0x00000003},
               {"SEQ", sequential(), 0x00000002},
               {"EK", exact(128), 0x00000002},
               {"MUL", multiply_then_add(), 3}});
}

}  // namespace
}  // namespace mfma::oracles::reference::testing
