// The table of instructions, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/matrix_unit/support.h"

namespace mfma::gfx950::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Forms, AllPlainOpcodesAreThoseOfTable90) {
  std::set<int> opcodes{45, 46};
  for (const Instruction& in : plain_instructions()) {
    SCOPED_TRACE(in.name);
    const MatrixForm form = matrix_form({in.opcode, 0, 0, 0});
    ASSERT_TRUE(form.known);
    EXPECT_EQ(form.mnemonic, "v_mfma_" + in.name);
    EXPECT_EQ(form.passes, in.passes);
    // Elements in bits over 64 lanes of 32 bits.
    EXPECT_EQ(form.a_registers, in.m * in.k * in.blocks * in.a.bits() / 2048);
    EXPECT_EQ(form.b_registers, in.n * in.k * in.blocks * in.b.bits() / 2048);
    EXPECT_EQ(form.c_registers, in.m * in.n * in.blocks * (in.f64() ? 64 : 32) / 2048);
    opcodes.insert(in.opcode);
  }
  EXPECT_EQ(opcodes.size(), 38U);
  for (int opcode = -3; opcode < 200; ++opcode) {
    EXPECT_EQ(matrix_form({opcode, 0, 0, 0}).known, opcodes.contains(opcode)) << opcode;
  }
}

TEST(Forms, RegistersAndPassesOfF8F6F4FollowTheFormats) {
  const int registers[5] = {8, 8, 6, 6, 4};  // manual 7.1.5
  for (const int opcode : {45, 46}) {
    for (int a = 0; a < 8; ++a) {
      for (int b = 0; b < 8; ++b) {
        const MatrixForm form = matrix_form({opcode, a, 0, b});
        ASSERT_EQ(form.known, a < 5 && b < 5) << a << ' ' << b;
        if (!form.known) continue;
        EXPECT_EQ(form.a_registers, registers[a]);
        EXPECT_EQ(form.b_registers, registers[b]);
        EXPECT_EQ(form.c_registers, opcode == 45 ? 4 : 16);
        const bool wide = a < 2 || b < 2;
        EXPECT_EQ(form.passes, (opcode == 45 ? 4 : 8) * (wide ? 2 : 1));
      }
    }
  }
}

class Refusals : public ::testing::Test {
 protected:
  std::string run(const MatrixControls& controls, std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
    const std::vector<std::uint32_t> zeros(4096);
    std::vector<std::uint32_t> result(d, 0xdeadbeef);
    const std::span<const std::uint32_t> all(zeros);
    const std::string why = unit_.execute(controls, {all.first(a), all.first(b), all.first(c), {}, {}, 0, 0}, result);
    if (!why.empty()) {
      for (const std::uint32_t dword : result) EXPECT_EQ(dword, 0xdeadbeef);
      EXPECT_EQ(why.find('\n'), std::string::npos);
    }
    return why;
  }
  MatrixUnit unit_{candidate_config()};
};

TEST_F(Refusals, UnknownOpcodesAndReservedFormatCodes) {
  EXPECT_THAT(run({47, 0, 0, 0}, 256, 256, 256, 256), HasSubstr("opcode 47"));
  EXPECT_THAT(run({-1, 0, 0, 0}, 256, 256, 256, 256), HasSubstr("opcode -1"));
  EXPECT_THAT(run({58, 0, 0, 0}, 256, 256, 256, 256), HasSubstr("opcode 58"));  // a sparse one
  EXPECT_THAT(run({45, 5, 0, 0}, 512, 512, 256, 256), HasSubstr("format code 5 of A"));
  EXPECT_THAT(run({45, 0, 0, 7}, 512, 512, 256, 256), HasSubstr("format code 7 of B"));
}

