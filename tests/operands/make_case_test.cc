#include <gtest/gtest.h>
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "harness/cases/codes.h"
#include "harness/operands/operands.h"
#include "tests/operands/seen.h"

namespace mfma::operands {
namespace {

using cases::Case;
using cases::fields_of;
using cases::FloatFields;
using cases::is_finite_code;
using cases::is_integer;
using cases::negative_zero;
using catalogue::ElementFormat;
using catalogue::Instance;
using catalogue::Operand;
using catalogue::read_elements;
using catalogue::RegisterImage;
using catalogue::shared_layout;
using testing::instance;
using testing::one_of_each;

std::uint64_t hash_of(const Case& c) {
  XXH64_state_t* state = XXH64_createState();
  XXH64_reset(state, 0);
  for (const RegisterImage* image : {&c.a, &c.b, &c.c, &c.scale_a, &c.scale_b}) {
    for (const std::uint32_t dword : image->dwords) {
      const unsigned char bytes[4] = {static_cast<unsigned char>(dword), static_cast<unsigned char>(dword >> 8),
                                      static_cast<unsigned char>(dword >> 16), static_cast<unsigned char>(dword >> 24)};
      XXH64_update(state, bytes, sizeof bytes);
    }
  }
  const std::uint64_t hash = XXH64_digest(state);
  XXH64_freeState(state);
  return hash;
}

TEST(MakeCase, ImagesHaveTheBuiltinsRegistersWhateverIsRead) {
  for (const Instance& i : catalogue::all_legal_instances()) {
    const Case c = make_case(i, 1, 0);
    ASSERT_EQ(c.instance, i);
    ASSERT_EQ(c.a.registers, i.builtin->a_registers);
    ASSERT_EQ(c.b.registers, i.builtin->b_registers);
    ASSERT_EQ(c.c.registers, i.builtin->c_registers);
    ASSERT_EQ(c.a.dwords.size(), static_cast<std::size_t>(64 * c.a.registers));
    ASSERT_EQ(c.has_scales, i.modifiers.scaled);
    ASSERT_EQ(c.scale_a.registers, i.modifiers.scaled ? 1 : 0);
    ASSERT_EQ(c.scale_b.dwords.size(), i.modifiers.scaled ? 64u : 0u);
    ASSERT_EQ(c.operand_class, name_of(class_of(i, 0)));
  }
}

TEST(MakeCase, SameNumbersSameCaseOtherNumbersAnotherCase) {
  for (const Instance& i : one_of_each()) {
    for (const OperandClass cls : all_operand_classes()) {
      if (!applies(i, cls)) continue;
      const Case c = make_case(i, 1, 5, cls);
      ASSERT_EQ(c, make_case(i, 1, 5, cls)) << name_of(cls) << " " << instance_id(i);
      // What an enumeration or a list of few values leaves to chance may repeat.
      if (period_of(i, cls) != 1 || cls == OperandClass::kSignedZeros) continue;
      ASSERT_NE(hash_of(c), hash_of(make_case(i, 2, 5, cls))) << name_of(cls) << " " << instance_id(i);
      ASSERT_NE(hash_of(c), hash_of(make_case(i, 1, 6, cls))) << name_of(cls) << " " << instance_id(i);
    }
  }
}

TEST(MakeCase, ACaseIdIsEnoughForTheDeal) {
  for (const Instance& i : one_of_each()) {
    for (std::uint64_t index = 0; index < 2 * kDealLength; index += 7) {
      ASSERT_EQ(make_case(i, 3, index), make_case(i, 3, index, class_of(i, index))) << instance_id(i) << " " << index;
      ASSERT_EQ(make_case(i, 3, index).operand_class, name_of(class_of(i, index)));
    }
  }
}

TEST(MakeCase, RefusesAClassThatDoesNotApply) {
  EXPECT_THROW(make_case(instance("mfma_f32_16x16x32_f16"), 1, 0, OperandClass::kScaleBytes), std::invalid_argument);
  EXPECT_THROW(make_case(instance("mfma_i32_16x16x64_i8"), 1, 0, OperandClass::kNanPayloads), std::invalid_argument);
}

// Hashes of the images: equal on every host, compiler and library, or a case id would not mean the same everywhere.
TEST(MakeCase, IsTheSameOnEveryHost) {
  struct Expected {
    std::string_view id;
    std::uint64_t hash;  // of the images of all classes that apply, one after another
  };
  const std::vector<Expected> expected{
      {"mfma_f32_4x4x1f32:cbsz=1,abid=1,blgp=3", 0x1914bc1ad119790d},
      {"mfma_f32_16x16x32_bf16", 0x5ff2e590bc40b122},
      {"mfma_f64_4x4x4f64:neg=c", 0xed6c79465d8112aa},
      {"mfma_i32_32x32x4i8", 0xf1ba8030738ec52d},
      {"mfma_f32_32x32x16_fp8_bf8", 0xadc48574c5ab692a},
      {"mfma_scale_f32_16x16x128_f8f6f4:a=fp6,b=fp4,op_sel=1/2", 0xdf4f181261b36830},
  };
  for (const Expected& e : expected) {
    std::uint64_t hash = 0;
    for (const OperandClass cls : all_operand_classes()) {
      if (applies(instance(e.id), cls)) hash = 31 * hash + hash_of(make_case(instance(e.id), 1, 9, cls));
    }
    EXPECT_EQ(hash, e.hash) << e.id << ": 0x" << std::hex << hash;
  }
}

// The value of a finite code as an exact multiple of 2^unit; test data only, so host arithmetic will do.
double value_of(ElementFormat f, std::uint64_t code) {
  if (f == ElementFormat::kI8) return static_cast<std::int8_t>(code);
  if (f == ElementFormat::kI32) return static_cast<std::int32_t>(code);
  EXPECT_TRUE(is_finite_code(f, code));
  const FloatFields fields = fields_of(f);
  const std::uint64_t fraction = code & ((std::uint64_t{1} << fields.fraction_bits) - 1);
  const int field = static_cast<int>(code >> fields.fraction_bits & ((std::uint64_t{1} << fields.exponent_bits) - 1));
  const std::uint64_t hidden = field == 0 ? 0 : std::uint64_t{1} << fields.fraction_bits;
  const double magnitude =
      std::ldexp(static_cast<double>(fraction + hidden), (field == 0 ? 1 : field) - fields.bias - fields.fraction_bits);
  return (code & negative_zero(f)) != 0 ? -magnitude : magnitude;
}

// The exponent of the lowest bit that is set; large for zero.
int lowest_bit(double value) {
  if (value == 0) return 1 << 20;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  const auto bits = static_cast<std::uint64_t>(std::ldexp(std::fabs(fraction), 53));
  return exponent - 53 + std::countr_zero(bits);
}

struct Bounds {
  int unit = 1 << 20;    // every product and every C is a multiple of 2^unit
  double magnitude = 0;  // the largest |C| plus the largest sum of K |products|
};

// Over all pairings of any row of A with any column of B, so that no modifier can leave the bound.
Bounds bounds_of(const Case& c) {
  const Instance& i = c.instance;
  const auto a = read_elements(shared_layout(i, Operand::kA), c.a);
  const auto b = read_elements(shared_layout(i, Operand::kB), c.b);
  const auto acc = read_elements(shared_layout(i, Operand::kC), c.c);
  const auto extremes = [](ElementFormat f, const std::vector<std::uint64_t>& codes) {
    std::pair<int, double> found{1 << 20, 0};
    for (const std::uint64_t code : codes) {
      const double value = value_of(f, code);
      found.first = std::min(found.first, lowest_bit(value));
      found.second = std::max(found.second, std::fabs(value));
    }
    return found;
  };
  const auto [unit_a, most_a] = extremes(i.a_format(), a);
  const auto [unit_b, most_b] = extremes(i.b_format(), b);
  const auto [unit_c, most_c] = extremes(i.builtin->acc_format, acc);
  int least_scale = 0, most_scale = 0;
  if (c.has_scales) {
    least_scale = most_scale = -254;
    for (const Operand operand : {Operand::kScaleA, Operand::kScaleB}) {
      const auto scales = read_elements(shared_layout(i, operand), operand == Operand::kScaleA ? c.scale_a : c.scale_b);
      const auto [least, most] = std::minmax_element(scales.begin(), scales.end());
      least_scale += static_cast<int>(*least);
      most_scale += static_cast<int>(*most);
    }
  }
  Bounds bounds;
  bounds.unit = std::min(unit_a + unit_b + least_scale, unit_c);
  bounds.magnitude = most_c + most_a * std::ldexp(most_b, most_scale) * i.builtin->shape.k;
  return bounds;
}

TEST(SmallIntegers, EverySumFitsTheAccumulatorExactly) {
  for (const Instance& i : one_of_each()) {
    const ElementFormat acc = i.builtin->acc_format;
    const int precision = acc == ElementFormat::kF64 ? 53 : (acc == ElementFormat::kI32 ? 31 : 24);
    for (std::uint64_t index = 0; index < 12; ++index) {
      const Bounds bounds = bounds_of(make_case(i, 3, index, OperandClass::kSmallIntegers));
      EXPECT_LE(bounds.magnitude, std::ldexp(1, precision + bounds.unit)) << instance_id(i) << " " << index;
    }
  }
}

TEST(SmallIntegers, AreVariedAndNeverMinusZeroInC) {
  for (const Instance& i : one_of_each()) {
    std::set<std::uint64_t> a, b, acc;
    for (std::uint64_t index = 0; index < 10; ++index) {
      const Case c = make_case(i, 5, index, OperandClass::kSmallIntegers);
      const auto codes_a = read_elements(shared_layout(i, Operand::kA), c.a);
      const auto codes_b = read_elements(shared_layout(i, Operand::kB), c.b);
      const auto codes_c = read_elements(shared_layout(i, Operand::kC), c.c);
      a.insert(codes_a.begin(), codes_a.end());
      b.insert(codes_b.begin(), codes_b.end());
      acc.insert(codes_c.begin(), codes_c.end());
    }
    EXPECT_GE(a.size(), 15u) << instance_id(i);
    EXPECT_GE(b.size(), 15u) << instance_id(i);
    EXPECT_GE(acc.size(), 100u) << instance_id(i);
    if (!is_integer(i.builtin->acc_format)) {
      EXPECT_FALSE(acc.contains(negative_zero(i.builtin->acc_format)));
      EXPECT_TRUE(acc.contains(0));
    }
  }
}

TEST(SmallIntegers, ScalesDifferFromOneAnotherWhereTheBudgetAllows) {
  const Instance i = instance("mfma_scale_f32_16x16x128_f8f6f4:a=fp4,b=fp8,op_sel=3/1");
  std::set<std::uint64_t> scales;
  for (std::uint64_t index = 0; index < 20; ++index) {
    const Case c = make_case(i, 1, index, OperandClass::kSmallIntegers);
    for (const std::uint64_t s : read_elements(shared_layout(i, Operand::kScaleA), c.scale_a)) scales.insert(s);
  }
  EXPECT_GE(scales.size(), 20u);
}

// The bits that the instruction does not read are noise, not zeros: the upper registers of a narrow format, and the
// scale bytes that op_sel does not name.
TEST(AllClasses, UnreadBitsAreRandom) {
  const Instance i = instance("mfma_scale_f32_16x16x128_f8f6f4:a=fp4,b=fp6,op_sel=2/0");
  for (const OperandClass cls : all_operand_classes()) {
    if (!applies(i, cls)) continue;
    const std::string_view index = name_of(cls);
    const Case c = make_case(i, 1, 4, cls);
    int ones = 0;
    for (int lane = 0; lane < 64; ++lane) {
      for (int reg = 4; reg < 8; ++reg) ones += std::popcount(c.a.at(lane, reg));
    }
    EXPECT_NEAR(ones, 64 * 4 * 16, 400) << index;
    std::set<std::uint32_t> other_bytes;
    for (int lane = 0; lane < 64; ++lane) other_bytes.insert(c.scale_a.at(lane, 0) & 0xff00ffff);
    EXPECT_GE(other_bytes.size(), 60u) << index;
  }
}

TEST(RandomBits, SomeCasesAreRawAndSomeAreTame) {
  const Instance i = instance("mfma_scale_f32_16x16x128_f8f6f4:a=fp8,b=bf8,op_sel=0/0");
  int with_nan = 0, without = 0, near_scales = 0, wide_scales = 0;
  for (std::uint64_t index = 0; index < 60; ++index) {
    const Case c = make_case(i, 1, index, OperandClass::kRandomBits);
    bool finite = true;
    for (const std::uint64_t code : read_elements(shared_layout(i, Operand::kB), c.b)) {
      finite = finite && is_finite_code(ElementFormat::kBf8E5m2, code);
    }
    (finite ? without : with_nan) += 1;
    const auto scales = read_elements(shared_layout(i, Operand::kScaleA), c.scale_a);
    const auto [least, most] = std::minmax_element(scales.begin(), scales.end());
    (*least >= 124 && *most <= 130 ? near_scales : wide_scales) += 1;
  }
  EXPECT_GE(with_nan, 5);
  EXPECT_GE(without, 30);
  EXPECT_GE(near_scales, 25);
  EXPECT_GE(wide_scales, 8);
}

TEST(RandomBits, EveryBitOfEveryOperandTakesBothValues) {
  for (const Instance& i : one_of_each()) {
    std::vector<std::uint32_t> ones, zeros;
    for (std::uint64_t index = 0; index < 40; ++index) {
      const Case c = make_case(i, 9, index, OperandClass::kRandomBits);
      std::size_t at = 0;
      for (const RegisterImage* image : {&c.a, &c.b, &c.c, &c.scale_a, &c.scale_b}) {
        for (const std::uint32_t dword : image->dwords) {
          if (ones.size() <= at) {
            ones.push_back(0);
            zeros.push_back(0);
          }
          ones[at] |= dword;
          zeros[at++] |= ~dword;
        }
      }
    }
    std::uint64_t missing = 0;
    for (std::size_t at = 0; at < ones.size(); ++at) {
      missing += static_cast<std::uint64_t>(std::popcount(~ones[at]) + std::popcount(~zeros[at]));
    }
    // A quarter of the cases is raw, so about ten of the forty: a few of the thousands of bits may miss a value.
    EXPECT_LE(missing, ones.size() * 32 / 100) << instance_id(i);
  }
}

}  // namespace
}  // namespace mfma::operands
