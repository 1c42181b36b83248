#include "harness/devices/hip_lane.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace mfma::devices::hip {
namespace {

// What host memory holds before an output is copied back, and how many dwords after it tell that the copy was whole.
constexpr std::uint32_t kNotCopied = 0xc0de0bad;
constexpr std::size_t kSealDwords = 64;
constexpr std::uint32_t kFirstSeal = 0x5ea10000;
constexpr std::size_t kPage = 4096;
constexpr unsigned kLanes = catalogue::kLanes;

std::size_t in_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

// All arrays in one block, each where a page begins.
std::vector<std::size_t> offsets_of(const Work& work, std::size_t& size) {
  std::vector<std::size_t> offsets;
  size = 0;
  for (const Work::Array& array : work.arrays) {
    offsets.push_back(size);
    size += in_pages((array.is_output ? array.output + kSealDwords : array.input.size()) * sizeof(std::uint32_t));
  }
  return offsets;
}

}  // namespace

Failure failure_of(const Runtime& runtime, const char* call, int error) {
  const char* name = runtime.hipGetErrorName(error);
  const char* text = runtime.hipGetErrorString(error);
  // An error that may be the kernel's own doing is the kernel's once it is seen to repeat (worker.h).
  return {fmt::format("{} gave {} ({}: {})", call, error, name ? name : "?", text ? text : "?"),
          error == kIllegalAddress || error == kLaunchFailure};
}

Lane::~Lane() {
  if (device_) static_cast<void>(runtime_.hipFree(device_));
  for (void* memory : {upload_, download_}) {
    if (memory) static_cast<void>(runtime_.hipHostFree(memory));
  }
  if (stream_) static_cast<void>(runtime_.hipStreamDestroy(stream_));
}

std::optional<Failure> Lane::reserve(std::size_t bytes) {
  if (!stream_) {
    if (const int error = runtime_.hipStreamCreateWithFlags(&stream_, kStreamNonBlocking); error != kSuccess) {
      return failure_of(runtime_, "hipStreamCreateWithFlags", error);
    }
  }
  if (bytes <= size_) return std::nullopt;
  size_ = 0;
  if (device_) static_cast<void>(runtime_.hipFree(device_));
  device_ = nullptr;
  if (const int error = runtime_.hipMalloc(&device_, bytes); error != kSuccess)
    return failure_of(runtime_, "hipMalloc", error);
  for (void** memory : {&upload_, &download_}) {
    if (*memory) static_cast<void>(runtime_.hipHostFree(*memory));
    *memory = nullptr;
    if (const int error = runtime_.hipHostMalloc(memory, bytes, 0); error != kSuccess) {
      return failure_of(runtime_, "hipHostMalloc", error);
    }
  }
  size_ = bytes;
  return std::nullopt;
}

void Lane::fill(const Work& work, const std::vector<std::size_t>& offsets) {
  outputs_.clear();
  seal_ = seal_ == 0 ? kFirstSeal : seal_ + 1;
  std::byte* const base = static_cast<std::byte*>(upload_);
  for (std::size_t i = 0; i < work.arrays.size(); ++i) {
    const Work::Array& array = work.arrays[i];
    if (!array.is_output) {
      if (!array.input.empty())
        std::memcpy(base + offsets[i], array.input.data(), array.input.size() * sizeof(std::uint32_t));
      continue;
    }
    outputs_.push_back({offsets[i], array.output});
    std::vector<std::uint32_t> before(array.output + kSealDwords, kUnwrittenDword);
    std::fill_n(before.end() - static_cast<std::ptrdiff_t>(kSealDwords), kSealDwords, seal_);
    std::memcpy(base + offsets[i], before.data(), before.size() * sizeof(std::uint32_t));
    std::fill(before.begin(), before.end(), kNotCopied);
    std::memcpy(static_cast<std::byte*>(download_) + offsets[i], before.data(), before.size() * sizeof(std::uint32_t));
  }
}

std::optional<Failure> Lane::enqueue(const Work& work, const std::vector<std::size_t>& offsets) {
  std::byte* const base = static_cast<std::byte*>(device_);
  if (const int error = runtime_.hipMemcpyAsync(device_, upload_, used_, kHostToDevice, stream_); error != kSuccess) {
    return failure_of(runtime_, "hipMemcpyAsync to the device", error);
  }
  arguments_.clear();
  const auto add = [&](const auto& value) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    arguments_.insert(arguments_.end(), bytes, bytes + sizeof value);
  };
  for (const std::size_t offset : offsets) add(base + offset);
  for (const std::uint32_t number : work.numbers) add(number);
  std::size_t argument_bytes = arguments_.size();
  void* extra[] = {kArgumentBuffer, arguments_.data(), kArgumentSize, &argument_bytes, kArgumentEnd};
  if (const int error =
          runtime_.hipModuleLaunchKernel(work.function, work.groups, 1, 1, kLanes, 1, 1, 0, stream_, nullptr, extra);
      error != kSuccess) {
    return failure_of(runtime_, "hipModuleLaunchKernel", error);
  }
  for (const Output& output : outputs_) {
    const std::size_t bytes = (output.dwords + kSealDwords) * sizeof(std::uint32_t);
    if (const int error = runtime_.hipMemcpyAsync(static_cast<std::byte*>(download_) + output.offset,
                                                  base + output.offset, bytes, kDeviceToHost, stream_);
        error != kSuccess) {
      return failure_of(runtime_, "hipMemcpyAsync from the device", error);
    }
  }
  return std::nullopt;
}

std::optional<Failure> Lane::begin(const Work& work) {
  const std::vector<std::size_t> offsets = offsets_of(work, used_);
  if (auto failure = reserve(used_)) return failure;
  fill(work, offsets);
  return enqueue(work, offsets);
}

std::optional<Failure> Lane::end(std::vector<std::vector<std::uint32_t>>& outputs) {
  if (const int error = runtime_.hipStreamSynchronize(stream_); error != kSuccess) {
    return failure_of(runtime_, "hipStreamSynchronize", error);
  }
  outputs.clear();
  for (const Output& output : outputs_) {
    std::vector<std::uint32_t>& dwords = outputs.emplace_back(output.dwords + kSealDwords);
    std::memcpy(dwords.data(), static_cast<const std::byte*>(download_) + output.offset,
                dwords.size() * sizeof(std::uint32_t));
    const auto end = dwords.begin() + static_cast<std::ptrdiff_t>(output.dwords);
    const auto broken = std::find_if(end, dwords.end(), [&](std::uint32_t dword) { return dword != seal_; });
    if (broken != dwords.end()) {
      return Failure{
          fmt::format("the copy from the device is not whole: the dword {} after the output is {:08x}, not {:08x}",
                      broken - end, *broken, seal_),
          false};
    }
    dwords.resize(output.dwords);
  }
  return std::nullopt;
}

}  // namespace mfma::devices::hip
