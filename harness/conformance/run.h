// The main job: instances x compilers x levels x operands on a device, every output bit compared with the oracle.
//
// The report depends on the options alone: not on threads, order or time (but for the times in it, and where it is
// stopped). Best first: every instance gets the quick tier's cases and its properties before any gets more.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/cases/case_file.h"
#include "harness/catalogue/instance.h"
#include "harness/compilers/compiler.h"
#include "harness/conformance/oracle_view.h"
#include "harness/conformance/plan.h"
#include "harness/devices/device.h"
#include "harness/operands/operands.h"
#include "oracles/arithmetic/profile.h"
#include "reports/model/report.h"

namespace mfma::conformance {

struct RunOptions {
  std::vector<catalogue::Instance> instances;
  std::vector<compilers::Compiler> compilers;
  std::vector<std::string> levels;  // "O0", "O2"
  std::vector<std::string> extra_flags;
  devices::Device* device = nullptr;  // not owned
  oracles::Profile profile;           // of the oracle; has a rule for every instance (plan.h: unusable_profile)
  bool device_runs_profile = false;   // an emulated device that computes by the same profile
  // Where the profiles come from, and the name of the device's where it is another: for case files.
  std::string profile_source, device_profile_name, device_profile_source;
  oracles::BroadcastReading reading = oracles::BroadcastReading::kPerSet;
  std::uint64_t seed = 1;
  std::uint64_t cases_per_instance = 4;
  std::uint64_t cases_per_launch = 0;  // 0: as suits the device
  std::uint64_t repeats = 1;           // launches of each case, which must all give the same bits
  bool digests = false;                // fill RunReport::digests, to compare devices
  bool locate = false;                 // where on the device the failing cases run wrong (locate.h)
  // Classes of the operands, in turn; empty: as operands::class_of() deals them out. At least one must apply to every
  // instance (std::invalid_argument), the others are left out where they do not.
  std::vector<operands::OperandClass> operand_classes;
  PropertyPlan properties;    // empty: none
  int jobs = 0;               // threads; 0: one per core
  std::uint64_t replays = 5;  // of a failing case, to tell deterministic from intermittent
  bool reduce = false;        // the first failing case of each instance, within bounds (run.cc)
  // Keeps a failing case under a name of its own (case_runner.h: case_file_name); gives back where, or nothing. From
  // any thread. Empty: none are kept.
  std::function<std::string(const std::string& name, const cases::CaseFile&)> keep_case;
  // What instances and programs came to in an earlier part of this very run, by id or title: taken as it is.
  std::map<std::string, reports::UnitResult> done;
  // Told what each came to: when all properties and the first cases are through, and again, then `complete`, when
  // nothing of it is left. Before reductions and the examination of programs, which look at the run as a whole. From
  // any thread.
  std::function<void(const reports::UnitResult&, bool complete)> record;
  // Asked again and again, from any thread: empty to go on, else why the run is to end ("time", "signal"). What was not
  // reached is counted as left.
  std::function<std::string()> stop;
  OracleAlterations alterations;                                   // tests only
  std::function<void(std::size_t done, std::size_t of)> progress;  // instances; may be called from any thread
};

// What is known of a run before it begins: compilers, levels, device, seed and the like, and every instance as not run.
// What only the caller knows (command, tier, profile names) is left for it to fill.
reports::RunReport planned(const RunOptions& options);

// planned(), with results: counts, findings, open points, seconds.
reports::RunReport run(const RunOptions& options);

}  // namespace mfma::conformance
