// A device: what runs a code object. The emulated gfx950 is one; GPUs behind the HIP runtime are others.
//
// A device never decides a verdict. It gives back the bits of D, or says in one line why there are none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "harness/cases/case.h"
#include "harness/catalogue/register_image.h"

namespace mfma::devices {

struct DeviceInfo {
  std::string id;           // "emulated"
  std::string kind;         // "emulated" or "hip"
  std::string arch;         // "gfx950"
  std::string description;  // one line for reports
  bool is_emulated = false;
  std::vector<std::pair<std::string, std::string>> facts;  // for reports: PCI address, versions, libraries
};

enum class LaunchStatus {
  kCompleted,
  kInconclusive,  // an instruction the device does not know, a refused object: nothing is known about the bits
  kHang,          // did not end within its bound
  kFault,         // the kernel broke the machine's rules: a register or an address that is not its own
  kLost,          // not run: the device was lost before
};
// "completed", "inconclusive", "hang", "fault", "lost".
std::string_view name_of(LaunchStatus status);

// What the machine counts of a device's memory errors: "umc.ue" and how many. In the order of the names.
using ErrorCounts = std::vector<std::pair<std::string, std::uint64_t>>;

// What D and the outputs of a program hold before a launch: where all of them has it still, nothing was run.
inline constexpr std::uint32_t kUnwrittenDword = 0xdeadbeef;

// Instructions that came too early after others. Only a device that counts them, the emulated one, has any.
struct WaitStateNote {
  bool is_error = false;  // false: by a rule that manual and compiler do not share
  std::string rule;       // its stable code, such as "W-XDL-SRCAB-8"
  std::string message;    // one line: rule, both instructions, wait states needed and found
};

// What came of a launch, of cases or of a program.
struct LaunchOutcome {
  LaunchStatus status = LaunchStatus::kCompleted;
  std::string message;                              // one line; empty when completed
  std::vector<catalogue::RegisterImage> d;          // of cases: one each, in order; empty unless completed
  std::vector<std::vector<std::uint32_t>> outputs;  // of a program, as ProgramLaunch::outputs; empty unless completed
  std::vector<WaitStateNote> wait_states;           // of cases: each once per launch; also when it did not complete
  bool needs_fresh_worker = false;                  // errors of this kind stay with the process that met them
};

// A launch of a kernel with arrays of dwords: the kernel's arguments are a pointer to each input, then to each output,
// then two ints, `cases` and `trips` (harness/kernels/program.h). One workgroup of 64 lanes per case.
struct ProgramLaunch {
  std::vector<std::vector<std::uint32_t>> inputs;
  std::vector<std::size_t> outputs;  // dwords in each
  std::uint32_t cases = 0, trips = 0;
};

// A launch under way. Destroyed without collect(), whatever it gives is dropped.
class Launch {
 public:
  virtual ~Launch() = default;
  // Waits for it. Once.
  virtual LaunchOutcome collect() = 0;
};

// A code object on a device.
class Module {
 public:
  virtual ~Module() = default;
  // Runs `kernel` (harness/kernels/kernel.h has its ABI) on all cases in one launch, one case per workgroup.
  // All cases are of one instance. May be called from several threads at once.
  virtual LaunchOutcome run(const std::string& kernel, std::span<const cases::Case> cases) = 0;
  // As run(), which it comes to, but without waiting where the device can work by itself: the caller goes on and
  // collects later. Few are under way at a time; one more waits for a place. Launches of a thread are collected in
  // their order. Cases and module must outlive the launch. Here: runs when it is collected.
  virtual std::unique_ptr<Launch> submit(const std::string& kernel, std::span<const cases::Case> cases);
  // As run(), for kernels with arrays of their own. A device that has no such launch says so: inconclusive.
  virtual LaunchOutcome run_program(const std::string& kernel, const ProgramLaunch& launch) {
    static_cast<void>(launch);
    LaunchOutcome outcome;
    outcome.status = LaunchStatus::kInconclusive;
    outcome.message = "this device cannot launch '" + kernel + "': it runs single calls only";
    return outcome;
  }
};

class Device {
 public:
  // Enough to spread the cost of a launch over, few enough to keep the operands of a long tier out of memory.
  static constexpr std::size_t kFewCases = 32;
  // One for each SIMD of a GPU with 256 compute units.
  static constexpr std::size_t kManyCases = 1024;
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;
  // As they are now; empty where nothing tells of them. From one thread.
  virtual ErrorCounts error_counts() const { return {}; }
  // Cases to a launch that keep it busy; a number that the caller may pass over.
  virtual std::size_t cases_per_launch() const { return kFewCases; }
  // Whether its modules have Module::run_program().
  virtual bool runs_programs() const { return false; }
  // One line when the device refuses the object.
  virtual tl::expected<std::unique_ptr<Module>, std::string> load(std::span<const std::byte> object) = 0;
};

}  // namespace mfma::devices
