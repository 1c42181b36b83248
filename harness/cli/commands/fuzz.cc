// `mfma-conform fuzz`: libFuzzer on one builtin, by the fuzz preset's programs.
//
// The search is a program of its own, because libFuzzer wants its own main and an instrumented build. This command
// finds it, hands it builtin, corpus and bounds, and turns its exit code into the tool's.

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "harness/cli/commands/builtin_name.h"
#include "harness/cli/commands/command.h"
#include "harness/cli/commands/data.h"

extern char** environ;

namespace mfma::cli {
namespace {

namespace fs = std::filesystem;
using reports::ExitCode;

struct FuzzArguments {
  std::string builtin;
  std::string on = "kernel";
  std::string compiler = "clang-22";
  std::uint64_t max_time = 60, seed = 0;
  std::string artifacts, corpus, target_dir;
  std::vector<std::string> passed_on;
};

constexpr const char* kHowToBuild = "build it with: cmake --preset fuzz && cmake --build --preset fuzz";

// Where the program may be from the folder that mfma-conform is in: beside it, in the same build, in the fuzz build.
constexpr const char* kPlaces[] = {".", "../../fuzz/targets", "../../../fuzz/fuzz/targets"};

std::optional<fs::path> find_target(const FuzzArguments& args) {
  const std::string name = "fuzz_" + args.on;
  std::error_code ignored;
  if (!args.target_dir.empty()) {
    const fs::path asked = fs::path(args.target_dir) / name;
    return fs::is_regular_file(asked, ignored) ? std::optional(asked) : std::nullopt;
  }
  const fs::path here = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const char* place : kPlaces) {
    const fs::path candidate = (here / place / name).lexically_normal();
    if (fs::is_regular_file(candidate, ignored)) return candidate;
  }
  return std::nullopt;
}

// libFuzzer keeps what it finds worth keeping in the first folder of its corpus, so the seeds never come first.
std::vector<std::string> command_of(const fs::path& target, const FuzzArguments& args) {
  std::vector<std::string> command = {target.string(),
                                      "--builtin=" + args.builtin,
                                      "--compiler=" + args.compiler,
                                      fmt::format("-max_total_time={}", args.max_time),
                                      fmt::format("-artifact_prefix={}/", args.artifacts),
                                      "-max_len=4096",
                                      "-print_final_stats=1"};
  if (args.seed != 0) command.push_back(fmt::format("-seed={}", args.seed));
  command.insert(command.end(), args.passed_on.begin(), args.passed_on.end());
  command.push_back(args.corpus);
  if (const auto seeds = data_folder("seeds/" + args.on)) {
    command.push_back(seeds->string());
  } else {
    say("fuzz: no seeds are near this program (corpus/seeds/" + args.on + "): the search begins with --corpus alone");
  }
  return command;
}

// waitpid's status of the program, or one line on why it did not start. An interrupt is the program's to handle: it
// ends the search in an orderly way.
tl::expected<int, std::string> run_program(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const auto previous = std::signal(SIGINT, SIG_IGN);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGINT);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  const int failed = posix_spawn(&child, arguments[0], nullptr, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  int status = 0;
  if (failed == 0) {
    while (waitpid(child, &status, 0) == -1 && errno == EINTR) {
    }
  }
  std::signal(SIGINT, previous);
  if (failed != 0) return tl::make_unexpected(fmt::format("{} cannot be run: {}", command[0], std::strerror(failed)));
  return status;
}

struct Meaning {
  ExitCode code;
  const char* words;  // empty: nothing to add
};

// Of the program's exit code: libFuzzer's own, 1 of a sanitizer, 2 of a target that could not begin.
Meaning meaning_of(int exit_code) {
  static const std::map<int, Meaning> kMeanings = {
      {0, {ExitCode::kPass, ""}},
      {1, {ExitCode::kFailure, "something was found (a sanitizer's report, above)"}},
      {2, {ExitCode::kNoVerdict, "the target could not begin (its line is above)"}},
      {70, {ExitCode::kHangOrLost, "an input did not end in time"}},
      {71, {ExitCode::kFailure, "an input took more memory than allowed"}},
      {72, {ExitCode::kNoVerdict, "interrupted: nothing was found until then"}},
      {77, {ExitCode::kFailure, "something was found"}},
  };
  const auto known = kMeanings.find(exit_code);
  return known != kMeanings.end() ? known->second : Meaning{ExitCode::kNoVerdict, "the target ended in an unknown way"};
}

int fuzz(const FuzzArguments& args) {
  const auto builtin = builtin_named(args.builtin);
  if (!builtin) return fail(ExitCode::kUsage, builtin.error());
  const auto target = find_target(args);
  if (!target) {
    const std::string where = args.target_dir.empty() ? "" : " in " + args.target_dir;
    return fail(ExitCode::kNoVerdict,
                fmt::format("the fuzz target fuzz_{} is not there{}; {}", args.on, where, kHowToBuild));
  }
  FuzzArguments complete = args;
  complete.builtin = (*builtin)->name;
  if (args.corpus.empty()) complete.corpus = args.artifacts + "/corpus";
  for (const auto& [flag, folder] :
       {std::pair("--artifacts", args.artifacts), std::pair("--corpus", complete.corpus)}) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
      return fail(ExitCode::kNoVerdict, fmt::format("{} {}: cannot be made: {}", flag, folder, error.message()));
    }
  }
  const auto status = run_program(command_of(*target, complete));
  if (!status) return fail(ExitCode::kNoVerdict, status.error());
  if (!WIFEXITED(*status)) {
    return fail(ExitCode::kFailure, fmt::format("{}: ended by signal {}; inputs are in {}", (*builtin)->name,
                                                WTERMSIG(*status), args.artifacts));
  }
  const Meaning meaning = meaning_of(WEXITSTATUS(*status));
  if (*meaning.words == '\0') return 0;
  return fail(meaning.code, fmt::format("{}: {} (exit code {} of the target); inputs, if any, are in {}",
                                        (*builtin)->name, meaning.words, WEXITSTATUS(*status), args.artifacts));
}

}  // namespace

