#include "harness/checks/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace mfma::checks {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string text_of(const fs::path& file) {
  std::stringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

// A source that any C compiler takes, so that the script can be run.
Finding sample() {
  Finding f;
  f.code = Code::kImmediateCrash;
  f.subject = "mfma_x cbsz=-1";
  f.arch = "gfx950";
  f.levels = {"O2"};
  f.levels_without = {"O0"};
  f.message = "it crashed";
  f.source = "int main() { return 0; }\n";
  f.command = {"clang-22", "-x", "c", "-O2", "-DA='b c'", "INPUT.hip", "-o", "OUTPUT.co"};
  f.log = "a log\n";
  return f;
}

class Bundle : public testing::Test {
 protected:
  Bundle() : parent_(fs::temp_directory_path() / ("mfma_bundle_" + std::to_string(getpid()))) {}
  ~Bundle() override {
    std::error_code ignored;
    fs::remove_all(parent_, ignored);
  }
  fs::path parent_;
  compilers::Identity compiler_{"clang-22", "/x/clang-22", "clang version 22", "0"};
};

TEST_F(Bundle, HasAllThatAReportNeeds) {
  const auto folder = write_bundle(sample(), compiler_, parent_);
  ASSERT_TRUE(folder) << folder.error();
  EXPECT_EQ(text_of(*folder / "repro.hip"), sample().source);
  EXPECT_EQ(text_of(*folder / "log.txt"), "a log\n");
  const std::string readme = text_of(*folder / "README.md");
  for (const char* words : {"it crashed", "-O2", "-O0", "clang version 22", "gfx950"})
    EXPECT_THAT(readme, HasSubstr(words));
}

TEST_F(Bundle, ItsScriptRunsAlone) {
  const auto folder = write_bundle(sample(), compiler_, parent_);
  ASSERT_TRUE(folder) << folder.error();
  const fs::path out = parent_ / "out";
  const int status = std::system(("CXX=g++ sh " + (*folder / "repro.sh").string() + " >" + out.string()).c_str());
  EXPECT_EQ(status, 0);
  const std::string text = text_of(out);
  EXPECT_THAT(text, HasSubstr("-O2: exit code 0"));
  EXPECT_THAT(text, HasSubstr("-O0: exit code 0"));
  EXPECT_TRUE(fs::exists(*folder / "repro-O2.co"));
}

TEST_F(Bundle, FindingsOfOneKeyHaveFoldersOfTheirOwn) {
  const auto first = write_bundle(sample(), compiler_, parent_);
  const auto second = write_bundle(sample(), compiler_, parent_, 2);
  ASSERT_TRUE(first && second);
  EXPECT_NE(*first, *second);
  EXPECT_TRUE(fs::exists(*first / "README.md") && fs::exists(*second / "README.md"));
}

TEST(BundleName, IsAFileNameForAnySubject) {
  Finding f = sample();
  f.subject = "a/../b c=d:e,f'\n";
  const std::string name = bundle_name(f);
  EXPECT_TRUE(std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) || std::string("._-%").find(static_cast<char>(c)) != std::string::npos;
  })) << name;
  Finding other = sample();
  other.subject = "a%2f..%2fb-c_d";
  EXPECT_NE(bundle_name(other), name);
}

TEST_F(Bundle, APlaceThatCannotBeWrittenIsSaid) {
  const auto folder = write_bundle(sample(), compiler_, "/proc/no/such/place");
  ASSERT_FALSE(folder);
  EXPECT_THAT(folder.error(), HasSubstr("cannot be made"));
}

}  // namespace
}  // namespace mfma::checks
