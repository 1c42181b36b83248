// `--device hip` from the outside: what is found, what is refused, and what the report says of it.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/hip_double/support.h"

namespace mfma::hip_double {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace testing;

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(HipDevice, RunsAndSaysWhatItRanOn) {
  const DoubleRun r = run_with_double({});
  ASSERT_EQ(r.ran.exit_code, 0) << r.ran.out << r.ran.err;
  EXPECT_THAT(r.ran.out, HasSubstr("TEST DOUBLE of an MI350X (gfx950:sramecc+:xnack-) at 0000:c1:00.0"));
  EXPECT_THAT(r.ran.out, HasSubstr("/whole/libamdhip64.so.7"));
  EXPECT_THAT(r.ran.out, Not(HasSubstr("EMULATED")));
  const Json& device = r.report["device"];
  EXPECT_EQ(device["kind"], "hip");
  EXPECT_EQ(device["id"], "hip:0");
  EXPECT_EQ(device["emulated"], false);
  EXPECT_EQ(device["facts"]["pci"], "0000:c1:00.0");
  EXPECT_EQ(device["facts"]["hip_runtime"], "7.0.51831");
  EXPECT_EQ(device["facts"]["compute_units"], "256");
  EXPECT_THAT(device["facts"]["hip_library"].get<std::string>(), HasSubstr("/whole/libamdhip64.so.7"));
  EXPECT_EQ(count(r.report, "cases"), kCases);
  EXPECT_EQ(count(r.report, "cases_not_run"), 0u);
  EXPECT_EQ(count(r.report, "elements_compared"), kCases * 256u);
}

// Nothing is run, one line says why, no report is written.
struct Refusal {
  const char* name;
  Setting setting;
  const char* why;
};
void PrintTo(const Refusal& r, std::ostream* out) { *out << r.name; }

class HipRefusals : public ::testing::TestWithParam<Refusal> {};

TEST_P(HipRefusals, OneLineAndNoVerdict) {
  const DoubleRun r = run_with_double(GetParam().setting);
  EXPECT_EQ(r.ran.exit_code, 2) << r.ran.out << r.ran.err;
  EXPECT_THAT(r.ran.err, HasSubstr(GetParam().why));
  EXPECT_EQ(lines(r.ran.err), 1u) << r.ran.err;
  EXPECT_THAT(r.ran.out, "");
  EXPECT_TRUE(r.report.is_null());
}

Setting with_library(const char* folder) {
  Setting s;
  s.library = std::string(MFMA_HIP_DOUBLES) + "/" + folder;
  return s;
}

INSTANTIATE_TEST_SUITE_P(
    All, HipRefusals,
    ::testing::Values(
        Refusal{"no_device", {.faults = "no-device"}, "hipInit gave 101 (hipErrorInvalidDevice"},
        Refusal{"wrong_arch", {.faults = "arch=gfx942"}, "(gfx942)"},
        Refusal{"arch_that_only_begins_so", {.faults = "arch=gfx9500"}, "is not a gfx950"},
        Refusal{"no_arch", {.faults = "arch="}, "of unknown arch"},
        Refusal{"too_old_by_version", {.faults = "version=50221153"}, "too old (version 5.2.21153)"},
        Refusal{"too_old_by_abi", with_library("old_abi"), "too old"},
        Refusal{"function_missing", with_library("no_launch"), "has no hipModuleLaunchKernel"},
        Refusal{"init_crashes", {.faults = "init-crash"}, "ended by signal 11"},
        Refusal{"init_crashes_in_the_worker", {.faults = "init-crash@2"}, "ended by signal 11"},
        Refusal{"init_hangs", {.faults = "init-hang", .arguments = "--start-timeout 1"}, "gave no answer within 1 s"},
        Refusal{"no_such_number", {.device = "hip:3"}, "there are 1 GPUs"},
        Refusal{"one_of_all_is_unfit", {.faults = "devices=2,arch=gfx942#1", .device = "all"}, "(gfx942)"},
        Refusal{"gone_before_the_worker", {.faults = "no-device@2"}, "hip:0: the HIP runtime"}),
    [](const auto& param) { return std::string(param.param.name); });

TEST(HipDevice, WrongNameIsUsage) {
  for (const char* device : {"hip:", "hip:x", "hip:-1", "gpu"}) {
    Setting s;
    s.device = device;
    EXPECT_EQ(run_with_double(s).ran.exit_code, 64) << device;
  }
}

TEST(HipDevice, AutoTakesTheGpuAndSaysSo) {
  Setting s;
  s.device = "auto";
  const DoubleRun r = run_with_double(s);
  EXPECT_EQ(r.ran.exit_code, 0) << r.ran.err;
  EXPECT_THAT(r.ran.err, HasSubstr("auto: running on hip:0: TEST DOUBLE"));
  EXPECT_EQ(r.report["device"]["kind"], "hip");
}

TEST(HipDevice, AutoWithoutAGfx950IsLoud) {
  for (const char* fault : {"no-device", "arch=gfx942", "version=50221153"}) {
    Setting s;
    s.device = "auto";
    s.faults = fault;
    const DoubleRun r = run_with_double(s);
    EXPECT_EQ(r.ran.exit_code, 0) << r.ran.err;
    EXPECT_THAT(r.ran.err, HasSubstr("NO GFX950 HERE, running on the EMULATED device")) << fault;
    EXPECT_EQ(r.report["device"]["kind"], "emulated");
  }
}

// Two devices, the second of which is wrong: only it fails, and the report says which it is.
TEST(HipDevice, OnlyTheFaultyOneOfTwoFails) {
  const std::string faults = "devices=2,flip=5.3#1";
  Setting s;
  s.faults = faults;
  s.device = "hip:0";
  EXPECT_EQ(run_with_double(s).ran.exit_code, 0);
  s.device = "hip:1";
  const DoubleRun second = run_with_double(s);
  EXPECT_EQ(second.ran.exit_code, 1) << second.ran.err;
  EXPECT_EQ(second.report["device"]["facts"]["pci"], "0000:c2:00.0");

  s.device = "all";
  const DoubleRun both = run_with_double(s);
  EXPECT_EQ(both.ran.exit_code, 1) << both.ran.err;
  std::size_t reports = 0;
  for (const auto& entry : std::filesystem::directory_iterator(scratch())) {
    const std::string name = entry.path().filename().string();
    if (name.find(".hip-") == std::string::npos) continue;
    const Json report = Json::parse(cli::testing::slurp(entry.path()));
    const bool faulty = name.find(".hip-1.json") != std::string::npos;
    EXPECT_EQ(report["exit_code"], faulty ? 1 : 0) << name;
    EXPECT_EQ(report["device"]["facts"]["pci"], faulty ? "0000:c2:00.0" : "0000:c1:00.0");
    ++reports;
  }
  EXPECT_EQ(reports, 2u);
}

// A scheduler's choice of GPUs stays in force: the only visible one is the second.
TEST(HipDevice, RespectsWhatIsVisible) {
  for (const char* name : {"ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"}) {
    setenv(name, "1", 1);
    Setting s;
    s.faults = "devices=3";
    const DoubleRun r = run_with_double(s);
    unsetenv(name);
    EXPECT_EQ(r.ran.exit_code, 0) << r.ran.err;
    EXPECT_EQ(r.report["device"]["facts"]["pci"], "0000:c2:00.0") << name;
  }
}

// Debian's own runtime, which knows no gfx950 and finds no GPU: a refusal by a library that is none of ours.
TEST(HipDevice, RefusesDebiansRuntime) {
  void* library = dlopen("libamdhip64.so.5", RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(library) << "install libamdhip64-5";
  Dl_info info{};
  ASSERT_NE(dladdr(dlsym(library, "hipInit"), &info), 0);
  const std::filesystem::path folder = scratch() / "debian";
  std::filesystem::create_directories(folder);
  std::filesystem::create_symlink(info.dli_fname, folder / "libamdhip64.so.7");
  Setting s;
  s.library = folder.string();
  const DoubleRun r = run_with_double(s);
  EXPECT_EQ(r.ran.exit_code, 2) << r.ran.out << r.ran.err;
  EXPECT_THAT(r.ran.err, HasSubstr("too old"));
  EXPECT_EQ(lines(r.ran.err), 1u) << r.ran.err;
  EXPECT_TRUE(r.report.is_null());
}

}  // namespace
}  // namespace mfma::hip_double
