#include "oracles/plain/eval.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace mfma::oracles {
namespace {

using ::testing::HasSubstr;

EvalShape f16_shape(int k = 2) { return {k, format(FormatId::kF16), format(FormatId::kF16), format(FormatId::kF32)}; }
EvalShape scaled_shape() {
  EvalShape s = {64, format(FormatId::kFp4E2m1), format(FormatId::kFp4E2m1), format(FormatId::kF32)};
  s.scaled = true;
  return s;
}

std::string error_of(const std::string& line, const EvalShape& shape) {
  const auto parsed = parse_eval_line(line, shape);
  return parsed ? "accepted" : parsed.error();
}

TEST(Eval, ReadsALine) {
  const auto e = parse_eval_line("  b:3C00,4000\tc:00000001 a:1,ffff => 7F800000\r", f16_shape());
  ASSERT_TRUE(e) << e.error();
  EXPECT_EQ(e->a, (std::vector<std::uint64_t>{1, 0xffff}));
  EXPECT_EQ(e->b, (std::vector<std::uint64_t>{0x3c00, 0x4000}));
  EXPECT_EQ(e->c, 1U);
  EXPECT_EQ(e->expected, 0x7f800000U);
  EXPECT_FALSE(parse_eval_line("a:1,2 b:3,4 c:5", f16_shape())->expected);
}

TEST(Eval, ReadsScales) {
  std::string zeros = "0";
  for (int i = 1; i < 64; ++i) zeros += ",0";
  const std::string line = "a:" + zeros + " b:" + zeros + " c:0 sa:7f,80 sb:00,ff";
  const auto e = parse_eval_line(line, scaled_shape());
  ASSERT_TRUE(e) << e.error();
  EXPECT_EQ(e->scale_a, (std::vector<std::uint8_t>{0x7f, 0x80}));
  EXPECT_EQ(e->scale_b, (std::vector<std::uint8_t>{0x00, 0xff}));
  EXPECT_EQ(*evaluate(*e, Model{}), 0x7fc00000U);
  EXPECT_EQ(error_of("a:" + zeros + " b:" + zeros + " c:0 sa:7f,80", scaled_shape()), "column 273: sb: is missing");
  EXPECT_THAT(error_of("a:" + zeros + " b:" + zeros + " c:0 sa:7f,80 sb:7f", scaled_shape()),
              HasSubstr("sb: 1 value(s), but 2 needed"));
}

TEST(Eval, RefusalsNameColumnAndField) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "column 1: a: is missing"},
      {"a:1,2 b:3,4", "column 12: c: is missing"},
      {"a:1 b:3,4 c:5", "column 3: a: 1 value(s), but 2 needed"},
      {"a:1,2,3 b:3,4 c:5", "column 3: a: 3 value(s), but 2 needed"},
      {"a:1,zz b:3,4 c:5", "column 5: a: 'zz' is not hex"},
      {"a:1,0x2 b:3,4 c:5", "column 5: a: '0x2' is not hex"},
      {"a:1,-2 b:3,4 c:5", "column 5: a: '-2' is not hex"},
      {"a:1, b:3,4 c:5", "column 5: a: a value is missing"},
      {"a:1,2 b:3,4 c:", "column 15: c: a value is missing"},
      {"a:1,10000 b:3,4 c:5", "column 5: a: '10000' is wider than 16 bits"},
      {"a:1,2 b:3,4 c:100000000", "column 15: c: '100000000' is wider than 32 bits"},
      {"a:1,2 b:3,4 c:11111111111111111111", "column 15: c: '11111111111111111111' is wider than 32 bits"},
      {"a:1,2 b:3,4 c:5,6", "column 15: c: 2 value(s), but 1 needed"},
      {"a:1,2 b:3,4 c:5 sa:7f", "column 17: sa: this builtin takes no scales"},
      {"a:1,2 a:1,2 b:3,4 c:5", "column 7: a: stands twice"},
      {"a:1,2 b:3,4 c:5 d:6", "column 17: unknown field 'd'; known are a, b, c, sa, sb"},
      {"a:1,2 b:3,4 c:5 6", "column 17: '6' is no field; a field is a:, b:, c:, sa: or sb: with its values"},
      {"a:1,2 b:3,4 c:5 =>", "column 17: '=>' takes one value, at the end of the line"},
      {"a:1,2 b:3,4 c:5 => 1 2", "column 17: '=>' takes one value, at the end of the line"},
      {"a:1,2 b:3,4 c:5 => x", "column 20: =>: 'x' is not hex"},
  };
  for (const auto& [line, error] : cases) EXPECT_EQ(error_of(line, f16_shape()), error) << line;
}

TEST(Eval, EvaluatesAndPrints) {
  const auto e = parse_eval_line("a:3c00,4000 b:3c00,4000 c:3f800000", f16_shape());  // 1 + 4 + 1
  ASSERT_TRUE(e);
  EXPECT_EQ(hex_of(*evaluate(*e, Model{}), e->shape.acc_format), "40c00000");
  EXPECT_TRUE(is_exact(*e));
  EXPECT_EQ(hex_of(1, format(FormatId::kF64)), "0000000000000001");
  EXPECT_EQ(hex_of(0xf, format(FormatId::kFp6E2m3)), "0f");
  Model integer;
  integer.kind = ModelKind::kInteger;
  EXPECT_THAT(evaluate(*e, integer).error(), HasSubstr("model integer needs integer operands"));
}

TEST(Eval, NegationsOfF64) {
  EvalShape s = {1, format(FormatId::kF64), format(FormatId::kF64), format(FormatId::kF64)};
  s.negate_a = s.negate_c = true;
  Model fma;
  fma.kind = ModelKind::kFmaChain;
  const auto e = parse_eval_line("a:4000000000000000 b:4008000000000000 c:3ff0000000000000", s);
  ASSERT_TRUE(e) << e.error();
  EXPECT_EQ(*evaluate(*e, fma), 0xc01c000000000000U);  // -(2 * 3) - 1
}

TEST(Eval, MangledLinesNeverCrash) {
  std::mt19937_64 random(12);
  const std::string good = "a:3c00,4000 b:3c00,4000 c:3f800000 => 40c00000";
  const std::string alphabet = "abcs:,=> 019fg\t\xff";
  for (int i = 0; i < 50000; ++i) {
    std::string line = good;
    for (int n = 0; n < 3; ++n) line[random() % line.size()] = alphabet[random() % alphabet.size()];
    line.resize(line.size() - random() % 4);
    const auto parsed = parse_eval_line(line, f16_shape());
    if (parsed) {
      EXPECT_TRUE(evaluate(*parsed, Model{}));
    } else {
      EXPECT_EQ(parsed.error().rfind("column ", 0), 0U) << parsed.error();
    }
  }
}

}  // namespace
}  // namespace mfma::oracles
