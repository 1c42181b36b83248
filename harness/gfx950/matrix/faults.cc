#include "harness/gfx950/matrix/faults.h"

#include <array>
#include <bit>

namespace mfma::gfx950 {
namespace {

using Kind = MatrixFault::Kind;

struct KindName {
  Kind kind;
  std::string_view name;
};

constexpr std::array kKindNames{
    KindName{Kind::kLayoutEntry, "layout-entry"},
    KindName{Kind::kTransposedResult, "transposed-result"},
    KindName{Kind::kOpcode, "opcode"},
    KindName{Kind::kStuckLane, "stuck-lane"},
    KindName{Kind::kSwapRegisterPair, "swap-register-pair"},
    KindName{Kind::kIgnoreCbsz, "ignore-cbsz"},
    KindName{Kind::kIgnoreAbid, "ignore-abid"},
    KindName{Kind::kWholeWaveBroadcast, "whole-wave-broadcast"},
    KindName{Kind::kIgnoreBlgp, "ignore-blgp"},
    KindName{Kind::kBlgpRotateRight, "blgp-rotate-right"},
    KindName{Kind::kNegateSwapped, "negate-swapped"},
    KindName{Kind::kContiguousK8, "contiguous-k8"},
    KindName{Kind::kSixBitCrossing, "six-bit-crossing"},
    KindName{Kind::kSwapFormatCodes, "swap-format-codes"},
    KindName{Kind::kIgnoreScale, "ignore-scale"},
    KindName{Kind::kSwapScaleBytes, "swap-scale-bytes"},
    KindName{Kind::kScaleLanePair, "scale-lane-pair"},
    KindName{Kind::kScaleFollowsData, "scale-follows-data"},
    KindName{Kind::kScaleWrongGroup, "scale-wrong-group"},
    KindName{Kind::kScaleZeroIsZero, "scale-zero-is-zero"},
    KindName{Kind::kScaleNanIsNumber, "scale-nan-is-number"},
    KindName{Kind::kFormatBias, "format-bias"},
    KindName{Kind::kFnuzFormats, "fnuz-formats"},
    KindName{Kind::kDropSubnormalInputs, "drop-subnormal-inputs"},
    KindName{Kind::kFlushSubnormalResult, "flush-subnormal-result"},
    KindName{Kind::kUnsignedI8, "unsigned-i8"},
    KindName{Kind::kSaturateI32, "saturate-i32"},
    KindName{Kind::kRounding, "rounding"},
    KindName{Kind::kProductBitLess, "product-bit-less"},
    KindName{Kind::kProductFloor, "product-floor"},
    KindName{Kind::kSumAsShortAsC, "sum-as-short-as-c"},
    KindName{Kind::kCTowardZero, "c-toward-zero"},
    KindName{Kind::kStepDoubled, "step-doubled"},
    KindName{Kind::kDescendingSteps, "descending-steps"},
    KindName{Kind::kMergedGroups, "merged-groups"},
    KindName{Kind::kNeverDropC, "never-drop-c"},
    KindName{Kind::kNoProductOverflow, "no-product-overflow"},
    KindName{Kind::kUnfused, "unfused"},
    KindName{Kind::kMissingC, "missing-c"},
    KindName{Kind::kLastProductMissing, "last-product-missing"},
    KindName{Kind::kNegativeZeroLost, "negative-zero-lost"},
    KindName{Kind::kF64ThroughF32, "f64-through-f32"},
    KindName{Kind::kNanSign, "nan-sign"},
    KindName{Kind::kRoundByMode, "round-by-mode"},
    KindName{Kind::kDenormByMode, "denorm-by-mode"},
    KindName{Kind::kOverflowNotClamped, "overflow-not-clamped"},
};

constexpr auto kAllKinds = [] {
  std::array<Kind, kKindNames.size()> kinds{};
  for (std::size_t n = 0; n < kinds.size(); ++n) kinds[n] = kKindNames[n].kind;
  return kinds;
}();
// Kinds are numbered from kNone = 0 on, so a kind without a name shows here.
static_assert(kKindNames.size() == static_cast<std::size_t>(Kind::kOverflowNotClamped));
static_assert([] {
  for (std::size_t n = 0; n < kAllKinds.size(); ++n) {
    if (static_cast<std::size_t>(kAllKinds[n]) != n + 1) return false;
  }
  return true;
}());

}  // namespace

std::string_view name_of(Kind kind) {
  const auto number = static_cast<std::size_t>(kind);
  return number >= 1 && number <= kKindNames.size() ? kKindNames[number - 1].name : "none";
}

std::optional<Kind> fault_kind_named(std::string_view name) {
  if (name == "none") return Kind::kNone;
  for (const KindName& row : kKindNames) {
    if (row.name == name) return row.kind;
  }
  return std::nullopt;
}

std::span<const Kind> all_fault_kinds() { return kAllKinds; }

Adder spoiled_adder(AdderRules rules, Kind kind) {
  switch (kind) {
    case Kind::kProductBitLess:
      --rules.product_fraction_bits;
      break;
    case Kind::kProductFloor:
      rules.product_rounding = RoundTo::kMinusInfinity;
      break;
    case Kind::kSumAsShortAsC:
      rules.sum_fraction_bits = rules.c_fraction_bits;
      break;
    case Kind::kCTowardZero:
      rules.c_rounding = RoundTo::kZero;
      break;
    case Kind::kStepDoubled:
      rules.step *= 2;
      break;
    case Kind::kDescendingSteps:
      rules.descending = !rules.descending;
      break;
    case Kind::kMergedGroups:
      rules.groups = 1;
      break;
    case Kind::kNeverDropC:
      rules.drop_c_below.reset();
      break;
    case Kind::kNoProductOverflow:
      rules.product_overflow_is_infinity = false;
      break;
    case Kind::kUnfused:
      if (rules.accumulate == Accumulate::kFmaChain) rules.accumulate = Accumulate::kMultiplyAdd;
      break;
    default:
      break;
  }
  Adder adder = make_adder(rules);
  if (kind == Kind::kRounding) adder.result_rounding = RoundTo::kZero;
  return adder;
}

std::uint64_t spoiled_result(std::uint64_t bits, bool f64, Kind kind) {
  const std::uint64_t sign = std::uint64_t{1} << (f64 ? 63 : 31);
  const std::uint64_t magnitude = bits & (sign - 1);
  switch (kind) {
    case Kind::kNegativeZeroLost:
      return magnitude == 0 ? 0 : bits;
    case Kind::kFlushSubnormalResult:
      return magnitude < std::uint64_t{1} << (f64 ? 52 : 23) ? bits & sign : bits;
    case Kind::kF64ThroughF32:
      return f64 ? std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<float>(std::bit_cast<double>(bits))))
                 : bits;
    default:
      return bits;
  }
}

}  // namespace mfma::gfx950
