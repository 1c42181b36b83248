// One worker process, seen from its parent: started, asked, and ended, each within a bound of time.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "harness/devices/worker_messages.h"

namespace mfma::devices::worker {

// The descriptor on which a worker finds its parent.
inline constexpr int kChannel = 3;

struct ProcessOptions {
  std::string program = "/proc/self/exe";
  std::vector<std::string> arguments;  // without the program's name
  // Variables to set, or with nothing to take out; the rest is the caller's environment.
  std::vector<std::pair<std::string, std::optional<std::string>>> environment;
};

struct Answer {
  enum class Kind { kMessage, kTimeout, kEnded, kGarbage };
  Kind kind = Kind::kMessage;
  std::vector<std::byte> payload;  // of a message
  std::string message;             // else: one line on what happened
};

// One thread at a time.
class Process {
 public:
  // Has its own process group and /dev/null as standard input; what it prints is kept, the last line of it for
  // messages.
  static tl::expected<std::unique_ptr<Process>, std::string> start(const ProcessOptions& options);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();  // end()

  // Sends a request and does not wait; gives its number.
  tl::expected<std::uint64_t, Answer> request(MessageType request, std::span<const std::byte> payload,
                                              std::chrono::milliseconds timeout);
  // Waits for the answer to the request of that number. Answers come in the order of the requests.
  Answer answer_to(std::uint64_t request, MessageType expected, std::chrono::milliseconds timeout);
  // Sends a request and waits for its answer.
  Answer ask(MessageType request, std::span<const std::byte> payload, MessageType expected,
             std::chrono::milliseconds timeout);
  // Waits for a message that was not asked for: the first.
  Answer receive(MessageType expected, std::chrono::milliseconds timeout);

  // Kills the process and everything in its group. False when it does not go away: it is stuck in the kernel, and left.
  bool end();
  pid_t pid() const { return pid_; }
  // What the process printed last, as one line without control characters; empty: nothing.
  std::string last_words();
  // All of what is kept of its output.
  const std::string& output() const { return output_; }

 private:
  Process(pid_t pid, int channel, int output_pipe) : pid_(pid), channel_(channel), output_pipe_(output_pipe) {}
  using Deadline = std::chrono::steady_clock::time_point;
  // Waits until the channel is ready for `events`; keeps the output flowing. False when the time is up.
  bool wait_for(short events, Deadline deadline);
  bool send(std::span<const std::byte> bytes, Deadline deadline, Answer& failure);
  bool read_exactly(std::span<std::byte> bytes, Deadline deadline, Answer& failure);
  Answer receive_until(std::uint64_t sequence, MessageType expected, Deadline deadline,
                       std::chrono::milliseconds timeout);
  Answer ended();
  void drain_output();
  std::optional<int> reap(std::chrono::milliseconds patience);

  pid_t pid_;
  int channel_, output_pipe_;
  std::uint64_t sequence_ = 0;
  std::optional<int> status_;  // of waitpid
  bool gone_ = false;
  std::string output_;
};

}  // namespace mfma::devices::worker
