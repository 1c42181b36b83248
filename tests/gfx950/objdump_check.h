// Compares our decoder and renderer with llvm-objdump, instruction by instruction.
#pragma once

#include <string>
#include <vector>

#include "tests/gfx950/toolchain.h"

namespace mfma::gfx950::test {

struct ObjdumpCheck {
  std::size_t compared = 0;              // instructions
  std::vector<std::string> differences;  // "address: ours | llvm's", in address order
};

// Every instruction that llvm-objdump lists in the executable sections of a loadable code object.
ObjdumpCheck check_against_objdump(const Bytes& object);

// One line of llvm-objdump's listing.
struct Listed {
  std::uint64_t address = 0;
  std::string text;
  std::vector<std::uint32_t> dwords;
};
std::vector<Listed> parse_listing(const std::string& listing);

// White space made single, numbers made decimal, the branch label and comments gone: what is left must be equal.
std::string normalised(std::string text);

}  // namespace mfma::gfx950::test
