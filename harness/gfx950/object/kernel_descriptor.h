// The 64-byte kernel descriptor (NAME.kd): what the kernel needs and what its registers hold when it starts.
//
// Source: LLVM AMDGPUUsage, "Kernel Descriptor"; register order also CDNA4 ISA manual 3.13, table 8.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mfma::gfx950 {

inline constexpr std::size_t kKernelDescriptorBytes = 64;

struct KernelDescriptor {
  std::uint32_t lds_bytes = 0;
  std::uint32_t private_bytes = 0;  // per lane
  std::uint32_t kernarg_bytes = 0;
  std::int64_t entry_offset = 0;  // from the descriptor's own address
  std::uint32_t rsrc1 = 0, rsrc2 = 0, rsrc3 = 0;
  std::uint16_t properties = 0;

  // Registers a wavefront is given: scalar ones, VGPRs, and where AccVGPRs begin in the unified file.
  unsigned scalar_registers() const { return ((rsrc1 >> 6 & 15) / 2 + 1) * 16; }
  unsigned unified_registers() const { return ((rsrc1 & 63) + 1) * 8; }
  unsigned accumulator_offset() const { return ((rsrc3 & 63) + 1) * 4; }
  unsigned vector_registers() const;       // arch VGPRs that may be named
  unsigned accumulator_registers() const;  // AccVGPRs that may be named

  // User SGPRs in their order, by bit of `properties`.
  bool private_segment_buffer() const { return (properties & 1) != 0; }     // 4 SGPRs
  bool dispatch_pointer() const { return (properties >> 1 & 1) != 0; }      // 2
  bool queue_pointer() const { return (properties >> 2 & 1) != 0; }         // 2
  bool kernarg_pointer() const { return (properties >> 3 & 1) != 0; }       // 2
  bool dispatch_id() const { return (properties >> 4 & 1) != 0; }           // 2
  bool flat_scratch_init() const { return (properties >> 5 & 1) != 0; }     // 2
  bool private_segment_size() const { return (properties >> 6 & 1) != 0; }  // 1
  bool dynamic_stack() const { return (properties >> 11 & 1) != 0; }
  // System SGPRs follow.
  unsigned user_registers() const { return rsrc2 >> 1 & 31; }
  bool workgroup_id(unsigned dimension) const { return (rsrc2 >> (7 + dimension) & 1) != 0; }
  bool workgroup_info() const { return (rsrc2 >> 10 & 1) != 0; }
  // MODE at the start: round and denormal modes, DX10_CLAMP, IEEE, FP16_OVFL (manual table 4 has the positions).
  std::uint32_t initial_mode() const;
};

KernelDescriptor parse_kernel_descriptor(std::span<const std::byte, kKernelDescriptorBytes> bytes);

}  // namespace mfma::gfx950
