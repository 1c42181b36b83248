// Bits of the MODE register that a kernel sets before its MFMA. Source: CDNA4 ISA manual, tables 4 and 26.
#pragma once

#include <optional>

namespace mfma::cases {

struct ModeBits {
  // FP_ROUND, MODE[3:0]: [1:0] single, [3:2] double and half; 0 nearest even, 1 up, 2 down, 3 toward zero.
  std::optional<int> round;
  // FP_DENORM, MODE[7:4]: [1:0] single, [3:2] double and half; bit 0 allows subnormal inputs, bit 1 outputs.
  std::optional<int> denorm;
  bool clamp_overflow = false;  // FP16_OVFL, MODE[23]

  bool any() const { return round || denorm || clamp_overflow; }
  bool operator==(const ModeBits&) const = default;
};

}  // namespace mfma::cases
