// A random source that gives the same numbers with every compiler and library.
#pragma once

#include <cstdint>
#include <random>
#include <span>

namespace mfma::oracles::reference::testing {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t bits() { return engine_(); }
  // [0, n), n > 0. The bias of the modulus is of no importance here.
  int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }
  // [low, high]
  int between(int low, int high) { return low + below(high - low + 1); }
  bool one_in(int n) { return below(n) == 0; }
  template <typename T, std::size_t N>
  T pick(const T (&items)[N]) {
    return items[static_cast<std::size_t>(below(static_cast<int>(N)))];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace mfma::oracles::reference::testing
