#include "harness/checks/encoding.h"

#include <fmt/format.h>

#include "harness/conformance/execution/instruction_check.h"
#include "harness/gfx950/isa/decoder.h"

namespace mfma::checks {
namespace {

using catalogue::Instance;
using gfx950::Encoding;
using gfx950::Instruction;
using gfx950::Operand;
using gfx950::OperandKind;

constexpr int kRegisters = 256;  // of either kind, per lane
// In assembly order.
enum : std::size_t { kD, kA, kB, kC, kScaleA, kScaleB };

bool in_register(const Operand& o) { return o.kind == OperandKind::kVector || o.kind == OperandKind::kAccumulator; }

class Judge {
 public:
  Judge(const Instruction& found, const Instance& instance) : found_(found), instance_(instance) {}

  std::vector<Violation> all() {
    if (found_.opcode != instance_.builtin->opcode) {
      add(Code::kEncodingOpcode, fmt::format("opcode {}, expected {} ({})", found_.opcode, instance_.builtin->opcode,
                                             instance_.builtin->mnemonic));
      return std::move(violations_);  // the rest would be judged by another instruction's rules
    }
    const bool scaled = found_.encoding == Encoding::kScaledMai;
    if (scaled != instance_.modifiers.scaled) {
      add(Code::kEncodingScaleForm,
          scaled ? "the scaled form, expected the unscaled one" : "the unscaled form, expected the scaled one");
    } else if (std::string wrong = conformance::wrong_immediate(found_, instance_); !wrong.empty()) {
      add(Code::kEncodingImmediate, std::move(wrong));
    }
    operand("D", kD, instance_.c_registers());
    operand("A", kA, instance_.a_registers());
    operand("B", kB, instance_.b_registers());
    operand("C", kC, instance_.c_registers());
    if (in_register(at(kC)) && at(kC).kind != at(kD).kind) {
      add(Code::kEncodingRegisterClass, "C and D are in different kinds of registers; ACC_CD is one bit for both");
    }
    if (scaled) {
      scale("A", kScaleA);
      scale("B", kScaleB);
    }
    return std::move(violations_);
  }

 private:
  const Operand& at(std::size_t place) const { return found_.operands[place]; }

  void add(Code code, std::string message) {
    violations_.push_back({code, fmt::format("{}: {}", gfx950::render(found_), message)});
  }

  void operand(const char* name, std::size_t place, int registers) {
    const Operand& o = at(place);
    if (place == kC && o.kind == OperandKind::kConstant) return;
    if (!in_register(o)) {
      add(Code::kEncodingRegisterClass, fmt::format("{} is in no vector register", name));
      return;
    }
    if (o.registers != registers) {
      add(Code::kEncodingRegisterWidth, fmt::format("{} has {} registers, expected {}", name, o.registers, registers));
    }
    if (o.number + registers > kRegisters) {
      add(Code::kEncodingRegisterWidth, fmt::format("{} runs past register {}", name, kRegisters - 1));
    }
    if (registers > 1 && o.number % 2 != 0) {
      add(Code::kEncodingRegisterAlignment, fmt::format("{} begins at register {}, which is odd", name, o.number));
    }
  }

  void scale(const char* name, std::size_t place) {
    if (at(place).kind != OperandKind::kVector) {
      add(Code::kEncodingScaleSource, fmt::format("the scale of {} is not in a VGPR", name));
    }
  }

  const Instruction& found_;
  const Instance& instance_;
  std::vector<Violation> violations_;
};

}  // namespace

std::vector<Violation> encoding_violations(const Instruction& found, const Instance& instance) {
  return Judge(found, instance).all();
}

}  // namespace mfma::checks
