// Format descriptors and models that the reference tests state for themselves (numerics, section 2 and 1.3), so that
// the reference oracle is tested without a line of the fast one. sweep_test.cc holds the two tables equal.
#pragma once

#include "oracles/arithmetic/model.h"
#include "oracles/formats/format.h"

namespace mfma::oracles::reference::testing {

// id, name, bits, integer, signed, exponent bits, fraction bits, bias, specials
inline constexpr Format kF64{FormatId::kF64, "f64", 64, false, true, 11, 52, 1023, Specials::kIeee};
inline constexpr Format kF32{FormatId::kF32, "f32", 32, false, true, 8, 23, 127, Specials::kIeee};
inline constexpr Format kF16{FormatId::kF16, "f16", 16, false, true, 5, 10, 15, Specials::kIeee};
inline constexpr Format kBf16{FormatId::kBf16, "bf16", 16, false, true, 8, 7, 127, Specials::kIeee};
inline constexpr Format kFp8{FormatId::kFp8E4m3, "fp8_e4m3", 8, false, true, 4, 3, 7, Specials::kNanOnly};
inline constexpr Format kBf8{FormatId::kBf8E5m2, "bf8_e5m2", 8, false, true, 5, 2, 15, Specials::kIeee};
inline constexpr Format kFp6{FormatId::kFp6E2m3, "fp6_e2m3", 6, false, true, 2, 3, 1, Specials::kNone};
inline constexpr Format kBf6{FormatId::kBf6E3m2, "bf6_e3m2", 6, false, true, 3, 2, 3, Specials::kNone};
inline constexpr Format kFp4{FormatId::kFp4E2m1, "fp4_e2m1", 4, false, true, 2, 1, 1, Specials::kNone};
inline constexpr Format kI8{FormatId::kI8, "i8", 8, true, true, 0, 0, 0, Specials::kNone};
inline constexpr Format kI32{FormatId::kI32, "i32", 32, true, true, 0, 0, 0, Specials::kNone};

inline Model make(ModelKind kind, int step = 128, StepOrder order = StepOrder::kAscending) {
  Model model;
  model.kind = kind;
  model.step = step;
  model.order = order;
  return model;
}

inline Model sequential(StepOrder order = StepOrder::kAscending) { return make(ModelKind::kFmaChain, 1, order); }
inline Model multiply_then_add() { return make(ModelKind::kMultiplyAdd); }
inline Model pairs(int step) { return make(ModelKind::kPairwise, step); }
inline Model exact(int step) { return make(ModelKind::kExactSum, step); }
inline Model tr(int step) { return make(ModelKind::kAlignedSum, step); }

inline Model tr_groups(int step, int groups, Grouping grouping) {
  Model model = tr(step);
  model.groups = groups;
  model.grouping = grouping;
  return model;
}
inline Model tr_even_odd(int step) { return tr_groups(step, 2, Grouping::kInterleaved); }
inline Model tr_halves(int step) { return tr_groups(step, 2, Grouping::kContiguous); }

inline Model tr_floor(int step) {
  Model model = tr(step);
  model.product_rounding = Rounding::kDown;
  return model;
}

inline Model gtr(int step) {
  Model model = tr_even_odd(step);
  model.drop_c_below = 25;
  model.product_overflow = ProductOverflow::kNone;
  return model;
}

// The older published description of the last steps (MS1 in numerics).
inline Model tr_old(int step) {
  Model model = tr(step);
  model.sum_fraction_bits = 31;
  model.final_fraction_bits = std::nullopt;
  return model;
}

inline Model scaled_block_sums() {
  Model model = make(ModelKind::kBlockSums);
  model.scale = ScaleEntry::kInBlockSum;
  return model;
}

}  // namespace mfma::oracles::reference::testing
