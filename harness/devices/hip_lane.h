// One launch on a GPU from end to end: a stream with memory of its own on the device and, pinned, on the host. Two of
// them keep a device busy: one is filled and read while the other's kernel runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/devices/hip.h"

namespace mfma::devices::hip {

// Arrays in the order of the kernel's arguments, then numbers; a workgroup of 64 lanes per group.
struct Work {
  struct Array {
    bool is_output = false;
    std::vector<std::uint32_t> input;  // what the kernel reads; of an output nothing
    std::size_t output = 0;            // dwords, which hold kUnwrittenDword before the launch; of an input 0
  };
  void* function = nullptr;
  std::uint32_t groups = 0;
  std::vector<Array> arrays;
  std::vector<std::uint32_t> numbers;
};

struct Failure {
  std::string message;     // one line
  bool by_kernel = false;  // may be the kernel's own doing
};
// "hipMalloc gave 2 (hipErrorOutOfMemory: out of memory)".
Failure failure_of(const Runtime& runtime, const char* call, int error);

// Used by one thread at a time; begin() and end() may be called from different ones.
class Lane {
 public:
  explicit Lane(const Runtime& runtime) : runtime_(runtime) {}
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  ~Lane();

  // Gives everything to the stream and does not wait. Nothing runs after a failure.
  std::optional<Failure> begin(const Work& work);
  // Waits, and gives the outputs in their order.
  std::optional<Failure> end(std::vector<std::vector<std::uint32_t>>& outputs);

 private:
  struct Output {
    std::size_t offset = 0, dwords = 0;  // offset in bytes
  };
  std::optional<Failure> reserve(std::size_t bytes);
  void fill(const Work& work, const std::vector<std::size_t>& offsets);
  std::optional<Failure> enqueue(const Work& work, const std::vector<std::size_t>& offsets);

  const Runtime& runtime_;
  void* stream_ = nullptr;
  void* device_ = nullptr;  // memory of size_ bytes each; allocation is slow, so it is kept
  void *upload_ = nullptr, *download_ = nullptr;
  std::size_t size_ = 0, used_ = 0;
  std::uint32_t seal_ = 0;       // another in each launch: what lies behind each output
  std::vector<Output> outputs_;  // of the launch under way
  std::vector<std::byte> arguments_;
};

}  // namespace mfma::devices::hip
