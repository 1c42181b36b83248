// One instance through every compiler and level: cases drawn once, expected once, run and compared each time.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/conformance/run.h"
#include "harness/kernels/kernel.h"
#include "reports/report.h"

namespace mfma::conformance {

// A kernel that one compiler made at one level, with the module of the object it is in.
struct KernelUnderTest {
  const compilers::Compiler* compiler = nullptr;
  std::string level;
  const compilers::Compiled* compiled = nullptr;
  const compilers::Compiled* unexplained = nullptr;  // kernels::Built::unexplained
  devices::Module* module = nullptr;         // nullptr: rejected or refused
  std::string refused;                       // by the device, one line
  std::string wrong_instruction;             // what is wrong with the MFMA in the object, one line; empty: nothing
};

struct InstanceResult {
  reports::Counts counts;
  reports::Verdict verdict = reports::Verdict::kInconclusive;
  std::vector<reports::Finding> findings;
  std::vector<reports::OpenPoint> open;
  std::vector<reports::ExecutionDigest> digests;
};

// The worse of two: fail, hang, inconclusive, pass.
reports::Verdict worse(reports::Verdict x, reports::Verdict y);

// What a launch that did not complete amounts to.
reports::FindingKind kind_of(devices::LaunchStatus status);

InstanceResult run_instance(const RunOptions& options, const catalogue::Instance& instance,
                            const std::vector<KernelUnderTest>& kernels);

}  // namespace mfma::conformance
