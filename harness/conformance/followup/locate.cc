#include "harness/conformance/followup/locate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/compilers/outcome.h"
#include "harness/conformance/followup/case_runner.h"
#include "harness/conformance/followup/reduce_failures.h"
#include "harness/gfx950/machine/places.h"
#include "harness/kernels/locating_kernel.h"
#include "harness/operands/operands.h"

namespace mfma::conformance {
namespace {

std::vector<std::uint32_t> repeated(const catalogue::RegisterImage& image) {
  std::vector<std::uint32_t> all;
  all.reserve(image.dwords.size() * kLocatingGroups);
  for (std::uint32_t n = 0; n < kLocatingGroups; ++n) all.insert(all.end(), image.dwords.begin(), image.dwords.end());
  return all;
}

devices::ProgramLaunch launch_of(const cases::Case& c) {
  devices::ProgramLaunch launch;
  for (const catalogue::RegisterImage* image : {&c.a, &c.b, &c.c}) launch.inputs.push_back(repeated(*image));
  if (c.has_scales) {
    for (const catalogue::RegisterImage* image : {&c.scale_a, &c.scale_b}) launch.inputs.push_back(repeated(*image));
  }
  launch.outputs = {c.c.dwords.size() * kLocatingGroups, std::size_t{2} * kLocatingGroups};
  launch.cases = kLocatingGroups;
  return launch;
}

// Runs by unit, with what they came to.
class Tally {
 public:
  Tally(const Subject& subject, const cases::Case& c)
      : case_(c), judge_(subject, c.instance), expected_(judge_.expected(c)) {}

  void add(const std::vector<std::vector<std::uint32_t>>& outputs) {
    const std::size_t dwords = case_.c.dwords.size();
    catalogue::RegisterImage image(case_.c.registers);
    for (std::uint32_t group = 0; group < kLocatingGroups; ++group) {
      std::copy_n(outputs[0].begin() + static_cast<std::ptrdiff_t>(group * dwords), dwords, image.dwords.begin());
      auto& [runs, failed] = units_[gfx950::place_from(outputs[1][group * 2], outputs[1][group * 2 + 1])];
      ++runs;
      if (!judge_.judge(expected_, image).gating.empty()) ++failed;
    }
  }

  reports::Location location() const {
    reports::Location at;
    at.units = units_.size();
    for (const auto& [unit, counts] : units_) {
      at.runs += counts.first;
      at.failed += counts.second;
      if (counts.second) at.failing.push_back({unit.xcc, unit.se, unit.cu, unit.simd, counts.first, counts.second});
    }
    return at;
  }

 private:
  const cases::Case& case_;
  const Judge judge_;
  const oracles::DenseResult expected_;
  std::map<gfx950::Place, std::pair<std::uint64_t, std::uint64_t>> units_;
};

reports::Location untold(std::string why) {
  reports::Location at;
  at.message = std::move(why);
  return at;
}

}  // namespace

reports::Location locate(const Subject& subject, const compilers::Compiler& compiler, const std::string& level,
                         const cases::Case& c) {
  if (!subject.device->runs_programs()) return untold("the device cannot run the kernel that tells it");
  const Kernel kernel = Executor(subject).build(compiler, level, kernels::locating_piece_of(c.instance));
  if (kernel.compiled.outcome != compilers::Outcome::kOk) {
    return untold(
        fmt::format("the kernel that tells it does not compile: {}", compilers::name_of(kernel.compiled.outcome)));
  }
  if (!kernel.module) return untold(fmt::format("the device refused the kernel that tells it: {}", kernel.refused));
  Tally tally(subject, c);
  const devices::ProgramLaunch launch = launch_of(c);
  for (int n = 0; n < kLocatingLaunches; ++n) {
    const devices::LaunchOutcome outcome = kernel.module->run_program(kernel.name, launch);
    if (outcome.status != devices::LaunchStatus::kCompleted)
      return untold("the kernel that tells it did not complete: " + outcome.message);
    tally.add(outcome.outputs);
  }
  return tally.location();
}

void locate_failures(const Subject& subject, std::vector<reports::Finding>& findings) {
  std::map<std::string, int> of_builtin;
  for (reports::Finding& f : findings) {
    if (f.kind != reports::FindingKind::kWrongBits && f.kind != reports::FindingKind::kUnstableBits) continue;
    const auto id = cases::parse_case_id(f.case_id);
    const auto cls = operands::operand_class_named(f.operand_class);
    const auto compiler = std::find_if(subject.compilers.begin(), subject.compilers.end(),
                                       [&](const auto& each) { return each.identity().path.string() == f.compiler; });
    if (!id || !cls || compiler == subject.compilers.end() || of_builtin[f.builtin]++ >= kReducedPerBuiltin) continue;
    f.located = locate(subject, *compiler, f.level, operands::make_case(id->instance, id->seed, id->index, *cls));
  }
}

}  // namespace mfma::conformance
