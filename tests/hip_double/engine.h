// Between the test double and the process that emulates for it. The double is a shared library, and the project's
// static libraries are built for programs; so the emulated gfx950 runs in a program of its own, one for each process
// that called hipInit.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mfma::hip_double {

enum class Op : std::uint32_t { kAllocate, kReleaseAll, kWrite, kRead, kLoad, kUnload, kLaunch, kSpoil };

// Requests and answers alike.
struct Head {
  Op op = Op::kAllocate;
  std::int32_t code = 0;       // of an answer: 0 is good; of a launch: gfx950::Stop
  std::uint64_t a = 0, b = 0;  // address, module, number of a unit (as place_of() takes workgroups); bytes, workgroups
  std::uint64_t size = 0;      // of the bytes that follow
};

struct Message {
  Head head;
  std::vector<std::byte> bytes;
};

inline bool send_bytes(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

inline bool receive_bytes(int fd, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = read(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

inline bool send_message(int fd, Head head, std::span<const std::byte> bytes) {
  head.size = bytes.size();
  return send_bytes(fd, std::as_bytes(std::span(&head, 1))) && send_bytes(fd, bytes);
}

inline std::optional<Message> receive_message(int fd) {
  Message m;
  if (!receive_bytes(fd, std::as_writable_bytes(std::span(&m.head, 1)))) return std::nullopt;
  m.bytes.resize(m.head.size);
  if (!receive_bytes(fd, m.bytes)) return std::nullopt;
  return m;
}

}  // namespace mfma::hip_double
