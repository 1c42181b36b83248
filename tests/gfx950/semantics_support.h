// Runs one instruction (or a few) of assembly on given inputs and compares with a function of the test.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mfma::gfx950::test {

// v4..v11 of one lane and s16..s23 before the body; what it leaves in v12..v15 and s24..s26, and SCC. Outputs are zero
// before the body, SCC is bit 0 of s23, EXEC is all ones and is set back to that after it.
struct Inputs {
  std::array<std::uint32_t, 8> v{};
  std::array<std::uint32_t, 8> s{};
  unsigned lane = 0;

  std::uint64_t v64(unsigned i) const { return v[i] | std::uint64_t{v[i + 1]} << 32; }
  std::uint64_t s64(unsigned i) const { return s[i] | std::uint64_t{s[i + 1]} << 32; }
};

struct Outputs {
  std::array<std::uint32_t, 4> v{};
  std::array<std::uint32_t, 3> s{};
  bool scc = false;

  void set_v64(std::uint64_t value) {
    v[0] = static_cast<std::uint32_t>(value);
    v[1] = static_cast<std::uint32_t>(value >> 32);
  }
  void set_s64(std::uint64_t value) {
    s[0] = static_cast<std::uint32_t>(value);
    s[1] = static_cast<std::uint32_t>(value >> 32);
  }
};

using Lanes = std::array<Inputs, 64>;

struct Case {
  std::string body;
  // Outputs of each lane from all inputs; `scc` and `s` are looked at in lane 0 only.
  std::function<void(const Lanes&, std::array<Outputs, 64>&)> expected;
};

// Lane by lane, leaving SCC as it was.
Case vector_case(std::string body, std::function<void(const Inputs&, Outputs&)> expected);
// On the scalar registers; `scc` of the outputs starts as the input SCC.
Case scalar_case(std::string body, std::function<void(const Inputs&, Outputs&)> expected);

// Assembles one kernel per case and runs each on several sets of inputs, with edge values among them.
void check_cases(const std::vector<Case>& cases);

}  // namespace mfma::gfx950::test
