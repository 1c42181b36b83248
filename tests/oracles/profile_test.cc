#include "oracles/arithmetic/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace mfma::oracles {
namespace {

using ::testing::HasSubstr;

const std::filesystem::path kProfiles = std::filesystem::path(MFMA_SOURCE_DIR) / "corpus" / "profiles";

std::string with_rule(const std::string& rule) {
  return R"({"schema": "mfma-conform/profile/1", "name": "t", "rules": [)" + rule + "]}";
}

std::string error_of(const std::string& text) {
  const auto parsed = parse_profile(text, "p.json");
  return parsed ? "accepted" : parsed.error();
}

Model model_of(const std::string& rule) {
  const auto parsed = parse_profile(with_rule(rule), "p.json");
  if (!parsed) throw std::runtime_error(parsed.error());
  return parsed->rules.front().model;
}

// The profile of the design page, every key given, equals all defaults.
TEST(Profile, DefaultsAreTheOnesOfTheDesign) {
  const Model spelt = model_of(R"({"builtins": "mfma_f32_*_f16", "status": "candidate", "source": "s",
    "model": "aligned_sum", "step": 16, "order": "ascending", "groups": 1, "grouping": "interleaved",
    "product_fraction_bits": 24, "product_rounding": "toward_zero", "zero_products_raise_exponent": false,
    "normalise_subnormals": false, "normalise_products": false, "merge_fraction_bits": 24, "merge_rounding": "down",
    "sum_fraction_bits": 32, "sum_rounding": "down", "c_fraction_bits": 24, "c_rounding": "down", "drop_c_below": null,
    "final_fraction_bits": 31, "final_rounding": "down", "product_overflow": "infinity",
    "scale": "in_product_exponent"})");
  EXPECT_EQ(spelt, Model{});
  EXPECT_EQ(model_of(R"({"builtins": "*"})"), Model{});
  EXPECT_EQ(generated_nan(Model{}.nan, format(FormatId::kF32)), 0x7fc00000U);
  EXPECT_EQ(generated_nan(Model{}.nan, format(FormatId::kF64)), 0x7ff8000000000000U);
}

TEST(Profile, EveryKeyIsRead) {
  const Model m = model_of(R"({"builtins": "*", "model": "aligned_sum", "step": 3, "order": "descending", "groups": 5,
    "grouping": "contiguous", "product_fraction_bits": 25, "product_rounding": "nearest_even",
    "zero_products_raise_exponent": true, "normalise_subnormals": true, "normalise_products": true,
    "merge_fraction_bits": 26, "merge_rounding": "toward_zero", "sum_fraction_bits": 27, "sum_rounding": "nearest_even",
    "c_fraction_bits": 28, "c_rounding": "toward_zero", "drop_c_below": 30, "final_fraction_bits": null,
    "final_rounding": "nearest_even", "product_overflow": "none", "nan": {"propagate": "cb", "generated": "ffc00000"}})");
  Model want;
  want.step = 3, want.order = StepOrder::kDescending, want.groups = 5, want.grouping = Grouping::kContiguous;
  want.product_fraction_bits = 25, want.product_rounding = Rounding::kNearestEven;
  want.zero_products_raise_exponent = want.normalise_subnormals = want.normalise_products = true;
  want.merge_fraction_bits = 26, want.merge_rounding = Rounding::kTowardZero;
  want.sum_fraction_bits = 27, want.sum_rounding = Rounding::kNearestEven;
  want.c_fraction_bits = 28, want.c_rounding = Rounding::kTowardZero;
  want.drop_c_below = 30, want.final_fraction_bits.reset(), want.final_rounding = Rounding::kNearestEven;
  want.product_overflow = ProductOverflow::kNone;
  want.nan = {true, "cb", 0xffc00000};
  EXPECT_EQ(m, want);
  EXPECT_EQ(model_of(R"({"builtins": "*", "nan": "propagate"})").nan, (NanRule{true, "abc", std::nullopt}));
  EXPECT_EQ(model_of(R"({"builtins": "*", "nan": "7FFFFFFF"})").nan, (NanRule{false, "abc", 0x7fffffff}));
  EXPECT_EQ(model_of(R"({"builtins": "*", "model": "block_sums", "scale": "in_block_sum"})").scale,
            ScaleEntry::kInBlockSum);
}

