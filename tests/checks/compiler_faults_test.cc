// With a compiler that has one planted fault, the check finds it; with the real one behind the same wrapper, nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "harness/checks/check.h"
#include "harness/conformance/calls/plan.h"
#include "tests/checks/faulty_compiler.h"

namespace mfma::checks {
namespace {

// The codes that a check of the matching builtins' encodings and executions gives, with a fault of the compiler.
std::set<std::string> codes(const std::string& fault, const std::string& glob) {
  const testing::FaultyCompiler faulty(fault);
  const auto compiler = compilers::Compiler::open(faulty.path(), "gfx950", std::nullopt);
  if (!compiler) {
    ADD_FAILURE() << compiler.error();
    return {};
  }
  CheckOptions options;
  options.compiler = &*compiler;
  options.levels = {"O2"};
  options.instances = *conformance::select_instances({glob, conformance::ModifierChoice::kDefault, {}});
  options.stages = {Stage::kEncodings, Stage::kWaitStates, Stage::kExecution};
  const CheckReport report = check_compiler(options);
  EXPECT_GT(report.encodings, 0u);
  std::set<std::string> found;
  for (const Finding& f : report.findings) found.insert(std::string(info_of(f.code).name));
  return found;
}

struct Planted {
  const char* fault;
  const char* builtins;
  const char* code;  // that must be among those found
};

class CompilerFaults : public ::testing::TestWithParam<Planted> {};

TEST_P(CompilerFaults, IsFound) {
  EXPECT_THAT(codes(GetParam().fault, GetParam().builtins), ::testing::Contains(GetParam().code));
}

constexpr const char* kScaled = "mfma_scale_f32_16x16x128_f8f6f4";

INSTANTIATE_TEST_SUITE_P(Each, CompilerFaults,
                         ::testing::Values(Planted{"opcode-changed", "mfma_f32_16x16x16f16", "encoding-opcode"},
                                           Planted{"cbsz-dropped", "mfma_f32_4x4x1f32", "encoding-immediate"},
                                           Planted{"abid-flipped", "mfma_f32_4x4x1f32", "encoding-immediate"},
                                           Planted{"blgp-flipped", "mfma_i32_16x16x32_i8", "encoding-immediate"},
                                           Planted{"formats-swapped", kScaled, "encoding-immediate"},
                                           Planted{"source-a-off-by-one", "mfma_f32_32x32x8f16",
                                                   "encoding-register-alignment"},
                                           Planted{"source-a-off-by-one", "mfma_f32_4x4x1f32", "executes-wrong"},
                                           Planted{"source-b-off-by-two", "mfma_f32_32x32x8f16", "executes-wrong"},
                                           Planted{"source-c-off-by-two", "mfma_f64_16x16x4f64", "executes-wrong"},
                                           Planted{"destination-off-by-two", "mfma_f32_16x16x4f32", "executes-wrong"},
                                           Planted{"a-from-accumulators", "mfma_f32_16x16x32_f16", "executes-wrong"},
                                           Planted{"d-in-accumulators", "mfma_f32_16x16x32_f16", "executes-wrong"},
                                           Planted{"product-missing", "mfma_f32_16x16x32_bf8_fp8", "encoding-count"},
                                           Planted{"op-sel-swapped", kScaled, "encoding-immediate"},
                                           Planted{"op-sel-high-dropped", kScaled, "encoding-immediate"},
                                           Planted{"scale-in-sgpr", kScaled, "encoding-scale-source"},
                                           Planted{"scale-inline-constant", kScaled, "encoding-scale-source"},
                                           Planted{"scale-register-off-by-one", kScaled, "executes-wrong"},
                                           Planted{"scales-unused", kScaled, "encoding-immediate"},
                                           Planted{"nop-shortened", "mfma_f32_32x32x8f16", "wait-missing"},
                                           Planted{"nops-gone", "mfma_f64_16x16x4f64", "wait-missing"}),
                         [](const ::testing::TestParamInfo<Planted>& planted) {
                           std::string name = std::string(planted.param.fault) + "_" + planted.param.builtins;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(CompilerFaults, NothingIsFoundBehindTheSameWrapperWithoutAFault) {
  EXPECT_THAT(codes("none", "mfma_i32_*"), ::testing::IsSubsetOf({"wait-missing", "wait-disputed"}))
      << "clang 22 leaves out waits between two builtins";
  EXPECT_THAT(codes("none", "mfma_f64_4x4x4f64"), ::testing::IsEmpty());
  EXPECT_THAT(codes("none", "mfma_f32_32x32x4f16"), ::testing::IsEmpty());
}

}  // namespace
}  // namespace mfma::checks
