// The seeds find planted faults and nothing else, and `fuzz` turns the exit codes of its target into the tool's.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/cli/program.h"

namespace mfma::cli::testing {
namespace {

int exit_code_of(const std::string& command) {
  const int status = std::system((command + " >/dev/null 2>&1").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

const std::string kReplay = std::string(MFMA_REPLAY_MATRIX) + " " + MFMA_SOURCE_DIR + "/corpus/seeds/matrix";

TEST(Seeds, NothingIsFoundOnTheHealthyUnit) { EXPECT_EQ(exit_code_of(kReplay), 0); }

TEST(Seeds, PlantedFaultsAreFound) {
  for (const char* fault : {"product-floor", "ignore-blgp", "drop-subnormal-inputs", "last-product-missing",
                            "transposed-result", "saturate-i32", "nan-sign"}) {
    EXPECT_EQ(exit_code_of("MFMA_FUZZ_FAULT=" + std::string(fault) + " " + kReplay), 1) << fault;
  }
}

TEST(Seeds, AnUnknownFaultIsNotTakenForAHealthyUnit) {
  EXPECT_EQ(exit_code_of("MFMA_FUZZ_FAULT=none-such " + kReplay), 2);
}

TEST(Seeds, NoInputIsNoPass) {
  EXPECT_EQ(exit_code_of(MFMA_REPLAY_MATRIX), 2);
  EXPECT_EQ(exit_code_of(std::string(MFMA_REPLAY_MATRIX) + " /no/such/file"), 64);
}

// A target that writes its arguments down and ends with `exit_code`.
std::string fake_target(int exit_code) {
  const auto file = scratch() / "fuzz_kernel";
  std::ofstream(file) << "#!/bin/sh\necho \"$@\"\nexit " << exit_code << "\n";
  chmod(file.c_str(), 0755);
  return "fuzz mfma_f32_4x4x1f32 --target-dir " + scratch().string() + " --artifacts " + (scratch() / "found").string();
}

TEST(FuzzCommand, MapsTheExitCodesOfLibFuzzer) {
  const std::pair<int, int> kMeanings[] = {{0, 0}, {77, 1}, {1, 1}, {71, 1}, {70, 3}, {72, 2}, {2, 2}, {99, 2}};
  for (const auto& [of_target, ours] : kMeanings)
    EXPECT_EQ(program(fake_target(of_target)).exit_code, ours) << of_target;
}

TEST(FuzzCommand, HandsOverBuiltinTimeSeedAndWhatFollowsTheDashes) {
  const Ran ran = program(fake_target(0) + " --max-time 7 --seed 9 -- -runs=3");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  for (const char* argument :
       {"--builtin=mfma_f32_4x4x1f32", "-max_total_time=7", "-seed=9", "-runs=3", "-artifact_prefix="}) {
    EXPECT_NE(ran.out.find(argument), std::string::npos) << argument << " in " << ran.out;
  }
}

TEST(FuzzCommand, SaysHowToBuildAMissingTarget) {
  const Ran ran = program("fuzz mfma_f32_4x4x1f32 --target-dir /no/such/folder");
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_NE(ran.err.find("cmake --preset fuzz && cmake --build --preset fuzz"), std::string::npos) << ran.err;
}

TEST(FuzzCommand, RefusesAnUnknownBuiltin) { EXPECT_EQ(program("fuzz mfma_f32_5x5x5").exit_code, 64); }

}  // namespace
}  // namespace mfma::cli::testing