TEST(Profile, RefusalsNameThePlace) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "p.json: not JSON: line 1, column 1: "},
      {"{\n  \"schema\": nope }", "p.json: not JSON: line 2, column 14: "},
      {"[]", "p.json: a profile must be an object, not array"},
      {"{}", "p.json: schema: missing; must be \"mfma-conform/profile/1\""},
      {R"({"schema": 1, "rules": []})", "p.json: schema: must be a string, not number"},
      {R"({"schema": "x/2", "rules": []})", "p.json: schema: \"x/2\" is not \"mfma-conform/profile/1\""},
      {R"({"schema": "mfma-conform/profile/1"})", "p.json: rules: missing"},
      {R"({"schema": "mfma-conform/profile/1", "rules": []})", "p.json: rules: must be an array of at least one rule"},
      {R"({"schema": "mfma-conform/profile/1", "rules": [{"builtins": "*"}], "extra": 1})",
       "p.json: extra: unknown key; known are schema, name, arch, rules"},
      {R"({"schema": "mfma-conform/profile/1", "schema": "mfma-conform/profile/1", "rules": [{"builtins": "*"}]})",
       "p.json: schema: stands twice in one object"},
      {with_rule("3"), "p.json: rules[0]: must be an object, not number"},
      {with_rule("{}"), "p.json: rules[0].builtins: missing"},
      {with_rule(R"({"builtins": ""})"), "p.json: rules[0].builtins: must be a glob of builtin names, not empty"},
      {with_rule(R"({"builtins": 5})"), "p.json: rules[0].builtins: must be a string, not number"},
      {with_rule(R"({"builtins": "*"}, {"builtins": "*", "stp": 3})"), "p.json: rules[1].stp: unknown key"},
      {with_rule(R"({"builtins": "*"}, {"builtins": "*"}, {"builtins": "*", "step": 300})"),
       "p.json: rules[2].step: 300 is out of range 1..128"},
      {with_rule(R"({"builtins": "*", "step": 0})"), "p.json: rules[0].step: 0 is out of range 1..128"},
      {with_rule(R"({"builtins": "*", "step": -1})"), "p.json: rules[0].step: -1 is out of range 1..128"},
      {with_rule(R"({"builtins": "*", "step": 18446744073709551615})"),
       "p.json: rules[0].step: 18446744073709551615 is out of range 1..128"},
      {with_rule(R"({"builtins": "*", "step": 1e30})"), "p.json: rules[0].step: must be an integer, not 1e+30"},
      {with_rule(R"({"builtins": "*", "step": 16.0})"), "p.json: rules[0].step: must be an integer, not 16.0"},
      {with_rule(R"({"builtins": "*", "step": "16"})"), "p.json: rules[0].step: must be an integer, not string"},
      {with_rule(R"({"builtins": "*", "step": null})"), "p.json: rules[0].step: must be an integer, not null"},
      {with_rule(R"({"builtins": "*", "groups": 129})"), "p.json: rules[0].groups: 129 is out of range 1..128"},
      {with_rule(R"({"builtins": "*", "product_fraction_bits": 23})"),
       "p.json: rules[0].product_fraction_bits: 23 is out of range 24..64"},
      {with_rule(R"({"builtins": "*", "final_fraction_bits": 65})"),
       "p.json: rules[0].final_fraction_bits: 65 is out of range 24..64"},
      {with_rule(R"({"builtins": "*", "drop_c_below": 23})"),
       "p.json: rules[0].drop_c_below: 23 is out of range 24..1024"},
      {with_rule(R"({"builtins": "*", "normalise_products": 1})"),
       "p.json: rules[0].normalise_products: must be true or false, not number"},
      {with_rule(R"({"builtins": "*", "c_rounding": "up"})"),
       "p.json: rules[0].c_rounding: unknown value \"up\"; known are toward_zero, down, nearest_even"},
      {with_rule(R"({"builtins": "*", "model": "magic"})"),
       "p.json: rules[0].model: unknown value \"magic\"; known are"},
      {with_rule(R"({"builtins": "*", "operands": "6-bit"})"),
       "p.json: rules[0].operands: unknown value \"6-bit\"; known are any, 8-bit, 4/6-bit"},
      {with_rule(R"({"builtins": "*", "nan": "7fc0000"})"), "p.json: rules[0].nan: \"7fc0000\" is neither"},
      {with_rule(R"({"builtins": "*", "nan": "0x7fc000"})"), "p.json: rules[0].nan: \"0x7fc000\" is neither"},
      {with_rule(R"({"builtins": "*", "nan": "7f800000"})"), "p.json: rules[0].nan: \"7f800000\" is not a NaN of f32"},
      {with_rule(R"({"builtins": "*", "nan": {"propagate": "aab"}})"),
       "p.json: rules[0].nan.propagate: \"aab\" must name"},
      {with_rule(R"({"builtins": "*", "nan": {"propogate": "abc"}})"), "p.json: rules[0].nan.propogate: unknown key"},
      {with_rule(R"({"builtins": "*", "status": "confirmed"})"), "p.json: rules[0].source: missing"},
      {with_rule(R"({"builtins": "*", "scale": "in_block_sum"})"),
       "p.json: rules[0].scale: in_block_sum is for the model block_sums only"},
      {with_rule(R"({"builtins": "*", "step": 8, "step": 9})"), "p.json: step: stands twice in one object"},
      {with_rule(R"({"builtins": "*", "step": 1e999})"), "number overflow parsing '1e999'"},
      {with_rule(R"({"builtins": "*"})") + std::string(1, '\0') + "x", "p.json: not JSON: byte 80: a NUL"},
      {with_rule(R"({"builtins": "*"})") + "{}", "p.json: not JSON: line 1, column 80: "},
      {std::string(100'000, '['), "p.json: nested deeper than 16"},
  };
  for (const auto& [text, error] : cases) {
    const std::string got = error_of(text);
    EXPECT_THAT(got, HasSubstr(error)) << text;
    EXPECT_EQ(got.find('\n'), std::string::npos) << got;
  }
}

// No mangled input may do more than be refused.
TEST(Profile, TruncatedAndBitFlippedTextNeverCrashes) {
  std::ifstream in(kProfiles / "gfx950-candidate.json");
  std::ostringstream all;
  all << in.rdbuf();
  const std::string text = all.str();
  ASSERT_GT(text.size(), 1000U);
  // Short of the closing braces (and the line end), no prefix is a profile.
  for (std::size_t n = 0; n + 2 < text.size(); n += 7) EXPECT_NE(error_of(text.substr(0, n)), "accepted");
  for (std::size_t n = 0; n < text.size(); n += 5) {
    std::string flipped = text;
    flipped[n] = static_cast<char>(flipped[n] ^ 0x81);
    EXPECT_EQ(error_of(flipped).find('\n'), std::string::npos);
  }
  EXPECT_NE(error_of(std::string(100000, '[')), "accepted");
}

TEST(Profile, FilesThatCannotBeRead) {
  EXPECT_THAT(load_profile(kProfiles / "no-such.json").error(), HasSubstr("no-such.json: cannot be read"));
  EXPECT_THAT(load_profile(kProfiles).error(), HasSubstr("is a directory"));
}

TEST(Profile, Globs) {
  EXPECT_TRUE(glob_matches("*", ""));
  EXPECT_TRUE(glob_matches("mfma_*_f16", "mfma_f32_16x16x32_f16"));
  EXPECT_FALSE(glob_matches("mfma_*_f16", "mfma_f32_16x16x32_bf16"));
  EXPECT_TRUE(glob_matches("a?c", "abc"));
  EXPECT_FALSE(glob_matches("a?c", "ac"));
  EXPECT_TRUE(glob_matches("*a*ab", "aaab"));
  EXPECT_FALSE(glob_matches("abc", "abcd"));
  EXPECT_TRUE(glob_matches("abc**", "abc"));
}

// What the design page says of every one of the 38 builtins.
struct Candidate {
  const char* builtin;
  int a_bits, b_bits;
  ModelKind kind;
  int step;
  bool gtr;
};

TEST(Profile, TheCandidateOfEveryBuiltin) {
  std::vector<Candidate> all;
  for (const char* name : {"mfma_f32_32x32x1f32", "mfma_f32_16x16x1f32", "mfma_f32_4x4x1f32", "mfma_f32_32x32x2f32",
                           "mfma_f32_16x16x4f32"}) {
    all.push_back({name, 32, 32, ModelKind::kFmaChain, 16, false});
  }
  for (const char* name : {"mfma_f64_16x16x4f64", "mfma_f64_4x4x4f64"}) {
    all.push_back({name, 64, 64, ModelKind::kFmaChain, 16, false});
  }
  for (const char* name : {"mfma_f32_32x32x4f16", "mfma_f32_16x16x4f16", "mfma_f32_4x4x4f16", "mfma_f32_32x32x4bf16_1k",
                           "mfma_f32_16x16x4bf16_1k", "mfma_f32_4x4x4bf16_1k"}) {
    all.push_back({name, 16, 16, ModelKind::kAlignedSum, 4, false});
  }
  for (const char* name :
       {"mfma_f32_32x32x8f16", "mfma_f32_16x16x16f16", "mfma_f32_32x32x8bf16_1k", "mfma_f32_16x16x16bf16_1k"}) {
    all.push_back({name, 16, 16, ModelKind::kAlignedSum, 8, false});
  }
  for (const char* name :
       {"mfma_f32_16x16x32_f16", "mfma_f32_32x32x16_f16", "mfma_f32_16x16x32_bf16", "mfma_f32_32x32x16_bf16"}) {
    all.push_back({name, 16, 16, ModelKind::kAlignedSum, 16, false});
  }
  for (const char* name : {"mfma_f32_16x16x32_bf8_bf8", "mfma_f32_16x16x32_bf8_fp8", "mfma_f32_16x16x32_fp8_bf8",
                           "mfma_f32_16x16x32_fp8_fp8", "mfma_f32_32x32x16_bf8_bf8", "mfma_f32_32x32x16_bf8_fp8",
                           "mfma_f32_32x32x16_fp8_bf8", "mfma_f32_32x32x16_fp8_fp8"}) {
    all.push_back({name, 8, 8, ModelKind::kAlignedSum, 16, true});
  }
  for (const char* name : {"mfma_i32_32x32x4i8", "mfma_i32_16x16x4i8", "mfma_i32_4x4x4i8", "mfma_i32_32x32x16_i8",
                           "mfma_i32_16x16x32_i8", "mfma_i32_16x16x64_i8", "mfma_i32_32x32x32_i8"}) {
    all.push_back({name, 8, 8, ModelKind::kInteger, 16, false});
  }
  EXPECT_EQ(all.size() + 2, 38U);  // and the two scaled ones, at four kinds of operands each
  for (const char* name : {"mfma_scale_f32_16x16x128_f8f6f4", "mfma_scale_f32_32x32x64_f8f6f4"}) {
    all.push_back({name, 8, 8, ModelKind::kAlignedSum, 32, false});
    all.push_back({name, 8, 4, ModelKind::kAlignedSum, 32, false});
    all.push_back({name, 6, 8, ModelKind::kAlignedSum, 32, false});
    all.push_back({name, 6, 4, ModelKind::kAlignedSum, 64, false});
  }
  for (const Candidate& c : all) {
    const ProfileRule* rule = default_profile().rule_for(c.builtin, c.a_bits, c.b_bits);
    ASSERT_NE(rule, nullptr) << c.builtin;
    EXPECT_EQ(rule->status, RuleStatus::kCandidate) << c.builtin;
    EXPECT_FALSE(rule->source.empty()) << c.builtin;
    Model want;
    want.kind = c.kind, want.step = c.step;
    if (c.gtr) want.groups = 2, want.drop_c_below = 25, want.product_overflow = ProductOverflow::kNone;
    if (c.a_bits == 64) want.nan.bits = 0x7ff8000000000000;
    EXPECT_EQ(rule->model, want) << c.builtin;
  }
  EXPECT_EQ(default_profile().rule_for("no_such_builtin", 8, 8), nullptr);
}

TEST(Profile, TheCandidateIsTheFileOfTheCorpus) {
  const auto file = load_profile(kProfiles / "gfx950-candidate.json");
  ASSERT_TRUE(file) << file.error();
  const Profile& built_in = default_profile();
  EXPECT_EQ(file->name, built_in.name);
  EXPECT_EQ(file->arch, built_in.arch);
  ASSERT_EQ(file->rules.size(), built_in.rules.size());
  for (std::size_t i = 0; i < file->rules.size(); ++i) {
    EXPECT_EQ(file->rules[i].builtins, built_in.rules[i].builtins);
    EXPECT_EQ(file->rules[i].operands, built_in.rules[i].operands);
    EXPECT_EQ(file->rules[i].status, built_in.rules[i].status);
    EXPECT_EQ(file->rules[i].source, built_in.rules[i].source);
    EXPECT_EQ(file->rules[i].model, built_in.rules[i].model);
  }
}

TEST(Profile, EveryFileOfTheCorpusIsOneAndSaysWhereItIsFrom) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kProfiles)) {
    if (entry.path().extension() != ".json") continue;
    ++files;
    const auto profile = load_profile(entry.path());
    ASSERT_TRUE(profile) << profile.error();
    EXPECT_FALSE(profile->name.empty());
    for (const ProfileRule& rule : profile->rules) EXPECT_FALSE(rule.source.empty()) << entry.path();
  }
  EXPECT_GE(files, 22);
}

}  // namespace
}  // namespace mfma::oracles
