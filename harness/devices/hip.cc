#include "harness/devices/hip.h"

#include <fmt/format.h>

#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

#include "harness/devices/hip_lane.h"
#include "harness/devices/worker.h"

namespace mfma::devices::hip {
namespace {

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

// As many launches as a worker has under way.
constexpr std::size_t kLaneCount = kMostInFlight;

struct Shared {
  std::shared_ptr<const Runtime> runtime;
  Gpu gpu;
  std::mutex mutex;  // of loading and of `idle`
  std::condition_variable freed;
  std::vector<std::unique_ptr<Lane>> idle;
  std::size_t lanes = 0;

  // HIP keeps the device for each thread by itself.
  int bind() const { return runtime->hipSetDevice(gpu.index); }

  std::unique_ptr<Lane> take() {
    std::unique_lock lock(mutex);
    freed.wait(lock, [this] { return !idle.empty() || lanes < kLaneCount; });
    if (idle.empty()) {
      ++lanes;
      return std::make_unique<Lane>(*runtime);
    }
    std::unique_ptr<Lane> lane = std::move(idle.back());
    idle.pop_back();
    return lane;
  }
  void give_back(std::unique_ptr<Lane> lane) {
    const std::lock_guard lock(mutex);
    idle.push_back(std::move(lane));
    freed.notify_one();
  }
};

std::vector<std::uint32_t> gather(std::span<const cases::Case> cases, catalogue::RegisterImage cases::Case::*image) {
  std::vector<std::uint32_t> dwords;
  for (const cases::Case& c : cases) dwords.insert(dwords.end(), (c.*image).dwords.begin(), (c.*image).dwords.end());
  return dwords;
}

LaunchOutcome stopped(const Failure& failure) {
  LaunchOutcome outcome;
  outcome.status = failure.by_kernel ? LaunchStatus::kFault : LaunchStatus::kInconclusive;
  outcome.needs_fresh_worker = true;
  outcome.message = failure.message;
  return outcome;
}

// A launch that holds its lane until it is collected.
class HipLaunch : public Launch {
 public:
  HipLaunch(std::shared_ptr<Shared> shared, std::unique_ptr<Lane> lane, std::optional<Failure> failure,
            std::span<const cases::Case> cases)
      : shared_(std::move(shared)), lane_(std::move(lane)), failure_(std::move(failure)), cases_(cases) {}
  HipLaunch(const HipLaunch&) = delete;
  HipLaunch& operator=(const HipLaunch&) = delete;
  ~HipLaunch() override {
    if (lane_) static_cast<void>(collect());  // its memory is in use until then
  }

  LaunchOutcome collect() override {
    std::vector<std::vector<std::uint32_t>> outputs;
    if (!failure_) {
      static_cast<void>(shared_->bind());
      failure_ = lane_->end(outputs);
    }
    shared_->give_back(std::move(lane_));
    if (failure_) return stopped(*failure_);
    LaunchOutcome outcome;
    const std::size_t one = cases_[0].c.dwords.size();
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      catalogue::RegisterImage image(cases_[i].c.registers);
      std::memcpy(image.dwords.data(), outputs[0].data() + i * one, one * sizeof(std::uint32_t));
      outcome.d.push_back(std::move(image));
    }
    return outcome;
  }

 private:
  std::shared_ptr<Shared> shared_;
  std::unique_ptr<Lane> lane_;
  std::optional<Failure> failure_;
  std::span<const cases::Case> cases_;
};

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
    return submit(kernel, cases)->collect();
  }

  std::unique_ptr<Launch> submit(const std::string& kernel, std::span<const cases::Case> cases) override {
    // harness/kernels/kernel.h: A, B, C, D, then the scales, then the number of cases.
    Work work;
    for (const auto image : {&cases::Case::a, &cases::Case::b, &cases::Case::c})
      work.arrays.push_back({false, gather(cases, image), 0});
    work.arrays.push_back({true, {}, cases[0].c.dwords.size() * cases.size()});
    if (cases[0].has_scales) {
      for (const auto image : {&cases::Case::scale_a, &cases::Case::scale_b})
        work.arrays.push_back({false, gather(cases, image), 0});
    }
    work.groups = static_cast<std::uint32_t>(cases.size());
    work.numbers = {work.groups};
    std::unique_ptr<Lane> lane = shared_->take();
    std::optional<Failure> failure = begin(*lane, kernel, work);
    return std::make_unique<HipLaunch>(shared_, std::move(lane), std::move(failure), cases);
  }

  LaunchOutcome run_program(const std::string& kernel, const ProgramLaunch& launch) override {
    Work work;
    for (const std::vector<std::uint32_t>& input : launch.inputs) work.arrays.push_back({false, input, 0});
    for (const std::size_t dwords : launch.outputs) work.arrays.push_back({true, {}, dwords});
    work.groups = launch.cases;
    work.numbers = {launch.cases, launch.trips};
    std::unique_ptr<Lane> lane = shared_->take();
    LaunchOutcome outcome;
    std::optional<Failure> failure = begin(*lane, kernel, work);
    if (!failure) failure = lane->end(outcome.outputs);
    shared_->give_back(std::move(lane));
    return failure ? stopped(*failure) : outcome;
  }

 private:
  std::optional<Failure> begin(Lane& lane, const std::string& kernel, Work& work) const {
    static_cast<void>(shared_->bind());
    const int error = shared_->runtime->hipModuleGetFunction(&work.function, module_, kernel.c_str());
    if (error != kSuccess) return failure_of(*shared_->runtime, "hipModuleGetFunction", error);
    return lane.begin(work);
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
  bool runs_programs() const override { return true; }
  tl::expected<std::unique_ptr<Module>, std::string> load(std::span<const std::byte> object) override {
    if (const std::string why = not_loadable(object); !why.empty()) return tl::make_unexpected("this is " + why);
    const std::lock_guard lock(shared_->mutex);
    void* module = nullptr;
    if (const int error = shared_->runtime->hipModuleLoadData(&module, object.data()); error != kSuccess) {
      return tl::make_unexpected(failure_of(*shared_->runtime, "hipModuleLoadData", error).message);
    }
    return std::make_unique<HipModule>(shared_, module);
  }

 private:
  std::shared_ptr<Shared> shared_;
  DeviceInfo info_;
};

}  // namespace

tl::expected<std::unique_ptr<Device>, std::string> make_hip_device(std::shared_ptr<const Runtime> runtime,
                                                                   const Gpu& gpu, const std::string& id) {
  auto shared = std::make_shared<Shared>();
  shared->runtime = std::move(runtime);
  shared->gpu = gpu;
  if (const int error = shared->bind(); error != kSuccess) {
    return tl::make_unexpected(fmt::format("{}: {}", id, failure_of(*shared->runtime, "hipSetDevice", error).message));
  }
  return std::make_unique<HipDevice>(std::move(shared), id);
}

}  // namespace mfma::devices::hip
