#include "harness/catalogue/instance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace mfma::catalogue {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const Builtin& builtin(std::string_view name) {
  const Builtin* b = find_builtin(name);
  if (b == nullptr) throw std::invalid_argument(std::string(name));
  return *b;
}

std::string parse_error(std::string_view id) {
  const auto parsed = parse_instance(id);
  return parsed ? "parsed as " + instance_id(*parsed) : parsed.error();
}

TEST(LegalInstances, ThereAre2354) { EXPECT_EQ(all_legal_instances().size(), 2354u); }

TEST(LegalInstances, CountsByShapeAndKind) {
  const std::map<int, int> by_blocks{{1, 8}, {2, 24}, {4, 56}, {16, 248}};
  int total = 0;
  for (const Builtin& b : builtins()) {
    int expected = by_blocks.at(b.shape.blocks);
    if (b.modifiers == ModifierKind::kNegate) expected = 8;
    if (b.modifiers == ModifierKind::kScaled) expected = 425;  // 25 format pairs x (16 op_sel + 1 unscaled)
    EXPECT_EQ(static_cast<int>(legal_instances(b).size()), expected) << b.name;
    EXPECT_EQ(legal_count(b), expected) << b.name;
    total += legal_count(b);
  }
  EXPECT_EQ(total, 2354);
}

TEST(LegalInstances, FirstHasNoModifiersAndRanksFollowTheList) {
  for (const Builtin& b : builtins()) {
    const auto instances = legal_instances(b);
    EXPECT_EQ(instances.front().modifiers, Modifiers{}) << b.name;
    for (std::size_t i = 0; i < instances.size(); ++i) {
      EXPECT_EQ(legal_rank(instances[i]), static_cast<int>(i)) << instance_id(instances[i]);
      EXPECT_EQ(why_illegal(b, instances[i].modifiers), "");
    }
  }
}

// Legality tried on the whole encodable space and some way beyond, against the manual's rules written anew.
TEST(WhyIllegal, AgreesWithTheRulesOnEveryEncoding) {
  for (const Builtin& b : builtins()) {
    if (b.modifiers == ModifierKind::kScaled) continue;
    int legal = 0;
    for (int cbsz = -1; cbsz <= 8; ++cbsz) {
      for (int abid = -1; abid <= 16; ++abid) {
        for (int blgp = -1; blgp <= 8; ++blgp) {
          bool expected = blgp >= 0 && blgp <= 7;
          if (b.modifiers == ModifierKind::kNegate) {
            expected = expected && cbsz == 0 && abid == 0;
          } else {
            expected = expected && cbsz >= 0 && (1 << cbsz) <= b.shape.blocks && abid >= 0 && abid < (1 << cbsz);
          }
          const std::string why = why_illegal(b, {.cbsz = cbsz, .abid = abid, .blgp = blgp});
          EXPECT_EQ(why.empty(), expected) << b.name << " " << cbsz << " " << abid << " " << blgp << ": " << why;
          legal += expected ? 1 : 0;
        }
      }
    }
    EXPECT_EQ(legal, legal_count(b)) << b.name;
  }
}

TEST(WhyIllegal, ScaledBuiltins) {
  const Builtin& b = builtin("mfma_scale_f32_16x16x128_f8f6f4");
  EXPECT_EQ(why_illegal(b, {.cbsz = 4, .blgp = 3, .op_sel_a = 3, .op_sel_b = 1, .scaled = true}), "");
  EXPECT_THAT(why_illegal(b, {.cbsz = 5, .scaled = true}), AllOf(HasSubstr("cbsz=5"), HasSubstr("0..4")));
  EXPECT_THAT(why_illegal(b, {.blgp = -1}), AllOf(HasSubstr("blgp=-1"), HasSubstr("0..4")));
  EXPECT_THAT(why_illegal(b, {.abid = 1}), HasSubstr("abid=1"));
  EXPECT_THAT(why_illegal(b, {.op_sel_a = 4, .scaled = true}), AllOf(HasSubstr("op_sel of A=4"), HasSubstr("0..3")));
  EXPECT_THAT(why_illegal(b, {.op_sel_b = 1}), HasSubstr("reads no scale"));
}

