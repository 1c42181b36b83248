#include "harness/compilers/compiler.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/system/support.h"

namespace mfma::compilers {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kKernel = "extern \"C\" __attribute__((global)) void k(int* p) { *p = 1; }\n";
// A case that crashes clang 22 at -O1 and above (compiler facts, section 0.4): a format code of -1.
constexpr std::string_view kCrashes = R"(
typedef int v8i32 __attribute__((ext_vector_type(8)));
typedef float v4f32 __attribute__((ext_vector_type(4)));
extern "C" __attribute__((global)) void k(const v8i32* a, const v8i32* b, const v4f32* c, v4f32* d, const int* s) {
  *d = __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(*a, *b, *c, -1, 0, 0, *s, 0, *s);
})";
constexpr std::string_view kCannotSelect = R"(
typedef short v2i16 __attribute__((ext_vector_type(2)));
typedef float v4f32 __attribute__((ext_vector_type(4)));
extern "C" __attribute__((global)) void k(const v2i16* a, const v2i16* b, v4f32* d) {
  *d = __builtin_amdgcn_mfma_f32_4x4x2bf16(*a, *b, *d, 0, 0, 0);
})";

Compiler open(const fs::path& path, std::optional<Cache> cache = {}) {
  auto compiler = Compiler::open(path, "gfx950", std::move(cache));
  if (!compiler) throw std::runtime_error(compiler.error());
  return *compiler;
}

std::string why_not(const fs::path& path, const OpenLimits& limits = {}) {
  const auto compiler = Compiler::open(path, "gfx950", {}, limits);
  return compiler ? "it opened" : compiler.error();
}

Job job(std::string_view source, const std::string& level = "O2") {
  Job j;
  j.source = source;
  j.level = level;
  return j;
}

std::string_view text(const Compiled& c) { return {reinterpret_cast<const char*>(c.object->data()), c.object->size()}; }

MATCHER(IsOneUsefulLine, "is one line that says what to do") {
  return arg.find('\n') == std::string::npos && arg.size() < 600 &&
         (arg.find("install") != std::string::npos || arg.find("use ") != std::string::npos ||
          arg.find("hangs") != std::string::npos);
}

TEST(Open, KnowsClang22) {
  const Compiler compiler = open("clang-22");
  const Identity& identity = compiler.identity();
  EXPECT_EQ(identity.path, "clang-22");
  EXPECT_EQ(identity.resolved, fs::canonical("/usr/bin/clang-22"));
  EXPECT_THAT(identity.version, HasSubstr("clang version 22."));
  EXPECT_THAT(identity.hash, ::testing::MatchesRegex("[0-9a-f]{16}"));
  EXPECT_EQ(open("/usr/bin/clang++-22").identity().hash, identity.hash);
}

TEST(Open, SaysThatClang19DoesNotKnowTheTarget) {
  EXPECT_THAT(why_not("clang-19"), AllOf(IsOneUsefulLine(), HasSubstr("clang-19"), HasSubstr("does not know gfx950"),
                                         HasSubstr("invalid target ID 'gfx950'"), HasSubstr("clang 20 or later")));
}

TEST(Open, RefusesWhatIsNoCompiler) {
  const auto directory = test::scratch();
  const fs::path here = directory.path();
  test::write_file(here / "text", "just text\n");
  test::write_file(here / "executable-text", "just text\n");
  fs::permissions(here / "executable-text", fs::perms::owner_all);
  fs::create_symlink("nowhere", here / "dangling");
  struct Row {
    fs::path path;
    std::string expected;
  };
  const Row rows[] = {
      {here / "missing", "does not exist"},
      {here / "dangling", "does not exist"},
      {"no-such-compiler-on-path", "not found on PATH"},
      {"", "no compiler named"},
      {here, "is a directory"},
      {"/dev/null", "not a regular file"},
      {here / "text", "not executable"},
      {here / "executable-text", "cannot start"},
      {"/bin/true", "is not a clang"},
      {"/bin/false", "exit 1"},
      {"/bin/cat", "is not a clang"},
      {test::write_script(here / "junk", "head -c 100000000 /dev/urandom\n"), "is not a clang"},
      {test::write_script(here / "silent", "exit 0\n"), "is not a clang"},
      {test::write_script(here / "failing", "exit 3\n"), "exit 3"},
      {test::write_script(here / "dying", "kill -SEGV $$\n"), "died by signal 11"},
      {test::write_script(here / "gcc", "echo 'gcc (Debian) 12.2.0'\n"), "gcc (Debian) 12.2.0"},
  };
  for (const Row& row : rows)
    EXPECT_THAT(why_not(row.path), AllOf(IsOneUsefulLine(), HasSubstr(row.path.string()), HasSubstr(row.expected)));
}

