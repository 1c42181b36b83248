#include "harness/compilers/identity.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "harness/compilers/outcome.h"
#include "harness/system/digest.h"
#include "harness/system/process.h"

namespace mfma::compilers {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kInstallHint = "install clang 22 (Debian: clang-22 lld-22) or pass another --compiler";

// What one of the short questions to a compiler prints; empty when it cannot be asked or does not answer in time.
std::string ask(std::vector<std::string> arguments, const std::vector<std::string>& more_environment,
                std::chrono::milliseconds timeout) {
  const auto directory = system::TemporaryDirectory::create();
  if (!directory) return {};
  system::Command command;
  command.arguments = std::move(arguments);
  command.directory = directory->path();
  command.environment = system::compiler_environment(directory->path());
  command.environment.insert(command.environment.end(), more_environment.begin(), more_environment.end());
  command.timeout = timeout;
  const auto finished = system::run_process(command);
  return finished ? finished->output : std::string();
}

// Calls `use` with each line.
template <typename Use>
void for_each_line(std::string_view text, Use use) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    use(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// "-###" prints one command a line: ` "/path/of/tool" "argument" ...`.
std::vector<fs::path> tools_in(std::string_view commands) {
  std::vector<fs::path> tools;
  for_each_line(commands, [&tools](std::string_view line) {
    constexpr std::string_view kOpening = " \"/";
    if (!line.starts_with(kOpening)) return;
    const std::size_t end = line.find('"', kOpening.size());
    if (end != std::string_view::npos) tools.emplace_back(line.substr(2, end - 2));
  });
  return tools;
}

bool is_compiler_library(std::string_view file_name) {
  constexpr std::array<std::string_view, 3> kPrefixes{"libLLVM", "libclang", "liblld"};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](std::string_view p) { return file_name.starts_with(p); });
}

// The loader prints `<tab>name => /path (address)` for each library instead of running the program: what ldd uses.
std::vector<fs::path> libraries_of(const fs::path& program, std::chrono::milliseconds timeout) {
  std::vector<fs::path> libraries;
  const std::string listing = ask({program.string(), "--version"}, {"LD_TRACE_LOADED_OBJECTS=1"}, timeout);
  for_each_line(listing, [&libraries](std::string_view line) {
    const std::size_t arrow = line.find(" => /"), end = line.rfind(" (");
    if (arrow == std::string_view::npos || end == std::string_view::npos || end < arrow + 4) return;
    fs::path library(line.substr(arrow + 4, end - arrow - 4));
    if (is_compiler_library(library.filename().string())) libraries.push_back(std::move(library));
  });
  return libraries;
}

}  // namespace

tl::expected<fs::path, std::string> find_program(const fs::path& name) {
  if (name.empty()) return tl::make_unexpected(fmt::format("no compiler named; {}", kInstallHint));
  std::error_code error;
  fs::path program = name;
  if (name.native().find('/') == std::string::npos) {
    const char* const search = std::getenv("PATH");
    std::string_view rest = search != nullptr ? search : "";
    program.clear();
    while (!rest.empty() && program.empty()) {
      const std::size_t end = std::min(rest.find(':'), rest.size());
      const fs::path candidate = fs::path(rest.substr(0, end)) / name;
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (fs::is_regular_file(candidate, error) && access(candidate.c_str(), X_OK) == 0) program = candidate;
    }
    if (program.empty())
      return tl::make_unexpected(fmt::format("compiler {}: not found on PATH; {}", name.string(), kInstallHint));
  }
  const auto refuse = [&name](std::string_view why) {
    return tl::make_unexpected(fmt::format("compiler {}: {}; {}", name.string(), why, kInstallHint));
  };
  const fs::file_status status = fs::status(program, error);
  if (error == std::errc::permission_denied) return refuse("may not be looked at by this user");
  if (!fs::exists(status)) return refuse("does not exist");
  if (fs::is_directory(status)) return refuse("is a directory, not a program");
  if (!fs::is_regular_file(status)) return refuse("is not a regular file");
  if (access(program.c_str(), X_OK) != 0) return refuse("is not executable by this user");
  return fs::absolute(program);
}

tl::expected<std::string, std::string> read_version(const fs::path& program, std::chrono::milliseconds timeout) {
  const auto refuse = [&program](std::string_view why) {
    return tl::make_unexpected(fmt::format("compiler {}: {}; {}", program.string(), why, kInstallHint));
  };
  const auto directory = system::TemporaryDirectory::create();
  if (!directory) return tl::make_unexpected(directory.error());
  system::Command command;
  command.arguments = {program.string(), "--version"};
  command.directory = directory->path();
  command.environment = system::compiler_environment(directory->path());
  command.timeout = timeout;
  const auto finished = system::run_process(command);
  if (!finished) return refuse(finished.error());
  if (finished->timed_out)
    return refuse(fmt::format("did not answer --version within {} s", static_cast<double>(timeout.count()) / 1000));
  if (finished->exit_status != 0)
    return refuse(finished->exit_status < 0
                      ? fmt::format("died by signal {} when asked for --version", -finished->exit_status)
                      : fmt::format("exit {} when asked for --version", finished->exit_status));
  // A wrapper may say something first; the version is the first line that names clang.
  std::string version;
  for_each_line(finished->output, [&version](std::string_view line) {
    if (version.empty() && line.find("clang version") != std::string_view::npos) version = line;
  });
  if (version.empty())
    return refuse(fmt::format("is not a clang: its --version does not say \"clang version\" but \"{}\"",
                              telling_line(finished->output).substr(0, 60)));
  return telling_line(version);
}

std::vector<fs::path> files_of_compiler(const fs::path& program, const std::string& arch,
                                        std::chrono::milliseconds timeout) {
  std::vector<std::string> question{program.string(), "-###"};
  for (std::string& flag : base_flags(arch, "O2")) question.push_back(std::move(flag));
  question.insert(question.end(), {"-", "-o", "OUTPUT.co"});
  std::vector<fs::path> programs = tools_in(ask(std::move(question), {}, timeout));
  programs.push_back(program);

  std::set<fs::path> files;
  std::error_code error;
  const auto add = [&](const fs::path& file) {
    const fs::path resolved = fs::canonical(file, error);
    return !error && files.insert(resolved).second;
  };
  for (const fs::path& p : programs) {
    if (!add(p)) continue;
    for (const fs::path& library : libraries_of(p, timeout)) add(library);
  }
  return {files.begin(), files.end()};
}

tl::expected<std::string, std::string> hash_of_files(const std::vector<fs::path>& files) {
  // Names count, places do not: the same compiler in another directory is the same compiler.
  std::set<std::pair<std::string, std::string>> contents;
  for (const fs::path& file : files) {
    auto content = system::digest_of_file(file);
    if (!content) return tl::make_unexpected(content.error());
    contents.emplace(file.filename().string(), std::move(*content));
  }
  system::Digest digest;
  for (const auto& [name, content] : contents) digest.field(name).field(content);
  return digest.hex().substr(0, 16);
}

}  // namespace mfma::compilers
