// One instance through every compiler and level: cases drawn once, expected once, run and compared each time. Can go on
// where it left off.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/conformance/run.h"
#include "harness/kernels/kernel.h"
#include "reports/model/report.h"

namespace mfma::conformance {

// A kernel that one compiler made at one level, with the module of the object it is in.
struct KernelUnderTest {
  const compilers::Compiler* compiler = nullptr;
  std::string level;
  const compilers::Compiled* compiled = nullptr;
  const compilers::Compiled* unexplained = nullptr;  // kernels::Built::unexplained
  devices::Module* module = nullptr;                 // nullptr: rejected or refused
  std::string refused;                               // by the device, one line
  std::string wrong_instruction;  // what is wrong with the MFMA in the object, one line; empty: nothing
};

struct InstanceResult {
  reports::Counts counts;
  reports::Verdict verdict = reports::Verdict::kInconclusive;
  bool untouched = false;  // reports::UnitReport::untouched
  std::vector<reports::Finding> findings;
  std::vector<reports::PropertyCount> properties;
  std::vector<reports::OpenPoint> open;
  std::vector<reports::ExecutionDigest> digests;
};

// What a launch that did not complete amounts to.
reports::FindingKind kind_of(devices::LaunchStatus status);

// Whether the device was lost before all of it was run: a resumed run, on a device that is there again, runs it anew.
bool lost_device(const std::vector<reports::Finding>& findings);

class InstanceRun {
 public:
  // `options` and what `kernels` points to must outlive this.
  InstanceRun(const RunOptions& options, const catalogue::Instance& instance,
              const std::vector<KernelUnderTest>& kernels);
  ~InstanceRun();
  InstanceRun(const InstanceRun&) = delete;
  InstanceRun& operator=(const InstanceRun&) = delete;

  // Runs the cases from the first that was not reached to `end`, or until RunOptions::stop says why not.
  void run_to(std::uint64_t end);
  // Cases that were reached.
  std::uint64_t reached() const { return reached_; }
  // Of all cases so far; those left of RunOptions::cases_per_instance are counted as that.
  InstanceResult result();

 private:
  struct Prepared;
  struct Chunk;
  class KernelRun;
  std::shared_ptr<const Chunk> draw_chunk(std::uint64_t end) const;

  std::unique_ptr<Prepared> prepared_;
  std::vector<std::unique_ptr<KernelRun>> kernels_;
  std::uint64_t reached_ = 0;
};

}  // namespace mfma::conformance
