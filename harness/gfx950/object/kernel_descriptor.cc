#include "harness/gfx950/object/kernel_descriptor.h"

#include <algorithm>
#include <cstring>

namespace mfma::gfx950 {
namespace {

template <class T>
T field(std::span<const std::byte, kKernelDescriptorBytes> bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);  // hosts are little endian, as the file is
  return value;
}

constexpr unsigned kMaxOfEachFile = 256;

}  // namespace

unsigned KernelDescriptor::vector_registers() const {
  return std::min({accumulator_offset(), unified_registers(), kMaxOfEachFile});
}

unsigned KernelDescriptor::accumulator_registers() const {
  const unsigned all = unified_registers(), first = accumulator_offset();
  return all <= first ? 0 : std::min(all - first, kMaxOfEachFile);
}

std::uint32_t KernelDescriptor::initial_mode() const {
  const std::uint32_t round_and_denormal = rsrc1 >> 12 & 0xff;
  const std::uint32_t dx10_clamp = rsrc1 >> 21 & 1, ieee = rsrc1 >> 23 & 1, fp16_overflow = rsrc1 >> 26 & 1;
  return round_and_denormal | dx10_clamp << 8 | ieee << 9 | fp16_overflow << 23;
}

KernelDescriptor parse_kernel_descriptor(std::span<const std::byte, kKernelDescriptorBytes> bytes) {
  KernelDescriptor d;
  d.lds_bytes = field<std::uint32_t>(bytes, 0);
  d.private_bytes = field<std::uint32_t>(bytes, 4);
  d.kernarg_bytes = field<std::uint32_t>(bytes, 8);
  d.entry_offset = field<std::int64_t>(bytes, 16);
  d.rsrc3 = field<std::uint32_t>(bytes, 44);
  d.rsrc1 = field<std::uint32_t>(bytes, 48);
  d.rsrc2 = field<std::uint32_t>(bytes, 52);
  d.properties = field<std::uint16_t>(bytes, 56);
  return d;
}

}  // namespace mfma::gfx950
