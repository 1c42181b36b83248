#include "harness/system/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

namespace mfma::system {
namespace {

using Clock = std::chrono::steady_clock;

std::string describe_errno(int error) { return std::generic_category().message(error); }

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  int get() const { return fd_; }
  bool open() const { return fd_ >= 0; }
  void reset(int fd) {
    close();
    fd_ = fd;
  }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

// Keeps the first and the last bytes of a stream of any length.
class BoundedText {
 public:
  BoundedText(std::size_t head, std::size_t tail) : head_limit_(head), tail_limit_(tail) {}

  void append(std::string_view bytes) {
    const std::size_t room = head_limit_ - head_.size();
    head_.append(bytes.substr(0, room));
    bytes.remove_prefix(std::min(room, bytes.size()));
    tail_.append(bytes);
    // Trimmed when twice too long, so that each byte moves at most once.
    if (tail_.size() > 2 * tail_limit_) trim();
  }

  std::string text() {
    trim();
    if (dropped_ == 0) return head_ + tail_;
    return fmt::format("{}\n[... {} bytes left out ...]\n{}", head_, dropped_, tail_);
  }

 private:
  void trim() {
    if (tail_.size() <= tail_limit_) return;
    const std::size_t excess = tail_.size() - tail_limit_;
    dropped_ += excess;
    tail_.erase(0, excess);
  }

  std::size_t head_limit_, tail_limit_, dropped_ = 0;
  std::string head_, tail_;
};

class SpawnSettings {
 public:
  SpawnSettings() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  // 0, or the errno of the first setting that failed.
  int apply(const Command& command, int output) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    const std::string directory = command.directory.string();
    int error = 0;
    const auto step = [&error](int result) {
      if (error == 0) error = result;
    };
    step(posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0));
    step(posix_spawn_file_actions_adddup2(&actions_, output, 1));
    step(posix_spawn_file_actions_adddup2(&actions_, output, 2));
    step(posix_spawn_file_actions_addclosefrom_np(&actions_, 3));
    if (!directory.empty()) step(posix_spawn_file_actions_addchdir_np(&actions_, directory.c_str()));
    step(posix_spawnattr_setpgroup(&attributes_, 0));
    step(posix_spawnattr_setsigmask(&attributes_, &none));
    step(posix_spawnattr_setsigdefault(&attributes_, &all));
    step(
        posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
    return error;
  }

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (std::string& s : strings) pointers.push_back(s.data());
  pointers.push_back(nullptr);
  return pointers;
}

// True once the child has ended; it stays a zombie, so that its group id is not given to another meanwhile.
bool has_ended(pid_t pid) {
  siginfo_t info{};
  int result;
  do {
    result = waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT);
  } while (result < 0 && errno == EINTR);
  return result < 0 || info.si_pid == pid;
}

int reap(pid_t pid) {
  int status = 0;
  pid_t result;
  do {
    result = waitpid(pid, &status, 0);
  } while (result < 0 && errno == EINTR);
  if (result < 0) return -SIGKILL;
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

// Reads what is there. False at the end of the stream.
bool drain(int fd, BoundedText& text) {
  std::array<char, 65536> buffer;
  // Bounded, so that a program that writes without pause cannot keep us from the clock.
  for (int i = 0; i < 64; ++i) {
    const ssize_t n = read(fd, buffer.data(), buffer.size());
    if (n > 0) {
      text.append({buffer.data(), static_cast<std::size_t>(n)});
    } else if (n == 0) {
      return false;
    } else if (errno != EINTR) {
      return errno == EAGAIN;
    }
  }
  return true;
}

// Collects output until the child ends or the deadline passes. True when it ended in time.
bool watch(pid_t pid, Descriptor& output, BoundedText& text, Clock::time_point deadline) {
  // glibc 2.36 declares pidfd_open for C only. Where the kernel has none, a short poll stands in for it.
  const Descriptor ended(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  constexpr std::chrono::milliseconds kPollWithoutPidfd{5}, kPollAtMost{1000};
  while (!has_ended(pid)) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return false;
    const auto slice = std::min(left, ended.open() ? kPollAtMost : kPollWithoutPidfd);
    std::array<pollfd, 2> waits{{{output.get(), POLLIN, 0}, {ended.get(), POLLIN, 0}}};  // poll skips negative ones
    poll(waits.data(), waits.size(), static_cast<int>(slice.count()));
    if (output.open() && waits[0].revents != 0 && !drain(output.get(), text)) output.close();
  }
  return true;
}

}  // namespace

