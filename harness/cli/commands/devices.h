// The devices that --device asks for.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "harness/cli/commands/profiles.h"
#include "harness/devices/device.h"
#include "harness/devices/worker.h"
#include "oracles/plain/dense.h"
#include "reports/model/report.h"

namespace mfma::cli {

struct DeviceRequest {
  std::string device = "auto";  // auto, emulated, hip, hip:N, all
  NamedProfile profile;         // of the emulated device
  oracles::BroadcastReading reading = oracles::BroadcastReading::kPerSet;
  bool isolate = false;           // the emulated device in a worker process, as a GPU always is
  double launch_timeout = 60;     // seconds
  double start_timeout = 60;      // seconds until a worker has its device
  std::filesystem::path records;  // folder for the launch in flight; empty: nowhere
  bool quiet = false;
  std::size_t in_flight = devices::kMostInFlight;  // launches under way at once
};

// Empty when --device can be `text`; else one line.
std::string wrong_device_name(const std::string& text);

struct DeviceError {
  reports::ExitCode code;
  std::string message;
};
// At least one. Only "all" gives several. Says on stderr what "auto" came to.
tl::expected<std::vector<std::unique_ptr<devices::Device>>, DeviceError> open_devices(const DeviceRequest& request);

// The program as a worker process, argv[1] being kWorkerCommand (harness/devices/worker.h). Not for users.
inline constexpr const char* kWorkerCommand = "device-worker";
int run_worker(int argc, char** argv);

}  // namespace mfma::cli
