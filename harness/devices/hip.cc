#include "harness/devices/hip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <utility>

namespace mfma::devices::hip {
namespace {

constexpr unsigned kLanes = catalogue::kLanes;
// What D holds before the launch: an element that still has it was never written.
constexpr std::uint32_t kUnwritten = kUnwrittenDword;
// What host memory holds before D is copied back, and how many dwords after D tell that the copy was whole.
constexpr std::uint32_t kNotCopied = 0xc0de0bad;
constexpr std::size_t kSealDwords = 64;

std::string describe(const Runtime& runtime, const char* call, int error) {
  const char* name = runtime.hipGetErrorName(error);
  const char* text = runtime.hipGetErrorString(error);
  return fmt::format("{} gave {} ({}: {})", call, error, name ? name : "?", text ? text : "?");
}

// HIP takes an object without its size and believes the headers; a short file must not make it read on.
std::string not_loadable(std::span<const std::byte> object) {
  constexpr std::size_t kHeader = 64, kSectionOffset = 0x28, kSectionSize = 0x3a, kSectionCount = 0x3c, kMachine = 0x12;
  constexpr std::uint16_t kAmdGpu = 224;
  constexpr char kMagic[] = {'\x7f', 'E', 'L', 'F', '\x02', '\x01'};
  if (object.size() < kHeader || std::memcmp(object.data(), kMagic, sizeof kMagic) != 0) return "not a 64-bit ELF file";
  const auto half = [&](std::size_t at) {
    std::uint16_t value = 0;
    std::memcpy(&value, object.data() + at, sizeof value);
    return value;
  };
  std::uint64_t sections = 0;
  std::memcpy(&sections, object.data() + kSectionOffset, sizeof sections);
  if (half(kMachine) != kAmdGpu) return "an ELF file for another machine than AMDGPU";
  const std::uint64_t table = std::uint64_t{half(kSectionSize)} * half(kSectionCount);
  if (sections > object.size() || table > object.size() - sections) return "an ELF file that is cut short";
  return {};
}

// Device memory of one device, kept between launches: allocation is slow on real devices.
class Arena {
 public:
  explicit Arena(const Runtime& runtime) : runtime_(runtime) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() {
    if (memory_) static_cast<void>(runtime_.hipFree(memory_));
  }
  // kSuccess, or the error of hipMalloc.
  int reserve(std::size_t bytes) {
    if (bytes <= size_) return kSuccess;
    if (memory_) static_cast<void>(runtime_.hipFree(memory_));
    memory_ = nullptr;
    size_ = 0;
    const int error = runtime_.hipMalloc(&memory_, bytes);
    if (error == kSuccess) size_ = bytes;
    return error;
  }
  std::byte* data() const { return static_cast<std::byte*>(memory_); }

 private:
  const Runtime& runtime_;
  void* memory_ = nullptr;
  std::size_t size_ = 0;
};

struct Shared {
  std::shared_ptr<const Runtime> runtime;
  Gpu gpu;
  std::mutex mutex;
  std::unique_ptr<Arena> arena;
  std::uint32_t launches = 0;
};

// All buffers of a launch in one block, each where a page begins.
class Layout {
 public:
  std::size_t add(std::size_t bytes) {
    constexpr std::size_t kAlignment = 4096;
    const std::size_t at = size_;
    size_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    return at;
  }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_ = 0;
};

std::vector<std::uint32_t> gather(std::span<const cases::Case> cases, catalogue::RegisterImage cases::Case::*image) {
  std::vector<std::uint32_t> dwords;
  for (const cases::Case& c : cases) dwords.insert(dwords.end(), (c.*image).dwords.begin(), (c.*image).dwords.end());
  return dwords;
}

class HipModule : public Module {
 public:
  HipModule(std::shared_ptr<Shared> shared, void* module) : shared_(std::move(shared)), module_(module) {}
  HipModule(const HipModule&) = delete;
  HipModule& operator=(const HipModule&) = delete;
  ~HipModule() override {
    const std::lock_guard lock(shared_->mutex);
    static_cast<void>(shared_->runtime->hipModuleUnload(module_));
  }

