#include "harness/devices/worker_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <thread>

extern char** environ;

namespace mfma::devices::worker {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kOutputKept = 16 * 1024;
constexpr milliseconds kFarewell{2000};  // for a process to go by itself
constexpr milliseconds kPatience{5000};  // for a killed one to go away

std::string errno_text(int error) { return std::generic_category().message(error); }

std::vector<std::string> environment_of(const ProcessOptions& options) {
  std::vector<std::string> variables;
  for (char** at = environ; at && *at; ++at) {
    const std::string_view variable = *at;
    const std::string_view name = variable.substr(0, variable.find('='));
    const bool changed = std::any_of(options.environment.begin(), options.environment.end(),
                                     [&](const auto& change) { return change.first == name; });
    if (!changed) variables.emplace_back(variable);
  }
  for (const auto& [name, value] : options.environment) {
    if (value) variables.push_back(name + "=" + *value);
  }
  return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& s : strings) pointers.push_back(s.data());
  pointers.push_back(nullptr);
  return pointers;
}

void close_both(const std::array<int, 2>& fds) {
  for (const int fd : fds) close(fd);
}

// How long poll() may sleep until the deadline.
int poll_time(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<long long>(left, 0, 1'000'000));
}

}  // namespace

tl::expected<std::unique_ptr<Process>, std::string> Process::start(const ProcessOptions& options) {
  std::array<int, 2> channel{}, output{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel.data()) != 0) {
    return tl::make_unexpected(fmt::format("cannot make a socket for a worker process: {}", errno_text(errno)));
  }
  if (pipe2(output.data(), O_CLOEXEC) != 0) {
    const int error = errno;
    close_both(channel);
    return tl::make_unexpected(fmt::format("cannot make a pipe for a worker process: {}", errno_text(error)));
  }
  // What lies on 3 must not be overwritten before it is copied there.
  const int ours = fcntl(channel[1], F_DUPFD_CLOEXEC, kChannel + 1);
  const int theirs = fcntl(output[1], F_DUPFD_CLOEXEC, kChannel + 1);
  close(channel[1]);
  close(output[1]);

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, theirs, 1);
  posix_spawn_file_actions_adddup2(&actions, theirs, 2);
  posix_spawn_file_actions_adddup2(&actions, ours, kChannel);
  posix_spawn_file_actions_addclosefrom_np(&actions, kChannel + 1);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  std::vector<std::string> arguments = {"mfma-conform"};
  arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
  std::vector<std::string> environment = environment_of(options);
  pid_t pid = -1;
  const int error = ours < 0 || theirs < 0
                        ? EMFILE
                        : posix_spawn(&pid, options.program.c_str(), &actions, &attributes,
                                      pointers_to(arguments).data(), pointers_to(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(ours);
  close(theirs);
  if (error != 0) {
    close(channel[0]);
    close(output[0]);
    return tl::make_unexpected(
        fmt::format("cannot start a worker process ({}): {}", options.program, errno_text(error)));
  }
  for (const int fd : {channel[0], output[0]}) fcntl(fd, F_SETFL, O_NONBLOCK);
  return std::unique_ptr<Process>(new Process(pid, channel[0], output[0]));
}

Process::~Process() {
  if (!status_) {
    // One that is well ends by itself when its parent has gone.
    shutdown(channel_, SHUT_RDWR);
    status_ = reap(kFarewell);
  }
  end();
  close(channel_);
  close(output_pipe_);
}

void Process::drain_output() {
  std::array<char, 4096> buffer;
  // Bounded: a process that prints without end must not keep us from the clock.
  for (int i = 0; i < 64; ++i) {
    const ssize_t n = read(output_pipe_, buffer.data(), buffer.size());
    if (n <= 0) return;
    output_.append(buffer.data(), static_cast<std::size_t>(n));
    if (output_.size() > 2 * kOutputKept) output_.erase(0, output_.size() - kOutputKept);
  }
}

bool Process::wait_for(short events, Deadline deadline) {
  bool output_open = true;
  while (true) {
    std::array<pollfd, 2> waits{{{channel_, events, 0}, {output_open ? output_pipe_ : -1, POLLIN, 0}}};
    const int ready = poll(waits.data(), waits.size(), poll_time(deadline));
    if (ready < 0 && errno != EINTR) return false;
    if (waits[1].revents != 0) {
      drain_output();
      output_open = (waits[1].revents & POLLIN) != 0;  // else closed: poll would return at once for ever
    }
    if (ready > 0 && waits[0].revents != 0) return true;
    if (Clock::now() >= deadline) return false;
  }
}

bool Process::send(std::span<const std::byte> bytes, Deadline deadline, Answer& failure) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(channel_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(n));
    } else if (n < 0 && errno == EAGAIN) {
      if (!wait_for(POLLOUT, deadline)) {
        failure.kind = Answer::Kind::kTimeout;
        return false;
      }
    } else if (n < 0 && errno != EINTR) {
      failure = ended();
      return false;
    }
  }
  return true;
}

