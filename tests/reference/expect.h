// A table row: a dot product, a model, the bits that were computed by hand for it.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "oracles/reference/reference.h"
#include "tests/reference/formats.h"
#include "tests/reference/problem.h"

namespace mfma::oracles::reference::testing {

struct Expected {
  const char* model_name;
  Model model;
  std::uint64_t bits;
};

inline void expect_bits(const std::string& row, const Dot& dot, const std::vector<Expected>& expectations) {
  for (const Expected& expected : expectations) {
    const std::uint64_t bits = reference::dot_product(dot.problem(), expected.model);
    EXPECT_EQ(bits, expected.bits) << fmt::format("{}, {}: {:08x}, expected {:08x}", row, expected.model_name, bits,
                                                  expected.bits);
  }
}

}  // namespace mfma::oracles::reference::testing
