// Properties on a device: the trials of a batch of instances, through every compiler and level.
//
// Judged without the oracle: what is compared are results of the device with one another (harness/properties).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "harness/conformance/calls/instance_run.h"
#include "harness/properties/property.h"

namespace mfma::conformance {

// False where the device is known to compute by a model that is not lawful for the instance's accumulator: such a model
// may break any property. The caller says so.
[[nodiscard]] bool properties_speak_of(const Subject& subject, const catalogue::Instance& instance);

class PropertyRun {
 public:
  // `kernels`: of every instance, by compiler and level, as InstanceRun takes them. All three must outlive this.
  PropertyRun(const RunDescription& run, std::span<const catalogue::Instance> instances,
              std::span<const std::vector<CallKernel>> kernels);
  ~PropertyRun();
  PropertyRun(const PropertyRun&) = delete;
  PropertyRun& operator=(const PropertyRun&) = delete;

  // Trials number `first` to `end` - 1 of each property: adds counts, findings, open points and the verdict to
  // `results`, one for each instance, the same ones at each call. False where RunControl::stop ended it before.
  [[nodiscard]] bool run(std::span<reports::UnitResult> results, std::uint64_t first, std::uint64_t end);

 private:
  struct Reachable;
  struct Planned;
  class Trials;

  std::vector<Planned> plan_trials(std::uint64_t number) const;
  void build_missing(const std::vector<Planned>& trials);
  void run_set(std::span<const Planned> trials, std::size_t set, reports::UnitResult& result);
  bool can_run(const Planned& planned, std::size_t set, reports::UnitResult& result);
  reports::Finding new_finding(const Planned& planned, std::size_t set, reports::FindingKind kind,
                               std::string message) const;
  void add(reports::Finding finding, reports::UnitResult& result) const;
  void judge(const Planned& planned, std::size_t set, const std::vector<catalogue::RegisterImage>& images,
             reports::UnitResult& result);

  const Subject& subject_;
  const RunPlan& plan_;
  const RunControl& control_;
  std::span<const catalogue::Instance> instances_;
  std::span<const std::vector<CallKernel>> kernels_;
  std::vector<std::map<std::string, Reachable>> by_name_;  // by compiler and level ("set")
  Executor executor_;
  std::map<std::string, std::size_t> broken_;  // property, instance and set to the index of its finding
  std::set<std::string> said_;                 // problems of kernels, by instance, set and kernel
};

}  // namespace mfma::conformance
