// What is judged: compilers at levels, with flags, through a device, against the oracle under a profile.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/compilers/compiler.h"
#include "harness/conformance/execution/oracle_view.h"
#include "harness/devices/device.h"
#include "oracles/arithmetic/profile.h"

namespace mfma::conformance {

struct Subject {
  std::vector<compilers::Compiler> compilers;
  std::vector<std::string> levels;  // "O0", "O2"
  std::vector<std::string> extra_flags;
  devices::Device* device = nullptr;  // not owned
  oracles::Profile profile;           // of the oracle; has a rule for every instance (rules.h: unusable_profile)
  bool device_runs_profile = false;   // an emulated device that computes by the same profile
  // Where the profiles come from, and the name of the device's where it is another: for case files.
  std::string profile_source, device_profile_name, device_profile_source;
  oracles::BroadcastReading reading = oracles::BroadcastReading::kPerSet;
  std::shared_ptr<const OracleSource> oracle = catalogue_oracle();  // never null
};

// What the oracle holds of an instance under the subject's profile, which has a rule for it.
[[nodiscard]] OracleEntry oracle_entry(const Subject& subject, const catalogue::Instance& instance);

// The opcode alone. Also of instances that the profile has no rule for: a property of one builtin may call another.
[[nodiscard]] int opcode_of(const Subject& subject, const catalogue::Instance& instance);

// Whether model-dependent bits of the instance gate: its rule is confirmed, or the device computes by the same profile.
[[nodiscard]] bool model_gates(const Subject& subject, const catalogue::Instance& instance);

// "per-set" or "whole-wave", as files and reports have it.
[[nodiscard]] std::string name_of(oracles::BroadcastReading reading);

}  // namespace mfma::conformance
