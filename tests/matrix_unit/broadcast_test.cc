// cbsz, abid and blgp, block scales, and the negations of f64.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "tests/matrix_unit/support.h"

namespace mfma::gfx950::testing {
namespace {

std::uint32_t f32(float x) { return std::bit_cast<std::uint32_t>(x); }

// numerics.md F1: 4x4x1_16B, A in lane l is l, B is 1: D tells the lane that A was read from.
Image lane_numbers(int cbsz, int abid) {
  Image image(instruction(66));
  for (std::uint32_t lane = 0; lane < 64; ++lane) image.a[lane] = f32(static_cast<float>(lane));
  image.fill_b(kF32.one);
  image.cbsz = cbsz;
  image.abid = abid;
  return image;
}

void expect_source_lanes(Image& image, const MatrixUnit& unit, int (*lane_of)(int b, int i)) {
  ASSERT_EQ(image.run(unit), "");
  for (int b = 0; b < 16; ++b) {
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) {
        ASSERT_EQ(image.get_d(b, i, j), f32(static_cast<float>(lane_of(b, i)))) << b << ' ' << i << ' ' << j;
      }
    }
  }
}

TEST(Broadcast, F1PerSet) {
  const MatrixUnit unit(candidate_config());
  Image image = lane_numbers(1, 1);
  expect_source_lanes(image, unit, [](int b, int i) { return 4 * (2 * (b / 2) + 1) + i; });
  EXPECT_EQ(image.get_d(0, 0, 0), f32(4));
  EXPECT_EQ(image.get_d(2, 3, 0), f32(15));
}

TEST(Broadcast, F1WholeWave) {
  const auto config = candidate_config();
  config->whole_wave_broadcast = true;
  const MatrixUnit unit(config);
  Image image = lane_numbers(1, 1);
  expect_source_lanes(image, unit, [](int b, int i) { return (4 * b + i) % 32 + 32; });
  EXPECT_EQ(image.get_d(0, 0, 0), f32(32));
  EXPECT_EQ(image.get_d(2, 3, 0), f32(43));
}

// The calculator's worked example: cbsz 2, abid 1: block 1 feeds 0-3, 5 feeds 4-7, 9 feeds 8-11, 13 feeds 12-15.
TEST(Broadcast, FourBlocksPerSet) {
  const MatrixUnit unit(candidate_config());
  Image image = lane_numbers(2, 1);
  expect_source_lanes(image, unit, [](int b, int i) { return 4 * (b / 4 * 4 + 1) + i; });
}

TEST(Broadcast, AllBlocksAgreeInBothReadings) {
  const auto whole = candidate_config();
  whole->whole_wave_broadcast = true;
  const MatrixUnit units[] = {MatrixUnit(candidate_config()), MatrixUnit(whole)};
  std::mt19937_64 random(11);
  for (const MatrixUnit& unit : units) {
    Image image = lane_numbers(4, 13);
    expect_source_lanes(image, unit, [](int, int i) { return 4 * 13 + i; });
  }
  for (const int opcode : {64, 65, 72, 73, 80, 81}) {
    Image image(instruction(opcode));
    image.randomise(random);
    image.cbsz = image.instruction.blocks == 2 ? 1 : 2;
    image.abid = 1;
    ASSERT_EQ(image.run(units[0]), "");
    const auto first = image.d();
    ASSERT_EQ(image.run(units[1]), "");
    EXPECT_EQ(first, image.d()) << opcode;
  }
}

// 7.1.6.1's full example: both blocks of B times the second block of A.
TEST(Broadcast, ManualExample) {
  const MatrixUnit unit(candidate_config());
  Image image(instruction(64));
  for (int i = 0; i < 32; ++i) {
    image.set_a(0, i, 0, f32(static_cast<float>(100 + i)));
    image.set_a(1, i, 0, f32(static_cast<float>(1 + i)));
  }
  for (int j = 0; j < 32; ++j) {
    image.set_b(0, 0, j, f32(static_cast<float>(1 + j)));
    image.set_b(1, 0, j, f32(static_cast<float>(33 + j)));
  }
  image.cbsz = image.abid = 1;
  ASSERT_EQ(image.run(unit), "");
  for (int b = 0; b < 2; ++b) {
    for (int i = 0; i < 32; ++i) {
      for (int j = 0; j < 32; ++j) {
        ASSERT_EQ(image.get_d(b, i, j), f32(static_cast<float>((1 + i) * (1 + 32 * b + j))));
      }
    }
  }
}

