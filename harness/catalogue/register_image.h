// A register image: what 64 lanes hold for one operand, as dwords by lane and register.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/catalogue/layout.h"

namespace mfma::catalogue {

// dwords[lane * registers + register]: the order in which a kernel loads one vector per lane.
struct RegisterImage {
  int registers = 0;
  std::vector<std::uint32_t> dwords;

  RegisterImage() = default;
  explicit RegisterImage(int register_count)
      : registers(register_count), dwords(static_cast<std::size_t>(register_count * kLanes)) {}
  std::uint32_t& at(int lane, int reg);  // std::out_of_range beyond the image
  std::uint32_t at(int lane, int reg) const;
  bool operator==(const RegisterImage&) const = default;
};

// The image may have more registers than the layout (the f8f6f4 builtins take eight, fp6 reads six), never fewer.
// Raw element codes in [block][row][column] order, and back. Bits that no element holds stay as they are on write;
// bits of a code above the element's width are ignored. Sizes that do not fit: std::invalid_argument.
std::vector<std::uint64_t> read_elements(const Layout& layout, const RegisterImage& image);
void write_elements(const Layout& layout, std::span<const std::uint64_t> codes, RegisterImage& image);

}  // namespace mfma::catalogue
