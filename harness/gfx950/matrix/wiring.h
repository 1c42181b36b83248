// Which element a register item means: the inverse of the manual's layout formulas (7.1.4, 7.1.5.1, 7.2.1), and the
// lane that is read in place of another under cbsz, abid and blgp (7.1.6).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "harness/gfx950/matrix/opcodes.h"

namespace mfma::gfx950 {

// Elements are numbered A: (b*M + i)*K + k; B: (b*K + k)*N + j; C and D: (b*M + i)*N + j.
struct ElementPlace {
  int block = 0, row = 0, k = 0;  // row: i of A, j of B
};

// The element that `item` of `lane` means. `wide_small_item`: an 8-bit operand of f8f6f4, which holds chunks of 16 k.
// A and B follow the same rule, with M = N.
ElementPlace input_place(const MatrixShape& shape, bool wide_small_item, int lane, int item);

struct ResultPlace {
  int block = 0, i = 0, j = 0;
};
// The element of C or D in `item` of `lane`; an item is one register, for f64 two.
ResultPlace result_place(const MatrixShape& shape, bool f64, int lane, int item);

inline constexpr int kLanes = 64;
inline constexpr int kMaxElements = 2048;  // of one operand, over all blocks

// Element numbers by [item * 64 + lane], computed once per process.
std::span<const std::uint16_t> a_elements(const MatrixOperation& operation, bool wide_small_item);
std::span<const std::uint16_t> b_elements(const MatrixOperation& operation, bool wide_small_item);
std::span<const std::uint16_t> d_elements(const MatrixOperation& operation);

using LaneMap = std::array<std::uint8_t, kLanes>;  // by home lane, the lane that is read

LaneMap straight_lanes();
// Broadcast of A. Per set (table 89): block b reads block (b with its low cbsz bits replaced by abid). Whole wave
// (7.1.6.1): lane l reads l % S + S * abid, S = 64 >> cbsz. They agree where 2^cbsz is the number of blocks.
LaneMap broadcast_lanes(const MatrixShape& shape, int cbsz, int abid, bool whole_wave);
// Table 29. `rotate_right` is a planted fault.
LaneMap pattern_lanes(int blgp, bool rotate_right = false);

// The lane that holds the scale of row i (column j) for the q-th block of 32 k.
inline int scale_lane(const MatrixShape& shape, int row, int q) { return row + shape.m * q; }
// The lane that holds item k of that row of an 8-bit operand of f8f6f4.
int data_lane_of_wide_item(const MatrixShape& shape, int row, int k);

}  // namespace mfma::gfx950
