// Compares the fast oracle with the reference oracle on random dot products.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/reference/sweep/rows.h"

namespace mfma::oracles::reference::testing {

struct Tally {
  std::uint64_t products = 0;  // dot products compared
  std::uint64_t differences = 0;
  // How hard the sample was: results of each class.
  std::uint64_t nans = 0, infinities = 0, zeros = 0, subnormals = 0;
  std::vector<std::string> examples;  // the first few differences, ready to be run again

  void add(const Tally& other);
};

// `count` dot products of one row. What is compared is a function of the row's name, `seed` and the index alone.
Tally compare_row(const Row& row, std::uint64_t seed, std::uint64_t first, std::uint64_t count);

}  // namespace mfma::oracles::reference::testing
