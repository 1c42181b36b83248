// A loaded code object: segments at their addresses, kernels and functions by name, the instructions of a kernel.
//
// Immutable after loading but for what is derived from a kernel, which is made under std::call_once; safe to share.
// Source: ELF64; LLVM AMDGPUUsage ("Code Object", "ELF Code Object", "Kernel Descriptor").
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "harness/gfx950/isa/instruction.h"
#include "harness/gfx950/object/kernel_descriptor.h"

namespace mfma::gfx950 {

// Byte addresses in the code object.
struct CodeRange {
  std::uint64_t begin = 0, end = 0;
};

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

    // What the one user of a loaded object makes of a kernel, made once and kept with it: the machine's decoded code.
    const void* derived(const std::function<std::shared_ptr<const void>()>& make) const;

   private:
    mutable std::once_flag once_;
    mutable std::shared_ptr<const void> derived_;
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

// Refuses anything that is not a well-formed gfx950 code object with one line that says what is wrong and where.
tl::expected<std::shared_ptr<const CodeObject>, std::string> load_code_object(std::span<const std::byte> file);
std::vector<std::string> kernel_names(const CodeObject& object);

// Where a kernel's code lies: from its entry to the end of its symbol (or of the executable segment when the symbol
// has no size).
tl::expected<CodeRange, std::string> kernel_range(const CodeObject& object, std::string_view kernel);
std::vector<CodeRange> executable_ranges(const CodeObject& object);

// The instruction at `pc`; unknown when pc lies outside every executable segment.
Instruction instruction_at(const CodeObject& object, std::uint64_t pc);

// All instructions of a kernel in address order, decoded one after the other from its entry.
tl::expected<std::vector<Instruction>, std::string> kernel_instructions(const CodeObject& object,
                                                                        std::string_view kernel);

}  // namespace mfma::gfx950
