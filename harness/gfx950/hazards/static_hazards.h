// The wait states of a code object without running it: every path through every function, by its control flow graph.
//
// For each instruction the fewest wait states since each earlier one that a rule may speak of are carried along all
// paths to a fixpoint. Where the code does not say by itself where control goes (indirect jumps, calls and returns), or
// an instruction is unknown, the place is listed as unseen: such an object is never clean.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "harness/gfx950/hazards/hazards.h"
#include "harness/gfx950/object/code_object.h"

namespace mfma::gfx950 {

// A place behind which nothing is known.
struct Unseen {
  std::uint64_t pc = 0;
  std::string instruction;  // as the renderer writes it
  std::string why;          // one clause
};

struct FunctionHazards {
  std::string name;
  bool is_kernel = false;
  std::uint64_t begin = 0;
  std::uint64_t instructions = 0;  // seen
  std::vector<Hazard> hazards;     // by address of the later instruction, then of the earlier
  bool more_hazards = false;       // there were more than a list holds (HazardList)
  std::vector<Unseen> unseen;      // by address
};

// All kernels and functions of the symbol tables, by address. A function that several reach is looked at once, by
// itself: nothing is under way at its entry.
std::vector<FunctionHazards> static_hazards(const CodeObject& object);

// One of them. One line when there is no such kernel.
tl::expected<FunctionHazards, std::string> static_hazards(const CodeObject& object, std::string_view kernel);

}  // namespace mfma::gfx950
