// `export` and `replay --attribute` from the outside: the bundle's own script builds its program, which runs on the
// emulated device through a small HIP (emulated_hip/).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/checks/faulty_compiler.h"
#include "tests/cli/program.h"

namespace {

using mfma::checks::testing::FaultyCompiler;
using mfma::cli::testing::program;
using mfma::cli::testing::Ran;
using mfma::cli::testing::scratch;
using mfma::cli::testing::slurp;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

const std::string kCases = std::string(MFMA_SOURCE_DIR) + "/corpus/cases/";

// A fault at -O2 only.
FaultyCompiler faulty_at_o2(const std::string& fault) { return FaultyCompiler(fault + "@-O2"); }

struct Script {
  int exit_code;
  std::string out;
};

// sh repro.sh of a bundle, the program built against emulated_hip and run in it.
Script run_bundle(const fs::path& folder, const std::string& fault) {
  const fs::path out = scratch() / "script-out";
  const std::string command = "MFMA_EMULATED_FAULT=" + fault + " RUN=" + MFMA_EMULATED_HIP +
                              " HIPFLAGS='-no-hip-rt -nogpulib -nogpuinc --cuda-host-only -Xclang "
                              "-fcuda-include-gpubinary -Xclang repro.co -fPIC -shared -I" +
                              std::string(MFMA_SOURCE_DIR) + "/tests/bundles/emulated_hip' sh " +
                              (folder / "repro.sh").string() + " >" + out.string() + " 2>&1";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128, slurp(out)};
}

TEST(Attribution, NamesTheCompilerAndTheLevelOfAFaultOfTheCompiler) {
  const FaultyCompiler compiler = faulty_at_o2("cbsz-dropped");
  const std::string faulty = compiler.path();
  const Ran ran = program("replay --repeat 1 --no-cache --attribute --compiler " + faulty + " --compiler clang-22 " +
                          kCases + "ignore-cbsz.case");
  EXPECT_EQ(ran.exit_code, 1) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("attribution: only " + faulty + ", at -O2 only; inline asm too"));
}

TEST(Attribution, ACaseThatPassesIsGone) {
  const Ran ran = program("replay --repeat 1 --attribute " + kCases + "swap-scale-bytes.case");
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("attribution: gone: "));
}

TEST(Attribution, SeveralCompilersAreForAttributionOnly) {
  const Ran ran = program("replay --compiler clang-22 --compiler clang " + kCases + "rounding.case");
  EXPECT_EQ(ran.exit_code, 64);
  EXPECT_THAT(ran.err, HasSubstr("replay --attribute"));
}

TEST(Export, TheBundlesOwnScriptPassesOnAHealthyDeviceAndFailsOnAFaultyOne) {
  const fs::path folder = scratch() / "bundle";
  const Ran ran = program("export --repeat 1 " + kCases + "ignore-cbsz.case --to " + folder.string());
  ASSERT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  for (const char* name : {"repro.hip", "repro.ll", "repro.s", "repro.sh", "README.md"})
    EXPECT_FALSE(slurp(folder / name).empty()) << name;
  EXPECT_THAT(slurp(folder / "repro.s"), HasSubstr("v_mfma_f32_32x32x1_2b_f32"));
  EXPECT_THAT(slurp(folder / "README.md"), HasSubstr("cbsz:1    <== the MFMA"));
  const Script healthy = run_bundle(folder, "none");
  EXPECT_EQ(healthy.exit_code, 0) << healthy.out;
  EXPECT_THAT(healthy.out, HasSubstr("0 dwords of D are wrong"));
  const Script faulty = run_bundle(folder, "ignore-cbsz");
  EXPECT_EQ(faulty.exit_code, 1) << faulty.out;
  EXPECT_THAT(faulty.out, HasSubstr("lane 0, register 16: expected 00000000, actual 3f800000"));
}

TEST(Export, AScaledCaseRunsToo) {
  const fs::path folder = scratch() / "scaled";
  const Ran ran = program("export --repeat 1 " + kCases + "ignore-scale.case --to " + folder.string());
  ASSERT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_EQ(run_bundle(folder, "none").exit_code, 0);
  EXPECT_EQ(run_bundle(folder, "ignore-scale").exit_code, 1);
}

TEST(Export, TheReadmeOfACompilersFaultSaysAtWhichLevelsItIs) {
  const fs::path folder = scratch() / "faulty";
  const Ran ran = program("export --repeat 1 --no-cache --compiler " + faulty_at_o2("cbsz-dropped").path() + " " +
                          kCases + "ignore-cbsz.case --to " + folder.string());
  EXPECT_EQ(ran.exit_code, 1) << ran.out << ran.err;
  const std::string readme = slurp(folder / "README.md");
  EXPECT_THAT(readme, HasSubstr("levels with it: -O2; levels without it: -O0, -O1, -O3"));
  EXPECT_THAT(readme, HasSubstr("| block 1, row 0, column 0 | 0 | 16 | 00000000 | 3f800000 |"));
  EXPECT_THAT(readme, HasSubstr("cbsz is 0, not 1"));
}

TEST(Export, BadInputIsOneLine) {
  EXPECT_EQ(program("export " + kCases + "rounding.case").exit_code, 64);
  EXPECT_EQ(program("export /no/such.case --to x").exit_code, 64);
  const Ran ran = program("export --device emulated --repeat 1 " + kCases + "rounding.case --to /proc/no/such");
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
}

}  // namespace
