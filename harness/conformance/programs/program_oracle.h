// What a program (harness/kernels/program.h) must compute: the oracle of each MFMA call composed with plain integer
// operations on register images. Knows nothing of compilers, and of no device.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/conformance/execution/oracle_view.h"
#include "harness/kernels/program.h"
#include "harness/operands/operands.h"
#include "oracles/arithmetic/profile.h"

namespace mfma::conformance {

// A value: dwords by lane and register, and for each dword whether any lawful model gives these bits (1), or the
// profile's model decides, in this call or in one it depends on (0).
struct ProgramValue {
  catalogue::RegisterImage image;
  std::vector<std::uint8_t> exact;

  ProgramValue() = default;
  explicit ProgramValue(int registers) : image(registers), exact(image.dwords.size(), 1) {}
};

// Bits of the inputs of one case, by input and step (one step where the input is not per-step).
struct ProgramInputs {
  std::vector<std::vector<catalogue::RegisterImage>> images;
};
// All inputs of a case are of one class, so that sums of several builtins stay exact where each builtin's are: small
// integers, random bits, specials, in turn.
operands::OperandClass class_of_inputs(std::uint64_t index);
// The case number `index` under `seed`: a function of these, of the inputs as the program declares them and of `trips`.
ProgramInputs draw_inputs(const kernels::Program& program, std::uint64_t seed, std::uint64_t index, int trips);

class ProgramOracle {
 public:
  // The profile has a rule for each instance of the program. Well-formed programs only.
  ProgramOracle(const kernels::Program& program, const oracles::Profile& profile, oracles::BroadcastReading reading,
                const OracleSource& source = *catalogue_oracle());

  // The outputs, then what the memories hold at the end. Dwords that nothing writes are devices::kUnwrittenDword.
  [[nodiscard]] std::vector<ProgramValue> evaluate(const ProgramInputs& inputs, int trips) const;
  // Dwords of each array that evaluate() gives.
  [[nodiscard]] std::vector<std::size_t> sizes() const;
  // True when the rules of all calls are confirmed.
  bool confirmed() const { return confirmed_; }
  bool unsettled() const { return unsettled_; }  // an instance rests on an unsettled reading

 private:
  class Run;
  const kernels::Program& program_;
  std::map<std::string, OracleView> views_;  // by instance id
  bool confirmed_ = true, unsettled_ = false;
};

}  // namespace mfma::conformance
