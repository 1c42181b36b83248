// What LLVM's own tools see in a code object: the second opinion on what a compiler made of a kernel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mfma::kernels::test {

struct MfmaInstruction {
  std::string mnemonic;
  std::vector<std::string> operands;              // "v[0:3]", "a5", ...: D, A, B, C, then the scales
  std::map<std::string, std::string> attributes;  // "cbsz" -> "3", "neg" -> "[1,0,1]"
  std::vector<std::uint32_t> words;               // the encoding, first dword first
};

// The MFMA instructions of each kernel in the object; a kernel without one has an empty list. Throws
// std::runtime_error when the tool fails.
std::map<std::string, std::vector<MfmaInstruction>> mfma_instructions(const std::vector<std::byte>& object);

// .kernarg_segment_size of each kernel, from the metadata note.
std::map<std::string, int> kernarg_sizes(const std::vector<std::byte>& object);

}  // namespace mfma::kernels::test
