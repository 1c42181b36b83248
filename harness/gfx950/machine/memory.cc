#include "harness/gfx950/machine/memory.h"

#include <algorithm>

namespace mfma::gfx950 {
namespace {

constexpr std::uint64_t kAlignment = 256;
constexpr std::uint64_t kGap = 64 * 1024;

bool holds(std::uint64_t base, std::uint64_t length, std::uint64_t address, std::uint64_t size) {
  return address >= base && size <= length && address - base <= length - size;
}

}  // namespace

std::uint64_t Memory::allocate(std::size_t bytes) {
  const std::uint64_t address = next_;
  blocks_.push_back({address, std::vector<std::byte>(bytes)});
  next_ = (address + bytes + kGap + kAlignment - 1) / kAlignment * kAlignment;
  return address;
}

void Memory::release_all() {
  blocks_.clear();
  next_ = kAllocations;
  last_ = 0;
}

std::byte* Memory::find(std::uint64_t address, std::uint64_t size) const {
  if (last_ < blocks_.size()) {
    Block& block = blocks_[last_];
    if (holds(block.address, block.bytes.size(), address, size)) return block.bytes.data() + (address - block.address);
  }
  const auto after = std::upper_bound(blocks_.begin(), blocks_.end(), address,
                                      [](std::uint64_t value, const Block& block) { return value < block.address; });
  if (after == blocks_.begin()) return nullptr;
  Block& block = *(after - 1);
  if (!holds(block.address, block.bytes.size(), address, size)) return nullptr;
  last_ = static_cast<std::size_t>(&block - blocks_.data());
  return block.bytes.data() + (address - block.address);
}

const std::byte* Memory::find_readable(std::uint64_t address, std::uint64_t size) const {
  if (const std::byte* bytes = find(address, size)) return bytes;
  for (const View& view : views_) {
    if (holds(view.address, view.bytes.size(), address, size)) return view.bytes.data() + (address - view.address);
  }
  return nullptr;
}

void Memory::map_view(std::uint64_t address, std::span<const std::byte> bytes) { views_.push_back({address, bytes}); }

}  // namespace mfma::gfx950
