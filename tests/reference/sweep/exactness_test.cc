// is_exact against its definition: where it says exact, every lawful model gives the same bits, by the reference.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "oracles/plain/dense.h"
#include "oracles/reference/reference.h"
#include "tests/reference/formats.h"
#include "tests/reference/sweep/rows.h"

namespace mfma::oracles::reference::testing {
namespace {

std::uint64_t sample_size() {
  const char* size = std::getenv("MFMA_EXACTNESS_PER_PAIR");
  return size != nullptr ? std::strtoull(size, nullptr, 10) : 1000;
}

// A random model as one of the lawful ones: widths of at least the accumulator's precision (exactness.h).
Model lawful(Model model, const Format& acc) {
  const int least = acc.fraction_bits + 1;
  for (int* width :
       {&model.product_fraction_bits, &model.merge_fraction_bits, &model.sum_fraction_bits, &model.c_fraction_bits}) {
    *width = std::max(*width, least);
  }
  if (model.final_fraction_bits) model.final_fraction_bits = std::max(*model.final_fraction_bits, least);
  if (model.drop_c_below) model.drop_c_below = std::max(*model.drop_c_below, least);
  return model;
}

std::map<std::string, std::vector<Row>> rows_by_pair() {
  std::map<std::string, std::vector<Row>> result;
  for (const Row& row : sweep_rows()) {
    if (!row.pair.a.is_integer) result[row.pair_name].push_back(row);
  }
  return result;
}

std::string show(const Dot& dot) {
  std::string text = fmt::format("a:{:x} b:{:x} c:{:x}", fmt::join(dot.a, ","), fmt::join(dot.b, ","), dot.c);
  if (dot.scaled) text += fmt::format(" sa:{:x} sb:{:x}", fmt::join(dot.scale_a, ","), fmt::join(dot.scale_b, ","));
  return text;
}

TEST(Exactness, NoLawfulModelGivesOtherBits) {
  for (const auto& [name, rows] : rows_by_pair()) {
    const Pair pair = rows.front().pair;
    Random random(7);
    std::uint64_t exact_ones = 0;
    for (std::uint64_t i = 0; i < sample_size(); ++i) {
      const Dot dot = random.one_in(4) ? random_dot(pair, random) : random_dot_of_powers(pair, random);
      if (!is_exact(dot.problem())) continue;
      ++exact_ones;
      const std::uint64_t bits = reference::dot_product(dot.problem(), exact(128));
      for (const Row& row : rows) {
        const Model model = lawful(row.model(pair.acc, random), pair.acc);
        const std::uint64_t other = reference::dot_product(dot.problem(), model);
        ASSERT_EQ(other, bits) << fmt::format("{} {}: {:x} against {:x}\n{}", row.name(), describe(model), other, bits,
                                              show(dot));
      }
    }
    // Sample and rule have to meet for the test to mean anything.
    EXPECT_GT(exact_ones, sample_size() / 10) << name;
    EXPECT_LT(exact_ones, sample_size()) << name;
  }
}

TEST(Exactness, IntegersThatAreExactStayInRangeInAnyOrder) {
  const Pair pair{kI8, kI8, kI32};
  Random random(11);
  int exact_ones = 0, inexact_ones = 0;
  for (int i = 0; i < 20000; ++i) {
    const Dot dot = random_dot(pair, random);
    std::int64_t low = static_cast<std::int32_t>(static_cast<std::uint32_t>(dot.c)), high = low;
    for (std::size_t k = 0; k < dot.a.size(); ++k) {
      const std::int64_t product = static_cast<std::int64_t>(static_cast<std::int8_t>(dot.a[k])) *
                                   static_cast<std::int64_t>(static_cast<std::int8_t>(dot.b[k]));
      (product < 0 ? low : high) += product;
    }
    const bool in_range = low >= INT32_MIN && high <= INT32_MAX;
    const bool claimed = is_exact(dot.problem());
    ++(claimed ? exact_ones : inexact_ones);
    EXPECT_TRUE(!claimed || in_range) << show(dot);
  }
  EXPECT_GT(exact_ones, 1000);
  EXPECT_GT(inexact_ones, 1000);
}

}  // namespace
}  // namespace mfma::oracles::reference::testing
