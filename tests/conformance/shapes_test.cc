// Every shape through the real compiler on the healthy device; the pairwise plan; the tiled product against integers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/cases/rng.h"
#include "reports/terminal/terminal.h"
#include "tests/conformance/program_support.h"

namespace mfma::conformance {
namespace {

using catalogue::RegisterImage;
using testing::instances_of;
using testing::programs_of;
using testing::ProgramsRun;
using testing::report_of;

class EachShape : public ::testing::TestWithParam<std::string> {};

// Two builtins a shape, at -O0 and -O2. Not the scaled ones in a branch: clang 22 moves them into it
// (docs/compilers.md).
TEST_P(EachShape, CompilesAndPasses) {
  const std::string shape = GetParam();
  std::vector<std::string> ids = {"mfma_f32_16x16x32_f16", "mfma_i32_16x16x4i8:cbsz=1,abid=1,blgp=5"};
  if (shape == "scales") ids = {"mfma_scale_f32_16x16x128_f8f6f4:a=fp8,b=fp4,op_sel=1/2"};
  if (shape == "tiled") ids = {"mfma_f32_16x16x32_f16"};
  if (shape == "chain" || shape == "to-operand" || shape == "k-loop") {
    ids = {"mfma_f64_16x16x4f64:neg=c", "mfma_scale_f32_16x16x128_f8f6f4:a=fp6,b=bf8,op_sel=0/3"};
  }
  const std::vector<PlannedProgram> plan = programs_of(shape, ids);
  ASSERT_FALSE(plan.empty());
  const reports::RunReport report = report_of(ProgramsRun{.plan = plan}());
  EXPECT_EQ(report.exit_code(), reports::ExitCode::kPass) << reports::to_terminal(report, {});
  EXPECT_EQ(report.programs_with(reports::Verdict::kPass), plan.size());
  EXPECT_EQ(report.program_totals().executions, 2 * plan.size());
  EXPECT_GT(report.program_totals().elements, 0u);
}

std::vector<std::string> shape_names() {
  std::vector<std::string> names;
  for (const kernels::Shape& shape : kernels::shapes()) names.emplace_back(shape.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Shapes, EachShape, ::testing::ValuesIn(shape_names()), [](const auto& shape) {
  std::string name = shape.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(RandomPrograms, PassWithTheRealCompiler) {
  // Without the scaled builtins, for the reason above.
  ProgramSelection selection{{}, catalogue::all_legal_instances(), {"O0", "O2"}, Coverage::kPairwise, 5};
  std::erase_if(selection.instances,
                [](const auto& i) { return i.builtin->modifiers == catalogue::ModifierKind::kScaled; });
  const reports::RunReport report = report_of(ProgramsRun{.plan = plan_random_programs(selection, 24)}());
  EXPECT_EQ(report.exit_code(), reports::ExitCode::kPass) << reports::to_terminal(report, {});
  EXPECT_EQ(report.programs_with(reports::Verdict::kPass), 24u);
}

ProgramSelection whole(std::vector<std::string> levels, Coverage coverage) {
  return {*parse_shapes("all"), catalogue::all_legal_instances(), std::move(levels), coverage, 1};
}

TEST(ProgramPlan, PairwiseMeetsEveryPair) {
  for (const std::vector<std::string>& levels :
       {std::vector<std::string>{"O2"}, {"O0", "O2"}, {"O0", "O1", "O2"}, {"O0", "O1", "O2", "O3", "Os", "Oz"}}) {
    const ProgramSelection selection = whole(levels, Coverage::kPairwise);
    const std::vector<PlannedProgram> plan = plan_programs(selection);
    EXPECT_THAT(missing_pairs(selection, plan), ::testing::IsEmpty());
    std::size_t kernels = 0;
    for (const PlannedProgram& p : plan) kernels += p.levels.size();
    EXPECT_LT(kernels, 800u) << "pairwise is there to be small";
  }
}

TEST(ProgramPlan, AMissingPairIsSeen) {
  const ProgramSelection selection = whole({"O0", "O2"}, Coverage::kPairwise);
  std::vector<PlannedProgram> plan = plan_programs(selection);
  const auto at = std::find_if(plan.begin(), plan.end(), [](const auto& p) {
    return p.program.shape == "lds" && p.builtin->name == "mfma_f64_4x4x4f64";
  });
  ASSERT_NE(at, plan.end());
  plan.erase(at);
  EXPECT_THAT(missing_pairs(selection, plan), ::testing::ElementsAre("lds mfma_f64_4x4x4f64"));
}

TEST(ProgramPlan, FullHasEveryVariantOnce) {
  const ProgramSelection selection = whole({"O0", "O2"}, Coverage::kFull);
  const std::vector<PlannedProgram> plan = plan_programs(selection);
  std::size_t expected = 0;
  for (const kernels::Shape& shape : kernels::shapes()) {
    for (const catalogue::Builtin& b : catalogue::builtins()) {
      const auto legal = catalogue::legal_instances(b);
      if (std::any_of(legal.begin(), legal.end(), shape.fits)) expected += shape.variants(b).size();
    }
  }
  EXPECT_EQ(plan.size(), expected);
  EXPECT_THAT(missing_pairs(selection, plan), ::testing::IsEmpty());
}

TEST(ProgramPlan, ShapesAreNamedStrictly) {
  EXPECT_EQ(parse_shapes("all")->size(), kernels::shapes().size());
  EXPECT_EQ(parse_shapes("lds,k-loop")->size(), 2u);
  EXPECT_THAT(parse_shapes("lds,nonsense").error(), ::testing::HasSubstr("'nonsense'"));
  EXPECT_THAT(parse_shapes("lds,lds").error(), ::testing::HasSubstr("twice"));
  EXPECT_FALSE(parse_shapes(""));
}

// The integer in the low `bits` of a float code that holds a small one.
std::int64_t integer_of(std::uint32_t code, int exponent_bits, int fraction_bits) {
  const std::uint32_t magnitude = code & ((1u << (exponent_bits + fraction_bits)) - 1);
  if (magnitude == 0) return 0;
  const int exponent = static_cast<int>(magnitude >> fraction_bits) - ((1 << (exponent_bits - 1)) - 1) - fraction_bits;
  const std::int64_t significand = (magnitude & ((1u << fraction_bits) - 1)) | 1u << fraction_bits;
  const std::int64_t value = exponent >= 0 ? significand << exponent : significand >> -exponent;
  return code >> (exponent_bits + fraction_bits) != 0 ? -value : value;
}

TEST(TiledProduct, EqualsTheSumsOfIntegers) {
  const std::vector<PlannedProgram> plan = programs_of("tiled", {"mfma_f32_16x16x32_f16"}, {"O2"});
  ASSERT_EQ(plan.size(), 3u);
  for (const PlannedProgram& planned : plan) {
    const kernels::Program& program = planned.program;
    const int k = program.tiled.k;
    // f16 codes of -8..8, row by row.
    const auto code = [](int n) {
      int exponent = 0;
      for (int m = n < 0 ? -n : n; m > 1; m /= 2) ++exponent;
      if (n == 0) return 0u;
      const auto magnitude = static_cast<std::uint32_t>(n < 0 ? -n : n);
      return (n < 0 ? 0x8000u : 0u) | static_cast<std::uint32_t>(exponent + 15) << 10 |
             ((magnitude << (10 - exponent)) & 0x3ff);
    };
    cases::Rng rng(3);
    std::vector<std::vector<int>> numbers(2);
    devices::ProgramLaunch launch;
    ProgramInputs inputs;
    for (std::vector<int>& matrix : numbers) {
      RegisterImage image(64 * k / 2 / 64);
      for (std::uint32_t& dword : image.dwords) {
        matrix.push_back(rng.between(-8, 8));
        matrix.push_back(rng.between(-8, 8));
        dword = code(matrix[matrix.size() - 2]) | code(matrix.back()) << 16;
      }
      launch.inputs.push_back(image.dwords);
      inputs.images.push_back({image});
    }
    const ProgramOracle oracle(program, oracles::default_profile(), oracles::BroadcastReading::kPerSet);
    const std::vector<ProgramValue> expected = oracle.evaluate(inputs, 1);
    ASSERT_EQ(expected.size(), 1u);

    launch.outputs = oracle.sizes();
    launch.cases = launch.trips = 1;
    auto compiler = compilers::Compiler::open(testing::compiler_under_test(), "gfx950", std::nullopt);
    ASSERT_TRUE(compiler) << compiler.error();
    compilers::Job job;
    const kernels::Piece piece = kernels::piece_of(program);
    job.source = kernels::join({&piece, 1});
    const compilers::Compiled compiled = compiler->compile(job);
    ASSERT_EQ(compiled.outcome, compilers::Outcome::kOk) << compiled.log;
    const catalogue::Builtin* builtin = planned.builtin;
    auto device = devices::make_emulated_device(oracles::default_profile(), {&builtin, 1});
    ASSERT_TRUE(device) << device.error();
    auto module = (*device)->load(*compiled.object);
    ASSERT_TRUE(module) << module.error();
    const devices::LaunchOutcome ran = (*module)->run_program(program.kernel_name(), launch);
    ASSERT_EQ(ran.status, devices::LaunchStatus::kCompleted) << ran.message;

    for (int row = 0; row < 64; ++row) {
      for (int column = 0; column < 64; ++column) {
        std::int64_t sum = 0;
        for (int n = 0; n < k; ++n) {
          sum +=
              numbers[0][static_cast<std::size_t>(row * k + n)] * numbers[1][static_cast<std::size_t>(n * 64 + column)];
        }
        const auto at = static_cast<std::size_t>(row * 64 + column);
        ASSERT_EQ(integer_of(ran.outputs[0][at], 8, 23), sum) << program.title << " at " << row << ", " << column;
        ASSERT_EQ(integer_of(expected[0].image.dwords[at], 8, 23), sum) << "the composed oracle";
        ASSERT_EQ(expected[0].exact[at], 1) << "sums of small integers are exact under every model";
      }
    }
  }
}

}  // namespace
}  // namespace mfma::conformance
