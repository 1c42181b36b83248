// The same run on several devices at once, once or for a set time.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "harness/devices/device.h"
#include "reports/model/report.h"

namespace mfma::cli {

// One device's share: `seed` is the run's in the first round, and one more in each after it.
using RunOnDevice = std::function<reports::RunReport(devices::Device& device, std::size_t number, std::uint64_t seed)>;

// A report for each device, in their order, compared with one another (conformance/across_devices.h). Each device has a
// thread of its own. An exception of a run is thrown on once all have ended.
//
// `soak_seconds`: 0 for one round; else rounds until the time is up. A round that would not end in time, going by the
// longest so far, is not begun, and none after a device was lost.
std::vector<reports::RunReport> run_side_by_side(const std::vector<devices::Device*>& devices, std::uint64_t seed,
                                                 std::uint64_t soak_seconds, const RunOnDevice& run);

}  // namespace mfma::cli
