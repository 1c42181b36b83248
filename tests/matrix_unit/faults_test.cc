// Every planted fault shows in some bit of D on a suitable input, and only where it is planted.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <set>

#include "tests/matrix_unit/support.h"

namespace mfma::gfx950::testing {
namespace {

using Kind = MatrixFault::Kind;

struct Scenario {
  Kind kind;
  int value;
  std::shared_ptr<const MatrixConfig> config;
  Image image;
};

Image random_image(const Instruction& in, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Image image(in);
  // Small whole numbers: every sum is exact, so a difference is one of wiring or decoding.
  const auto whole = [&](const Format& format) -> std::uint64_t {
    if (format.kind == Format::Kind::kInteger) return random() & 0xff;
    const auto binade = static_cast<std::uint64_t>(random() % 2);
    return format.one + (binade << format.fraction_bits) + (random() % 2 << (format.bits() - 1));
  };
  for (int block = 0; block < in.blocks; ++block) {
    for (int row = 0; row < in.m; ++row) {
      for (int k = 0; k < in.k; ++k) {
        image.set_a(block, row, k, whole(in.a));
        image.set_b(block, k, row, whole(in.b));
      }
      for (int j = 0; j < in.n; ++j) {
        const Format& d = in.f64() ? kF64 : kF32;
        image.set_c(block, row, j, in.integer() ? random() & 0xffff : whole(d));
      }
    }
  }
  return image;
}

Image with_fields(Image image, int cbsz, int abid, int blgp) {
  image.cbsz = cbsz;
  image.abid = abid;
  image.blgp = blgp;
  return image;
}

Image with_mode(Image image, int round, int denorm, bool clamp) {
  image.mode_round = round;
  image.mode_denorm = denorm;
  image.clamp_overflow = clamp;
  return image;
}

Image scaled_image(int format_a, int format_b) {
  Image image = random_image(f8f6f4(45, format_a, format_b), 3);
  image.unit_scales();
  for (int row = 0; row < 16; ++row) {
    for (int q = 0; q < 4; ++q) {
      const auto code = static_cast<std::uint32_t>(124 + (row + 2 * q) % 6);
      image.set_scale_a(row, q, code, 0);
      image.set_scale_a(row, q, code + 1, 1);
    }
  }
  image.scale_byte_b = 1;
  return image;
}

// One element of D: products (a, b) as codes at given k, and C.
struct Term {
  int k;
  std::uint64_t a, b;
};
Image one_sum(const Instruction& in, const std::vector<Term>& terms, std::uint64_t c) {
  Image image(in);
  for (const Term& term : terms) {
    image.set_a(0, 0, term.k, term.a);
    image.set_b(0, term.k, 0, term.b);
  }
  image.set_c(0, 0, 0, c);
  return image;
}

std::vector<Scenario> scenarios() {
  const auto candidate = candidate_config();
  const Instruction f16 = instruction(84);
  const Instruction bf16 = instruction(53);
  const Instruction fp8 = instruction(115);
  const Instruction f32 = instruction(69);
  const Instruction f64 = instruction(110);
  const Instruction i8 = instruction(54);
  // bf16 codes of 1, 2^-12, -2^-12, 2^-13, 2^64, and so on.
  const auto power = [](int exponent) { return static_cast<std::uint64_t>(127 + exponent) << 7; };
  constexpr std::uint64_t kMinus = 0x8000;
  Image nan_scale = one_sum(f8f6f4(45, 4, 4), {{0, kFp4.one, kFp4.one}}, 0);
  nan_scale.unit_scales();
  nan_scale.set_scale_a(0, 0, 0xff);
  nan_scale.set_scale_b(0, 0, 0x40);
  Image zero_scale = one_sum(f8f6f4(45, 4, 4), {{0, kFp4.one, kFp4.one}}, 0);
  zero_scale.unit_scales();
  zero_scale.set_scale_a(0, 0, 0);
  Image negated = with_fields(random_image(f64, 4), 0, 0, 1);

  return {
      {Kind::kLayoutEntry, 17, candidate, random_image(f16, 1)},
      {Kind::kTransposedResult, 0, candidate, random_image(instruction(74), 1)},
      {Kind::kOpcode, 53, candidate, random_image(f16, 1)},
      {Kind::kStuckLane, 40, candidate, random_image(i8, 1)},
      {Kind::kSwapRegisterPair, 0, candidate, random_image(f16, 1)},
      {Kind::kIgnoreCbsz, 0, candidate, with_fields(random_image(instruction(64), 1), 1, 0, 0)},
      {Kind::kIgnoreAbid, 0, candidate, with_fields(random_image(instruction(74), 1), 4, 9, 0)},
      {Kind::kWholeWaveBroadcast, 0, candidate, with_fields(random_image(instruction(66), 1), 1, 1, 0)},
      {Kind::kIgnoreBlgp, 0, candidate, with_fields(random_image(instruction(65), 1), 0, 0, 5)},
      {Kind::kBlgpRotateRight, 0, candidate, with_fields(random_image(instruction(65), 1), 0, 0, 3)},
      {Kind::kNegateSwapped, 0, candidate, negated},
      {Kind::kContiguousK8, 0, candidate, random_image(f8f6f4(46, 0, 4), 1)},
      {Kind::kSixBitCrossing, 0, candidate, one_sum(f8f6f4(46, 2, 4), {{5, kFp6.one, kFp4.one}}, 0)},
      {Kind::kSwapFormatCodes, 0, candidate, random_image(f8f6f4(45, 0, 1), 1)},
      {Kind::kIgnoreScale, 0, candidate, scaled_image(4, 4)},
      {Kind::kSwapScaleBytes, 0, candidate, scaled_image(4, 4)},
      {Kind::kScaleLanePair, 0, candidate, scaled_image(2, 4)},
      {Kind::kScaleFollowsData, 0, candidate, scaled_image(0, 0)},
      {Kind::kScaleWrongGroup, 0, candidate, scaled_image(3, 3)},
      {Kind::kScaleZeroIsZero, 0, candidate, zero_scale},
      {Kind::kScaleNanIsNumber, 0, candidate, nan_scale},
      {Kind::kFormatBias, 4, candidate, random_image(f8f6f4(45, 4, 0), 1)},
      {Kind::kFnuzFormats, 0, candidate, random_image(fp8, 1)},
      {Kind::kDropSubnormalInputs, 0, candidate, one_sum(f16, {{0, 1, kF16.one}}, 0)},
      {Kind::kFlushSubnormalResult, 0, candidate, one_sum(f32, {}, 1)},
      {Kind::kUnsignedI8, 0, candidate, one_sum(i8, {{0, 0xff, 1}}, 0)},
      {Kind::kSaturateI32, 0, candidate, one_sum(i8, {{0, 1, 1}}, 0x7fffffff)},
      {Kind::kRounding, 0, candidate, one_sum(f32, {{0, kF32.one, kF32.one}, {1, kF32.one, kF32.one}}, 0x4b800001)},
      // A1: 2^-24 is the last bit kept below 1.
      {Kind::kProductBitLess, 0, candidate,
       one_sum(bf16, {{0, power(0), power(0)}, {2, power(-12), power(-12)}}, 0xbf800000)},
      // A2-: -2^-25 is cut to nothing, or floored to -2^-24.
      {Kind::kProductFloor, 0, candidate,
       one_sum(bf16, {{0, power(0), power(0)}, {2, power(-12) | kMinus, power(-13)}}, 0xbf800000)},
      // Dot width: 2^-24 + 2^-31 below C = 1 rounds up, 2^-24 alone is a tie that goes down to even.
      {Kind::kSumAsShortAsC, 0, candidate,
       one_sum(bf16, {{0, power(-12), power(-12)}, {2, power(-16), power(-15)}}, 0x3f800000)},
      // C-term: -2^-25 floors to -2^-24, cut toward zero to nothing.
      {Kind::kCTowardZero, 0, candidate,
       one_sum(bf16, {{0, power(0), power(0)}, {2, power(0) | kMinus, power(0)}}, 0xb3000000)},
      // S1: 1 at k = 0 and at k = 16 against 2^24.
      {Kind::kStepDoubled, 0, candidate,
       one_sum(bf16, {{0, power(0), power(0)}, {16, power(0), power(0)}}, 0x4b800000)},
      // S2 (0, 16).
      {Kind::kDescendingSteps, 0, candidate,
       one_sum(bf16, {{0, power(0), power(0)}, {16, power(-12) | kMinus, power(-13)}}, 0xbf800000)},
      // S3 (0, 1): floored at the merge, or cut.
      {Kind::kMergedGroups, 0, candidate, one_sum(fp8, {{0, 0x58, 0x58}, {1, 0x80 | 0x02, 0x01}}, 0xc3800000)},
      // -2^-26 below 1 - 1.
      {Kind::kNeverDropC, 0, candidate, one_sum(fp8, {{0, 0x38, 0x38}, {2, 0xb8, 0x38}}, 0xb2800000)},
      // E1.
      {Kind::kNoProductOverflow, 0, candidate,
       one_sum(bf16, {{0, power(127), power(1)}, {2, power(127) | kMinus, power(1)}}, 0)},
      {Kind::kUnfused, 0, candidate, one_sum(f32, {{0, 0x3f800800, 0x3f800800}}, 0xbf801000)},
      {Kind::kMissingC, 0, candidate, random_image(f16, 1)},
      {Kind::kLastProductMissing, 0, candidate, random_image(f16, 1)},
      {Kind::kNegativeZeroLost, 0, candidate, one_sum(instruction(64), {{0, 0x80000000, kF32.one}}, 0x80000000)},
      {Kind::kF64ThroughF32, 0, candidate, one_sum(f64, {{0, kF64.one | 1, kF64.one}}, 0)},
      {Kind::kNanSign, 0, candidate, one_sum(f16, {{0, 0x7c00, 0}}, 0)},
      {Kind::kRoundByMode, 0, candidate,
       with_mode(one_sum(f32, {{0, kF32.one, kF32.one}, {1, kF32.one, kF32.one}}, 0x4b800001), 0x5, 0xf, false)},
      {Kind::kDenormByMode, 0, candidate, with_mode(one_sum(f16, {{0, 1, kF16.one}}, 0), 0, 0, false)},
      {Kind::kOverflowNotClamped, 0, candidate, with_mode(one_sum(bf16, {{0, power(127), power(1)}}, 0), 0, 0xf, true)},
  };
}

TEST(Faults, EachKindHasAScenarioAndAName) {
  std::set<Kind> covered;
  for (const Scenario& scenario : scenarios()) covered.insert(scenario.kind);
  std::set<std::string_view> names;
  for (const Kind kind : all_fault_kinds()) {
    EXPECT_TRUE(covered.contains(kind)) << name_of(kind);
    EXPECT_TRUE(names.insert(name_of(kind)).second) << name_of(kind);
    EXPECT_EQ(fault_kind_named(name_of(kind)), kind);
  }
  EXPECT_GE(names.size(), 22U);
  EXPECT_FALSE(names.contains("none"));
  EXPECT_EQ(name_of(Kind::kNone), "none");
  EXPECT_EQ(fault_kind_named("none"), Kind::kNone);
  EXPECT_EQ(fault_kind_named("no-such-fault"), std::nullopt);
}

class Planted : public ::testing::TestWithParam<Scenario> {};

TEST_P(Planted, ShowsInDAndOnlyWherePlanted) {
  Scenario scenario = GetParam();
  Image& image = scenario.image;
  ASSERT_EQ(image.run(MatrixUnit(scenario.config)), "");
  const std::vector<std::uint32_t> healthy = image.d();
  const auto result_with = [&](int opcode) {
    EXPECT_EQ(image.run(MatrixUnit(scenario.config, {scenario.kind, opcode, scenario.value})), "");
    return image.d();
  };
  EXPECT_NE(result_with(image.instruction.opcode), healthy);
  EXPECT_EQ(result_with(image.instruction.opcode == 64 ? 65 : 64), healthy);
  if (scenario.kind != Kind::kOpcode) {
    EXPECT_NE(result_with(-1), healthy);
  }
}

std::string planted_name(const ::testing::TestParamInfo<Scenario>& scenario) {
  std::string name(name_of(scenario.param.kind));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Kinds, Planted, ::testing::ValuesIn(scenarios()), planted_name);

TEST(Faults, LayoutEntrySwapsTwoNeighbours) {
  Image image = random_image(instruction(84), 1);
  for (std::size_t n = 0; n < image.c.size(); ++n) image.c[n] = static_cast<std::uint32_t>(n) << 12 | 0x4f000000;
  image.fill_a(0);
  ASSERT_EQ(image.run(MatrixUnit(candidate_config(), {Kind::kLayoutEntry, 84, 63})), "");
  std::vector<std::uint32_t> expected = image.c;
  std::swap(expected[63], expected[0]);
  EXPECT_EQ(image.d(), expected);
}

TEST(Faults, OpcodeComputesAsTheOther) {
  Image image = random_image(instruction(84), 1);
  ASSERT_EQ(image.run(MatrixUnit(candidate_config(), {Kind::kOpcode, 84, 53})), "");
  const auto faulty = image.d();
  Image other(instruction(53));
  other.a = image.a;
  other.b = image.b;
  other.c = image.c;
  ASSERT_EQ(other.run(MatrixUnit(candidate_config())), "");
  EXPECT_EQ(faulty, other.d());
}

TEST(Faults, WhatCannotBePlantedIsSaid) {
  Image image = random_image(instruction(84), 1);
  EXPECT_NE(image.run(MatrixUnit(candidate_config(), {Kind::kOpcode, -1, 64})).find("planted fault 'opcode'"),
            std::string::npos);
  EXPECT_NE(image.run(MatrixUnit(candidate_config(), {Kind::kOpcode, 84, 9999})), "");
  Image mixed = random_image(f8f6f4(45, 0, 4), 1);
  EXPECT_NE(mixed.run(MatrixUnit(candidate_config(), {Kind::kSwapFormatCodes, -1, 0})), "");
}

}  // namespace
}  // namespace mfma::gfx950::testing
