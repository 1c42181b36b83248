// Runs on a GPU that end before they are done, and go on on one that is there again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <thread>

#include "tests/hip_double/support.h"

namespace mfma::hip_double::testing {
namespace {

using ::testing::HasSubstr;

// Four instances in several launches each.
constexpr const char* kFour =
    "--device hip --opt O2 --builtin mfma_f32_16x16x4f32 --modifiers default --properties none --shape single "
    "--no-shrink --cases 60 --cases-per-launch 16 --in-flight 1 -q";

std::string file(const std::string& name) { return (scratch() / name).string(); }

Json comparable(const std::string& name) {
  Json json = Json::parse(cli::testing::slurp(file(name)));
  for (const char* key : {"command", "started", "seconds"}) json.erase(key);
  for (Json& c : json["compilers"]) {
    c.erase("kernels_compiled");
    c.erase("kernels_from_cache");
  }
  return json;
}

const Json& unbroken() {
  static const Json report = [] {
    const auto ran = command_with_double("", fmt::format("run {} --json {}", kFour, file("whole.json")));
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    return comparable("whole.json");
  }();
  return report;
}

TEST(ResumeOnHip, WhatALostDeviceLeftIsRunOnOneThatIsThereAgain) {
  const auto lost = command_with_double(
      "lost@3", fmt::format("run {} --events {} --json {}", kFour, file("lost.jsonl"), file("lost.json")));
  EXPECT_EQ(lost.exit_code, 3) << lost.err;
  EXPECT_THAT(codes(Json::parse(cli::testing::slurp(file("lost.json")))), HasSubstr("device-lost"));
  const auto resumed = command_with_double(
      "", fmt::format("run {} --resume {} --json {}", kFour, file("lost.jsonl"), file("resumed.json")));
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(comparable("resumed.json"), unbroken());
}

TEST(ResumeOnHip, AHangStandsInTheResumedReport) {
  const auto hung =
      command_with_double("hang@3", fmt::format("run {} --launch-timeout 3 --events {}", kFour, file("hung.jsonl")));
  EXPECT_EQ(hung.exit_code, 3) << hung.err;
  const auto resumed = command_with_double(
      "", fmt::format("run {} --resume {} --json {}", kFour, file("hung.jsonl"), file("resumed.json")));
  EXPECT_EQ(resumed.exit_code, 3) << "a hang was forgotten";
  EXPECT_EQ(codes(Json::parse(cli::testing::slurp(file("resumed.json")))), "hang");
}

TEST(ResumeOnHip, KilledInALaunchItKnowsWhichAndGoesOn) {
  const std::filesystem::path state = scratch() / "killed-state";
  std::filesystem::create_directories(state);
  const std::string log = file("killed.jsonl");
  const pid_t pid = fork();
  if (pid == 0) {
    setenv("LD_LIBRARY_PATH", fmt::format("{}/whole", MFMA_HIP_DOUBLES).c_str(), 1);
    setenv("MFMA_HIP_DOUBLE_FAULTS", "hang@4+", 1);
    setenv("MFMA_HIP_DOUBLE_STATE", state.c_str(), 1);
    const std::string command =
        fmt::format("exec {} run {} --launch-timeout 600 --events {} >/dev/null 2>&1", MFMA_PROGRAM, kFour, log);
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  const auto launches = [&] {
    const std::string text = cli::testing::slurp(log);
    std::size_t n = 0;
    for (std::size_t at = text.find("\"event\":\"launch\""); at != std::string::npos;
         at = text.find("\"event\":\"launch\"", at + 1))
      ++n;
    return n;
  };
  for (int n = 0; n < 1200 && launches() < 4; ++n) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  ASSERT_GE(launches(), 4u);
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  const auto shown = command_with_double("", "report -q " + log);
  EXPECT_EQ(shown.exit_code, 2);
  EXPECT_THAT(shown.err, HasSubstr("in flight when it ended: mfma_f32_16x16x4f32"));
  const auto resumed =
      command_with_double("", fmt::format("run {} --resume {} --json {}", kFour, log, file("resumed.json")));
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(comparable("resumed.json"), unbroken());
}

}  // namespace
}  // namespace mfma::hip_double::testing
