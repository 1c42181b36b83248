// One instance through every compiler and level: cases drawn once, expected once, run and compared each time. Can go on
// where it left off.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/conformance/calls/description.h"
#include "harness/conformance/execution/executor.h"
#include "reports/model/report.h"

namespace mfma::conformance {

// A kernel that calls the instance once.
struct CallKernel {
  Kernel kernel;
  std::string wrong_instruction;  // what is wrong with the MFMA in it, one line; empty: nothing
};

// An instance as not run: its place in the report, and how many cases are left.
[[nodiscard]] reports::UnitReport unit_of(const RunDescription& run, const catalogue::Instance& instance);

// Whether the device was lost before all of it was run: a resumed run, on a device that is there again, runs it anew.
[[nodiscard]] bool lost_device(const std::vector<reports::Finding>& findings);

class InstanceRun {
 public:
  // `run` and `kernels` must outlive this.
  InstanceRun(const RunDescription& run, const catalogue::Instance& instance, const std::vector<CallKernel>& kernels);
  ~InstanceRun();
  InstanceRun(const InstanceRun&) = delete;
  InstanceRun& operator=(const InstanceRun&) = delete;

  // Runs the cases from the first that was not reached to `end`, or until RunControl::stop says why not.
  void run_to(std::uint64_t end);
  // Cases that were reached.
  [[nodiscard]] std::uint64_t reached() const { return reached_; }
  // Of all cases so far; those left of RunPlan::cases_per_instance are counted as that.
  [[nodiscard]] reports::UnitResult result();

 private:
  struct Prepared;
  struct Chunk;
  class KernelRun;
  std::shared_ptr<const Chunk> draw_chunk(std::uint64_t end) const;

  std::unique_ptr<Prepared> prepared_;
  const reports::UnitReport unit_;  // as not run
  std::vector<std::unique_ptr<KernelRun>> kernels_;
  std::uint64_t reached_ = 0;
};

}  // namespace mfma::conformance
