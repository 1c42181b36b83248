#include "harness/compilers/identity.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/system/support.h"

namespace mfma::compilers {
namespace {

using std::chrono::milliseconds;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr milliseconds kAsk{60'000};

std::vector<std::string> names_of(const std::vector<fs::path>& files) {
  std::vector<std::string> names;
  for (const fs::path& f : files) names.push_back(f.filename().string());
  return names;
}

TEST(FindProgram, FollowsPathForNamesAndNotForPaths) {
  const auto directory = test::scratch();
  const fs::path program = test::write_script(directory.path() / "cc-of-mine", "exit 0\n");
  EXPECT_FALSE(find_program("cc-of-mine"));
  const test::ScopedEnvironment path("PATH", "/no/such/place::" + directory.path().string());
  EXPECT_EQ(find_program("cc-of-mine").value(), program);
  EXPECT_EQ(find_program(program).value(), program);
  EXPECT_FALSE(find_program("./cc-of-mine"));
}

TEST(FindProgram, KeepsTheNameOfALink) {
  const auto directory = test::scratch();
  test::write_script(directory.path() / "real", "exit 0\n");
  fs::create_symlink("real", directory.path() / "link");
  EXPECT_EQ(find_program(directory.path() / "link").value(), directory.path() / "link");
}

TEST(FilesOfCompiler, OfClangAreDriverLinkerAndLibraries) {
  const auto program = find_program("clang-22");
  ASSERT_TRUE(program) << program.error();
  const auto names = names_of(files_of_compiler(*program, "gfx950", kAsk));
  EXPECT_THAT(names, Contains("clang"));
  EXPECT_THAT(names, Contains("lld"));
  EXPECT_THAT(names, Contains(::testing::StartsWith("libLLVM")));
  EXPECT_THAT(names, Contains(::testing::StartsWith("libclang-cpp")));
  EXPECT_THAT(names, ::testing::Not(Contains(::testing::StartsWith("libc.so"))));
}

TEST(FilesOfCompiler, SeesThroughAWrapperScript) {
  const auto directory = test::scratch();
  const fs::path wrapper = test::write_script(directory.path() / "wrapper", "exec clang-22 \"$@\"\n");
  auto names = names_of(files_of_compiler(wrapper, "gfx950", kAsk));
  EXPECT_THAT(names, Contains("wrapper"));
  EXPECT_THAT(names, Contains("clang"));
  EXPECT_THAT(names, Contains("lld"));
  EXPECT_THAT(names, Contains(::testing::StartsWith("libLLVM")));
}

// What an upgrade of the library package does: the driver file stays, the library it loads is another.
TEST(FilesOfCompiler, HashChangesWithTheLibraryThatTheLoaderFinds) {
  const auto program = find_program("clang-22");
  ASSERT_TRUE(program) << program.error();
  const auto before = files_of_compiler(*program, "gfx950", kAsk);
  const auto library = std::find_if(before.begin(), before.end(), [](const fs::path& f) {
    return f.filename().string().starts_with("libclang-cpp");
  });
  ASSERT_NE(library, before.end());
  const auto directory = test::scratch();
  const fs::path copy = directory.path() / library->filename();
  fs::copy_file(*library, copy);
  const test::ScopedEnvironment search("LD_LIBRARY_PATH", directory.path().string());
  const auto after = files_of_compiler(*program, "gfx950", kAsk);
  ASSERT_THAT(after, Contains(copy));
  const auto hash = hash_of_files(before);
  ASSERT_TRUE(hash);
  EXPECT_EQ(hash_of_files(after).value(), *hash);  // same content in another place: same compiler
  std::ofstream(copy, std::ios::app | std::ios::binary) << '\0';
  EXPECT_NE(hash_of_files(after).value(), *hash);
}

TEST(HashOfFiles, DependsOnNamesAndContentAndIsSixteenDigits) {
  const auto directory = test::scratch();
  const fs::path a = directory.path() / "a", b = directory.path() / "b";
  test::write_file(a, "1");
  test::write_file(b, "2");
  const std::string hash = hash_of_files({a, b}).value();
  EXPECT_THAT(hash, ::testing::MatchesRegex("[0-9a-f]{16}"));
  EXPECT_EQ(hash_of_files({b, a}).value(), hash);
  EXPECT_NE(hash_of_files({a}).value(), hash);
  test::write_file(b, "3");
  EXPECT_NE(hash_of_files({a, b}).value(), hash);
  fs::remove(b);
  EXPECT_THAT(hash_of_files({a, b}).error(), HasSubstr(b.string()));
}

}  // namespace
}  // namespace mfma::compilers
