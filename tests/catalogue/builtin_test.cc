// The table against the manual's own figures, copied by hand, and against what its fields imply for one another.
#include "harness/catalogue/builtin.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>

namespace mfma::catalogue {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// CDNA4 ISA Table 90, the dense rows. The scaled builtins use the opcodes of the plain F8F6F4 instructions.
const std::map<std::string, int> kTable90{
    {"V_MFMA_F32_16X16X128_F8F6F4", 45},  {"V_MFMA_F32_32X32X64_F8F6F4", 46},   {"V_MFMA_F32_16X16X32_BF16", 53},
    {"V_MFMA_I32_16X16X64_I8", 54},       {"V_MFMA_F32_32X32X16_BF16", 55},     {"V_MFMA_I32_32X32X32_I8", 56},
    {"V_MFMA_F32_32X32X1_2B_F32", 64},    {"V_MFMA_F32_16X16X1_4B_F32", 65},    {"V_MFMA_F32_4X4X1_16B_F32", 66},
    {"V_MFMA_F32_32X32X2_F32", 68},       {"V_MFMA_F32_16X16X4_F32", 69},       {"V_MFMA_F32_32X32X4_2B_F16", 72},
    {"V_MFMA_F32_16X16X4_4B_F16", 73},    {"V_MFMA_F32_4X4X4_16B_F16", 74},     {"V_MFMA_F32_32X32X8_F16", 76},
    {"V_MFMA_F32_16X16X16_F16", 77},      {"V_MFMA_I32_32X32X4_2B_I8", 80},     {"V_MFMA_I32_16X16X4_4B_I8", 81},
    {"V_MFMA_I32_4X4X4_16B_I8", 82},      {"V_MFMA_F32_16X16X32_F16", 84},      {"V_MFMA_F32_32X32X16_F16", 85},
    {"V_MFMA_I32_32X32X16_I8", 86},       {"V_MFMA_I32_16X16X32_I8", 87},       {"V_MFMA_F32_32X32X4_2B_BF16", 93},
    {"V_MFMA_F32_16X16X4_4B_BF16", 94},   {"V_MFMA_F32_4X4X4_16B_BF16", 95},    {"V_MFMA_F32_32X32X8_BF16", 96},
    {"V_MFMA_F32_16X16X16_BF16", 97},     {"V_MFMA_F64_16X16X4_F64", 110},      {"V_MFMA_F64_4X4X4_4B_F64", 111},
    {"V_MFMA_F32_16X16X32_BF8_BF8", 112}, {"V_MFMA_F32_16X16X32_BF8_FP8", 113}, {"V_MFMA_F32_16X16X32_FP8_BF8", 114},
    {"V_MFMA_F32_16X16X32_FP8_FP8", 115}, {"V_MFMA_F32_32X32X16_BF8_BF8", 116}, {"V_MFMA_F32_32X32X16_BF8_FP8", 117},
    {"V_MFMA_F32_32X32X16_FP8_BF8", 118}, {"V_MFMA_F32_32X32X16_FP8_FP8", 119}};

// CDNA4 ISA Table 28: cycles by format of A and variant. f64 4x4x4_4B, where the opcode's text differs, is apart.
const std::map<std::string, int> kTable28Cycles{
    {"f32 32x32x1_2B", 64},  {"f32 16x16x1_4B", 32},  {"f32 4x4x1_16B", 8},   {"f32 32x32x2", 64},
    {"f32 16x16x4", 32},     {"f16 32x32x4_2B", 64},  {"f16 16x16x4_4B", 32}, {"f16 4x4x4_16B", 8},
    {"f16 32x32x8", 32},     {"f16 16x16x16", 16},    {"f16 16x16x32", 16},   {"f16 32x32x16", 32},
    {"bf16 32x32x4_2B", 64}, {"bf16 16x16x4_4B", 32}, {"bf16 4x4x4_16B", 8},  {"bf16 32x32x8", 32},
    {"bf16 16x16x16", 16},   {"bf16 16x16x32", 16},   {"bf16 32x32x16", 32},  {"i8 32x32x4_2B", 64},
    {"i8 16x16x4_4B", 32},   {"i8 4x4x4_16B", 8},     {"i8 32x32x16", 32},    {"i8 16x16x32", 16},
    {"i8 16x16x64", 16},     {"i8 32x32x32", 32},     {"f64 16x16x4", 64},    {"8-bit 16x16x32", 16},
    {"8-bit 32x32x16", 32},  {"8-bit 16x16x128", 32}, {"8-bit 32x32x64", 64}};

std::string shape_name(const Shape& s) {
  return fmt::format("{}x{}x{}{}", s.m, s.n, s.k, s.blocks == 1 ? "" : fmt::format("_{}B", s.blocks));
}

std::string upper(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

// "v8f16" -> 128, "f64" -> 64, "i64" -> 64, "v32f32" -> 1024.
int bits_of_type(std::string_view type) {
  int count = 1;
  if (type.starts_with('v')) {
    count = std::stoi(std::string(type.substr(1)));
    type = type.substr(type.find_first_not_of("0123456789", 1));
  }
  return count * std::stoi(std::string(type.substr(type.find_first_of("0123456789"))));
}

TEST(Builtins, ThereAre38WithDistinctNamesMnemonicsAndOpcodes) {
  std::set<std::string_view> names, mnemonics;
  std::set<int> opcodes;
  for (const Builtin& b : builtins()) {
    names.insert(b.name);
    mnemonics.insert(b.mnemonic);
    opcodes.insert(b.opcode);
  }
  EXPECT_EQ(builtins().size(), 38u);
  EXPECT_EQ(names.size(), 38u);
  EXPECT_EQ(mnemonics.size(), 38u);
  EXPECT_EQ(opcodes.size(), 38u);
}

TEST(Builtins, OpcodesAreThoseOfTable90) {
  std::set<std::string> seen;
  for (const Builtin& b : builtins()) {
    std::string name = upper(b.mnemonic);
    if (const auto at = name.find("_SCALE"); at != std::string::npos) name.erase(at, 6);
    ASSERT_TRUE(kTable90.contains(name)) << name;
    EXPECT_EQ(b.opcode, kTable90.at(name)) << name;
    seen.insert(name);
  }
  EXPECT_EQ(seen.size(), kTable90.size());
}

TEST(Builtins, PassesAreAQuarterOfTheCyclesOfTable28) {
  for (const Builtin& b : builtins()) {
    if (b.name == "mfma_f64_4x4x4f64") {
      EXPECT_EQ(b.passes, 4) << "the opcode's text, 12.10";
      continue;
    }
    const bool small_float = bits_of(b.a_format) == 8 && b.a_format != ElementFormat::kI8;
    const std::string key =
        (small_float ? std::string("8-bit") : std::string(name_of(b.a_format))) + " " + shape_name(b.shape);
    ASSERT_TRUE(kTable28Cycles.contains(key)) << key;
    EXPECT_EQ(b.passes * 4, kTable28Cycles.at(key)) << b.name;
  }
}

TEST(Builtins, NarrowFormatsHalveThePassesOfF8f6f4Only) {
  for (const Builtin& b : builtins()) {
    const int factor = b.modifiers == ModifierKind::kScaled ? 2 : 1;
    EXPECT_EQ(b.passes, factor * b.passes_narrow) << b.name;
  }
}

TEST(Builtins, MnemonicSaysShapeBlocksAndFormats) {
  for (const Builtin& b : builtins()) {
    const Shape& s = b.shape;
    const std::string shape =
        fmt::format("{}x{}x{}{}", s.m, s.n, s.k, s.blocks == 1 ? "" : fmt::format("_{}b", s.blocks));
    const auto short_name = [](ElementFormat f) { return std::string(name_of(f).substr(0, name_of(f).find('_'))); };
    std::string formats = short_name(b.a_format);
    if (bits_of(b.a_format) == 8 && b.a_format != ElementFormat::kI8) formats += "_" + short_name(b.b_format);
    std::string prefix = "v_mfma_";
    if (b.modifiers == ModifierKind::kScaled) {
      formats = "f8f6f4";
      prefix += "scale_";
    }
    EXPECT_EQ(b.mnemonic, fmt::format("{}{}_{}_{}", prefix, name_of(b.acc_format), shape, formats));
    EXPECT_THAT(std::string(b.name), HasSubstr(fmt::format("_{}_{}x{}x{}", name_of(b.acc_format), s.m, s.n, s.k)));
  }
}

TEST(Builtins, RegistersHoldExactlyTheElementsAndTheDeclaredTypes) {
  for (const Builtin& b : builtins()) {
    const Shape& s = b.shape;
    const int bits_per_register = 64 * 32;
    EXPECT_EQ(b.a_registers * bits_per_register, s.m * s.k * s.blocks * bits_of(b.a_format)) << b.name;
    EXPECT_EQ(b.b_registers * bits_per_register, s.k * s.n * s.blocks * bits_of(b.b_format)) << b.name;
    EXPECT_EQ(b.c_registers * bits_per_register, s.m * s.n * s.blocks * bits_of(b.acc_format)) << b.name;
    EXPECT_EQ(bits_of_type(b.a_type), b.a_registers * 32) << b.name;
    EXPECT_EQ(bits_of_type(b.b_type), b.b_registers * 32) << b.name;
    EXPECT_EQ(bits_of_type(b.c_type), b.c_registers * 32) << b.name;
    EXPECT_EQ(b.c_type, b.result_type) << b.name;
  }
}

TEST(Builtins, FamilySizes) {
  std::map<std::string, int> by_format, by_blocks, by_feature;
  for (const Builtin& b : builtins()) {
    ++by_format[b.modifiers == ModifierKind::kScaled ? "f8f6f4" : std::string(name_of(b.a_format))];
    ++by_blocks[b.modifiers == ModifierKind::kBroadcast ? fmt::format("{}", b.shape.blocks) : "other"];
    ++by_feature[std::string(b.feature)];
  }
  EXPECT_EQ(by_format, (std::map<std::string, int>{{"f32", 5},
                                                   {"f16", 7},
                                                   {"bf16", 7},
                                                   {"i8", 7},
                                                   {"f64", 2},
                                                   {"bf8_e5m2", 4},
                                                   {"fp8_e4m3", 4},
                                                   {"f8f6f4", 2}}));
  EXPECT_EQ(by_blocks, (std::map<std::string, int>{{"1", 22}, {"2", 4}, {"4", 4}, {"16", 4}, {"other", 4}}));
  // As clang 22.1.8 demands them: f16, bf16 and i8 got two wide shapes each with gfx950, and the scaled two.
  EXPECT_EQ(by_feature, (std::map<std::string, int>{{"mai-insts", 22}, {"fp8-insts", 8}, {"gfx950-insts", 8}}));
}

TEST(Builtins, FirstFormatInATwoFormatNameIsThatOfA) {
  const Builtin* b = find_builtin("mfma_f32_16x16x32_bf8_fp8");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->a_format, ElementFormat::kBf8E5m2);
  EXPECT_EQ(b->b_format, ElementFormat::kFp8E4m3);
}

TEST(FindBuiltin, WithAndWithoutPrefix) {
  const Builtin* b = find_builtin("mfma_f64_4x4x4f64");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->opcode, 111);
  EXPECT_EQ(find_builtin("__builtin_amdgcn_mfma_f64_4x4x4f64"), b);
  EXPECT_EQ(find_builtin("mfma_f64_4x4x4"), nullptr);
  EXPECT_EQ(find_builtin(""), nullptr);
  EXPECT_EQ(find_builtin("__builtin_amdgcn_"), nullptr);
}