  LaunchOutcome run(const std::string& kernel, std::span<const cases::Case> cases) override {
    if (cases.empty()) return {};
    const std::lock_guard lock(shared_->mutex);
    const Runtime& hip = *shared_->runtime;
    void* function = nullptr;
    if (const int error = hip.hipModuleGetFunction(&function, module_, kernel.c_str()); error != kSuccess) {
      return stopped("hipModuleGetFunction", error);
    }

    std::vector<catalogue::RegisterImage cases::Case::*> inputs = {&cases::Case::a, &cases::Case::b, &cases::Case::c};
    if (cases[0].has_scales) inputs.insert(inputs.end(), {&cases::Case::scale_a, &cases::Case::scale_b});
    const std::size_t d_dwords = cases[0].c.dwords.size() * cases.size();
    std::vector<std::uint32_t> d(d_dwords + kSealDwords, kUnwritten);
    const std::uint32_t seal = 0x5ea10000u + ++shared_->launches;
    std::fill(d.begin() + static_cast<std::ptrdiff_t>(d_dwords), d.end(), seal);

    Layout layout;
    std::vector<std::vector<std::uint32_t>> images;
    std::vector<std::size_t> offsets;
    for (const auto image : inputs) {
      images.push_back(gather(cases, image));
      offsets.push_back(layout.add(images.back().size() * sizeof(std::uint32_t)));
    }
    const std::size_t d_bytes = d.size() * sizeof(std::uint32_t);
    const std::size_t d_offset = layout.add(d_bytes);
    if (const int error = shared_->arena->reserve(layout.size()); error != kSuccess) return stopped("hipMalloc", error);
    std::byte* const base = shared_->arena->data();
    for (std::size_t i = 0; i < images.size(); ++i) {
      const std::size_t bytes = images[i].size() * sizeof(std::uint32_t);
      if (const int error = hip.hipMemcpy(base + offsets[i], images[i].data(), bytes, kHostToDevice); error != kSuccess) {
        return stopped("hipMemcpy to the device", error);
      }
    }
    if (const int error = hip.hipMemcpy(base + d_offset, d.data(), d_bytes, kHostToDevice); error != kSuccess) {
      return stopped("hipMemcpy to the device", error);
    }

    // harness/kernels/kernel.h: A, B, C, D, then the scales, then the number of cases.
    std::vector<std::byte*> pointers = {base + offsets[0], base + offsets[1], base + offsets[2], base + d_offset};
    for (std::size_t i = 3; i < offsets.size(); ++i) pointers.push_back(base + offsets[i]);
    const std::size_t pointer_bytes = pointers.size() * sizeof(std::byte*);
    const auto count = static_cast<std::uint32_t>(cases.size());
    std::vector<std::byte> arguments(pointer_bytes + sizeof count);
    std::memcpy(arguments.data(), pointers.data(), pointer_bytes);
    std::memcpy(arguments.data() + pointer_bytes, &count, sizeof count);
    std::size_t argument_bytes = arguments.size();
    void* extra[] = {kArgumentBuffer, arguments.data(), kArgumentSize, &argument_bytes, kArgumentEnd};
    if (const int error = hip.hipModuleLaunchKernel(function, count, 1, 1, kLanes, 1, 1, 0, nullptr, nullptr, extra);
        error != kSuccess) {
      return stopped("hipModuleLaunchKernel", error);
    }
    if (const int error = hip.hipDeviceSynchronize(); error != kSuccess) return stopped("hipDeviceSynchronize", error);

    std::fill(d.begin(), d.end(), kNotCopied);
    if (const int error = hip.hipMemcpy(d.data(), base + d_offset, d_bytes, kDeviceToHost); error != kSuccess) {
      return stopped("hipMemcpy from the device", error);
    }
    for (std::size_t i = d_dwords; i < d.size(); ++i) {
      if (d[i] == seal) continue;
      LaunchOutcome outcome;
      outcome.status = LaunchStatus::kInconclusive;
      outcome.needs_fresh_worker = true;
      outcome.message = fmt::format("the copy of D from the device is not whole: the dword {} after D is {:08x}, not {:08x}", i - d_dwords,
                                    d[i], seal);
      return outcome;
    }
    LaunchOutcome outcome;
    const std::size_t one = cases[0].c.dwords.size();
    for (std::size_t i = 0; i < cases.size(); ++i) {
      catalogue::RegisterImage image(cases[i].c.registers);
      std::memcpy(image.dwords.data(), d.data() + i * one, one * sizeof(std::uint32_t));
      outcome.d.push_back(std::move(image));
    }
    return outcome;
  }

 private:
  LaunchOutcome stopped(const char* call, int error) const {
    LaunchOutcome outcome;
    // An error that may be the kernel's own doing is the kernel's once it is seen to repeat (worker.h).
    const bool by_kernel = error == kIllegalAddress || error == kLaunchFailure;
    outcome.status = by_kernel ? LaunchStatus::kFault : LaunchStatus::kInconclusive;
    outcome.needs_fresh_worker = true;
    outcome.message = describe(*shared_->runtime, call, error);
    return outcome;
  }

  std::shared_ptr<Shared> shared_;
  void* module_;
};

class HipDevice : public Device {
 public:
  HipDevice(std::shared_ptr<Shared> shared, const std::string& id) : shared_(std::move(shared)) {
    info_ = info_of(*shared_->runtime, shared_->gpu, id);
  }
  const DeviceInfo& info() const override { return info_; }
  tl::expected<std::unique_ptr<Module>, std::string> load(std::span<const std::byte> object) override {
    if (const std::string why = not_loadable(object); !why.empty()) return tl::make_unexpected("this is " + why);
    const std::lock_guard lock(shared_->mutex);
    void* module = nullptr;
    if (const int error = shared_->runtime->hipModuleLoadData(&module, object.data()); error != kSuccess) {
      return tl::make_unexpected(describe(*shared_->runtime, "hipModuleLoadData", error));
    }
    return std::make_unique<HipModule>(shared_, module);
  }

 private:
  std::shared_ptr<Shared> shared_;
  DeviceInfo info_;
};

}  // namespace

tl::expected<std::unique_ptr<Device>, std::string> make_hip_device(std::shared_ptr<const Runtime> runtime, const Gpu& gpu,
                                                                   const std::string& id) {
  auto shared = std::make_shared<Shared>();
  shared->runtime = std::move(runtime);
  shared->gpu = gpu;
  if (const int error = shared->runtime->hipSetDevice(gpu.index); error != kSuccess) {
    return tl::make_unexpected(fmt::format("{}: {}", id, describe(*shared->runtime, "hipSetDevice", error)));
  }
  shared->arena = std::make_unique<Arena>(*shared->runtime);
  return std::make_unique<HipDevice>(std::move(shared), id);
}

}  // namespace mfma::devices::hip
