// A loaded code object: segments at their addresses, kernels by name, decoded code made once per kernel.
//
// Immutable after loading but for the decoded code, which is made under std::call_once; safe to share.
// Source: ELF64; LLVM AMDGPUUsage ("Code Object", "ELF Code Object", "Kernel Descriptor").
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "harness/gfx950/decoder.h"
#include "harness/gfx950/kernel_code.h"
#include "harness/gfx950/kernel_descriptor.h"
#include "harness/gfx950/machine.h"

namespace mfma::gfx950 {

struct Segment {
  std::uint64_t address = 0;
  bool executable = false;
  std::vector<std::byte> bytes;  // p_memsz of them, zero after p_filesz

  std::uint64_t end() const { return address + bytes.size(); }
};

class CodeObject {
 public:
  struct Kernel {
    KernelDescriptor descriptor;
    std::uint64_t entry = 0, end = 0;

    const KernelCode& code(const CodeObject& object) const;

   private:
    mutable std::once_flag once_;
    mutable std::unique_ptr<const KernelCode> code_;
  };

  static tl::expected<std::shared_ptr<const CodeObject>, std::string> load(std::span<const std::byte> file);

  std::span<const Segment> segments() const { return segments_; }
  const std::map<std::string, Kernel, std::less<>>& kernels() const { return kernels_; }
  // Every function symbol of the file, kernels among them, by address; of several at one address, one.
  const std::map<std::uint64_t, std::string>& functions() const { return functions_; }
  // The dwords from `pc` to the end of the executable segment it lies in; empty outside or when misaligned.
  std::span<const std::uint32_t> code_at(std::uint64_t pc) const;
  std::vector<CodeRange> code_ranges() const;

 private:
  friend class Loader;
  std::vector<Segment> segments_;                       // by address, not overlapping
  std::vector<std::vector<std::uint32_t>> code_words_;  // of each executable segment's bytes in the file
  std::vector<std::uint64_t> code_addresses_;
  std::map<std::string, Kernel, std::less<>> kernels_;
  std::map<std::uint64_t, std::string> functions_;
};

}  // namespace mfma::gfx950