// Table 29. B in lane l is l, A is 1, K = 1: D[b,i,j] is the lane that B[b,0,j] was read from.
TEST(Broadcast, Table29) {
  const MatrixUnit unit(candidate_config());
  for (const int opcode : {64, 65, 66}) {
    for (int blgp = 0; blgp < 8; ++blgp) {
      Image image(instruction(opcode));
      image.fill_a(kF32.one);
      for (std::uint32_t lane = 0; lane < 64; ++lane) image.b[lane] = f32(static_cast<float>(lane));
      image.blgp = blgp;
      ASSERT_EQ(image.run(unit), "");
      const Instruction& in = image.instruction;
      for (int b = 0; b < in.blocks; ++b) {
        for (int j = 0; j < in.n; ++j) {
          const int home = j + in.n * b;
          const int lanes[8] = {home,      home % 32,      home % 32 + 32, (home + 16) % 64,
                                home % 16, home % 16 + 16, home % 16 + 32, home % 16 + 48};
          for (int i = 0; i < in.m; ++i) {
            ASSERT_EQ(image.get_d(b, i, j), f32(static_cast<float>(lanes[blgp]))) << opcode << ' ' << blgp << ' ' << j;
          }
        }
      }
    }
  }
}

// On a one-block shape the pattern moves k: 16x16x32 f16, k = 8 * (lane / 16) + item.
TEST(Broadcast, PatternsOnOneBlockShapes) {
  const MatrixUnit unit(candidate_config());
  const int source_of_group[8][4] = {{0, 1, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}, {1, 2, 3, 0},
                                     {0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}};
  for (int blgp = 0; blgp < 8; ++blgp) {
    for (int group = 0; group < 4; ++group) {
      Image image(instruction(84));
      image.set_a(0, 5, 8 * group + 3, kF16.one);
      for (int k = 0; k < 32; ++k) image.set_b(0, k, 9, 0x5000 + static_cast<std::uint64_t>(k));  // 32 + k
      image.blgp = blgp;
      ASSERT_EQ(image.run(unit), "");
      const int k = 8 * source_of_group[blgp][group] + 3;
      EXPECT_EQ(image.get_d(0, 5, 9), f32(32.0F + static_cast<float>(k) / 32.0F)) << blgp << ' ' << group;
    }
  }
}

TEST(Negation, BlgpOfF64) {
  const MatrixUnit unit(candidate_config());
  for (const int opcode : {110, 111}) {
    for (int blgp = 0; blgp < 8; ++blgp) {
      Image image(instruction(opcode));
      image.set_a(0, 1, 2, std::bit_cast<std::uint64_t>(3.0));
      image.set_b(0, 2, 3, std::bit_cast<std::uint64_t>(5.0));
      image.set_c(0, 1, 3, std::bit_cast<std::uint64_t>(7.0));
      image.blgp = blgp;
      image.cbsz = 3;  // ignored
      image.abid = 9;
      ASSERT_EQ(image.run(unit), "");
      const double a = (blgp & 1) != 0 ? -3.0 : 3.0;
      const double b = (blgp & 2) != 0 ? -5.0 : 5.0;
      const double c = (blgp & 4) != 0 ? -7.0 : 7.0;
      EXPECT_EQ(image.get_d(0, 1, 3), std::bit_cast<std::uint64_t>(a * b + c)) << opcode << ' ' << blgp;
    }
  }
}

TEST(Scales, EveryCodeOfABlock) {
  const MatrixUnit unit(config_of(exact_rules(128)));
  for (std::uint32_t code = 0; code < 256; ++code) {
    Image image(f8f6f4(45, 4, 0));
    image.set_a(0, 2, 70, kFp4.one);
    image.set_b(0, 70, 3, kFp8.one);
    image.set_scale_a(2, 2, code, 1);
    image.set_scale_b(3, 2, 127, 2);
    image.scale_byte_a = 1;
    image.scale_byte_b = 2;
    ASSERT_EQ(image.run(unit), "");
    const auto value = static_cast<float>(std::ldexp(1.0, static_cast<int>(code) - 127));
    EXPECT_EQ(image.get_d(0, 2, 3), code == 255 ? 0x7fc00000U : f32(value)) << code;
  }
}

