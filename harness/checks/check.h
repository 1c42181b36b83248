// What can be judged of a compiler without a GPU: what it accepts, what it makes of immediates, and what it encodes.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "harness/catalogue/instance.h"
#include "harness/checks/finding.h"
#include "harness/compilers/compiler.h"
#include "harness/compilers/levels.h"

namespace mfma::checks {

// The parts of a check, in the order in which they run.
enum class Stage { kAcceptance, kImmediates, kZeroScales, kEncodings, kWaitStates, kExecution };
struct StageInfo {
  Stage stage;
  std::string_view name;  // "immediates"
};
std::span<const StageInfo> all_stages();

struct CheckOptions {
  const compilers::Compiler* compiler = nullptr;  // not owned; opened for gfx950
  std::vector<std::string> levels = compilers::ordinary_level_names();
  std::vector<std::string> extra_flags;
  std::vector<catalogue::Instance> instances;  // whose encoding is checked: all legal ones, or a selection
  std::vector<Stage> stages;                   // empty: all
  std::uint64_t seed = 1;                      // of the operands with which kernels are executed
  std::chrono::milliseconds timeout{60'000};   // of one job
  int jobs = 0;                                // threads; 0: one per core
  std::function<void(std::string_view stage)> progress;
};

// What became of a builtin's plain call for one target at one level.
struct Acceptance {
  std::string builtin, arch, level;
  bool expected = false;  // the target has it
  compilers::Outcome outcome = compilers::Outcome::kCannotRun;
};

struct CheckReport {
  compilers::Identity compiler;
  std::vector<std::string> levels;
  std::vector<Acceptance> acceptance;        // all_names() x targets() x levels
  std::vector<std::string> unknown_targets;  // to this compiler: their rows were not judged
  std::uint64_t calls = 0;                   // builtin calls compiled for the acceptance matrix
  std::uint64_t immediates = 0;              // immediates out of range that were tried
  std::uint64_t encodings = 0;               // kernels whose instruction was decoded and compared
  std::uint64_t wait_states = 0;             // kernels whose wait states were looked at on every path
  std::uint64_t executions = 0;              // kernels run on the emulated device
  std::vector<Finding> findings;             // merged over levels
  double seconds = 0;
};

// Everything below, in turn. The report depends on options and compiler alone, but for its times.
CheckReport check_compiler(const CheckOptions& options);

// The parts. Each returns one finding per level, to be merged.
std::vector<Finding> check_acceptance(const CheckOptions& options, CheckReport& report);
std::vector<Finding> check_immediates(const CheckOptions& options, CheckReport& report);
std::vector<Finding> check_zero_scales(const CheckOptions& options);
std::vector<Finding> check_encodings(const CheckOptions& options, CheckReport& report);
// On every path of each of those kernels, and of two builtins in a row for every ordered pair that shares the type of
// its accumulator: the first with C from memory, the second with the first's D as C.
std::vector<Finding> check_wait_states(const CheckOptions& options, CheckReport& report);
// On the emulated device, with a few cases: what encodings cannot show, that the registers hold the operands.
std::vector<Finding> check_execution(const CheckOptions& options, CheckReport& report);

}  // namespace mfma::checks
