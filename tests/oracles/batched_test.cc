// The batched oracle has the plain one's bits and exactness: on every instance, every pair of small codes, every
// profile of the corpus, and on random shapes, models and adversarial codes. With each instruction set that the
// processor has.
//
// MFMA_BATCHED_DOTS: about how many random dot products all shards together compare.
#include "oracles/batched/batched.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "harness/cases/rng.h"
#include "harness/catalogue/register_image.h"
#include "harness/conformance/execution/oracle_view.h"
#include "harness/operands/operands.h"
#include "oracles/arithmetic/profile.h"

namespace mfma::oracles {
namespace {

using cases::Rng;

// The first element that differs, or nothing.
std::string difference(const DenseProblem& p, const Model& model, batched::InstructionSet set,
                       const DenseResult& plain) {
  const DenseResult other = batched::dense_product(p, model, set);
  for (std::size_t i = 0; i < plain.d.size(); ++i) {
    if (plain.d[i] == other.d[i] && plain.exact[i] == other.exact[i]) continue;
    return fmt::format(
        "{}: element {} of {}x{}x{} in {} blocks, {} x {}, model {}, c {:x}: plain {:x} exact {}, batched {:x} exact "
        "{}",
        batched::name_of(set), i, p.shape.m, p.shape.n, p.shape.k, p.shape.blocks, p.a_format.name, p.b_format.name,
        static_cast<int>(model.kind), p.c[i], plain.d[i], plain.exact[i], other.d[i], other.exact[i]);
  }
  return {};
}

std::string difference(const DenseProblem& p, const Model& model) {
  const DenseResult plain = dense_product(p, model);
  for (const batched::InstructionSet set : batched::instruction_sets()) {
    if (std::string text = difference(p, model, set, plain); !text.empty()) return text;
  }
  return {};
}

// A problem that owns its operands.
struct Owned {
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  DenseProblem problem;
  std::vector<std::uint64_t> a, b, c;
  std::vector<std::uint8_t> scale_a, scale_b;
  const DenseProblem& with_operands() {
    problem.a = a;
    problem.b = b;
    problem.c = c;
    problem.scale_a = scale_a;
    problem.scale_b = scale_b;
    return problem;
  }
};

// ---- Instances ----

// What the oracle of an instance says of a case, by both oracles.
std::string difference_on(const catalogue::Instance& instance, const Model& model, const cases::Case& c,
                          BroadcastReading reading) {
  const auto expected = [&](conformance::OracleChoice choice) {
    return conformance::OracleView(conformance::catalogue_oracle(choice)->entry(instance, model, reading)).expected(c);
  };
  const DenseResult plain = expected(conformance::OracleChoice::kPlain);
  const DenseResult lanes = expected(conformance::OracleChoice::kBatched);
  if (plain.d == lanes.d && plain.exact == lanes.exact) return {};
  return cases::case_id(c.instance, c.seed, c.index);
}

const Model& default_model(const catalogue::Instance& i) {
  return default_profile()
      .rule_for(i.builtin->name, catalogue::bits_of(i.a_format()), catalogue::bits_of(i.b_format()))
      ->model;
}

TEST(Batched, EveryInstance) {
  std::uint64_t index = 0;
  for (const catalogue::Instance& i : catalogue::all_legal_instances()) {
    for (int n = 0; n < 2; ++n, ++index) {
      const auto reading = index % 3 == 0 ? BroadcastReading::kWholeWave : BroadcastReading::kPerSet;
      ASSERT_EQ(difference_on(i, default_model(i), operands::make_case(i, 7, index), reading), "");
    }
  }
}

TEST(Batched, CoversTheDefaultProfile) {
  for (const catalogue::Instance& i : catalogue::all_legal_instances()) {
    ASSERT_TRUE(batched::covers(default_model(i), format(conformance::oracle_format(i.a_format())),
                                format(conformance::oracle_format(i.b_format())),
                                format(conformance::oracle_format(i.builtin->acc_format))))
        << catalogue::instance_id(i);
  }
}

TEST(Batched, SaysWhatItDoesNotCover) {
  const Format &f16 = format(FormatId::kF16), &f32 = format(FormatId::kF32), &f64 = format(FormatId::kF64);
  Model m;
  EXPECT_TRUE(batched::covers(m, f16, f16, f32));
  EXPECT_FALSE(batched::covers(m, f64, f64, f64));
  m.kind = ModelKind::kExactSum;
  EXPECT_FALSE(batched::covers(m, f16, f16, f32));
  m = {};
  m.sum_fraction_bits = 60;
  EXPECT_FALSE(batched::covers(m, f16, f16, f32));
  Format odd = f16;
  odd.is_signed = false;
  EXPECT_FALSE(batched::covers({}, odd, f16, f32));
}

TEST(Batched, EveryProfileOfTheCorpus) {
  std::uint64_t index = 0;
  int profiles = 0;
  for (const auto& file : std::filesystem::directory_iterator(MFMA_SOURCE_DIR "/corpus/profiles")) {
    const auto profile = load_profile(file.path());
    ASSERT_TRUE(profile) << profile.error();
    ++profiles;
    for (const catalogue::Builtin& builtin : catalogue::builtins()) {
      const auto instances = catalogue::legal_instances(builtin);
      for (int n = 0; n < 3; ++n, ++index) {
        const catalogue::Instance& i = instances[(index * 7) % instances.size()];
        const ProfileRule* rule =
            profile->rule_for(builtin.name, catalogue::bits_of(i.a_format()), catalogue::bits_of(i.b_format()));
        if (rule == nullptr) continue;
        ASSERT_EQ(difference_on(i, rule->model, operands::make_case(i, 3, index), BroadcastReading::kPerSet), "")
            << file.path();
      }
    }
  }
  EXPECT_GE(profiles, 26);
}

// ---- Codes ----

TEST(Batched, EveryPairOfSmallCodes) {
  constexpr FormatId kSmall[] = {FormatId::kFp8E4m3, FormatId::kBf8E5m2, FormatId::kFp6E2m3, FormatId::kBf6E3m2,
                                 FormatId::kFp4E2m1};
  Rng rng(5);
  Model raising, groups, chain, blocks;
  raising.zero_products_raise_exponent = raising.normalise_subnormals = raising.normalise_products = true;
  groups.groups = 2;
  groups.drop_c_below = 25;
  groups.product_overflow = ProductOverflow::kNone;
  chain.kind = ModelKind::kFmaChain;
  blocks.kind = ModelKind::kBlockSums;
  blocks.scale = ScaleEntry::kInBlockSum;
  const auto all_pairs = [&](FormatId a, FormatId b, FormatId acc, const std::vector<Model>& models) {
    Owned o;
    o.problem.a_format = format(a);
    o.problem.b_format = format(b);
    o.problem.acc_format = format(acc);
    const int rows = 1 << o.problem.a_format.bits, columns = 1 << o.problem.b_format.bits;
    o.problem.shape = {rows, columns, 1, 1};
    for (int i = 0; i < rows; ++i) o.a.push_back(static_cast<std::uint64_t>(i));
    for (int j = 0; j < columns; ++j) o.b.push_back(static_cast<std::uint64_t>(j));
    o.problem.scaled = acc == FormatId::kF32;
    for (const Model& model : models) {
      o.c.clear();
      for (int n = 0; n < rows * columns; ++n) o.c.push_back(rng.coin() ? rng.next() & 0xffffffff : 0);
      o.scale_a.assign(o.problem.scaled ? static_cast<std::size_t>(rows) : 0, 127);
      o.scale_b.assign(o.problem.scaled ? static_cast<std::size_t>(columns) : 0, 127);
      ASSERT_EQ(difference(o.with_operands(), model), "");
      for (std::uint8_t& s : o.scale_a) s = static_cast<std::uint8_t>(rng.next());
      for (std::uint8_t& s : o.scale_b) s = static_cast<std::uint8_t>(rng.next());
      ASSERT_EQ(difference(o.with_operands(), model), "");
    }
  };
  for (const FormatId a : kSmall) {
    for (const FormatId b : kSmall) all_pairs(a, b, FormatId::kF32, {Model{}, raising, groups, chain, blocks});
  }
  Model integer;
  integer.kind = ModelKind::kInteger;
  all_pairs(FormatId::kI8, FormatId::kI8, FormatId::kI32, {integer});
}

// ---- Random dot products ----

struct Formats {
  FormatId a, b, acc;
};

Formats random_formats(Rng& rng) {
  constexpr FormatId kSmall[] = {FormatId::kFp8E4m3, FormatId::kBf8E5m2, FormatId::kFp6E2m3, FormatId::kBf6E3m2,
                                 FormatId::kFp4E2m1};
  constexpr Formats kSame[] = {{FormatId::kF32, FormatId::kF32, FormatId::kF32},
                               {FormatId::kF16, FormatId::kF16, FormatId::kF32},
                               {FormatId::kBf16, FormatId::kBf16, FormatId::kF32},
                               {FormatId::kF64, FormatId::kF64, FormatId::kF64},
                               {FormatId::kI8, FormatId::kI8, FormatId::kI32}};
  const auto n = rng.below(8);
  if (n < std::size(kSame)) return kSame[n];
  return {kSmall[rng.below(5)], kSmall[rng.below(5)], FormatId::kF32};
}

Model random_model(Rng& rng) {
  constexpr ModelKind kKinds[] = {ModelKind::kAlignedSum, ModelKind::kAlignedSum,  ModelKind::kAlignedSum,
                                  ModelKind::kFmaChain,   ModelKind::kMultiplyAdd, ModelKind::kPairwise,
                                  ModelKind::kBlockSums,  ModelKind::kFmaChain};
  const auto width = [&] { return rng.between(rng.coin() ? 24 : 1, rng.coin() ? 32 : 50); };
  const auto rounding = [&] { return static_cast<Rounding>(rng.below(3)); };
  Model m;
  m.kind = kKinds[rng.below(8)];
  m.step = rng.coin() ? 1 << rng.below(8) : rng.between(1, kLargestStep);
  m.order = rng.coin() ? StepOrder::kAscending : StepOrder::kDescending;
  if (rng.coin()) m.groups = rng.between(1, 5);
  m.grouping = rng.coin() ? Grouping::kInterleaved : Grouping::kContiguous;
  for (int* w : {&m.product_fraction_bits, &m.merge_fraction_bits, &m.sum_fraction_bits, &m.c_fraction_bits}) {
    if (rng.coin()) *w = width();
  }
  for (Rounding* r : {&m.product_rounding, &m.merge_rounding, &m.sum_rounding, &m.c_rounding, &m.final_rounding}) {
    if (rng.coin()) *r = rounding();
  }
  m.zero_products_raise_exponent = rng.coin();
  m.normalise_subnormals = rng.coin();
  m.normalise_products = rng.coin();
  if (rng.coin()) m.final_fraction_bits = rng.coin() ? std::optional(width()) : std::nullopt;
  if (rng.coin()) m.drop_c_below = rng.between(0, 80);
  if (rng.coin()) m.product_overflow = ProductOverflow::kNone;
  if (rng.coin()) m.scale = ScaleEntry::kInBlockSum;
  m.nan.propagate = rng.coin();
  if (rng.coin()) m.nan.order = "cb";
  return m;
}

// A code of one of several kinds, each of which strains something else.
std::uint64_t code_of(const Format& f, int kind, std::uint64_t base, Rng& rng) {
  const std::uint64_t mask = f.bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << f.bits) - 1;
  const std::uint64_t bits = rng.next();
  if (f.is_integer) return (kind % 3 == 0 ? (rng.coin() ? 0x80 : 0x7f) : kind % 3 == 1 ? bits & 3 : bits) & mask;
  const std::uint64_t sign = (bits & 1) << (f.bits - 1);
  const std::uint64_t fraction = rng.next() & ((std::uint64_t{1} << f.fraction_bits) - 1);
  const std::uint64_t fields = std::uint64_t{1} << f.exponent_bits;
  const auto with_field = [&](std::uint64_t field, std::uint64_t low) {
    return (sign | ((field % fields) << f.fraction_bits) | low) & mask;
  };
  switch (kind) {
    case 0:
      return bits & mask;  // as they fall
    case 1:
      return with_field(static_cast<std::uint64_t>(f.bias) + (bits >> 8) % 3, fraction);  // near one
    case 2:
      return with_field(base + (bits >> 8) % 4, rng.coin() ? 0 : fraction);  // near some exponent
    case 3:
      return with_field((bits >> 8) % 2, rng.coin() ? fraction & 3 : fraction);  // subnormal, zero, least normal
    case 4:
      return with_field(fields - 1 - (bits >> 8) % 3, rng.coin() ? fraction : 0);  // largest, infinity, NaN
    case 5:
      return with_field(static_cast<std::uint64_t>(f.bias) + (bits >> 8) % 4, 0);  // small powers of two
    default:
      return rng.coin() ? with_field(0, 0) : with_field(base + (bits >> 8) % 40, fraction);  // sparse, far apart
  }
}

void draw(Owned& o, Rng& rng) {
  constexpr DenseShape kShapes[] = {{16, 16, 32, 1}, {4, 4, 4, 16}, {32, 32, 2, 1}, {16, 16, 4, 4}, {5, 3, 7, 2},
                                    {1, 17, 128, 1}, {4, 4, 1, 4},  {8, 33, 40, 1}, {4, 4, 6, 8},   {2, 2, 130, 1}};
  const Formats formats = random_formats(rng);
  DenseProblem& p = o.problem;
  p.shape = kShapes[rng.below(std::size(kShapes))];
  p.a_format = format(formats.a);
  p.b_format = format(formats.b);
  p.acc_format = format(formats.acc);
  if (!p.acc_format.is_integer) {
    p.modifiers.negate_a = rng.below(8) == 0;
    p.modifiers.negate_b = rng.below(8) == 0;
    p.modifiers.negate_c = rng.below(8) == 0;
  }
  const auto fill = [&](const Format& f, std::vector<std::uint64_t>& codes, int count) {
    // One kind for the matrix, with a sprinkling of others; infinities and NaNs are seldom in all of it.
    const auto kind = static_cast<int>(rng.below(7));
    const std::uint64_t base = rng.next();
    const std::uint32_t sprinkled = rng.below(3) == 0 ? 64 : 0;
    for (int i = 0; i < count; ++i) {
      const bool other = sprinkled != 0 && rng.below(sprinkled) == 0;
      codes.push_back(code_of(f, other ? static_cast<int>(rng.below(7)) : kind, base, rng));
    }
  };
  const DenseShape& s = p.shape;
  fill(p.a_format, o.a, s.blocks * s.m * s.k);
  fill(p.b_format, o.b, s.blocks * s.k * s.n);
  fill(p.acc_format, o.c, s.blocks * s.m * s.n);
  p.scaled = s.blocks == 1 && p.a_format.bits <= 8 && !p.acc_format.is_integer && rng.coin();
  if (!p.scaled) return;
  const int blocks = (s.k + 31) / 32;
  const bool wild = rng.coin();
  const auto scale = [&] { return static_cast<std::uint8_t>(wild ? rng.next() : 120 + rng.below(16)); };
  for (int i = 0; i < s.m * blocks; ++i) o.scale_a.push_back(scale());
  for (int i = 0; i < s.n * blocks; ++i) o.scale_b.push_back(scale());
}

class Random : public testing::TestWithParam<std::uint64_t> {};
constexpr std::uint64_t kShards = 4;

TEST_P(Random, DotProducts) {
  const char* set = std::getenv("MFMA_BATCHED_DOTS");
  const std::uint64_t wanted = (set != nullptr ? std::strtoull(set, nullptr, 10) : 400'000) / kShards;
  std::uint64_t dots = 0, covered = 0, exact = 0;
  for (std::uint64_t seed = GetParam(); dots < wanted; seed += kShards) {
    Rng rng(seed * 0x9e3779b97f4a7c15U + 1);
    Owned o;
    draw(o, rng);
    const DenseProblem& p = o.with_operands();
    Model model = rng.below(4) == 0 ? Model{} : random_model(rng);
    if (p.acc_format.is_integer) model.kind = ModelKind::kInteger;
    if (p.acc_format.bits == 64 && rng.below(4) != 0) model.kind = ModelKind::kFmaChain;
    const DenseResult plain = dense_product(p, model);
    // Every instruction set in the sample, the best alone in a long run.
    const auto sets = batched::instruction_sets();
    for (const batched::InstructionSet s : set != nullptr && seed % 8 != 0 ? sets.last(1) : sets) {
      ASSERT_EQ(difference(p, model, s, plain), "") << "seed " << seed;
    }
    dots += plain.d.size();
    if (batched::covers(model, p.a_format, p.b_format, p.acc_format)) covered += plain.d.size();
    exact += static_cast<std::uint64_t>(std::count(plain.exact.begin(), plain.exact.end(), 1));
  }
  EXPECT_GT(covered, dots / 2);
  EXPECT_GT(exact, dots / 50);
  RecordProperty("dots", std::to_string(dots));
  if (set != nullptr) fmt::print("{} dot products, {} covered, {} exact\n", dots, covered, exact);
}

INSTANTIATE_TEST_SUITE_P(Shards, Random, testing::Range<std::uint64_t>(0, kShards));

}  // namespace
}  // namespace mfma::oracles
