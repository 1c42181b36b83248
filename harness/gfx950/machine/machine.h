// The emulated gfx950: loads a code object and executes the machine code in it, one wavefront of 64 lanes per
// workgroup. In process, deterministic, never aborts: whatever the code or the file holds, the answer is a result.
//
// Sources: CDNA4 ISA manual (encodings, semantics), LLVM AMDGPUUsage (code object, kernel descriptor, ABI).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/gfx950/hazards/hazards.h"
#include "harness/gfx950/machine/fault_hook.h"
#include "harness/gfx950/machine/places.h"
#include "harness/gfx950/matrix/matrix_unit.h"
#include "harness/gfx950/object/code_object.h"

namespace mfma::gfx950 {

enum class Stop {
  kCompleted,
  kUnsupportedInstruction,  // the case is inconclusive: nothing is known about the device's answer
  kIllegalOperand,          // a register outside the allocation, a misaligned tuple, a reserved encoding
  kMemoryFault,             // access outside every allocation
  kBudgetExhausted,         // more instructions than allowed: an endless loop
  kNoSuchKernel,
};

struct LaunchResult {
  Stop stop = Stop::kCompleted;
  std::uint64_t pc = 0;            // byte address in the code object, as llvm-objdump prints it
  std::uint32_t dword = 0;         // the first dword at pc
  std::uint32_t workgroup = 0;     // where it stopped
  std::uint64_t instructions = 0;  // executed over all workgroups
  std::string message;             // one line; empty when completed
  // Instructions that came too early after others (hazards.h). The values computed are those of a device that waits;
  // on hardware they are not defined.
  std::vector<Hazard> hazards;
  bool more_hazards = false;  // there were more than a list holds (HazardList)
};

// Sees every instruction before it executes, in order: for traces.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void workgroup_begins(std::uint32_t workgroup) { static_cast<void>(workgroup); }
  virtual void executed(const Instruction& instruction) = 0;
};

// One thread at a time. Machines share nothing but the code objects they are given.
class Machine {
 public:
  // `faults`: what is wrong with this machine; null, as in use: nothing.
  explicit Machine(std::shared_ptr<const MatrixConfig> config, std::shared_ptr<const FaultHook> faults = nullptr);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // Device memory. Addresses are the emulated device's; accesses beyond an allocation are memory faults.
  std::uint64_t allocate(std::size_t bytes);
  void release_all();
  bool write(std::uint64_t address, std::span<const std::byte> data);  // false: outside an allocation
  bool read(std::uint64_t address, std::span<std::byte> data) const;

  // Runs `workgroups` workgroups of 64 lanes, in order. `kernarg` is the explicit part; hidden arguments are zero.
  LaunchResult launch(const CodeObject& object, std::string_view kernel, std::uint32_t workgroups,
                      std::span<const std::byte> kernarg, std::uint64_t budget_per_workgroup = 4'000'000);

  // Takes the place of the constructor's, from the next launch on.
  void set_faults(std::shared_ptr<const FaultHook> faults);

  // From the next launch on; null (the default) observes nothing. The observer must outlive the launches.
  void observe(Observer* observer);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mfma::gfx950