TEST(Open, DoesNotWaitForOneThatHangs) {
  const auto directory = test::scratch();
  const OpenLimits limits{milliseconds(200), milliseconds(200)};
  EXPECT_THAT(why_not(test::write_script(directory.path() / "a", "sleep 1000\n"), limits),
              AllOf(IsOneUsefulLine(), HasSubstr("did not answer --version within 0.2 s")));
  EXPECT_THAT(why_not(test::write_fake_compiler(directory.path() / "b", "sleep 1000\n"),
                      {milliseconds(20'000), milliseconds(200)}),
              AllOf(IsOneUsefulLine(), HasSubstr("empty kernel")));
}

TEST(Open, SaysThatTheLinkerIsMissing) {
  const auto directory = test::scratch();
  // The driver looks for lld beside itself and then on PATH.
  fs::copy_file(fs::canonical("/usr/bin/clang-22"), directory.path() / "clang");
  fs::create_directory(directory.path() / "empty");
  const test::ScopedEnvironment path("PATH", (directory.path() / "empty").string());
  EXPECT_THAT(why_not(directory.path() / "clang"),
              AllOf(IsOneUsefulLine(), HasSubstr("no linker"), HasSubstr("lld-22")));
}

TEST(Open, ReportsAProbeThatFailsSomeOtherWay) {
  const auto directory = test::scratch();
  EXPECT_THAT(why_not(test::write_fake_compiler(directory.path() / "a", "exit 0\n")),
              AllOf(IsOneUsefulLine(), HasSubstr("no object")));
  EXPECT_THAT(why_not(test::write_fake_compiler(directory.path() / "b", "echo 'error: out of cheese'; exit 1\n")),
              AllOf(IsOneUsefulLine(), HasSubstr("out of cheese"), HasSubstr("diagnostic")));
  EXPECT_THAT(why_not(test::write_fake_compiler(directory.path() / "c", "kill -ABRT $$\n")),
              AllOf(IsOneUsefulLine(), HasSubstr("crash"), HasSubstr("-6")));
}

TEST(Compile, GivesALinkedObjectForTheTarget) {
  const Compiled c = open("clang-22").compile(job(kKernel));
  ASSERT_EQ(name_of(c.outcome), "ok") << c.log;
  EXPECT_EQ(c.exit_status, 0);
  EXPECT_FALSE(c.from_cache);
  EXPECT_TRUE(text(c).starts_with("\177ELF"));
  EXPECT_EQ(static_cast<unsigned char>(text(c)[18]), 224);  // e_machine: EM_AMDGPU
  EXPECT_EQ(text(c)[16], 3);                                // e_type: ET_DYN
  EXPECT_EQ(c.command.front(), "/usr/bin/clang-22");
  EXPECT_THAT(c.command, ::testing::IsSupersetOf({"--offload-arch=gfx950", "-O2", "-c", "INPUT.hip", "OUTPUT.co"}));
}

TEST(Compile, ObjectsDependOnNoPathAndNoTime) {
  const Compiler compiler = open("clang-22");
  const auto one = test::scratch(), two = test::scratch();
  std::vector<Compiled> made;
  for (const fs::path& place : {one.path(), two.path(), one.path()}) {
    const test::ScopedEnvironment temporary("TMPDIR", place.string());
    made.push_back(compiler.compile(job(kKernel)));
    ASSERT_EQ(name_of(made.back().outcome), "ok") << made.back().log;
    EXPECT_TRUE(fs::is_empty(place));
  }
  EXPECT_EQ(*made[0].object, *made[1].object);
  EXPECT_EQ(*made[0].object, *made[2].object);
  EXPECT_EQ(text(made[0]).find("mfma-conform-"), std::string_view::npos);
  EXPECT_EQ(text(made[0]).find("INPUT"), std::string_view::npos);
}

TEST(Compile, ClassifiesWhatClang22Does) {
  const Compiler compiler = open("clang-22");
  const Compiled diagnostic = compiler.compile(job("not C++"));
  EXPECT_EQ(name_of(diagnostic.outcome), "diagnostic");
  EXPECT_EQ(diagnostic.exit_status, 1);
  EXPECT_THAT(diagnostic.log, HasSubstr("INPUT.hip:1:1: error:"));
  EXPECT_EQ(diagnostic.object, nullptr);

  const Compiled backend = compiler.compile(job(kCannotSelect));
  EXPECT_EQ(name_of(backend.outcome), "backend error");
  EXPECT_EQ(backend.exit_status, 70);
  EXPECT_THAT(backend.log, HasSubstr("Cannot select: intrinsic %llvm.amdgcn.mfma.f32.4x4x2bf16"));

  const Compiled crash = compiler.compile(job(kCrashes));
  EXPECT_EQ(name_of(crash.outcome), "crash");
  EXPECT_EQ(crash.exit_status, 254);
  EXPECT_THAT(crash.log, HasSubstr("Segmentation fault"));
  EXPECT_EQ(name_of(compiler.compile(job(kCrashes, "O0")).outcome), "ok");  // so it is the level that crashes

  Job other = job(kKernel);
  other.arch = "gfx9999";
  EXPECT_EQ(name_of(compiler.compile(other).outcome), "no such target");
  Job flags = job("#ifdef FLAG\n#error flagged\n#endif\n");
  flags.extra_flags = {"-DFLAG=1"};
  EXPECT_THAT(compiler.compile(flags).log, HasSubstr("flagged"));
}

// A compiler that works once, for the probe, and then misbehaves.
Compiler misbehaving(const fs::path& directory, std::string_view then) {
  return open(test::write_fake_compiler(
      directory / "fake",
      fmt::format("if [ ! -e {0}/probed ]; then touch {0}/probed; printf '\\177ELF' > $out; exit 0; fi\n{1}",
                  directory.string(), then)));
}

TEST(Compile, ClassifiesWhatOtherCompilersMightDo) {
  struct Row {
    std::string then, expected;
    int exit_status;
  };
  const Row rows[] = {
      {"kill -SEGV $$", "crash", -SIGSEGV},
      {"exit 0", "no object", 0},
      {": > $out", "no object", 0},
      {"echo text > $out", "no object", 0},
      {"mkdir $out", "no object", 0},
      {"mkfifo $out", "no object", 0},
      {"printf '\\177ELF' > $out; exit 1", "diagnostic", 1},
      {"head -c 100000000 /dev/zero; exit 1", "diagnostic", 1},
      {"sleep 1000", "timeout", -SIGKILL},
      {"sleep 1000 & printf '\\177ELF' > $out", "ok", 0},
  };
  for (const Row& row : rows) {
    const auto directory = test::scratch();
    const Compiler compiler = misbehaving(directory.path(), row.then + "\n");
    Job j = job("x");
    j.timeout = milliseconds(row.expected == "timeout" ? 300 : 60'000);
    const Compiled c = compiler.compile(j);
    EXPECT_EQ(name_of(c.outcome), row.expected) << row.then << "\n" << c.log;
    EXPECT_EQ(c.exit_status, row.exit_status) << row.then;
    EXPECT_LT(c.log.size(), 200'000U);
    EXPECT_EQ(c.object != nullptr, row.expected == "ok");
  }
}

TEST(Compile, ReportsACompilerThatIsGoneSinceItWasOpened) {
  const auto directory = test::scratch();
  const Compiler compiler = misbehaving(directory.path(), "exit 0\n");
  fs::remove(directory.path() / "fake");
  const Compiled c = compiler.compile(job("x"));
  EXPECT_EQ(name_of(c.outcome), "cannot run");
  EXPECT_THAT(c.log, HasSubstr("No such file"));
}

TEST(Compile, LeavesNoTemporaryFilesWhateverHappens) {
  const Compiler compiler = open("clang-22");
  const auto place = test::scratch();
  const test::ScopedEnvironment temporary("TMPDIR", place.path().string());
  compiler.compile(job(kKernel));
  compiler.compile(job("not C++"));
  compiler.compile(job(kCannotSelect));
  compiler.compile(job(kCrashes));
  Job hurried = job(kKernel);
  hurried.timeout = milliseconds(1);
  compiler.compile(hurried);
  EXPECT_TRUE(fs::is_empty(place.path()));
}

TEST(Compile, CachesWhatWorkedUnderEverythingThatMatters) {
  const auto directory = test::scratch();
  const Compiler compiler = open("clang-22", Cache(directory.path()));
  const Compiled first = compiler.compile(job(kKernel)), second = compiler.compile(job(kKernel));
  ASSERT_NE(first.object, nullptr) << first.log;
  ASSERT_NE(second.object, nullptr);
  EXPECT_FALSE(first.from_cache);
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(*first.object, *second.object);
  EXPECT_EQ(first.command, second.command);
  EXPECT_TRUE(open("clang-22", Cache(directory.path())).compile(job(kKernel)).from_cache);

  EXPECT_FALSE(compiler.compile(job(kKernel, "O1")).from_cache);
  EXPECT_FALSE(compiler.compile(job(std::string(kKernel) + " ")).from_cache);
  Job j = job(kKernel);
  j.extra_flags = {"-DX"};
  EXPECT_FALSE(compiler.compile(j).from_cache);
  j.arch = "gfx942";
  EXPECT_FALSE(compiler.compile(j).from_cache);
  EXPECT_TRUE(compiler.compile(j).from_cache);
}

TEST(Compile, DoesNotCacheFailures) {
  const auto directory = test::scratch();
  const Compiler compiler = open("clang-22", Cache(directory.path()));
  EXPECT_FALSE(compiler.compile(job(kCannotSelect)).from_cache);
  const Compiled again = compiler.compile(job(kCannotSelect));
  EXPECT_EQ(name_of(again.outcome), "backend error");
  EXPECT_FALSE(again.from_cache);
  EXPECT_THAT(again.log, HasSubstr("Cannot select"));
}

TEST(Compile, DoesNotShareObjectsBetweenCompilers) {
  const auto directory = test::scratch();
  const Cache cache(directory.path() / "cache");
  const auto compiler_that_writes = [&](std::string_view word) {
    return open(test::write_fake_compiler(directory.path() / "fake", fmt::format("printf '\\177ELF{}' > $out\n", word)),
                cache);
  };
  const Compiled one = compiler_that_writes("one").compile(job("x"));
  const Compiled two = compiler_that_writes("two").compile(job("x"));  // same path, other content
  EXPECT_EQ(text(one), "\177ELFone");
  EXPECT_EQ(text(two), "\177ELFtwo");
  EXPECT_TRUE(compiler_that_writes("one").compile(job("x")).from_cache);
}

TEST(Compile, IsThreadSafe) {
  const auto directory = test::scratch();
  const Compiler compiler = open("clang-22", Cache(directory.path()));
  std::vector<Compiled> made(6);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < made.size(); ++i) {
    threads.emplace_back([&, i] {
      made[i] = compiler.compile(
          job(fmt::format("extern \"C\" __attribute__((global)) void only_{}(int* p) {{ *p = 1; }}", i % 3)));
    });
  }
  for (std::thread& t : threads) t.join();
  for (std::size_t i = 0; i < made.size(); ++i) {
    ASSERT_EQ(name_of(made[i].outcome), "ok") << made[i].log;
    EXPECT_NE(text(made[i]).find(fmt::format("only_{}", i % 3)), std::string_view::npos);
    EXPECT_EQ(text(made[i]).find(fmt::format("only_{}", (i + 1) % 3)), std::string_view::npos);
  }
}

TEST(BaseFlags, NameNothingOfTheMachine) {
  const auto flags = base_flags("gfx950", "O1");
  EXPECT_THAT(flags, Contains("-O1"));
  EXPECT_THAT(flags, Contains("--offload-arch=gfx950"));
  EXPECT_THAT(flags, Not(Contains(HasSubstr("/"))));
}

}  // namespace
}  // namespace mfma::compilers
