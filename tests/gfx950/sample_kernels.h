// Source text of harness-like kernels for every dense MFMA builtin, for the tests of the machine alone.
#pragma once

#include <string>
#include <vector>

namespace mfma::gfx950::test {

enum class Registers { kCompilerChoice, kVgpr, kAgpr };  // where asm constraints put A, B, C and D

struct SampleBuiltin {
  const char* name;       // without "__builtin_amdgcn_"
  const char *a, *b, *c;  // vector typedefs of the source
  unsigned a_bytes, b_bytes, c_bytes;
  bool scaled;
};

const std::vector<SampleBuiltin>& sample_builtins();

struct SampleKernel {
  std::string name;
  const SampleBuiltin* builtin;
  std::string modifiers;  // text of the immediates: "0, 0, 0", or formats and op_sel
  bool with_scales;
};

// Per builtin: without modifiers, and a few combinations of them.
std::vector<SampleKernel> sample_kernels();
std::string sample_source(const std::vector<SampleKernel>& kernels, Registers registers);

}  // namespace mfma::gfx950::test
