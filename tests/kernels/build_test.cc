#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "harness/catalogue/builtin.h"
#include "harness/kernels/kernel.h"
#include "harness/system/process.h"
#include "tests/kernels/disassembly.h"

namespace mfma::kernels {
namespace {

namespace fs = std::filesystem;
using compilers::Outcome;
using ::testing::Each;
using ::testing::HasSubstr;

compilers::Compiler open(const fs::path& path) {
  auto opened = compilers::Compiler::open(path, "gfx950", {});
  if (!opened) throw std::runtime_error(opened.error());
  return *opened;
}

std::vector<Piece> plain_pieces(std::size_t count) {
  std::vector<Piece> pieces;
  for (const catalogue::Builtin& b : catalogue::builtins().first(count)) pieces.push_back(piece_of({&b, {}}));
  return pieces;
}

std::vector<Outcome> outcomes(const std::vector<BuiltPiece>& built) {
  std::vector<Outcome> result;
  for (const BuiltPiece& b : built) result.push_back(b.compiled.outcome);
  return result;
}

compilers::Job at_level(const std::string& level) {
  compilers::Job job;
  job.level = level;
  return job;
}

TEST(Rejected, BuiltinsFailInTheBackendAtEveryLevel) {
  const auto compiler = open("clang-22");
  for (const auto& r : catalogue::rejected_builtins()) {
    for (const char* level : {"O0", "O2"}) {
      compilers::Job job = at_level(level);
      job.source = rejected_unit(r.name).value();
      const auto compiled = compiler.compile(job);
      EXPECT_EQ(compilers::name_of(compiled.outcome), "backend error") << r.name << "\n" << compiled.log;
      EXPECT_EQ(compiled.exit_status, 70);
      EXPECT_THAT(compiled.log, HasSubstr("Cannot select: intrinsic %llvm.amdgcn.mfma"));
      EXPECT_EQ(compiled.object, nullptr);
    }
  }
}

TEST(BuildPieces, LosesOnlyWhatIsRejected) {
  const auto compiler = open("clang-22");
  std::vector<Piece> pieces = plain_pieces(20);
  const std::size_t bad[] = {7, 8, 15};
  for (const std::size_t i : bad) {
    const auto names = catalogue::rejected_builtins();
    pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(i),
                  rejected_piece(names[i % names.size()].name).value());
  }
  const auto built = build_pieces(compiler, pieces, at_level("O1"));
  ASSERT_EQ(built.size(), pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const bool rejected = std::find(std::begin(bad), std::end(bad), i) != std::end(bad);
    ASSERT_EQ(compilers::name_of(built[i].compiled.outcome), rejected ? "backend error" : "ok") << pieces[i].name;
    EXPECT_EQ(built[i].unexplained, nullptr);
    if (rejected) {
      // The log is of the job that held this kernel alone.
      EXPECT_THAT(built[i].compiled.log, HasSubstr("Cannot select"));
    } else {
      EXPECT_TRUE(test::mfma_instructions(*built[i].compiled.object).contains(pieces[i].name));
    }
  }
}

TEST(Build, ReportsIllegalInstancesThatTheCompilerRejectsInOrder) {
  const catalogue::Builtin* const scaled = catalogue::find_builtin("mfma_scale_f32_16x16x128_f8f6f4");
  std::vector<catalogue::Instance> instances(5, {scaled, {}});
  for (std::size_t i = 0; i < instances.size(); ++i) {
    instances[i].modifiers.scaled = true;
    instances[i].modifiers.op_sel_a = static_cast<int>(i);  // 4 cannot be selected
  }
  const auto built = build(open("clang-22"), instances, "O2", {});
  ASSERT_EQ(built.size(), instances.size());
  for (std::size_t i = 0; i < built.size(); ++i) {
    EXPECT_EQ(built[i].instance, instances[i]);
    EXPECT_EQ(built[i].level, "O2");
    EXPECT_EQ(compilers::name_of(built[i].compiled.outcome), i == 4 ? "backend error" : "ok");
  }
}

TEST(Build, PassesFlagsOnAndAcceptsNothingToDo) {
  const auto compiler = open("clang-22");
  EXPECT_TRUE(build(compiler, {}, "O2", {}).empty());
  const catalogue::Instance instance{&catalogue::builtins().front(), {}};
  const auto built = build(compiler, {&instance, 1}, "O2", {"-mcode-object-version=5"});
  ASSERT_NE(built.front().compiled.object, nullptr) << built.front().compiled.log;
  EXPECT_EQ((*built.front().compiled.object)[8], std::byte{3});  // EI_ABIVERSION of code object version 5
}

// A compiler made of shell: counts its jobs in `runs`, then does what it is told. $in and $out are its files.
class FakeCompiler {
 public:
  explicit FakeCompiler(std::string_view on_compile)
      : directory_(std::move(system::TemporaryDirectory::create().value())), path_(directory_.path() / "fake") {
    std::ofstream(path_)
        << "#!/bin/sh\nfor last; do :; done; in=INPUT.hip; out=$last\n"
           "case \"$1\" in\n--version) echo 'fake clang version 99.0.0'; exit 0;;\n'-###') exit 0;;\nesac\n"
        << "if grep -q empty_kernel $in; then printf '\\177ELF' > $out; exit 0; fi\n"
        << "echo run >> " << directory_.path().string() << "/runs\n"
        << on_compile << "\n";
    fs::permissions(path_, fs::perms::owner_all);
  }
  const fs::path& path() const { return path_; }
  std::size_t runs() const {
    std::ifstream file(directory_.path() / "runs");
    return static_cast<std::size_t>(std::distance(std::istream_iterator<std::string>(file), {}));
  }

