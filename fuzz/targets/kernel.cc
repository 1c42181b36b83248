// Bytes to a case on the emulated device: the kernel that the compiler under test made, against the oracle.
//
// Compiled once, before the first input, at -O0 and -O2: every legal instance of the builtins that --builtin matches,
// or, without it, of each builtin some that have every value of every immediate.
#include "harness/kernels/kernel.h"

#include <fmt/format.h>

#include <memory>

#include "fuzz/targets/draw.h"
#include "fuzz/targets/subject.h"
#include "fuzz/targets/target.h"
#include "harness/conformance/calls/plan.h"
#include "harness/devices/emulated.h"

namespace mfma::fuzz {
namespace {

constexpr const char* kLevels[] = {"O0", "O2"};

struct Subject {
  catalogue::Instance instance;
  std::string level;
  devices::Module* module = nullptr;
  std::unique_ptr<conformance::OracleView> view;
};

std::unique_ptr<devices::Device> g_device;
std::vector<std::unique_ptr<devices::Module>> g_modules;
std::vector<Subject> g_subjects;

// Kernels of one batch share an object, and so a module.
class Modules {
 public:
  tl::expected<devices::Module*, std::string> of(const kernels::Built& built) {
    if (built.compiled.outcome != compilers::Outcome::kOk) {
      return tl::make_unexpected(fmt::format("{} at -{}: the compiler says {}: {}",
                                             catalogue::instance_id(built.instance), built.level,
                                             compilers::name_of(built.compiled.outcome), built.compiled.log));
    }
    if (built.compiled.object != last_object_) {
      auto module = g_device->load(*built.compiled.object);
      if (!module) return tl::make_unexpected(module.error());
      g_modules.push_back(*std::move(module));
      last_object_ = built.compiled.object;
    }
    return g_modules.back().get();
  }

 private:
  std::shared_ptr<const std::vector<std::byte>> last_object_;
};

std::string compile(const compilers::Compiler& compiler, const std::vector<catalogue::Instance>& instances) {
  for (const char* level : kLevels) {
    Modules modules;
    for (const kernels::Built& built : kernels::build(compiler, instances, level, {})) {
      const auto module = modules.of(built);
      if (!module) return module.error();
      const oracles::ProfileRule* rule = conformance::rule_of(oracles::default_profile(), built.instance);
      g_subjects.push_back(
          {built.instance, level, *module,
           std::make_unique<conformance::OracleView>(built.instance, rule->model, oracles::BroadcastReading::kPerSet)});
    }
  }
  return {};
}

}  // namespace

std::string begin(const Options& options) {
  const PlantedFault planted = planted_fault();
  if (!planted.error.empty()) return planted.error;
  const auto modifiers =
      options.builtin == "*" ? conformance::ModifierChoice::kDefault : conformance::ModifierChoice::kAll;
  const auto instances = conformance::select_instances({options.builtin, modifiers, {}});
  if (!instances) return instances.error();
  const auto compiler =
      compilers::Compiler::open(options.compiler, "gfx950", compilers::Cache(compilers::Cache::default_directory()));
  if (!compiler) return compiler.error();
  auto device = devices::make_emulated_device(
      oracles::default_profile(), catalogue::match_builtins("*"),
      {.reading = oracles::BroadcastReading::kPerSet, .faults = gfx950::fault_everywhere(planted.fault)});
  if (!device) return device.error();
  g_device = *std::move(device);
  return compile(*compiler, *instances);
}

}  // namespace mfma::fuzz

int fuzz_one(const std::uint8_t* data, std::size_t size) {
  using namespace mfma;
  FuzzedDataProvider in(data, size);
  const auto& subject = fuzz::g_subjects[in.ConsumeIntegralInRange<std::size_t>(0, fuzz::g_subjects.size() - 1)];
  const cases::Case c = fuzz::draw_case(in, subject.instance);
  const std::string name = catalogue::instance_id(subject.instance) + " -" + subject.level;
  const devices::LaunchOutcome outcome = subject.module->run(kernels::kernel_name(subject.instance), {&c, 1});
  if (outcome.status != devices::LaunchStatus::kCompleted) {
    fmt::print(stderr, "{}: {}\n", name, outcome.message);
    return 1;
  }
  return fuzz::compare(*subject.view, c, outcome.d.front(), name);
}
