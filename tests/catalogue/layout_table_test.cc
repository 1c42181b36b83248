// Layouts against the pictures of the CDNA4 manual (7.1.3, 7.1.5.1, 7.2.1), copied by hand.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/catalogue/layout.h"

namespace mfma::catalogue {
namespace {

Instance instance(std::string_view id) {
  const auto parsed = parse_instance(id);
  if (!parsed) throw std::invalid_argument(parsed.error());
  return *parsed;
}

// One cell of a picture: the element that is in `lane`, register `reg`, from bit `low` of that register.
struct Cell {
  int reg, low, lane;
  Element element;
};

void expect_cells(const Layout& layout, const std::vector<Cell>& cells) {
  for (const Cell& c : cells) {
    const Location expected{c.lane, 32 * c.reg + c.low, layout.element_bits()};
    EXPECT_EQ(layout.locate(c.element), expected)
        << "element " << c.element.block << "," << c.element.row << "," << c.element.column << " in lane "
        << layout.locate(c.element).lane << " bit " << layout.locate(c.element).bit;
    EXPECT_EQ(layout.element_at(c.lane, expected.bit), c.element) << "lane " << c.lane << " bit " << expected.bit;
    EXPECT_EQ(layout.element_at(c.lane, expected.bit + layout.element_bits() - 1), c.element);
  }
}

TEST(ManualPictures, F32_32x32x1_2B) {
  const Instance i = instance("mfma_f32_32x32x1f32");
  expect_cells(Layout(i, Operand::kA), {{0, 0, 0, {0, 0, 0}},
                                        {0, 0, 1, {0, 1, 0}},
                                        {0, 0, 31, {0, 31, 0}},
                                        {0, 0, 32, {1, 0, 0}},
                                        {0, 0, 63, {1, 31, 0}}});
  expect_cells(Layout(i, Operand::kB), {{0, 0, 0, {0, 0, 0}},
                                        {0, 0, 1, {0, 0, 1}},
                                        {0, 0, 31, {0, 0, 31}},
                                        {0, 0, 32, {1, 0, 0}},
                                        {0, 0, 63, {1, 0, 31}}});
  for (const Operand operand : {Operand::kC, Operand::kD}) {
    expect_cells(Layout(i, operand), {{0, 0, 0, {0, 0, 0}},
                                      {0, 0, 31, {0, 0, 31}},
                                      {0, 0, 32, {0, 4, 0}},
                                      {0, 0, 63, {0, 4, 31}},
                                      {1, 0, 0, {0, 1, 0}},
                                      {1, 0, 32, {0, 5, 0}},
                                      {3, 0, 0, {0, 3, 0}},
                                      {3, 0, 63, {0, 7, 31}},
                                      {4, 0, 0, {0, 8, 0}},
                                      {4, 0, 32, {0, 12, 0}},
                                      {15, 0, 0, {0, 27, 0}},
                                      {15, 0, 63, {0, 31, 31}},
                                      {16, 0, 0, {1, 0, 0}},
                                      {16, 0, 32, {1, 4, 0}},
                                      {31, 0, 0, {1, 27, 0}},
                                      {31, 0, 32, {1, 31, 0}},
                                      {31, 0, 63, {1, 31, 31}}});
  }
}

TEST(ManualPictures, F32_32x32x2) {
  const Instance i = instance("mfma_f32_32x32x2f32");
  expect_cells(Layout(i, Operand::kA), {{0, 0, 0, {0, 0, 0}},
                                        {0, 0, 1, {0, 1, 0}},
                                        {0, 0, 31, {0, 31, 0}},
                                        {0, 0, 32, {0, 0, 1}},
                                        {0, 0, 63, {0, 31, 1}}});
  expect_cells(Layout(i, Operand::kB),
               {{0, 0, 0, {0, 0, 0}}, {0, 0, 31, {0, 0, 31}}, {0, 0, 32, {0, 1, 0}}, {0, 0, 63, {0, 1, 31}}});
  expect_cells(Layout(i, Operand::kD), {{0, 0, 32, {0, 4, 0}},
                                        {3, 0, 32, {0, 7, 0}},
                                        {4, 0, 0, {0, 8, 0}},
                                        {15, 0, 0, {0, 27, 0}},
                                        {15, 0, 63, {0, 31, 31}}});
}

TEST(ManualPictures, F16_4x4x4_16B) {
  const Instance i = instance("mfma_f32_4x4x4f16");
  expect_cells(Layout(i, Operand::kA), {{0, 0, 0, {0, 0, 0}},
                                        {0, 0, 1, {0, 1, 0}},
                                        {0, 0, 3, {0, 3, 0}},
                                        {0, 0, 4, {1, 0, 0}},
                                        {0, 0, 63, {15, 3, 0}},
                                        {0, 16, 0, {0, 0, 1}},
                                        {0, 16, 4, {1, 0, 1}},
                                        {1, 0, 1, {0, 1, 2}},
                                        {1, 0, 63, {15, 3, 2}},
                                        {1, 16, 3, {0, 3, 3}},
                                        {1, 16, 63, {15, 3, 3}}});
  expect_cells(Layout(i, Operand::kB), {{0, 0, 1, {0, 0, 1}},
                                        {0, 16, 0, {0, 1, 0}},
                                        {0, 16, 63, {15, 1, 3}},
                                        {1, 0, 0, {0, 2, 0}},
                                        {1, 0, 4, {1, 2, 0}},
                                        {1, 16, 3, {0, 3, 3}},
                                        {1, 16, 63, {15, 3, 3}}});
  expect_cells(Layout(i, Operand::kD), {{0, 0, 0, {0, 0, 0}},
                                        {0, 0, 3, {0, 0, 3}},
                                        {0, 0, 4, {1, 0, 0}},
                                        {0, 0, 63, {15, 0, 3}},
                                        {3, 0, 0, {0, 3, 0}},
                                        {3, 0, 63, {15, 3, 3}}});
}

TEST(ManualPictures, F64_16x16x4) {
  const Instance i = instance("mfma_f64_16x16x4f64");
  expect_cells(Layout(i, Operand::kA), {{0, 0, 0, {0, 0, 0}},
                                        {0, 0, 1, {0, 1, 0}},
                                        {0, 0, 15, {0, 15, 0}},
                                        {0, 0, 16, {0, 0, 1}},
                                        {0, 0, 63, {0, 15, 3}}});
  expect_cells(Layout(i, Operand::kB), {{0, 0, 0, {0, 0, 0}},
                                        {0, 0, 1, {0, 0, 1}},
                                        {0, 0, 15, {0, 0, 15}},
                                        {0, 0, 16, {0, 1, 0}},
                                        {0, 0, 63, {0, 3, 15}}});
  expect_cells(Layout(i, Operand::kD), {{0, 0, 0, {0, 0, 0}},
                                        {0, 0, 15, {0, 0, 15}},
                                        {0, 0, 16, {0, 1, 0}},
                                        {0, 0, 63, {0, 3, 15}},
                                        {2, 0, 0, {0, 4, 0}},
                                        {2, 0, 16, {0, 5, 0}},
                                        {2, 0, 63, {0, 7, 15}},
                                        {6, 0, 0, {0, 12, 0}},
                                        {6, 0, 16, {0, 13, 0}},
                                        {6, 0, 63, {0, 15, 15}}});
}

// Not a picture of the manual, whose formula gives lane 4i + 16b + j here: AMD's calculator and AMD's own example for
// this instruction (docs/discrepancies.md, f64-4x4x4-layout). The calculator's table for blocks 0 to 2, read off it.
TEST(CalculatorTable, F64_4x4x4_4B) {
  const Instance i = instance("mfma_f64_4x4x4f64");
  const std::vector<std::vector<std::vector<int>>> lanes{
      {{0, 1, 2, 3}, {16, 17, 18, 19}, {32, 33, 34, 35}, {48, 49, 50, 51}},
      {{4, 5, 6, 7}, {20, 21, 22, 23}, {36, 37, 38, 39}, {52, 53, 54, 55}},
      {{8, 9, 10, 11}, {24, 25, 26, 27}, {40, 41, 42, 43}, {56, 57, 58, 59}}};
  for (const Operand operand : {Operand::kC, Operand::kD}) {
    const Layout layout(i, operand);
    for (int b = 0; b < 3; ++b) {
      for (int row = 0; row < 4; ++row) {
        for (int column = 0; column < 4; ++column) {
          const auto lane =
              lanes[static_cast<std::size_t>(b)][static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
          EXPECT_EQ(layout.locate({b, row, column}), (Location{lane, 0, 64}));
        }
      }
    }
  }
}

// The tables of 7.1.5.1: for each of four rows of 16 lanes, the first index of M (or N) and, register by register,
// the first k; 32 / bits items follow it in the register.
struct RowTable {
  std::string_view id;
  int bits;
  std::vector<int> first_index;           // by row of 16 lanes
  std::vector<std::vector<int>> first_k;  // by register, then row of 16 lanes
};

void expect_table(const RowTable& table) {
  SCOPED_TRACE(table.id);
  const Instance i = instance(table.id);
  const Layout a(i, Operand::kA), b(i, Operand::kB);
  const int items = 32 / table.bits;
  for (std::size_t reg = 0; reg < table.first_k.size(); ++reg) {
    for (std::size_t row = 0; row < 4; ++row) {
      for (int thread = 0; thread < 16; ++thread) {
        for (int item = 0; item < items; ++item) {
          const int lane = static_cast<int>(row) * 16 + thread;
          const int index = table.first_index[row] + thread;
          const int k = table.first_k[reg][row] + item;
          const Location expected{lane, static_cast<int>(reg) * 32 + item * table.bits, table.bits};
          EXPECT_EQ(a.locate({0, index, k}), expected);
          EXPECT_EQ(b.locate({0, k, index}), expected);
          EXPECT_EQ(a.element_at(lane, expected.bit), (Element{0, index, k}));
          EXPECT_EQ(b.element_at(lane, expected.bit), (Element{0, k, index}));
        }
      }
    }
  }
}

const std::vector<int> kSixteen{0, 0, 0, 0}, kThirtyTwo{0, 16, 0, 16};

// Where the manual gives a range of k for several registers, its registers follow one another within the range.
std::vector<std::vector<int>> spread(const std::vector<std::vector<int>>& first_k_of_ranges, int registers, int items) {
  std::vector<std::vector<int>> rows;
  for (const auto& range : first_k_of_ranges) {
    for (int reg = 0; reg < registers; ++reg) {
      rows.push_back(range);
      for (int& k : rows.back()) k += reg * items;
    }
  }
  return rows;
}

TEST(ManualTables, Bf16AndF16) {
  const std::vector<std::vector<int>> wide{{0, 8, 16, 24}, {2, 10, 18, 26}, {4, 12, 20, 28}, {6, 14, 22, 30}};
  const std::vector<std::vector<int>> tall{{0, 0, 8, 8}, {2, 2, 10, 10}, {4, 4, 12, 12}, {6, 6, 14, 14}};
  expect_table({"mfma_f32_16x16x32_bf16", 16, kSixteen, wide});
  expect_table({"mfma_f32_16x16x32_f16", 16, kSixteen, wide});
  expect_table({"mfma_f32_32x32x16_bf16", 16, kThirtyTwo, tall});
  expect_table({"mfma_f32_32x32x16_f16", 16, kThirtyTwo, tall});
}

TEST(ManualTables, Iu8) {
  expect_table(
      {"mfma_i32_16x16x64_i8", 8, kSixteen, {{0, 16, 32, 48}, {4, 20, 36, 52}, {8, 24, 40, 56}, {12, 28, 44, 60}}});
  expect_table(
      {"mfma_i32_32x32x32_i8", 8, kThirtyTwo, {{0, 0, 16, 16}, {4, 4, 20, 20}, {8, 8, 24, 24}, {12, 12, 28, 28}}});
}

TEST(ManualTables, Fp8) {
  const auto wide = spread({{0, 16, 32, 48}, {64, 80, 96, 112}}, 4, 4);
  const auto tall = spread({{0, 0, 16, 16}, {32, 32, 48, 48}}, 4, 4);
  expect_table({"mfma_scale_f32_16x16x128_f8f6f4:a=fp8,b=bf8,op_sel=0/0", 8, kSixteen, wide});
  expect_table({"mfma_scale_f32_16x16x128_f8f6f4:a=bf8,b=fp8,unscaled", 8, kSixteen, wide});
  expect_table({"mfma_scale_f32_32x32x64_f8f6f4:a=fp8,b=fp8,op_sel=3/3", 8, kThirtyTwo, tall});
}

TEST(ManualTables, Fp4) {
  expect_table(
      {"mfma_scale_f32_16x16x128_f8f6f4:a=fp4,b=fp4,op_sel=0/0", 4, kSixteen, spread({{0, 32, 64, 96}}, 4, 8)});
  expect_table({"mfma_scale_f32_32x32x64_f8f6f4:a=fp4,b=fp4,unscaled", 4, kThirtyTwo, spread({{0, 0, 32, 32}}, 4, 8)});
}

// FP6: k 0-15 of a lane's 32 in v0..v2, 16-31 in v3..v5, densely packed: item n at bits 6n..6n+5 of 192.
TEST(ManualTables, Fp6) {
  struct Half {
    int first_register;
    std::vector<int> first_k;
  };
  const auto check = [](std::string_view id, const std::vector<int>& first_index, const std::vector<Half>& halves) {
    SCOPED_TRACE(id);
    const Instance i = instance(id);
    const Layout a(i, Operand::kA), b(i, Operand::kB);
    EXPECT_EQ(a.registers(), 6);
    for (const Half& half : halves) {
      for (int lane = 0; lane < 64; ++lane) {
        const auto row = static_cast<std::size_t>(lane / 16);
        for (int n = 0; n < 16; ++n) {
          const int index = first_index[row] + lane % 16, k = half.first_k[row] + n;
          const Location expected{lane, 32 * half.first_register + 6 * n, 6};
          EXPECT_EQ(a.locate({0, index, k}), expected);
          EXPECT_EQ(b.locate({0, k, index}), expected);
          for (int bit = 0; bit < 6; ++bit) {
            EXPECT_EQ(a.element_at(lane, expected.bit + bit), (Element{0, index, k}));
          }
        }
      }
    }
  };
  check("mfma_scale_f32_16x16x128_f8f6f4:a=fp6,b=bf6,op_sel=0/0", kSixteen,
        {{0, {0, 32, 64, 96}}, {3, {16, 48, 80, 112}}});
  check("mfma_scale_f32_32x32x64_f8f6f4:a=bf6,b=fp6,unscaled", kThirtyTwo,
        {{0, {0, 0, 32, 32}}, {3, {16, 16, 48, 48}}});
}

// The rule for 8-bit operands is each operand's own: the other one's format does not change it.
TEST(ManualTables, MixedFormatsLayOutEachOperandByItsOwnFormat) {
  const Instance i = instance("mfma_scale_f32_16x16x128_f8f6f4:a=fp8,b=fp4,op_sel=0/0");
  const Layout a(i, Operand::kA), b(i, Operand::kB);
  EXPECT_EQ(a.locate({0, 3, 16}), (Location{3 + 16, 0, 8}));
  EXPECT_EQ(a.locate({0, 3, 64}), (Location{3, 128, 8}));
  EXPECT_EQ(b.locate({0, 16, 3}), (Location{3, 64, 4}));
  EXPECT_EQ(b.locate({0, 64, 3}), (Location{3 + 32, 0, 4}));
}

TEST(ManualTables, Scales) {
  const Instance wide = instance("mfma_scale_f32_16x16x128_f8f6f4:a=fp8,b=fp4,op_sel=1/2");
  const Layout sa(wide, Operand::kScaleA), sb(wide, Operand::kScaleB);
  // Lane 0: M=0, K=0-31. Lane 16: M=0, K=32-63. Lane 32: M=0, K=64-95. Lane 63: M=15, K=96-127.
  EXPECT_EQ(sa.locate({0, 0, 0}), (Location{0, 8, 8}));
  EXPECT_EQ(sa.locate({0, 15, 0}), (Location{15, 8, 8}));
  EXPECT_EQ(sa.locate({0, 0, 1}), (Location{16, 8, 8}));
  EXPECT_EQ(sa.locate({0, 0, 2}), (Location{32, 8, 8}));
  EXPECT_EQ(sa.locate({0, 15, 3}), (Location{63, 8, 8}));
  EXPECT_EQ(sb.locate({0, 3, 15}), (Location{63, 16, 8}));
  EXPECT_EQ(sb.locate({0, 1, 2}), (Location{18, 16, 8}));
  const Instance tall = instance("mfma_scale_f32_32x32x64_f8f6f4:a=fp4,b=fp4,op_sel=0/3");
  const Layout ta(tall, Operand::kScaleA), tb(tall, Operand::kScaleB);
  // Lane 16: M=16, K=0-31. Lane 32: M=0, K=32-63. Lane 63: M=31, K=32-63.
  EXPECT_EQ(ta.locate({0, 16, 0}), (Location{16, 0, 8}));
  EXPECT_EQ(ta.locate({0, 0, 1}), (Location{32, 0, 8}));
  EXPECT_EQ(tb.locate({0, 1, 31}), (Location{63, 24, 8}));
  EXPECT_EQ(ta.rows(), 32);
  EXPECT_EQ(ta.columns(), 2);
  EXPECT_EQ(tb.rows(), 2);
  EXPECT_EQ(tb.columns(), 32);
  EXPECT_EQ(tb.registers(), 1);
}

}  // namespace
}  // namespace mfma::catalogue
