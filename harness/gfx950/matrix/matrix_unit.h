// The emulated matrix unit: what one dense MFMA of gfx950 does to the registers of a wavefront.
//
// Independent of oracles/ by rule: own formats, own layouts (inverse maps: from a register bit to the element it
// means), own arithmetic by another algorithm. Neither side may link or include the other; a test holds that.
//
// Sources: CDNA4 ISA manual 7.1 and 7.2 (forms, layouts, broadcasts, scales), table 30 (formats), 12.10 and table 90
// (opcodes, passes); docs/numerics.md for the adders, whose every width is a parameter here.
// MODE (manual 7.1.2, 7.1.5, 7.4; docs/discrepancies.md where they differ): rounding is always to nearest even,
// subnormals are always kept, of f32 too; FP16_OVFL clamps f32 and i32 results and leaves f64 alone.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

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
  bool product_overflow_is_infinity = true;  // aligned_sum only
  bool nan_propagates = false;
  std::string nan_order = "abc";
  std::uint64_t nan_bits = 0x7fc00000;  // of a generated NaN, in the format of D
  bool scale_in_block_sum = false;      // block_sums only
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
    // Wiring of D, of the opcode and of the lanes.
    kLayoutEntry,       // the element of D in register 0 of lane `value` changes places with that of the lane after it
    kTransposedResult,  // every block of D is written transposed
    kOpcode,            // `opcode` computes as `value` would (both must read and write as many registers)
    kStuckLane,         // lane `value` of A reads as zero
    kSwapRegisterPair,  // the first two registers of A change places
    kIgnoreCbsz,        // broadcast of A not done
    kIgnoreAbid,        // the broadcast block is always block 0
    kWholeWaveBroadcast,  // the reading of cbsz that is not configured
    kIgnoreBlgp,          // neither lane pattern of B nor, on f64, negation
    kBlgpRotateRight,     // blgp 3 rotates the other way
    kNegateSwapped,       // f64: the flags that negate A and C change places
    // Items and scales.
    kContiguousK8,      // 8-bit operands of f8f6f4 laid out as 32 contiguous k, as the smaller ones are
    kSixBitCrossing,    // 6-bit items that cross a dword lose the bits in the upper one
    kSwapFormatCodes,   // format codes of A and B exchanged (both must read as many registers)
    kIgnoreScale,       // all scales 1.0
    kSwapScaleBytes,    // op_sel of A and B exchanged
    kScaleLanePair,     // the scale of a row comes from its neighbour's lane
    kScaleFollowsData,  // 8-bit operands: the scale of the lane that holds the item, not of the logical block
    kScaleWrongGroup,   // the scale of block q comes from the lane group of block q + 1
    kScaleZeroIsZero,   // scale code 0x00 means 0, not 2^-127
    kScaleNanIsNumber,  // scale code 0xff means 2^128, not NaN
    // Formats.
    kFormatBias,   // bias of format number `value` one too high: 0..4 as cbsz of f8f6f4, 5 f16, 6 bf16, 7 f32, 8 f64
    kFnuzFormats,  // fp8 and bf8 read as the FNUZ formats of gfx942
    kDropSubnormalInputs,   // subnormal elements of A and B count as zero
    kFlushSubnormalResult,  // subnormal elements of D become zero
    kUnsignedI8,            // i8 items of A read as unsigned
    // Arithmetic.
    kSaturateI32,         // integer sums clamp instead of wrapping
    kRounding,            // final rounding toward zero instead of to nearest even
    kProductBitLess,      // products keep one fraction bit less
    kProductFloor,        // products rounded toward minus infinity
    kSumAsShortAsC,       // the step's sum keeps no more fraction bits than C does
    kCTowardZero,         // C aligned toward zero instead of toward minus infinity
    kStepDoubled,         // twice as many products per step
    kDescendingSteps,     // k in the other order
    kMergedGroups,        // one alignment group where there are several
    kNeverDropC,          // the rule that drops a small C is missing
    kNoProductOverflow,   // products of 2^128 and more stay finite
    kUnfused,             // the product of a chain is rounded before it is added
    kMissingC,            // C does not enter the first step
    kLastProductMissing,  // the product of the last k is not added
    kNegativeZeroLost,    // -0 in D becomes +0
    kF64ThroughF32,       // f64 results pass through f32
    kNanSign,             // a generated NaN has its sign bit flipped
    // MODE.
    kRoundByMode,         // results round toward zero when MODE.FP_ROUND is not nearest even
    kDenormByMode,        // subnormal elements of A and B of every format count as zero when MODE.FP_DENORM flushes
    kOverflowNotClamped,  // MODE.FP16_OVFL is ignored
  };
  Kind kind = Kind::kNone;
  int opcode = -1;  // -1: every opcode
  int value = 0;
  bool operator==(const MatrixFault&) const = default;
};

// "ignore-cbsz" for kIgnoreCbsz, and so on.
std::string_view name_of(MatrixFault::Kind kind);
// The kind of that name; nothing when there is none.
std::optional<MatrixFault::Kind> fault_kind_named(std::string_view name);
// Every kind but kNone, in the order of the enumeration.
std::span<const MatrixFault::Kind> all_fault_kinds();

struct MatrixOperands {
  // [register][lane]: a[reg * 64 + lane]; exactly as many registers as the form reads.
  std::span<const std::uint32_t> a, b, c;
  std::span<const std::uint32_t> scale_a, scale_b;  // 64 dwords, one per lane; empty: all scales 1.0. f8f6f4 only
  int scale_byte_a = 0, scale_byte_b = 0;           // 0..3, the byte selected by {op_sel_hi, op_sel}
};

// The VOP3P-MAI fields. f8f6f4 (45, 46): cbsz and blgp are the format codes of A and B. f64 (110, 111): blgp negates.
struct MatrixControls {
  int opcode = 0;
  int cbsz = 0, abid = 0, blgp = 0;
  // MODE as the kernel has set it. A healthy unit looks at FP16_OVFL only: f32 results that overflow become the largest
  // number of their sign, unless an operand is infinite; i32 sums clamp to -2^31 and 2^31 - 1.
  int mode_round = 0;     // FP_ROUND, four bits
  int mode_denorm = 0xf;  // FP_DENORM, four bits
  bool clamp_overflow = false;
};

struct MatrixForm {
  bool known = false;  // false: not a dense MFMA of gfx950, or a reserved format code
  int a_registers = 0, b_registers = 0, c_registers = 0;
  const char* mnemonic = "";
  int passes = 0;  // of four cycles each
};

MatrixForm matrix_form(const MatrixControls& controls);

// Immutable after construction: one unit may execute in many threads at once.
class MatrixUnit {
 public:
  // A null `config` means a default-constructed one.
  explicit MatrixUnit(std::shared_ptr<const MatrixConfig> config, MatrixFault fault = {});
  ~MatrixUnit();
  MatrixUnit(const MatrixUnit&) = delete;
  MatrixUnit& operator=(const MatrixUnit&) = delete;
  MatrixUnit(MatrixUnit&&) noexcept;
  MatrixUnit& operator=(MatrixUnit&&) noexcept;

  // D = A * B + C over all 64 lanes, whatever EXEC says. `d`: [register][lane], c_registers * 64 dwords; it may be the
  // memory of `operands.c`. Returns empty, or one line that says why the case is undefined or refused (unknown opcode,
  // reserved format code, cbsz beyond the blocks, abid >= 2^cbsz, an operand of the wrong size); `d` is then untouched.
  std::string execute(const MatrixControls& controls, const MatrixOperands& operands, std::span<std::uint32_t> d) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mfma::gfx950
