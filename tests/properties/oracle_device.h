// A device made of the oracle: computes the steps of a trial by any lawful model and by any reading of what the
// sources leave open. For tests of the properties themselves.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/properties/property.h"
#include "oracles/arithmetic/model.h"
#include "oracles/plain/dense.h"

namespace mfma::properties::testing {

enum class IntegerClamp { kNone, kToLeast, kToNegatedLargest };

struct OracleDevice {
  oracles::Model model;           // of floating-point builtins
  oracles::Model unscaled_model;  // of f8f6f4 without scales, where it is allowed to differ
  oracles::BroadcastReading reading = oracles::BroadcastReading::kPerSet;
  bool ignores_unsettled_blgp = false;
  // MODE.
  bool flushes_f32_inputs = false;
  bool clamps_infinite_operands = false;
  bool clamps_where_12_10_says_no = true;
  IntegerClamp integers = IntegerClamp::kNone;

  // D of every step, as judge() takes them.
  std::vector<std::vector<std::uint64_t>> run(const Trial& trial) const;
};

// Any model of docs/numerics.md, section 4, for an accumulator of `acc_bits` (32 or 64).
oracles::Model random_lawful_model(cases::Rng& rng, int acc_bits);
OracleDevice random_lawful_device(cases::Rng& rng, const catalogue::Instance& instance);

}  // namespace mfma::properties::testing
