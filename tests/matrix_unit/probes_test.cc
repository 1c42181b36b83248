// The probe tables of docs/numerics.md, section 4: hand-worked results of small sums under each model.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>

#include "tests/matrix_unit/support.h"

namespace mfma::gfx950::testing {
namespace {

struct Product {
  int k;
  double a, b;
};

// The code of a value that the format holds exactly, found by its fields.
std::uint64_t code_of(const Format& format, double value) {
  if (format.bits() == 64) return std::bit_cast<std::uint64_t>(value);
  const double magnitude = std::fabs(value);
  const std::uint64_t sign = std::signbit(value) ? std::uint64_t{1} << (format.bits() - 1) : 0;
  if (magnitude == 0) return sign;
  const int exponent = std::max(std::ilogb(magnitude), format.least_exponent());
  const double fraction = std::ldexp(magnitude, format.fraction_bits - exponent);
  EXPECT_EQ(fraction, std::floor(fraction)) << value << " is not a " << format.name;
  const std::uint64_t hidden = std::uint64_t{1} << format.fraction_bits;
  const auto whole = static_cast<std::uint64_t>(fraction);
  const auto binade = static_cast<std::uint64_t>(exponent - format.least_exponent());
  return sign | (whole + (whole >= hidden || binade != 0 ? binade * hidden : 0));
}

std::uint64_t run_probe(const Instruction& in, const AdderRules& rules, const std::vector<Product>& products,
                        std::uint64_t c) {
  const MatrixUnit unit(config_of(rules));
  Image image(in);
  for (const Product& product : products) {
    image.set_a(0, 0, product.k, code_of(in.a, product.a));
    image.set_b(0, product.k, 0, code_of(in.b, product.b));
  }
  image.set_c(0, 0, 0, c);
  EXPECT_EQ(image.run(unit), "");
  return image.get_d(0, 0, 0);
}

AdderRules in_groups(AdderRules rules, int groups, bool contiguous) {
  rules.groups = groups;
  rules.contiguous_groups = contiguous;
  return rules;
}
AdderRules with_floor(AdderRules rules) {
  rules.product_rounding = RoundTo::kMinusInfinity;
  return rules;
}
AdderRules of_kind(Accumulate kind, int step) {
  AdderRules rules;
  rules.accumulate = kind;
  rules.step = step;
  return rules;
}
AdderRules descending(AdderRules rules) {
  rules.descending = true;
  return rules;
}

const AdderRules& model(const std::string& name) {
  static const std::map<std::string, AdderRules> models = [] {
    std::map<std::string, AdderRules> all;
    all["SEQ"] = sequential_rules();
    all["SEQ down"] = descending(sequential_rules());
    all["MUL"] = of_kind(Accumulate::kMultiplyAdd, 1);
    all["P4"] = of_kind(Accumulate::kPairwise, 4);
    all["E4"] = exact_rules(4);
    all["E8"] = exact_rules(8);
    all["EK"] = exact_rules(128);
    for (const int step : {8, 16, 32, 64, 128}) all["TR" + std::to_string(step)] = aligned_rules(step);
    all["TR16 down"] = descending(aligned_rules(16));
    all["TR16eo"] = in_groups(aligned_rules(16), 2, false);
    all["TR16hh"] = in_groups(aligned_rules(16), 2, true);
    all["TR16mod4"] = in_groups(aligned_rules(16), 4, false);
    all["TR8 floor"] = with_floor(aligned_rules(8));
    all["GTR16"] = grouped_rules(16);
    all["ROCJ"] = of_kind(Accumulate::kBlockSums, 32);
    all["ROCJ"].scale_in_block_sum = true;
    all["TR64blk"] = in_groups(aligned_rules(64), 2, true);
    all["TR16 norm products"] = aligned_rules(16);
    all["TR16 norm products"].normalise_products = true;
    all["TR16 norm subnormals"] = aligned_rules(16);
    all["TR16 norm subnormals"].normalise_subnormals = true;
    return all;
  }();
  return models.at(name);
}

using Expected = std::vector<std::pair<std::string, std::uint64_t>>;

void expect_all(const std::string& id, const Instruction& in, const std::vector<Product>& products, std::uint64_t c,
                const Expected& expected) {
  for (const auto& [name, bits] : expected) {
    EXPECT_EQ(run_probe(in, model(name), products, c), bits) << std::hex << id << ' ' << in.name << ' ' << name;
  }
}

const Instruction kBf16K32 = instruction(53);
const Instruction kF16K32 = instruction(84);

TEST(Probes, S1SameStep) {
  for (const Instruction& in : {kBf16K32, kF16K32}) {
    const struct {
      const char* name;
      int flip;
    } rows[] = {{"TR8", 8}, {"TR16", 16}, {"TR32", 32}, {"EK", 32}, {"P4", 4}, {"SEQ", 1}, {"MUL", 1}};
    for (const auto& row : rows) {
      for (int j = 1; j < 32; ++j) {
        EXPECT_EQ(run_probe(in, model(row.name), {{0, 1, 1}, {j, 1, 1}}, 0x4b800000),
                  j < row.flip ? 0x4b800001U : 0x4b800000U)
            << row.name << ' ' << j;
      }
    }
  }
}

TEST(Probes, S2StructureScan) {
  constexpr std::uint64_t kKept = 0xb3000000;
  constexpr std::uint64_t kFloored = 0xb3800000;
  const struct {
    int i, j;
    Expected expected;
  } rows[] = {
      {0,
       1,
       {{"SEQ", kKept},
        {"P4", 0},
        {"E8", kKept},
        {"EK", kKept},
        {"TR8", 0},
        {"TR16", 0},
        {"TR16eo", kFloored},
        {"TR16hh", 0},
        {"TR8 floor", kFloored}}},
      {0,
       2,
       {{"SEQ", kKept},
        {"P4", 0},
        {"E8", kKept},
        {"EK", kKept},
        {"TR8", 0},
        {"TR16", 0},
        {"TR16eo", 0},
        {"TR16hh", 0},
        {"TR8 floor", kFloored}}},
      {0,
       8,
       {{"SEQ", kKept},
        {"P4", kKept},
        {"E8", kKept},
        {"EK", kKept},
        {"TR8", kKept},
        {"TR16", 0},
        {"TR16eo", 0},
        {"TR16hh", kFloored},
        {"TR8 floor", kKept}}},
      {0,
       16,
       {{"SEQ", kKept},
        {"P4", kKept},
        {"E8", kKept},
        {"EK", kKept},
        {"TR8", kKept},
        {"TR16", kKept},
        {"TR16eo", kKept},
        {"TR16hh", kKept},
        {"TR8 floor", kKept},
        {"TR16 down", 0}}},
      {31,
       0,
       {{"SEQ", 0},
        {"P4", 0},
        {"E8", 0},
        {"EK", kKept},
        {"TR8", 0},
        {"TR16", 0},
        {"TR16eo", 0},
        {"TR16hh", 0},
        {"TR8 floor", 0},
        {"TR16 down", kKept}}},
      {31,
       24,
       {{"SEQ", 0},
        {"P4", 0},
        {"E8", kKept},
        {"EK", kKept},
        {"TR8", 0},
        {"TR16", 0},
        {"TR16eo", kFloored},
        {"TR16hh", 0},
        {"TR8 floor", kFloored}}},
  };
  for (const Instruction& in : {kBf16K32, kF16K32}) {
    for (const auto& row : rows) {
      expect_all("S2", in, {{row.i, 1, 1}, {row.j, -0x1p-12, 0x1p-13}}, 0xbf800000, row.expected);
    }
  }
}

TEST(Probes, S3E4M3) {
  const Instruction in = f8f6f4(45, 0, 0);
  const auto pair = [](int j) { return std::vector<Product>{{0, 16, 16}, {j, -0x1p-8, 0x1p-9}}; };
  expect_all("S3", in, pair(16), 0xc3800000, {{"TR16", 0xb7000000}, {"TR32", 0}});
  expect_all("S3", in, pair(32), 0xc3800000, {{"TR32", 0xb7000000}, {"TR64", 0}});
  expect_all("S3", in, pair(64), 0xc3800000, {{"TR64", 0xb7000000}, {"TR128", 0}});
  expect_all("S3", in, pair(1), 0xc3800000, {{"TR16", 0}, {"TR16eo", 0xb7800000}});
  expect_all("S3", in, pair(2), 0xc3800000, {{"TR16eo", 0}, {"TR16mod4", 0xb7800000}});
}

TEST(Probes, S4E5M2GroupSum) {
  std::vector<Product> products{{0, 1, 1}};
  for (int k = 1; k < 16; k += 2) products.push_back({k, 0x1p-13, 0x1p-13});
  expect_all("S4", instruction(112), products, 0xbf800000,
             {{"SEQ", 0x34000000}, {"EK", 0x34000000}, {"TR16", 0}, {"TR16eo", 0x34000000}, {"TR16mod4", 0x34000000}});
}

TEST(Probes, AAlignment) {
  for (int k = 20; k <= 30; ++k) {
    const std::vector<Product> products{{0, 1, 1}, {2, std::ldexp(1.0, -12), std::ldexp(1.0, 12 - k)}};
    const std::uint64_t power = static_cast<std::uint64_t>(127 - k) << 23;
    expect_all("A1", kBf16K32, products, 0xbf800000,
               {{"SEQ", power},
                {"E8", power},
                {"EK", power},
                {"P4", k <= 23 ? power : 0},
                {"TR8", k <= 24 ? power : 0},
                {"TR16", k <= 24 ? power : 0},
                {"GTR16", k <= 24 ? power : 0}});
  }
  expect_all("A2+", kBf16K32, {{0, 1, 1}, {2, 1.5, 0x1p-24}}, 0xbf800000,
             {{"SEQ", 0x33c00000},
              {"P4", 0x34000000},
              {"E8", 0x33c00000},
              {"EK", 0x33c00000},
              {"TR8", 0x33800000},
              {"GTR16", 0x33800000}});
  expect_all("A2-", kBf16K32, {{0, 1, 1}, {2, -1.5, 0x1p-24}}, 0xbf800000,
             {{"SEQ", 0xb3c00000},
              {"P4", 0xb4000000},
              {"EK", 0xb3c00000},
              {"TR8", 0xb3800000},
              {"TR16", 0xb3800000},
              {"GTR16", 0xb3800000},
              {"TR8 floor", 0xb4000000}});
  expect_all("A3", kBf16K32, {{0, 1.5, 1.5}, {2, 1, 0x1p-24}}, 0xc0100000,
             {{"SEQ", 0x33800000}, {"P4", 0}, {"EK", 0x33800000}, {"TR16", 0x33800000}, {"TR16 norm products", 0}});
  expect_all("A4", kF16K32, {{0, 0x1p-24, 1}, {2, 0x1p-24, 0x1p-24}}, 0xb3800000,
             {{"SEQ", 0x27800000},
              {"P4", 0},
              {"EK", 0x27800000},
              {"TR8", 0},
              {"TR16", 0},
              {"TR16 norm subnormals", 0x27800000}});
  expect_all("A5", kBf16K32, {{0, -0x1p13, 0x1p10}, {1, -0.5, 1}, {2, -0.25, 1}, {3, -0.125, 1}}, 0x4b000000,
             {{"SEQ", 0xbf600000},
              {"P4", 0},
              {"E8", 0xbf600000},
              {"TR8", 0xbf000000},
              {"TR16", 0xbf000000},
              {"TR16eo", 0xbf800000},
              {"TR8 floor", 0xbfc00000}});
}

TEST(Probes, CTerm) {
  const std::vector<Product> products{{0, 1, 1}, {2, -1, 1}};
  expect_all("C", kBf16K32, products, 0x33000000,
             {{"SEQ", 0}, {"EK", 0x33000000}, {"TR8", 0}, {"TR16", 0}, {"GTR16", 0}});
  expect_all("C", kBf16K32, products, 0xb3000000,
             {{"SEQ", 0}, {"E8", 0xb3000000}, {"TR16", 0xb3800000}, {"GTR16", 0xb3800000}});
  expect_all("C", kBf16K32, products, 0xb2800000, {{"SEQ", 0}, {"EK", 0xb2800000}, {"TR8", 0xb3800000}, {"GTR16", 0}});
  expect_all("C", kBf16K32, products, 0x80000001, {{"SEQ", 0}, {"EK", 0x80000001}, {"TR8", 0xb3800000}, {"GTR16", 0}});
  for (int m = 25; m <= 32; ++m) {
    expect_all("dot width", kBf16K32, {{0, 0x1p-12, 0x1p-12}, {2, 0x1p-16, std::ldexp(1.0, 16 - m)}}, 0x3f800000,
               {{"EK", 0x3f800001}, {"TR16", m < 32 ? 0x3f800001 : 0x3f800000}, {"SEQ", 0x3f800000}});
  }
  expect_all("old and new", kBf16K32, {{0, 0x1p-12, 0x1p-13}, {1, 0x1p-16, 0x1p-16}}, 0xbf800000,
             {{"TR16", 0xbf7fffff}, {"EK", 0xbf7fffff}, {"SEQ", 0xbf800000}});
}

TEST(Probes, DSubnormals) {
  expect_all("D1", kF16K32, {{0, 0x1p-24, 1}}, 0, {{"TR16", 0x33800000}, {"SEQ", 0x33800000}, {"EK", 0x33800000}});
  expect_all("D2", kBf16K32, {{0, 0x1p-100, 0x1p-40}}, 0, {{"TR16", 0x200}, {"SEQ", 0x200}, {"EK", 0x200}});
  expect_all("D2 C", kBf16K32, {}, 0x80000001, {{"TR16", 0x80000001}, {"SEQ", 0x80000001}, {"GTR16", 0x80000001}});
  expect_all("D3", instruction(69), {{0, 0x1p-127, 1}}, 0, {{"SEQ", 0x00400000}});
  expect_all("D4", instruction(69), {{0, 0x1p-100, 0x1p-40}}, 0, {{"SEQ", 0x200}});
  expect_all("D4 C", instruction(69), {}, 1, {{"SEQ", 1}});
}

TEST(Probes, EOverflow) {
  constexpr std::uint64_t kNan = 0x7fc00000;
  expect_all("E1", kBf16K32, {{0, 0x1p127, 2}, {2, -0x1p127, 2}}, 0,
             {{"SEQ", 0x7f800000}, {"EK", 0}, {"TR16", kNan}, {"TR8", kNan}});
  expect_all("E2", kBf16K32, {{0, 0x1p127, 2}}, 0xff7fffff,
             {{"SEQ", 0x73800000}, {"EK", 0x73800000}, {"TR16", 0x7f800000}});
  expect_all("E2b", kBf16K32, {{0, 0x1p126, 2}, {1, 0x1p126, 2}, {2, -0x1p126, 2}}, 0,
             {{"SEQ", 0x7f800000}, {"EK", 0x7f000000}, {"TR16", 0x7f000000}});
  expect_all("E3", instruction(69), {{0, 0x1p64, 0x1p64}}, 0, {{"SEQ", 0x7f800000}});
  // C9: an infinite C stays, drop rule or not.
  expect_all("C9", instruction(112), {{0, 0x1p15, 0x1p15}}, 0x7f800000, {{"GTR16", 0x7f800000}, {"SEQ", 0x7f800000}});
}

TEST(Probes, EIntegers) {
  const MatrixUnit unit(candidate_config());
  for (const int opcode : {54, 56, 80, 81, 82, 86, 87}) {
    Image image(instruction(opcode));
    image.set_c(0, 1, 2, 0x7fffffff);
    image.set_a(0, 1, 0, 1);
    image.set_b(0, 0, 2, 1);
    ASSERT_EQ(image.run(unit), "");
    EXPECT_EQ(image.get_d(0, 1, 2), 0x80000000U);
    image.set_a(0, 1, image.instruction.k - 1, 0xff);
    image.set_b(0, image.instruction.k - 1, 2, 1);
    ASSERT_EQ(image.run(unit), "");
    EXPECT_EQ(image.get_d(0, 1, 2), 0x7fffffffU);
    Image low(instruction(opcode));
    low.fill_a(0x80);
    low.fill_b(0x80);
    ASSERT_EQ(low.run(unit), "");
    EXPECT_EQ(low.get_d(0, 0, 0), static_cast<std::uint64_t>(low.instruction.k) * 16384);  // K = 64: 00100000
  }
}

// Codes set directly, as they are NaNs: (a, b) at k = 0, and C.
std::uint64_t nan_probe(const Instruction& in, const AdderRules& rules, std::uint64_t a, std::uint64_t b,
                        std::uint64_t c) {
  const MatrixUnit unit(config_of(rules));
  Image image(in);
  image.set_a(0, 0, 0, a);
  image.set_b(0, 0, 0, b);
  image.set_c(0, 0, 0, c);
  EXPECT_EQ(image.run(unit), "");
  return image.get_d(0, 0, 0);
}

TEST(Probes, CNans) {
  for (const char* name : {"SEQ", "MUL", "P4", "EK", "TR16", "GTR16", "ROCJ"}) {
    SCOPED_TRACE(name);
    AdderRules rules = model(name);
    EXPECT_EQ(nan_probe(kF16K32, rules, 0x7e01, 0x3c00, 0), 0x7fc00000U);
    EXPECT_EQ(nan_probe(kF16K32, rules, 0x7c00, 0, 0), 0x7fc00000U);                // inf * 0
    EXPECT_EQ(nan_probe(kF16K32, rules, 0x7c00, 0x3c00, 0xff800000), 0x7fc00000U);  // inf - inf
    EXPECT_EQ(nan_probe(kF16K32, rules, 0x7c00, 0xbc00, 0), 0xff800000U);
    EXPECT_EQ(nan_probe(kF16K32, rules, 0x3c00, 0x3c00, 0x7f800000), 0x7f800000U);
    rules.nan_bits = 0xffc00000;
    EXPECT_EQ(nan_probe(kF16K32, rules, 0x7e01, 0x3c00, 0), 0xffc00000U);
    rules.nan_propagates = true;
    EXPECT_EQ(nan_probe(kF16K32, rules, 0x7e01, 0x3c00, 0), 0x7fc02000U);
    EXPECT_EQ(nan_probe(kF16K32, rules, 0x7d01, 0x3c00, 0), 0x7fe02000U);
    EXPECT_EQ(nan_probe(kF16K32, rules, 0x3c00, 0x3c00, 0x7f812345), 0x7fc12345U);
    EXPECT_EQ(nan_probe(kF16K32, rules, 0x3c00, 0x3c00, 0xffc54321), 0xffc54321U);
    EXPECT_EQ(nan_probe(kF16K32, rules, 0x7c00, 0, 0), 0xffc00000U);
    EXPECT_EQ(nan_probe(kF16K32, rules, 0xfe03, 0, 0), 0xffc06000U);  // NaN times 0
    EXPECT_EQ(nan_probe(kF16K32, rules, 0x7e01, 0x7e02, 0x7fc00003), 0x7fc02000U);
    rules.nan_order = "bca";
    EXPECT_EQ(nan_probe(kF16K32, rules, 0x7e01, 0x7e02, 0x7fc00003), 0x7fc04000U);
    rules.nan_order = "cab";
    EXPECT_EQ(nan_probe(kF16K32, rules, 0x7e01, 0x7e02, 0x7fc00003), 0x7fc00003U);
    rules.nan_order = "a";
    EXPECT_EQ(nan_probe(kF16K32, rules, 0x3c00, 0x7e02, 0), 0xffc00000U);  // B is never taken
  }
}

TEST(Probes, FirstNanInKWins) {
  AdderRules rules = aligned_rules(8);
  rules.nan_propagates = true;
  for (const bool down : {false, true}) {
    rules.descending = down;
    const MatrixUnit unit(config_of(rules));
    Image image(instruction(115));
    image.set_a(0, 0, 20, 0x7f);
    image.set_a(0, 0, 9, 0xff);
    image.set_b(0, 3, 0, 0x7f);
    ASSERT_EQ(image.run(unit), "");
    EXPECT_EQ(image.get_d(0, 0, 0), 0xfff00000U);
    EXPECT_EQ(image.get_d(0, 1, 0), 0x7ff00000U);
    EXPECT_EQ(image.get_d(0, 0, 1), 0xfff00000U);
    EXPECT_EQ(image.get_d(0, 1, 1), 0U);
  }
  // A NaN operand comes before one that a scale makes.
  Image scaled(f8f6f4(46, 0, 0));
  scaled.unit_scales();
  scaled.set_scale_a(2, 0, 0xff);
  scaled.set_a(0, 2, 33, 0xff);
  const MatrixUnit unit(config_of(rules));
  ASSERT_EQ(scaled.run(unit), "");
  EXPECT_EQ(scaled.get_d(0, 2, 5), 0xfff00000U);
  scaled.set_a(0, 2, 33, 0);
  ASSERT_EQ(scaled.run(unit), "");
  EXPECT_EQ(scaled.get_d(0, 2, 5), 0x7fc00000U);
}

TEST(Probes, F64Nans) {
  AdderRules rules = sequential_rules();
  EXPECT_EQ(nan_probe(instruction(110), rules, 0x7ff0000000000000, 0, 0), 0x7ff8000000000000U);
  rules.nan_propagates = true;
  EXPECT_EQ(nan_probe(instruction(110), rules, 0x7ff0000000000001, 0, 0), 0x7ff8000000000001U);
  EXPECT_EQ(nan_probe(instruction(111), rules, 0, 0, 0xfff4000000000000), 0xfffc000000000000U);
}

TEST(Probes, ZSigns) {
  const std::uint64_t minus_zero = 0x80000000;
  const auto all_minus_zero = [](const AdderRules& rules, std::uint64_t b, std::uint64_t c) {
    const MatrixUnit unit(config_of(rules));
    Image image(kF16K32);
    image.fill_a(0x8000);
    image.fill_b(b);
    image.fill_c(c);
    EXPECT_EQ(image.run(unit), "");
    return image.get_d(0, 3, 4);
  };
  for (const char* name : {"SEQ", "MUL", "P4"}) {
    EXPECT_EQ(all_minus_zero(model(name), 0, minus_zero), minus_zero) << name;
    EXPECT_EQ(all_minus_zero(model(name), 0x3c00, minus_zero), minus_zero) << name;
    EXPECT_EQ(all_minus_zero(model(name), 0, 0), 0U) << name;
  }
  // Two's complement adders have one zero.
  for (const char* name : {"EK", "TR16", "GTR16"}) EXPECT_EQ(all_minus_zero(model(name), 0, minus_zero), 0U) << name;
  // A sum that is not zero keeps its sign when it rounds to zero.
  expect_all("Z", kBf16K32, {{31, -0x1p-100, 0x1p-60}}, 0,
             {{"SEQ", minus_zero}, {"EK", minus_zero}, {"TR16", minus_zero}, {"MUL", 0}});
}

TEST(Probes, FF32) {
  const auto fused = static_cast<double>(std::bit_cast<float>(0x3f800800U));
  expect_all("fused", instruction(69), {{0, fused, fused}}, 0xbf801000,
             {{"SEQ", 0x33800000}, {"SEQ down", 0x33800000}, {"MUL", 0}, {"P4", 0}, {"E4", 0x33800000}});
  // 2^6 (1 - 2^-46) on 2^30 + 2^7: a little less than half a last place, which is lost when the sum is first rounded to
  // 53 bits; then the tie goes to even, one too high.
  expect_all(
      "rounded once", instruction(69), {{0, 0x1p6 * (1 + 0x1p-23), 1 - 0x1p-23}}, 0x4e800001,
      {{"SEQ", 0x4e800001}, {"SEQ down", 0x4e800001}, {"MUL", 0x4e800002}, {"P4", 0x4e800002}, {"E4", 0x4e800001}});
  const auto products = [](double a, double b, double c, double d) {
    return std::vector<Product>{{0, a, 1}, {1, b, 1}, {2, c, 1}, {3, d, 1}};
  };
  expect_all(
      "ones", instruction(69), products(1, 1, 1, 1), 0x4b800000,
      {{"SEQ", 0x4b800000}, {"SEQ down", 0x4b800000}, {"MUL", 0x4b800000}, {"P4", 0x4b800002}, {"E4", 0x4b800002}});
  expect_all(
      "2^24 first", instruction(69), products(0x1p24, 1, -0x1p24, 1), 0,
      {{"SEQ", 0x3f800000}, {"SEQ down", 0x40000000}, {"MUL", 0x3f800000}, {"P4", 0x3f800000}, {"E4", 0x40000000}});
  expect_all("2^24 second", instruction(69), products(1, 0x1p24, 1, -0x1p24), 0,
             {{"SEQ", 0}, {"SEQ down", 0x40000000}, {"MUL", 0}, {"P4", 0x3f800000}, {"E4", 0x40000000}});
}

TEST(Probes, FF64) {
  expect_all("fused", instruction(110), {{0, 1 + 0x1p-27, 1 + 0x1p-27}}, 0xbff0000004000000,
             {{"SEQ", 0x3c90000000000000},
              {"SEQ down", 0x3c90000000000000},
              {"MUL", 0},
              {"P4", 0},
              {"E4", 0x3c90000000000000}});
  const auto products = [](double a, double b, double c, double d) {
    return std::vector<Product>{{0, a, 1}, {1, b, 1}, {2, c, 1}, {3, d, 1}};
  };
  expect_all("ones", instruction(111), products(1, 1, 1, 1), 0x4340000000000000,
             {{"SEQ", 0x4340000000000000},
              {"MUL", 0x4340000000000000},
              {"P4", 0x4340000000000002},
              {"E4", 0x4340000000000002}});
  expect_all("2^53 first", instruction(110), products(0x1p53, 1, -0x1p53, 1), 0,
             {{"SEQ", 0x3ff0000000000000},
              {"SEQ down", 0x4000000000000000},
              {"P4", 0x3ff0000000000000},
              {"E4", 0x4000000000000000}});
  expect_all("2^53 second", instruction(110), products(1, 0x1p53, 1, -0x1p53), 0,
             {{"SEQ", 0},
              {"SEQ down", 0x4000000000000000},
              {"MUL", 0},
              {"P4", 0x3ff0000000000000},
              {"E4", 0x4000000000000000}});
}

struct Scale {
  int block;
  std::uint32_t code;
};

void expect_scaled(const std::string& id, const std::vector<Product>& products, const std::vector<Scale>& scales_a,
                   std::uint32_t scale_b, std::uint64_t c, const Expected& expected) {
  for (const auto& [name, bits] : expected) {
    const MatrixUnit unit(config_of(model(name)));
    Image image(f8f6f4(45, 4, 4));
    image.unit_scales();
    for (int q = 0; q < 4; ++q) image.set_scale_b(0, q, scale_b);
    for (const Scale& scale : scales_a) image.set_scale_a(0, scale.block, scale.code);
    for (const Product& product : products) {
      image.set_a(0, 0, product.k, code_of(kFp4, product.a));
      image.set_b(0, product.k, 0, code_of(kFp4, product.b));
    }
    image.set_c(0, 0, 0, c);
    ASSERT_EQ(image.run(unit), "");
    EXPECT_EQ(image.get_d(0, 0, 0), bits) << id << ' ' << name;
  }
}

TEST(Probes, GScaled) {
  const auto row = [](std::uint64_t rocj, std::uint64_t wide, std::uint64_t tr32, std::uint64_t tr64,
                      std::uint64_t blocks, std::uint64_t tr128) {
    return Expected{{"ROCJ", rocj}, {"EK", wide},        {"TR32", tr32},
                    {"TR64", tr64}, {"TR64blk", blocks}, {"TR128", tr128}};
  };
  constexpr std::uint64_t kNan = 0x7fc00000;
  expect_scaled("G1", {{0, 1, 1}, {32, -1, 1}}, {{1, 102}}, 127, 0xbf800000,
                row(0xb3000000, 0xb3000000, 0xb3000000, 0, 0xb3800000, 0));
  expect_scaled("G2", {{0, 1, 1}, {64, -1, 1}}, {{2, 102}}, 127, 0xbf800000,
                row(0xb3000000, 0xb3000000, 0xb3000000, 0xb3000000, 0xb3000000, 0));
  expect_scaled("G3", {{32, 1, 1}, {0, -1, 1}}, {{0, 102}}, 127, 0xbf800000, row(0, 0xb3000000, 0, 0, 0xb3800000, 0));
  expect_scaled("G4", {{0, 1, 1}, {1, -1, 1}}, {}, 127, 0xab800000,
                row(0xab800000, 0xab800000, 0xb3800000, 0xb3800000, 0xb3800000, 0xb3800000));
  expect_scaled("G5", {{0, 1, 1}, {32, -1, 1}}, {}, 127, 0xab800000,
                row(0, 0xab800000, 0xb3800000, 0xb3800000, 0xb3800000, 0xb3800000));
  expect_scaled("G6", {{0, 1, 1}, {31, 1, 1}}, {}, 127, 0x4b800000,
                row(0x4b800001, 0x4b800001, 0x4b800001, 0x4b800001, 0x4b800001, 0x4b800001));
  expect_scaled("G7", {{0, 1, 1}, {32, 1, 1}}, {}, 127, 0x4b800000,
                row(0x4b800000, 0x4b800001, 0x4b800000, 0x4b800001, 0x4b800001, 0x4b800001));
  expect_scaled("G8", {{0, 1, 1}, {64, 1, 1}}, {}, 127, 0x4b800000,
                row(0x4b800000, 0x4b800001, 0x4b800000, 0x4b800000, 0x4b800000, 0x4b800001));
  expect_scaled("G9", {{0, 1, 1}, {32, -1, 1}}, {{0, 0xfe}, {1, 0xfe}}, 0xfe, 0, row(kNan, 0, kNan, kNan, kNan, kNan));
  expect_scaled("G10", {{0, 6, 6}, {1, -6, 6}, {2, 1, 1}}, {{0, 0xfa}}, 127, 0,
                row(0x7d000000, 0x7d000000, kNan, kNan, kNan, kNan));
}

}  // namespace
}  // namespace mfma::gfx950::testing
