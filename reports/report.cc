#include "reports/report.h"

namespace mfma::reports {

std::string_view code_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::kWrongBits:
      return "wrong-bits";
    case FindingKind::kPropertyBroken:
      return "property-broken";
    case FindingKind::kWrongInstruction:
      return "wrong-instruction";
    case FindingKind::kCompileRejected:
      return "compile-rejected";
    case FindingKind::kBatchFailure:
      return "batch-failure";
    case FindingKind::kUnsupportedInstruction:
      return "device-inconclusive";
    case FindingKind::kObjectRefused:
      return "object-refused";
    case FindingKind::kDeviceFault:
      return "device-fault";
    case FindingKind::kMissingWaitState:
      return "missing-wait-state";
    case FindingKind::kWaitStateWarning:
      return "wait-state-warning";
    case FindingKind::kUnstableBits:
      return "unstable-bits";
    case FindingKind::kDevicesDiffer:
      return "devices-differ";
    case FindingKind::kDeviceLost:
      return "device-lost";
    case FindingKind::kHang:
      break;
  }
  return "hang";
}

std::string_view name_of(Verdict v) {
  switch (v) {
    case Verdict::kPass:
      return "pass";
    case Verdict::kFail:
      return "fail";
    case Verdict::kInconclusive:
      return "inconclusive";
    case Verdict::kHang:
      break;
  }
  return "hang";
}

Verdict verdict_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::kWrongBits:
    case FindingKind::kPropertyBroken:
    case FindingKind::kWrongInstruction:
    case FindingKind::kDeviceFault:
    case FindingKind::kMissingWaitState:
    case FindingKind::kUnstableBits:
    case FindingKind::kDevicesDiffer:
      return Verdict::kFail;
    case FindingKind::kWaitStateWarning:
      return Verdict::kPass;
    case FindingKind::kCompileRejected:
    case FindingKind::kBatchFailure:
    case FindingKind::kUnsupportedInstruction:
    case FindingKind::kObjectRefused:
      return Verdict::kInconclusive;
    case FindingKind::kHang:
    case FindingKind::kDeviceLost:
      break;
  }
  return Verdict::kHang;
}

std::string replay_command(const Finding& f) {
  const std::string& file = f.reduced && !f.reduced->file.empty() ? f.reduced->file : f.case_file;
  if (file.empty()) return {};
  std::string quoted = "'";
  for (const char c : file) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  const bool plain = file.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:@+") == std::string::npos;
  return "mfma-conform replay " + (plain ? file : quoted + "'");
}

Counts& Counts::operator+=(const Counts& other) {
  executions += other.executions;
  cases += other.cases;
  not_run += other.not_run;
  elements += other.elements;
  exact += other.exact;
  model_dependent += other.model_dependent;
  differing += other.differing;
  unconfirmed += other.unconfirmed;
  property_checks += other.property_checks;
  properties_broken += other.properties_broken;
  unsettled_cases += other.unsettled_cases;
  return *this;
}

Verdict BuiltinReport::verdict() const {
  if (failed) return Verdict::kFail;
  if (hung) return Verdict::kHang;
  if (inconclusive || passed == 0) return Verdict::kInconclusive;
  return Verdict::kPass;
}

namespace {

Counts sum_of(const std::vector<BuiltinReport>& rows) {
  Counts sum;
  for (const BuiltinReport& b : rows) sum += b.counts;
  return sum;
}

std::uint64_t planned(const std::vector<BuiltinReport>& rows) {
  std::uint64_t sum = 0;
  for (const BuiltinReport& b : rows) sum += b.instances;
  return sum;
}

std::uint64_t with(Verdict v, const std::vector<BuiltinReport>& rows) {
  std::uint64_t sum = 0;
  for (const BuiltinReport& b : rows) {
    switch (v) {
      case Verdict::kPass:
        sum += b.passed;
        break;
      case Verdict::kFail:
        sum += b.failed;
        break;
      case Verdict::kInconclusive:
        sum += b.inconclusive;
        break;
      case Verdict::kHang:
        sum += b.hung;
        break;
    }
  }
  return sum;
}

}  // namespace

Counts RunReport::totals() const { return sum_of(builtins); }
std::uint64_t RunReport::instances() const { return planned(builtins); }
std::uint64_t RunReport::instances_with(Verdict v) const { return with(v, builtins); }
Counts RunReport::program_totals() const { return sum_of(shapes); }
std::uint64_t RunReport::programs() const { return planned(shapes); }
std::uint64_t RunReport::programs_with(Verdict v) const { return with(v, shapes); }

ExitCode RunReport::exit_code() const {
  const auto any = [this](Verdict v) { return instances_with(v) + programs_with(v) != 0; };
  const bool idle = totals().elements + program_totals().elements == 0;
  if (any(Verdict::kFail)) return ExitCode::kFailure;
  if (any(Verdict::kHang)) return ExitCode::kHangOrLost;
  if (any(Verdict::kInconclusive) || idle) return ExitCode::kNoVerdict;
  return ExitCode::kPass;
}

}  // namespace mfma::reports