TEST(RejectedBuiltins, NineNamesApartFromTheTable) {
  std::set<std::string_view> names;
  for (const RejectedBuiltin& r : rejected_builtins()) {
    names.insert(r.name);
    EXPECT_EQ(find_builtin(r.name), nullptr);
    EXPECT_FALSE(r.reason.empty());
    EXPECT_FALSE(r.source.empty());
  }
  EXPECT_EQ(names, (std::set<std::string_view>{"mfma_f32_16x16x2bf16", "mfma_f32_16x16x8bf16", "mfma_f32_32x32x2bf16",
                                               "mfma_f32_32x32x4bf16", "mfma_f32_4x4x2bf16", "mfma_f32_16x16x8_xf32",
                                               "mfma_f32_32x32x4_xf32", "mfma_i32_16x16x16i8", "mfma_i32_32x32x8i8"}));
}

TEST(ExplainUnknownName, TellsRejectedFromMisspelt) {
  EXPECT_THAT(explain_unknown_name("__builtin_amdgcn_mfma_f32_16x16x8_xf32"),
              AllOf(HasSubstr("clang knows mfma_f32_16x16x8_xf32"), HasSubstr("gfx950 does not have it")));
  EXPECT_THAT(explain_unknown_name("mfma_f32_16x16x32f16"),
              AllOf(HasSubstr("'mfma_f32_16x16x32f16'"), HasSubstr("mfma_f32_16x16x32_f16")));
}

