// The operands of the quick tier tell a unit that rounds f32 sums twice, first to 53 bits, from one that rounds once.
//
// The unit is planted as a device of its own: fused multiply-adds in the host's f64, each result then brought to f32.
// It agrees with the right chain but where the 53-bit sum is a tie and the exact one is not.
#include <gtest/gtest.h>

#include <bit>
#include <cstdio>

#include "harness/conformance/calls/plan.h"
#include "harness/conformance/execution/oracle_view.h"
#include "harness/operands/operands.h"
#include "oracles/plain/modifiers.h"
#include "tests/operands/seen.h"

namespace mfma::operands {
namespace {

using cases::Case;
using catalogue::Instance;

std::uint32_t twice_rounded(const testing::Element& e) {
  float d = std::bit_cast<float>(static_cast<std::uint32_t>(e.c));
  for (const testing::Term& t : e.products) {
    const double a = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(t.a)));
    const double b = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(t.b)));
    d = static_cast<float>(a * b + static_cast<double>(d));  // the product is exact in f64, the sum is not
  }
  return std::bit_cast<std::uint32_t>(d);
}

bool is_nan(std::uint64_t bits) { return (bits & 0x7fffffff) > 0x7f800000; }

TEST(DoubleRounding, IsFoundOnEveryF32BuiltinByTheQuickTier) {
  const std::uint64_t count = conformance::cases_per_instance(conformance::Tier::kQuick);
  const auto profile = oracles::default_profile();
  for (const std::uint64_t seed : {1u, 2u, 77u}) {
    for (const char* name : {"mfma_f32_32x32x1f32", "mfma_f32_16x16x1f32", "mfma_f32_4x4x1f32", "mfma_f32_32x32x2f32",
                             "mfma_f32_16x16x4f32"}) {
      const catalogue::Builtin& builtin = *catalogue::find_builtin(name);
      std::uint64_t elements = 0, wrong = 0, wrong_exact = 0;
      const std::vector<Instance> instances = catalogue::legal_instances(builtin);
      for (std::size_t n = 0; n < std::min<std::size_t>(instances.size(), 8); ++n) {
        const Instance& i = instances[n];
        const conformance::OracleView view(i, conformance::rule_of(profile, i)->model,
                                           oracles::BroadcastReading::kPerSet);
        for (std::uint64_t index = 0; index < count; ++index) {
          if (class_of(i, index) != OperandClass::kRoundingTies) continue;
          const Case c = make_case(i, seed, index);
          const testing::Seen seen(c);
          const oracles::DenseResult expected = view.expected(c);
          std::size_t at = 0;
          for (int block = 0; block < builtin.shape.blocks; ++block) {
            for (int row = 0; row < builtin.shape.m; ++row) {
              for (int column = 0; column < builtin.shape.n; ++column, ++at) {
                const std::uint32_t twice = twice_rounded(seen.at(block, row, column));
                ++elements;
                if (twice == expected.d[at] || (is_nan(twice) && is_nan(expected.d[at]))) continue;
                ++wrong;
                wrong_exact += expected.exact[at];
              }
            }
          }
        }
      }
      std::printf("%s, seed %d: %d of %d elements of rounding_ties differ\n", name, static_cast<int>(seed),
                  static_cast<int>(wrong), static_cast<int>(elements));
      ASSERT_GT(elements, 0u) << name;
      EXPECT_GE(wrong, 5u) << name << " seed " << seed << ": of " << elements << " elements";
      EXPECT_EQ(wrong_exact, 0u) << name << ": rounding twice cannot touch an exact result";
    }
  }
}

}  // namespace
}  // namespace mfma::operands
