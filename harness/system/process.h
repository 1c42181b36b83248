// Runs one program and waits for it: no shell, no strays, no unbounded memory, no unbounded time.
//
// Why not a library: Boost.Process of Debian 12 (1.74) documents its waits on groups with a time limit as unreliable
// and needs SIGCHLD to itself, as libuv does, which a program that also links a GPU runtime cannot promise.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace mfma::system {

struct Command {
  std::vector<std::string> arguments;    // [0] is the path of the program; PATH is not searched
  std::filesystem::path directory;       // working directory; empty: the caller's
  std::vector<std::string> environment;  // "NAME=value", the whole of it
  std::chrono::milliseconds timeout{120'000};
  std::size_t keep_head = 64 * 1024;  // bytes of output kept from the start ...
  std::size_t keep_tail = 64 * 1024;  // ... and from the end; what lies between is counted and dropped
};

struct Finished {
  int exit_status = 0;     // exit code, or minus the signal that ended it
  bool timed_out = false;  // the whole group was killed; exit_status is then -SIGKILL
  std::string output;      // stdout and stderr as they came, with a line in the middle when bytes were dropped
  double seconds = 0;
};

// The program gets its own process group, /dev/null as stdin, and no descriptor but 0, 1 and 2. When it ends, or when
// the time is up, what is left of its group is killed before this returns. Thread-safe. The error says why the program
// could not be started.
tl::expected<Finished, std::string> run_process(const Command& command);

// The environment compilers run in: what finding programs and libraries needs, a fixed locale, and `temporary` as the
// place for temporary files. Left out on purpose: everything that changes what a compiler makes (CPATH, ...).
std::vector<std::string> compiler_environment(const std::filesystem::path& temporary);

// A private directory that goes away with the object, contents and all.
class TemporaryDirectory {
 public:
  // Under $TMPDIR, or /tmp.
  static tl::expected<TemporaryDirectory, std::string> create();
  TemporaryDirectory(TemporaryDirectory&& other) noexcept;
  TemporaryDirectory& operator=(TemporaryDirectory&& other) noexcept;
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();
  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryDirectory(std::filesystem::path path) : path_(std::move(path)) {}
  void remove() noexcept;
  std::filesystem::path path_;
};

}  // namespace mfma::system
