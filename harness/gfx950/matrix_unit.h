// The emulated matrix unit: what one MFMA does to the registers of a wavefront.
//
// Independent of oracles/ by rule: own formats, own layouts (inverse maps: from a register bit to the element it
// means), own arithmetic by another algorithm. Neither side may link or include the other; a test holds that.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace mfma::gfx950 {

enum class Accumulate { kFmaChain, kMultiplyAdd, kPairwise, kExactSum, kAlignedSum, kBlockSums, kInteger };
enum class RoundTo { kZero, kMinusInfinity, kNearestEven };

// How the adders work: the unit's own reading of a profile rule (docs/numerics.md explains each).
struct AdderRules {
  Accumulate accumulate = Accumulate::kAlignedSum;
  int step = 16;
  bool descending = false;
  int groups = 1;
  bool contiguous_groups = false;
  int product_fraction_bits = 24;
  RoundTo product_rounding = RoundTo::kZero;
  bool zero_products_raise_exponent = false;
  bool normalise_subnormals = false;
  bool normalise_products = false;
  int merge_fraction_bits = 24;
  RoundTo merge_rounding = RoundTo::kMinusInfinity;
  int sum_fraction_bits = 32;
  RoundTo sum_rounding = RoundTo::kMinusInfinity;
  int c_fraction_bits = 24;
  RoundTo c_rounding = RoundTo::kMinusInfinity;
  std::optional<int> drop_c_below;
  std::optional<int> final_fraction_bits = 31;
  RoundTo final_rounding = RoundTo::kMinusInfinity;
  bool product_overflow_is_infinity = true;
  bool nan_propagates = false;
  std::string nan_order = "abc";
  std::uint64_t nan_bits = 0x7fc00000;
  bool scale_in_block_sum = false;
};

// By VOP3P-MAI opcode; [0] when A or B has 8 bits or more, [1] when both are 4 or 6-bit.
struct MatrixConfig {
  std::array<std::array<AdderRules, 2>, 128> rules;
  bool whole_wave_broadcast = false;  // cbsz below log2(blocks): the other published reading
};

// Faults that tests plant in the unit, to show that a run finds them. None in a healthy device.
struct MatrixFault {
  enum class Kind {
    kNone,
    kLayoutEntry,       // one element of D of opcode `opcode` is written to the place of its neighbour
    kOpcode,            // `opcode` computes as `value` would
    kIgnoreCbsz,        // broadcast of A not done
    kIgnoreAbid,
    kIgnoreBlgp,
    kSwapScaleBytes,    // op_sel of A and B exchanged
    kFormatBias,        // bias of format number `value` off by one
    kRounding,          // final rounding to f32 toward zero instead of to nearest even
  };
  Kind kind = Kind::kNone;
  int opcode = -1;  // -1: every opcode
  int value = 0;
};

}  // namespace mfma::gfx950
