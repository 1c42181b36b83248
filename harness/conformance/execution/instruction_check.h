// Whether a kernel's machine code holds the MFMAs that it calls for: the one of an instance, with the right immediates,
// or those of a program.
//
// Bits alone would not show a compiler that reaches the right result by another instruction.
#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "harness/catalogue/instance.h"
#include "harness/gfx950/isa/instruction.h"
#include "harness/gfx950/machine/machine.h"

namespace mfma::conformance {

// A dense or sparse MFMA, scaled or not.
[[nodiscard]] bool is_matrix_product(const gfx950::Instruction& i);

// The matrix products of a kernel in an object, in address order. The error says why there is no telling: no such
// kernel.
[[nodiscard]] tl::expected<std::vector<gfx950::Instruction>, std::string> matrix_products(
    const gfx950::CodeObject& object, const std::string& kernel);

// The first immediate of a matrix product that is not the instance's, in words; empty when all are. The scaled form is
// asked for where the instance is scaled.
[[nodiscard]] std::string wrong_immediate(const gfx950::Instruction& found, const catalogue::Instance& instance);
// The byte of a scale dword that a scaled matrix product reads (CDNA4 ISA 7.1.5: OP_SEL_HI, OP_SEL); source 0 A, 1 B.
[[nodiscard]] int scale_byte(const gfx950::Instruction& scaled, int source);

class InstructionCheck {
 public:
  // An object that cannot be read makes every check() say so.
  explicit InstructionCheck(const std::vector<std::byte>& object);

  // Empty when `kernel` holds exactly one MFMA, of `opcode` (VOP3P-MAI bits 22:16) and with the instance's
  // immediates; else one line that says what is there instead, with its address.
  [[nodiscard]] std::string check(const std::string& kernel, const catalogue::Instance& instance, int opcode) const;

  // Of a kernel with several calls, which a compiler may merge or copy: empty when it holds MFMAs of each of `opcodes`,
  // and of no other. Code behind a call instruction is not followed.
  [[nodiscard]] std::string check_opcodes(const std::string& kernel, const std::set<int>& opcodes) const;

 private:
  std::shared_ptr<const gfx950::CodeObject> object_;
  std::string unreadable_;
};

}  // namespace mfma::conformance
