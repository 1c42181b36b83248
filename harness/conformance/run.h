// The main job: instances x compilers x levels x operands on a device, every output bit compared with the oracle.
//
// The report depends on the options alone: not on threads, order or time (but for the times in it).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/catalogue/instance.h"
#include "harness/compilers/compiler.h"
#include "harness/conformance/oracle_view.h"
#include "harness/conformance/plan.h"
#include "harness/devices/device.h"
#include "oracles/arithmetic/profile.h"
#include "reports/report.h"

namespace mfma::conformance {

struct RunOptions {
  std::vector<catalogue::Instance> instances;
  std::vector<compilers::Compiler> compilers;
  std::vector<std::string> levels;             // "O0", "O2"
  std::vector<std::string> extra_flags;
  devices::Device* device = nullptr;           // not owned
  oracles::Profile profile;                    // of the oracle; has a rule for every instance (plan.h: unusable_profile)
  bool device_runs_profile = false;            // an emulated device that computes by the same profile
  oracles::BroadcastReading reading = oracles::BroadcastReading::kPerSet;
  std::uint64_t seed = 1;
  std::uint64_t cases_per_instance = 4;
  PropertyPlan properties;                     // empty: none
  int jobs = 0;                                // threads; 0: one per core
  OracleAlterations alterations;               // tests only
  std::function<void(std::size_t done, std::size_t of)> progress;  // instances; may be called from any thread
};

// Fills what the run itself knows: compilers, levels, device, seed, counts, builtins, findings, seconds. What only the
// caller knows (command, tier, profile names) is left for it to fill.
reports::RunReport run(const RunOptions& options);

}  // namespace mfma::conformance