 private:
  system::TemporaryDirectory directory_;
  fs::path path_;
};

TEST(BuildPieces, KeepsAFailureThatSplittingHides) {
  // Crashes on any batch of three or more.
  const FakeCompiler fake("if [ $(grep -c ^KERNEL $in) -ge 3 ]; then kill -SEGV $$; fi; printf '\\177ELF' > $out");
  const auto built = build_pieces(open(fake.path()), plain_pieces(8), at_level("O2"));
  EXPECT_THAT(outcomes(built), Each(Outcome::kOk));
  for (const BuiltPiece& b : built) {
    ASSERT_NE(b.unexplained, nullptr);
    EXPECT_EQ(compilers::name_of(b.unexplained->outcome), "crash");
    EXPECT_EQ(b.unexplained, built.front().unexplained);  // the whole batch
  }
}

TEST(BuildPieces, BlamesOnlyTheBatchesThatNoKernelExplains) {
  const std::vector<Piece> pieces = plain_pieces(8);
  // The first kernel fails alone; the last four fail together but none of them alone.
  const FakeCompiler fake(
      fmt::format("if grep -q ' {}(' $in; then exit 70; fi; "
                  "if [ $(grep -c ^KERNEL $in) -ge 4 ]; then exit 254; fi; printf '\\177ELF' > $out",
                  pieces[0].name));
  const auto built = build_pieces(open(fake.path()), pieces, at_level("O2"));
  EXPECT_EQ(compilers::name_of(built[0].compiled.outcome), "backend error");
  for (std::size_t i = 0; i < built.size(); ++i) EXPECT_EQ(built[i].unexplained != nullptr, i >= 4) << i;
}

TEST(BuildPieces, DoesNotSplitForEverWhenAllHang) {
  const FakeCompiler fake("sleep 1000");
  compilers::Job job = at_level("O2");
  job.timeout = std::chrono::milliseconds(100);
  const auto built = build_pieces(open(fake.path()), plain_pieces(32), job);
  EXPECT_THAT(outcomes(built), Each(Outcome::kTimeout));
  // To the third lone kernel: 32, 16, 8, 4, 2, 1, 1, 2, 1; then what was left unsplit on the way: 1, 4, 8, 16.
  EXPECT_LE(fake.runs(), 13U);  // fewer where the machine is too slow to count in time; all would be 63
}

TEST(BuildPieces, OneHangingKernelCostsNoOther) {
  const std::vector<Piece> pieces = plain_pieces(2);
  const FakeCompiler fake(
      fmt::format("if grep -q ' {}(' $in; then sleep 1000; fi; printf '\\177ELF' > $out", pieces[1].name));
  compilers::Job job = at_level("O2");
  job.timeout = std::chrono::milliseconds(4'000);  // twice waited for; ample for the other kernel on any machine
  const auto built = build_pieces(open(fake.path()), pieces, job);
  EXPECT_EQ(compilers::name_of(built[0].compiled.outcome), "ok");
  EXPECT_EQ(compilers::name_of(built[1].compiled.outcome), "timeout");
}

TEST(BuildPieces, DoesNotSplitWhatIsNoKernelsFault) {
  const FakeCompiler fake("echo \"error: unable to execute command: Executable \\\"lld\\\" doesn't exist!\"; exit 1");
  const auto built = build_pieces(open(fake.path()), plain_pieces(8), at_level("O2"));
  EXPECT_THAT(outcomes(built), Each(Outcome::kCannotRun));
  EXPECT_EQ(fake.runs(), 1U);
}

}  // namespace
}  // namespace mfma::kernels