tl::expected<Finished, std::string> run_process(const Command& command) {
  if (command.arguments.empty()) return tl::make_unexpected(std::string("no program to run"));
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    return tl::make_unexpected(fmt::format("cannot make a pipe: {}", describe_errno(errno)));
  Descriptor reader(ends[0]), writer(ends[1]);
  if (writer.get() < 3) {
    // A caller without stdin or stdout: the child's 0..2 must not collide with the pipe.
    const int moved = fcntl(writer.get(), F_DUPFD_CLOEXEC, 3);
    if (moved < 0) return tl::make_unexpected(fmt::format("cannot move a pipe: {}", describe_errno(errno)));
    writer.reset(moved);
  }
  fcntl(reader.get(), F_SETFL, O_NONBLOCK);

  std::vector<std::string> arguments = command.arguments, environment = command.environment;
  const std::vector<char*> argv = pointers_to(arguments), envp = pointers_to(environment);
  SpawnSettings settings;
  pid_t pid = -1;
  const Clock::time_point start = Clock::now();
  int error = settings.apply(command, writer.get());
  if (error == 0)
    error = posix_spawn(&pid, argv[0], settings.actions(), settings.attributes(), argv.data(), envp.data());
  writer.close();
  if (error != 0)
    return tl::make_unexpected(fmt::format("cannot start {}: {}", command.arguments[0], describe_errno(error)));

  BoundedText text(command.keep_head, command.keep_tail);
  Finished finished;
  finished.timed_out = !watch(pid, reader, text, start + command.timeout);
  kill(-pid, SIGKILL);  // the group, while the unreaped leader still holds its id
  finished.exit_status = reap(pid);
  if (reader.open()) drain(reader.get(), text);
  finished.output = text.text();
  finished.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return finished;
}

std::vector<std::string> compiler_environment(const std::filesystem::path& temporary) {
  std::vector<std::string> environment{"LC_ALL=C", "TMPDIR=" + temporary.string()};
  for (const char* name : {"PATH", "HOME", "LD_LIBRARY_PATH"}) {
    if (const char* value = std::getenv(name)) environment.push_back(fmt::format("{}={}", name, value));
  }
  return environment;
}

tl::expected<TemporaryDirectory, std::string> TemporaryDirectory::create() {
  const char* const base = std::getenv("TMPDIR");
  std::string name = (base != nullptr && *base != '\0' ? std::string(base) : "/tmp") + "/mfma-conform-XXXXXX";
  if (mkdtemp(name.data()) == nullptr)
    return tl::make_unexpected(fmt::format(
        "cannot make a temporary directory {}: {}; set TMPDIR to a directory with room", name, describe_errno(errno)));
  // Compilers run elsewhere, so a relative TMPDIR must not stay relative.
  std::error_code ignored;
  const std::filesystem::path absolute = std::filesystem::absolute(name, ignored);
  return TemporaryDirectory(ignored ? std::filesystem::path(name) : absolute);
}

TemporaryDirectory::TemporaryDirectory(TemporaryDirectory&& other) noexcept : path_(std::exchange(other.path_, {})) {}

TemporaryDirectory& TemporaryDirectory::operator=(TemporaryDirectory&& other) noexcept {
  if (this != &other) {
    remove();
    path_ = std::exchange(other.path_, {});
  }
  return *this;
}

TemporaryDirectory::~TemporaryDirectory() { remove(); }

void TemporaryDirectory::remove() noexcept {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace mfma::system