TEST(NearestNames, ByEditDistance) {
  EXPECT_THAT(nearest_names("mfma_f32_16x16x32f16", 1), ElementsAre("mfma_f32_16x16x32_f16"));
  EXPECT_THAT(nearest_names("__builtin_amdgcn_mfma_f32_4x4x1_f32", 1), ElementsAre("mfma_f32_4x4x1f32"));
  EXPECT_EQ(nearest_names("x", 100).size(), 38u);
  EXPECT_TRUE(nearest_names("x", 0).empty());
}

TEST(MatchBuiltins, Globs) {
  const auto names = [](std::string_view glob) {
    std::vector<std::string_view> out;
    for (const Builtin* b : match_builtins(glob)) out.push_back(b->name);
    return out;
  };
  EXPECT_EQ(match_builtins("*").size(), 38u);
  EXPECT_EQ(match_builtins("__builtin_amdgcn_mfma_*").size(), 38u);
  EXPECT_THAT(names("*f64*"), ElementsAre("mfma_f64_16x16x4f64", "mfma_f64_4x4x4f64"));
  EXPECT_THAT(names("mfma_*_4x4x?f32"), ElementsAre("mfma_f32_4x4x1f32"));
  EXPECT_THAT(names("*_4x4x4*_1k"), ElementsAre("mfma_f32_4x4x4bf16_1k"));
  EXPECT_EQ(names("mfma_f32_*fp8_fp8").size(), 2u);
  EXPECT_TRUE(names("mfma").empty());
  EXPECT_TRUE(names("").empty());
  EXPECT_TRUE(names("mfma_f64_4x4x4f64?").empty());
}

TEST(Formats, BitsAreThoseOfTheirNames) {
  EXPECT_EQ(bits_of(ElementFormat::kF64), 64);
  EXPECT_EQ(bits_of(ElementFormat::kBf16), 16);
  EXPECT_EQ(bits_of(ElementFormat::kBf8E5m2), 8);
  EXPECT_EQ(bits_of(ElementFormat::kFp6E2m3), 6);
  EXPECT_EQ(bits_of(ElementFormat::kBf6E3m2), 6);
  EXPECT_EQ(bits_of(ElementFormat::kFp4E2m1), 4);
  EXPECT_EQ(bits_of(ElementFormat::kI8), 8);
  EXPECT_EQ(bits_of(ElementFormat::kI32), 32);
  EXPECT_EQ(name_of(ElementFormat::kFp8E4m3), "fp8_e4m3");
  EXPECT_EQ(name_of(ElementFormat::kI32), "i32");
}

}  // namespace
}  // namespace mfma::catalogue
