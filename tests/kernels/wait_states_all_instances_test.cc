// The kernels of a run, all 2354 instances: no wait state is missing, neither on what executes nor on any path.
#include <gtest/gtest.h>

#include <cstring>

#include "harness/catalogue/instance.h"
#include "harness/compilers/compiler.h"
#include "harness/gfx950/hazards/static_hazards.h"
#include "harness/gfx950/isa/decoder.h"
#include "harness/gfx950/machine/machine.h"
#include "harness/kernels/kernel.h"

namespace mfma::kernels {
namespace {

// The class and passes by which the rules go, against the catalogue's.
void expect_passes_of_catalogue(const gfx950::CodeObject& object, const std::string& kernel,
                                const catalogue::Instance& instance) {
  const catalogue::Builtin& b = *instance.builtin;
  // Format codes 2 to 4 have 6 and 4 bits.
  const bool narrow =
      b.modifiers == catalogue::ModifierKind::kScaled && instance.modifiers.cbsz >= 2 && instance.modifiers.blgp >= 2;
  const gfx950::MatrixClass expected = b.a_format == catalogue::ElementFormat::kF32   ? gfx950::MatrixClass::kSgemm
                                       : b.a_format != catalogue::ElementFormat::kF64 ? gfx950::MatrixClass::kXdl
                                       : b.shape.m == 16                              ? gfx950::MatrixClass::kDgemm16
                                                                                      : gfx950::MatrixClass::kDgemm4;
  std::size_t products = 0;
  const auto code = gfx950::kernel_instructions(object, kernel);
  ASSERT_TRUE(code) << code.error();
  for (const gfx950::Instruction& in : *code) {
    const gfx950::Footprint f = gfx950::footprint_of(in);
    if (f.unit != gfx950::Unit::kMatrix) continue;
    ++products;
    EXPECT_EQ(f.passes, narrow ? b.passes_narrow : b.passes) << kernel;
    EXPECT_EQ(f.matrix, expected) << kernel;
  }
  EXPECT_EQ(products, 1u) << kernel;
}

class WaitStatesOfAllInstances : public testing::TestWithParam<const char*> {};

// Pointers to A, B, C, D and the scales, and the number of cases: enough for every operand of one workgroup.
std::vector<std::byte> arguments(gfx950::Machine& machine, bool scaled) {
  std::vector<std::byte> bytes;
  const auto append = [&](const auto& value) {
    const auto* first = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), first, first + sizeof value);
  };
  for (int i = 0; i < (scaled ? 6 : 4); ++i) append(machine.allocate(64 * 128));
  append(std::uint32_t{1});
  return bytes;
}

TEST_P(WaitStatesOfAllInstances, NoneIsMissing) {
  const auto compiler =
      compilers::Compiler::open(MFMA_CLANG, "gfx950", compilers::Cache(compilers::Cache::default_directory()));
  ASSERT_TRUE(compiler) << compiler.error();
  const std::vector<catalogue::Instance> all = catalogue::all_legal_instances();
  ASSERT_EQ(all.size(), 2354u);
  constexpr std::size_t kBatch = 214;
  gfx950::Machine machine(nullptr);
  std::size_t kernels = 0, instructions = 0, executed = 0;
  for (std::size_t first = 0; first < all.size(); first += kBatch) {
    const std::span batch(all.data() + first, std::min(kBatch, all.size() - first));
    const void* last = nullptr;
    std::shared_ptr<const gfx950::CodeObject> object;
    for (const Built& b : build(*compiler, batch, GetParam(), {})) {
      const std::string id = catalogue::instance_id(b.instance);
      ASSERT_EQ(b.compiled.outcome, compilers::Outcome::kOk) << id << b.compiled.log;
      if (b.compiled.object.get() != last) {
        last = b.compiled.object.get();
        object = gfx950::load_code_object(*b.compiled.object).value();
      }
      const std::string name = kernel_name(b.instance);
      const auto paths = gfx950::static_hazards(*object, name);
      ASSERT_TRUE(paths) << paths.error();
      EXPECT_TRUE(paths->hazards.empty()) << id << ": " << gfx950::describe(paths->hazards.front());
      EXPECT_TRUE(paths->unseen.empty()) << id << ": " << paths->unseen.front().why;
      expect_passes_of_catalogue(*object, name, b.instance);
      machine.release_all();
      const auto result = machine.launch(*object, name, 1, arguments(machine, has_scales(b.instance)));
      EXPECT_EQ(result.stop, gfx950::Stop::kCompleted) << id << ": " << result.message;
      EXPECT_TRUE(result.hazards.empty()) << id << ": " << gfx950::describe(result.hazards.front());
      ++kernels;
      instructions += paths->instructions;
      executed += result.instructions;
    }
  }
  EXPECT_EQ(kernels, 2354u);
  EXPECT_GT(instructions, kernels * 15) << "hardly any instruction was seen";
  EXPECT_GT(executed, kernels * 15) << "hardly any instruction was executed";
}

INSTANTIATE_TEST_SUITE_P(Levels, WaitStatesOfAllInstances, testing::Values("O0", "O2"),
                         [](const auto& param_info) { return std::string(param_info.param); });

}  // namespace
}  // namespace mfma::kernels
