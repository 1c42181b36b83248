// Replaying and reducing on devices that fail always, now and then, never, or do not end.
#include "harness/conformance/followup/case_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "harness/conformance/followup/reduce_failures.h"
#include "harness/operands/operands.h"
#include "tests/conformance/small_run.h"

namespace mfma::conformance {
namespace {

using ::testing::HasSubstr;
using testing::instances_of;

// The emulated device, but that D[0] of every case with a C[0] that is not zero has a bit flipped in the launches that
// `fails` picks, and that the launches that `hangs` picks do not end.
class SickDevice : public devices::Device {
 public:
  using Pick = std::function<bool(std::uint64_t launch)>;
  SickDevice(std::unique_ptr<devices::Device> inner, Pick fails, Pick hangs)
      : inner_(std::move(inner)), fails_(std::move(fails)), hangs_(std::move(hangs)) {}
  const devices::DeviceInfo& info() const override { return inner_->info(); }
  tl::expected<std::unique_ptr<devices::Module>, std::string> load(std::span<const std::byte> object) override {
    class SickModule : public devices::Module {
     public:
      SickModule(SickDevice& device, std::unique_ptr<devices::Module> inner)
          : device_(device), inner_(std::move(inner)) {}
      devices::LaunchOutcome run(const std::string& kernel, std::span<const cases::Case> cases) override {
        const std::uint64_t launch = device_.launches_++;
        if (device_.hangs_(launch)) return {devices::LaunchStatus::kHang, "did not end", {}, {}, {}};
        devices::LaunchOutcome outcome = inner_->run(kernel, cases);
        if (!device_.fails_(launch)) return outcome;
        for (std::size_t i = 0; i < cases.size(); ++i) {
          if (cases[i].c.dwords[0] != 0) outcome.d[i].dwords[0] ^= 1;
        }
        return outcome;
      }

     private:
      SickDevice& device_;
      std::unique_ptr<devices::Module> inner_;
    };
    auto module = inner_->load(object);
    if (!module) return tl::make_unexpected(module.error());
    return std::make_unique<SickModule>(*this, *std::move(module));
  }

 private:
  std::unique_ptr<devices::Device> inner_;
  Pick fails_, hangs_;
  std::atomic<std::uint64_t> launches_{0};
};

bool never(std::uint64_t) { return false; }
bool always(std::uint64_t) { return true; }

class CaseRunnerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto compiler = compilers::Compiler::open(testing::compiler_under_test(), "gfx950",
                                              compilers::Cache(compilers::Cache::default_directory()));
    ASSERT_TRUE(compiler) << compiler.error();
    options_.subject.compilers = {*compiler};
    options_.subject.profile = oracles::default_profile();
    options_.subject.device_runs_profile = true;
    options_.subject.levels = {"O2"};
    options_.plan.instances = instances_of({"mfma_f32_16x16x16f16:blgp=3"});
    options_.plan.cases_per_instance = 3;
    case_ = operands::make_case(options_.plan.instances.at(0), 1, 1, operands::OperandClass::kRandomBits);
    ASSERT_NE(case_.c.dwords[0], 0u);
  }

  void use(SickDevice::Pick fails, SickDevice::Pick hangs = never) {
    const catalogue::Builtin* builtin = case_.instance.builtin;
    auto inner = devices::make_emulated_device(options_.subject.profile, std::span(&builtin, 1));
    ASSERT_TRUE(inner);
    device_ = std::make_unique<SickDevice>(*std::move(inner), std::move(fails), std::move(hangs));
    options_.subject.device = device_.get();
    runner_ = std::make_unique<CaseRunner>(options_.subject, options_.subject.compilers[0]);
  }

  RunDescription options_;
  cases::Case case_;
  std::unique_ptr<devices::Device> device_;
  std::unique_ptr<CaseRunner> runner_;
};

TEST_F(CaseRunnerTest, LabelsWhatAlwaysFails) {
  use(always);
  const Replay r = replay(*runner_, "O2", case_, 5);
  EXPECT_EQ(r.label, (cases::ReplayLabel{5, 5}));
  EXPECT_EQ(cases::word_of(r.label), "deterministic");
  EXPECT_TRUE(r.stable && r.conclusive);
  ASSERT_EQ(r.worst.failing.size(), 1u);
}

TEST_F(CaseRunnerTest, LabelsWhatFailsNowAndThen) {
  use([](std::uint64_t launch) { return launch % 3 == 1; });
  const Replay r = replay(*runner_, "O2", case_, 6);
  EXPECT_EQ(r.label, (cases::ReplayLabel{2, 6}));
  EXPECT_EQ(cases::word_of(r.label), "intermittent");
  EXPECT_FALSE(r.stable);
  EXPECT_TRUE(r.worst.fails()) << "the run that failed is the one to show";
}

TEST_F(CaseRunnerTest, LabelsWhatDoesNotFail) {
  use(never);
  const Replay r = replay(*runner_, "O2", case_, 3);
  EXPECT_EQ(r.label, (cases::ReplayLabel{0, 3}));
  EXPECT_EQ(cases::word_of(r.label), "not reproduced");
  EXPECT_TRUE(r.stable && r.conclusive);
}

