// Every fault of the test double, one at a time and in random sequences: the right exit code, no result lost, no case
// counted twice, and no wait beyond the bound.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "harness/cases/rng.h"
#include "tests/hip_double/support.h"

namespace mfma::hip_double {
namespace {

using ::testing::HasSubstr;
using namespace testing;

// Three launches of 32 cases; a fault @2 strikes the second. `cases` gave a result, the others are counted as not run.
struct FaultCase {
  const char* name;
  const char* faults;
  int exit_code;
  std::uint64_t cases;  // that gave a result: 12 of the first launch, or all
  const char* codes;    // of the findings
  const char* says;     // in the findings or on standard error
};
void PrintTo(const FaultCase& f, std::ostream* out) { *out << f.faults; }

class HipFaults : public ::testing::TestWithParam<FaultCase> {};

TEST_P(HipFaults, EndInTheRightCodeWithNothingLost) {
  const FaultCase& f = GetParam();
  // A short bound only where something must run into it: a busy machine may stop for seconds.
  const bool waits = f.exit_code == 3;
  const DoubleRun r = run_with_double({.faults = f.faults, .timeout = waits ? 3.0 : 60.0});
  EXPECT_EQ(r.ran.exit_code, f.exit_code) << r.ran.out << r.ran.err;
  ASSERT_FALSE(r.report.is_null()) << r.ran.err;
  EXPECT_EQ(r.report["exit_code"], f.exit_code);
  EXPECT_EQ(count(r.report, "cases"), f.cases);
  EXPECT_EQ(count(r.report, "cases") + count(r.report, "cases_not_run"), kCases);
  EXPECT_EQ(codes(r.report), f.codes);
  EXPECT_THAT(r.ran.err + r.report["findings"].dump(), HasSubstr(f.says));
  // A start, two launches and a probe that hang, and the program's own time on a busy machine.
  EXPECT_LT(r.seconds, 200);
}

// The same with two launches in flight: which of the two a fault strikes the parent cannot know. What it comes to is
// the same kind of thing, and the books balance.
TEST_P(HipFaults, EndWithNothingLostWithTwoInFlight) {
  const FaultCase& f = GetParam();
  const DoubleRun r = run_with_double({.faults = f.faults, .timeout = f.exit_code == 3 ? 3.0 : 60.0, .in_flight = 2});
  EXPECT_EQ(r.ran.exit_code, f.exit_code) << r.ran.out << r.ran.err;
  ASSERT_FALSE(r.report.is_null()) << r.ran.err;
  EXPECT_EQ(r.report["exit_code"], f.exit_code);
  EXPECT_LE(count(r.report, "cases"), f.cases);
  EXPECT_EQ(count(r.report, "cases") + count(r.report, "cases_not_run"), kCases);
  EXPECT_EQ(codes(r.report), f.codes);
  EXPECT_LT(r.seconds, 200);
}

INSTANTIATE_TEST_SUITE_P(
    All, HipFaults,
    ::testing::Values(
        FaultCase{"hang_once", "hang@2", 3, 12, "hang", "a fresh worker runs the probe kernel right"},
        FaultCase{"hang_for_ever", "hang@2+", 3, 12, "hang", "the device is LOST: the probe kernel"},
        FaultCase{"crash_once", "crash@2", 2, 12, "device-inconclusive", "signal 11 (SIGSEGV)"},
        FaultCase{"crash_for_ever", "crash@2+", 3, 12, "device-lost", "LOST"},
        FaultCase{"abort_once", "abort@2", 2, 12, "device-inconclusive", "Memory access fault by GPU"},
        FaultCase{"abort_by_the_kernel", "abort/2", 1, 12, "device-fault", "and again in a fresh worker"},
        FaultCase{"illegal_address_once", "illegal-address@2", 2, 12, "device-inconclusive", "does not count"},
        FaultCase{"illegal_address_by_the_kernel", "illegal-address/2", 1, 12, "device-fault",
                  "hipErrorIllegalAddress"},
        FaultCase{"launch_failure", "launch-error@2", 2, 12, "device-inconclusive", "719 (hipErrorLaunchFailure"},
        FaultCase{"uncorrectable_ecc", "ecc@2", 2, 12, "device-inconclusive", "214 (hipErrorECCNotCorrectable"},
        FaultCase{"silent_exit", "exit@2", 2, 12, "device-inconclusive", "exit code 0"},
        FaultCase{"silence", "closed@2", 3, 12, "hang", "no answer within 3 s"},
        FaultCase{"garbage", "garbage@2", 2, 12, "device-inconclusive", "sent garbage"},
        FaultCase{"chatter", "noise@2", 0, 96, "", ""}, FaultCase{"slow_within_the_bound", "slow=200@2", 0, 96, "", ""},
        FaultCase{"gone_without_a_word", "gone@2+", 3, 12, "device-lost", "D was not written"},
        FaultCase{"one_launch_dropped", "gone@2", 2, 12, "device-inconclusive", "wrote it, and does not count"},
        FaultCase{"device_lost", "lost@2", 3, 12, "device-lost", "hipErrorNoDevice"},
        FaultCase{"wrong_bit", "flip=5.3", 1, 96, "wrong-bits", "\"lane\":1"},
        FaultCase{"wrong_bit_once", "flip=5.3@2", 1, 96, "wrong-bits", "\"failed\":0"},
        FaultCase{"short_copy", "short-copy@2", 2, 12, "device-inconclusive", "not whole"},
        FaultCase{"out_of_memory", "out-of-memory@1", 2, 0, "device-inconclusive", "hipErrorOutOfMemory"},
        FaultCase{"load_error", "load-error", 2, 0, "object-refused", "209 (hipErrorNoBinaryForGpu"},
        FaultCase{"load_hang", "load-hang@1", 3, 0, "hang", "loading the code object"},
        FaultCase{"load_crash", "load-crash@1", 2, 0, "device-inconclusive", "signal 11"}),
    [](const auto& param) { return std::string(param.param.name); });

// A hang of one instance is no fault of the ones after it.
TEST(HipFaults, WhatComesAfterAHangIsRunAndRight) {
  Setting s;
  s.faults = "hang@2";
  s.timeout = 3;
  s.levels = "O0,O1,O2,O3";
  s.arguments = "--jobs 1";
  const DoubleRun r = run_with_double(s);
  EXPECT_EQ(r.ran.exit_code, 3) << r.ran.err;
  EXPECT_EQ(codes(r.report), "hang");
  EXPECT_EQ(count(r.report, "cases"), 3u * kCases);
  EXPECT_EQ(count(r.report, "cases_not_run"), 1u * kCases);
}

// The launch in flight is on disk while it is in flight, and no longer.
TEST(HipFaults, TheLaunchInFlightIsOnRecord) {
  const std::filesystem::path folder = scratch() / "artifacts";
  std::filesystem::create_directories(folder);
  const std::filesystem::path record = folder / "in-flight-hip-0.txt";
  Setting s;
  s.arguments = "--artifacts " + folder.string();
  std::ofstream(record) << "kernel of an earlier run\n";
  const DoubleRun r = run_with_double(s);
  EXPECT_EQ(r.ran.exit_code, 0) << r.ran.err;
  EXPECT_THAT(r.ran.err, HasSubstr("an earlier run ended while this was in flight: kernel of an earlier run"));
  EXPECT_FALSE(std::filesystem::exists(record));
}

// The exit code that findings of these codes make together (docs/architecture.md, "Exit codes").
int exit_code_of(const Json& findings) {
  std::set<std::string> seen;
  for (const Json& f : findings) seen.insert(f["code"].get<std::string>());
  const auto any = [&](std::initializer_list<const char*> these) {
    return std::any_of(these.begin(), these.end(), [&](const char* code) { return seen.contains(code); });
  };
  if (any({"wrong-bits", "device-fault"})) return 1;
  if (any({"hang", "device-lost"})) return 3;
  return seen.empty() ? 0 : 2;
}

// Random faults, some in a row: whatever comes, the books balance, what struck is told, and what did not strike is not.
TEST(HipFaults, RandomSequences) {
  const char* asked = std::getenv("MFMA_HIP_SEQUENCES");
  const int sequences = asked ? std::atoi(asked) : 12;
  ASSERT_GT(sequences, 0) << "MFMA_HIP_SEQUENCES is a number of sequences";
  const std::vector<std::string> kinds = {"hang",          "crash",      "abort",     "illegal-address", "launch-error",
                                          "ecc",           "exit",       "closed",    "garbage",         "noise",
                                          "slow=50",       "gone",       "lost",      "flip=7.30",       "short-copy",
                                          "out-of-memory", "load-error", "load-hang", "load-crash"};
  const std::set<std::string> harmless = {"noise", "slow=50"};
  // Bits that are wrong, and faults that may repeat with the kernel.
  const std::set<std::string> fails = {"flip=7.30", "abort", "illegal-address", "launch-error", "gone"};
  int clean = 0;
  cases::Rng rng(20261130);
  for (int n = 0; n < sequences; ++n) {
    std::vector<std::string> chosen;
    std::string faults;
    for (std::uint64_t left = 1 + rng.below(3); left > 0; --left) {
      chosen.push_back(kinds[rng.below(static_cast<std::uint32_t>(kinds.size()))]);
      const std::uint32_t at = 1 + rng.below(9);  // of six launches and some to find out what is the matter
      faults += fmt::format("{}{}@{}{}", faults.empty() ? "" : ",", chosen.back(), at, rng.below(4) == 0 ? "+" : "");
    }
    Setting s;
    s.faults = faults;
    const bool waits = faults.find("hang") != std::string::npos || faults.find("closed") != std::string::npos;
    s.timeout = waits ? 3 : 60;  // as above
    s.in_flight = 1 + n % 2;
    s.levels = "O1,O2";
    s.arguments = "--jobs 1";
    const DoubleRun r = run_with_double(s);
    SCOPED_TRACE(faults + "\n" + r.ran.err);
    ASSERT_FALSE(r.report.is_null());
    const auto one_struck = [&](const auto& of_kind) {
      return std::any_of(r.struck.begin(), r.struck.end(), [&](std::size_t i) { return of_kind(chosen.at(i)); });
    };
    const bool seen = one_struck([&](const std::string& kind) { return !harmless.contains(kind); });
    const std::string all = codes(r.report);
    EXPECT_EQ(count(r.report, "cases") + count(r.report, "cases_not_run"), 2u * kCases);
    EXPECT_EQ(r.report["exit_code"], r.ran.exit_code);
    EXPECT_EQ(r.ran.exit_code, exit_code_of(r.report["findings"])) << all;
    EXPECT_EQ(r.ran.exit_code != 0, seen) << all;
    EXPECT_EQ(count(r.report, "cases_not_run") == 0 && r.ran.exit_code == 0, !seen);
    if (r.ran.exit_code == 1) {
      EXPECT_TRUE(one_struck([&](const std::string& kind) { return fails.contains(kind); })) << all;
    }
    if (all.find("wrong-bits") != std::string::npos) {
      EXPECT_TRUE(one_struck([](const std::string& kind) { return kind == "flip=7.30"; })) << all;
    }
    clean += !seen;
    EXPECT_LT(r.seconds, 200);
  }
  // Both kinds were met.
  EXPECT_GT(clean, 0);
  EXPECT_LT(clean, sequences);
}

}  // namespace
}  // namespace mfma::hip_double
