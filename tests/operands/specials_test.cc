// The cross of special values, by enumeration: what operands.h promises, read back from the images.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "harness/cases/codes.h"
#include "harness/operands/operands.h"
#include "tests/operands/seen.h"

namespace mfma::operands {
namespace {

using cases::Case;
using cases::is_finite_code;
using cases::kNanScale;
using cases::kNeutralScale;
using cases::negative_zero;
using cases::specials_of;
using catalogue::ElementFormat;
using catalogue::Instance;
using catalogue::Operand;
using catalogue::read_elements;
using catalogue::shared_layout;
using testing::instance;

using Triple = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;

bool is_zero(ElementFormat f, std::uint64_t code) { return code == 0 || code == negative_zero(f); }

// The operands of a case as the instruction sees them: A block by cbsz and abid (per set), B lane by blgp.
struct SeenCase {
  const Case& c;
  std::vector<std::uint64_t> a, b, acc;

  explicit SeenCase(const Case& of)
      : c(of),
        a(read_elements(shared_layout(of.instance, Operand::kA), of.a)),
        b(read_elements(shared_layout(of.instance, Operand::kB), of.b)),
        acc(read_elements(shared_layout(of.instance, Operand::kC), of.c)) {}

  const catalogue::Shape& shape() const { return c.instance.builtin->shape; }
  bool broadcasts() const { return c.instance.builtin->modifiers == catalogue::ModifierKind::kBroadcast; }
  std::uint64_t a_at(int block, int i, int k) const {
    const auto& m = c.instance.modifiers;
    const int from = broadcasts() ? (block & ~((1 << m.cbsz) - 1)) + (m.cbsz > 0 ? m.abid : block & 0) : block;
    return a[static_cast<std::size_t>((from * shape().m + i) * shape().k + k)];
  }
  std::uint64_t b_at(int block, int k, int j) const {
    catalogue::Element e{block, k, j};
    if (broadcasts() && c.instance.modifiers.blgp != 0) {
      const auto& layout = shared_layout(c.instance, Operand::kB);
      const auto at = layout.locate(e);
      e = *layout.element_at(catalogue::blgp_source_lane(c.instance.modifiers.blgp, at.lane), at.bit);
    }
    return b[static_cast<std::size_t>((e.block * shape().k + e.row) * shape().n + e.column)];
  }
  std::uint64_t c_at(int block, int i, int j) const {
    return acc[static_cast<std::size_t>((block * shape().m + i) * shape().n + j)];
  }
};

// True when the zeros of A or of B at every other k make every other product of D[block, i, j] a zero.
bool others_are_zero(const SeenCase& s, int block, int i, int j, int lone_k) {
  const ElementFormat fa = s.c.instance.a_format(), fb = s.c.instance.b_format();
  for (int k = 0; k < s.shape().k; ++k) {
    if (k == lone_k) continue;
    const std::uint64_t a = s.a_at(block, i, k), b = s.b_at(block, k, j);
    const bool zero_product = (is_zero(fa, a) && is_finite_code(fb, b)) || (is_zero(fb, b) && is_finite_code(fa, a));
    if (!zero_product) return false;
  }
  return true;
}

// The k of a lone case: the one at which any element of A is not a zero. nullopt when there are several.
std::optional<int> lone_k_of(const SeenCase& s) {
  std::set<int> ks;
  for (std::size_t n = 0; n < s.a.size(); ++n) {
    if (!is_zero(s.c.instance.a_format(), s.a[n])) ks.insert(static_cast<int>(n) % s.shape().k);
  }
  if (ks.size() != 1) return std::nullopt;
  return *ks.begin();
}

bool has_neutral_scales(const Case& c) {
  if (!c.has_scales) return true;
  for (const Operand operand : {Operand::kScaleA, Operand::kScaleB}) {
    const auto& image = operand == Operand::kScaleA ? c.scale_a : c.scale_b;
    for (const std::uint64_t scale : read_elements(shared_layout(c.instance, operand), image)) {
      if (scale != kNeutralScale) return false;
    }
  }
  return true;
}

void collect_triples(const Case& c, std::set<Triple>& triples) {
  if (!has_neutral_scales(c)) return;
  const SeenCase s(c);
  const auto k = lone_k_of(s);
  if (!k) return;
  for (int block = 0; block < s.shape().blocks; ++block) {
    for (int i = 0; i < s.shape().m; ++i) {
      for (int j = 0; j < s.shape().n; ++j) {
        if (!others_are_zero(s, block, i, j, *k)) continue;
        triples.emplace(s.a_at(block, i, *k), s.b_at(block, *k, j), s.c_at(block, i, j));
      }
    }
  }
}

std::size_t whole_cross(const Instance& i) {
  return specials_of(i.a_format()).size() * specials_of(i.b_format()).size() *
         specials_of(i.builtin->acc_format).size();
}

std::set<Triple> triples_over_a_period(const Instance& i, std::uint64_t first, std::uint64_t step) {
  std::set<Triple> triples;
  const std::uint64_t period = period_of(i, OperandClass::kSpecials);
  for (std::uint64_t n = 0; n < period; ++n) {
    collect_triples(make_case(i, 1, first + n * step, OperandClass::kSpecials), triples);
  }
  return triples;
}

// Shapes of every kind: one tile or several of A and B, one block or many, and each format family.
const std::vector<std::string_view> kCrossed{"mfma_f32_4x4x1f32",
                                             "mfma_f32_4x4x4f16:cbsz=2,abid=3",
                                             "mfma_f32_16x16x4bf16_1k",
                                             "mfma_f32_32x32x2f32",
                                             "mfma_f32_16x16x32_f16",
                                             "mfma_i32_32x32x4i8:cbsz=1,abid=1",
                                             "mfma_i32_16x16x64_i8",
                                             "mfma_f64_4x4x4f64:neg=ac",
                                             "mfma_f32_16x16x32_bf8_fp8",
                                             "mfma_scale_f32_32x32x64_f8f6f4:a=fp4,b=fp6,op_sel=1/0",
                                             "mfma_scale_f32_16x16x128_f8f6f4:a=fp8,b=fp4,op_sel=0/3",
                                             "mfma_scale_f32_32x32x64_f8f6f4:a=bf6,b=bf8,unscaled"};

TEST(Specials, EveryTripleIsMetWithinAPeriod) {
  for (const std::string_view id : kCrossed) {
    const Instance i = instance(id);
    EXPECT_EQ(triples_over_a_period(i, 1000, 1).size(), whole_cross(i))
        << id << " period " << period_of(i, OperandClass::kSpecials);
  }
}

// As class_of() deals out the indices: in steps of the table's length.
TEST(Specials, EveryTripleIsMetInStepsOfTheDeal) {
  for (const std::string_view id : {kCrossed[1], kCrossed[6], kCrossed[9]}) {
    const Instance i = instance(id);
    std::uint64_t first = 0;
    while (class_of(i, first) != OperandClass::kSpecials) ++first;
    ASSERT_EQ(class_of(i, first + kDealLength), OperandClass::kSpecials);
    EXPECT_EQ(triples_over_a_period(i, first, kDealLength).size(), whole_cross(i)) << id;
  }
}

TEST(Specials, PeriodsAreShort) {
  std::map<std::string, std::uint64_t> periods;
  for (const Instance& i : catalogue::all_legal_instances()) {
    const std::uint64_t period = period_of(i, OperandClass::kSpecials);
    EXPECT_GE(period, 2u);
    EXPECT_LE(period, 400u) << instance_id(i);
    for (const std::uint64_t factor : {2u, 3u, 5u, 7u}) EXPECT_NE(period % factor, 0u) << instance_id(i);
  }
}

// A quick run gives each instance one or two cases of the class. Over the 248 instances of a builtin, one each.
TEST(Specials, InstancesOfABuiltinShareTheCross) {
  std::set<Triple> triples;
  const catalogue::Builtin& builtin = *catalogue::find_builtin("mfma_f32_4x4x4f16");
  for (const Instance& i : catalogue::legal_instances(builtin)) {
    if (i.modifiers.blgp != 0) continue;
    for (const std::uint64_t index : {2u, 5u})
      collect_triples(make_case(i, 1, index, OperandClass::kSpecials), triples);
  }
  const Instance plain{&builtin, {}};
  EXPECT_GE(triples.size(), whole_cross(plain) / 8);
  EXPECT_GT(triples.size(), 1000u);
}

TEST(Specials, InstancesAndSeedsStartAtDifferentPlaces) {
  const catalogue::Builtin& builtin = *catalogue::find_builtin("mfma_f32_16x16x32_f16");
  const auto first_lone = [&](int blgp, std::uint64_t seed) {
    const Instance i{&builtin, {.blgp = blgp}};
    const Case c = make_case(i, seed, 0, OperandClass::kSpecials);
    EXPECT_TRUE(lone_k_of(SeenCase(c)).has_value())
        << "index 0 of rank 0 and up is a lone case while 2 * rank < period";
    std::set<Triple> triples;
    collect_triples(c, triples);
    return triples;
  };
  std::set<std::set<Triple>> starts;
  for (int blgp = 0; blgp < 8; ++blgp) starts.insert(first_lone(blgp, 1));
  EXPECT_EQ(starts.size(), 8u);
  EXPECT_NE(first_lone(0, 1), first_lone(0, 4));
}

// With blgp a stored element serves several places; the lone product must still be where the instruction looks.
TEST(Specials, BlgpLeavesTheSpecialsWhereTheInstructionReadsThem) {
  for (const std::string_view name : {"mfma_f32_16x16x32_f16", "mfma_f32_4x4x4f16", "mfma_f32_32x32x4f16"}) {
    for (int blgp = 0; blgp < 8; ++blgp) {
      const Instance i{catalogue::find_builtin(name), {.blgp = blgp}};
      std::set<Triple> triples;
      for (std::uint64_t index = 0; index < 6; ++index) {
        collect_triples(make_case(i, 1, index, OperandClass::kSpecials), triples);
      }
      EXPECT_GE(triples.size(), 150u) << name << " blgp=" << blgp;
    }
  }
}

TEST(Specials, MixedCasesFillEveryElementWithSpecials) {
  const Instance i = instance("mfma_f32_16x16x32_f16");
  const auto specials = specials_of(ElementFormat::kF16);
  const std::set<std::uint64_t> list(specials.begin(), specials.end());
  int mixed = 0, finite_only = 0;
  for (std::uint64_t index = 0; index < 40; ++index) {
    const Case c = make_case(i, 1, index, OperandClass::kSpecials);
    if (lone_k_of(SeenCase(c))) continue;
    ++mixed;
    bool finite = true;
    for (const std::uint64_t code : read_elements(shared_layout(i, Operand::kA), c.a)) {
      ASSERT_TRUE(list.contains(code));
      finite = finite && is_finite_code(ElementFormat::kF16, code);
    }
    finite_only += finite ? 1 : 0;
  }
  EXPECT_NEAR(mixed, 20, 1);
  EXPECT_GE(finite_only, 2);
  EXPECT_LE(finite_only, mixed - 4);
}

TEST(Specials, EveryScaleByteIsMetWithinTwentyIndices) {
  for (const std::string_view id : {"mfma_scale_f32_16x16x128_f8f6f4:a=fp8,b=bf8,op_sel=0/3",
                                    "mfma_scale_f32_32x32x64_f8f6f4:a=fp4,b=fp4,op_sel=2/1"}) {
    const Instance i = instance(id);
    for (const std::uint64_t first : {0u, 7u, 1001u}) {
      std::map<std::uint64_t, int> a, b;
      for (std::uint64_t index = first; index < first + 20; ++index) {
        const Case c = make_case(i, 1, index, OperandClass::kSpecials);
        for (const auto s : read_elements(shared_layout(i, Operand::kScaleA), c.scale_a)) ++a[s];
        for (const auto s : read_elements(shared_layout(i, Operand::kScaleB), c.scale_b)) ++b[s];
      }
      EXPECT_EQ(a.size(), 256u) << id << " from " << first;
      EXPECT_EQ(b.size(), 256u) << id << " from " << first;
      for (const std::uint64_t often : {0x00u, 0x7fu, 0xfeu, 0xffu}) EXPECT_GE(a[often], 4) << often;
    }
  }
}

// A scale case: products of one, so that the scale alone shows; mostly no NaN scale over a block of zeros.
TEST(Specials, ScaleCasesMultiplyOnes) {
  const Instance i = instance("mfma_scale_f32_16x16x128_f8f6f4:a=fp8,b=fp4,op_sel=1/2");
  int scale_cases = 0, nan_over_zeros = 0;
  for (std::uint64_t index = 0; index < 60; ++index) {
    const Case c = make_case(i, 1, index, OperandClass::kSpecials);
    const SeenCase s(c);
    const auto k = lone_k_of(s);
    if (!k || has_neutral_scales(c)) continue;
    ++scale_cases;
    for (int row = 0; row < 16; ++row) EXPECT_EQ(s.a_at(0, row, *k) & 0x7f, 0x38u);
    for (int column = 0; column < 16; ++column) EXPECT_EQ(s.b_at(0, *k, column) & 7, 2u);
    const auto scales = read_elements(shared_layout(i, Operand::kScaleA), c.scale_a);
    bool nan = false;
    for (std::size_t n = 0; n < scales.size(); ++n) {
      nan = nan || (static_cast<int>(n) % 4 != *k / 32 && scales[n] == kNanScale);
    }
    nan_over_zeros += nan ? 1 : 0;
  }
  EXPECT_NEAR(scale_cases, 15, 1);
  EXPECT_GE(nan_over_zeros, 1);
  EXPECT_LE(nan_over_zeros, 8);
}

}  // namespace
}  // namespace mfma::operands
