// Whether a kernel's machine code holds the one MFMA that its instance calls for, with the right immediates.
//
// Bits alone would not show a compiler that reaches the right result by another instruction.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "harness/catalogue/instance.h"
#include "harness/gfx950/machine.h"

namespace mfma::conformance {

class InstructionCheck {
 public:
  // An object that cannot be read makes every check() say so.
  explicit InstructionCheck(const std::vector<std::byte>& object);

  // Empty when `kernel` holds exactly one MFMA, of `opcode` (VOP3P-MAI bits 22:16) and with the instance's
  // immediates; else one line that says what is there instead, with its address.
  std::string check(const std::string& kernel, const catalogue::Instance& instance, int opcode) const;

 private:
  std::shared_ptr<const gfx950::CodeObject> object_;
  std::string unreadable_;
};

}  // namespace mfma::conformance
