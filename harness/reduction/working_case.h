// A case as lists of element codes, for reduction: what stands where, and the case with some of it changed.
// Internal to fuzz/search.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/catalogue/layout.h"
#include "harness/reduction/reduce.h"

namespace mfma::reduction::detail {

// The operands that are reduced; the scales are empty on instances without.
enum Slot : std::size_t { kSlotA, kSlotB, kSlotC, kSlotScaleA, kSlotScaleB, kSlots };

struct Place {
  Slot slot;
  std::size_t index;  // into the layout's [block][row][column]
};
struct Change {
  Place at;
  std::uint64_t code;
};

class WorkingCase {
 public:
  explicit WorkingCase(const cases::Case& c);

  const cases::Case& made() const { return case_; }
  const std::vector<std::uint64_t>& codes(Slot slot) const { return codes_[slot]; }
  const catalogue::Layout& layout(Slot slot) const;  // of a slot that is not empty
  catalogue::ElementFormat format(Slot slot) const;  // of A, B and C

  std::uint64_t default_code(Slot slot) const;  // +0; a scale of one
  bool is_default(Place at) const { return codes_[at.slot][at.index] == default_code(at.slot); }

  cases::Case with(std::span<const Change> changes) const;
  // The same elements under other modifiers of the same formats; scales are dropped where `instance` has none. Bits
  // that no element of a scale dword holds are then 0.
  cases::Case under(const catalogue::Instance& instance) const;

  // Dwords of an image with bits that no element holds.
  std::uint64_t unread_dwords() const;
  // Without these bits in the operand of `slot`.
  cases::Case without_unread(std::span<const Slot> slots) const;

 private:
  cases::Case case_;
  std::array<std::vector<std::uint64_t>, kSlots> codes_;
};

std::uint64_t complexity_at(const WorkingCase& c, Place at);
std::vector<std::uint64_t> simpler_at(const WorkingCase& c, Place at);

}  // namespace mfma::reduction::detail
