// What batched.cc hands to the loops over lanes. Plain arrays only: the loops are compiled once for each instruction
// set, and nothing that is shared between those objects may be an inline function, lest the linker keep the copy that
// an older processor cannot run.
//
// A sheet is what the loops work on: `rows` times `width` elements of D, the lanes side by side in a row. Elements of B
// are [k][width]. Those of A are [rows][k] with one for a whole row (`repeat` 1), or [rows][k][width / 4] with one for
// every four lanes (`repeat` 4: blocks of four columns, side by side). Widths are multiples of kTile; what a matrix
// does not fill is +0. All arrays have kTile spare elements at their end.
#pragma once

#include <cstdint>

namespace mfma::oracles::batched {

inline constexpr int kTile = 16;
// Bounds of exponents for "none", as in oracles/arithmetic/lines.h.
inline constexpr int kNone = -8000;

// A format in numbers (oracles/formats/format.h).
struct FormatNumbers {
  int bits, exponent_bits, fraction_bits, bias;
  bool ieee_specials, nan_only;
};

// Flags of elements.
inline constexpr std::int32_t kFlagInfinite = 1, kFlagNan = 2;

// Elements of A or of B, decoded. Arrays that a job does not need are null.
struct Operand {
  std::int32_t* magnitude = nullptr;  // significand, as the model has it
  std::int32_t* sign = nullptr;       // 0 or -1
  std::int32_t* lead = nullptr;       // as in lines.h: scale included; kNone for a zero that raises nothing
  std::int32_t* bound = nullptr;      // the same under the model that raises it most
  std::int32_t* odd = nullptr;        // exponent of the lowest set bit; -kNone for zeros
  std::int32_t* flags = nullptr;      // kFlag...
  double* value = nullptr;            // scale included; infinities and NaNs as such
  double* unscaled = nullptr;         // without the scale, where a model wants that too
  // Over the k of a line: flags ored, least odd, largest bound. One per row and entry of A, one per lane of B.
  std::int32_t* any = nullptr;
  std::int32_t* least_odd = nullptr;
  std::int32_t* largest_bound = nullptr;
};

// f64: (-1)^s * m * 2^exponent with 1 <= m < 2, as a double; subnormals brought there, zeros as +-0 and -2 * kNone
// below all.
struct Operand64 {
  double* significand = nullptr;
  std::int64_t* exponent = nullptr;
};

struct Sheet {
  int rows = 0, k = 0, width = 0, repeat = 1;
  const std::uint32_t* c = nullptr;  // [rows][width] codes, modifiers done; f64: c64
  const std::uint64_t* c64 = nullptr;
  Operand a, b;
  Operand64 a64, b64;
  // Factors 2^e of 32 k, for the model that scales block sums: as elements, with k / 32 in the place of k.
  const double* a_factor = nullptr;
  const double* b_factor = nullptr;
};

// What became of an element, as flags: no lawful model gives other bits; the plain oracle must say whether it is exact;
// the plain oracle must say the bits; the result is a NaN, whose bits are the model's choice; an operand or c is
// infinite, and none a NaN.
inline constexpr std::int32_t kExact = 1, kAskExact = 2, kAskBits = 4, kIsNan = 8, kHasInfinity = 16;

struct Output {
  std::uint32_t* d = nullptr;  // [rows][width]; f64: d64
  std::uint64_t* d64 = nullptr;
  std::int32_t* state = nullptr;
};

enum class LaneRounding { kTowardZero, kDown, kNearestEven };

struct AlignedParameters {
  int step, groups;
  bool descending, contiguous;
  int fraction_bits;  // of A and B together
  int product_fraction_bits, merge_fraction_bits, sum_fraction_bits, c_fraction_bits, final_fraction_bits;
  LaneRounding product_rounding, merge_rounding, sum_rounding, c_rounding, final_rounding;
  bool normalise_products, product_overflow;
  int drop_c_below;  // < 0: never
  int up;            // products are shifted up so far; in 32-bit lanes A's magnitudes already are
  int most_in_32;    // so many products can be summed in 32 bits; 0: 64-bit lanes
};

enum class ChainKind { kFma, kMultiplyAdd, kPairwise, kBlockSums };

struct ChainParameters {
  ChainKind kind;
  bool descending;
  int step;
};

struct DecodeParameters {
  FormatNumbers format;
  bool raise_zeros, normalise;
  int up;  // magnitudes shifted up so far
};

struct Kernels {
  // Elements, `count` a multiple of kTile. scale: exponents to add, or null; a NaN scale is kNone.
  void (*decode)(const DecodeParameters&, const std::uint32_t* codes, const std::int32_t* scale, std::int64_t count,
                 const Operand&);
  void (*decode64)(const std::uint64_t* codes, std::int64_t count, const Operand&, const Operand64&);
  // The `any`, `least_odd` and `largest_bound` of lines: [lines][k][width], `width` of them beside one another.
  void (*bounds)(int lines, int k, int width, const Operand&);
  // Exactness into `state`, which is written, not ored; then NaNs by operands.
  void (*label)(const Sheet&, int precision, const Output&);
  void (*aligned)(const Sheet&, const AlignedParameters&, const Output&);
  void (*chain)(const Sheet&, const ChainParameters&, const Output&);
  void (*chain64)(const Sheet&, bool descending, const Output&);
  // Integers: `magnitude` holds them with their sign.
  void (*integer)(const Sheet&, const Output&);
};

const Kernels& kernels_baseline();
#ifdef MFMA_BATCHED_X86
const Kernels& kernels_avx2();
const Kernels& kernels_avx512();
#endif

}  // namespace mfma::oracles::batched
