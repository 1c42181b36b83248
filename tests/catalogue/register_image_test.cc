#include "harness/catalogue/register_image.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace mfma::catalogue {
namespace {

Instance instance(std::string_view id) {
  const auto parsed = parse_instance(id);
  if (!parsed) throw std::invalid_argument(parsed.error());
  return *parsed;
}

// Bit by bit, the slow way: what read_elements must give.
std::uint64_t bits_at(const RegisterImage& image, const Location& at) {
  std::uint64_t code = 0;
  for (int n = 0; n < at.width; ++n) {
    const std::uint32_t dword = image.at(at.lane, (at.bit + n) / 32);
    code |= std::uint64_t{dword >> ((at.bit + n) % 32) & 1} << n;
  }
  return code;
}

RegisterImage patterned(int registers) {
  RegisterImage image(registers);
  std::uint32_t state = 12345;
  for (std::uint32_t& dword : image.dwords) {
    state = state * 1664525 + 1013904223;
    dword = state ^ state >> 13;
  }
  return image;
}

const std::vector<std::string_view> kIds{"mfma_f32_4x4x1f32",
                                         "mfma_f32_16x16x32_f16",
                                         "mfma_i32_32x32x4i8",
                                         "mfma_f64_16x16x4f64",
                                         "mfma_scale_f32_16x16x128_f8f6f4:a=fp6,b=fp4,op_sel=1/2",
                                         "mfma_scale_f32_32x32x64_f8f6f4:a=fp8,b=bf6,op_sel=3/0"};

TEST(RegisterImage, IndexesByLaneThenRegister) {
  RegisterImage image(3);
  image.at(2, 1) = 7;
  EXPECT_EQ(image.dwords.size(), 192u);
  EXPECT_EQ(image.dwords[2 * 3 + 1], 7u);
  EXPECT_THROW(image.at(64, 0), std::out_of_range);
}

TEST(ReadElements, IsTheBitsOfEachLocation) {
  for (const std::string_view id : kIds) {
    const Instance i = instance(id);
    for (const Operand operand : {Operand::kA, Operand::kB, Operand::kC}) {
      const Layout& layout = shared_layout(i, operand);
      for (const int registers : {layout.registers(), layout.registers() + 2}) {
        const RegisterImage image = patterned(registers);
        const auto codes = read_elements(layout, image);
        ASSERT_EQ(codes.size(), layout.locations().size());
        for (std::size_t n = 0; n < codes.size(); ++n) {
          ASSERT_EQ(codes[n], bits_at(image, layout.locations()[n])) << id << " " << n;
        }
      }
    }
  }
}

// An FP6 element across a register: item 5 of a lane is bits 30..35, two in v0 and four in v1 (manual 7.1.4).
TEST(ReadElements, SixBitItemAcrossRegisters) {
  const Layout& layout = shared_layout(instance("mfma_scale_f32_16x16x128_f8f6f4:a=fp6,b=fp6,op_sel=0/0"), Operand::kA);
  RegisterImage image(8);
  image.at(4, 0) = 0b01u << 30;
  image.at(4, 1) = 0b1001u;
  EXPECT_EQ(read_elements(layout, image).at(4 * 128 + 5), 0b100101u);
}

TEST(ReadElements, F64HasItsLowHalfFirst) {
  const Layout& layout = shared_layout(instance("mfma_f64_4x4x4f64"), Operand::kB);
  RegisterImage image(2);
  image.at(0, 0) = 0x89abcdef;
  image.at(0, 1) = 0x01234567;
  EXPECT_EQ(read_elements(layout, image).at(0), 0x0123456789abcdefu);
}

TEST(WriteElements, ReadsBackAndLeavesOtherBitsAlone) {
  for (const std::string_view id : kIds) {
    const Instance i = instance(id);
    std::vector<Operand> operands{Operand::kA, Operand::kB, Operand::kC};
    if (i.builtin->modifiers == ModifierKind::kScaled) operands.push_back(Operand::kScaleA);
    for (const Operand operand : operands) {
      const Layout& layout = shared_layout(i, operand);
      const RegisterImage before = patterned(layout.registers() + 1);
      std::vector<std::uint64_t> codes = read_elements(layout, before);
      const std::uint64_t mask =
          layout.element_bits() == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << layout.element_bits()) - 1;
      for (std::size_t n = 0; n < codes.size(); ++n) codes[n] = (codes[n] * 31 + n * 0x9e3779b97f4a7c15) & mask;
      RegisterImage after = before;
      write_elements(layout, codes, after);
      EXPECT_EQ(read_elements(layout, after), codes) << id;
      for (int lane = 0; lane < kLanes; ++lane) {
        for (int bit = 0; bit < after.registers * 32; ++bit) {
          if (layout.element_at(lane, bit)) continue;
          const int reg = bit / 32, shift = bit % 32;
          ASSERT_EQ(after.at(lane, reg) >> shift & 1, before.at(lane, reg) >> shift & 1) << id << lane << " " << bit;
        }
      }
    }
  }
}

TEST(WriteElements, IgnoresBitsAboveTheWidth) {
  const Layout& layout = shared_layout(instance("mfma_scale_f32_16x16x128_f8f6f4:a=fp6,b=fp4,op_sel=0/0"), Operand::kA);
  RegisterImage image(6), wide(6);
  std::vector<std::uint64_t> codes(16 * 128, 0x15);
  write_elements(layout, codes, image);
  for (std::uint64_t& code : codes) code |= ~std::uint64_t{0x3f};
  write_elements(layout, codes, wide);
  EXPECT_EQ(image, wide);
}

TEST(ElementAccess, RefusesSizesThatDoNotFit) {
  const Layout& layout = shared_layout(instance("mfma_f32_16x16x32_f16"), Operand::kA);
  RegisterImage narrow(3), image(4), torn(4);
  torn.dwords.pop_back();
  EXPECT_THROW(read_elements(layout, narrow), std::invalid_argument);
  EXPECT_THROW(read_elements(layout, torn), std::invalid_argument);
  const std::vector<std::uint64_t> codes(10);
  EXPECT_THROW(write_elements(layout, codes, image), std::invalid_argument);
}

TEST(ElementAccess, FollowsACorruptedLayout) {
  Layout layout(instance("mfma_f32_16x16x4f32"), Operand::kD);
  const RegisterImage image = patterned(4);
  const auto right = read_elements(layout, image);
  layout.corrupt(7, layout.locations()[8]);
  const auto wrong = read_elements(layout, image);
  EXPECT_EQ(wrong[7], right[8]);
  EXPECT_NE(wrong[7], right[7]);
}

}  // namespace
}  // namespace mfma::catalogue