void add_fuzz(CLI::App& app, Invocation& invocation) {
  auto args = std::make_shared<FuzzArguments>();
  CLI::App* command = app.add_subcommand(
      "fuzz",
      "Search with libFuzzer for operands on which the emulated device and the oracle differ. Needs the fuzz preset:\n"
      "cmake --preset fuzz && cmake --build --preset fuzz.");
  command->footer(
      "Exit codes: 0 nothing found; 1 found; 2 the target is not built or could not begin, or was interrupted; 3 an "
      "input\n"
      "did not end; 64 usage.");
  command->add_option("BUILTIN", args->builtin, "The builtin")->required();
  command
      ->add_option("--on", args->on,
                   "kernel: what the compiler made of the builtin, executed by the emulated device; matrix: the\n"
                   "matrix unit alone, under any arithmetic model")
      ->check(CLI::IsMember({"kernel", "matrix"}))
      ->capture_default_str();
  command->add_option("--compiler", args->compiler, "Compiler under test, a path or a name found in PATH")
      ->type_name("PATH")
      ->capture_default_str();
  command->add_option("--max-time", args->max_time, "Seconds to search")
      ->type_name("S")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000}))
      ->capture_default_str();
  command->add_option("--seed", args->seed, "Seed of the search (default: another each time)")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{0xffffffff}));
  command->add_option("--artifacts", args->artifacts, "Folder for inputs that were found")
      ->type_name("DIR")
      ->default_val("fuzz-artifacts");
  command
      ->add_option("--corpus", args->corpus,
                   "Folder of inputs to begin with, besides the seeds of the source tree; new ones are kept there\n"
                   "(default: corpus in the artifacts folder)")
      ->type_name("DIR");
  command
      ->add_option("--target-dir", args->target_dir,
                   "Folder of the fuzz targets (default: beside this program, or "
                   "the fuzz preset's build folder)")
      ->type_name("DIR");
  command->add_option("ARGS", args->passed_on, "After --: passed on to libFuzzer as they are")->type_name("");
  command->callback([args, &invocation] { invocation.action = [args] { return fuzz(*args); }; });
}

}  // namespace mfma::cli
