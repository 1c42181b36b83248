// Runs cases one by one or few by few: compiles the kernel of an instance at a level, runs it, compares D with the
// oracle. What `replay`, `minimize` and the reduction of a run's failures share.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/cases/case_file.h"
#include "harness/conformance/execution/case_record.h"
#include "harness/conformance/execution/executor.h"
#include "harness/conformance/execution/judge.h"
#include "harness/reduction/reduce.h"

namespace mfma::conformance {

// What a device did with a case.
struct Observation {
  devices::LaunchStatus status = devices::LaunchStatus::kCompleted;
  std::string message;            // one line on why there is no D; empty when completed
  oracles::DenseResult expected;  // of all of D, [block][row][column]; empty unless completed
  std::vector<std::uint64_t> actual;
  std::vector<std::size_t> failing;        // elements that differ and gate
  std::vector<std::size_t> unconfirmed;    // elements that differ and do not
  std::vector<std::string> missing_waits;  // wait states that manual and compiler ask for and that are not there
  [[nodiscard]] bool fails() const { return !failing.empty(); }
  void judge(Judged judged);  // fills the last but one of these
};
// Of a launch, before anything of it is judged.
[[nodiscard]] Observation observation_of(const devices::LaunchOutcome& outcome);

// How a kernel gets its MFMA: from the builtin, with the operands where the compiler puts them or forced into one kind
// of register (kernels::RegisterForm), or from inline assembly (harness/kernels/asm_kernel.h).
enum class KernelForm { kBuiltin, kAgpr, kVgpr, kInlineAsm };

// Thread-safe. Kernels are compiled once for each instance and level, each in a unit of its own.
class CaseRunner {
 public:
  // `subject` must outlive the runner, as must the compiler.
  CaseRunner(const Subject& subject, const compilers::Compiler& compiler, KernelForm form = KernelForm::kBuiltin);
  ~CaseRunner();

  // One launch; the cases are all of one instance. An instance without a kernel gives kInconclusive for all.
  [[nodiscard]] std::vector<Observation> observe(const std::string& level, std::span<const cases::Case> cases);

  // What is wrong with the MFMA in the kernel; empty: nothing, or there is no kernel.
  [[nodiscard]] std::string wrong_instruction(const catalogue::Instance& instance, const std::string& level);

  // What the oracle says of D, without a run.
  [[nodiscard]] oracles::DenseResult expected(const cases::Case& c) const;

  // Products of the case's failing element that are not zero, a NaN or an infinity counted as one that is not.
  [[nodiscard]] std::uint64_t nonzero_products(const cases::Case& c, std::size_t element) const;

  const Subject& subject() const { return subject_; }
  const compilers::Compiler& compiler() const { return compiler_; }

 private:
  struct Prepared;
  Prepared& kernel_of(const catalogue::Instance& instance, const std::string& level);

  const Subject& subject_;
  const compilers::Compiler& compiler_;
  const KernelForm form_;
  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<Prepared>> kernels_;  // by instance id and level
};

// `runs` launches of the one case.
struct Replay {
  cases::ReplayLabel label;  // how many gave a wrong D
  Observation worst;         // the first that fails; else the first that has no D; else the first
  bool conclusive = true;    // every run gave a D
  bool stable = true;        // every run gave the same D
};
[[nodiscard]] Replay replay(CaseRunner& runner, const std::string& level, const cases::Case& c, std::uint64_t runs);

// A failing case reduced (harness/reduction/reduce.h), as a case file with what was expected and seen.
struct ReducedCase {
  reduction::Reduction reduction;
  cases::CaseFile file;                // of the smallest; its label is of `runs` replays
  std::size_t element = 0;             // the first that fails
  std::uint64_t nonzero_products = 0;  // of that element
  Observation seen;
};
// `levels`: what may be tried below the given one. `attempts`: runs of each candidate, of which one must fail; more
// than one for intermittent failures. Nothing but the reduction is set where the case does not fail.
[[nodiscard]] ReducedCase reduce_case(CaseRunner& runner, const cases::Case& c, const std::string& level,
                                      std::span<const std::string> levels, const reduction::Budget& budget,
                                      std::uint64_t runs, std::uint64_t attempts = 1);

}  // namespace mfma::conformance