TEST_F(CaseRunnerTest, AHangIsNoPassAndIsNotWaitedForAgain) {
  use(never, [](std::uint64_t launch) { return launch >= 1; });
  const Replay r = replay(*runner_, "O2", case_, 5);
  EXPECT_FALSE(r.conclusive);
  EXPECT_EQ(r.label, (cases::ReplayLabel{0, 2}));
  EXPECT_EQ(r.worst.status, devices::LaunchStatus::kHang);
  EXPECT_THAT(r.worst.message, HasSubstr("did not end"));
}

TEST_F(CaseRunnerTest, AFailureIsShownBeforeAHang) {
  use([](std::uint64_t launch) { return launch == 0; }, [](std::uint64_t launch) { return launch == 1; });
  const Replay r = replay(*runner_, "O2", case_, 5);
  EXPECT_EQ(r.label.failed, 1u);
  EXPECT_TRUE(r.worst.fails());
}

TEST_F(CaseRunnerTest, WithoutAKernelThereIsNoVerdict) {
  options_.subject.extra_flags = {"-no-such-flag"};
  use(always);
  const Replay r = replay(*runner_, "O2", case_, 2);
  EXPECT_FALSE(r.conclusive);
  EXPECT_EQ(r.label.failed, 0u);
  EXPECT_THAT(r.worst.message, HasSubstr("is not compiled"));
}

TEST_F(CaseRunnerTest, ReducesToTheOneElementThatMatters) {
  use(always);
  const ReducedCase r = reduce_case(*runner_, case_, "O2", {}, {}, 5);
  ASSERT_TRUE(r.reduction.reproduced);
  EXPECT_EQ(reduction::weigh(r.reduction.smallest), (reduction::Weight{.level = 2, .elements = 1, .complexity = 1}));
  EXPECT_EQ(r.nonzero_products, 0u);
  EXPECT_EQ(r.element, 0u);
  EXPECT_EQ(r.file.label, (cases::ReplayLabel{5, 5}));
  EXPECT_EQ(r.file.c.operand_class, "reduced");
  EXPECT_NE(r.file.expected, r.file.actual);
}

TEST_F(CaseRunnerTest, ReducesWhatFailsNowAndThen) {
  use([](std::uint64_t launch) { return launch % 3 == 1; });
  const ReducedCase r = reduce_case(*runner_, case_, "O2", {}, {}, 6, 6);
  ASSERT_TRUE(r.reduction.reproduced);
  EXPECT_EQ(reduction::weigh(r.reduction.smallest), (reduction::Weight{.level = 2, .elements = 1, .complexity = 1}));
  EXPECT_EQ(r.file.label, (cases::ReplayLabel{2, 6}));
}

// What a run says of the case: the label, and that a failure which is gone on replay is still a failure.
TEST_F(CaseRunnerTest, ARunKeepsAFailureThatIsGone) {
  use([](std::uint64_t launch) { return launch == 0; });
  options_.control.jobs = 1;
  options_.plan.reduce = true;
  std::vector<std::string> names;
  options_.control.keep_case = [&](const std::string& name, const cases::CaseFile& file) {
    names.push_back(name);
    EXPECT_EQ(file.label, (cases::ReplayLabel{0, 5}));
    return name;
  };
  const reports::RunReport report = run(options_);
  EXPECT_EQ(report.exit_code(), reports::ExitCode::kFailure);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].replays, 5u);
  EXPECT_EQ(report.findings[0].replays_failed, 0u);
  EXPECT_FALSE(report.findings[0].reduced) << "there is nothing to go by";
  EXPECT_EQ(names.size(), 1u);
}

TEST_F(CaseRunnerTest, ARunReducesAFewInstancesOfABuiltin) {
  use(always);
  options_.plan.instances = catalogue::legal_instances(*case_.instance.builtin);
  const reports::RunReport none = run(options_);
  for (const reports::Finding& f : none.findings) EXPECT_FALSE(f.reduced);
  options_.plan.reduce = true;
  const reports::RunReport report = run(options_);
  const auto reduced = std::count_if(report.findings.begin(), report.findings.end(),
                                     [](const auto& f) { return f.reduced.has_value(); });
  EXPECT_EQ(reduced, kReducedPerBuiltin);
  EXPECT_EQ(report.findings.size(), options_.plan.instances.size());
}

TEST_F(CaseRunnerTest, ModelsHaveTheirDigests) {
  const catalogue::Instance& i = case_.instance;
  oracles::Profile other = oracles::default_profile();
  EXPECT_EQ(model_digest(other, i), model_digest(oracles::default_profile(), i));
  other.name = "another";
  for (oracles::ProfileRule& rule : other.rules) rule.source = "elsewhere";
  EXPECT_EQ(model_digest(other, i), model_digest(oracles::default_profile(), i))
      << "names and sources are no arithmetic";
  for (oracles::ProfileRule& rule : other.rules) rule.model.final_fraction_bits.reset();
  EXPECT_NE(model_digest(other, i), model_digest(oracles::default_profile(), i));
}

}  // namespace
}  // namespace mfma::conformance