TEST(WhyIllegal, SaysWhatIsWrongAndWhatIsLegal) {
  EXPECT_EQ(why_illegal(builtin("mfma_f32_16x16x1f32"), {.cbsz = 3}),
            "mfma_f32_16x16x1f32: cbsz=3 is not legal, legal is 0..2 (2^cbsz may not exceed the number of blocks, 4)");
  EXPECT_EQ(why_illegal(builtin("mfma_f32_4x4x1f32"), {.cbsz = 1, .abid = 2}),
            "mfma_f32_4x4x1f32: abid=2 is not legal, legal is 0..1 (abid must be below 2^cbsz, and cbsz is 1)");
  EXPECT_THAT(why_illegal(builtin("mfma_f32_4x4x1f32"), {.scaled = true}), HasSubstr("has no scales"));
}

TEST(InstanceId, UniqueAndParsedBack) {
  std::set<std::string> ids;
  for (const Instance& i : all_legal_instances()) {
    const std::string id = instance_id(i);
    EXPECT_TRUE(ids.insert(id).second) << id;
    const auto parsed = parse_instance(id);
    ASSERT_TRUE(parsed.has_value()) << id << ": " << parsed.error();
    EXPECT_EQ(*parsed, i) << id;
  }
  EXPECT_EQ(ids.size(), 2354u);
}

TEST(InstanceId, Spelling) {
  EXPECT_EQ(instance_id({&builtin("mfma_f32_4x4x1f32"), {}}), "mfma_f32_4x4x1f32");
  EXPECT_EQ(instance_id({&builtin("mfma_f32_4x4x1f32"), {.cbsz = 1, .abid = 1, .blgp = 3}}),
            "mfma_f32_4x4x1f32:cbsz=1,abid=1,blgp=3");
  EXPECT_EQ(instance_id({&builtin("mfma_f64_4x4x4f64"), {.blgp = 7}}), "mfma_f64_4x4x4f64:neg=abc");
  EXPECT_EQ(instance_id({&builtin("mfma_f64_4x4x4f64"), {.blgp = 5}}), "mfma_f64_4x4x4f64:neg=ac");
  const Builtin& scaled = builtin("mfma_scale_f32_16x16x128_f8f6f4");
  EXPECT_EQ(instance_id({&scaled, {.blgp = 4, .op_sel_a = 1, .op_sel_b = 2, .scaled = true}}),
            "mfma_scale_f32_16x16x128_f8f6f4:a=fp8,b=fp4,op_sel=1/2");
  EXPECT_EQ(instance_id({&scaled, {.cbsz = 3, .blgp = 2}}), "mfma_scale_f32_16x16x128_f8f6f4:a=bf6,b=fp6,unscaled");
}

TEST(ParseInstance, TakesOtherSpellingsOfTheSameInstance) {
  const auto id_of = [](std::string_view text) {
    const auto parsed = parse_instance(text);
    return parsed ? instance_id(*parsed) : parsed.error();
  };
  EXPECT_EQ(id_of("__builtin_amdgcn_mfma_f32_4x4x1f32:blgp=3,cbsz=0"), "mfma_f32_4x4x1f32:blgp=3");
  EXPECT_EQ(id_of("mfma_f64_4x4x4f64:neg=ca"), "mfma_f64_4x4x4f64:neg=ac");
  EXPECT_EQ(id_of("mfma_scale_f32_32x32x64_f8f6f4:op_sel=3/0,b=bf8,a=fp6"),
            "mfma_scale_f32_32x32x64_f8f6f4:a=fp6,b=bf8,op_sel=3/0");
  EXPECT_EQ(id_of("mfma_scale_f32_32x32x64_f8f6f4"), "mfma_scale_f32_32x32x64_f8f6f4:a=fp8,b=fp8,unscaled");
}

