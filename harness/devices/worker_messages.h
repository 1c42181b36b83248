// What a worker process and its parent say to each other: frames with a length, a number and a digest, so that a peer
// that is broken, cut off or mad is seen as such, whatever it sends.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "harness/devices/device.h"

namespace mfma::devices::worker {

enum class MessageType : std::uint32_t {
  kHello = 1,   // worker: its devices, or why there are none
  kLoad,        // parent: a code object
  kLoaded,      // worker: an error or nothing
  kUnload,      // parent; answered by kLoaded
  kRun,         // parent: module, kernel, cases
  kRunProgram,  // parent: module, kernel, arrays
  kOutcome,     // worker: of either
};

struct FrameHeader {
  std::uint32_t magic = 0, type = 0;
  std::uint64_t sequence = 0, length = 0, digest = 0;
};
inline constexpr std::uint32_t kMagic = 0x574d464d;  // "MFMW"
inline constexpr std::uint64_t kLongestPayload = std::uint64_t{1} << 28;

// A frame is a header and then its payload.
FrameHeader header_of(MessageType type, std::uint64_t sequence, std::span<const std::byte> payload);
// Empty when the header can be one of this protocol; else one line.
std::string wrong_with(const FrameHeader& header);
std::uint64_t digest_of(std::span<const std::byte> payload);

class Writer {
 public:
  template <class T>
  void value(T v) {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof v);
    std::memcpy(bytes_.data() + at, &v, sizeof v);
  }
  void bytes(std::span<const std::byte> data);
  void text(const std::string& s) { bytes(std::as_bytes(std::span(s))); }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

// Reads what a Writer wrote. Past the end, or with a length that does not fit, everything reads as zero and ok() is
// false from then on.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <class T>
  T value() {
    static_assert(std::is_trivially_copyable_v<T>);
    T v{};
    if (bytes_.size() < sizeof v) {
      fail();
    } else {
      std::memcpy(&v, bytes_.data(), sizeof v);
      bytes_ = bytes_.subspan(sizeof v);
    }
    return v;
  }
  std::span<const std::byte> bytes();
  std::string text();
  bool ok() const { return ok_; }
  bool at_end() const { return ok_ && bytes_.empty(); }
  std::size_t left() const { return bytes_.size(); }
  void fail() {
    ok_ = false;
    bytes_ = {};
  }

 private:
  std::span<const std::byte> bytes_;
  bool ok_ = true;
};

struct Hello {
  std::string error;  // empty: none
  std::vector<DeviceInfo> devices;
};
std::vector<std::byte> encode(const Hello& hello);
std::optional<Hello> decode_hello(std::span<const std::byte> payload);

struct RunRequest {
  std::uint64_t module = 0;
  std::string kernel;
  std::vector<cases::Case> cases;  // register images only; the instance stays behind
};
std::vector<std::byte> encode_run(std::uint64_t module, const std::string& kernel, std::span<const cases::Case> cases);
std::optional<RunRequest> decode_run(std::span<const std::byte> payload);

std::vector<std::byte> encode(const LaunchOutcome& outcome);
// Nothing unless the outcome can be one of so many cases, each with so many registers of D, and is of no program.
std::optional<LaunchOutcome> decode_outcome(std::span<const std::byte> payload, std::size_t cases, int registers);

struct ProgramRequest {
  std::uint64_t module = 0;
  std::string kernel;
  ProgramLaunch launch;
};
std::vector<std::byte> encode_run_program(std::uint64_t module, const std::string& kernel, const ProgramLaunch& launch);
std::optional<ProgramRequest> decode_run_program(std::span<const std::byte> payload);

// Nothing unless the outcome is of a program and the outputs are of the launch's sizes.
std::optional<LaunchOutcome> decode_program_outcome(std::span<const std::byte> payload, const ProgramLaunch& launch);

}  // namespace mfma::devices::worker
