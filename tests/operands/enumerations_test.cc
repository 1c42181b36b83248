// What the enumerating classes promise to be complete, read back over one period.
#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <map>
#include <set>
#include <vector>

#include "harness/cases/codes.h"
#include "harness/catalogue/layout.h"
#include "harness/operands/operands.h"
#include "oracles/plain/dense.h"
#include "tests/operands/seen.h"

namespace mfma::operands {
namespace {

using cases::Case;
using catalogue::Instance;
using catalogue::Operand;
using testing::instance;

std::vector<std::uint64_t> codes_of(const Case& c, Operand operand) {
  const auto& image = operand == Operand::kA        ? c.a
                      : operand == Operand::kB      ? c.b
                      : operand == Operand::kC      ? c.c
                      : operand == Operand::kScaleA ? c.scale_a
                                                    : c.scale_b;
  return catalogue::read_elements(catalogue::shared_layout(c.instance, operand), image);
}

bool is_zero(catalogue::ElementFormat f, std::uint64_t code) { return (code & ~cases::negative_zero(f)) == 0; }

// The one k of a row of A or column of B that is not zero; -1 where there is none or another.
int lone_k(const std::vector<std::uint64_t>& codes, catalogue::ElementFormat f, int k_count, std::size_t first,
           std::size_t step) {
  int found = -1;
  for (int k = 0; k < k_count; ++k) {
    if (is_zero(f, codes[first + static_cast<std::size_t>(k) * step])) continue;
    if (found >= 0) return -1;
    found = k;
  }
  return found;
}

// Indices from `first` in steps of the deal, as runs meet them.
template <typename Each>
void over_a_period(const Instance& i, OperandClass cls, std::uint64_t seed, Each each) {
  for (std::uint64_t n = 0; n < period_of(i, cls); ++n) each(make_case(i, seed, 11 + n * kDealLength, cls));
}

TEST(OneHot, EveryElementStandsAloneInItsRowOrColumn) {
  for (const Instance& i : testing::one_of_each()) {
    const catalogue::Shape& s = i.builtin->shape;
    const auto m = static_cast<std::size_t>(s.m), n = static_cast<std::size_t>(s.n), k = static_cast<std::size_t>(s.k);
    std::set<std::pair<std::size_t, int>> a_alone, b_alone;  // line, k
    over_a_period(i, OperandClass::kOneHot, 4, [&](const Case& c) {
      const auto a = codes_of(c, Operand::kA), b = codes_of(c, Operand::kB);
      bool rows = true, columns = true;
      for (std::size_t line = 0; line < static_cast<std::size_t>(s.blocks) * m; ++line) {
        const int at = lone_k(a, i.a_format(), s.k, line * k, 1);
        if (at >= 0) a_alone.emplace(line, at);
        rows = rows && at >= 0;
      }
      for (std::size_t line = 0; line < static_cast<std::size_t>(s.blocks) * n; ++line) {
        const int at = lone_k(b, i.b_format(), s.k, line / n * k * n + line % n, n);
        if (at >= 0) b_alone.emplace(line, at);
        columns = columns && at >= 0;
      }
      EXPECT_TRUE(rows || columns);
    });
    EXPECT_EQ(a_alone.size(), static_cast<std::size_t>(s.blocks) * m * k) << instance_id(i);
    EXPECT_EQ(b_alone.size(), static_cast<std::size_t>(s.blocks) * n * k) << instance_id(i);
  }
}

// The element of D is the product of one element of A and one of B, alone, for every pair of codes.
TEST(CodePairs, EveryPairOfCodesIsMultipliedAlone) {
  for (const std::string_view id :
       {"mfma_i32_4x4x4i8", "mfma_i32_16x16x64_i8", "mfma_i32_32x32x4i8:cbsz=1,abid=1", "mfma_f32_16x16x32_fp8_bf8",
        "mfma_f32_32x32x16_bf8_bf8", "mfma_scale_f32_16x16x128_f8f6f4:a=fp6,b=bf6,unscaled",
        "mfma_scale_f32_32x32x64_f8f6f4:a=fp4,b=fp8,op_sel=1/0",
        "mfma_scale_f32_16x16x128_f8f6f4:a=fp4,b=fp4,op_sel=0/2"}) {
    const Instance i = instance(id);
    const catalogue::Shape& s = i.builtin->shape;
    const auto codes_b = std::size_t{1} << catalogue::bits_of(i.b_format());
    std::vector<bool> met((std::size_t{1} << catalogue::bits_of(i.a_format())) * codes_b);
    over_a_period(i, OperandClass::kCodePairs, 9, [&](const Case& c) {
      const auto a = codes_of(c, Operand::kA), b = codes_of(c, Operand::kB);
      for (const std::uint64_t code : codes_of(c, Operand::kC)) ASSERT_EQ(code, 0u);
      const auto row = [&](int block, int r) { return static_cast<std::size_t>((block * s.m + r) * s.k); };
      // The k that the case uses: the only one at which all rows together have more than zeros.
      std::set<int> used;
      for (std::size_t at = 0; at < a.size(); ++at) {
        if (!is_zero(i.a_format(), a[at])) used.insert(static_cast<int>(at) % s.k);
      }
      for (std::size_t at = 0; at < b.size(); ++at) {
        if (!is_zero(i.b_format(), b[at])) used.insert(static_cast<int>(at) / s.n % s.k);
      }
      ASSERT_LE(used.size(), 1u);
      if (used.empty()) used.insert(0);
      const auto k = static_cast<std::size_t>(*used.begin());
      for (int block = 0; block < s.blocks; ++block) {
        for (int r = 0; r < s.m; ++r) {
          for (int j = 0; j < s.n; ++j) {
            const std::uint64_t of_b = b[(static_cast<std::size_t>(block * s.k) + k) * static_cast<std::size_t>(s.n) +
                                         static_cast<std::size_t>(j)];
            met[a[row(block, r) + k] * codes_b + of_b] = true;
          }
        }
      }
    });
    EXPECT_EQ(static_cast<std::size_t>(std::count(met.begin(), met.end(), true)), met.size()) << id;
  }
}

TEST(ScaleBytes, AreDistinctInACaseAndEveryOneComesEverywhere) {
  for (const std::string_view id : {"mfma_scale_f32_16x16x128_f8f6f4:a=fp8,b=bf8,op_sel=0/3",
                                    "mfma_scale_f32_32x32x64_f8f6f4:a=fp4,b=fp4,op_sel=2/1"}) {
    const Instance i = instance(id);
    const auto places = static_cast<std::size_t>(i.builtin->shape.m * i.builtin->shape.k / 32);
    std::vector<std::bitset<256>> met_a(places), met_b(places);
    int sums_beyond = 0, sums_within = 0;
    over_a_period(i, OperandClass::kScaleBytes, 2, [&](const Case& c) {
      const auto a = codes_of(c, Operand::kScaleA), b = codes_of(c, Operand::kScaleB);
      EXPECT_EQ(std::set<std::uint64_t>(a.begin(), a.end()).size(), a.size());
      EXPECT_EQ(std::set<std::uint64_t>(b.begin(), b.end()).size(), b.size());
      for (std::size_t at = 0; at < places; ++at) {
        met_a[at].set(a[at]);
        met_b[at].set(b[at]);
        const int sum = static_cast<int>(a[at]) + static_cast<int>(b[at]) - 254;
        ++(sum < -126 || sum > 127 ? sums_beyond : sums_within);
      }
    });
    for (std::size_t at = 0; at < places; ++at) {
      EXPECT_TRUE(met_a[at].all()) << at << " lacks " << 256 - met_a[at].count();
      EXPECT_TRUE(met_b[at].all()) << at << " lacks " << 256 - met_b[at].count();
    }
    EXPECT_GT(sums_beyond, 500);
    EXPECT_GT(sums_within, 500);
  }
}

std::set<std::uint64_t> nans_of(catalogue::ElementFormat f) {
  std::set<std::uint64_t> all;
  const cases::FloatFields fields = cases::fields_of(f);
  for (std::uint64_t code = 0; code < std::uint64_t{1} << catalogue::bits_of(f); ++code) {
    const bool infinite = (code & ((std::uint64_t{1} << fields.fraction_bits) - 1)) == 0;
    if (!cases::is_finite_code(f, code) && !infinite) all.insert(code);
  }
  return all;
}

TEST(NanPayloads, EveryEncodingIsMet) {
  for (const std::string_view id : {"mfma_f32_16x16x32_f16", "mfma_f32_4x4x4bf16_1k", "mfma_f32_32x32x16_fp8_bf8",
                                    "mfma_scale_f32_16x16x128_f8f6f4:a=bf8,b=fp8,op_sel=0/3"}) {
    const Instance i = instance(id);
    std::set<std::uint64_t> in_a, in_b, in_c;
    over_a_period(i, OperandClass::kNanPayloads, 6, [&](const Case& c) {
      for (const auto code : codes_of(c, Operand::kA)) {
        if (!cases::is_finite_code(i.a_format(), code)) in_a.insert(code);
      }
      for (const auto code : codes_of(c, Operand::kB)) {
        if (!cases::is_finite_code(i.b_format(), code)) in_b.insert(code);
      }
      for (const auto code : codes_of(c, Operand::kC)) {
        if (!cases::is_finite_code(i.builtin->acc_format, code)) in_c.insert(code);
      }
    });
    EXPECT_EQ(in_a, nans_of(i.a_format())) << id;
    EXPECT_EQ(in_b, nans_of(i.b_format())) << id;
    // Every payload bit of an f32, alone and with the quiet bit.
    for (int bit = 0; bit < 22 && in_c.size() > 1000; ++bit) {
      const std::uint64_t alone = 0x7f800000u | std::uint64_t{1} << bit;
      EXPECT_TRUE(in_c.contains(alone) || in_c.contains(alone | 0x80000000u)) << bit;
      EXPECT_TRUE(in_c.contains(alone | 0x00400000u) || in_c.contains(alone | 0x80400000u)) << bit;
    }
    EXPECT_GT(in_c.size(), 20u);
  }
}

}  // namespace
}  // namespace mfma::operands
