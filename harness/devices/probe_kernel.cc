#include "harness/devices/probe_kernel.h"

#include <fmt/format.h>

#include <bit>

namespace mfma::devices {
namespace {

constexpr int kColumns = 16, kSteps = 4, kRows = 4;  // of B; rows of D in a lane

// Small and different in each place, so that a lane or register out of place shows.
float b_of(int lane) { return static_cast<float>(lane * 3 + 1); }
float c_of(int lane, int row) { return static_cast<float>(lane * 5 - row * 7); }

std::string_view ending_of(LaunchStatus status) {
  switch (status) {
    case LaunchStatus::kCompleted:
      return "completed";
    case LaunchStatus::kHang:
      return "did not end";
    case LaunchStatus::kFault:
      return "faulted";
    case LaunchStatus::kLost:
      return "was not run";
    case LaunchStatus::kInconclusive:
      break;
  }
  return "was not executed";
}

}  // namespace

cases::Case probe_case() {
  cases::Case c;
  c.a = c.b = catalogue::RegisterImage(1);
  c.c = catalogue::RegisterImage(kRows);
  for (int lane = 0; lane < catalogue::kLanes; ++lane) {
    c.a.at(lane, 0) = std::bit_cast<std::uint32_t>(1.0F);
    c.b.at(lane, 0) = std::bit_cast<std::uint32_t>(b_of(lane));
    for (int row = 0; row < kRows; ++row) c.c.at(lane, row) = std::bit_cast<std::uint32_t>(c_of(lane, row));
  }
  return c;
}

std::string wrong_with_probe(const LaunchOutcome& outcome) {
  if (outcome.status != LaunchStatus::kCompleted) {
    return fmt::format("the probe kernel {}: {}", ending_of(outcome.status), outcome.message);
  }
  if (outcome.d.size() != 1 || outcome.d[0].registers != kRows) return "the probe kernel gave no D";
  for (int lane = 0; lane < catalogue::kLanes; ++lane) {
    for (int row = 0; row < kRows; ++row) {
      float sum = c_of(lane, row);
      for (int k = 0; k < kSteps; ++k) sum += b_of(k * kColumns + lane % kColumns);  // B[k][j] is in lane 16 k + j
      const std::uint32_t actual = outcome.d[0].at(lane, row);
      if (actual == std::bit_cast<std::uint32_t>(sum)) continue;
      return fmt::format("the probe kernel gave {:08x} in lane {}, register {}, where {:08x} is right", actual, lane,
                         row, std::bit_cast<std::uint32_t>(sum));
    }
  }
  return {};
}

}  // namespace mfma::devices
