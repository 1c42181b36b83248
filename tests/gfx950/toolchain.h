// Compiling and disassembling inside tests, with the tools of LLVM 22. A missing tool fails the test.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace mfma::gfx950::test {

using Bytes = std::vector<std::byte>;

// A directory of its own, removed at the end.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// The compiler is the environment's MFMA_CLANG, else clang-22; the disassembler MFMA_OBJDUMP, else llvm-objdump-22.
// Each throws std::runtime_error with the tool's output when it fails.
Bytes compile_hip(const std::string& source, const std::string& level, const std::string& extra_flags = "");
// Assembles and links; `source` is AMDGPU assembly with its own kernel descriptors.
Bytes assemble(const std::string& source);
// Assembles without linking (not loadable), for llvm-objdump.
Bytes assemble_only(const std::string& source);
std::string disassemble(const Bytes& object);

// A kernel of assembly text around `body`, which starts with s[0:1] = kernarg pointer and s2 = workgroup id. The
// kernel has 128 VGPRs, 128 AccVGPRs, 96 SGPRs, and the given private and LDS bytes.
std::string assembly_kernel(const std::string& name, const std::string& body, unsigned private_bytes = 0,
                            unsigned lds_bytes = 0);

}  // namespace mfma::gfx950::test
