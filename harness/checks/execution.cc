// Every selected kernel on the emulated device.
#include <iterator>

#include "harness/checks/jobs.h"
#include "harness/conformance/calls/plan.h"
#include "harness/conformance/run.h"
#include "harness/devices/emulated.h"
#include "harness/operands/operands.h"

namespace mfma::checks {
namespace {

// Random bits read back from a wrong register differ; exact operands gate whatever the arithmetic.
constexpr operands::OperandClass kClasses[] = {operands::OperandClass::kRandomBits, operands::OperandClass::kExact};
constexpr std::uint64_t kCasesPerKernel = std::size(kClasses);

}  // namespace

std::vector<Finding> check_execution(const CheckOptions& options, CheckReport& report) {
  const auto instances = options.instances;
  auto device = devices::make_emulated_device(oracles::default_profile(), catalogue::builtins_of(instances));
  if (!device) {
    Finding f;
    f.subject = "emulated device";
    f.arch = "gfx950";
    f.levels = options.levels;
    f.message = device.error();
    return {f};
  }
  conformance::RunDescription run;
  run.plan.instances = instances;
  run.subject.compilers = {*options.compiler};
  run.subject.levels = options.levels;
  run.subject.extra_flags = options.extra_flags;
  run.subject.device = device->get();
  run.subject.profile = oracles::default_profile();
  run.subject.device_runs_profile = true;
  run.plan.seed = options.seed;
  run.plan.cases_per_instance = kCasesPerKernel;
  run.plan.operand_classes.assign(std::begin(kClasses), std::end(kClasses));
  run.control.jobs = options.jobs;
  const reports::RunReport ran = conformance::run(run);
  report.executions += ran.totals().executions;

  std::vector<Finding> findings;
  for (const reports::Finding& found : ran.findings) {
    using reports::FindingKind;
    // Told by the encodings and by the wait states.
    if (found.kind == FindingKind::kCompileRejected || found.kind == FindingKind::kWrongInstruction ||
        found.kind == FindingKind::kMissingWaitState || found.kind == FindingKind::kWaitStateWarning) {
      continue;
    }
    const auto instance = catalogue::parse_instance(found.instance);
    if (!instance) continue;
    const bool bits = found.kind == FindingKind::kWrongBits;
    const Code code = bits || found.kind == FindingKind::kDeviceFault ? Code::kExecutesWrong : Code::kNotExecuted;
    Finding f = detail::finding_of(code, found.instance, "gfx950", found.level,
                                   bits ? "other bits than the oracle's on the emulated device" : found.message,
                                   kernels::piece_of(*instance), {});
    f.log = found.case_id.empty() ? found.log : "case " + found.case_id + "\n" + found.message + "\n" + found.log;
    f.command = compilers::base_flags("gfx950", found.level);
    findings.push_back(std::move(f));
  }
  return findings;
}

}  // namespace mfma::checks
