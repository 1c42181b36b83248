// What `cmake --install` lays down is whole, and the program there uses it and nothing of the source tree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace {

namespace fs = std::filesystem;
using mfma::cli::testing::scratch;
using mfma::cli::testing::slurp;
using ::testing::HasSubstr;

struct Said {
  int exit_code;
  std::string text;
};

Said shell(const std::string& command) {
  const fs::path out = scratch() / "said";
  const int status = std::system((command + " >" + out.string() + " 2>&1 </dev/null").c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128, slurp(out)};
}

const fs::path& prefix() {
  static const fs::path folder = [] {
    const fs::path to = scratch() / "prefix";
    const Said said = shell("'" MFMA_CMAKE "' --install '" MFMA_BUILD_DIR "' --prefix '" + to.string() + "'");
    EXPECT_EQ(said.exit_code, 0) << said.text;
    return to;
  }();
  return folder;
}

// From a folder where nothing of ours is.
Said installed_program(const std::string& arguments) {
  return shell("cd / && '" + (prefix() / "bin/mfma-conform").string() + "' " + arguments);
}

TEST(Install, EverythingIsThere) {
  for (const char* file :
       {"bin/mfma-conform", "share/man/man1/mfma-conform.1.gz", "share/bash-completion/completions/mfma-conform",
        "share/zsh/vendor-completions/_mfma-conform", "share/fish/vendor_completions.d/mfma-conform.fish",
        "share/mfma-conform/profiles/gfx950-candidate.json", "share/mfma-conform/waivers/clang-22.json",
        "share/doc/mfma-conform/copyright", "share/doc/mfma-conform/docs/cli.md",
        "share/doc/mfma-conform/docs/ci/gitlab-ci.yml"}) {
    EXPECT_TRUE(fs::is_regular_file(prefix() / file)) << file;
    EXPECT_GT(fs::file_size(prefix() / file), 0u) << file;
  }
}

TEST(Install, TheProgramFindsItsProfilesAndWaiversByName) {
  const Said by_name = installed_program("describe mfma_f32_16x16x4f32 --profile seq");
  EXPECT_EQ(by_name.exit_code, 0) << by_name.text;
  EXPECT_THAT(by_name.text, HasSubstr("profile 'SEQ'"));
  EXPECT_EQ(installed_program("describe mfma_f32_16x16x4f32 --profile no-such").exit_code, 64);
  // Taken from the installation: where it lacks them the name means nothing.
  const fs::path profile = prefix() / "share/mfma-conform/profiles/seq.json";
  fs::rename(profile, profile.string() + ".away");
  const Said gone = installed_program("describe mfma_f32_16x16x4f32 --profile seq");
  fs::rename(profile.string() + ".away", profile);
  EXPECT_EQ(gone.exit_code, 64) << gone.text;
  // A waiver file is read before the compiler is asked for.
  EXPECT_EQ(installed_program("check-compiler --compiler /no/such --waivers clang-22").exit_code, 2);
  EXPECT_EQ(installed_program("check-compiler --compiler /no/such --waivers clang-0").exit_code, 64);
}

TEST(Install, AFileOfThatNameComesFirst) {
  const fs::path folder = scratch() / "own";
  fs::create_directories(folder);
  std::ofstream(folder / "seq") << "no profile";
  const Said own = shell("cd '" + folder.string() + "' && '" + (prefix() / "bin/mfma-conform").string() +
                         "' describe mfma_f32_16x16x4f32 --profile seq");
  EXPECT_EQ(own.exit_code, 64) << own.text;
}

}  // namespace
