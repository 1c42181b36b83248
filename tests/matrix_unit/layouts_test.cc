// Layouts: the figures of the manual (7.1.3, 7.1.5.1, 7.2.1), and every place of every operand by one-hot matrices.
#include <gtest/gtest.h>

#include "harness/gfx950/matrix/wiring.h"
#include "tests/matrix_unit/support.h"

namespace mfma::gfx950::testing {
namespace {

struct InputFigure {
  int opcode, code;  // code: format of f8f6f4
  int lane, item;
  int block, row, k;
};

// Rows of the manual's figures, as (lane, item) -> element. Items of 6 bits: 16 of them fill three registers.
constexpr InputFigure kInputFigures[] = {
    // 7.1.3.1 and 7.1.3.2
    {64, 0, 0, 0, 0, 0, 0},
    {64, 0, 31, 0, 0, 31, 0},
    {64, 0, 32, 0, 1, 0, 0},
    {64, 0, 63, 0, 1, 31, 0},
    {68, 0, 31, 0, 0, 31, 0},
    {68, 0, 32, 0, 0, 0, 1},
    {68, 0, 63, 0, 0, 31, 1},
    // 7.1.3.3
    {74, 0, 1, 0, 0, 1, 0},
    {74, 0, 4, 1, 1, 0, 1},
    {74, 0, 63, 2, 15, 3, 2},
    {74, 0, 3, 3, 0, 3, 3},
    // 7.1.3.4
    {110, 0, 15, 0, 0, 15, 0},
    {110, 0, 16, 0, 0, 0, 1},
    {110, 0, 63, 0, 0, 15, 3},
    // FP4 tables
    {45, 4, 0, 0, 0, 0, 0},
    {45, 4, 15, 31, 0, 15, 31},
    {45, 4, 16, 0, 0, 0, 32},
    {45, 4, 32, 0, 0, 0, 64},
    {45, 4, 63, 31, 0, 15, 127},
    {46, 4, 16, 0, 0, 16, 0},
    {46, 4, 32, 0, 0, 0, 32},
    {46, 4, 63, 31, 0, 31, 63},
    // FP6 tables: v0 of row 1 starts k = 32, v3 starts k = 48
    {45, 2, 16, 0, 0, 0, 32},
    {45, 2, 16, 16, 0, 0, 48},
    {45, 3, 48, 16, 0, 0, 112},
    {46, 2, 48, 16, 0, 16, 48},
    // FP8 tables: v0-v3 and v4-v7 are 16 items each
    {45, 0, 0, 15, 0, 0, 15},
    {45, 0, 16, 0, 0, 0, 16},
    {45, 0, 32, 0, 0, 0, 32},
    {45, 0, 48, 15, 0, 0, 63},
    {45, 0, 0, 16, 0, 0, 64},
    {45, 1, 16, 16, 0, 0, 80},
    {45, 0, 48, 31, 0, 0, 127},
    {46, 0, 16, 0, 0, 16, 0},
    {46, 0, 32, 0, 0, 0, 16},
    {46, 0, 0, 16, 0, 0, 32},
    {46, 1, 48, 16, 0, 16, 48},
    {46, 0, 63, 31, 0, 31, 63},
    // BF16 and I8 tables
    {53, 0, 16, 2, 0, 0, 10},
    {53, 0, 48, 7, 0, 0, 31},
    {55, 0, 16, 1, 0, 16, 1},
    {55, 0, 32, 4, 0, 0, 12},
    {54, 0, 16, 4, 0, 0, 20},
    {54, 0, 63, 15, 0, 15, 63},
    {56, 0, 48, 8, 0, 16, 24},
    {56, 0, 15, 15, 0, 15, 15},
};

TEST(Layouts, InputFiguresOfTheManual) {
  for (const InputFigure& figure : kInputFigures) {
    const MatrixOperation operation = matrix_operation({figure.opcode, figure.code, 0, figure.code});
    ASSERT_TRUE(operation.known());
    const bool chunks = operation.small_formats && figure.code < 2;
    const ElementPlace place = input_place(operation.shape, chunks, figure.lane, figure.item);
    EXPECT_EQ(place.block, figure.block) << figure.opcode << " lane " << figure.lane << " item " << figure.item;
    EXPECT_EQ(place.row, figure.row) << figure.opcode << " lane " << figure.lane << " item " << figure.item;
    EXPECT_EQ(place.k, figure.k) << figure.opcode << " lane " << figure.lane << " item " << figure.item;
  }
}

struct ResultFigure {
  int opcode, lane, item;
  int block, i, j;
};

constexpr ResultFigure kResultFigures[] = {
    // 7.1.3.1
    {64, 0, 0, 0, 0, 0},
    {64, 31, 1, 0, 1, 31},
    {64, 32, 0, 0, 4, 0},
    {64, 63, 3, 0, 7, 31},
    {64, 0, 4, 0, 8, 0},
    {64, 32, 4, 0, 12, 0},
    {64, 1, 15, 0, 27, 1},
    {64, 63, 15, 0, 31, 31},
    {64, 0, 16, 1, 0, 0},
    {64, 33, 31, 1, 31, 1},
    // 7.1.3.2
    {68, 32, 1, 0, 5, 0},
    {68, 0, 15, 0, 27, 0},
    // 7.1.3.3
    {74, 4, 0, 1, 0, 0},
    {74, 63, 3, 15, 3, 3},
    {74, 3, 0, 0, 0, 3},
    // 7.1.3.4; items are pairs of registers
    {110, 15, 0, 0, 0, 15},
    {110, 16, 0, 0, 1, 0},
    {110, 0, 1, 0, 4, 0},
    {110, 63, 3, 0, 15, 15},
    {110, 16, 3, 0, 13, 0},
    // 4x4x4_4B f64: lane 16i + 4b + j
    {111, 1, 0, 0, 0, 1},
    {111, 4, 0, 1, 0, 0},
    {111, 16, 0, 0, 1, 0},
    {111, 63, 0, 3, 3, 3},
    // closed forms of 16x16
    {69, 16, 0, 0, 4, 0},
    {69, 63, 3, 0, 15, 15},
    {65, 16, 5, 1, 5, 0},
    {65, 2, 14, 3, 2, 2},
};

TEST(Layouts, ResultFiguresOfTheManual) {
  for (const ResultFigure& figure : kResultFigures) {
    const MatrixOperation operation = matrix_operation({figure.opcode, 0, 0, 0});
    const ResultPlace place = result_place(operation.shape, operation.is_f64(), figure.lane, figure.item);
    EXPECT_EQ(place.block, figure.block) << figure.opcode << " lane " << figure.lane << " item " << figure.item;
    EXPECT_EQ(place.i, figure.i) << figure.opcode << " lane " << figure.lane << " item " << figure.item;
    EXPECT_EQ(place.j, figure.j) << figure.opcode << " lane " << figure.lane << " item " << figure.item;
  }
}

// A has one 1 and B has one 1, in places that meet: D has one 1, and it is where the manual says.
void check_one_hot(Image& image, const MatrixUnit& unit, int block, int i, int j, int k) {
  const Instruction& in = image.instruction;
  image.set_a(block, i, k, in.a.one);
  image.set_b(block, k, j, in.b.one);
  ASSERT_EQ(image.run(unit), "");
  const std::uint64_t one = in.one_in_d();
  ASSERT_EQ(image.get_d(block, i, j), one) << in.name << " block " << block << " i " << i << " j " << j << " k " << k;
  std::size_t set = 0;
  for (const std::uint32_t dword : image.d()) set += dword != 0 ? 1U : 0U;
  ASSERT_EQ(set, 1U) << in.name << " block " << block << " i " << i << " j " << j << " k " << k;
  image.set_a(block, i, k, 0);
  image.set_b(block, k, j, 0);
}

// Every element of A with some j, then every element of B with some i.
void check_all_places(const Instruction& in, const MatrixUnit& unit) {
  Image image(in);
  for (int block = 0; block < in.blocks; ++block) {
    for (int k = 0; k < in.k; ++k) {
      for (int row = 0; row < in.m; ++row) {
        const int other = (5 * row + 3 * k + 7 * block + 1) % in.n;
        check_one_hot(image, unit, block, row, other, k);
        check_one_hot(image, unit, block, other, row, k);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

class OneHot : public ::testing::TestWithParam<Instruction> {};

TEST_P(OneHot, OnePlaceOfAMeetsOnePlaceOfBInOnePlaceOfD) {
  const MatrixUnit unit(candidate_config());
  check_all_places(GetParam(), unit);
}

std::string test_name(const ::testing::TestParamInfo<Instruction>& info) {
  const Instruction& in = info.param;
  return in.f8f6f4 ? in.name + "_" + std::string(in.a.name) + "_" + std::string(in.b.name) : in.name;
}

INSTANTIATE_TEST_SUITE_P(Plain, OneHot, ::testing::ValuesIn(plain_instructions()), test_name);
INSTANTIATE_TEST_SUITE_P(F8F6F4, OneHot,
                         ::testing::Values(f8f6f4(45, 0, 0), f8f6f4(45, 2, 2), f8f6f4(45, 4, 4), f8f6f4(45, 1, 4),
                                           f8f6f4(45, 3, 0), f8f6f4(46, 0, 0), f8f6f4(46, 2, 2), f8f6f4(46, 4, 4),
                                           f8f6f4(46, 4, 1), f8f6f4(46, 0, 3)),
                         test_name);

// C goes where D comes from: with A zero, D is C.
TEST(Layouts, CAndDSharePlaces) {
  const MatrixUnit unit(candidate_config());
  for (const Instruction& in : plain_instructions()) {
    Image image(in);
    for (std::size_t n = 0; n < image.c.size(); ++n) image.c[n] = 0x40000000 + static_cast<std::uint32_t>(n);
    ASSERT_EQ(image.run(unit), "");
    EXPECT_EQ(image.d(), image.c) << in.name;
  }
}

}  // namespace
}  // namespace mfma::gfx950::testing
