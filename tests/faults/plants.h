// Every fault that can be planted, with a place and the instances that it is looked for on.
#pragma once

#include <string>
#include <vector>

#include "harness/gfx950/matrix/matrix_unit.h"

namespace mfma::conformance::testing {

using Kind = gfx950::MatrixFault::Kind;

struct Plant {
  Kind kind;
  int opcode, value;
  std::vector<std::string> instances;
};

inline const std::string kF16 = "mfma_f32_16x16x32_f16", kBf16 = "mfma_f32_16x16x32_bf16",
                         kFp8 = "mfma_f32_16x16x32_fp8_fp8", kF32 = "mfma_f32_16x16x4f32", kF64 = "mfma_f64_16x16x4f64",
                         kI8 = "mfma_i32_16x16x64_i8",
                         kScaled = "mfma_scale_f32_16x16x128_f8f6f4:", kScaled32 = "mfma_scale_f32_32x32x64_f8f6f4:";

inline std::vector<Plant> plants() {
  return {
      {Kind::kLayoutEntry, 84, 17, {kF16}},
      {Kind::kTransposedResult, -1, 0, {"mfma_f32_4x4x4f16"}},
      {Kind::kOpcode, 84, 53, {kF16}},
      {Kind::kStuckLane, -1, 40, {kI8}},
      {Kind::kSwapRegisterPair, -1, 0, {kF16}},
      {Kind::kIgnoreCbsz, -1, 0, {"mfma_f32_32x32x1f32:cbsz=1"}},
      {Kind::kIgnoreAbid, -1, 0, {"mfma_f32_4x4x4f16:cbsz=4,abid=9"}},
      {Kind::kWholeWaveBroadcast, -1, 0, {"mfma_f32_4x4x1f32:cbsz=1,abid=1"}},
      {Kind::kIgnoreBlgp, -1, 0, {"mfma_f32_16x16x1f32:blgp=5"}},
      {Kind::kBlgpRotateRight, -1, 0, {"mfma_f32_16x16x1f32:blgp=3"}},
      {Kind::kNegateSwapped, -1, 0, {kF64 + ":neg=a"}},
      {Kind::kContiguousK8, -1, 0, {kScaled32 + "a=fp8,b=fp4,unscaled"}},
      {Kind::kSixBitCrossing, -1, 0, {kScaled32 + "a=fp6,b=fp4,unscaled"}},
      {Kind::kSwapFormatCodes, -1, 0, {kScaled + "a=fp8,b=bf8,unscaled"}},
      {Kind::kIgnoreScale, -1, 0, {kScaled + "a=fp4,b=fp4,op_sel=0/1"}},
      {Kind::kSwapScaleBytes, -1, 0, {kScaled + "a=fp4,b=fp4,op_sel=0/1"}},
      {Kind::kScaleLanePair, -1, 0, {kScaled + "a=fp6,b=fp4,op_sel=0/0"}},
      {Kind::kScaleFollowsData, -1, 0, {kScaled + "a=fp8,b=fp8,op_sel=0/0"}},
      {Kind::kScaleWrongGroup, -1, 0, {kScaled + "a=bf6,b=bf6,op_sel=0/0"}},
      {Kind::kScaleZeroIsZero, -1, 0, {kScaled + "a=fp4,b=fp4,op_sel=0/1"}},
      {Kind::kScaleNanIsNumber, -1, 0, {kScaled + "a=fp4,b=fp4,op_sel=0/1"}},
      {Kind::kFormatBias, -1, 4, {kScaled + "a=fp4,b=fp8,unscaled"}},
      {Kind::kFnuzFormats, -1, 0, {kFp8}},
      {Kind::kDropSubnormalInputs, -1, 0, {kF16}},
      {Kind::kFlushSubnormalResult, -1, 0, {kF32}},
      {Kind::kUnsignedI8, -1, 0, {kI8}},
      {Kind::kSaturateI32, -1, 0, {kI8}},
      {Kind::kRounding, -1, 0, {kF32}},
      {Kind::kProductBitLess, -1, 0, {kBf16, kF16}},
      {Kind::kProductFloor, -1, 0, {kBf16, kF16}},
      {Kind::kSumAsShortAsC, -1, 0, {kBf16, kF16}},
      {Kind::kCTowardZero, -1, 0, {kBf16, kF16}},
      {Kind::kStepDoubled, -1, 0, {kBf16, kF16}},
      {Kind::kDescendingSteps, -1, 0, {kBf16, kF16}},
      {Kind::kMergedGroups, -1, 0, {kFp8}},
      {Kind::kNeverDropC, -1, 0, {kFp8}},
      {Kind::kNoProductOverflow, -1, 0, {kBf16}},
      {Kind::kUnfused, -1, 0, {kF32}},
      {Kind::kMissingC, -1, 0, {kF16}},
      {Kind::kLastProductMissing, -1, 0, {kF16}},
      {Kind::kNegativeZeroLost, -1, 0, {kF32}},
      {Kind::kF64ThroughF32, -1, 0, {kF64}},
      {Kind::kNanSign, -1, 0, {kF16}},
  };
}

// Faults that act only where a kernel has set MODE: the properties of MODE see them, and no case of the default mode.
inline std::vector<Plant> mode_plants() {
  return {
      {Kind::kRoundByMode, -1, 0, {"mfma_f32_16x16x4f32", "mfma_f32_16x16x32_f16"}},
      {Kind::kDenormByMode, -1, 0, {"mfma_f32_16x16x4f32", "mfma_f32_16x16x32_f16"}},
      {Kind::kOverflowNotClamped, -1, 0, {"mfma_f32_16x16x4f32", "mfma_f32_16x16x32_bf16"}},
  };
}

}  // namespace mfma::conformance::testing
