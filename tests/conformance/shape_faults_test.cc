// What is wrong in a composed program is found, attributed, reduced, and told with everything that is needed to see it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/conformance/programs/program_reduce.h"
#include "reports/json/json.h"
#include "reports/terminal/terminal.h"
#include "tests/checks/faulty_compiler.h"
#include "tests/conformance/program_support.h"

namespace mfma::conformance {
namespace {

using kernels::OpKind;
using reports::FindingKind;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::OracleAlterations;
using testing::programs_of;
using testing::ProgramsRun;
using testing::report_of;

const std::vector<std::string> kF16 = {"mfma_f32_16x16x32_f16"};

TEST(ShapeFaults, ADeviceFaultIsFoundInShapes) {
  for (const char* shape : {"chain", "k-loop", "lds", "callee", "tiled"}) {
    const reports::RunReport report = report_of(ProgramsRun{.plan = programs_of(shape, kF16, {"O2"}),
                                                            .fault = {gfx950::MatrixFault::Kind::kTransposedResult},
                                                            .levels = {"O2"}}());
    EXPECT_EQ(report.exit_code(), reports::ExitCode::kFailure) << shape;
    ASSERT_FALSE(report.findings.empty()) << shape;
    const reports::Finding& f = report.findings[0];
    EXPECT_EQ(f.kind, FindingKind::kWrongBits);
    EXPECT_EQ(f.shape, shape);
    EXPECT_EQ(f.builtin, kF16[0]);
    EXPECT_EQ(f.instance, kF16[0]);
    EXPECT_EQ(f.level, "O2");
    EXPECT_THAT(f.case_id, HasSubstr("@seed=1#"));
    EXPECT_THAT(f.attribution, HasSubstr("wrong -O2 with"));
    EXPECT_FALSE(f.differences.empty());
    EXPECT_THAT(f.source, HasSubstr("__builtin_amdgcn_mfma_f32_16x16x32_f16"));
    EXPECT_THAT(reports::to_terminal(report, {}), HasSubstr(f.program));
    EXPECT_THAT(reports::to_json(report), HasSubstr("\"shape\":\"" + std::string(shape)));
  }
}

TEST(ShapeFaults, AWrongBeliefOfTheOracleIsFoundInShapes) {
  OracleAlterations transposed;
  transposed.layout = [](const catalogue::Instance&, catalogue::Operand operand, catalogue::Layout& layout) {
    if (operand == catalogue::Operand::kB) layout.corrupt(3, layout.locations()[5]);
  };
  const reports::RunReport report =
      report_of(ProgramsRun{.plan = programs_of("chain", kF16, {"O2"}), .alterations = transposed, .levels = {"O2"}}());
  EXPECT_EQ(report.exit_code(), reports::ExitCode::kFailure);
}

TEST(ShapeFaults, OtherArithmeticIsCountedWhereNothingIsConfirmed) {
  const auto other = oracles::load_profile(std::string(MFMA_SOURCE_DIR) + "/corpus/profiles/ek.json");
  ASSERT_TRUE(other) << other.error();
  const reports::RunReport report = report_of(ProgramsRun{
      .plan = programs_of("chain", kF16, {"O2"}), .levels = {"O2"}, .cases = 6, .device_profile = *other}());
  EXPECT_EQ(report.exit_code(), reports::ExitCode::kPass) << reports::to_terminal(report, {});
  EXPECT_GT(report.program_totals().unconfirmed, 0u);
  EXPECT_GT(report.program_totals().exact, 0u);
}

// The shape's programs by a compiler with one fault in the first place of each kernel that has one.
reports::RunReport run_with_fault(const std::string& fault, const std::string& shape,
                                  const std::vector<std::string>& ids) {
  const checks::testing::FaultyCompiler compiler(fault);
  return report_of(ProgramsRun{
      .plan = programs_of(shape, ids, {"O2"}), .compiler = compiler.path(), .cached = false, .levels = {"O2"}}());
}

struct Planted {
  const char* fault;
  const char* shape;
  const char* instance;
};

class CompilerFault : public ::testing::TestWithParam<Planted> {};

TEST_P(CompilerFault, IsFoundInTheShape) {
  const Planted& p = GetParam();
  const reports::RunReport report = run_with_fault(p.fault, p.shape, {p.instance});
  EXPECT_EQ(report.exit_code(), reports::ExitCode::kFailure) << reports::to_terminal(report, {});
  EXPECT_GT(report.program_totals().differing, 0u);
}

constexpr const char* kScaled = "mfma_scale_f32_16x16x128_f8f6f4:a=fp8,b=fp8,op_sel=1/2";

INSTANTIATE_TEST_SUITE_P(Each, CompilerFault,
                         ::testing::Values(Planted{"product-missing", "chain", "mfma_f32_4x4x1f32"},
                                           Planted{"opcode-changed", "c-place", "mfma_f32_16x16x16f16"},
                                           Planted{"source-a-off-by-one", "part", "mfma_f32_16x16x4f32"},
                                           Planted{"op-sel-swapped", "scales", kScaled},
                                           Planted{"scale-inline-constant", "scales", kScaled}),
                         [](const auto& planted) {
                           std::string name = planted.param.fault;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(ShapeFaults, TheWrapperAloneChangesNothing) {
  EXPECT_EQ(run_with_fault("none", "c-place", kF16).exit_code(), reports::ExitCode::kPass);
}

TEST(ShapeFaults, ScaledProductsMovedIntoABranchAreFound) {
  auto compiler = compilers::Compiler::open(testing::compiler_under_test(), "gfx950", std::nullopt);
  ASSERT_TRUE(compiler) << compiler.error();
  if (compiler->identity().version.find(" 22.1.") == std::string::npos) {
    GTEST_SKIP() << "known of clang 22.1 only (docs/compilers.md): " << compiler->identity().version;
  }
  const reports::RunReport report = report_of(ProgramsRun{
      .plan = programs_of("branch", {"mfma_scale_f32_16x16x128_f8f6f4:a=fp6,b=fp8,op_sel=0/0"}), .limits = {1, 80}}());
  EXPECT_EQ(report.exit_code(), reports::ExitCode::kFailure);
  ASSERT_FALSE(report.findings.empty());
  const reports::Finding& f = report.findings[0];
  EXPECT_THAT(f.program, HasSubstr("branch/pick"));
  EXPECT_THAT(f.attribution, HasSubstr("right -O0"));
  EXPECT_THAT(f.attribution, HasSubstr("reduced from 13 operations to 8"));
}

TEST(Reduce, KeepsWhatFailsAndDropsTheRest) {
  const kernels::Shape* shape = kernels::find_shape("accumulators");
  const kernels::Program program = shape->make(*catalogue::parse_instance(kF16[0]), "eight", 1);
  // "Fails" as long as two products follow one another.
  int asked = 0;
  const auto fails = [&asked](const kernels::Program& p) {
    ++asked;
    EXPECT_EQ(kernels::why_malformed(p), "");
    return std::any_of(p.ops.begin(), p.ops.end(), [&](const kernels::Op& op) {
      return op.kind == OpKind::kMultiply && p.ops[static_cast<std::size_t>(op.args[2])].kind == OpKind::kMultiply;
    });
  };
  const Reduced reduced = reduce(program, fails, 500);
  EXPECT_EQ(reduced.tries, asked);
  EXPECT_LT(asked, 500);
  EXPECT_TRUE(fails(reduced.program));
  EXPECT_EQ(reduced.program.outputs.size(), 1u);
  const auto products = std::count_if(reduced.program.ops.begin(), reduced.program.ops.end(),
                                      [](const kernels::Op& op) { return op.kind == OpKind::kMultiply; });
  EXPECT_EQ(products, 2);
  EXPECT_LT(reduced.program.ops.size(), 9u);
  EXPECT_LE(reduce(program, fails, 3).tries, 3) << "bounded";
}

}  // namespace
}  // namespace mfma::conformance
