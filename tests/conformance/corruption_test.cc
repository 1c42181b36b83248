// A run must fail, and say where, when one entry of either side is wrong: layouts, opcodes, modifiers, formats, and
// rounding, planted in the emulated device and in what the oracle believes.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/terminal/terminal.h"
#include "tests/conformance/small_run.h"

namespace mfma::conformance {
namespace {

using catalogue::Instance;
using catalogue::Operand;
using gfx950::MatrixFault;
using ::testing::HasSubstr;
using testing::instances_of;
using testing::OracleAlterations;
using testing::SmallRun;

const std::vector<std::string> kInstances = {
    "mfma_f32_16x16x32_f16",
    "mfma_f32_4x4x4f16:cbsz=2,abid=1,blgp=3",
    "mfma_i32_16x16x4i8:cbsz=1,abid=1,blgp=5",
    "mfma_f64_16x16x4f64:neg=a",
    "mfma_f32_32x32x16_fp8_bf8",
    "mfma_scale_f32_16x16x128_f8f6f4:a=fp8,b=fp4,op_sel=1/2",
};

// The run fails, and each wrong-bits finding names builtin, instance, element, expected and actual bits.
void expect_failure_that_names(const reports::RunReport& report, const std::string& builtin) {
  EXPECT_EQ(report.exit_code(), reports::ExitCode::kFailure);
  EXPECT_GT(report.totals().differing, 0u);
  bool named = false;
  for (const reports::Finding& f : report.findings) {
    if (f.kind != reports::FindingKind::kWrongBits) continue;
    EXPECT_THAT(f.instance, HasSubstr(f.builtin));
    EXPECT_FALSE(f.case_id.empty());
    ASSERT_FALSE(f.differences.empty());
    EXPECT_NE(f.differences[0].expected, f.differences[0].actual);
    named |= f.builtin == builtin;
  }
  EXPECT_TRUE(named) << "no finding names " << builtin;
  const std::string text = reports::to_terminal(report, {.colour = false, .verbose = false, .most_findings = 100});
  const reports::Finding& first = report.findings[0];
  const reports::ElementDifference& d = first.differences[0];
  EXPECT_THAT(text, HasSubstr(first.instance));
  EXPECT_THAT(text, HasSubstr(fmt::format("D[{},{},{}]", d.block, d.row, d.column)));
  EXPECT_THAT(
      text, HasSubstr(fmt::format("expected {:0{}x}, actual {:0{}x}", d.expected, d.width / 4, d.actual, d.width / 4)));
  EXPECT_THAT(text, HasSubstr("FAIL (exit 1)"));
}

TEST(Corruption, HealthyRunPasses) {
  SmallRun healthy{.instances = instances_of(kInstances)};
  const reports::RunReport report = healthy();
  EXPECT_EQ(report.exit_code(), reports::ExitCode::kPass) << reports::to_terminal(report, {});
  EXPECT_EQ(report.instances(), kInstances.size());
}

struct DevicePlant {
  const char* name;
  MatrixFault fault;
  const char* instance;
};

class DeviceCorruption : public ::testing::TestWithParam<DevicePlant> {};

TEST_P(DeviceCorruption, IsFound) {
  SmallRun sick{.instances = instances_of({GetParam().instance}), .fault = GetParam().fault};
  const reports::RunReport report = sick();
  expect_failure_that_names(report, std::string(report.builtins.at(0).builtin));
}

INSTANTIATE_TEST_SUITE_P(
    OneEntryEach, DeviceCorruption,
    ::testing::Values(
        DevicePlant{"layout", {MatrixFault::Kind::kLayoutEntry, 84, 5}, "mfma_f32_16x16x32_f16"},
        // 84 (16x16x32 f16) computes as 53 (the same shape in bf16).
        DevicePlant{"opcode", {MatrixFault::Kind::kOpcode, 84, 53}, "mfma_f32_16x16x32_f16"},
        DevicePlant{"cbsz", {MatrixFault::Kind::kIgnoreCbsz, -1, 0}, "mfma_f32_4x4x4f16:cbsz=2,abid=1,blgp=3"},
        DevicePlant{"abid", {MatrixFault::Kind::kIgnoreAbid, -1, 0}, "mfma_f32_4x4x4f16:cbsz=2,abid=1,blgp=3"},
        DevicePlant{"blgp", {MatrixFault::Kind::kIgnoreBlgp, -1, 0}, "mfma_i32_16x16x4i8:cbsz=1,abid=1,blgp=5"},
        DevicePlant{"scale_bytes",
                    {MatrixFault::Kind::kSwapScaleBytes, -1, 0},
                    "mfma_scale_f32_16x16x128_f8f6f4:a=fp8,b=fp4,op_sel=1/2"},
        DevicePlant{"format_bias",
                    {MatrixFault::Kind::kFormatBias, -1, 0},
                    "mfma_scale_f32_16x16x128_f8f6f4:a=fp8,b=fp4,op_sel=1/2"},
        DevicePlant{"rounding", {MatrixFault::Kind::kRounding, -1, 0}, "mfma_f32_16x16x32_f16"}),
    [](const auto& param_info) { return std::string(param_info.param.name); });

struct OraclePlant {
  const char* name;
  const char* instance;
  OracleAlterations alterations;
};

class OracleCorruption : public ::testing::TestWithParam<OraclePlant> {};

TEST_P(OracleCorruption, IsFound) {
  SmallRun sick{.instances = instances_of({GetParam().instance}), .alterations = GetParam().alterations};
  const reports::RunReport report = sick();
  expect_failure_that_names(report, std::string(report.builtins.at(0).builtin));
}

OracleAlterations one_layout_entry(Operand which) {
  OracleAlterations alter;
  alter.layout = [which](const Instance&, Operand operand, catalogue::Layout& layout) {
    if (operand == which) layout.corrupt(3, layout.locations()[4]);
  };
  return alter;
}

INSTANTIATE_TEST_SUITE_P(
    OneEntryEach, OracleCorruption,
    ::testing::Values(
        OraclePlant{"layout_of_a", "mfma_f32_16x16x32_f16", one_layout_entry(Operand::kA)},
        OraclePlant{"layout_of_b", "mfma_f32_16x16x32_f16", one_layout_entry(Operand::kB)},
        OraclePlant{"layout_of_c", "mfma_f64_16x16x4f64:neg=a", one_layout_entry(Operand::kC)},
        OraclePlant{"layout_of_d", "mfma_i32_16x16x4i8:cbsz=1,abid=1,blgp=5", one_layout_entry(Operand::kD)},
        OraclePlant{"layout_of_scale_a", "mfma_scale_f32_16x16x128_f8f6f4:a=fp8,b=fp4,op_sel=1/2",
                    one_layout_entry(Operand::kScaleA)},
        OraclePlant{"layout_of_scale_b", "mfma_scale_f32_16x16x128_f8f6f4:a=fp8,b=fp4,op_sel=1/2",
                    one_layout_entry(Operand::kScaleB)},
        OraclePlant{"cbsz",
                    "mfma_f32_4x4x4f16:cbsz=2,abid=1,blgp=3",
                    {.layout = {},
                     .modifiers = [](const Instance&, oracles::DenseModifiers& m) { m.cbsz = 1; },
                     .format = {},
                     .model = {},
                     .opcode = {}}},
        OraclePlant{"abid",
                    "mfma_f32_4x4x4f16:cbsz=2,abid=1,blgp=3",
                    {.layout = {},
                     .modifiers = [](const Instance&, oracles::DenseModifiers& m) { m.abid = 0; },
                     .format = {},
                     .model = {},
                     .opcode = {}}},
        OraclePlant{"blgp",
                    "mfma_i32_16x16x4i8:cbsz=1,abid=1,blgp=5",
                    {.layout = {},
                     .modifiers = [](const Instance&, oracles::DenseModifiers& m) { m.blgp = 4; },
                     .format = {},
                     .model = {},
                     .opcode = {}}},
        OraclePlant{"negation",
                    "mfma_f64_16x16x4f64:neg=a",
                    {.layout = {},
                     .modifiers = [](const Instance&, oracles::DenseModifiers& m) { m.negate_a = false; },
                     .format = {},
                     .model = {},
                     .opcode = {}}},
        OraclePlant{"format_bias",
                    "mfma_f32_32x32x16_fp8_bf8",
                    {.layout = {},
                     .modifiers = {},
                     .format =
                         [](const Instance&, oracles::Format& f) {
                           if (f.id == oracles::FormatId::kFp8E4m3) f.bias += 1;
                         },
                     .model = {},
                     .opcode = {}}},
        OraclePlant{"rounding_step",
                    "mfma_f32_16x16x32_f16",
                    {.layout = {},
                     .modifiers = {},
                     .format = {},
                     .model = [](const Instance&, oracles::Model& m) { m.product_rounding = oracles::Rounding::kDown; },
                     .opcode = {}}}),
    [](const auto& param_info) { return std::string(param_info.param.name); });

TEST(Corruption, WrongOpcodeInTheCatalogueIsFoundInTheObject) {
  SmallRun sick{.instances = instances_of({"mfma_f32_16x16x32_f16"})};
  sick.alterations.opcode = [](const Instance&, int& opcode) { opcode = 53; };
  const reports::RunReport report = sick();
  EXPECT_EQ(report.exit_code(), reports::ExitCode::kFailure);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].kind, reports::FindingKind::kWrongInstruction);
  EXPECT_THAT(report.findings[0].message, HasSubstr("84"));
  EXPECT_THAT(report.findings[0].message, HasSubstr("53"));
}

}  // namespace
}  // namespace mfma::conformance