TEST(ParseInstance, ErrorsNameTheFaultAndTheLegalForm) {
  EXPECT_THAT(parse_error("mfma_f32_4x4x1"), HasSubstr("nearest are mfma_f32_4x4x1f32"));
  EXPECT_THAT(parse_error("mfma_f32_16x16x8_xf32:blgp=1"), HasSubstr("gfx950 does not have it"));
  EXPECT_THAT(parse_error("mfma_f32_4x4x1f32:cbsz=5"), AllOf(HasSubstr("cbsz=5"), HasSubstr("0..4")));
  EXPECT_THAT(parse_error("mfma_f32_4x4x1f32:cbsz=1,abid=2"), AllOf(HasSubstr("abid=2"), HasSubstr("0..1")));
  EXPECT_THAT(parse_error("mfma_f32_16x16x4f32:cbsz=1"), HasSubstr("legal is 0 ("));
  EXPECT_THAT(parse_error("mfma_f32_4x4x1f32:blgp=8"), AllOf(HasSubstr("blgp=8"), HasSubstr("0..7")));
  EXPECT_THAT(parse_error("mfma_f32_4x4x1f32:blgp=x"), HasSubstr("'x' is not a number"));
  EXPECT_THAT(parse_error("mfma_f32_4x4x1f32:blgp=1 "), HasSubstr("is not a number"));
  EXPECT_THAT(parse_error("mfma_f32_4x4x1f32:blgp=99999999999"), HasSubstr("is not a number"));
  EXPECT_THAT(parse_error("mfma_f32_4x4x1f32:"), HasSubstr("cbsz=N, abid=N, blgp=N"));
  EXPECT_THAT(parse_error("mfma_f32_4x4x1f32:blgp=1,"), HasSubstr("no such modifier"));
  EXPECT_THAT(parse_error("mfma_f32_4x4x1f32:blgp=1,blgp=1"), HasSubstr("there twice"));
  EXPECT_THAT(parse_error("mfma_f32_4x4x1f32:neg=a"), HasSubstr("no such modifier"));
  EXPECT_THAT(parse_error("mfma_f64_4x4x4f64:blgp=1"), HasSubstr("neg=LETTERS"));
  EXPECT_THAT(parse_error("mfma_f64_4x4x4f64:neg=ad"), HasSubstr("'d' is not one of a, b, c"));
  EXPECT_THAT(parse_error("mfma_f64_4x4x4f64:neg=aa"), HasSubstr("'a' is there twice"));
  EXPECT_THAT(parse_error("mfma_f64_4x4x4f64:neg="), HasSubstr("names no operand"));
  constexpr std::string_view kScaled = "mfma_scale_f32_16x16x128_f8f6f4:";
  EXPECT_THAT(parse_error(std::string(kScaled) + "a=fp8,op_sel=0/0"), HasSubstr("formats of A and B"));
  EXPECT_THAT(parse_error(std::string(kScaled) + "a=fp8,b=fp9,op_sel=0/0"), HasSubstr("fp8, bf8, fp6, bf6, fp4"));
  EXPECT_THAT(parse_error(std::string(kScaled) + "a=fp8,b=fp8"), HasSubstr("either op_sel or unscaled"));
  EXPECT_THAT(parse_error(std::string(kScaled) + "a=fp8,b=fp8,op_sel=0/0,unscaled"), HasSubstr("either op_sel"));
  EXPECT_THAT(parse_error(std::string(kScaled) + "a=fp8,b=fp8,op_sel=0/4"), HasSubstr("0..3"));
  EXPECT_THAT(parse_error(std::string(kScaled) + "a=fp8,b=fp8,op_sel=0"), HasSubstr("not of the form A/B"));
  EXPECT_THAT(parse_error(std::string(kScaled) + "a=fp8,b=fp8,unscaled=1"), HasSubstr("no such modifier"));
  EXPECT_THAT(parse_error(""), HasSubstr("nearest are"));
  EXPECT_THAT(parse_error(":::"), HasSubstr("nearest are"));
}

