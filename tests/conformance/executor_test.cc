// From the text of a kernel to the device: what is shared, and what is said where there is no kernel.
#include "harness/conformance/execution/executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/conformance/small_run.h"

namespace mfma::conformance {
namespace {

using testing::compiler_under_test;
using ::testing::HasSubstr;
using testing::instances_of;
using ::testing::StartsWith;

// Counts what it loads, and refuses where it is told to.
class CountingDevice : public devices::Device {
 public:
  explicit CountingDevice(bool refuses) : refuses_(refuses) { info_.id = "counting"; }
  const devices::DeviceInfo& info() const override { return info_; }
  tl::expected<std::unique_ptr<devices::Module>, std::string> load(std::span<const std::byte>) override {
    class NoModule : public devices::Module {
      devices::LaunchOutcome run(const std::string&, std::span<const cases::Case>) override { return {}; }
    };
    ++loads;
    if (refuses_) return tl::make_unexpected(std::string("not today"));
    return std::make_unique<NoModule>();
  }
  int loads = 0;

 private:
  bool refuses_;
  devices::DeviceInfo info_;
};

class ExecutorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto compiler = compilers::Compiler::open(compiler_under_test(), "gfx950",
                                              compilers::Cache(compilers::Cache::default_directory()));
    ASSERT_TRUE(compiler);
    subject_.compilers = {*compiler};
    subject_.profile = oracles::default_profile();
    for (const catalogue::Instance& i : instances_) pieces_.push_back(kernels::piece_of(i));
  }
  const compilers::Compiler& compiler() const { return subject_.compilers[0]; }

  Subject subject_;
  const std::vector<catalogue::Instance> instances_ = instances_of({"mfma_f32_16x16x16f16", "mfma_f32_4x4x4f16"});
  std::vector<kernels::Piece> pieces_;
};

TEST_F(ExecutorTest, KernelsOfAnObjectShareItOnTheDevice) {
  CountingDevice device(false);
  subject_.device = &device;
  Executor executor(subject_);
  const std::vector<Kernel> kernels = executor.build(compiler(), "O2", pieces_);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(device.loads, 1);
  EXPECT_EQ(kernels[0].module, kernels[1].module);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    EXPECT_EQ(kernels[i].name, kernels::kernel_name(instances_[i]));
    EXPECT_EQ(kernels[i].level, "O2");
    EXPECT_FALSE(kernels[i].refusal("not compiled"));
    EXPECT_EQ(executor.wrong_instruction(kernels[i], instances_[i]), "");
    EXPECT_EQ(executor.wrong_opcodes(kernels[i], {instances_[i].builtin->opcode}), "");
  }
  EXPECT_THAT(executor.wrong_instruction(kernels[0], instances_[1]), HasSubstr("expected opcode"));
  EXPECT_THAT(executor.wrong_opcodes(kernels[0], {instances_[1].builtin->opcode}), HasSubstr("does not call"));
  EXPECT_THAT(executor.wrong_opcodes(kernels[0], {instances_[0].builtin->opcode, 1}), HasSubstr("no MFMA of opcode 1"));
}

TEST_F(ExecutorTest, AnObjectThatTheDeviceRefusesIsSaidAsThat) {
  CountingDevice device(true);
  subject_.device = &device;
  const Kernel kernel = Executor(subject_).build(compiler(), "O2", pieces_[0]);
  EXPECT_EQ(kernel.module, nullptr);
  const auto refusal = kernel.refusal("not compiled");
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->kind, reports::FindingKind::kObjectRefused);
  EXPECT_EQ(refusal->message, "the device refused the code object: not today");
}

TEST_F(ExecutorTest, WhatTheCompilerRejectsIsSaidWithItsLog) {
  CountingDevice device(false);
  subject_.device = &device;
  Executor executor(subject_);
  const Kernel kernel = executor.build_source(compiler(), "O1", "k", "this is no program");
  const auto refusal = kernel.refusal("the compiler did not compile this");
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->kind, reports::FindingKind::kCompileRejected);
  EXPECT_THAT(refusal->message, StartsWith("the compiler did not compile this: "));
  EXPECT_THAT(refusal->message, HasSubstr("exit status 1"));
  EXPECT_THAT(refusal->log, HasSubstr("error"));
  EXPECT_EQ(device.loads, 0);
  EXPECT_EQ(executor.wrong_instruction(kernel, instances_[0]), "");
  const reports::Finding f = finding_of_call(subject_, kernel, instances_[0], refusal->kind, refusal->message);
  EXPECT_EQ(f.instance, "mfma_f32_16x16x16f16");
  EXPECT_EQ(f.level, "O1");
  EXPECT_EQ(f.device, "counting");
  EXPECT_EQ(f.compiler, compiler().identity().path.string());
}

}  // namespace
}  // namespace mfma::conformance
