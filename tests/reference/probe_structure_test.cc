// The structure, alignment and C-term probes of numerics, section 4: expectations computed there by hand or by exact
// rational code that is not ours.
#include "tests/reference/expect.h"

namespace mfma::oracles::reference::testing {
namespace {

constexpr std::uint64_t kMinusOne = 0xBF800000;

// p_i = 1 and p_j = -2^-25 against C = -1.
Dot structure_probe(const Format& f, int i, int j) {
  return Dot(f, f, kF32, 32, kMinusOne).set(i, {1, 0}, {1, 0}).set(j, {-1, -12}, {1, -13});
}

struct StructureRow {
  int i, j;
  std::uint64_t seq, p4, e8, ek, tr8, tr16, tr16eo, tr16hh, tr8_floor;
};

constexpr std::uint64_t kKept = 0xB3000000, kCut = 0x00000000, kFloored = 0xB3800000;
constexpr StructureRow kStructureRows[] = {
    {0, 1, kKept, kCut, kKept, kKept, kCut, kCut, kFloored, kCut, kFloored},
    {0, 2, kKept, kCut, kKept, kKept, kCut, kCut, kCut, kCut, kFloored},
    {0, 8, kKept, kKept, kKept, kKept, kKept, kCut, kCut, kFloored, kKept},
    {0, 16, kKept, kKept, kKept, kKept, kKept, kKept, kKept, kKept, kKept},
    {31, 0, kCut, kCut, kCut, kKept, kCut, kCut, kCut, kCut, kCut},
    {31, 24, kCut, kCut, kKept, kKept, kCut, kCut, kFloored, kCut, kFloored},
};

TEST(ProbeS2, EveryColumnOfTheStructureScan) {
  for (const Format& f : {kF16, kBf16}) {
    for (const StructureRow& row : kStructureRows) {
      expect_bits(fmt::format("S2 {} ({},{})", f.name, row.i, row.j), structure_probe(f, row.i, row.j),
                  {{"SEQ", sequential(), row.seq},
                   {"P4", pairs(4), row.p4},
                   {"E8", exact(8), row.e8},
                   {"EK", exact(32), row.ek},
                   {"TR8", tr(8), row.tr8},
                   {"TR16", tr(16), row.tr16},
                   {"TR16eo", tr_even_odd(16), row.tr16eo},
                   {"TR16hh", tr_halves(16), row.tr16hh},
                   {"TR8 with floor", tr_floor(8), row.tr8_floor}});
    }
  }
}

TEST(ProbeS2, DescendingStepsSwapTheRowsThatSpanSteps) {
  Model tr8 = tr(8), tr16 = tr(16);
  tr8.order = tr16.order = StepOrder::kDescending;
  expect_bits("(0,16)", structure_probe(kF16, 0, 16), {{"TR8", tr8, kCut}, {"TR16", tr16, kCut}});
  expect_bits("(31,0)", structure_probe(kF16, 31, 0), {{"TR8", tr8, kKept}, {"TR16", tr16, kKept}});
  expect_bits("(31,0)", structure_probe(kF16, 31, 0), {{"SEQ", sequential(StepOrder::kDescending), kKept}});
}

TEST(ProbeS1, TwoOnesCountOnlyWithinAStep) {
  for (int j = 1; j < 32; ++j) {
    const Dot dot = Dot(kF16, kF16, kF32, 32, 0x4B800000).set(0, {1, 0}, {1, 0}).set(j, {1, 0}, {1, 0});
    const auto same_step = [&](int step) { return j < step ? 0x4B800001U : 0x4B800000U; };
    expect_bits(fmt::format("S1 (0,{})", j), dot,
                {{"SEQ", sequential(), 0x4B800000},
                 {"MUL", multiply_then_add(), 0x4B800000},
                 {"P4", pairs(4), same_step(4)},
                 {"TR8", tr(8), same_step(8)},
                 {"TR16", tr(16), same_step(16)},
                 {"TR32", tr(32), 0x4B800001},
                 {"EK", exact(32), 0x4B800001}});
  }
}

// p_i = 16 * 16, p_j = -2^-8 * 2^-9, C = -256.
Dot fp8_probe(int k, int i, int j) {
  return Dot(kFp8, kFp8, kF32, k, 0xC3800000).set(i, {16, 0}, {16, 0}).set(j, {-1, -8}, {1, -9});
}

TEST(ProbeS3, StepsAndGroupsOfFp8) {
  constexpr std::uint64_t kept = 0xB7000000, floored = 0xB7800000;
  expect_bits("S3 (0,16)", fp8_probe(128, 0, 16), {{"T16", tr(16), kept}, {"T32", tr(32), 0}});
  expect_bits("S3 (0,32)", fp8_probe(128, 0, 32), {{"T32", tr(32), kept}, {"T64", tr(64), 0}});
  expect_bits("S3 (0,64)", fp8_probe(128, 0, 64), {{"T64", tr(64), kept}, {"T128", tr(128), 0}});
  expect_bits("S3 (0,1)", fp8_probe(32, 0, 1), {{"one group", tr(16), 0}, {"even/odd", gtr(16), floored}});
  expect_bits("S3 (0,2)", fp8_probe(32, 0, 2),
              {{"even/odd", gtr(16), 0}, {"k mod 4", tr_groups(16, 4, Grouping::kInterleaved), floored}});
}

TEST(ProbeS4, GroupSumOfBf8) {
  Dot dot = Dot(kBf8, kBf8, kF32, 16, kMinusOne).set(0, {1, 0}, {1, 0});
  for (int k = 1; k < 16; k += 2) dot.set(k, {1, -13}, {1, -13});
  expect_bits("S4", dot,
              {{"SEQ", sequential(), 0x34000000},
               {"EK", exact(16), 0x34000000},
               {"one group", tr(16), 0},
               {"even/odd", gtr(16), 0x34000000},
               {"k mod 4", tr_groups(16, 4, Grouping::kInterleaved), 0x34000000}});
}

// p0 and p2 with K = 16, f16.
Dot two_products(Number a0, Number b0, Number a2, Number b2, std::uint64_t c) {
  return Dot(kF16, kF16, kF32, 16, c).set(0, a0, b0).set(2, a2, b2);
}

TEST(ProbeA, AlignmentWidth) {
  const auto width = [](int k) { return two_products({1, 0}, {1, 0}, {1, -12}, {1, 12 - k}, kMinusOne); };
  const auto exactly = [](int k) { return static_cast<std::uint64_t>(127 - k) << 23; };
  for (const int k : {23, 24, 25}) {
    expect_bits(fmt::format("A1 k={}", k), width(k),
                {{"SEQ", sequential(), exactly(k)},
                 {"E8", exact(8), exactly(k)},
                 {"EK", exact(16), exactly(k)},
                 {"P4", pairs(4), k == 23 ? exactly(k) : 0},
                 {"TR8", tr(8), k <= 24 ? exactly(k) : 0},
                 {"TR16", tr(16), k <= 24 ? exactly(k) : 0},
                 {"GTR16", gtr(16), k <= 24 ? exactly(k) : 0}});
  }
}

TEST(ProbeA, AlignmentMode) {
  expect_bits("A2+", two_products({1, 0}, {1, 0}, {3, -13}, {1, -12}, kMinusOne),
              {{"SEQ", sequential(), 0x33C00000},
               {"P4", pairs(4), 0x34000000},
               {"EK", exact(16), 0x33C00000},
               {"TR8", tr(8), 0x33800000},
               {"TR16", tr(16), 0x33800000},
               {"GTR16", gtr(16), 0x33800000}});
  expect_bits("A2-", two_products({1, 0}, {1, 0}, {-3, -13}, {1, -12}, kMinusOne),
              {{"SEQ", sequential(), 0xB3C00000},
               {"P4", pairs(4), 0xB4000000},
               {"EK", exact(16), 0xB3C00000},
               {"TR8", tr(8), 0xB3800000},
               {"GTR16", gtr(16), 0xB3800000},
               {"floor", tr_floor(8), 0xB4000000}});
}

TEST(ProbeA, ProductsAreNotNormalisedUnlessAsked) {
  Model normalised = tr(8);
  normalised.normalise_products = true;
  expect_bits("A3", two_products({3, -1}, {3, -1}, {1, -12}, {1, -12}, 0xC0100000),
              {{"SEQ", sequential(), 0x33800000},
               {"P4", pairs(4), 0},
               {"E8", exact(8), 0x33800000},
               {"TR8", tr(8), 0x33800000},
               {"GTR16", gtr(16), 0x33800000},
               {"normalised", normalised, 0}});
}

TEST(ProbeA, SubnormalsAreNotNormalisedUnlessAsked) {
  Model normalised = tr(8), only_products = tr(8);
  normalised.normalise_subnormals = true;
  only_products.normalise_products = true;
  expect_bits("A4", two_products({1, -24}, {1, 0}, {1, -24}, {1, -24}, 0xB3800000),
              {{"SEQ", sequential(), 0x27800000},
               {"P4", pairs(4), 0},
               {"EK", exact(16), 0x27800000},
               {"TR8", tr(8), 0},
               {"TR16", tr(16), 0},
               {"GTR16", gtr(16), 0},
               {"normalised", normalised, 0x27800000},
               {"products only", only_products, 0}});
}

Dot table_8(const Format& f) {
  return Dot(f, f, kF32, 16, 0x4B000000)
      .set(0, {-1, 13}, {1, 10})
      .set(1, {-1, -1}, {1, 0})
      .set(2, {-1, -2}, {1, 0})
      .set(3, {-1, -3}, {1, 0});
}

TEST(ProbeA, Table8OfThePublishedMeasurements) {
  expect_bits("A5 f16", table_8(kF16),
              {{"EK", exact(16), 0xBF600000},
               {"E4 (CDNA1)", exact(4), 0xBF600000},
               {"P4 (CDNA2 f16)", pairs(4), 0},
               {"TR8 (CDNA3)", tr(8), 0xBF000000},
               {"TR16", tr(16), 0xBF000000},
               {"even/odd", tr_even_odd(16), 0xBF800000},
               {"floor", tr_floor(8), 0xBFC00000}});
  expect_bits("A5 bf16", table_8(kBf16), {{"P2 (CDNA2 bf16)", pairs(2), 0xBEC00000}});
  expect_bits("A5 bf8", table_8(kBf8), {{"GTR16 (CDNA3 bf8)", gtr(16), 0xBF800000}});
}

TEST(ProbeC, TheAccumulatorAgainstACancelledSum) {
  struct Row {
    std::uint64_t c, seq, exact_bits, tr_bits, gtr_bits;
  };
  for (const Row& row :
       {Row{0x33000000, 0, 0x33000000, 0, 0}, Row{0xB3000000, 0, 0xB3000000, 0xB3800000, 0xB3800000},
        Row{0xB2800000, 0, 0xB2800000, 0xB3800000, 0}, Row{0x80000001, 0, 0x80000001, 0xB3800000, 0}}) {
    expect_bits(fmt::format("C-term {:08x}", row.c), two_products({1, 0}, {1, 0}, {-1, 0}, {1, 0}, row.c),
                {{"SEQ", sequential(), row.seq},
                 {"E8", exact(8), row.exact_bits},
                 {"EK", exact(16), row.exact_bits},
                 {"TR8", tr(8), row.tr_bits},
                 {"TR16", tr(16), row.tr_bits},
                 {"GTR16", gtr(16), row.gtr_bits}});
  }
}

TEST(ProbeC, WidthOfTheSumAgainstC) {
  for (const int m : {30, 31, 32, 33}) {
    expect_bits(fmt::format("dot width m={}", m), two_products({1, -12}, {1, -12}, {1, -16}, {1, 16 - m}, 0x3F800000),
                {{"SEQ", sequential(), 0x3F800000},
                 {"EK", exact(16), 0x3F800001},
                 {"TR8", tr(8), m <= 31 ? 0x3F800001U : 0x3F800000U}});
  }
}

TEST(ProbeC, OldAndNewDescriptionOfTheLastSteps) {
  const Dot dot = Dot(kBf16, kBf16, kF32, 16, kMinusOne).set(0, {1, -12}, {1, -13}).set(1, {1, -16}, {1, -16});
  expect_bits("old against new TR", dot,
              {{"MS1", tr_old(8), 0xBF800000},
               {"MS2", tr(8), 0xBF7FFFFF},
               {"EK", exact(16), 0xBF7FFFFF},
               {"SEQ", sequential(), 0xBF800000}});
}

}  // namespace
}  // namespace mfma::oracles::reference::testing
