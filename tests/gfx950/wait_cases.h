// Pairs of instructions for every rule of wait states: the earlier and the later one, as assembly text.
#pragma once

#include <string>
#include <vector>

namespace mfma::gfx950::test {

struct WaitCase {
  std::string rule;  // its code
  std::string earlier, later;
  int needs = 0;  // wait states between them, as the sources say: written here a second time
};

// At least one for every rule of harness/gfx950/hazards/hazards.h.
std::vector<WaitCase> wait_cases();

// Assembly of a kernel that makes s[4:5] and v[100:101] the address of its argument's buffer, v102 and v103 zero, s6,
// s7 and s8 zero, waits until nothing is under way, and then does `body`.
std::string wait_kernel(const std::string& name, const std::string& body);

// `count` wait states: as few S_NOPs as can be, or one independent instruction each.
std::string gap_of_nops(int count);
std::string gap_of_moves(int count);

}  // namespace mfma::gfx950::test
