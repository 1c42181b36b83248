// How the vector handlers run one operation over the lanes: by the widths of result and sources.
#pragma once

#include <cstdint>

#include "harness/gfx950/machine/wavefront.h"

namespace mfma::gfx950 {

// Each writes only the lanes of EXEC. A lane's sources are read before its result is written, so that a destination
// may be one of the sources.
template <class F>
void write_lanes32(Wavefront& w, const Operand& destination, F&& f) {
  std::uint32_t* out = w.rows(destination)->data();
  for_active(w.exec(), [&](unsigned lane) { out[lane] = f(lane); });
}

template <class F>
void write_lanes64(Wavefront& w, const Operand& destination, F&& f) {
  Row* rows = w.rows(destination);
  for_active(w.exec(), [&](unsigned lane) {
    const std::uint64_t value = f(lane);
    rows[0][lane] = static_cast<std::uint32_t>(value);
    rows[1][lane] = static_cast<std::uint32_t>(value >> 32);
  });
}

// D32 = Op(A32)
template <class Op>
constexpr Handler vector1(Op) {
  return [](Wavefront& w, const Instruction& in) {
    Row buffer;
    const std::uint32_t* a = lanes32(w, in, in.operands[1], buffer);
    write_lanes32(w, in.operands[0], [&](unsigned l) { return static_cast<std::uint32_t>(Op{}(a[l])); });
    return Flow::kNext;
  };
}

// D32 = Op(A32, B32)
template <class Op>
constexpr Handler vector2(Op) {
  return [](Wavefront& w, const Instruction& in) {
    Row buffer_a, buffer_b;
    const std::uint32_t* a = lanes32(w, in, in.operands[1], buffer_a);
    const std::uint32_t* b = lanes32(w, in, in.operands[2], buffer_b);
    write_lanes32(w, in.operands[0], [&](unsigned l) { return static_cast<std::uint32_t>(Op{}(a[l], b[l])); });
    return Flow::kNext;
  };
}

// D32 = Op(A32, B32, C32)
template <class Op>
constexpr Handler vector3(Op) {
  return [](Wavefront& w, const Instruction& in) {
    Row buffer_a, buffer_b, buffer_c;
    const std::uint32_t* a = lanes32(w, in, in.operands[1], buffer_a);
    const std::uint32_t* b = lanes32(w, in, in.operands[2], buffer_b);
    const std::uint32_t* c = lanes32(w, in, in.operands[3], buffer_c);
    write_lanes32(w, in.operands[0], [&](unsigned l) { return static_cast<std::uint32_t>(Op{}(a[l], b[l], c[l])); });
    return Flow::kNext;
  };
}

// D64 = Op(A64)
template <class Op>
constexpr Handler wide1(Op) {
  return [](Wavefront& w, const Instruction& in) {
    Row low, high;
    const Lanes64 a = lanes64(w, in, in.operands[1], low, high);
    write_lanes64(w, in.operands[0], [&](unsigned l) { return static_cast<std::uint64_t>(Op{}(a[l])); });
    return Flow::kNext;
  };
}

// D64 = Op(A32, B64): the shifts
template <class Op>
constexpr Handler wide_shift(Op) {
  return [](Wavefront& w, const Instruction& in) {
    Row buffer, low, high;
    const std::uint32_t* a = lanes32(w, in, in.operands[1], buffer);
    const Lanes64 b = lanes64(w, in, in.operands[2], low, high);
    write_lanes64(w, in.operands[0], [&](unsigned l) { return static_cast<std::uint64_t>(Op{}(a[l], b[l])); });
    return Flow::kNext;
  };
}

}  // namespace mfma::gfx950
