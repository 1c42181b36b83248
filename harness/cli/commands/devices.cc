#include "harness/cli/commands/devices.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <optional>

#include "harness/catalogue/builtin.h"
#include "harness/cli/commands/command.h"
#include "harness/cli/commands/levels.h"
#include "harness/cli/commands/options.h"
#include "harness/devices/emulated.h"
#include "harness/devices/hip.h"
#include "harness/devices/sysfs.h"
#include "harness/devices/worker.h"

namespace mfma::cli {
namespace {

using devices::DeviceInfo;
using reports::ExitCode;
using Environment = std::vector<std::pair<std::string, std::optional<std::string>>>;

constexpr const char* kNoVerdictOnHardware = "nothing was run";

// Properties run builtins beside the selected ones, for which a profile may have no rule: then the built-in one's.
oracles::Profile completed(oracles::Profile profile) {
  for (const oracles::ProfileRule& rule : oracles::default_profile().rules) profile.rules.push_back(rule);
  return profile;
}

tl::expected<std::unique_ptr<devices::Device>, std::string> make_emulated(const oracles::Profile& profile,
                                                                          oracles::BroadcastReading reading) {
  return devices::make_emulated_device(completed(profile), catalogue::match_builtins("*"),
                                       {.reading = reading, .faults = {}});
}

constexpr const char* word_of(oracles::BroadcastReading reading) {
  return reading == oracles::BroadcastReading::kPerSet ? "per-set" : "whole-wave";
}

std::string fact(const DeviceInfo& info, std::string_view name) {
  for (const auto& [key, value] : info.facts) {
    if (key == name) return value;
  }
  return {};
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// Makes the N-th of the visible devices the only visible one. ROCR_VISIBLE_DEVICES hides a GPU from the whole runtime,
// HIP_VISIBLE_DEVICES (or CUDA_VISIBLE_DEVICES, which HIP reads too) counts among those that are left, so that a user's
// own choice, or a scheduler's, stays in force. Source: HIP's documentation of its environment variables.
Environment only_visible(std::size_t n) {
  const auto pick = [](const std::string& list, std::size_t at) -> std::optional<std::string> {
    const std::vector<std::string> entries = split_at_commas(list);
    if (at >= entries.size()) return std::nullopt;
    return entries[at];
  };
  const std::string hip =
      !variable("HIP_VISIBLE_DEVICES").empty() ? variable("HIP_VISIBLE_DEVICES") : variable("CUDA_VISIBLE_DEVICES");
  std::size_t among_rocr = n;
  if (!hip.empty()) {
    const std::optional<std::string> entry = pick(hip, n);
    const auto number = entry ? whole_number<std::size_t>(*entry) : std::nullopt;
    // Not a number: a UUID, which only HIP can resolve.
    if (!number)
      return {{"HIP_VISIBLE_DEVICES", entry.value_or(std::to_string(n))}, {"CUDA_VISIBLE_DEVICES", std::nullopt}};
    among_rocr = *number;
  }
  const std::string rocr = variable("ROCR_VISIBLE_DEVICES");
  const std::string only =
      rocr.empty() ? std::to_string(among_rocr) : pick(rocr, among_rocr).value_or(std::to_string(among_rocr));
  return {{"ROCR_VISIBLE_DEVICES", only}, {"HIP_VISIBLE_DEVICES", "0"}, {"CUDA_VISIBLE_DEVICES", std::nullopt}};
}

devices::WorkerOptions worker_options(const DeviceRequest& request, std::vector<std::string> arguments,
                                      const std::string& id) {
  devices::WorkerOptions options;
  options.process.arguments = {kWorkerCommand};
  options.process.arguments.insert(options.process.arguments.end(), arguments.begin(), arguments.end());
  options.start_timeout = std::chrono::milliseconds(static_cast<long long>(request.start_timeout * 1000));
  options.launch_timeout = std::chrono::milliseconds(static_cast<long long>(request.launch_timeout * 1000));
  options.in_flight = request.in_flight;
  if (!request.records.empty()) {
    std::string name = id;
    std::replace(name.begin(), name.end(), ':', '-');
    options.record = request.records / ("in-flight-" + name + ".txt");
  }
  options.note = [](const std::string& line) {
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    say(line);
  };
  return options;
}

// What an earlier run that did not come to its end left behind.
void tell_of_earlier(const devices::WorkerOptions& options, const std::string& id) {
  std::error_code error;
  if (options.record.empty() || !std::filesystem::exists(options.record, error)) return;
  std::string text(4096, '\0');
  if (std::FILE* file = std::fopen(options.record.c_str(), "rb")) {
    text.resize(std::fread(text.data(), 1, text.size(), file));
    std::fclose(file);
    say(fmt::format("{}: an earlier run ended while this was in flight: {}", id, text.substr(0, text.find('\n'))));
  }
}

tl::expected<std::vector<DeviceInfo>, std::string> list_gpus(const DeviceRequest& request) {
  return devices::ask_for_devices(worker_options(request, {"list"}, "list"));
}

tl::expected<std::unique_ptr<devices::Device>, DeviceError> open_gpu(const DeviceRequest& request,
                                                                     const DeviceInfo& gpu, std::size_t n) {
  if (const std::string why = devices::hip::unfit(gpu); !why.empty()) {
    return tl::unexpected(DeviceError{ExitCode::kNoVerdict, fmt::format("{}; {}", why, kNoVerdictOnHardware)});
  }
  devices::WorkerOptions options = worker_options(request, {"hip", gpu.id, fact(gpu, "pci")}, gpu.id);
  options.process.environment = only_visible(n);
  options.sysfs = devices::sysfs::root();
  tell_of_earlier(options, gpu.id);
  auto device = devices::make_worker_device(std::move(options));
  if (!device)
    return tl::unexpected(
        DeviceError{ExitCode::kNoVerdict, fmt::format("{}: {}; {}", gpu.id, device.error(), kNoVerdictOnHardware)});
  if (const std::string why = devices::hip::unfit((*device)->info()); !why.empty()) {
    return tl::unexpected(DeviceError{ExitCode::kNoVerdict, fmt::format("{}; {}", why, kNoVerdictOnHardware)});
  }
  return *std::move(device);
}

tl::expected<std::unique_ptr<devices::Device>, DeviceError> open_emulated(const DeviceRequest& request) {
  if (!request.isolate) {
    auto device = make_emulated(request.profile.profile, request.reading);
    if (!device) return tl::unexpected(DeviceError{ExitCode::kUsage, device.error()});
    return *std::move(device);
  }
  const std::string file = request.profile.source == "built in" ? "" : request.profile.source;
  std::error_code error;
  if (!file.empty() && !std::filesystem::is_regular_file(file, error)) {
    return tl::unexpected(DeviceError{
        ExitCode::kUsage, fmt::format("--isolate: the profile {} must be a file, which the worker reads too", file)});
  }
  devices::WorkerOptions options = worker_options(request, {"emulated", word_of(request.reading), file}, "emulated");
  tell_of_earlier(options, "emulated");
  auto device = devices::make_worker_device(std::move(options));
  if (!device) return tl::unexpected(DeviceError{ExitCode::kNoVerdict, fmt::format("emulated: {}", device.error())});
  return *std::move(device);
}

// In the worker: the GPU at `pci`, or where that is not told the first.
tl::expected<std::unique_ptr<devices::Device>, std::string> make_gpu(const std::string& id, const std::string& pci) {
  auto runtime = devices::hip::load_runtime();
  if (!runtime) return tl::make_unexpected(runtime.error());
  auto gpus = devices::hip::list_gpus(**runtime);
  if (!gpus) return tl::make_unexpected(gpus.error());
  for (const devices::hip::Gpu& gpu : *gpus) {
    if (pci.empty() || gpu.pci == pci) return devices::hip::make_hip_device(*runtime, gpu, id);
  }
  return tl::make_unexpected(fmt::format("no GPU at {} any more: the first is at {}", pci, gpus->front().pci));
}

tl::expected<std::vector<DeviceInfo>, std::string> gpus_of_runtime() {
  auto runtime = devices::hip::load_runtime();
  if (!runtime) return tl::make_unexpected(runtime.error());
  auto gpus = devices::hip::list_gpus(**runtime);
  if (!gpus) return tl::make_unexpected(gpus.error());
  std::vector<DeviceInfo> devices;
  for (const devices::hip::Gpu& gpu : *gpus)
    devices.push_back(devices::hip::info_of(**runtime, gpu, fmt::format("hip:{}", gpu.index)));
  return devices;
}

}  // namespace

std::string wrong_device_name(const std::string& text) {
  const bool numbered = text.rfind("hip:", 0) == 0 && whole_number<unsigned>(text.substr(4));
  if (numbered || text == "auto" || text == "emulated" || text == "hip" || text == "all") return {};
  return fmt::format("--device '{}': want auto, emulated, hip, hip:N or all", text);
}

tl::expected<std::vector<std::unique_ptr<devices::Device>>, DeviceError> open_devices(const DeviceRequest& request) {
  std::vector<std::unique_ptr<devices::Device>> opened;
  const auto keep = [&](auto device) -> tl::expected<void, DeviceError> {
    if (!device) return tl::unexpected(device.error());
    opened.push_back(*std::move(device));
    return {};
  };
  bool emulated = request.device == "emulated";
  if (!emulated) {
    const auto gpus = list_gpus(request);
    if (request.device == "auto") {
      const auto fit = !gpus ? std::size_t{0}
                             : static_cast<std::size_t>(
                                   std::find_if(gpus->begin(), gpus->end(),
                                                [](const DeviceInfo& g) { return devices::hip::unfit(g).empty(); }) -
                                   gpus->begin());
      if (gpus && fit < gpus->size()) {
        if (auto kept = keep(open_gpu(request, (*gpus)[fit], fit)); !kept) return tl::unexpected(kept.error());
        if (!request.quiet) say("auto: running on " + opened.back()->info().description);
      } else {
        emulated = true;
        if (!request.quiet) {
          say(fmt::format(
              "auto: NO GFX950 HERE, running on the EMULATED device: this says nothing about hardware ({})",
              !gpus ? gpus.error() : fmt::format("{} GPU(s), the first {}", gpus->size(), gpus->front().description)));
        }
      }
    } else {
      if (!gpus)
        return tl::unexpected(DeviceError{ExitCode::kNoVerdict, fmt::format("--device {}: {}; {}", request.device,
                                                                            gpus.error(), kNoVerdictOnHardware)});
      const std::size_t wanted =
          request.device == "hip" || request.device == "all" ? 0 : *whole_number<unsigned>(request.device.substr(4));
      if (wanted >= gpus->size()) {
        return tl::unexpected(DeviceError{
            ExitCode::kNoVerdict, fmt::format("--device {}: there are {} GPUs, hip:0 to hip:{}; {}", request.device,
                                              gpus->size(), gpus->size() - 1, kNoVerdictOnHardware)});
      }
      const std::size_t end = request.device == "all" ? gpus->size() : wanted + 1;
      for (std::size_t n = wanted; n < end; ++n) {
        if (auto kept = keep(open_gpu(request, (*gpus)[n], n)); !kept) return tl::unexpected(kept.error());
      }
    }
  }
  if (emulated) {
    if (auto kept = keep(open_emulated(request)); !kept) return tl::unexpected(kept.error());
  }
  return opened;
}

int run_worker(int argc, char** argv) {
  const std::vector<std::string> words(argv + 2, argv + argc);
  // Some programs leave other descriptors of theirs open: the channel is a socket.
  struct stat channel {};
  if (fstat(devices::worker::kChannel, &channel) == -1 || !S_ISSOCK(channel.st_mode) || words.empty()) {
    return fail(ExitCode::kUsage, "device-worker is started by mfma-conform itself");
  }
  if (words[0] == "list" && words.size() == 1) devices::worker::serve_list(gpus_of_runtime);
  if (words[0] == "hip" && words.size() == 3) devices::worker::serve([&] { return make_gpu(words[1], words[2]); });
  if (words[0] == "emulated" && words.size() == 3) {
    devices::worker::serve([&]() -> tl::expected<std::unique_ptr<devices::Device>, std::string> {
      const auto profile = profile_or_default(words[2]);
      if (!profile) return tl::make_unexpected(profile.error());
      const bool whole_wave = words[1] == word_of(oracles::BroadcastReading::kWholeWave);
      return make_emulated(profile->profile,
                           whole_wave ? oracles::BroadcastReading::kWholeWave : oracles::BroadcastReading::kPerSet);
    });
  }
  return fail(ExitCode::kUsage, "device-worker is started by mfma-conform itself");
}

}  // namespace mfma::cli
