// Each class does what its line says: sums and terms of sampled elements, measured as exact rationals or with the
// oracle. Sample sizes and bounds leave a wide margin to chance: they are not tuned to the seeds that stand here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <set>
#include <vector>

#include "harness/cases/codes.h"
#include "harness/cases/rng.h"
#include "harness/catalogue/layout.h"
#include "harness/conformance/execution/oracle_view.h"
#include "harness/operands/operands.h"
#include "oracles/formats/rounding.h"
#include "tests/operands/seen.h"

namespace mfma::operands {
namespace {

using cases::Case;
using catalogue::ElementFormat;
using catalogue::Instance;
using catalogue::Operand;
using testing::Element;
using testing::exponent_of;
using testing::instance;
using testing::power;
using testing::Seen;
using testing::Term;

// MFMA_OPERANDS_SEED tries others.
const std::uint64_t kSeed = [] {
  const char* set = std::getenv("MFMA_OPERANDS_SEED");
  return set ? std::strtoull(set, nullptr, 10) : 21u;
}();

// Calls each(element, seen) for `samples` elements of each of `count` cases.
void over_elements(const Instance& i, OperandClass cls, std::uint64_t count, int samples,
                   const std::function<void(const Element&, const Seen&)>& each) {
  const catalogue::Shape& s = i.builtin->shape;
  cases::Rng rng(99);
  for (std::uint64_t index = 0; index < count; ++index) {
    const Seen seen(make_case(i, kSeed, index, cls));
    for (int n = 0; n < samples; ++n) {
      each(seen.at(rng.between(0, s.blocks - 1), rng.between(0, s.m - 1), rng.between(0, s.n - 1)), seen);
    }
  }
}

std::vector<Instance> float_instances() {
  std::vector<Instance> kept;
  for (const Instance& i : testing::one_of_each()) {
    if (!cases::is_integer(i.a_format())) kept.push_back(i);
  }
  for (const char* id : {"mfma_f64_4x4x4f64:neg=abc", "mfma_f64_16x16x4f64:neg=c", "mfma_f32_4x4x4f16:cbsz=2,abid=1",
                         "mfma_scale_f32_16x16x128_f8f6f4:a=bf6,b=fp8,unscaled"}) {
    kept.push_back(instance(id));
  }
  return kept;
}

// The output of the default arithmetic, bits by element.
std::vector<std::uint64_t> results_of(const Case& c) {
  const conformance::OracleView view(c.instance, {}, oracles::BroadcastReading::kPerSet);
  return view.expected(c).d;
}

TEST(NearCancel, NothingIsLeftButTheLastBits) {
  std::vector<Instance> instances = float_instances();
  for (const char* id : {"mfma_i32_16x16x64_i8", "mfma_i32_4x4x4i8:cbsz=1,abid=1,blgp=3", "mfma_f32_4x4x4f16:blgp=5"}) {
    instances.push_back(instance(id));
  }
  for (const Instance& i : instances) {
    int elements = 0, close = 0, exact_zero = 0;
    over_elements(i, OperandClass::kNearCancel, 6, 20, [&](const Element& e, const Seen& seen) {
      ASSERT_TRUE(e.finite());
      ++elements;
      const mpq_class left = abs(e.sum());
      exact_zero += left == 0 ? 1 : 0;
      const int precision = seen.acc_format().is_integer ? 32 : seen.acc_format().fraction_bits + 1;
      // A few units in the last place of C, or of the least number where C is none.
      const mpq_class unit =
          e.c_value == 0 || seen.acc_format().is_integer
              ? mpq_class(1)
              : power(std::max(exponent_of(e.c_value), least_exponent(seen.acc_format())) - precision + 1);
      const mpq_class least = seen.acc_format().is_integer ? mpq_class(1) : power(least_bit(seen.acc_format()));
      close += left <= 8 * (e.c_value == 0 ? least : unit) ? 1 : 0;
    });
    EXPECT_EQ(close, elements) << instance_id(i);
    EXPECT_LT(exact_zero, elements) << instance_id(i);
  }
}

TEST(RoundingTies, SumsLieHalfWayBetweenTwoResultsOrBesideThat) {
  for (const Instance& i : float_instances()) {
    int elements = 0, ties = 0, near_ones = 0, below_double = 0;
    over_elements(i, OperandClass::kRoundingTies, 32, 16, [&](const Element& e, const Seen& seen) {
      ASSERT_TRUE(e.finite());
      ++elements;
      const oracles::Format& acc = seen.acc_format();
      const mpq_class sum = abs(e.sum());
      if (sum == 0) return;
      const int last = std::max(exponent_of(sum), least_exponent(acc)) - acc.fraction_bits;
      const mpq_class units = sum / power(last);
      const mpq_class from_tie = abs(units - mpz_class(units) - mpq_class(1, 2));
      ties += from_tie == 0 ? 1 : 0;
      near_ones += from_tie <= mpq_class(1, 8) ? 1 : 0;
      below_double += from_tie != 0 && from_tie < power(-29) ? 1 : 0;
    });
    const bool narrow = catalogue::bits_of(i.a_format()) < 8 || catalogue::bits_of(i.b_format()) < 8;
    EXPECT_GE(near_ones, elements * (narrow ? 5 : 7) / 10) << instance_id(i) << " ties " << ties << " of " << elements;
    EXPECT_GE(ties, elements / 25) << instance_id(i);
    // A sum that only 54 bits or more tell from a tie: f32 operands have the fraction bits for it, and f64 more so.
    if (catalogue::bits_of(i.a_format()) >= 32) {
      EXPECT_GE(below_double, elements / 20) << instance_id(i);
    }
  }
}

TEST(AlignmentEdges, TermsAreTheWidthsOfAlignmentsApart) {
  for (const Instance& i : float_instances()) {
    int elements = 0, at_edge = 0;
    std::set<int> gaps;
    over_elements(i, OperandClass::kAlignmentEdges, 24, 16, [&](const Element& e, const Seen& seen) {
      ASSERT_TRUE(e.finite());
      ++elements;
      std::vector<int> exponents;
      for (const Term& t : e.products) {
        if (t.value != 0) exponents.push_back(exponent_of(t.value));
      }
      if (e.c_value != 0) exponents.push_back(exponent_of(e.c_value));
      const int top = *std::max_element(exponents.begin(), exponents.end());
      const int precision = seen.acc_format().fraction_bits + 1;
      bool edge = false;
      for (const int x : exponents) {
        const int gap = top - x - precision;
        if (gap >= -3 && gap <= 11) {
          gaps.insert(gap);
          edge = true;
        }
      }
      at_edge += edge ? 1 : 0;
    });
    EXPECT_GE(at_edge, elements / 2) << instance_id(i);
    for (int gap = -2; gap <= 10; ++gap) EXPECT_TRUE(gaps.contains(gap)) << instance_id(i) << " gap " << gap;
  }
}

TEST(HugeC, CAndTheProductsAreFarApart) {
  for (const Instance& i : float_instances()) {
    int above = 0, below = 0;
    over_elements(i, OperandClass::kHugeC, 4, 30, [&](const Element& e, const Seen&) {
      ASSERT_TRUE(e.finite());
      if (e.largest_product() == 0) return;
      const int apart = exponent_of(e.c_value) - exponent_of(e.largest_product());
      EXPECT_GE(std::abs(apart), 30) << instance_id(i);
      ++(apart > 0 ? above : below);
    });
    EXPECT_GE(above, 20) << instance_id(i);
    EXPECT_GE(below, 20) << instance_id(i);
  }
}

TEST(Subnormals, InputsProductsAndResultsAre) {
  for (const Instance& i : float_instances()) {
    int inputs = 0, products = 0, results = 0;
    for (std::uint64_t index = 0; index < 20; ++index) {
      const Case c = make_case(i, kSeed, index, OperandClass::kSubnormals);
      const Seen seen(c);
      const auto is_subnormal = [](const oracles::Format& f, std::uint64_t code) {
        const oracles::Decoded d = decode(f, code);
        return d.significand != 0 && d.significand < std::uint64_t{1} << f.fraction_bits;
      };
      const Element e = seen.at(0, 1, 2);
      for (const Term& t : e.products) {
        inputs += is_subnormal(seen.a_format(), t.a) || is_subnormal(seen.b_format(), t.b) ? 1 : 0;
        products += t.value != 0 && exponent_of(t.value) < least_exponent(seen.acc_format()) ? 1 : 0;
      }
      for (const std::uint64_t d : results_of(c)) results += is_subnormal(seen.acc_format(), d) ? 1 : 0;
    }
    EXPECT_GE(inputs, 3) << instance_id(i);
    const bool reaches = i.modifiers.scaled || i.a_format() == ElementFormat::kF32 ||
                         i.a_format() == ElementFormat::kF64 || i.a_format() == ElementFormat::kBf16;
    if (reaches) {
      EXPECT_GE(products, 5) << instance_id(i);
    }
    if (reaches) {
      EXPECT_GE(results, 20) << instance_id(i);
    }
  }
}

TEST(ProductOverflow, ProductsPassTheRangeAndMayComeBack) {
  for (const Instance& i : float_instances()) {
    if (!applies(i, OperandClass::kProductOverflow)) continue;
    int elements = 0, over = 0, comes_back = 0, only_together = 0;
    over_elements(i, OperandClass::kProductOverflow, 40, 16, [&](const Element& e, const Seen& seen) {
      ASSERT_TRUE(e.finite());
      ++elements;
      const mpq_class limit = power(largest_exponent(seen.acc_format()) + 1);
      const bool product_over = e.largest_product() >= limit;
      over += product_over ? 1 : 0;
      comes_back += product_over && abs(e.sum()) < limit ? 1 : 0;
      only_together += !product_over && abs(e.sum()) >= limit ? 1 : 0;
    });
    EXPECT_GE(over, elements / 10) << instance_id(i);
    EXPECT_GE(only_together, 1) << instance_id(i);
    if (i.builtin->shape.k > 1) {
      EXPECT_GE(comes_back, 1) << instance_id(i);
    }
  }
}

TEST(Infinities, ResultsAreInfinitiesOfBothSignsNansAndNumbers) {
  for (const Instance& i : float_instances()) {
    int positive = 0, negative = 0, numbers = 0, nans = 0;
    const oracles::Format& acc = oracles::format(conformance::oracle_format(i.builtin->acc_format));
    for (std::uint64_t index = 0; index < 4; ++index) {
      for (const std::uint64_t code : results_of(make_case(i, kSeed, index, OperandClass::kInfinities))) {
        const oracles::Decoded d = decode(acc, code);
        if (d.cls == oracles::ValueClass::kInfinity) ++(d.negative ? negative : positive);
        if (d.cls == oracles::ValueClass::kFinite) ++numbers;
        if (d.cls == oracles::ValueClass::kNan) ++nans;
      }
    }
    EXPECT_GE(positive, 10) << instance_id(i);
    EXPECT_GE(negative, 10) << instance_id(i);
    EXPECT_GE(numbers, 10) << instance_id(i);
    const auto has_infinity = [](ElementFormat f) {
      return f != ElementFormat::kFp8E4m3 && catalogue::bits_of(f) >= 8;
    };
    if (has_infinity(i.a_format()) || has_infinity(i.b_format())) {
      EXPECT_GE(nans, 1) << instance_id(i);
    }
  }
}

TEST(SignedZeros, ResultsAreZerosOfBothSigns) {
  for (const Instance& i : float_instances()) {
    int plus = 0, minus = 0, others = 0;
    const std::uint64_t negative_zero = cases::negative_zero(i.builtin->acc_format);
    oracles::Model chain;
    chain.kind = oracles::ModelKind::kFmaChain;  // gives -0 where IEEE additions do
    const conformance::OracleView view(i, chain, oracles::BroadcastReading::kPerSet);
    for (std::uint64_t index = 0; index < 24; ++index) {
      for (const std::uint64_t code : view.expected(make_case(i, kSeed, index, OperandClass::kSignedZeros)).d) {
        ++(code == 0 ? plus : code == negative_zero ? minus : others);
      }
    }
    EXPECT_GE(plus, 50) << instance_id(i);
    EXPECT_GE(minus, 10) << instance_id(i);
    EXPECT_GE(others, 10) << instance_id(i);
  }
}

TEST(IntegerEdges, SumsLieAroundTheWrapOfThirtyTwoBits) {
  for (const Instance& i : testing::one_of_each()) {
    if (!cases::is_integer(i.a_format())) continue;
    int elements = 0, at_edge = 0, beyond = 0, within = 0;
    over_elements(i, OperandClass::kIntegerEdges, 10, 30, [&](const Element& e, const Seen&) {
      ++elements;
      const mpq_class sum = e.sum();
      const mpq_class limit = power(31);
      if (abs(abs(sum) - limit) > 3) return;
      ++at_edge;
      ++(sum >= limit || sum < -limit ? beyond : within);
    });
    EXPECT_GE(at_edge, elements / 2) << instance_id(i);
    EXPECT_GE(beyond, elements / 10) << instance_id(i);
    EXPECT_GE(within, elements / 10) << instance_id(i);
  }
}

TEST(UniformExponents, EveryExponentFieldIsMetAndNothingElse) {
  for (const Instance& i : float_instances()) {
    if (i.a_format() == ElementFormat::kF64) continue;  // 2047 fields: see the spread below
    const cases::FloatFields fields = cases::fields_of(i.a_format());
    const auto all = std::size_t{1} << fields.exponent_bits;
    const bool has_specials = catalogue::bits_of(i.a_format()) >= 8 && i.a_format() != ElementFormat::kFp8E4m3;
    const std::size_t finite = all - (has_specials ? 1 : 0);
    std::set<std::uint64_t> met;
    const auto elements = static_cast<std::uint64_t>(i.builtin->shape.m * i.builtin->shape.k * i.builtin->shape.blocks);
    const std::uint64_t count = 30 * finite / elements + 2;  // 30 draws to a field: one is missed in 1e10 runs
    for (std::uint64_t index = 0; index < count; ++index) {
      const Case c = make_case(i, kSeed, index, OperandClass::kUniformExponents);
      for (const std::uint64_t code : catalogue::read_elements(catalogue::shared_layout(i, Operand::kA), c.a)) {
        ASSERT_TRUE(cases::is_finite_code(i.a_format(), code));
        met.insert(code >> fields.fraction_bits & (all - 1));
      }
    }
    EXPECT_EQ(met.size(), finite) << instance_id(i);
  }
  const Instance f64 = instance("mfma_f64_16x16x4f64");
  std::set<std::uint64_t> met;
  for (std::uint64_t index = 0; index < 40; ++index) {
    const Case c = make_case(f64, kSeed, index, OperandClass::kUniformExponents);
    for (const std::uint64_t code : catalogue::read_elements(catalogue::shared_layout(f64, Operand::kA), c.a)) {
      met.insert(code >> 52 & 0x7ff);
    }
  }
  EXPECT_GT(met.size(), 1000u);
}

TEST(UniformBits, AreLeftAsTheyFall) {
  const Instance i = instance("mfma_f32_32x32x16_bf8_bf8");
  std::set<std::uint64_t> met;
  for (std::uint64_t index = 0; index < 20; ++index) {
    const Case c = make_case(i, kSeed, index, OperandClass::kUniformBits);
    const auto codes = catalogue::read_elements(catalogue::shared_layout(i, Operand::kB), c.b);
    met.insert(codes.begin(), codes.end());
  }
  EXPECT_EQ(met.size(), 256u);  // of 10240 draws
}

// Rows of one case look like those of several classes: raw bits have NaNs, small integers and sums that cancel do not.
TEST(Mixed, RowsOfACaseAreOfDifferentKinds) {
  for (const char* id : {"mfma_f32_16x16x32_f16", "mfma_scale_f32_32x32x64_f8f6f4:a=fp8,b=bf8,op_sel=0/3"}) {
    const Instance i = instance(id);
    const auto k = static_cast<std::size_t>(i.builtin->shape.k);
    int with_both = 0;
    for (std::uint64_t index = 0; index < 60; ++index) {
      const Case c = make_case(i, kSeed, index, OperandClass::kMixed);
      const auto a = catalogue::read_elements(catalogue::shared_layout(i, Operand::kA), c.a);
      std::set<bool> kinds;  // whether a row has hardly a zero
      for (std::size_t row = 0; row * k < a.size(); ++row) {
        std::size_t zeros = 0;
        for (std::size_t n = 0; n < k; ++n)
          zeros += (a[row * k + n] & ~cases::negative_zero(i.a_format())) == 0 ? 1u : 0u;
        kinds.insert(zeros < k / 2);
      }
      with_both += kinds.size() == 2 ? 1 : 0;
    }
    EXPECT_GE(with_both, 6) << id;
  }
}

TEST(Exact, OperandsAreFarFromTrivial) {
  for (const Instance& i : float_instances()) {
    std::set<std::uint64_t> d_values;
    int widest = 0, negative_zeros = 0, cancelled = 0;
    for (std::uint64_t index = 0; index < 12; ++index) {
      const Case c = make_case(i, kSeed, index, OperandClass::kExact);
      const auto d = results_of(c);
      d_values.insert(d.begin(), d.end());
      for (const std::uint64_t code : catalogue::read_elements(catalogue::shared_layout(i, Operand::kC), c.c)) {
        negative_zeros += code == cases::negative_zero(i.builtin->acc_format) ? 1 : 0;
      }
      const Seen seen(c);
      for (int column = 0; column < 4; ++column) {
        const Element e = seen.at(0, 1, column);
        if (e.c_value == 0 || e.largest_product() == 0) continue;
        widest = std::max(widest, std::abs(exponent_of(e.c_value) - exponent_of(e.largest_product())));
        cancelled += abs(e.sum()) < e.largest() ? 1 : 0;
      }
    }
    EXPECT_GE(d_values.size(), 200u) << instance_id(i);
    EXPECT_GE(widest, 8) << instance_id(i) << ": C and products never far apart";
    EXPECT_GE(negative_zeros, 5) << instance_id(i);
    EXPECT_GE(cancelled, 5) << instance_id(i);
  }
}

}  // namespace
}  // namespace mfma::operands
