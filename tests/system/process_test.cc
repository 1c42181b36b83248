#include "harness/system/process.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/system/support.h"

namespace mfma::system {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

Command shell(const std::string& script, milliseconds timeout = milliseconds(60'000)) {
  Command command;
  command.arguments = {"/bin/sh", "-c", script};
  command.environment = {"PATH=/usr/bin:/bin"};
  command.timeout = timeout;
  return command;
}

Finished run(const Command& command) {
  auto finished = run_process(command);
  if (!finished) throw std::runtime_error(finished.error());
  return *finished;
}

// True when the process is gone or is a zombie, which nothing can kill any more. Waits for it a while: a killed
// process takes a moment to go.
bool dies(pid_t pid) {
  for (int i = 0; i < 1000; ++i) {
    std::ifstream stat(fmt::format("/proc/{}/stat", pid));
    std::string line;
    if (!std::getline(stat, line)) return true;
    if (line.compare(line.rfind(')') + 2, 1, "Z") == 0) return true;
    std::this_thread::sleep_for(milliseconds(10));
  }
  return false;
}

bool has_no_children() { return waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD; }

TEST(RunProcess, CapturesBothStreamsAndTheExitCode) {
  const Finished f = run(shell("echo out; echo err >&2; exit 7"));
  EXPECT_EQ(f.exit_status, 7);
  EXPECT_EQ(f.output, "out\nerr\n");
  EXPECT_FALSE(f.timed_out);
}

TEST(RunProcess, SignalsAreNegative) {
  EXPECT_EQ(run(shell("kill -SEGV $$")).exit_status, -SIGSEGV);
  EXPECT_EQ(run(shell("kill -KILL $$")).exit_status, -SIGKILL);
}

TEST(RunProcess, StandardInputIsEmpty) { EXPECT_EQ(run(shell("cat; echo done")).output, "done\n"); }

TEST(RunProcess, WorksInTheDirectoryAndEnvironmentItIsGiven) {
  const auto directory = test::scratch();
  Command command = shell("pwd; env | grep -v -e ^PWD= -e ^_= -e ^SHLVL= -e ^OLDPWD= | sort");
  command.directory = directory.path();
  command.environment.emplace_back("FLAVOUR=a b;$(c)");
  EXPECT_EQ(run(command).output,
            fmt::format("{}\nFLAVOUR=a b;$(c)\nPATH=/usr/bin:/bin\n", fs::canonical(directory.path()).string()));
}

TEST(RunProcess, ArgumentsGoThroughNoShell) {
  Command command = shell("");
  command.arguments = {"/bin/echo", "$HOME", "`id`", "a  b", ";", "*"};
  EXPECT_EQ(run(command).output, "$HOME `id` a  b ; *\n");
}

TEST(RunProcess, TheChildInheritsNoOtherDescriptor) {
  const int leaky = dup(0);  // not close-on-exec
  const Finished f = run(shell("ls /proc/$$/fd"));
  close(leaky);
  std::istringstream listed(f.output);
  std::vector<int> descriptors{std::istream_iterator<int>(listed), {}};
  // dash keeps a descriptor of its own, at 10 or above.
  std::erase_if(descriptors, [](int fd) { return fd >= 10; });
  EXPECT_THAT(descriptors, ::testing::ElementsAre(0, 1, 2));
}

TEST(RunProcess, SignalSettingsOfTheCallerDoNotReachTheChild) {
  signal(SIGTERM, SIG_IGN);
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
  const Finished f = run(shell("kill -TERM $$; sleep 60; echo survived"));
  pthread_sigmask(SIG_UNBLOCK, &blocked, nullptr);
  signal(SIGTERM, SIG_DFL);
  EXPECT_EQ(f.exit_status, -SIGTERM) << f.output;
}

TEST(RunProcess, TimeoutKillsTheWholeGroup) {
  Finished f;
  // Long enough for the shell to get as far as its echo, however slow the machine.
  for (milliseconds timeout(200); f.output.empty(); timeout *= 2)
    f = run(shell("trap '' TERM INT; sleep 1000 & echo $!; wait", timeout));
  EXPECT_TRUE(f.timed_out);
  EXPECT_EQ(f.exit_status, -SIGKILL);
  EXPECT_TRUE(dies(std::stoi(f.output))) << f.output;
  EXPECT_TRUE(has_no_children());
}

TEST(RunProcess, ChildrenLeftBehindAreKilledAndNotWaitedFor) {
  // The sleeper holds the pipe open: waiting for the end of the stream would take its whole life.
  const Finished f = run(shell("sleep 1000 & echo $!; exit 3"));
  EXPECT_FALSE(f.timed_out);
  EXPECT_EQ(f.exit_status, 3);
  EXPECT_TRUE(dies(std::stoi(f.output)));
}

TEST(RunProcess, AChildThatLeftTheGroupDoesNotHoldUsUp) {
  // It closes nothing, so it holds the pipe open too.
  const auto directory = test::scratch();
  Command command = shell("mkfifo f; setsid sh -c 'echo $$; echo > f; exec sleep 1000' & read line < f; exit 0");
  command.directory = directory.path();
  const Finished f = run(command);
  EXPECT_FALSE(f.timed_out);
  EXPECT_EQ(f.exit_status, 0);
  const pid_t stray = std::stoi(f.output);
  EXPECT_EQ(kill(stray, SIGKILL), 0);
  EXPECT_TRUE(dies(stray));
}

TEST(RunProcess, ClosingItsOutputDoesNotEndIt) {
  const Finished f = run(shell("exec >&- 2>&-; sleep 0.2; exit 4"));
  EXPECT_EQ(f.exit_status, 4);
  EXPECT_TRUE(run(shell("exec >&- 2>&-; sleep 1000", milliseconds(200))).timed_out);
}

TEST(RunProcess, KeepsHeadAndTailOfEndlessOutput) {
  const Finished f = run(shell("echo first; head -c 100000000 /dev/zero; echo last"));
  EXPECT_EQ(f.exit_status, 0);
  EXPECT_LT(f.output.size(), 140'000U);
  EXPECT_TRUE(f.output.starts_with("first\n"));
  EXPECT_TRUE(f.output.ends_with("last\n"));
  // 100,000,000 + "first\n" + "last\n" less twice 64 KiB.
  EXPECT_THAT(f.output, HasSubstr(fmt::format("[... {} bytes left out ...]", 100'000'011 - 2 * 65'536)));
}

TEST(RunProcess, NothingIsLeftOutOfOutputThatFits) {
  Command command = shell("printf abcdefgh");
  command.keep_head = 3;
  command.keep_tail = 5;
  EXPECT_EQ(run(command).output, "abcdefgh");
  command.keep_tail = 4;
  EXPECT_EQ(run(command).output, "abc\n[... 1 bytes left out ...]\nefgh");
}

TEST(RunProcess, AWriterWithoutPauseStillMeetsItsDeadline) {
  const Finished f = run(shell("cat /dev/zero", milliseconds(300)));
  EXPECT_TRUE(f.timed_out);
  EXPECT_LT(f.output.size(), 140'000U);
}

TEST(RunProcess, SaysWhyAProgramCannotStart) {
  Command command = shell("");
  command.arguments = {"/no/such/program"};
  EXPECT_THAT(run_process(command).error(), HasSubstr("cannot start /no/such/program: No such file"));
  command.arguments = {"/tmp"};
  EXPECT_THAT(run_process(command).error(), HasSubstr("Permission denied"));
  const auto directory = test::scratch();
  test::write_file(directory.path() / "text", "neither script nor program\n");
  fs::permissions(directory.path() / "text", fs::perms::owner_all);
  command.arguments = {(directory.path() / "text").string()};
  EXPECT_THAT(run_process(command).error(), HasSubstr("cannot start"));
  command.arguments.clear();
  EXPECT_FALSE(run_process(command));
  EXPECT_TRUE(has_no_children());
}

TEST(RunProcess, ManyThreadsGetEachTheirOwn) {
  constexpr int kThreads = 8, kRuns = 12;
  std::vector<std::string> wrong(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([t, &wrong] {
      for (int i = 0; i < kRuns; ++i) {
        const std::string word = fmt::format("{}-{}", t, i);
        const int code = (t * kRuns + i) % 100;
        const auto f = run_process(shell(fmt::format("echo {}; exit {}", word, code)));
        if (!f || f->output != word + "\n" || f->exit_status != code)
          wrong[static_cast<std::size_t>(t)] += word + (f ? ": " + f->output : ": " + f.error());
      }
    });
  }
  for (std::thread& t : threads) t.join();
  for (const std::string& w : wrong) EXPECT_EQ(w, "");
  EXPECT_TRUE(has_no_children());
}

TEST(CompilerEnvironment, PassesOnWhatFindsProgramsAndNothingThatChangesObjects) {
  const test::ScopedEnvironment path("PATH", "/somewhere"), include("CPATH", "/elsewhere"),
      override_options("CCC_OVERRIDE_OPTIONS", "+-O0"), locale("LC_ALL", "de_DE.UTF-8"),
      library("LD_LIBRARY_PATH", "/l"), home("HOME", "/h");
  EXPECT_THAT(compiler_environment("/scratch"),
              ::testing::UnorderedElementsAre("LC_ALL=C", "TMPDIR=/scratch", "PATH=/somewhere", "HOME=/h",
                                              "LD_LIBRARY_PATH=/l"));
}

TEST(TemporaryDirectory, IsPrivateAndGoesAway) {
  fs::path path;
  {
    auto directory = test::scratch();
    path = directory.path();
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
    test::write_file(path / "f", "x");
    const TemporaryDirectory moved = std::move(directory);
    EXPECT_TRUE(fs::exists(path / "f"));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryDirectory, SaysWhatToDoWhenItCannotBeMade) {
  const test::ScopedEnvironment nowhere("TMPDIR", "/no/such/place");
  const auto directory = TemporaryDirectory::create();
  ASSERT_FALSE(directory);
  EXPECT_THAT(directory.error(), HasSubstr("/no/such/place"));
  EXPECT_THAT(directory.error(), HasSubstr("set TMPDIR"));
}

}  // namespace
}  // namespace mfma::system
