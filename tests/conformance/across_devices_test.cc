// Reports of several devices, compared.
#include "harness/conformance/followup/across_devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mfma::conformance {
namespace {

using reports::FindingKind;
using reports::RunReport;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kInstance = "mfma_f32_16x16x4f32";

// One instance at two levels, all well.
RunReport report_of(int device) {
  RunReport r;
  r.device_id = "hip:" + std::to_string(device);
  r.device_facts = {{"pci", "0000:c" + std::to_string(device) + ":00.0"}};
  reports::UnitReport& unit = r.units.emplace_back();
  unit.group = unit.id = kInstance;
  unit.verdict = reports::Verdict::kPass;
  unit.counts.elements = 256;
  summarize(r);
  for (const char* level : {"O0", "O2"}) r.digests.push_back({kInstance, "cc", level, 12, 77});
  return r;
}

std::vector<RunReport> devices(int count) {
  std::vector<RunReport> reports;
  for (int n = 0; n < count; ++n) reports.push_back(report_of(n));
  return reports;
}

void add_finding(RunReport& r, FindingKind kind, const std::string& level = "O2") {
  reports::Finding f;
  f.kind = kind;
  f.builtin = f.instance = kInstance;
  f.compiler = "cc";
  f.level = level;
  f.device = r.device_id;
  r.findings.push_back(f);
  r.units[0].verdict = reports::verdict_of(kind);
  summarize(r);
}

TEST(AcrossDevices, EqualDevicesDoNotDiffer) {
  std::vector<RunReport> reports = devices(3);
  compare_devices(reports);
  for (const RunReport& r : reports) EXPECT_THAT(r.findings, IsEmpty());
  EXPECT_THAT(summary_across(reports), ElementsAre("across devices: the 3 devices do not differ"));
}

TEST(AcrossDevices, TheOddOneOfThreeIsNamedOnceForEachLevel) {
  std::vector<RunReport> reports = devices(3);
  reports[1].digests[1].digest = 78;
  compare_devices(reports);
  ASSERT_EQ(reports[1].findings.size(), 1u);
  EXPECT_EQ(reports[1].findings[0].kind, FindingKind::kDevicesDiffer);
  EXPECT_EQ(reports[1].findings[0].level, "O2");
  EXPECT_EQ(reports[1].findings[0].builtin, kInstance);
  EXPECT_EQ(reports[1].findings[0].across->attributed_to, "0000:c1:00.0");
  EXPECT_EQ(reports[1].exit_code(), reports::ExitCode::kFailure);
  EXPECT_EQ(reports[1].instances_with(reports::Verdict::kFail), 1u);
  EXPECT_EQ(reports[1].instances_with(reports::Verdict::kPass), 0u);
  EXPECT_EQ(reports[0].exit_code(), reports::ExitCode::kPass);
  EXPECT_EQ(reports[2].exit_code(), reports::ExitCode::kPass);
}

// The instance is counted once however many levels differ.
TEST(AcrossDevices, TwoLevelsMakeOneFailedInstance) {
  std::vector<RunReport> reports = devices(3);
  for (reports::ExecutionDigest& e : reports[0].digests) e.digest = 1;
  compare_devices(reports);
  EXPECT_EQ(reports[0].findings.size(), 2u);
  EXPECT_EQ(reports[0].instances_with(reports::Verdict::kFail), 1u);
  EXPECT_EQ(reports[0].instances(), 1u);
}

TEST(AcrossDevices, OfTwoThatDifferNeitherIsBelieved) {
  std::vector<RunReport> reports = devices(2);
  reports[1].digests[0].digest = 78;
  compare_devices(reports);
  for (const RunReport& r : reports) {
    ASSERT_EQ(r.findings.size(), 1u);
    EXPECT_THAT(r.findings[0].message, HasSubstr("nothing says"));
    EXPECT_EQ(r.findings[0].across->attributed_to, "");
  }
}

TEST(AcrossDevices, ADeviceThatFailsByItselfIsNotCompared) {
  std::vector<RunReport> reports = devices(2);
  reports[1].digests[1].digest = 78;
  add_finding(reports[1], FindingKind::kWrongBits);
  compare_devices(reports);
  EXPECT_THAT(reports[0].findings, IsEmpty());
  ASSERT_EQ(reports[1].findings.size(), 1u);
  EXPECT_EQ(reports[1].findings[0].across->attributed_to, "0000:c1:00.0");
  EXPECT_THAT(summary_across(reports), ElementsAre(HasSubstr("1 [wrong-bits] on hip:1 alone (0000:c1:00.0)")));
}

// Digests over fewer cases are of a device that was stopped.
TEST(AcrossDevices, APartOfTheCasesIsNotCompared) {
  std::vector<RunReport> reports = devices(3);
  reports[2].digests[0] = {kInstance, "cc", "O0", 5, 1};
  compare_devices(reports);
  for (const RunReport& r : reports) EXPECT_THAT(r.findings, IsEmpty());
}

TEST(AcrossDevices, WhereAnotherWasStoppedItIsUnknown) {
  std::vector<RunReport> reports = devices(3);
  add_finding(reports[0], FindingKind::kWrongBits);
  add_finding(reports[1], FindingKind::kHang);
  compare_devices(reports);
  const reports::AcrossDevices& across = *reports[0].findings[0].across;
  EXPECT_THAT(across.with, ElementsAre("hip:0"));
  EXPECT_THAT(across.without, ElementsAre("hip:2"));
  EXPECT_THAT(across.unknown, ElementsAre("hip:1"));
  EXPECT_EQ(across.attributed_to, "0000:c0:00.0");
}

TEST(AcrossDevices, WhatNobodyElseCouldRunIsNobodys) {
  std::vector<RunReport> reports = devices(2);
  add_finding(reports[0], FindingKind::kWrongBits);
  add_finding(reports[1], FindingKind::kUnsupportedInstruction);
  compare_devices(reports);
  EXPECT_EQ(reports[0].findings[0].across->attributed_to, "");
  EXPECT_FALSE(reports[1].findings[0].across);
}

TEST(AcrossDevices, OneReportStaysAsItIs) {
  std::vector<RunReport> reports = devices(1);
  add_finding(reports[0], FindingKind::kWrongBits);
  compare_devices(reports);
  EXPECT_FALSE(reports[0].findings[0].across);
  EXPECT_THAT(summary_across(reports), IsEmpty());
}

}  // namespace
}  // namespace mfma::conformance
