// The probes of numerics, section 4, on subnormals, overflow, integers, NaNs and zeros (D, E, C1-C9, Z) and the f32 and
// f64 tables (F).
#include "tests/reference/expect.h"

namespace mfma::oracles::reference::testing {
namespace {

TEST(ProbeD, SubnormalsAreKept) {
  expect_bits("D1", Dot(kF16, kF16, kF32, 4, 0).set_codes(0, 0x0001, 0x3C00),
              {{"SEQ", sequential(), 0x33800000}, {"TR4", tr(4), 0x33800000}});
  expect_bits("D2", Dot(kBf16, kBf16, kF32, 4, 0).set(0, {1, -100}, {1, -40}),
              {{"SEQ", sequential(), 0x00000200}, {"TR4", tr(4), 0x00000200}, {"P4", pairs(4), 0x00000200}});
  expect_bits("D2 c", Dot(kBf16, kBf16, kF32, 4, 0x80000001),
              {{"SEQ", sequential(), 0x80000001}, {"TR4", tr(4), 0x80000001}, {"GTR4", gtr(4), 0x80000001}});
  expect_bits("D3", Dot(kF32, kF32, kF32, 1, 0).set_codes(0, 0x00400000, 0x3F800000),
              {{"SEQ", sequential(), 0x00400000}});
  expect_bits("D4", Dot(kF32, kF32, kF32, 1, 0).set(0, {1, -100}, {1, -40}), {{"SEQ", sequential(), 0x00000200}});
  expect_bits("D4 c", Dot(kF32, kF32, kF32, 1, 0x00000001), {{"SEQ", sequential(), 0x00000001}});
}

TEST(ProbeE, Overflow) {
  expect_bits("E1", Dot(kBf16, kBf16, kF32, 8, 0).set(0, {1, 127}, {2, 0}).set(2, {-1, 127}, {2, 0}),
              {{"SEQ", sequential(), 0x7F800000}, {"EK", exact(8), 0}, {"TR8", tr(8), 0x7FC00000}});
  expect_bits("E2", Dot(kBf16, kBf16, kF32, 8, 0xFF7FFFFF).set(0, {1, 127}, {2, 0}),
              {{"SEQ", sequential(), 0x73800000}, {"EK", exact(8), 0x73800000}, {"TR8", tr(8), 0x7F800000}});
  expect_bits("E2b",
              Dot(kBf16, kBf16, kF32, 8, 0).set(0, {1, 127}, {1, 0}).set(1, {1, 127}, {1, 0}).set(2, {-1, 127}, {1, 0}),
              {{"SEQ", sequential(), 0x7F800000}, {"EK", exact(8), 0x7F000000}, {"TR8", tr(8), 0x7F000000}});
  // a = b = 2^64 with MODE.FP16_OVFL = 0.
  expect_bits("E3", Dot(kF32, kF32, kF32, 1, 0).set(0, {1, 64}, {1, 64}), {{"SEQ", sequential(), 0x7F800000}});
}

TEST(ProbeE, IntegersWrap) {
  const Model integer = make(ModelKind::kInteger);
  expect_bits("E4", Dot(kI8, kI8, kI32, 16, 0x7FFFFFFF).set(3, {1, 0}, {1, 0}), {{"integer", integer, 0x80000000}});
  expect_bits("E4 order", Dot(kI8, kI8, kI32, 16, 0x7FFFFFFF).set(0, {1, 0}, {1, 0}).set(15, {-1, 0}, {1, 0}),
              {{"integer", integer, 0x7FFFFFFF}});
  Dot lowest(kI8, kI8, kI32, 64, 0);
  for (int k = 0; k < 64; ++k) lowest.set(k, {-128, 0}, {-128, 0});
  expect_bits("E4 all -128", lowest, {{"integer", integer, 0x00100000}});
  expect_bits("below", Dot(kI8, kI8, kI32, 16, 0x80000000).set(3, {-1, 0}, {1, 0}), {{"integer", integer, 0x7FFFFFFF}});
}

Model propagating(Model model, const char* order, std::optional<std::uint64_t> bits = std::nullopt) {
  model.nan = {true, order, bits};
  return model;
}

TEST(ProbeNan, PayloadsKeptAndQuieted) {
  const Model abc = propagating(tr(8), "abc");
  expect_bits("C1", Dot(kF16, kF16, kF32, 8, 0).set_codes(2, 0x7E01, 0x3C00), {{"abc", abc, 0x7FC02000}});
  expect_bits("C2", Dot(kF16, kF16, kF32, 8, 0).set_codes(2, 0x7D01, 0x3C00), {{"abc", abc, 0x7FE02000}});
  expect_bits("C3", Dot(kF16, kF16, kF32, 8, 0x7F812345), {{"abc", abc, 0x7FC12345}});
  expect_bits("C4", Dot(kF16, kF16, kF32, 8, 0xFFC54321), {{"abc", abc, 0xFFC54321}});
  expect_bits("0 * NaN", Dot(kF16, kF16, kF32, 8, 0).set_codes(2, 0x0000, 0xFE01), {{"abc", abc, 0xFFC02000}});
  expect_bits("fp8", Dot(kFp8, kFp8, kF32, 8, 0).set_codes(2, 0xFF, 0x00), {{"abc", abc, 0xFFF00000}});
  expect_bits("bf8", Dot(kBf8, kBf8, kF32, 8, 0).set_codes(2, 0x7D, 0x00), {{"abc", abc, 0x7FE00000}});
  expect_bits("f64", Dot(kF64, kF64, kF64, 1, 0).set_codes(0, 0x7FF0000000000001, 0),
              {{"abc", propagating(sequential(), "abc"), 0x7FF8000000000001}});
}

TEST(ProbeNan, TheOrderOfOperandsThenOfK) {
  const Dot dot = Dot(kF32, kF32, kF32, 4, 0x7FC0000C)
                      .set_codes(0, 0x3F800000, 0x7FC000B0)
                      .set_codes(1, 0x7FC000A1, 0x7FC000B1)
                      .set_codes(2, 0x7FC000A2, 0x3F800000);
  for (const Model& model : {sequential(), exact(2), tr(2), pairs(2), make(ModelKind::kBlockSums)}) {
    expect_bits("order", dot,
                {{"abc", propagating(model, "abc"), 0x7FC000A1},
                 {"bac", propagating(model, "bac"), 0x7FC000B0},
                 {"cab", propagating(model, "cab"), 0x7FC0000C},
                 {"none", model, 0x7FC00000}});
  }
}

TEST(ProbeNan, GeneratedNansHaveTheBitsOfTheRule) {
  const Dot zero_times_infinity = Dot(kF16, kF16, kF32, 8, 0).set_codes(0, 0x7C00, 0x0000);
  const Dot opposite = Dot(kF16, kF16, kF32, 8, 0).set_codes(0, 0x7C00, 0x3C00).set_codes(1, 0x7C00, 0xBC00);
  const Dot against_c = Dot(kF16, kF16, kF32, 8, 0xFF800000).set_codes(0, 0x7C00, 0x3C00);
  Model chosen = tr(8);
  chosen.nan.bits = 0xFFC00000;
  for (const Dot& dot : {zero_times_infinity, opposite, against_c}) {
    expect_bits("generated", dot,
                {{"default", tr(8), 0x7FC00000},
                 {"chosen", chosen, 0xFFC00000},
                 {"chain", sequential(), 0x7FC00000},
                 {"propagate", propagating(tr(8), "abc", 0x7FFFFFFF), 0x7FFFFFFF},
                 {"exact", exact(8), 0x7FC00000},
                 {"mul+add", multiply_then_add(), 0x7FC00000},
                 {"pairwise", pairs(8), 0x7FC00000}});
  }
  expect_bits("f64", Dot(kF64, kF64, kF64, 1, 0).set_codes(0, 0x7FF0000000000000, 0),
              {{"default", sequential(), 0x7FF8000000000000}});
}

TEST(ProbeNan, InfinityOfCIsNotDropped) {
  const Dot dot = Dot(kBf8, kBf8, kF32, 16, 0x7F800000).set(0, {1, 15}, {1, 15});
  expect_bits("C9", dot, {{"GTR16", gtr(16), 0x7F800000}, {"SEQ", sequential(), 0x7F800000}});
}

TEST(ProbeZ, TheSignOfZero) {
  const auto zeros = [](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    Dot dot(kF16, kF16, kF32, 8, c);
    for (int k = 0; k < 8; ++k) dot.set_codes(k, a, b);
    return dot;
  };
  const auto expect_zeros = [&](const Model& model, std::uint64_t all_negative) {
    expect_bits("-0 * +0 and -0", zeros(0x8000, 0x0000, 0x80000000), {{"d", model, all_negative}});
    expect_bits("-0 * 1 and -0", zeros(0x8000, 0x3C00, 0x80000000), {{"d", model, all_negative}});
    expect_bits("-0 and +0", zeros(0x8000, 0x0000, 0x00000000), {{"d", model, 0}});
    expect_bits("+0 and -0", zeros(0x0000, 0x0000, 0x80000000), {{"d", model, 0}});
    expect_bits("cancelled", zeros(0x8000, 0x0000, 0x80000000).set(0, {1, 0}, {-1, 0}).set(1, {1, 0}, {1, 0}),
                {{"d", model, 0}});
  };
  // Made of IEEE additions; and adders that know no -0.
  for (const Model& model : {sequential(), multiply_then_add(), pairs(4)}) expect_zeros(model, 0x80000000);
  for (const Model& model : {exact(8), tr(8), gtr(8)}) expect_zeros(model, 0x00000000);
  // A block's chain starts at +0.
  expect_zeros(make(ModelKind::kBlockSums), 0x00000000);
  // -2^-75 * 2^-75 rounds to zero and keeps its sign.
  expect_bits("underflow", Dot(kF32, kF32, kF32, 1, 0x80000000).set(0, {-1, -75}, {1, -75}),
              {{"SEQ", sequential(), 0x80000000}, {"MUL", multiply_then_add(), 0x80000000}});
}

struct TableRow {
  const char* name;
  std::vector<Number> a, b;
  std::uint64_t c, ascending, descending, separate, pairwise, exact_four;
};

void expect_table(const Format& f, const std::vector<TableRow>& rows) {
  for (const TableRow& row : rows) {
    Dot dot(f, f, f, static_cast<int>(row.a.size()), row.c);
    for (std::size_t k = 0; k < row.a.size(); ++k) dot.set(static_cast<int>(k), row.a[k], row.b[k]);
    expect_bits(row.name, dot,
                {{"ascending FMA", sequential(), row.ascending},
                 {"descending FMA", sequential(StepOrder::kDescending), row.descending},
                 {"mul+add", multiply_then_add(), row.separate},
                 {"pairwise", pairs(4), row.pairwise},
                 {"exact-4", exact(4), row.exact_four}});
  }
}

const std::vector<Number> kOnes = {{1, 0}, {1, 0}, {1, 0}, {1, 0}};

TEST(ProbeF, F32) {
  expect_table(
      kF32, {{"fused", {{4097, -12}}, {{4097, -12}}, 0xBF801000, 0x33800000, 0x33800000, 0, 0, 0x33800000},
             {"ones", kOnes, kOnes, 0x4B800000, 0x4B800000, 0x4B800000, 0x4B800000, 0x4B800002, 0x4B800002},
             {"2^24 first",
              {{1, 24}, {1, 0}, {-1, 24}, {1, 0}},
              kOnes,
              0,
              0x3F800000,
              0x40000000,
              0x3F800000,
              0x3F800000,
              0x40000000},
             {"2^24 second", {{1, 0}, {1, 24}, {1, 0}, {-1, 24}}, kOnes, 0, 0, 0x40000000, 0, 0x3F800000, 0x40000000}});
}

TEST(ProbeF, F64) {
  constexpr std::uint64_t one = 0x3FF0000000000000, two = 0x4000000000000000, large = 0x4340000000000000;
  expect_table(kF64, {{"fused",
                       {{134217729, -27}},
                       {{134217729, -27}},
                       0xBFF0000004000000,
                       0x3C90000000000000,
                       0x3C90000000000000,
                       0,
                       0,
                       0x3C90000000000000},
                      {"ones", kOnes, kOnes, large, large, large, large, large + 2, large + 2},
                      {"2^53 first", {{1, 53}, {1, 0}, {-1, 53}, {1, 0}}, kOnes, 0, one, two, one, one, two},
                      {"2^53 second", {{1, 0}, {1, 53}, {1, 0}, {-1, 53}}, kOnes, 0, 0, two, 0, one, two}});
}

}  // namespace
}  // namespace mfma::oracles::reference::testing
