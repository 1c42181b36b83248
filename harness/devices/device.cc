#include "harness/devices/device.h"

namespace mfma::devices {

std::string_view name_of(LaunchStatus status) {
  switch (status) {
    case LaunchStatus::kCompleted:
      return "completed";
    case LaunchStatus::kHang:
      return "hang";
    case LaunchStatus::kFault:
      return "fault";
    case LaunchStatus::kLost:
      return "lost";
    case LaunchStatus::kInconclusive:
      break;
  }
  return "inconclusive";
}

}  // namespace mfma::devices
