// Layouts of every instance: bijective, complete, and equal to the published formulas, written here once more.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/catalogue/layout.h"

namespace mfma::catalogue {
namespace {

const std::vector<Operand> kMatrices{Operand::kA, Operand::kB, Operand::kC, Operand::kD};

std::vector<Operand> operands_of(const Instance& i) {
  std::vector<Operand> operands = kMatrices;
  if (i.builtin->modifiers == ModifierKind::kScaled) {
    operands.push_back(Operand::kScaleA);
    operands.push_back(Operand::kScaleB);
  }
  return operands;
}

// The instances whose layouts can differ: one per builtin, and per format pair and op_sel of the scaled ones.
std::vector<Instance> instances_with_own_layouts() {
  std::vector<Instance> kept;
  for (const Instance& i : all_legal_instances()) {
    const Modifiers& m = i.modifiers;
    const bool plain = m.cbsz == 0 && m.abid == 0 && m.blgp == 0;
    if (plain || i.builtin->modifiers == ModifierKind::kScaled) kept.push_back(i);
  }
  return kept;
}

void for_each_element(const Layout& layout, const std::function<void(const Element&)>& visit) {
  for (int block = 0; block < layout.blocks(); ++block) {
    for (int row = 0; row < layout.rows(); ++row) {
      for (int column = 0; column < layout.columns(); ++column) visit({block, row, column});
    }
  }
}

TEST(Layouts, EveryBitHoldsOneElementAndTheInverseAgrees) {
  for (const Instance& i : instances_with_own_layouts()) {
    for (const Operand operand : operands_of(i)) {
      SCOPED_TRACE(instance_id(i) + " operand " + std::to_string(static_cast<int>(operand)));
      const Layout& layout = shared_layout(i, operand);
      const int bits = layout.registers() * 32;
      std::vector<int> owners(static_cast<std::size_t>(kLanes * bits), 0);
      bool agrees = true;
      for_each_element(layout, [&](const Element& e) {
        const Location at = layout.locate(e);
        ASSERT_TRUE(at.lane >= 0 && at.lane < kLanes && at.bit >= 0 && at.bit + at.width <= bits);
        EXPECT_EQ(at.width, layout.element_bits());
        for (int bit = at.bit; bit < at.bit + at.width; ++bit) {
          ++owners[static_cast<std::size_t>(at.lane * bits + bit)];
          agrees = agrees && layout.element_at(at.lane, bit) == e;
        }
      });
      EXPECT_TRUE(agrees);
      // Every bit of a matrix operand is used, once; of a scale's dword only the byte that op_sel names.
      const bool scale = operand == Operand::kScaleA || operand == Operand::kScaleB;
      const int byte = operand == Operand::kScaleA ? i.modifiers.op_sel_a : i.modifiers.op_sel_b;
      for (int lane = 0; lane < kLanes; ++lane) {
        for (int bit = 0; bit < bits; ++bit) {
          const bool used = !scale || bit / 8 == byte;
          ASSERT_EQ(owners[static_cast<std::size_t>(lane * bits + bit)], used ? 1 : 0) << lane << " " << bit;
          ASSERT_EQ(layout.element_at(lane, bit).has_value(), used);
        }
      }
    }
  }
}

TEST(Layouts, ElementAtOutsideTheRegistersIsNothing) {
  const Layout layout({find_builtin("mfma_f32_4x4x4f16"), {}}, Operand::kA);
  EXPECT_FALSE(layout.element_at(-1, 0));
  EXPECT_FALSE(layout.element_at(64, 0));
  EXPECT_FALSE(layout.element_at(0, -1));
  EXPECT_FALSE(layout.element_at(0, 64));
  EXPECT_TRUE(layout.element_at(63, 63));
}

TEST(Layouts, SizesAreTheMatrices) {
  for (const Instance& i : instances_with_own_layouts()) {
    const Shape& s = i.builtin->shape;
    const Layout& a = shared_layout(i, Operand::kA);
    const Layout& b = shared_layout(i, Operand::kB);
    const Layout& d = shared_layout(i, Operand::kD);
    EXPECT_EQ(std::make_tuple(a.blocks(), a.rows(), a.columns(), a.registers()),
              std::make_tuple(s.blocks, s.m, s.k, i.a_registers()));
    EXPECT_EQ(std::make_tuple(b.blocks(), b.rows(), b.columns(), b.registers()),
              std::make_tuple(s.blocks, s.k, s.n, i.b_registers()));
    EXPECT_EQ(std::make_tuple(d.blocks(), d.rows(), d.columns(), d.registers()),
              std::make_tuple(s.blocks, s.m, s.n, i.c_registers()));
    EXPECT_EQ(a.element_bits(), bits_of(i.a_format()));
    EXPECT_EQ(d.element_bits(), bits_of(i.builtin->acc_format));
    EXPECT_EQ(shared_layout(i, Operand::kC).locations(), d.locations());
  }
}

// CDNA4 ISA 7.1.4.1, as printed; 8-bit operands of f8f6f4 have tables of their own (layout_table_test.cc).
TEST(PublishedFormulas, Inputs) {
  for (const Instance& i : instances_with_own_layouts()) {
    const Shape& s = i.builtin->shape;
    const bool scaled = i.builtin->modifiers == ModifierKind::kScaled;
    const int b_count = s.blocks;
    if (!scaled || bits_of(i.a_format()) < 8) {
      const Layout& layout = shared_layout(i, Operand::kA);
      const int k_l = s.k / (64 / (s.m * b_count));
      for_each_element(layout, [&](const Element& e) {
        const int k = e.column;
        const Location expected{e.row + s.m * (e.block + b_count * (k / k_l)), (k % k_l) * bits_of(i.a_format()),
                                bits_of(i.a_format())};
        ASSERT_EQ(layout.locate(e), expected) << instance_id(i);
      });
    }
    if (!scaled || bits_of(i.b_format()) < 8) {
      const Layout& layout = shared_layout(i, Operand::kB);
      const int k_l = s.k / (64 / (s.n * b_count));
      for_each_element(layout, [&](const Element& e) {
        const int k = e.row;
        const Location expected{e.column + s.n * (e.block + b_count * (k / k_l)), (k % k_l) * bits_of(i.b_format()),
                                bits_of(i.b_format())};
        ASSERT_EQ(layout.locate(e), expected) << instance_id(i);
      });
    }
  }
}

// CDNA4 ISA 7.1.4.2, as printed, for all but f64 4x4x4.
TEST(PublishedFormulas, OutputsOfTheManual) {
  int checked = 0, differing = 0;
  for (const Builtin& builtin : builtins()) {
    const Instance i{&builtin, {}};
    const Shape& s = builtin.shape;
    const int h = builtin.acc_format == ElementFormat::kF64 ? 1 : 4;
    const int b_i = (64 + s.n * s.m / h - 1) / (s.n * s.m / h);
    const int m_i = (64 / b_i) / s.n;
    const int g = s.m / (h * m_i);
    const int width = bits_of(builtin.acc_format);
    bool same = true;
    const Layout layout(i, Operand::kD);
    for_each_element(layout, [&](const Element& e) {
      const int item = (e.row % h) + h * (e.row / (h * m_i) + g * (e.block / b_i));
      const int lane = e.column + s.n * ((e.row / h) % m_i + m_i * (e.block % b_i));
      same = same && layout.locate(e) == Location{lane, item * width, width};
    });
    ++checked;
    if (same) continue;
    ++differing;
    EXPECT_EQ(builtin.name, "mfma_f64_4x4x4f64");
  }
  EXPECT_EQ(checked, 38);
  EXPECT_EQ(differing, 1);
}

// AMD's matrix calculator (its formulas for 64-wide architectures, independent of the manual's constants).
TEST(PublishedFormulas, OutputsOfTheCalculator) {
  for (const Builtin& builtin : builtins()) {
    const Shape& s = builtin.shape;
    const int height = builtin.acc_format == ElementFormat::kF64 ? 1 : 4;
    const int rows_per_register = 64 / s.n;
    const int blocks_per_register = (64 + s.m * s.n / height - 1) / (s.m * s.n / height);
    const Layout layout({&builtin, {}}, Operand::kD);
    for_each_element(layout, [&](const Element& e) {
      const int item = e.block * (s.m * s.n / 64) + e.row / (height * rows_per_register) * height + e.row % height;
      const int lane = e.block % blocks_per_register * s.n +
                       e.row / height % rows_per_register * blocks_per_register * s.n + e.column;
      const int width = bits_of(builtin.acc_format);
      ASSERT_EQ(layout.locate(e), (Location{lane, item * width, width})) << builtin.name;
    });
  }
}

// Closed forms of C and D by shape, worked out by hand.
TEST(PublishedFormulas, OutputsInClosedForm) {
  for (const Builtin& builtin : builtins()) {
    const Shape& s = builtin.shape;
    const bool f64 = builtin.acc_format == ElementFormat::kF64;
    const Layout layout({&builtin, {}}, Operand::kD);
    for_each_element(layout, [&](const Element& e) {
      const int b = e.block, i = e.row, j = e.column;
      Location expected{};
      if (f64 && s.m == 16) expected = {j + 16 * (i % 4), 64 * (i / 4), 64};
      if (f64 && s.m == 4) expected = {j + 4 * b + 16 * i, 0, 64};
      if (!f64 && s.m == 32) expected = {j + 32 * ((i / 4) % 2), 32 * ((i % 4) + 4 * (i / 8) + 16 * b), 32};
      if (!f64 && s.m == 16) expected = {j + 16 * (i / 4), 32 * ((i % 4) + 4 * b), 32};
      if (!f64 && s.m == 4) expected = {j + 4 * b, 32 * i, 32};
      ASSERT_EQ(layout.locate(e), expected) << builtin.name << " " << b << "," << i << "," << j;
    });
  }
}

TEST(Layouts, ScalesOfABuiltinWithoutScalesAreRefused) {
  const Instance i{find_builtin("mfma_f32_4x4x1f32"), {}};
  EXPECT_THROW(Layout(i, Operand::kScaleA), std::invalid_argument);
  EXPECT_THROW(shared_layout(i, Operand::kScaleB), std::invalid_argument);
}

TEST(SharedLayout, IsOneObjectPerLayoutAndTheRightOne) {
  for (const Instance& i : all_legal_instances()) {
    for (const Operand operand : kMatrices) {
      Instance plain = i;
      plain.modifiers.abid = 0;
      if (i.builtin->modifiers != ModifierKind::kScaled) plain.modifiers = {};
      ASSERT_EQ(&shared_layout(i, operand), &shared_layout(plain, operand)) << instance_id(i);
    }
  }
  for (const Instance& i : instances_with_own_layouts()) {
    for (const Operand operand : operands_of(i)) {
      ASSERT_EQ(shared_layout(i, operand).locations(), Layout(i, operand).locations()) << instance_id(i);
    }
  }
  const Builtin stranger = *find_builtin("mfma_f32_4x4x1f32");
  EXPECT_THROW(shared_layout({&stranger, {}}, Operand::kA), std::invalid_argument);
}

TEST(Corrupt, ChangesOneElementBothWays) {
  Layout layout({find_builtin("mfma_f32_16x16x4f32"), {}}, Operand::kD);
  const Location right = layout.locate({0, 0, 1}), neighbour = layout.locate({0, 0, 2});
  layout.corrupt(1, neighbour);
  EXPECT_EQ(layout.locate({0, 0, 1}), neighbour);
  EXPECT_EQ(layout.element_at(neighbour.lane, neighbour.bit), (Element{0, 0, 1}));
  EXPECT_FALSE(layout.element_at(right.lane, right.bit));
  EXPECT_EQ(layout.element_at(0, 0), (Element{0, 0, 0}));
  EXPECT_THROW(layout.corrupt(0, {64, 0, 32}), std::out_of_range);
  EXPECT_THROW(layout.corrupt(0, {0, 4 * 32, 32}), std::out_of_range);
  EXPECT_THROW(layout.corrupt(16 * 16, neighbour), std::out_of_range);
}

}  // namespace
}  // namespace mfma::catalogue
