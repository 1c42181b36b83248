// Several devices at once, the same case many times, and rounds for a set time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/hip_double/support.h"

namespace mfma::hip_double {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace testing;

// The reports that a run on `devices` devices left: NAME.hip-0.json and so on.
std::vector<Json> reports_of(const std::string& name, std::size_t devices) {
  std::vector<Json> reports;
  for (std::size_t n = 0; n < devices; ++n) {
    const std::filesystem::path file = scratch() / fmt::format("{}.hip-{}.json", name, n);
    EXPECT_TRUE(std::filesystem::exists(file)) << file;
    reports.push_back(Json::parse(cli::testing::slurp(file)));
  }
  return reports;
}

cli::testing::Ran run_all(const std::string& faults, const std::string& name, const std::string& more = "") {
  return command_with_double(faults, fmt::format("run --device all --opt O2 {} --cases-per-launch 32 --json {} {}",
                                                 kSmall, (scratch() / fmt::format("{}.json", name)).string(), more));
}

TEST(SideBySide, OfEightDevicesTheFaultyOneFailsAlone) {
  const cli::testing::Ran ran = run_all("devices=8,flip=5.3#3", "eight");
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("across devices: 1 [wrong-bits] on hip:3 alone (0000:c4:00.0): its own"));
  const std::vector<Json> reports = reports_of("eight", 8);
  for (std::size_t n = 0; n < reports.size(); ++n) {
    EXPECT_EQ(reports[n]["exit_code"], n == 3 ? 1 : 0) << n;
    EXPECT_EQ(reports[n]["device"]["facts"]["pci"], fmt::format("0000:{:02x}:00.0", 0xc1 + n));
    EXPECT_EQ(count(reports[n], "cases"), kCases);
    EXPECT_EQ(reports[n]["findings"].size(), n == 3 ? 1u : 0u);
  }
  const Json& across = reports[3]["findings"][0]["across_devices"];
  EXPECT_EQ(across["attributed_to"], "0000:c4:00.0");
  EXPECT_EQ(across["with"], Json::array({"hip:3"}));
  EXPECT_EQ(across["without"].size(), 7u);
}

// Each kind of trouble on one device leaves the other seven alone.
TEST(SideBySide, OfEightDevicesTheBrokenOneStopsAlone) {
  for (const auto& [fault, code] : {std::pair("hang@2+#5", 3), std::pair("crash@2#5", 2)}) {
    const cli::testing::Ran ran = run_all(fmt::format("devices=8,{}", fault), "broken", "--launch-timeout 10");
    EXPECT_EQ(ran.exit_code, code) << fault << ran.err;
    const std::vector<Json> reports = reports_of("broken", 8);
    for (std::size_t n = 0; n < reports.size(); ++n) {
      EXPECT_EQ(reports[n]["exit_code"], n == 5 ? code : 0) << fault << n;
      EXPECT_EQ(count(reports[n], "cases") + count(reports[n], "cases_not_run"), kCases);
      if (n != 5) {
        EXPECT_EQ(count(reports[n], "cases"), kCases);
      }
    }
  }
}

TEST(SideBySide, WhatAllDevicesShowIsNotOneDevices) {
  const cli::testing::Ran ran = run_all("devices=3,flip=5.3", "shared");
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("1 findings on all 3 devices: not of one GPU"));
  for (const Json& report : reports_of("shared", 3)) {
    EXPECT_EQ(report["findings"][0]["across_devices"]["attributed_to"], "");
    EXPECT_EQ(report["findings"][0]["across_devices"]["with"].size(), 3u);
  }
}

// Bits that no confirmed rule decides fail nowhere by themselves; a device that gives others than the rest is seen.
TEST(SideBySide, BitsThatDoNotGateAreComparedAcrossDevices) {
  // On that SIMD runs a case of each launch whose exact elements do not read the broken lane.
  const char* faults = "bad-unit=11";
  EXPECT_EQ(run_all(fmt::format("devices=1,{}", faults), "alone").exit_code, 0);
  const cli::testing::Ran ran = run_all(fmt::format("devices=3,{}#1", faults), "odd");
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  const std::vector<Json> reports = reports_of("odd", 3);
  EXPECT_EQ(codes(reports[0]), "");
  EXPECT_EQ(codes(reports[1]), "devices-differ");
  EXPECT_EQ(codes(reports[2]), "");
  EXPECT_EQ(reports[1]["totals"]["failed"], 1);
  EXPECT_EQ(reports[1]["totals"]["passed"], 0);
  EXPECT_EQ(reports[1]["findings"][0]["across_devices"]["attributed_to"], "0000:c2:00.0");
}

