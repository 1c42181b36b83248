// Vector instructions that look across lanes. CDNA4 ISA manual, sections 12.8 and 12.11.
#include <algorithm>
#include <bit>

#include "harness/gfx950/machine/handlers.h"
#include "harness/gfx950/machine/vector_shapes.h"

namespace mfma::gfx950 {
namespace {

Flow read_first_lane(Wavefront& w, const Instruction& in) {
  const std::uint64_t exec = w.exec();
  const unsigned lane = exec == 0 ? 0 : static_cast<unsigned>(std::countr_zero(exec));
  write_scalar32(w, in.operands[0], (*w.rows(in.operands[1]))[lane]);
  return Flow::kNext;
}

Flow read_lane(Wavefront& w, const Instruction& in) {
  const unsigned lane = read_scalar32(w, in, in.operands[2]) & 63;
  write_scalar32(w, in.operands[0], (*w.rows(in.operands[1]))[lane]);
  return Flow::kNext;
}

Flow write_lane(Wavefront& w, const Instruction& in) {
  const unsigned lane = read_scalar32(w, in, in.operands[2]) & 63;
  (*w.rows(in.operands[0]))[lane] = read_scalar32(w, in, in.operands[1]);
  return Flow::kNext;
}

// Bits of A below the lane, counted and added to B; the mask's low half serves lanes 0..31 and so on.
template <unsigned First>
Flow count_below(Wavefront& w, const Instruction& in) {
  Row buffer_a, buffer_b;
  const std::uint32_t* a = lanes32(w, in, in.operands[1], buffer_a);
  const std::uint32_t* b = lanes32(w, in, in.operands[2], buffer_b);
  write_lanes32(w, in.operands[0], [&](unsigned lane) {
    const unsigned below = lane <= First ? 0 : std::min(lane - First, 32u);
    const std::uint64_t mask = (std::uint64_t{1} << below) - 1;
    return b[lane] + static_cast<std::uint32_t>(std::popcount(a[lane] & mask));
  });
  return Flow::kNext;
}

constexpr HandlerRow kRows[] = {
    {"v_readfirstlane_b32", read_first_lane}, {"v_readlane_b32", read_lane},           {"v_writelane_b32", write_lane},
    {"v_mbcnt_lo_u32_b32", count_below<0>},   {"v_mbcnt_hi_u32_b32", count_below<32>},
};

}  // namespace

std::span<const HandlerRow> lane_handlers() { return kRows; }

}  // namespace mfma::gfx950
