#include "harness/gfx950/hazards/wait_tracker.h"

#include <span>
#include <utility>

namespace mfma::gfx950 {

void WaitTracker::begin() {
  newest_ = 0;
  now_ = 0;
  live_ = 0;
}

HazardList WaitTracker::take() { return std::exchange(hazards_, {}); }

void WaitTracker::check(const Instruction& instruction, const Footprint& footprint) {
  live_ = 0;
  // D of the products after the event that is looked at.
  std::array<Registers, kMost> overwritten;
  std::size_t products = 0;
  const std::uint64_t oldest = newest_ > kMost ? newest_ - kMost : 0;
  for (std::uint64_t i = newest_; i > oldest; --i) {
    const Event& event = recent_[(i - 1) % kMost];
    const std::uint64_t distance = now_ - event.end;
    if (distance >= kLongestWait) break;
    live_ |= event.footprint->produces;
    const int found = static_cast<int>(distance);
    const Dependences all = dependences(*event.footprint, footprint);  // named: a temporary would end before the loop
    for (const Dependence& d : all.all()) {
      if (found >= d.rule->required || covered(d.registers, std::span(overwritten).first(products))) continue;
      hazards_.add(d, found, *event.instruction, instruction, now_);
    }
    if (event.footprint->unit == Unit::kMatrix) overwritten[products++] = *event.footprint->find(Role::kMatrixD);
  }
}

}  // namespace mfma::gfx950
