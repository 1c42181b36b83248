// A device that lives in a worker process: whatever a driver, a GPU or a kernel does to that process, the parent goes
// on.
//
// - Each launch is written down before it is made: which kernel, which cases.
// - A worker that crashes, hangs, falls silent or sends garbage is killed. A fresh one must then run a tiny probe
// kernel
//   right; if it does, the device goes on, else it is declared lost and every later launch is kLost, not run.
// - The launch that was in flight gives no bits, so that nothing of it is blamed on the device's arithmetic. It is not
//   repeated, but for a fault that may be the kernel's own (an illegal address): that is run once more in a fresh
//   worker, and is the kernel's (kFault) if it repeats, else kInconclusive. So is a launch that is reported as
//   completed and wrote nothing.
// - Launches may be under way at once (Module::submit). When the worker fails, the one that is waited for is the launch
//   in flight; those behind it are made anew, once their results are asked for. A worker that dies at one of these
//   takes the one before with it: with in_flight = 1 a crash is always that of the launch it is told of.
// - So many failures in a row, without a completed launch between, lose the device too.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "harness/devices/device.h"
#include "harness/devices/worker_process.h"

namespace mfma::devices {

// What a worker takes before it answers.
inline constexpr std::size_t kMostInFlight = 2;

struct WorkerOptions {
  worker::ProcessOptions process;
  std::chrono::milliseconds start_timeout{60'000};   // until the worker has its device
  std::chrono::milliseconds launch_timeout{60'000};  // a launch with its copies, or a load
  int most_failures = 8;                             // in a row
  std::size_t in_flight = 2;                         // launches under way at once; at most kMostInFlight
  // Where the launch in flight is written, and removed after it; empty: nowhere. What is left there after a crash of
  // the whole machine names the launch.
  std::filesystem::path record;
  // Where the machine tells of the device with the fact "pci" (sysfs.h); empty: it is not asked.
  std::filesystem::path sysfs;
  std::function<void(const std::string&)> note;  // lines for the user as they happen; from any thread
};

// Starts a worker and takes its device. One line when it has none. The Device and its modules may be used from several
// threads; launches are made one after the other. Modules must not outlive the device.
tl::expected<std::unique_ptr<Device>, std::string> make_worker_device(WorkerOptions options);

// The devices that a worker of these options names, in a process that is ended at once.
tl::expected<std::vector<DeviceInfo>, std::string> ask_for_devices(const WorkerOptions& options);

namespace worker {

using MakeDevice = std::function<tl::expected<std::unique_ptr<Device>, std::string>()>;

// The worker's side: says what device it has and serves requests on kChannel until the parent is gone. Then, or when it
// has no device, the process ends: this does not return.
[[noreturn]] void serve(const MakeDevice& make);
// Says which devices there are; the same otherwise.
[[noreturn]] void serve_list(const std::function<tl::expected<std::vector<DeviceInfo>, std::string>()>& list);

}  // namespace worker
}  // namespace mfma::devices
