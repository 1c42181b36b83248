// Conversions between integers and floats, and of f32 to 16 bits, in the rounding and denormal mode that
// compilers start kernels with. CDNA4 ISA manual, sections 12.7, 12.8 and 12.11; modes: table 4.
//
// The host computes them: IEEE 754 with round to nearest even and subnormals kept, which is that mode. Any other mode
// stops the kernel as unsupported.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "harness/gfx950/machine/handlers.h"
#include "harness/gfx950/machine/vector_shapes.h"

namespace mfma::gfx950 {
namespace {

using U = std::uint32_t;
using U64 = std::uint64_t;

constexpr std::uint32_t kRoundAndDenormal = 0xff;
constexpr std::uint32_t kUsualMode = 0xf0;  // nearest even, subnormals kept, for both widths

bool usual_mode(const Wavefront& w) { return (w.mode & kRoundAndDenormal) == kUsualMode; }

Flow unusual_mode(Wavefront& w) {
  return w.stop(Stop::kUnsupportedInstruction, "floats with another round or denormal MODE than 0xf0 are not modelled");
}

constexpr float f32(U bits) { return std::bit_cast<float>(bits); }
constexpr U bits(float value) { return std::bit_cast<U>(value); }
constexpr double f64(U64 bits) { return std::bit_cast<double>(bits); }
constexpr U64 bits(double value) { return std::bit_cast<U64>(value); }

// Out-of-range values saturate, NaN gives 0 (notes on V_CVT_U32_F32).
template <class Integer, class Float>
U saturate(Float value) {
  if (std::isnan(value)) return 0;
  const Float truncated = std::trunc(value);
  constexpr auto lowest = static_cast<double>(std::numeric_limits<Integer>::min());
  constexpr auto highest = static_cast<double>(std::numeric_limits<Integer>::max());
  if (static_cast<double>(truncated) <= lowest) return static_cast<U>(std::numeric_limits<Integer>::min());
  if (static_cast<double>(truncated) >= highest) return static_cast<U>(std::numeric_limits<Integer>::max());
  return static_cast<U>(static_cast<Integer>(truncated));
}

template <class Op>
constexpr Handler convert(Op) {  // D32 = Op(A32)
  return [](Wavefront& w, const Instruction& in) {
    if (!usual_mode(w)) return unusual_mode(w);
    Row buffer;
    const U* a = lanes32(w, in, in.operands[1], buffer);
    write_lanes32(w, in.operands[0], [&](unsigned l) { return static_cast<U>(Op{}(a[l])); });
    return Flow::kNext;
  };
}

template <class Op>
constexpr Handler widen(Op) {  // D64 = Op(A32)
  return [](Wavefront& w, const Instruction& in) {
    if (!usual_mode(w)) return unusual_mode(w);
    Row buffer;
    const U* a = lanes32(w, in, in.operands[1], buffer);
    write_lanes64(w, in.operands[0], [&](unsigned l) { return Op{}(a[l]); });
    return Flow::kNext;
  };
}

template <class Op>
constexpr Handler narrow(Op) {  // D32 = Op(A64)
  return [](Wavefront& w, const Instruction& in) {
    if (!usual_mode(w)) return unusual_mode(w);
    Row low, high;
    const Lanes64 a = lanes64(w, in, in.operands[1], low, high);
    write_lanes32(w, in.operands[0], [&](unsigned l) { return static_cast<U>(Op{}(a[l])); });
    return Flow::kNext;
  };
}

template <unsigned Byte>
constexpr U from_byte(U a) {
  return bits(static_cast<float>(a >> (8 * Byte) & 0xff));
}

// `magnitude` / 2^by to the nearest integer, ties to even.
constexpr U nearest(U magnitude, unsigned by) {
  const U kept = magnitude >> by, rest = magnitude & ((U{1} << by) - 1), half = U{1} << (by - 1);
  return kept + (rest > half || (rest == half && (kept & 1) != 0) ? 1 : 0);
}

// A NaN becomes quiet and keeps sign and leading payload; the manual does not say.
constexpr U bf16_of(U a) {
  const U sign = a >> 31 << 15, magnitude = a & 0x7fffffff;
  return magnitude > 0x7f800000 ? sign | magnitude >> 16 | 0x40 : sign | nearest(magnitude, 16);
}

constexpr U f16_of(U a) {
  const U sign = a >> 31 << 15, magnitude = a & 0x7fffffff, exponent = magnitude >> 23;
  if (magnitude > 0x7f800000) return sign | 0x7e00 | (magnitude >> 13 & 0x3ff);
  if (exponent >= 127 + 16) return sign | 0x7c00;
  // Rounding up past the largest number gives the code of infinity by itself.
  if (exponent >= 127 - 14) return sign | nearest(magnitude - (U{127 - 15} << 23), 13);
  if (exponent < 127 - 25) return sign;
  return sign | nearest((magnitude & 0x7fffff) | 0x800000, 126 - exponent);  // in units of 2^-24
}

template <class Op>
constexpr Handler convert_pair(Op) {  // low half from A, high half from B
  return [](Wavefront& w, const Instruction& in) {
    if (!usual_mode(w)) return unusual_mode(w);
    Row buffer_a, buffer_b;
    const U* a = lanes32(w, in, in.operands[1], buffer_a);
    const U* b = lanes32(w, in, in.operands[2], buffer_b);
    write_lanes32(w, in.operands[0], [&](unsigned l) { return static_cast<U>(Op{}(a[l]) | Op{}(b[l]) << 16); });
    return Flow::kNext;
  };
}

constexpr HandlerRow kRows[] = {
    {"v_cvt_f16_f32", convert([](U a) { return f16_of(a); })},
    {"v_cvt_pk_f16_f32", convert_pair([](U a) { return f16_of(a); })},
    {"v_cvt_pk_bf16_f32", convert_pair([](U a) { return bf16_of(a); })},
    {"v_pack_b32_f16", convert_pair([](U a) { return a & 0xffff; })},
    {"v_cvt_f32_i32", convert([](U a) { return bits(static_cast<float>(static_cast<std::int32_t>(a))); })},
    {"v_cvt_f32_u32", convert([](U a) { return bits(static_cast<float>(a)); })},
    {"v_cvt_u32_f32", convert([](U a) { return saturate<std::uint32_t>(f32(a)); })},
    {"v_cvt_i32_f32", convert([](U a) { return saturate<std::int32_t>(f32(a)); })},
    {"v_cvt_f32_ubyte0", convert([](U a) { return from_byte<0>(a); })},
    {"v_cvt_f32_ubyte1", convert([](U a) { return from_byte<1>(a); })},
    {"v_cvt_f32_ubyte2", convert([](U a) { return from_byte<2>(a); })},
    {"v_cvt_f32_ubyte3", convert([](U a) { return from_byte<3>(a); })},
    {"v_cvt_f64_i32", widen([](U a) { return bits(static_cast<double>(static_cast<std::int32_t>(a))); })},
    {"v_cvt_f64_u32", widen([](U a) { return bits(static_cast<double>(a)); })},
    {"v_cvt_i32_f64", narrow([](U64 a) { return saturate<std::int32_t>(f64(a)); })},
    {"v_cvt_u32_f64", narrow([](U64 a) { return saturate<std::uint32_t>(f64(a)); })},
};

}  // namespace

std::span<const HandlerRow> float_handlers() { return kRows; }

}  // namespace mfma::gfx950
