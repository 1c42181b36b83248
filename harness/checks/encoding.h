// One matrix product as the machine code has it, against the call that it stands for.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/catalogue/instance.h"
#include "harness/checks/finding.h"
#include "harness/gfx950/isa/instruction.h"

namespace mfma::checks {

struct Violation {
  Code code;
  std::string message;  // one line
};

// Opcode, immediates, scale form, and of each operand the kind of register, their number, the place and the alignment.
// Empty where `found` is what the instance calls for.
std::vector<Violation> encoding_violations(const gfx950::Instruction& found, const catalogue::Instance& instance);

}  // namespace mfma::checks
