// Running a compiler under test: who it is, what it did, and the object it made.
//
// Compilers are processes, never libraries: one of them crashing is a result. Nothing of an outcome is lost: the
// log, the command and the exit status are kept with it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace mfma::compilers {

struct Identity {
  std::filesystem::path path;      // as given
  std::filesystem::path resolved;  // the file that runs, links followed
  std::string version;             // first line of --version
  std::string hash;                // content of that file, its tools and LLVM libraries (identity.h): 16 hex digits
};

enum class Outcome {
  kOk,
  kDiagnostic,    // refused the source with an error of its own
  kBackendError,  // "fatal error: error in backend", cannot select, and the like
  kCrash,         // died by a signal, or by the driver's report of one
  kTimeout,       // still running when its time was up, and killed with all it started
  kNoSuchTarget,  // does not know the target
  kNoObject,      // exit 0 and no object, an empty one, or one that is not an ELF file
  kCannotRun,     // could not be started, or lacked something of the machine: its linker, room on the disk
};
std::string_view name_of(Outcome o);

struct Job {
  std::string source;  // HIP, device only
  std::string arch = "gfx950";
  std::string level = "O2";  // without the dash
  std::vector<std::string> extra_flags;
  std::chrono::milliseconds timeout{120'000};
};

struct Compiled {
  Outcome outcome = Outcome::kCannotRun;
  int exit_status = 0;               // as waitpid's: exit code, or -signal
  std::string log;                   // stdout and stderr, bounded
  std::vector<std::string> command;  // with placeholders INPUT.hip and OUTPUT.co for the temporary files
  std::shared_ptr<const std::vector<std::byte>> object;  // set when kOk
  bool from_cache = false;
  double seconds = 0;
};

// Objects by compiler identity, flags and source, under $XDG_CACHE_HOME (or ~/.cache) in mfma-conform/. Safe when two
// runs share it or one is killed: files appear whole (written aside, renamed) and are checked when read. A damaged
// entry is a miss and is replaced. A directory that cannot be written is no error: it is then a cache that holds
// nothing, and note() says why. Thread-safe; copies share their state.
class Cache {
 public:
  // Bytes of objects that the directory may hold; beyond it the least recently used go first.
  static constexpr std::uintmax_t kDefaultLimit = std::uintmax_t{2} << 30;

  explicit Cache(std::filesystem::path directory, std::uintmax_t limit = kDefaultLimit);
  // Empty where neither XDG_CACHE_HOME nor HOME names an absolute path: a Cache of it holds nothing.
  static std::filesystem::path default_directory();
  // nullptr when there is no entry for the key, or a damaged one.
  std::shared_ptr<const std::vector<std::byte>> find(const std::string& key) const;
  void store(const std::string& key, const std::vector<std::byte>& object) const;

  const std::filesystem::path& directory() const { return directory_; }
  // Why the cache does less than it should; empty when all is well.
  std::string note() const;

 private:
  struct State;
  std::filesystem::path directory_;
  std::shared_ptr<State> state_;
};

struct OpenLimits {
  std::chrono::milliseconds question{20'000};  // --version and the like
  std::chrono::milliseconds probe{60'000};     // the empty kernel
};

class Compiler {
 public:
  // `path`: a program by path, or by name through PATH. One line when it is missing, cannot be executed, is not a
  // compiler (its --version does not say clang), does not know `arch`, or cannot link (both asked with an empty
  // kernel). The error says what to do.
  static tl::expected<Compiler, std::string> open(const std::filesystem::path& path, const std::string& arch,
                                                  std::optional<Cache> cache, const OpenLimits& limits = {});
  const Identity& identity() const { return identity_; }
  const std::optional<Cache>& cache() const { return cache_; }
  // Same source, flags and compiler: same object, whatever the machine, directory or user. Only what ended in kOk is
  // cached. Thread-safe.
  Compiled compile(const Job& job) const;

 private:
  Compiler(Identity identity, std::filesystem::path program, std::optional<Cache> cache);
  Identity identity_;
  std::filesystem::path program_;  // absolute, links not followed: drivers look at the name they are called by
  std::optional<Cache> cache_;
};

// The flags every job gets, level and arch filled in: for reports. Nothing in them depends on the machine.
std::vector<std::string> base_flags(const std::string& arch, const std::string& level);

}  // namespace mfma::compilers
