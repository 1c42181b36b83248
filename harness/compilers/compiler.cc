#include "harness/compilers/compiler.h"

#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <iterator>
#include <system_error>
#include <utility>

#include "harness/compilers/identity.h"
#include "harness/compilers/outcome.h"
#include "harness/system/digest.h"
#include "harness/system/process.h"
#include "harness/system/whole_file.h"

namespace mfma::compilers {
namespace {

namespace fs = std::filesystem;

// The real names, relative to a private working directory: the object and the log then hold no path of the machine,
// and the command can be reported as it was.
constexpr const char *kInput = "INPUT.hip", *kOutput = "OUTPUT.co";

// Goes into every key; raise it when the way of compiling changes without a flag showing it.
constexpr std::string_view kKeyVersion = "mfma-conform object 1";

constexpr std::string_view kEmptyKernel = "extern \"C\" __attribute__((global)) void empty_kernel() {}\n";

std::string cache_key(const Identity& identity, const fs::path& program, const std::vector<std::string>& command,
                      const std::string& source) {
  system::Digest digest;
  digest.field(kKeyVersion).field(identity.version).field(identity.hash);
  digest.field(program.filename().string());  // drivers look at the name they are called by
  for (std::size_t i = 1; i < command.size(); ++i) digest.field(command[i]);
  digest.field(source);
  return digest.hex();
}

bool is_elf(std::string_view bytes) { return bytes.starts_with("\177ELF"); }

void add_to_log(Compiled& compiled, std::string_view line) {
  if (!compiled.log.empty() && !compiled.log.ends_with('\n')) compiled.log += '\n';
  compiled.log += line;
  compiled.log += '\n';
}

void take_object(const fs::path& path, Compiled& compiled) {
  const auto bytes = system::read_whole_file(path);
  if (!bytes || !is_elf(*bytes)) {
    compiled.outcome = Outcome::kNoObject;
    const std::string_view what = !bytes           ? "wrote no object"
                                  : bytes->empty() ? "wrote an empty object"
                                                   : "wrote something that is not an ELF file";
    add_to_log(compiled, fmt::format("mfma-conform: the compiler ended with exit 0 and {}", what));
    return;
  }
  auto object = std::make_shared<std::vector<std::byte>>(bytes->size());
  std::memcpy(object->data(), bytes->data(), bytes->size());
  compiled.object = std::move(object);
}

// Runs command (whose [0] is the compiler) on the source. Fills all but command and from_cache.
void run_job(const Job& job, Compiled& compiled) {
  const auto directory = system::TemporaryDirectory::create();
  if (!directory) return add_to_log(compiled, directory.error());
  if (const auto written = system::write_whole_file(directory->path() / kInput, job.source); !written)
    return add_to_log(compiled, written.error());
  system::Command command;
  command.arguments = compiled.command;
  command.directory = directory->path();
  command.environment = system::compiler_environment(directory->path());
  command.timeout = job.timeout;
  auto finished = system::run_process(command);
  if (!finished) return add_to_log(compiled, finished.error());
  compiled.outcome = classify(*finished);
  compiled.exit_status = finished->exit_status;
  compiled.seconds = finished->seconds;
  compiled.log = std::move(finished->output);
  if (compiled.outcome == Outcome::kTimeout)
    add_to_log(compiled,
               fmt::format("mfma-conform: killed after {} s", static_cast<double>(job.timeout.count()) / 1000));
  if (compiled.outcome == Outcome::kOk) take_object(directory->path() / kOutput, compiled);
}

// What a failed probe means to the person who passed --compiler.
std::string explain_probe(const Identity& identity, const std::string& arch, const Compiled& probe) {
  const std::string who = fmt::format("compiler {} ({})", identity.path.string(), identity.version);
  const std::string said = telling_line(probe.log);
  switch (probe.outcome) {
    case Outcome::kNoSuchTarget:
      return fmt::format(
          "{} does not know {}: {}; use clang 20 or later with the AMDGPU target (Debian: clang-22 lld-22)", who, arch,
          said.substr(0, 80));
    case Outcome::kTimeout:
      return fmt::format("{} did not compile an empty kernel within its time; it hangs, or the machine is overloaded",
                         who);
    case Outcome::kCannotRun:
      if (probe.log.find("doesn't exist!") != std::string::npos || probe.log.find("posix_spawn") != std::string::npos)
        return fmt::format("{} finds no linker: {}; install the lld of the same version (Debian: lld-22 for clang-22)",
                           who, said);
      return fmt::format("{} cannot run here: {}", who, said);
    default:
      if (probe.log.find("lld") != std::string::npos)
        return fmt::format(
            "{} cannot link for {}: {}; install the lld of the same version (Debian: lld-22 for clang-22)", who, arch,
            said);
      return fmt::format(
          "{} does not compile an empty kernel for {} ({}, exit status {}): {}; use a working clang 20 or "
          "later (Debian: clang-22 lld-22)",
          who, arch, name_of(probe.outcome), probe.exit_status, said);
  }
}

}  // namespace

std::vector<std::string> base_flags(const std::string& arch, const std::string& level) {
  // -fuse-cuid=none: the default names a symbol after a hash of the input's absolute path.
  return {"-x",
          "hip",
          "--offload-arch=" + arch,
          "--cuda-device-only",
          "-nogpulib",
          "-nogpuinc",
          "--no-gpu-bundle-output",
          "-fno-crash-diagnostics",
          "-fuse-cuid=none",
          "-" + level,
          "-c"};
}

Compiler::Compiler(Identity identity, fs::path program, std::optional<Cache> cache)
    : identity_(std::move(identity)), program_(std::move(program)), cache_(std::move(cache)) {}

tl::expected<Compiler, std::string> Compiler::open(const fs::path& path, const std::string& arch,
                                                   std::optional<Cache> cache, const OpenLimits& limits) {
  const auto program = find_program(path);
  if (!program) return tl::make_unexpected(program.error());
  auto version = read_version(*program, limits.question);
  if (!version) return tl::make_unexpected(version.error());

  auto hash = hash_of_files(files_of_compiler(*program, arch, limits.question));
  if (!hash) return tl::make_unexpected(fmt::format("compiler {}: {}", path.string(), hash.error()));
  std::error_code error;
  fs::path resolved = fs::canonical(*program, error);
  if (error) resolved = *program;

  Compiler compiler({path, std::move(resolved), std::move(*version), std::move(*hash)}, *program, std::move(cache));
  Job probe;
  probe.source = kEmptyKernel;
  probe.arch = arch;
  probe.level = "O0";
  probe.timeout = limits.probe;
  const Compiled compiled = compiler.compile(probe);
  if (compiled.outcome != Outcome::kOk) return tl::make_unexpected(explain_probe(compiler.identity(), arch, compiled));
  return compiler;
}

Compiled Compiler::compile(const Job& job) const {
  Compiled compiled;
  compiled.command.push_back(program_.string());
  for (std::string& flag : base_flags(job.arch, job.level)) compiled.command.push_back(std::move(flag));
  compiled.command.insert(compiled.command.end(), job.extra_flags.begin(), job.extra_flags.end());
  compiled.command.insert(compiled.command.end(), {kInput, "-o", kOutput});

  std::string key;
  if (cache_) {
    key = cache_key(identity_, program_, compiled.command, job.source);
    if ((compiled.object = cache_->find(key)) != nullptr) {
      compiled.outcome = Outcome::kOk;
      compiled.from_cache = true;
      return compiled;
    }
  }
  run_job(job, compiled);
  if (cache_ && compiled.outcome == Outcome::kOk) cache_->store(key, *compiled.object);
  return compiled;
}

}  // namespace mfma::compilers
