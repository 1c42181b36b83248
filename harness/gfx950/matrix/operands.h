// The operands of one MFMA as elements: read from the registers through the lane maps, decoded, block scales applied.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "harness/gfx950/matrix/formats.h"
#include "harness/gfx950/matrix/wiring.h"

namespace mfma::gfx950 {

// What a row of A or a column of B holds beyond finite numbers.
enum RowFlags : std::uint8_t { kFinite = 0, kHasInfinity = 1, kHasNan = 2, kHasNanScale = 4 };

inline constexpr int kMaxRows = 64;        // rows of A or columns of B, over all blocks
inline constexpr int kScaleBlock = 32;     // k that share a scale
inline constexpr int kMaxScaleBlocks = 4;  // along K
inline constexpr std::int16_t kNanScale = 999;
inline constexpr std::uint64_t kNoNanBits = 0;  // of a NaN that only the scale made

struct OperandPlane {
  // By element number (matrix_wiring.h). `value` has the scale in it unless it is kept apart for the block sums.
  alignas(64) std::array<double, kMaxElements> value;
  alignas(64) std::array<std::int16_t, kMaxElements> exponent;  // of a product's factor, as the adders see it
  std::array<std::uint64_t, kMaxElements> nan_bits;             // only where the element is a NaN: its bits passed on
  std::array<std::uint8_t, kMaxRows> flags;                     // RowFlags
  std::array<std::array<std::int16_t, kMaxScaleBlocks>, kMaxRows> scale;  // only when kept apart: exponents, kNanScale
  alignas(64) std::array<std::int32_t, kMaxElements> integer;             // i8 forms, in place of all of the above
};

// One side, A or B, of an MFMA: how to read it.
struct OperandReading {
  const MatrixOperation* operation = nullptr;
  bool is_b = false;
  ElementFormat format = ElementFormat::kF32;
  std::span<const std::uint32_t> registers;
  LaneMap lanes{};
  bool negate = false;
  // How the adders take exponents.
  bool normalise_subnormals = false;
  bool zeros_have_exponent = false;
  // Scales; empty: none.
  std::span<const std::uint32_t> scales;
  int scale_byte = 0;
  bool keep_scale_apart = false;
  // Planted faults.
  MatrixFault::Kind fault = MatrixFault::Kind::kNone;
  int fault_value = 0;
};

void read_operand(const OperandReading& reading, OperandPlane& plane);
void read_integers(const OperandReading& reading, OperandPlane& plane);

}  // namespace mfma::gfx950
