// Every fault that can be planted in the emulated matrix unit makes a run fail, and the reduced case is small.
//
// Each run has the cases of `run --tier quick` (seed 1, cases_per_instance(kQuick)) on the instances named. A case is a
// function of seed, instance and index, so the whole quick tier, which has these cases among its own, fails as well.
// docs/faults.md has the table that this prints. MFMA_FAULT_CASES=DIR keeps the reduced cases there.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "harness/conformance/case_runner.h"
#include "reports/terminal.h"
#include "tests/conformance/small_run.h"

namespace mfma::conformance {
namespace {

using Kind = gfx950::MatrixFault::Kind;
using testing::instances_of;

struct Plant {
  Kind kind;
  int opcode, value;
  std::vector<std::string> instances;
};

const std::string kF16 = "mfma_f32_16x16x32_f16", kBf16 = "mfma_f32_16x16x32_bf16", kFp8 = "mfma_f32_16x16x32_fp8_fp8",
                  kF32 = "mfma_f32_16x16x4f32", kF64 = "mfma_f64_16x16x4f64", kI8 = "mfma_i32_16x16x64_i8",
                  kScaled = "mfma_scale_f32_16x16x128_f8f6f4:", kScaled32 = "mfma_scale_f32_32x32x64_f8f6f4:";

std::vector<Plant> plants() {
  return {
      {Kind::kLayoutEntry, 84, 17, {kF16}},
      {Kind::kTransposedResult, -1, 0, {"mfma_f32_4x4x4f16"}},
      {Kind::kOpcode, 84, 53, {kF16}},
      {Kind::kStuckLane, -1, 40, {kI8}},
      {Kind::kSwapRegisterPair, -1, 0, {kF16}},
      {Kind::kIgnoreCbsz, -1, 0, {"mfma_f32_32x32x1f32:cbsz=1"}},
      {Kind::kIgnoreAbid, -1, 0, {"mfma_f32_4x4x4f16:cbsz=4,abid=9"}},
      {Kind::kWholeWaveBroadcast, -1, 0, {"mfma_f32_4x4x1f32:cbsz=1,abid=1"}},
      {Kind::kIgnoreBlgp, -1, 0, {"mfma_f32_16x16x1f32:blgp=5"}},
      {Kind::kBlgpRotateRight, -1, 0, {"mfma_f32_16x16x1f32:blgp=3"}},
      {Kind::kNegateSwapped, -1, 0, {kF64 + ":neg=a"}},
      {Kind::kContiguousK8, -1, 0, {kScaled32 + "a=fp8,b=fp4,unscaled"}},
      {Kind::kSixBitCrossing, -1, 0, {kScaled32 + "a=fp6,b=fp4,unscaled"}},
      {Kind::kSwapFormatCodes, -1, 0, {kScaled + "a=fp8,b=bf8,unscaled"}},
      {Kind::kIgnoreScale, -1, 0, {kScaled + "a=fp4,b=fp4,op_sel=0/1"}},
      {Kind::kSwapScaleBytes, -1, 0, {kScaled + "a=fp4,b=fp4,op_sel=0/1"}},
      {Kind::kScaleLanePair, -1, 0, {kScaled + "a=fp6,b=fp4,op_sel=0/0"}},
      {Kind::kScaleFollowsData, -1, 0, {kScaled + "a=fp8,b=fp8,op_sel=0/0"}},
      {Kind::kScaleWrongGroup, -1, 0, {kScaled + "a=bf6,b=bf6,op_sel=0/0"}},
      {Kind::kScaleZeroIsZero, -1, 0, {kScaled + "a=fp4,b=fp4,op_sel=0/1"}},
      {Kind::kScaleNanIsNumber, -1, 0, {kScaled + "a=fp4,b=fp4,op_sel=0/1"}},
      {Kind::kFormatBias, -1, 4, {kScaled + "a=fp4,b=fp8,unscaled"}},
      {Kind::kFnuzFormats, -1, 0, {kFp8}},
      {Kind::kDropSubnormalInputs, -1, 0, {kF16}},
      {Kind::kFlushSubnormalResult, -1, 0, {kF32}},
      {Kind::kUnsignedI8, -1, 0, {kI8}},
      {Kind::kSaturateI32, -1, 0, {kI8}},
      {Kind::kRounding, -1, 0, {kF32}},
      {Kind::kProductBitLess, -1, 0, {kBf16, kF16}},
      {Kind::kProductFloor, -1, 0, {kBf16, kF16}},
      {Kind::kSumAsShortAsC, -1, 0, {kBf16, kF16}},
      {Kind::kCTowardZero, -1, 0, {kBf16, kF16}},
      {Kind::kStepDoubled, -1, 0, {kBf16, kF16}},
      {Kind::kDescendingSteps, -1, 0, {kBf16, kF16}},
      {Kind::kMergedGroups, -1, 0, {kFp8}},
      {Kind::kNeverDropC, -1, 0, {kFp8}},
      {Kind::kNoProductOverflow, -1, 0, {kBf16}},
      {Kind::kUnfused, -1, 0, {kF32}},
      {Kind::kMissingC, -1, 0, {kF16}},
      {Kind::kLastProductMissing, -1, 0, {kF16}},
      {Kind::kNegativeZeroLost, -1, 0, {kF32}},
      {Kind::kF64ThroughF32, -1, 0, {kF64}},
      {Kind::kNanSign, -1, 0, {kF16}},
  };
}

// Faults that the quick tier does not find, and why. A name here whose fault is found fails the test: take it off.
const std::map<std::string, std::string> kNotFound = {};

class Faults : public ::testing::Test {
 protected:
  void SetUp() override {
    auto compiler = compilers::Compiler::open(testing::compiler_under_test(), "gfx950",
                                              compilers::Cache(compilers::Cache::default_directory()));
    ASSERT_TRUE(compiler) << compiler.error();
    compilers_ = {*compiler};
  }

