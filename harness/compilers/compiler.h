// Running a compiler under test: who it is, what it did, and the object it made.
//
// Compilers are processes, never libraries: one of them crashing is a result. Nothing of an outcome is lost: the
// log, the command and the exit status are kept with it.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace mfma::compilers {

struct Identity {
  std::filesystem::path path;      // as given
  std::filesystem::path resolved;  // the file that runs, links followed
  std::string version;             // first line of --version
  std::string hash;                // of the executable file and of the compiler libraries it says it uses, 16 hex digits
};

enum class Outcome {
  kOk,
  kDiagnostic,     // refused the source with an error of its own
  kBackendError,   // "fatal error: error in backend", cannot select, and the like
  kCrash,          // died by a signal, or by the driver's report of one
  kTimeout,
  kNoSuchTarget,   // does not know the target
  kNoObject,       // exit 0 and no object, or an empty one
  kCannotRun,      // could not be started
};
std::string_view name_of(Outcome o);

struct Job {
  std::string source;                       // HIP, device only
  std::string arch = "gfx950";
  std::string level = "O2";                 // without the dash
  std::vector<std::string> extra_flags;
  std::chrono::milliseconds timeout{120'000};
};

struct Compiled {
  Outcome outcome = Outcome::kCannotRun;
  int exit_status = 0;                      // as waitpid's: exit code, or -signal
  std::string log;                          // stdout and stderr, bounded
  std::vector<std::string> command;         // with placeholders INPUT.hip and OUTPUT.co for the temporary files
  std::shared_ptr<const std::vector<std::byte>> object;  // set when kOk
  bool from_cache = false;
  double seconds = 0;
};

// Objects by compiler identity, flags and source, under $XDG_CACHE_HOME (or ~/.cache) in mfma-conform/. Safe when two
// runs share it or one is killed: files appear whole (written aside, renamed) and are checked when read.
class Cache {
 public:
  explicit Cache(std::filesystem::path directory);
  static std::filesystem::path default_directory();
  std::shared_ptr<const std::vector<std::byte>> find(const std::string& key) const;
  void store(const std::string& key, const std::vector<std::byte>& object) const;

 private:
  std::filesystem::path directory_;
};

class Compiler {
 public:
  // One line when `path` is missing, cannot be executed, is not a compiler (its --version does not say clang), or
  // does not know `arch` (asked with an empty kernel). The error says what to do.
  static tl::expected<Compiler, std::string> open(const std::filesystem::path& path, const std::string& arch,
                                                  std::optional<Cache> cache);
  const Identity& identity() const { return identity_; }
  Compiled compile(const Job& job) const;  // thread-safe

 private:
  Compiler(Identity identity, std::optional<Cache> cache);
  Identity identity_;
  std::optional<Cache> cache_;
};

// The flags every job gets, level and arch filled in: for reports.
std::vector<std::string> base_flags(const std::string& arch, const std::string& level);

}  // namespace mfma::compilers
