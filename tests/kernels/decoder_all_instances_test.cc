// Our decoder against llvm-objdump on the objects of all 2354 instances: every instruction, text for text.
#include <gtest/gtest.h>

#include "harness/catalogue/instance.h"
#include "harness/compilers/compiler.h"
#include "harness/kernels/kernel.h"
#include "tests/gfx950/objdump_check.h"

namespace mfma::kernels {
namespace {

class DecoderOnAllInstances : public testing::TestWithParam<const char*> {};

TEST_P(DecoderOnAllInstances, AgreesWithLlvmObjdump) {
  const auto compiler =
      compilers::Compiler::open(MFMA_CLANG, "gfx950", compilers::Cache(compilers::Cache::default_directory()));
  ASSERT_TRUE(compiler) << compiler.error();
  const std::vector<catalogue::Instance> all = catalogue::all_legal_instances();
  ASSERT_EQ(all.size(), 2354u);
  constexpr std::size_t kBatch = 214;  // 11 batches
  std::size_t kernels = 0, instructions = 0;
  for (std::size_t first = 0; first < all.size(); first += kBatch) {
    const std::span batch(all.data() + first, std::min(kBatch, all.size() - first));
    const std::vector<Built> built = build(*compiler, batch, GetParam(), {});
    const void* last = nullptr;
    for (const Built& b : built) {
      ASSERT_EQ(b.compiled.outcome, compilers::Outcome::kOk) << catalogue::instance_id(b.instance) << b.compiled.log;
      ++kernels;
      if (b.compiled.object.get() == last) continue;  // the whole batch is one object
      last = b.compiled.object.get();
      const gfx950::test::ObjdumpCheck check = gfx950::test::check_against_objdump(*b.compiled.object);
      instructions += check.compared;
      EXPECT_TRUE(check.differences.empty())
          << check.differences.size() << " differences, the first: " << check.differences.front();
    }
  }
  EXPECT_EQ(kernels, 2354u);
  EXPECT_GT(instructions, kernels * 15) << "hardly any instruction was compared";
  RecordProperty("instructions", static_cast<int>(instructions));
}

INSTANTIATE_TEST_SUITE_P(Levels, DecoderOnAllInstances, testing::Values("O0", "O1", "O2"),
                         [](const auto& param_info) { return std::string(param_info.param); });

}  // namespace
}  // namespace mfma::kernels