  reports::RunReport run_with(const Plant& plant) {
    const std::vector<catalogue::Instance> instances = instances_of(plant.instances);
    std::vector<const catalogue::Builtin*> used;
    for (const catalogue::Instance& i : instances) used.push_back(i.builtin);
    auto device = devices::make_emulated_device(oracles::default_profile(), used,
                                                {.reading = oracles::BroadcastReading::kPerSet,
                                                 .fault = {plant.kind, plant.opcode, plant.value}});
    EXPECT_TRUE(device);
    RunOptions options;
    options.instances = instances;
    options.compilers = compilers_;
    options.levels = {"O2"};
    options.device = device->get();
    options.profile = oracles::default_profile();
    options.profile_source = "built in";
    options.device_runs_profile = true;
    options.seed = 1;
    options.cases_per_instance = cases_per_instance(Tier::kQuick);
    options.jobs = 2;
    options.reduce = true;
    if (const char* folder = std::getenv("MFMA_FAULT_CASES")) {
      options.keep_case = [&, folder](const std::string& name, const cases::CaseFile& file) {
        if (!name.ends_with(".reduced")) return std::string();
        const std::string path = fmt::format("{}/{}.{}.case", folder, gfx950::name_of(plant.kind), name);
        const auto saved = cases::save_case_file(file, path);
        EXPECT_TRUE(saved) << saved.error();
        return path;
      };
    }
    return run(options);
  }

  std::vector<compilers::Compiler> compilers_;
};

TEST_F(Faults, EachMakesTheQuickTierFailAndLeavesASmallCase) {
  std::set<Kind> planted;
  std::size_t found = 0, small = 0;
  std::string table = fmt::format("{:<24} {:>9} {:>10}  {}\n", "fault", "elements", "products", "reduced case");
  for (const Plant& plant : plants()) {
    planted.insert(plant.kind);
    const std::string name(gfx950::name_of(plant.kind));
    const reports::RunReport report = run_with(plant);
    const bool fails = report.exit_code() == reports::ExitCode::kFailure;
    const auto excused = kNotFound.find(name);
    EXPECT_NE(fails, excused != kNotFound.end())
        << name << (fails ? " is found: take it off kNotFound" : " is not found by the quick tier");
    if (!fails) {
      table += fmt::format("{:<24} {:>9} {:>10}  not found\n", name, 0, "-");
      continue;
    }
    ++found;
    const auto smallest = std::min_element(report.findings.begin(), report.findings.end(), [](const auto& x, const auto& y) {
      const auto rank = [](const reports::Finding& f) { return f.reduced ? f.reduced->nonzero_products : ~std::uint64_t{0}; };
      return rank(x) < rank(y);
    });
    ASSERT_TRUE(smallest != report.findings.end() && smallest->reduced) << name << " has no reduced case";
    const reports::ReducedFailure& reduced = *smallest->reduced;
    EXPECT_EQ(smallest->replays_failed, smallest->replays) << name;
    EXPECT_NE(reduced.difference.expected, reduced.difference.actual);
    if (reduced.nonzero_products <= 2) ++small;
    table += fmt::format("{:<24} {:>9} {:>10}  {}, {} candidates{}\n", name, report.totals().differing,
                         reduced.nonzero_products, reduced.instance, reduced.candidates, reduced.exhausted ? ", bound" : "");
    // The reduced case is read back as a case file and passes where nothing is planted: its expected D is right.
    const auto file = cases::parse_case_file(reduced.text, name);
    ASSERT_TRUE(file) << file.error();
    EXPECT_EQ(file->label, (cases::ReplayLabel{5, 5})) << name;
  }
  fmt::print("{}", table);
  for (const Kind kind : gfx950::all_fault_kinds()) EXPECT_TRUE(planted.contains(kind)) << gfx950::name_of(kind);
  fmt::print("{} of {} faults found, {} with at most 2 products\n", found, planted.size(), small);
  EXPECT_GE(found, 20u);
  EXPECT_GT(small * 2, planted.size());
}

// The same runs without a fault pass.
TEST_F(Faults, WithoutOneTheSameRunPasses) {
  std::set<std::string> ids;
  for (const Plant& plant : plants()) ids.insert(plant.instances.begin(), plant.instances.end());
  const reports::RunReport report = run_with({Kind::kNone, -1, 0, {ids.begin(), ids.end()}});
  EXPECT_EQ(report.exit_code(), reports::ExitCode::kPass) << reports::to_terminal(report, {});
  EXPECT_TRUE(report.findings.empty());
}

}  // namespace
}  // namespace mfma::conformance
