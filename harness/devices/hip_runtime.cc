// Finding and loading the HIP runtime, and what it says of its devices.
#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <cstring>

#include "harness/devices/hip.h"

namespace mfma::devices::hip {
namespace {

constexpr int kOldestMajor = 6;
constexpr int kMajorUnit = 10'000'000, kMinorUnit = 100'000;

std::vector<std::string> candidates() {
  const char* rocm = std::getenv("ROCM_PATH");
  std::vector<std::string> folders = {"", "/opt/rocm/lib/"};
  if (rocm && *rocm) folders.insert(folders.begin() + 1, std::string(rocm) + "/lib/");
  std::vector<std::string> paths;
  for (const char* name : {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so", "libamdhip64.so.5"}) {
    for (const std::string& folder : folders) paths.push_back(folder + name);
  }
  return paths;
}

std::string mapped_path(void* symbol, const std::string& asked) {
  Dl_info info{};
  if (dladdr(symbol, &info) == 0 || !info.dli_fname) return asked;
  char* real = realpath(info.dli_fname, nullptr);
  const std::string path = real ? real : info.dli_fname;
  std::free(real);
  return path;
}

// POSIX lets a pointer from dlsym() be read as one to a function.
template <class Function>
Function* function_of(void* symbol) {
  return reinterpret_cast<Function*>(symbol);
}

std::string error_text(const Runtime& runtime, int error) {
  const char* name = runtime.hipGetErrorName(error);
  const char* text = runtime.hipGetErrorString(error);
  return fmt::format("{} ({}: {})", error, name ? name : "?", text ? text : "?");
}

std::string text_at(const std::vector<char>& bytes, std::size_t offset, std::size_t size) {
  const char* begin = bytes.data() + offset;
  return {begin, strnlen(begin, size)};
}

}  // namespace

std::string version_text(int version) {
  return fmt::format("{}.{}.{}", version / kMajorUnit, version / kMinorUnit % (kMajorUnit / kMinorUnit),
                     version % kMinorUnit);
}

tl::expected<std::shared_ptr<const Runtime>, std::string> load_runtime() {
  void* library = nullptr;
  std::string asked, why;
  for (const std::string& path : candidates()) {
    library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library) {
      asked = path;
      break;
    }
    const char* error = dlerror();
    // A library that is there and cannot be loaded says more than the ones that are not there.
    if (error && !std::strstr(error, "cannot open shared object file")) why = error;
  }
  if (!library) {
    return tl::make_unexpected(
        why.empty() ? std::string("no HIP runtime: libamdhip64.so.7 and .so.6 are neither in the loader's path nor in "
                                  "/opt/rocm/lib; install ROCm or set ROCM_PATH or LD_LIBRARY_PATH")
                    : fmt::format("the HIP runtime cannot be loaded: {}", why));
  }
  auto runtime = std::make_shared<Runtime>();
  void* const init = dlsym(library, "hipInit");
  runtime->path = init ? mapped_path(init, asked) : asked;
  std::string missing;
  const auto find = [&](const char* name) {
    void* symbol = dlsym(library, name);
    if (!symbol && missing.empty()) missing = name;
    return symbol;
  };
#define MFMA_HIP_FIND(name, result, parameters) runtime->name = function_of<result parameters>(find(#name));
  MFMA_HIP_FUNCTIONS(MFMA_HIP_FIND)
#undef MFMA_HIP_FIND
  if (!missing.empty()) {
    return tl::make_unexpected(
        fmt::format("the HIP runtime {} has no {}: it is not one that mfma-conform can use; install ROCm 6 or later",
                    runtime->path, missing));
  }
  // Runtimes without a device may refuse this; the layout below then decides alone.
  if (runtime->hipRuntimeGetVersion(&runtime->version) != kSuccess) runtime->version = 0;
  if (runtime->hipDriverGetVersion(&runtime->driver_version) != kSuccess) runtime->driver_version = 0;
  runtime->get_device_properties = function_of<GetDeviceProperties>(dlsym(library, kGetDeviceProperties));
  if (!runtime->get_device_properties || (runtime->version != 0 && runtime->version / kMajorUnit < kOldestMajor)) {
    return tl::make_unexpected(
        fmt::format("the HIP runtime {} is too old ({}): gfx950 needs ROCm 6 or later, install ROCm 7", runtime->path,
                    runtime->version ? "version " + version_text(runtime->version)
                                     : fmt::format("it has no {}", kGetDeviceProperties)));
  }
  if (const int error = runtime->hipInit(0); error != kSuccess) {
    return tl::make_unexpected(fmt::format(
        "the HIP runtime {} finds no usable device: hipInit gave {}; are /dev/kfd and /dev/dri there and open to "
        "this user?",
        runtime->path, error_text(*runtime, error)));
  }
  return runtime;
}

tl::expected<std::vector<Gpu>, std::string> list_gpus(const Runtime& runtime) {
  int count = 0;
  if (const int error = runtime.hipGetDeviceCount(&count); error != kSuccess || count <= 0) {
    return tl::make_unexpected(fmt::format(
        "the HIP runtime {} has no device: hipGetDeviceCount gave {} and {} devices; are /dev/kfd and /dev/dri "
        "there and open to this user?",
        runtime.path, error_text(runtime, error), count));
  }
  std::vector<Gpu> gpus;
  for (int index = 0; index < count; ++index) {
    Gpu gpu;
    gpu.index = index;
    std::vector<char> properties(kPropertiesBuffer, '\0');
    if (const int error = runtime.get_device_properties(properties.data(), index); error != kSuccess) {
      return tl::make_unexpected(
          fmt::format("device {}: {} gave {}", index, kGetDeviceProperties, error_text(runtime, error)));
    }
    gpu.name = text_at(properties, kNameOffset, kNameBytes);
    gpu.arch = text_at(properties, kArchOffset, kArchBytes);
    std::array<char, 64> pci{};
    if (runtime.hipDeviceGetPCIBusId(pci.data(), static_cast<int>(pci.size()) - 1, index) == kSuccess)
      gpu.pci = pci.data();
    if (runtime.hipDeviceGetAttribute(&gpu.units, kAttributeMultiprocessors, index) != kSuccess) gpu.units = 0;
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

DeviceInfo info_of(const Runtime& runtime, const Gpu& gpu, const std::string& id) {
  const std::string version = runtime.version ? version_text(runtime.version) : "";
  DeviceInfo info;
  info.id = id;
  info.kind = "hip";
  info.arch = gpu.arch;
  info.description =
      fmt::format("{}: {} ({}){}, HIP runtime {} from {}", id, gpu.name.empty() ? "unnamed" : gpu.name,
                  gpu.arch.empty() ? "of unknown arch" : gpu.arch, gpu.pci.empty() ? "" : " at " + gpu.pci,
                  version.empty() ? "of unknown version" : version, runtime.path);
  info.facts = {{"name", gpu.name},
                {"pci", gpu.pci},
                {"compute_units", gpu.units > 0 ? std::to_string(gpu.units) : ""},
                {"hip_runtime", version},
                {"hip_driver", runtime.driver_version ? version_text(runtime.driver_version) : ""},
                {"hip_library", runtime.path}};
  return info;
}

std::string unfit(const DeviceInfo& info) {
  if (info.arch.substr(0, info.arch.find(':')) == "gfx950") return {};
  return fmt::format("{} is not a gfx950; choose another with --device hip:N, or --device emulated", info.description);
}

}  // namespace mfma::devices::hip
