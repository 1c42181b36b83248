// What Linux tells of a GPU without its runtime: versions of driver and firmware, and counters of memory errors.
//
// Nothing here must be there: a container may hide it, a driver may not have it. What is absent is left out.
// Source: the kernel's documentation of amdgpu ("AMDGPU RAS Support", "GPU sysfs").
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "harness/devices/device.h"

namespace mfma::devices::sysfs {

// $MFMA_CONFORM_SYSFS, or /sys.
std::filesystem::path root();

// Of the GPU at a PCI address such as "0000:c1:00.0": {"driver", "6.14.14"}, {"firmware.mec", "0x000000b6"}, ... An
// address that is none gives nothing.
std::vector<std::pair<std::string, std::string>> facts(const std::filesystem::path& root, const std::string& pci);

// Errors counted since the driver was loaded, by block and kind: {"umc.ue", 0} are the uncorrectable ones of the memory
// controller, .ce corrected and .de deferred ones.
ErrorCounts error_counts(const std::filesystem::path& root, const std::string& pci);

}  // namespace mfma::devices::sysfs
