// The emulated device's memory: allocations at addresses of their own, with gaps between, so that an access beyond
// one is a fault and never another's data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mfma::gfx950 {

class Memory {
 public:
  // The address of `bytes` zero bytes, aligned to 256.
  std::uint64_t allocate(std::size_t bytes);
  void release_all();

  // Host bytes of [address, address + size) when it lies in one allocation or mapped view, else null.
  std::byte* find(std::uint64_t address, std::uint64_t size) const;
  // As find(), but also in read-only views.
  const std::byte* find_readable(std::uint64_t address, std::uint64_t size) const;

  // Lets `bytes` be read at `address` until clear_views(); the caller keeps them alive and the ranges disjoint from
  // allocations (they never reach kViews).
  void map_view(std::uint64_t address, std::span<const std::byte> bytes);
  void clear_views() { views_.clear(); }

  static constexpr std::uint64_t kAllocations = 0x0000'1000'0000'0000;
  static constexpr std::uint64_t kViews = 0x0000'4000'0000'0000;

 private:
  struct Block {
    std::uint64_t address = 0;
    std::vector<std::byte> bytes;
  };
  struct View {
    std::uint64_t address = 0;
    std::span<const std::byte> bytes;
  };

  mutable std::vector<Block> blocks_;  // by address
  std::vector<View> views_;
  std::uint64_t next_ = kAllocations;
  mutable std::size_t last_ = 0;  // where the last access was: the next is most often there too
};

}  // namespace mfma::gfx950
