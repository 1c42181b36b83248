#include "harness/compilers/outcome.h"

#include <gtest/gtest.h>

#include <csignal>
#include <string>

namespace mfma::compilers {
namespace {

system::Finished ended(int exit_status, std::string output, bool timed_out = false) {
  system::Finished f;
  f.exit_status = exit_status;
  f.output = std::move(output);
  f.timed_out = timed_out;
  return f;
}

// The texts are what clang 14, 19 and 22 print.
TEST(Outcome, IsReadFromStatusAndText) {
  struct Row {
    system::Finished finished;
    Outcome expected;
  };
  const Row rows[] = {
      {ended(0, ""), Outcome::kOk},
      {ended(0, "warning: something with an error in its text"), Outcome::kOk},
      {ended(-SIGKILL, "fatal error: error in backend: Cannot select", true), Outcome::kTimeout},
      {ended(-SIGSEGV, ""), Outcome::kCrash},
      {ended(-SIGABRT, "clang: error: nothing in particular"), Outcome::kCrash},
      {ended(1, "INPUT.hip:1:1: error: unknown type name 'x'"), Outcome::kDiagnostic},
      {ended(1, "error: '__builtin_amdgcn_mfma_f32_16x16x32_f16' needs target feature gfx950-insts"),
       Outcome::kDiagnostic},
      {ended(2, ""), Outcome::kDiagnostic},
      {ended(70,
             "fatal error: error in backend: Cannot select: intrinsic %llvm.amdgcn.mfma.f32.16x16x2bf16\n"
             "clang: error: clang frontend command failed with exit code 70"),
       Outcome::kBackendError},
      {ended(70, "fatal error: error in backend: Cannot select: 0x1\nPLEASE submit a bug report\nStack dump:\n"),
       Outcome::kBackendError},
      {ended(70, ""), Outcome::kBackendError},
      {ended(254,
             "PLEASE submit a bug report to ...\nStack dump:\nclang-22: error: unable to execute command: "
             "Segmentation fault\nclang-22: error: clang frontend command failed due to signal"),
       Outcome::kCrash},
      {ended(254, ""), Outcome::kCrash},
      {ended(139, ""), Outcome::kCrash},
      {ended(1, "clang-19: error: invalid target ID 'gfx950'; format is a processor name"), Outcome::kNoSuchTarget},
      {ended(1, "error: unable to create target: 'No available targets are compatible with triple \"amdgcn\"'"),
       Outcome::kNoSuchTarget},
      {ended(1, "clang: error: unable to execute command: Executable \"lld\" doesn't exist!"), Outcome::kCannotRun},
      {ended(1, "LLVM ERROR: IO failure on output stream: No space left on device"), Outcome::kCannotRun},
  };
  for (const Row& row : rows) EXPECT_EQ(name_of(classify(row.finished)), name_of(row.expected)) << row.finished.output;
}

TEST(TellingLine, IsTheErrorOrElseTheFirstLineAndAlwaysPrintable) {
  EXPECT_EQ(telling_line("note\nfile:1: error: bad\nerror: worse\n"), "file:1: error: bad");
  EXPECT_EQ(telling_line("\n \nonly this\nand that"), "only this");
  EXPECT_EQ(telling_line(""), "");
  EXPECT_EQ(telling_line("a\033[31m\377z"), "a?[31m?z");
  EXPECT_EQ(telling_line(std::string(5000, 'e')).size(), 300U);
}

}  // namespace
}  // namespace mfma::compilers
