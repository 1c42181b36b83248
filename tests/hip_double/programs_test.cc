// Programs, replay and minimize on the test double: what needs a device beside single calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/hip_double/support.h"

namespace mfma::hip_double {
namespace {

using ::testing::HasSubstr;
using namespace testing;
namespace fs = std::filesystem;

cli::testing::Ran run_programs(const std::string& faults, const fs::path& json, const std::string& device = "hip") {
  return command_with_double(
      faults, fmt::format("run --device {} --opt O2 --builtin mfma_f32_16x16x4f32 --modifiers none --shape k-loop "
                          "--no-shrink --launch-timeout 60 --json {}",
                          device, json.string()));
}

TEST(Programs, RunOnAGpuAsOnTheEmulatedDevice) {
  const fs::path json = scratch() / "programs.json";
  const cli::testing::Ran ran = run_programs("", json);
  ASSERT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  const Json on_gpu = Json::parse(cli::testing::slurp(json));
  ASSERT_EQ(on_gpu["shapes"].size(), 1u);
  EXPECT_GT(on_gpu["shapes"][0]["counts"]["elements_compared"].get<std::uint64_t>(), 0u);
  const cli::testing::Ran emulated = run_programs("", json, "emulated");
  ASSERT_EQ(emulated.exit_code, 0) << emulated.err;
  EXPECT_EQ(Json::parse(cli::testing::slurp(json))["shapes"], on_gpu["shapes"]);
}

TEST(Programs, AWrongBitIsFound) {
  const fs::path json = scratch() / "wrong.json";
  const cli::testing::Ran ran = run_programs("flip=5.3@1", json);
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_THAT(codes(Json::parse(cli::testing::slurp(json))), HasSubstr("wrong-bits"));
}

TEST(Programs, ADeviceThatFailsGivesNoBits) {
  const fs::path json = scratch() / "failing.json";
  for (const auto& [fault, code, says] :
       {std::tuple("crash@1", 2, "device-inconclusive"), std::tuple("gone@1", 2, "device-inconclusive"),
        std::tuple("short-copy@1", 2, "device-inconclusive"), std::tuple("lost@1", 3, "device-lost"),
        std::tuple("illegal-address", 3, "device-lost")}) {
    const cli::testing::Ran ran = run_programs(fault, json);
    EXPECT_EQ(ran.exit_code, code) << fault << ran.out << ran.err;
    EXPECT_THAT(codes(Json::parse(cli::testing::slurp(json))), HasSubstr(says)) << fault;
  }
}

// A case that fails on the double, as a file.
class CaseOnGpu : public ::testing::Test {
 protected:
  CaseOnGpu() {
    fs::create_directories(folder_);
    const DoubleRun r =
        run_with_double({.faults = "flip=5.3", .arguments = fmt::format("--artifacts {}", folder_.string())});
    EXPECT_EQ(r.ran.exit_code, 1) << r.ran.err;
    file_ = r.report["findings"][0]["case_file"].get<std::string>();
  }
  fs::path folder_ = scratch() / "cases";
  std::string file_;
};

TEST_F(CaseOnGpu, IsReplayedThere) {
  const cli::testing::Ran wrong = command_with_double("flip=5.3", fmt::format("replay --device hip {}", file_));
  EXPECT_EQ(wrong.exit_code, 1) << wrong.err;
  EXPECT_THAT(wrong.out, HasSubstr("TEST DOUBLE of an MI350X"));
  EXPECT_THAT(wrong.out, HasSubstr("failed    5 of 5 runs"));
  EXPECT_THAT(wrong.out, HasSubstr("lane 1, register 1"));
  const cli::testing::Ran right = command_with_double("", fmt::format("replay --device hip:0 {}", file_));
  EXPECT_EQ(right.exit_code, 0) << right.out << right.err;
  const cli::testing::Ran some =
      command_with_double("flip=5.3/3", fmt::format("replay --device hip --repeat 6 {}", file_));
  EXPECT_EQ(some.exit_code, 1) << some.err;
  EXPECT_THAT(some.out, HasSubstr("failed    2 of 6 runs"));
  EXPECT_THAT(some.out, HasSubstr("the runs did not all give the same D"));
}

TEST_F(CaseOnGpu, ReplayEndsInTheCodeOfWhatHappened) {
  EXPECT_EQ(command_with_double("hang@1", fmt::format("replay --device hip --launch-timeout 3 {}", file_)).exit_code,
            3);
  EXPECT_EQ(command_with_double("lost@1", fmt::format("replay --device hip {}", file_)).exit_code, 3);
  EXPECT_EQ(command_with_double("crash@1", fmt::format("replay --device hip {}", file_)).exit_code, 2);
  EXPECT_EQ(command_with_double("no-device", fmt::format("replay --device hip {}", file_)).exit_code, 2);
  EXPECT_EQ(command_with_double("arch=gfx942", fmt::format("replay --device hip {}", file_)).exit_code, 2);
  EXPECT_EQ(command_with_double("", fmt::format("replay --device all {}", file_)).exit_code, 64);
  EXPECT_EQ(command_with_double("", fmt::format("replay --device hip:x {}", file_)).exit_code, 64);
  EXPECT_EQ(command_with_double("", fmt::format("replay --device emulated --isolate {}", file_)).exit_code, 0);
}

TEST_F(CaseOnGpu, IsMadeSmallThere) {
  const fs::path small = folder_ / "small.case";
  const cli::testing::Ran ran = command_with_double(
      "flip=5.3", fmt::format("minimize --device hip --steps 40 --output {} {}", small.string(), file_));
  EXPECT_EQ(ran.exit_code, 1) << ran.out << ran.err;
  EXPECT_THAT(cli::testing::slurp(small), HasSubstr("hip:0"));
  const cli::testing::Ran none =
      command_with_double("", fmt::format("minimize --device hip --output {} {}", small.string(), file_));
  EXPECT_EQ(none.exit_code, 0) << none.out << none.err;
}

}  // namespace
}  // namespace mfma::hip_double
