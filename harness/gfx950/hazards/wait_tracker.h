// The wait states of what is executed: sees every instruction of a wavefront in the order of execution, and keeps each
// that came too early after another.
#pragma once

#include <array>
#include <cstdint>

#include "harness/gfx950/hazards/footprint.h"
#include "harness/gfx950/hazards/hazards.h"
#include "harness/gfx950/isa/instruction.h"

namespace mfma::gfx950 {

class WaitTracker {
 public:
  // A new wavefront: nothing is under way.
  void begin();

  // The next instruction; both must live until begin().
  void issue(const Instruction& instruction, const Footprint& footprint) {
    if ((footprint.senses & live_) != 0) check(instruction, footprint);
    if (footprint.produces != 0) {
      live_ |= footprint.produces;
      recent_[newest_++ % kMost] = {&instruction, &footprint, now_ + footprint.wait_states};
    }
    now_ += footprint.wait_states;
  }

  // What was found since the last take().
  HazardList take();

 private:
  // Each instruction takes a wait state, so no more can be within reach.
  static constexpr std::uint64_t kMost = 32;
  static_assert(kMost > kLongestWait);

  struct Event {
    const Instruction* instruction = nullptr;
    const Footprint* footprint = nullptr;
    std::uint64_t end = 0;  // wait states counted when it was over
  };

  void check(const Instruction& instruction, const Footprint& footprint);

  std::array<Event, kMost> recent_{};
  std::uint64_t newest_ = 0;  // events so far; the last kMost of them are kept
  std::uint64_t now_ = 0;
  std::uint32_t live_ = 0;  // effects that may still be within reach
  HazardList hazards_;
};

}  // namespace mfma::gfx950