// One SIMD of 1024 is broken: the replays run elsewhere and see nothing, and still it is named.
TEST(Located, TheBrokenSimdIsNamed) {
  const DoubleRun r = run_with_double({.faults = "bad-unit=20"});
  EXPECT_EQ(r.ran.exit_code, 1) << r.ran.err;
  ASSERT_EQ(codes(r.report), "wrong-bits");
  const Json& finding = r.report["findings"][0];
  EXPECT_EQ(finding["replay"]["failed"], 0);
  EXPECT_EQ(finding["located"]["simds"], 1024);
  EXPECT_EQ(finding["located"]["runs"], 4096);
  EXPECT_EQ(finding["located"]["failing"],
            Json::array({{{"xcc", 4}, {"se", 2}, {"cu", 0}, {"simd", 0}, {"runs", 4}, {"failed", 4}}}));
  EXPECT_THAT(r.ran.out, HasSubstr("XCC 4 SE 2 CU 0 SIMD 0: 4 of 4"));
  // The lanes and bits of all failing elements are counted.
  std::uint64_t lanes = 0;
  for (const auto& [lane, n] : finding["failing_lanes"].items()) lanes += n.get<std::uint64_t>();
  EXPECT_EQ(lanes, finding["elements_differing"].get<std::uint64_t>());
  EXPECT_FALSE(finding["failing_bits"].empty());
}

TEST(Located, WhatIsWrongEverywhereIsNotOfOneUnit) {
  const DoubleRun r = run_with_double({.faults = "flip=5.3"});
  ASSERT_EQ(codes(r.report), "wrong-bits");
  EXPECT_EQ(r.report["findings"][0]["failing_lanes"], Json({{"1", 4}}));
  EXPECT_EQ(r.report["findings"][0]["failing_bits"], Json({{"3", 4}}));
}

TEST(Repeat, AnUnstableBitIsFoundAndCounted) {
  // One copy in seven has a wrong bit: with four launches each, in some launch of some case.
  const DoubleRun r = run_with_double({.faults = "flip=7.30/7", .arguments = "--repeat 4"});
  EXPECT_EQ(r.ran.exit_code, 1) << r.ran.err;
  EXPECT_EQ(codes(r.report), "wrong-bits,unstable-bits");
  for (const Json& finding : r.report["findings"]) {
    EXPECT_EQ(finding["repeat"], Json({{"launches", 4}, {"differing", 1}}));
  }
  EXPECT_EQ(r.report["repeats"], 4);
  // A case is one case, however often it runs.
  EXPECT_EQ(count(r.report, "cases"), kCases);
  EXPECT_EQ(count(r.report, "elements_compared"), kCases * 256u);
}

TEST(Repeat, AStableDeviceIsStable) {
  const DoubleRun r = run_with_double({.arguments = "--repeat 3", .in_flight = 2});
  EXPECT_EQ(r.ran.exit_code, 0) << r.ran.err;
  EXPECT_EQ(count(r.report, "cases"), kCases);
  const DoubleRun wrong = run_with_double({.faults = "flip=5.3", .arguments = "--repeat 3"});
  EXPECT_EQ(codes(wrong.report), "wrong-bits");
  EXPECT_EQ(wrong.report["findings"][0]["repeat"], Json({{"launches", 3}, {"differing", 3}}));
  EXPECT_EQ(count(wrong.report, "elements_differing"), 4u);
}

// What hangs in a later launch of a case does not take back that the case ran.
TEST(Repeat, AHangInALaterLaunchLeavesTheCasesThatRan) {
  const DoubleRun r = run_with_double({.faults = "hang@2", .arguments = "--repeat 2", .timeout = 3});
  EXPECT_EQ(r.ran.exit_code, 3) << r.ran.err;
  EXPECT_EQ(count(r.report, "cases"), 12u);
  EXPECT_EQ(count(r.report, "cases_not_run"), 84u);
}

TEST(Soak, RunsRoundsWithOtherSeedsUntilTheTimeIsUp) {
  const DoubleRun r = run_with_double({.arguments = "--soak 5"});
  EXPECT_EQ(r.ran.exit_code, 0) << r.ran.err;
  const auto rounds = r.report["rounds"].get<std::uint64_t>();
  EXPECT_GE(rounds, 1u);
  EXPECT_EQ(count(r.report, "cases"), rounds * kCases);
  EXPECT_EQ(count(r.report, "executions"), rounds);
  EXPECT_EQ(r.report["totals"]["instances"], 1);
  EXPECT_EQ(r.report["totals"]["passed"], 1);
}

// A failure of one round is a failure of the whole; the first case that shows it is named.
TEST(Soak, KeepsTheFailureOfOneRound) {
  const DoubleRun r = run_with_double({.faults = "flip=5.3@1", .arguments = "--soak 8"});
  EXPECT_EQ(r.ran.exit_code, 1) << r.ran.err;
  EXPECT_EQ(codes(r.report), "wrong-bits");
  EXPECT_EQ(r.report["totals"]["failed"], 1);
  EXPECT_THAT(r.report["findings"][0]["case"].get<std::string>(), HasSubstr("@seed=1#0"));
}

TEST(Soak, EndsWhenTheDeviceIsLost) {
  const DoubleRun r = run_with_double({.faults = "lost@2", .arguments = "--soak 1000"});
  EXPECT_EQ(r.ran.exit_code, 3) << r.ran.err;
  EXPECT_EQ(r.report["rounds"], 1);
}

}  // namespace
}  // namespace mfma::hip_double
