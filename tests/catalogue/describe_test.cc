#include "harness/catalogue/describe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "harness/catalogue/notes.h"

namespace mfma::catalogue {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string described(std::string_view name) { return describe(*find_builtin(name)); }

void expect_fits_a_terminal(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 120u) << line;
    EXPECT_TRUE(line.empty() || line.back() != ' ') << "'" << line << "'";
    for (const char c : line) EXPECT_TRUE(c >= ' ' && c <= '~') << line;
  }
}

TEST(Describe, EveryBuiltinFitsATerminalInPlainAscii) {
  expect_fits_a_terminal(list_heading());
  for (const Builtin& b : builtins()) {
    expect_fits_a_terminal(list_line(b));
    expect_fits_a_terminal(describe(b));
  }
}

TEST(Describe, SaysTheFactsOfTheRow) {
  EXPECT_THAT(described("mfma_f32_4x4x4f16"),
              AllOf(HasSubstr("v4f32 __builtin_amdgcn_mfma_f32_4x4x4f16(v4f16 a, v4f16 b, v4f32 c, const int cbsz"),
                    HasSubstr("v_mfma_f32_4x4x4_16b_f16"), HasSubstr("opcode 74 (0x4a)"), HasSubstr("248 legal"),
                    HasSubstr("2 of 4 cycles"), HasSubstr("0..4: within each set"), HasSubstr("broadcast-sets:"),
                    HasSubstr("b=15 k=2-3"), Not(HasSubstr("scale"))));
  EXPECT_THAT(described("mfma_f64_4x4x4f64"),
              AllOf(HasSubstr("f64-4x4x4-layout:"), HasSubstr("neg=abc"), HasSubstr("target feature mai-insts")));
  EXPECT_THAT(described("mfma_scale_f32_32x32x64_f8f6f4"),
              AllOf(HasSubstr("op_sel_a, int scale_a"), HasSubstr("A in fp6, bf6: 6 dwords"), HasSubstr("A in fp4"),
                    HasSubstr("Scales of B"), HasSubstr("scale-entry:"), HasSubstr("425 legal"),
                    HasSubstr("16 of 4 cycles when A or B is an 8-bit format, else 8")));
  EXPECT_THAT(described("mfma_f32_16x16x32_bf8_fp8"), HasSubstr("A bf8_e5m2, B fp8_e4m3, C and D f32"));
}

TEST(List, OneLineEach) {
  const Builtin& b = *find_builtin("mfma_i32_16x16x4i8");
  EXPECT_EQ(
      list_line(b),
      "mfma_i32_16x16x4i8                  16x16x4 x4    i8                  i32  8      cbsz 0..2 abid blgp    81 "
      "    56\n");
}

TEST(DrawLayout, SixBitElementsCrossRegisters) {
  const Instance i{find_builtin("mfma_scale_f32_32x32x64_f8f6f4"), {.cbsz = 2, .blgp = 4, .scaled = true}};
  EXPECT_EQ(draw_layout(i, Operand::kA),
            "         lane 0-31           lane 32-63\n"
            "         i=0-31              i=0-31\n"
            "    v0   k=0-5~              k=32-37~\n"
            "    v1   ~k=5-10~            ~k=37-42~\n"
            "    v2   ~k=10-15            ~k=42-47\n"
            "    v3   k=16-21~            k=48-53~\n"
            "    v4   ~k=21-26~           ~k=53-58~\n"
            "    v5   ~k=26-31            ~k=58-63\n");
  EXPECT_EQ(draw_layout(i, Operand::kScaleB),
            "         lane 0-31           lane 32-63\n"
            "         j=0-31              j=0-31\n"
            "    v0   q=0                 q=1\n");
}

TEST(DrawLayout, LeavesOutTheMiddleOfManyRuns) {
  const Instance i{find_builtin("mfma_f32_4x4x1f32"), {}};
  EXPECT_EQ(draw_layout(i, Operand::kB),
            "         lane 0-3            lane 4-7            lane 8-11           ...                 lane 60-63\n"
            "         j=0-3               j=0-3               j=0-3               ...                 j=0-3\n"
            "    v0   b=0 k=0             b=1 k=0             b=2 k=0             ...                 b=15 k=0\n");
}

// Every note has its section in docs/discrepancies.md, so that `describe` never points at nothing.
TEST(Notes, EachHasItsSection) {
  std::ifstream file(std::string(MFMA_SOURCE_DIR) + "/docs/discrepancies.md");
  ASSERT_TRUE(file.is_open());
  std::stringstream text;
  text << file.rdbuf();
  for (const Note& note : notes()) {
    EXPECT_THAT(text.str(), HasSubstr("\n### " + std::string(note.id) + "\n"));
  }
}

TEST(Notes, ConcernTheRightBuiltins) {
  const auto concerns = [](std::string_view name, std::string_view id) {
    for (const Note* note : notes_on(*find_builtin(name))) {
      if (note->id == id) return true;
    }
    return false;
  };
  EXPECT_TRUE(concerns("mfma_f32_16x16x1f32", "broadcast-sets"));
  EXPECT_FALSE(concerns("mfma_f32_32x32x1f32", "broadcast-sets"));
  EXPECT_TRUE(concerns("mfma_i32_16x16x64_i8", "blgp-one-block"));
  EXPECT_FALSE(concerns("mfma_f32_16x16x4f32", "blgp-one-block"));
  EXPECT_FALSE(concerns("mfma_i32_16x16x64_i8", "nan-bits"));
  EXPECT_FALSE(concerns("mfma_f64_16x16x4f64", "f64-4x4x4-layout"));
}

}  // namespace
}  // namespace mfma::catalogue