bool Process::read_exactly(std::span<std::byte> bytes, Deadline deadline, Answer& failure) {
  while (!bytes.empty()) {
    const ssize_t n = read(channel_, bytes.data(), bytes.size());
    if (n > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(n));
    } else if (n < 0 && errno == EAGAIN) {
      if (!wait_for(POLLIN, deadline)) {
        failure.kind = Answer::Kind::kTimeout;
        return false;
      }
    } else if (n == 0 || errno != EINTR) {
      failure = ended();
      return false;
    }
  }
  return true;
}

Answer Process::receive_until(std::uint64_t sequence, MessageType expected, Deadline deadline, milliseconds timeout) {
  Answer answer;
  const auto timed_out = [&] {
    if (answer.kind == Answer::Kind::kTimeout) {
      answer.message =
          fmt::format("the worker process gave no answer within {} s", static_cast<double>(timeout.count()) / 1000);
    }
    return answer;
  };
  const auto garbage = [&](const std::string& what) {
    answer.kind = Answer::Kind::kGarbage;
    answer.message = "the worker process sent garbage: " + what;
    return answer;
  };
  FrameHeader header;
  if (!read_exactly(std::as_writable_bytes(std::span(&header, 1)), deadline, answer)) return timed_out();
  if (const std::string wrong = wrong_with(header); !wrong.empty()) return garbage(wrong);
  if (header.type != static_cast<std::uint32_t>(expected))
    return garbage(fmt::format("a message of type {}", header.type));
  if (header.sequence != sequence) {
    return garbage(fmt::format("an answer to request {} where that to request {} was due", header.sequence, sequence));
  }
  std::vector<std::byte> payload(header.length);
  if (!read_exactly(payload, deadline, answer)) return timed_out();
  if (digest_of(payload) != header.digest) return garbage("a message whose digest is wrong");
  answer.payload = std::move(payload);
  return answer;
}

Answer Process::receive(MessageType expected, milliseconds timeout) { return answer_to(0, expected, timeout); }

tl::expected<std::uint64_t, Answer> Process::request(MessageType request, std::span<const std::byte> payload,
                                                     milliseconds timeout) {
  const Deadline deadline = Clock::now() + timeout;
  Answer failure;
  ++sequence_;
  const FrameHeader header = header_of(request, sequence_, payload);
  if (send(std::as_bytes(std::span(&header, 1)), deadline, failure) && send(payload, deadline, failure))
    return sequence_;
  if (failure.kind == Answer::Kind::kTimeout) {
    failure.message =
        fmt::format("the worker process took no request within {} s", static_cast<double>(timeout.count()) / 1000);
  }
  return tl::make_unexpected(std::move(failure));
}

Answer Process::answer_to(std::uint64_t request, MessageType expected, milliseconds timeout) {
  return receive_until(request, expected, Clock::now() + timeout, timeout);
}

Answer Process::ask(MessageType type, std::span<const std::byte> payload, MessageType expected, milliseconds timeout) {
  const Deadline deadline = Clock::now() + timeout;
  auto number = request(type, payload, timeout);
  if (!number) return std::move(number.error());
  return receive_until(*number, expected, deadline, timeout);
}

std::optional<int> Process::reap(milliseconds patience) {
  const Deadline deadline = Clock::now() + patience;
  for (milliseconds pause{1};; pause = std::min(pause * 2, milliseconds{50})) {
    int status = 0;
    const pid_t result = waitpid(pid_, &status, WNOHANG);
    if (result == pid_) return status;
    if (result < 0 && errno != EINTR) return 0;  // reaped by another; nothing is left to wait for
    if (Clock::now() >= deadline) return std::nullopt;
    std::this_thread::sleep_for(pause);
  }
}

// The channel is closed: the process ends, has ended, or goes on without a word.
Answer Process::ended() {
  Answer answer;
  answer.kind = Answer::Kind::kEnded;
  if (!status_) status_ = reap(milliseconds{1000});
  if (!status_) {
    answer.message = "the worker process closed its channel and went on";
  } else if (WIFSIGNALED(*status_)) {
    const int signal = WTERMSIG(*status_);
    const char* name = sigabbrev_np(signal);
    answer.message = fmt::format("the worker process ended by signal {} (SIG{})", signal, name ? name : "?");
  } else {
    answer.message = fmt::format("the worker process ended with exit code {}", WEXITSTATUS(*status_));
  }
  if (const std::string words = last_words(); !words.empty()) answer.message += ", its last words: " + words;
  return answer;
}

std::string Process::last_words() {
  drain_output();
  constexpr std::size_t kLongest = 300;
  std::string text = output_;
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  if (const std::size_t line = text.rfind('\n'); line != std::string::npos) text.erase(0, line + 1);
  if (text.size() > kLongest) text.resize(kLongest);
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text;
}

bool Process::end() {
  if (gone_) return true;
  // The group, while the leader that was not reaped still holds its id; after that the id may be another's.
  if (!status_) {
    kill(-pid_, SIGKILL);
    status_ = reap(kPatience);
  }
  drain_output();
  gone_ = status_.has_value();
  return gone_;
}

}  // namespace mfma::devices::worker
