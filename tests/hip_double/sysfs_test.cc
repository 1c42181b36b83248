// What the machine tells of a GPU beside its runtime, from a tree in the place of /sys.
#include "harness/devices/sysfs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/hip_double/support.h"

namespace mfma::hip_double {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using namespace testing;
namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

// A tree with the double's first GPU.
fs::path make_tree(const std::string& name) {
  const fs::path root = scratch() / name;
  const fs::path device = root / "bus/pci/devices/0000:c1:00.0";
  write(root / "module/amdgpu/version", "6.14.14\n");
  write(device / "unique_id", "0123456789abcdef\n");
  write(device / "current_compute_partition", "SPX\n");
  write(device / "fw_version/mec_fw_version", "0x000000b6\n");
  write(device / "fw_version/psp_sos_fw_version", "0x0036e2bd\n");
  write(device / "ras/umc_err_count", "ue: 0\nce: 3\n");
  write(device / "ras/gfx_err_count", "ue: 1\nce: 0\nde: 2\n");
  write(device / "ras/features", "feature mask: 0x7\n");
  return root;
}

TEST(Sysfs, ReadsVersionsAndCounters) {
  const fs::path root = make_tree("sys");
  EXPECT_THAT(
      devices::sysfs::facts(root, "0000:C1:00.0"),
      ElementsAre(Pair("driver", "6.14.14"), Pair("unique_id", "0123456789abcdef"), Pair("compute_partition", "SPX"),
                  Pair("firmware.mec", "0x000000b6"), Pair("firmware.psp_sos", "0x0036e2bd")));
  EXPECT_THAT(
      devices::sysfs::error_counts(root, "0000:c1:00.0"),
      ElementsAre(Pair("gfx.ue", 1), Pair("gfx.ce", 0), Pair("gfx.de", 2), Pair("umc.ue", 0), Pair("umc.ce", 3)));
}

TEST(Sysfs, AbsentIsNoComplaint) {
  const fs::path root = make_tree("sys_absent");
  for (const char* pci : {"0000:c2:00.0", "", "..", "/", "0000:c1:00.0/../0000:c1:00.0", "0000:c1:00.0\n"}) {
    EXPECT_THAT(devices::sysfs::facts(root, pci), IsEmpty()) << pci;
    EXPECT_THAT(devices::sysfs::error_counts(root, pci), IsEmpty()) << pci;
  }
  EXPECT_THAT(devices::sysfs::facts("/nowhere", "0000:c1:00.0"), IsEmpty());
}

TEST(Sysfs, WhatIsNoCounterIsLeftOut) {
  const fs::path root = make_tree("sys_odd");
  const fs::path ras = root / "bus/pci/devices/0000:c1:00.0/ras";
  write(ras / "umc_err_count", "ue: many\nce 3\n: 4\nce: 5 or so\nde:\nue: 99999999999999999999999\n");
  write(ras / "gfx_err_count", "Query currently inaccessible\n");
  write(ras / "_err_count", "ue: 1\n");
  EXPECT_THAT(devices::sysfs::error_counts(root, "0000:c1:00.0"), IsEmpty());
}

class SysfsRun : public ::testing::Test {
 protected:
  void use(const fs::path& root) {
    setenv("MFMA_CONFORM_SYSFS", root.c_str(), 1);
    setenv("MFMA_HIP_DOUBLE_RAS", (root / "bus/pci/devices/0000:c1:00.0/ras/umc_err_count").c_str(), 1);
  }
  ~SysfsRun() override {
    unsetenv("MFMA_CONFORM_SYSFS");
    unsetenv("MFMA_HIP_DOUBLE_RAS");
  }
};

TEST_F(SysfsRun, FactsAndCountersAreInTheReport) {
  use(make_tree("sys_run"));
  const DoubleRun r = run_with_double({});
  ASSERT_EQ(r.ran.exit_code, 0) << r.ran.err;
  const Json& device = r.report["device"];
  EXPECT_EQ(device["facts"]["driver"], "6.14.14");
  EXPECT_EQ(device["facts"]["firmware.mec"], "0x000000b6");
  EXPECT_EQ(device["error_counters"]["umc.ce"], Json({{"before", 3}, {"after", 3}, {"rose", false}}));
  EXPECT_THAT(r.ran.out, Not(HasSubstr("MEMORY ERRORS")));
}

TEST_F(SysfsRun, ACounterThatRoseIsSaidAloud) {
  use(make_tree("sys_rose"));
  const DoubleRun r = run_with_double({.faults = "ras@2"});
  EXPECT_EQ(r.ran.exit_code, 0) << r.ran.err;
  EXPECT_THAT(r.ran.out, HasSubstr("MEMORY ERRORS: umc.ce of hip:0 rose from 3 to 7 during this run"));
  EXPECT_EQ(r.report["device"]["error_counters"]["umc.ce"], Json({{"before", 3}, {"after", 7}, {"rose", true}}));
  EXPECT_EQ(r.report["device"]["error_counters"]["gfx.ue"]["rose"], false);
}

// A fresh worker after a crash has the same device, though the machine's facts were not told by the worker.
TEST_F(SysfsRun, ACrashDoesNotMakeItAnotherDevice) {
  use(make_tree("sys_crash"));
  const DoubleRun r = run_with_double({.faults = "crash@2"});
  EXPECT_EQ(r.ran.exit_code, 2) << r.ran.err;
  EXPECT_THAT(r.ran.err, HasSubstr("going on"));
}

TEST_F(SysfsRun, WithoutATreeNothingIsSaid) {
  use("/nowhere/at/all");
  const DoubleRun r = run_with_double({});
  EXPECT_EQ(r.ran.exit_code, 0) << r.ran.err;
  EXPECT_EQ(r.ran.err, "");
  EXPECT_TRUE(r.report["device"]["error_counters"].empty());
  EXPECT_FALSE(r.report["device"]["facts"].contains("driver"));
}

}  // namespace
}  // namespace mfma::hip_double