TEST_F(Refusals, CbszAndAbid) {
  EXPECT_THAT(run({64, 1, 1, 0}, 64, 64, 2048, 2048), IsEmpty());
  EXPECT_THAT(run({64, 2, 0, 0}, 64, 64, 2048, 2048), HasSubstr("cbsz 2"));
  EXPECT_THAT(run({64, 1, 2, 0}, 64, 64, 2048, 2048), HasSubstr("abid 2"));
  EXPECT_THAT(run({66, 4, 15, 0}, 64, 64, 256, 256), IsEmpty());
  EXPECT_THAT(run({66, 5, 0, 0}, 64, 64, 256, 256), HasSubstr("cbsz 5"));
  EXPECT_THAT(run({69, 0, 1, 0}, 64, 64, 256, 256), HasSubstr("abid 1"));
  EXPECT_THAT(run({69, 1, 0, 0}, 64, 64, 256, 256), HasSubstr("cbsz 1"));
  EXPECT_THAT(run({69, 0, 0, 8}, 64, 64, 256, 256), HasSubstr("do not fit"));
  EXPECT_THAT(run({69, -1, 0, 0}, 64, 64, 256, 256), HasSubstr("do not fit"));
  EXPECT_THAT(run({110, 7, 15, 7}, 128, 128, 512, 512), IsEmpty());  // f64 ignores both
}

TEST_F(Refusals, SizesAndScales) {
  EXPECT_THAT(run({84, 0, 0, 0}, 256, 256, 256, 256), IsEmpty());
  EXPECT_THAT(run({84, 0, 0, 0}, 128, 256, 256, 256), HasSubstr("A holds 128 dwords"));
  EXPECT_THAT(run({84, 0, 0, 0}, 256, 320, 256, 256), HasSubstr("B holds 320 dwords"));
  EXPECT_THAT(run({84, 0, 0, 0}, 256, 256, 0, 256), HasSubstr("C holds 0 dwords"));
  EXPECT_THAT(run({84, 0, 0, 0}, 256, 256, 256, 64), HasSubstr("D holds 64 dwords"));
  EXPECT_THAT(run({45, 4, 0, 2}, 256, 384, 256, 256), IsEmpty());
  EXPECT_THAT(run({45, 4, 0, 2}, 256, 256, 256, 256), HasSubstr("B holds 256 dwords"));
  Image scaled(instruction(84));
  scaled.unit_scales();
  EXPECT_THAT(scaled.run(unit_), HasSubstr("takes no scales"));
  Image byte(f8f6f4(45, 0, 0));
  byte.unit_scales();
  byte.scale_byte_b = 4;
  EXPECT_THAT(byte.run(unit_), HasSubstr("byte 4"));
  byte.scale_byte_b = 3;
  EXPECT_THAT(byte.run(unit_), IsEmpty());
  byte.scale_a.resize(63);
  EXPECT_THAT(byte.run(unit_), HasSubstr("63 dwords"));
}

TEST_F(Refusals, IntegerRuleOnAFloatForm) {
  AdderRules rules;
  rules.accumulate = Accumulate::kInteger;
  const MatrixUnit unit(config_of(rules));
  Image image(instruction(84));
  EXPECT_THAT(image.run(unit), HasSubstr("integer rule"));
}

TEST(Unit, NullConfigMeansDefaults) {
  const MatrixUnit unit(nullptr);
  Image image(instruction(84));
  image.set_a(0, 0, 0, kF16.one);
  image.set_b(0, 0, 0, kF16.one);
  ASSERT_THAT(image.run(unit), IsEmpty());
  EXPECT_EQ(image.get_d(0, 0, 0), kF32.one);
}

TEST(Unit, DMayBeTheMemoryOfC) {
  const MatrixUnit unit(candidate_config());
  std::mt19937_64 random(5);
  for (const int opcode : {84, 111, 64}) {
    Image image(instruction(opcode));
    image.randomise(random);
    ASSERT_THAT(image.run(unit), IsEmpty());
    std::vector<std::uint32_t> in_place = image.c;
    ASSERT_THAT(unit.execute({opcode, 0, 0, 0}, {image.a, image.b, in_place, {}, {}, 0, 0}, in_place), IsEmpty());
    EXPECT_EQ(in_place, image.d());
  }
}

}  // namespace
}  // namespace mfma::gfx950::testing
