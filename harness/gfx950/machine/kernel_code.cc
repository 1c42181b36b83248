#include "harness/gfx950/machine/kernel_code.h"

#include <memory>
#include <string_view>

#include "harness/gfx950/isa/decoder.h"
#include "harness/gfx950/object/code_object.h"

namespace mfma::gfx950 {
namespace {

constexpr unsigned kSopBranch = 2, kEndProgram = 1, kFirstConditional = 4, kLastConditional = 9;
constexpr unsigned kSetPc = 29;
constexpr unsigned kCall = 21;
constexpr unsigned kFirstSpecialScalar = 102;  // above the SGPRs that are allocated

bool ends_flow(const Instruction& in) {
  return (in.encoding == Encoding::kSopp && (in.opcode == kSopBranch || in.opcode == kEndProgram)) ||
         (in.encoding == Encoding::kSop1 && in.opcode == kSetPc);
}

bool has_target(const Instruction& in) {
  if (in.encoding == Encoding::kSopk) return in.opcode == kCall;
  if (in.encoding != Encoding::kSopp) return false;
  return in.opcode == kSopBranch || (in.opcode >= kFirstConditional && in.opcode <= kLastConditional);
}

// Modifiers that only a few opcodes are modelled with.
bool has_unmodelled_modifier(const Instruction& in) {
  const Bits& b = in.bits;
  if (in.encoding == Encoding::kVop3) {
    if (std::string_view(in.mnemonic) == "v_bitop3_b32") return b.select != 0 || b.clamp;
    return b.absolute != 0 || b.negate != 0 || b.select != 0 || b.output != 0 || b.clamp;
  }
  if (in.encoding == Encoding::kVop3p) return b.negate != 0 || b.negate_high != 0 || b.clamp;
  if (in.encoding == Encoding::kScaledMai) return b.negate != 0 || b.negate_high != 0;
  return false;
}

// Manual 3.6.3 and 3.6.4: 64-bit scalar data even, four and more dwords of a scalar load at multiples of four, vector
// tuples even.
const char* why_misaligned(const Operand& operand) {
  if (operand.registers < 2) return nullptr;
  const bool vector = operand.kind == OperandKind::kVector || operand.kind == OperandKind::kAccumulator;
  if (vector) return operand.number % 2 != 0 ? "a tuple of vector registers must begin at an even number" : nullptr;
  if (operand.kind != OperandKind::kScalar || operand.number > 127) return nullptr;
  const unsigned alignment = operand.registers >= 4 ? 4 : 2;
  return operand.number % alignment != 0 ? "a tuple of scalar registers is not aligned" : nullptr;
}

const char* why_outside(const Operand& operand, const KernelDescriptor& descriptor) {
  const unsigned end = operand.number + (operand.registers == 0 ? 1u : operand.registers);
  switch (operand.kind) {
    case OperandKind::kVector:
      return end > descriptor.vector_registers() ? "VGPR outside the kernel's allocation" : nullptr;
    case OperandKind::kAccumulator:
      return end > descriptor.accumulator_registers() ? "AccVGPR outside the kernel's allocation" : nullptr;
    case OperandKind::kScalar:
      if (operand.number < kFirstSpecialScalar && end > descriptor.scalar_registers()) {
        return "SGPR outside the kernel's allocation";
      }
      if (operand.number < kFirstSpecialScalar && end > kFirstSpecialScalar) return "tuple runs past the last SGPR";
      return operand.number <= 127 && end > 128 ? "tuple runs past the last scalar register" : nullptr;
    default:
      return nullptr;
  }
}

void judge(Step& step, const KernelDescriptor& descriptor) {
  const Instruction& in = step.instruction;
  const auto set = [&](Stop verdict, const char* reason) {
    step.verdict = verdict;
    step.reason = reason;
  };
  if (!in.known()) return set(Stop::kUnsupportedInstruction, in.problem);
  for (const Operand& operand : in.all_operands()) {
    if (const char* why = why_outside(operand, descriptor)) return set(Stop::kIllegalOperand, why);
    if (const char* why = why_misaligned(operand)) return set(Stop::kIllegalOperand, why);
  }
  step.handler = handler_of(in);
  if (step.handler == nullptr) return set(Stop::kUnsupportedInstruction, "the interpreter does not model it");
  if (has_unmodelled_modifier(in)) set(Stop::kUnsupportedInstruction, "its modifiers are not modelled");
}

}  // namespace

KernelCode::KernelCode(const CodeObject& object, const KernelDescriptor& descriptor, std::uint64_t entry) {
  std::vector<std::uint64_t> pending{entry};
  const auto wanted = [&](std::uint64_t pc) { return !by_pc_.contains(pc) && !object.code_at(pc).empty(); };
  while (!pending.empty()) {
    std::uint64_t pc = pending.back();
    pending.pop_back();
    while (wanted(pc)) {
      Step step;
      step.instruction = decode(object.code_at(pc), pc);
      step.footprint = footprint_of(step.instruction);
      judge(step, descriptor);
      const bool goes_on = step.verdict == Stop::kCompleted && !ends_flow(step.instruction);
      if (step.verdict == Stop::kCompleted && has_target(step.instruction)) {
        pending.push_back(branch_target(step.instruction));
      }
      by_pc_.emplace(pc, static_cast<std::int32_t>(steps_.size()));
      pc += step.instruction.bytes;
      steps_.push_back(step);
      if (!goes_on) break;
    }
  }
  for (Step& step : steps_) {
    step.next = find(step.instruction.pc + step.instruction.bytes);
    if (has_target(step.instruction)) step.target = find(branch_target(step.instruction));
  }
}

const KernelCode& code_of(const CodeObject& object, const CodeObject::Kernel& kernel) {
  return *static_cast<const KernelCode*>(
      kernel.derived([&] { return std::make_shared<const KernelCode>(object, kernel.descriptor, kernel.entry); }));
}

std::int32_t KernelCode::find(std::uint64_t pc) const {
  const auto it = by_pc_.find(pc);
  return it == by_pc_.end() ? -1 : it->second;
}

}  // namespace mfma::gfx950
