// Whole runs at the quick tier's counts on devices that are not quite the emulated one.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <functional>

#include "harness/catalogue/layout.h"
#include "harness/conformance/calls/plan.h"
#include "harness/conformance/run.h"
#include "harness/devices/emulated.h"
#include "tests/operands/seen.h"

namespace mfma::operands {
namespace {

using cases::Case;
using catalogue::Instance;
using catalogue::Operand;
using catalogue::RegisterImage;

// A device made of a function from cases to images of D; the object is looked at by the run alone.
class FunctionDevice : public devices::Device {
 public:
  using Compute = std::function<devices::LaunchOutcome(devices::Module*, const std::string&, std::span<const Case>)>;
  FunctionDevice(std::unique_ptr<devices::Device> inner, Compute compute)
      : inner_(std::move(inner)), compute_(std::move(compute)) {
    info_.id = info_.kind = "planted";
  }
  const devices::DeviceInfo& info() const override { return info_; }
  tl::expected<std::unique_ptr<devices::Module>, std::string> load(std::span<const std::byte> object) override {
    auto module = inner_->load(object);
    if (!module) return tl::unexpected(module.error());
    return std::make_unique<FunctionModule>(*std::move(module), compute_);
  }

 private:
  class FunctionModule : public devices::Module {
   public:
    FunctionModule(std::unique_ptr<devices::Module> inner, const Compute& compute)
        : inner_(std::move(inner)), compute_(compute) {}
    devices::LaunchOutcome run(const std::string& kernel, std::span<const Case> cases) override {
      return compute_(inner_.get(), kernel, cases);
    }

   private:
    std::unique_ptr<devices::Module> inner_;
    Compute compute_;
  };

  std::unique_ptr<devices::Device> inner_;
  Compute compute_;
  devices::DeviceInfo info_;
};

reports::RunReport quick_run(const std::vector<Instance>& instances, FunctionDevice::Compute compute) {
  const char* chosen = std::getenv("MFMA_CLANG");
  auto compiler = compilers::Compiler::open(chosen ? chosen : "clang-22", "gfx950",
                                            compilers::Cache(compilers::Cache::default_directory()));
  EXPECT_TRUE(compiler) << compiler.error();
  if (!compiler) return {};
  std::vector<const catalogue::Builtin*> used;
  for (const Instance& i : instances) used.push_back(i.builtin);
  auto emulated = devices::make_emulated_device(oracles::default_profile(), used);
  EXPECT_TRUE(emulated) << emulated.error();
  if (!emulated) return {};
  FunctionDevice device(*std::move(emulated), std::move(compute));
  conformance::RunDescription options;
  options.plan.instances = instances;
  options.subject.compilers = {*compiler};
  options.subject.levels = {"O2"};
  options.subject.device = &device;
  options.subject.profile = oracles::default_profile();
  options.subject.device_runs_profile = true;
  options.plan.cases_per_instance = conformance::cases_per_instance(conformance::Tier::kQuick);
  options.control.jobs = 1;
  return conformance::run(options);
}

// The f32 chain in host arithmetic: each step rounded once, or through 53 bits.
FunctionDevice::Compute host_chain(bool twice) {
  return [twice](devices::Module*, const std::string&, std::span<const Case> all) {
    devices::LaunchOutcome outcome;
    for (const Case& c : all) {
      const testing::Seen seen(c);
      const catalogue::Shape& s = c.instance.builtin->shape;
      std::vector<std::uint64_t> codes;
      for (int n = 0; n < s.blocks * s.m * s.n; ++n) {
        const testing::Element e = seen.at(n / (s.m * s.n), n / s.n % s.m, n % s.n);
        float d = std::bit_cast<float>(static_cast<std::uint32_t>(e.c));
        for (const testing::Term& t : e.products) {
          const float a = std::bit_cast<float>(static_cast<std::uint32_t>(t.a));
          const float b = std::bit_cast<float>(static_cast<std::uint32_t>(t.b));
          const double wide = static_cast<double>(a) * static_cast<double>(b) + static_cast<double>(d);
          d = twice ? static_cast<float>(wide) : std::fma(a, b, d);
        }
        codes.push_back(std::isnan(d) ? 0x7fc00000 : std::bit_cast<std::uint32_t>(d));
      }
      RegisterImage image(c.instance.c_registers());
      catalogue::write_elements(catalogue::shared_layout(c.instance, Operand::kD), codes, image);
      outcome.d.push_back(std::move(image));
    }
    return outcome;
  };
}

TEST(PlantedDevice, OneThatRoundsTwiceFailsWhereOneThatRoundsOncePasses) {
  const auto instances = catalogue::legal_instances(*catalogue::find_builtin("mfma_f32_16x16x4f32"));
  const reports::RunReport healthy = quick_run(instances, host_chain(false));
  EXPECT_EQ(healthy.exit_code(), reports::ExitCode::kPass) << healthy.totals().differing << " elements differ";
  const reports::RunReport sick = quick_run(instances, host_chain(true));
  EXPECT_EQ(sick.exit_code(), reports::ExitCode::kFailure);
  for (const reports::Finding& f : sick.findings) {
    ASSERT_FALSE(f.differences.empty());
    for (const reports::ElementDifference& d : f.differences) EXPECT_FALSE(d.exact) << f.case_id;
  }
}

// The image with every bit that no element holds turned round.
void flip_unread_bits(const Instance& instance, Operand operand, RegisterImage& image) {
  const catalogue::Layout& layout = catalogue::shared_layout(instance, operand);
  const std::vector<std::uint64_t> codes = catalogue::read_elements(layout, image);
  for (std::uint32_t& dword : image.dwords) dword = ~dword;
  catalogue::write_elements(layout, codes, image);
}

// Compiled kernels on the emulated device: bits that the instance must not read change nothing.
TEST(PlantedDevice, UnreadBitsDoNotReachD) {
  std::vector<Instance> instances;
  for (const char* id : {"mfma_scale_f32_16x16x128_f8f6f4:a=fp4,b=fp6,op_sel=2/0",
                         "mfma_scale_f32_32x32x64_f8f6f4:a=bf6,b=fp8,op_sel=1/3",
                         "mfma_scale_f32_16x16x128_f8f6f4:a=fp4,b=fp4,unscaled", "mfma_f32_16x16x32_f16"}) {
    instances.push_back(testing::instance(id));
  }
  int changed = 0;
  const auto compute = [&changed](devices::Module* module, const std::string& kernel, std::span<const Case> all) {
    std::vector<Case> flipped(all.begin(), all.end());
    for (Case& c : flipped) {
      const Case before = c;
      flip_unread_bits(c.instance, Operand::kA, c.a);
      flip_unread_bits(c.instance, Operand::kB, c.b);
      if (c.has_scales) {
        flip_unread_bits(c.instance, Operand::kScaleA, c.scale_a);
        flip_unread_bits(c.instance, Operand::kScaleB, c.scale_b);
      }
      changed += c == before ? 0 : 1;
    }
    return module->run(kernel, flipped);
  };
  const reports::RunReport report = quick_run(instances, compute);
  EXPECT_EQ(report.exit_code(), reports::ExitCode::kPass) << report.totals().differing << " elements differ";
  EXPECT_EQ(changed, 3 * 12) << "all bits of f16 are read, some of the three others are not";
}

}  // namespace
}  // namespace mfma::operands
