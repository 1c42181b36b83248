#include "harness/conformance/execution/subject.h"

#include "harness/conformance/execution/rules.h"

namespace mfma::conformance {

OracleEntry oracle_entry(const Subject& subject, const catalogue::Instance& instance) {
  return subject.oracle->entry(instance, rule_of(subject.profile, instance)->model, subject.reading);
}

int opcode_of(const Subject& subject, const catalogue::Instance& instance) {
  return subject.oracle->entry(instance, oracles::Model{}, subject.reading).opcode;
}

bool model_gates(const Subject& subject, const catalogue::Instance& instance) {
  return subject.device_runs_profile || rule_of(subject.profile, instance)->status == oracles::RuleStatus::kConfirmed;
}

std::string name_of(oracles::BroadcastReading reading) {
  return reading == oracles::BroadcastReading::kPerSet ? "per-set" : "whole-wave";
}

}  // namespace mfma::conformance