// numerics.md, scale codes: one product 1.0, C = 0.
TEST(Scales, PairsOfCodes) {
  const MatrixUnit unit(candidate_config());
  const struct {
    std::uint32_t a, b, d;
  } rows[] = {{0x00, 0x7f, 0x00400000}, {0x00, 0xfe, 0x3f800000}, {0x00, 0x00, 0x00000000}, {0xfe, 0xfe, 0x7f800000}};
  for (const auto& row : rows) {
    Image image(f8f6f4(45, 4, 4));
    image.unit_scales();
    image.set_a(0, 0, 0, kFp4.one);
    image.set_b(0, 0, 0, kFp4.one);
    image.set_scale_a(0, 0, row.a);
    image.set_scale_b(0, 0, row.b);
    ASSERT_EQ(image.run(unit), "");
    EXPECT_EQ(image.get_d(0, 0, 0), row.d) << row.a << ' ' << row.b;
  }
}

// FF on a block of zeros, 1.0 in another: the block is NaN all the same.
TEST(Scales, NanScaleOnZeros) {
  for (const AdderRules& rules : {aligned_rules(64), exact_rules(64), sequential_rules()}) {
    const MatrixUnit unit(config_of(rules));
    Image image(f8f6f4(45, 4, 4));
    image.set_a(0, 0, 0, kFp4.one);
    image.set_b(0, 0, 0, kFp4.one);
    image.set_scale_a(0, 3, 0xff);
    ASSERT_EQ(image.run(unit), "");
    EXPECT_EQ(image.get_d(0, 0, 0), 0x7fc00000U);
    EXPECT_EQ(image.get_d(0, 1, 0), 0U);  // another row has its own scales
  }
}

// numerics.md G, routing: FP8 A, single 1.0 at lane 16 register 0 byte 0 (logical k = 16).
TEST(Scales, RoutingByLogicalBlock) {
  const MatrixUnit unit(candidate_config());
  Image image(f8f6f4(45, 0, 0));
  image.unit_scales();
  image.a[16] = 0x38;
  image.fill_b(kFp8.one);
  for (int q = 0; q < 4; ++q) image.set_scale_a(0, q, 127 + static_cast<std::uint32_t>(q));
  ASSERT_EQ(image.run(unit), "");
  for (int j = 0; j < 16; ++j) EXPECT_EQ(image.get_d(0, 0, j), f32(1.0F));
}

// The same row with B in FP4 holding 2.0 at k = 16 (lane 0, register 2, nibble 0), 3.0 at k = 32 (lane 16, register 0).
TEST(Scales, MixedPairingOfEightAndFourBits) {
  const MatrixUnit unit(candidate_config());
  Image image(f8f6f4(45, 0, 4));
  image.a[16] = 0x38;
  image.b[2 * 64 + 0] = 0x4;
  image.b[16] = 0x5;
  ASSERT_EQ(image.run(unit), "");
  EXPECT_EQ(image.get_d(0, 0, 0), f32(2.0F));
}

// Each (row, block) of A and of B has its own lane (7.2.1), each op_sel its byte.
TEST(Scales, EveryLaneAndByte) {
  const MatrixUnit unit(config_of(exact_rules(128)));
  for (const int opcode : {45, 46}) {
    for (const int format : {0, 2, 4}) {
      const Instruction in = f8f6f4(opcode, format, format);
      for (int byte = 0; byte < 4; ++byte) {
        Image image(in);
        image.unit_scales();
        image.scale_byte_a = byte;
        image.scale_byte_b = 3 - byte;
        const int q = byte % (in.k / 32);
        for (int row = 0; row < in.m; ++row) {
          image.set_a(0, row, 32 * q + row, in.a.one);
          image.set_b(0, 32 * q + row, row, in.b.one);
          image.set_scale_a(row, q, 100 + static_cast<std::uint32_t>(row), byte);
          image.set_scale_b(row, q, 120 + static_cast<std::uint32_t>(row), 3 - byte);
        }
        ASSERT_EQ(image.run(unit), "");
        for (int row = 0; row < in.m; ++row) {
          const auto scale = static_cast<float>(std::ldexp(1.0, 100 + 120 + 2 * row - 254));
          EXPECT_EQ(image.get_d(0, row, row), f32(scale)) << in.name << ' ' << format << ' ' << row;
        }
      }
    }
  }
}

}  // namespace
}  // namespace mfma::gfx950::testing
