// A device whose launches are told before they are made and after: for the event log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "harness/devices/device.h"

namespace mfma::devices {

struct LaunchWatch {
  // A number for the launch, given to `after`. `first`: the id of the first case, or "a program's own arrays". Both
  // from any thread.
  std::function<std::uint64_t(const std::string& kernel, const std::string& first, std::size_t cases)> before;
  std::function<void(std::uint64_t number, LaunchStatus status, const std::string& message)> after;
};

// `device` must outlive it.
std::unique_ptr<Device> watched(Device& device, LaunchWatch watch);

}  // namespace mfma::devices
