#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "harness/catalogue/builtin.h"
#include "harness/kernels/kernel.h"
#include "harness/kernels/mode_kernel.h"

namespace mfma::kernels {
namespace {

using catalogue::Instance;
using ::testing::HasSubstr;
using ::testing::Not;

Instance parse(std::string_view id) { return catalogue::parse_instance(id).value(); }

TEST(KernelName, IsACIdentifierAndUnique) {
  std::set<std::string> names;
  const auto instances = catalogue::all_legal_instances();
  for (const Instance& i : instances) {
    EXPECT_THAT(kernel_name(i), ::testing::MatchesRegex("[a-z][a-z0-9_]*"));
    names.insert(kernel_name(i));
  }
  EXPECT_EQ(names.size(), instances.size());
  EXPECT_EQ(names.size(), 2354U);
}

TEST(KernelName, TellsIllegalModifiersApartToo) {
  std::set<std::string> names;
  const catalogue::Builtin* const builtin = catalogue::find_builtin("mfma_f32_4x4x1f32");
  for (int cbsz = -2; cbsz < 12; ++cbsz)
    for (int abid = -2; abid < 20; ++abid)
      for (int blgp = -2; blgp < 12; ++blgp) {
        Instance i{builtin, {}};
        i.modifiers.cbsz = cbsz;
        i.modifiers.abid = abid;
        i.modifiers.blgp = blgp;
        names.insert(kernel_name(i));
        EXPECT_THAT(kernel_name(i), ::testing::MatchesRegex("[a-z][a-z0-9_]*"));
      }
  EXPECT_EQ(names.size(), 14U * 22 * 14);
}

TEST(HasScales, OnlyForTheScaledForm) {
  EXPECT_TRUE(has_scales(parse("mfma_scale_f32_16x16x128_f8f6f4:a=fp8,b=fp4,op_sel=1/2")));
  EXPECT_FALSE(has_scales(parse("mfma_scale_f32_16x16x128_f8f6f4:a=fp8,b=fp4,unscaled")));
  EXPECT_FALSE(has_scales(parse("mfma_f32_4x4x1f32:cbsz=1,abid=1,blgp=3")));
}

TEST(ModeKernel, SetsItsBitsBetweenTheOperandsAndTheCall) {
  const Instance instance = parse("mfma_f32_16x16x4f32");
  cases::ModeBits mode;
  EXPECT_EQ(mode_kernel_name(instance, mode), kernel_name(instance));
  EXPECT_EQ(mode_piece_of(instance, mode).text, piece_of(instance).text);
  mode.round = 5;
  mode.denorm = 0;
  mode.clamp_overflow = true;
  const Piece piece = mode_piece_of(instance, mode);
  EXPECT_EQ(piece.name, kernel_name(instance) + "__round5__denorm0__clamp");
  for (const char* set :
       {"hwreg(HW_REG_MODE, 0, 4), 5", "hwreg(HW_REG_MODE, 4, 4), 0", "hwreg(HW_REG_MODE, 23, 1), 1"}) {
    const std::size_t at = piece.text.find(set);
    ASSERT_NE(at, std::string::npos) << set;
    EXPECT_LT(piece.text.find("z = c[i]"), at);
    EXPECT_LT(at, piece.text.find("__builtin_amdgcn_mfma"));
  }
}

TEST(TranslationUnit, NeedsNoHeaderAndHoldsEachKernelOnce) {
  const Instance instances[] = {parse("mfma_f64_4x4x4f64:neg=ac"),
                                parse("mfma_scale_f32_32x32x64_f8f6f4:a=bf6,b=fp4,op_sel=3/1")};
  const std::string unit = translation_unit(instances);
  EXPECT_THAT(unit, Not(HasSubstr("#include")));
  EXPECT_THAT(unit, HasSubstr("__builtin_amdgcn_mfma_f64_4x4x4f64(a[i], b[i], c[i], 0, 0, 5)"));
  EXPECT_THAT(unit,
              HasSubstr("__builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4(a[i], b[i], c[i], 3, 4, 3, scale_a[i], 1, "
                        "scale_b[i])"));
  for (const Instance& i : instances) EXPECT_THAT(unit, HasSubstr("KERNEL " + kernel_name(i) + "("));
  EXPECT_EQ(unit, join(std::vector<Piece>{piece_of(instances[0]), piece_of(instances[1])}));
}

TEST(RejectedUnit, KnowsTheNamesOfTheCatalogueAndNoOthers) {
  const auto rejected = catalogue::rejected_builtins();
  EXPECT_EQ(rejected.size(), 9U);
  for (const auto& r : rejected) {
    ASSERT_TRUE(rejected_unit(r.name)) << r.name;
    EXPECT_THAT(*rejected_unit(r.name), HasSubstr("__builtin_amdgcn_" + std::string(r.name) + "("));
    EXPECT_EQ(rejected_unit("__builtin_amdgcn_" + std::string(r.name)), rejected_unit(r.name));
  }
  for (const auto& b : catalogue::builtins()) EXPECT_FALSE(rejected_unit(b.name)) << b.name;
  EXPECT_THAT(rejected_unit("mfma_nothing").error(), HasSubstr("mfma_nothing"));
}

}  // namespace
}  // namespace mfma::kernels