TEST(Instance, FormatsAndRegistersFollowTheFormatCodes) {
  const Builtin& b = builtin("mfma_scale_f32_32x32x64_f8f6f4");
  const Instance mixed{&b, {.cbsz = 2, .blgp = 4, .scaled = true}};
  EXPECT_EQ(mixed.a_format(), ElementFormat::kFp6E2m3);
  EXPECT_EQ(mixed.b_format(), ElementFormat::kFp4E2m1);
  EXPECT_EQ(mixed.a_registers(), 6);
  EXPECT_EQ(mixed.b_registers(), 4);
  EXPECT_EQ(mixed.c_registers(), 16);
  const Instance bytes{&b, {.cbsz = 1, .blgp = 0}};
  EXPECT_EQ(bytes.a_format(), ElementFormat::kBf8E5m2);
  EXPECT_EQ(bytes.b_format(), ElementFormat::kFp8E4m3);
  EXPECT_EQ(bytes.a_registers(), 8);
  // On every other builtin cbsz and blgp leave the formats alone.
  const Instance plain{&builtin("mfma_f32_4x4x4f16"), {.cbsz = 2, .abid = 1, .blgp = 3}};
  EXPECT_EQ(plain.a_format(), ElementFormat::kF16);
  EXPECT_EQ(plain.b_format(), ElementFormat::kF16);
  EXPECT_EQ(plain.a_registers(), 2);
}

TEST(FormatCodes, OfTheManual) {
  const std::vector<std::pair<std::string_view, ElementFormat>> expected{{"fp8", ElementFormat::kFp8E4m3},
                                                                         {"bf8", ElementFormat::kBf8E5m2},
                                                                         {"fp6", ElementFormat::kFp6E2m3},
                                                                         {"bf6", ElementFormat::kBf6E3m2},
                                                                         {"fp4", ElementFormat::kFp4E2m1}};
  for (int code = 0; code < 5; ++code) {
    EXPECT_EQ(short_name_of_code(code), expected[static_cast<std::size_t>(code)].first);
    EXPECT_EQ(format_of_code(code), expected[static_cast<std::size_t>(code)].second);
  }
  EXPECT_THROW(format_of_code(5), std::out_of_range);
}

TEST(Unsettled, BroadcastBelowLog2OfTheBlocks) {
  const auto unsettled = [](std::string_view name, int cbsz) {
    return rests_on_unsettled_broadcast({&builtin(name), {.cbsz = cbsz}});
  };
  EXPECT_FALSE(unsettled("mfma_f32_32x32x1f32", 1));
  EXPECT_TRUE(unsettled("mfma_f32_16x16x1f32", 1));
  EXPECT_FALSE(unsettled("mfma_f32_16x16x1f32", 2));
  EXPECT_FALSE(unsettled("mfma_f32_4x4x1f32", 0));
  EXPECT_TRUE(unsettled("mfma_f32_4x4x1f32", 3));
  EXPECT_FALSE(unsettled("mfma_f32_4x4x1f32", 4));
  EXPECT_FALSE(unsettled("mfma_scale_f32_16x16x128_f8f6f4", 1));
}

// The calculator takes 7 of 8 instances away from 20 builtins: 2354 - 140 = 2214 remain.
TEST(Unsettled, BlgpOnOneBlockShapesOtherThanF32) {
  std::set<std::string_view> names;
  int count = 0;
  for (const Instance& i : all_legal_instances()) {
    if (!rests_on_unsettled_blgp(i)) continue;
    ++count;
    names.insert(i.builtin->name);
  }
  EXPECT_EQ(count, 140);
  EXPECT_EQ(names.size(), 20u);
  EXPECT_FALSE(names.contains("mfma_f32_16x16x4f32"));
  EXPECT_FALSE(names.contains("mfma_f64_16x16x4f64"));
  EXPECT_TRUE(names.contains("mfma_i32_16x16x32_i8"));
}

TEST(BlgpSourceLane, Table29) {
  for (int lane = 0; lane < 64; ++lane) {
    EXPECT_EQ(blgp_source_lane(0, lane), lane);
    EXPECT_EQ(blgp_source_lane(1, lane), lane & 31);
    EXPECT_EQ(blgp_source_lane(2, lane), lane | 32);
    EXPECT_EQ(blgp_source_lane(3, lane), (lane + 16) & 63);
    EXPECT_EQ(blgp_source_lane(4, lane), lane & 15);
    EXPECT_EQ(blgp_source_lane(5, lane), (lane & 15) | 16);
    EXPECT_EQ(blgp_source_lane(6, lane), (lane & 15) | 32);
    EXPECT_EQ(blgp_source_lane(7, lane), lane | 48);
  }
}

}  // namespace
}  // namespace mfma::catalogue
