// The code of one kernel as the interpreter wants it: every instruction reachable from its entry, decoded once, with
// what executes it and where control goes next.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "harness/gfx950/hazards/footprint.h"
#include "harness/gfx950/isa/instruction.h"
#include "harness/gfx950/machine/machine.h"
#include "harness/gfx950/object/code_object.h"
#include "harness/gfx950/object/kernel_descriptor.h"

namespace mfma::gfx950 {

struct Wavefront;

// What an instruction did to the flow of control.
enum class Flow : std::uint8_t {
  kNext,
  kBranch,    // to the target of the instruction
  kIndirect,  // to Wavefront::pc
  kEnd,
  kStop,  // Wavefront::fault says why
};

using Handler = Flow (*)(Wavefront&, const Instruction&);

// What executes an opcode of the tables; null when the interpreter has no model of it.
Handler handler_of(const Instruction& instruction);

struct Step {
  Instruction instruction;
  Footprint footprint;
  Handler handler = nullptr;
  Stop verdict = Stop::kCompleted;  // else: why the instruction may not be executed
  const char* reason = nullptr;
  std::int32_t next = -1;    // index of the step after it; -1: outside the code
  std::int32_t target = -1;  // index of the branch target
};

class KernelCode {
 public:
  KernelCode(const CodeObject& object, const KernelDescriptor& descriptor, std::uint64_t entry);

  std::int32_t find(std::uint64_t pc) const;  // -1: not among the reachable instructions
  const Step& step(std::int32_t index) const { return steps_[static_cast<std::size_t>(index)]; }

 private:
  std::vector<Step> steps_;
  std::unordered_map<std::uint64_t, std::int32_t> by_pc_;
};

// Made at the first call and kept with the object.
const KernelCode& code_of(const CodeObject& object, const CodeObject::Kernel& kernel);

}  // namespace mfma::gfx950
