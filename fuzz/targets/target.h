// What a fuzz target is: a function from bytes to a check, and what must be there before the first input.
//
// A target's source links to libFuzzer (libfuzzer_main.cc) or to a plain main that replays files (replay_main.cc), so
// that what a search has found stays a regression test on any compiler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "harness/gfx950/matrix/matrix_unit.h"

namespace mfma::fuzz {

// Flags that both mains take, as --builtin=GLOB and --compiler=PROGRAM; a target may have no use for them.
struct Options {
  std::string builtin = "*";
  std::string compiler = "clang-22";
};

// Called once. Empty, or one line on why the target cannot run: no such builtin, no compiler.
std::string begin(const Options& options);

// The fault that MFMA_FUZZ_FAULT names ("product-floor"), to show that a target finds it; none when it is not set.
// Only the targets read it. An unknown name is an error for begin().
struct PlantedFault {
  gfx950::MatrixFault fault;
  std::string error;
};
PlantedFault planted_fault();

}  // namespace mfma::fuzz

// 0: nothing wrong with this input. 1: something is, and one line on stderr says what.
int fuzz_one(const std::uint8_t* data, std::size_t size);
