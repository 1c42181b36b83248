// Broadcast of A blocks and permutation of B lanes, against the worked examples of the sources and lane by lane.
#include "oracles/plain/modifiers.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace mfma::oracles {
namespace {

DenseModifiers broadcast(int cbsz, int abid, BroadcastReading reading = BroadcastReading::kPerSet) {
  DenseModifiers m;
  m.cbsz = cbsz, m.abid = abid, m.reading = reading;
  return m;
}

// The worked example of AMD's matrix calculator for 16 blocks.
TEST(Modifiers, PerSetBroadcastAsInTheCalculatorsExample) {
  const DenseShape s = {4, 4, 1, 16};
  for (int b = 0; b < 16; ++b) {
    EXPECT_EQ(source_of_a(s, broadcast(1, 1), {b, 2, 0}).block, b / 2 * 2 + 1);
    EXPECT_EQ(source_of_a(s, broadcast(2, 1), {b, 2, 0}).block, b / 4 * 4 + 1);
    EXPECT_EQ(source_of_a(s, broadcast(4, 9), {b, 2, 0}).block, 9);
    EXPECT_EQ(source_of_a(s, broadcast(0, 0), {b, 2, 0}).block, b);
    EXPECT_EQ(source_of_a(s, broadcast(2, 1), {b, 2, 0}).row_or_column, 2);
  }
}

// Probe F1: f32 4x4x1 with A of lane l = l (of item 0), B = 1: D[b, i, j] names the lane that A came from.
TEST(Modifiers, ProbeF1TellsTheReadingsApart) {
  const DenseShape s = {4, 4, 1, 16};
  for (int b = 0; b < 16; ++b) {
    for (int i = 0; i < 4; ++i) {
      const auto lane = [&](BroadcastReading reading) {
        const ElementPlace p = source_of_a(s, broadcast(1, 1, reading), {b, i, 0});
        return p.row_or_column + 4 * p.block;
      };
      EXPECT_EQ(lane(BroadcastReading::kPerSet), 4 * (2 * (b / 2) + 1) + i);
      EXPECT_EQ(lane(BroadcastReading::kWholeWave), (4 * b + i) % 32 + 32);
    }
  }
}

// The two readings coincide when 2^cbsz is the number of blocks.
TEST(Modifiers, ReadingsCoincideOverAllBlocks) {
  for (const DenseShape& s : {DenseShape{4, 4, 4, 16}, DenseShape{16, 16, 4, 4}, DenseShape{32, 32, 4, 2}}) {
    int cbsz = 0;
    while (1 << cbsz < s.blocks) ++cbsz;
    for (int abid = 0; abid < s.blocks; ++abid) {
      for (int b = 0; b < s.blocks; ++b) {
        for (int i = 0; i < s.m; ++i) {
          for (int k = 0; k < s.k; ++k) {
            const ElementPlace x = source_of_a(s, broadcast(cbsz, abid), {b, i, k});
            const ElementPlace y = source_of_a(s, broadcast(cbsz, abid, BroadcastReading::kWholeWave), {b, i, k});
            ASSERT_EQ(x.block, y.block);
            ASSERT_EQ(x.row_or_column, y.row_or_column);
            ASSERT_EQ(x.k, y.k);
          }
        }
      }
    }
  }
}

// Lane by lane as numerics' 3.3 lists them: B of lane l of the table below, here as its own closed form.
int blgp_source(int blgp, int l) {
  if (blgp == 0) return l;
  if (blgp == 1) return l % 32;
  if (blgp == 2) return l % 32 + 32;
  if (blgp == 3) return (l + 16) % 64;
  return l % 16 + 16 * (blgp - 4);
}

TEST(Modifiers, BlgpMovesLanes) {
  for (const DenseShape& s :
       {DenseShape{32, 32, 1, 2}, DenseShape{16, 16, 1, 4}, DenseShape{4, 4, 1, 16}, DenseShape{32, 32, 2, 1},
        DenseShape{16, 16, 4, 1}, DenseShape{16, 16, 4, 4}, DenseShape{32, 32, 16, 1}, DenseShape{16, 16, 64, 1}}) {
    const int items = s.k * s.n * s.blocks / 64;
    for (int blgp = 0; blgp < 8; ++blgp) {
      DenseModifiers m;
      m.blgp = blgp;
      for (int lane = 0; lane < 64; ++lane) {
        for (int item = 0; item < items; ++item) {
          // What lane and item mean: j fastest, then the block, then k in runs of `items`.
          const auto place = [&](int l) {
            return ElementPlace{l / s.n % s.blocks, l % s.n, l / (s.n * s.blocks) * items + item};
          };
          const ElementPlace got = source_of_b(s, m, place(lane));
          const ElementPlace want = place(blgp_source(blgp, lane));
          ASSERT_EQ(got.block, want.block) << blgp << " " << lane;
          ASSERT_EQ(got.row_or_column, want.row_or_column) << blgp << " " << lane;
          ASSERT_EQ(got.k, want.k) << blgp << " " << lane;
        }
      }
    }
  }
}

// Through the dense product: A and B of one block each are the sources' values.
TEST(Modifiers, DenseProductReadsTheSources) {
  const Format& f32 = format(FormatId::kF32);
  const DenseShape s = {4, 4, 1, 16};
  std::vector<std::uint64_t> a(64), b(64), c(256, 0);
  const auto code = [](int v) {  // small integers, exactly
    std::uint64_t bits = 0;
    if (v == 0) return bits;
    int e = 0;
    while (v >> (e + 1) != 0) ++e;
    return static_cast<std::uint64_t>(e + 127) << 23 | (static_cast<std::uint64_t>(v) << (23 - e) & 0x7fffff);
  };
  for (int l = 0; l < 64; ++l) a[static_cast<std::size_t>(l)] = code(l), b[static_cast<std::size_t>(l)] = code(64 + l);
  Model fma;
  fma.kind = ModelKind::kFmaChain;
  DenseProblem p = {s, f32, f32, f32, broadcast(2, 3), a, b, c, false, {}, {}};
  p.modifiers.blgp = 3;
  const DenseResult r = dense_product(p, fma);
  for (int block = 0; block < 16; ++block) {
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) {
        const int a_lane = 4 * (block / 4 * 4 + 3) + i;
        const int b_lane = (4 * block + j + 16) % 64;
        EXPECT_EQ(r.d[static_cast<std::size_t>((block * 4 + i) * 4 + j)], code(a_lane * (64 + b_lane)));
      }
    }
  }
}

TEST(Modifiers, IllegalOnesAreRefused) {
  EXPECT_FALSE(modifier_error({4, 4, 1, 16}, broadcast(4, 15)));
  EXPECT_TRUE(modifier_error({4, 4, 1, 16}, broadcast(5, 0)));
  EXPECT_TRUE(modifier_error({32, 32, 1, 2}, broadcast(2, 0)));
  EXPECT_TRUE(modifier_error({16, 16, 16, 1}, broadcast(1, 0)));
  EXPECT_TRUE(modifier_error({4, 4, 1, 16}, broadcast(1, 2)));
  EXPECT_TRUE(modifier_error({4, 4, 1, 16}, broadcast(-1, 0)));
  DenseModifiers m;
  m.blgp = 8;
  EXPECT_TRUE(modifier_error({4, 4, 1, 16}, m));
  m.blgp = 7;
  EXPECT_FALSE(modifier_error({4, 4, 1, 16}, m));
  EXPECT_TRUE(modifier_error({3, 3, 1, 1}, m));
}

}  // namespace
}  // namespace mfma::oracles
