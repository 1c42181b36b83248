// GPUs behind the HIP runtime, which is loaded at run time: nothing of ROCm is needed to build or to start the program.
//
// Calls may crash the process or never come back: this belongs into a worker process (harness/devices/worker.h). After
// an error of a launch the process is no longer to be trusted; LaunchOutcome::needs_fresh_worker says so.
#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "harness/devices/device.h"
#include "harness/devices/hip_api.h"

namespace mfma::devices::hip {

// The library with its functions. One for the process, never unloaded: ROCm does not survive that.
struct Runtime {
#define MFMA_HIP_MEMBER(name, result, parameters) result(*name) parameters = nullptr;
  MFMA_HIP_FUNCTIONS(MFMA_HIP_MEMBER)
#undef MFMA_HIP_MEMBER
  GetDeviceProperties* get_device_properties = nullptr;
  std::string path;        // of the library that the process really mapped
  int version = 0;         // as hipRuntimeGetVersion has it: 70051831 is 7.0
  int driver_version = 0;  // 0: not told
};

// "7.0.51831".
std::string version_text(int version);

// Loads libamdhip64.so.7, .so.6, .so or .so.5, as the loader finds them or in $ROCM_PATH/lib and /opt/rocm/lib, and
// calls hipInit. One line when there is none, when it lacks a function, when it is older than 6 or has no device.
tl::expected<std::shared_ptr<const Runtime>, std::string> load_runtime();

struct Gpu {
  int index = 0;     // as the runtime counts them in this process
  std::string name;  // "AMD Instinct MI350X"
  std::string arch;  // "gfx950:sramecc+:xnack-"
  std::string pci;   // "0000:c1:00.0"; empty: not told
  int units = 0;     // compute units
};
tl::expected<std::vector<Gpu>, std::string> list_gpus(const Runtime& runtime);

// `id`: what reports call it, such as "hip:2".
DeviceInfo info_of(const Runtime& runtime, const Gpu& gpu, const std::string& id);

// One line unless the arch is gfx950 (with any features after a colon): a run on another would measure nothing.
std::string unfit(const DeviceInfo& info);

// Does not check unfit().
tl::expected<std::unique_ptr<Device>, std::string> make_hip_device(std::shared_ptr<const Runtime> runtime,
                                                                   const Gpu& gpu, const std::string& id);

}  // namespace mfma::devices::hip
