// Vector moves, integer arithmetic and logic. CDNA4 ISA manual, sections 12.7, 12.8, 12.10 (packed moves) and 12.11.
#include <algorithm>
#include <array>
#include <bit>

#include "harness/gfx950/machine/handlers.h"
#include "harness/gfx950/machine/vector_shapes.h"

namespace mfma::gfx950 {
namespace {

using U = std::uint32_t;
using S = std::int32_t;
using U64 = std::uint64_t;
using S64 = std::int64_t;

constexpr S s(U v) { return static_cast<S>(v); }
constexpr U u(S v) { return static_cast<U>(v); }
constexpr U64 low24(U v) { return v & 0xffffff; }
constexpr S64 signed24(U v) { return s(v << 8) >> 8; }

// Additions with carry: D32, carry out mask, A32, B32[, carry in mask]. Op(a, b, carry) gives 33 bits and more; the
// carry out is Carry(a, b, carry). Carries of lanes outside EXEC read as zero.
template <bool HasCarryIn, class Op, class Carry>
constexpr Handler with_carry(Op, Carry) {
  return [](Wavefront& w, const Instruction& in) {
    Row buffer_a, buffer_b;
    const U* a = lanes32(w, in, in.operands[2], buffer_a);
    const U* b = lanes32(w, in, in.operands[3], buffer_b);
    const U64 carries = HasCarryIn ? read_scalar64(w, in, in.operands[4]) : 0;
    U64 out = 0;
    write_lanes32(w, in.operands[0], [&](unsigned l) {
      const U64 carry = carries >> l & 1;
      out |= U64{Carry{}(U64{a[l]}, U64{b[l]}, carry)} << l;
      return static_cast<U>(Op{}(U64{a[l]}, U64{b[l]}, carry));
    });
    write_scalar64(w, in.operands[1], out);
    return Flow::kNext;
  };
}

constexpr auto kAdd = [](U64 a, U64 b, U64 c) { return a + b + c; };
constexpr auto kSubtract = [](U64 a, U64 b, U64 c) { return a - b - c; };
constexpr auto kSubtractReversed = [](U64 a, U64 b, U64 c) { return b - a - c; };
constexpr auto kAddCarries = [](U64 a, U64 b, U64 c) { return (a + b + c) >> 32 != 0; };
constexpr auto kBorrows = [](U64 a, U64 b, U64 c) { return b + c > a; };
constexpr auto kBorrowsReversed = [](U64 a, U64 b, U64 c) { return a + c > b; };

// D64, carry out, A32, B32, C64: a 65-bit sum.
template <bool Signed>
Flow multiply_add_wide(Wavefront& w, const Instruction& in) {
  Row buffer_a, buffer_b, low, high;
  const U* a = lanes32(w, in, in.operands[2], buffer_a);
  const U* b = lanes32(w, in, in.operands[3], buffer_b);
  const Lanes64 c = lanes64(w, in, in.operands[4], low, high);
  U64 out = 0;
  write_lanes64(w, in.operands[0], [&](unsigned l) {
    const U64 product = Signed ? static_cast<U64>(S64{s(a[l])} * S64{s(b[l])}) : U64{a[l]} * U64{b[l]};
    const U64 sum = product + c[l];
    // Bit 64 of the sum; signed operands are sign extended to 65 bits.
    const bool carry = sum < product;
    const bool signs = ((product ^ c[l]) >> 63 & 1) != 0;
    out |= U64{Signed ? signs != carry : carry} << l;
    return sum;
  });
  write_scalar64(w, in.operands[1], out);
  return Flow::kNext;
}

// The shift is 0 to 4; a greater one counts as 0 (manual, notes on V_LSHL_ADD_U64).
Flow shift_add_wide(Wavefront& w, const Instruction& in) {
  Row buffer_b, low_a, high_a, low_c, high_c;
  const Lanes64 a = lanes64(w, in, in.operands[1], low_a, high_a);
  const U* b = lanes32(w, in, in.operands[2], buffer_b);
  const Lanes64 c = lanes64(w, in, in.operands[3], low_c, high_c);
  write_lanes64(w, in.operands[0], [&](unsigned l) {
    const U shift = b[l] & 7;
    return (a[l] << (shift > 4 ? 0 : shift)) + c[l];
  });
  return Flow::kNext;
}

// D = mask bit ? B : A.
Flow select(Wavefront& w, const Instruction& in) {
  Row buffer_a, buffer_b;
  const U* a = lanes32(w, in, in.operands[1], buffer_a);
  const U* b = lanes32(w, in, in.operands[2], buffer_b);
  const U64 mask = read_scalar64(w, in, in.operands[3]);
  write_lanes32(w, in.operands[0], [&](unsigned l) { return (mask >> l & 1) != 0 ? b[l] : a[l]; });
  return Flow::kNext;
}

// D.low = half OPSEL[0] of A, D.high = half OPSEL[1] of B. Both are read before either is written.
Flow packed_move(Wavefront& w, const Instruction& in) {
  Row low_a, high_a, low_b, high_b;
  const bool constants = in.operands[1].kind == OperandKind::kConstant || in.operands[2].kind == OperandKind::kConstant;
  if (constants) {
    return w.stop(Stop::kUnsupportedInstruction, "v_pk_mov_b32 of an inline constant is not modelled");
  }
  const Lanes64 a = lanes64(w, in, in.operands[1], low_a, high_a);
  const Lanes64 b = lanes64(w, in, in.operands[2], low_b, high_b);
  const U* first = (in.bits.select & 1) != 0 ? a.high : a.low;
  const U* second = (in.bits.select & 2) != 0 ? b.high : b.low;
  write_lanes64(w, in.operands[0], [&](unsigned l) { return first[l] | U64{second[l]} << 32; });
  return Flow::kNext;
}

Flow bit_operation(Wavefront& w, const Instruction& in) {
  Row buffer_a, buffer_b, buffer_c;
  const U* a = lanes32(w, in, in.operands[1], buffer_a);
  const U* b = lanes32(w, in, in.operands[2], buffer_b);
  const U* c = lanes32(w, in, in.operands[3], buffer_c);
  const unsigned table = in.bits.output * 64u + in.bits.absolute * 8u + in.bits.negate;
  write_lanes32(w, in.operands[0], [&](unsigned l) {
    U result = 0;
    for (unsigned row = 0; row < 8; ++row) {
      if ((table >> row & 1) == 0) continue;
      result |= ((row & 4) != 0 ? a[l] : ~a[l]) & ((row & 2) != 0 ? b[l] : ~b[l]) & ((row & 1) != 0 ? c[l] : ~c[l]);
    }
    return result;
  });
  return Flow::kNext;
}

Flow swap(Wavefront& w, const Instruction& in) {
  U* a = w.rows(in.operands[0])->data();
  U* b = w.rows(in.operands[1])->data();
  for_active(w.exec(), [&](unsigned l) { std::swap(a[l], b[l]); });
  return Flow::kNext;
}

constexpr U extract_unsigned(U a, U b, U c) { return (a >> (b & 31)) & ((1u << (c & 31)) - 1); }

constexpr U extract_signed(U a, U b, U c) {
  const unsigned width = c & 31;
  if (width == 0) return 0;
  const U shifted = u(s(a) >> (b & 31));
  return u(s(shifted << (32 - width)) >> (32 - width));
}

constexpr U reversed(U a) {
  U result = 0;
  for (unsigned i = 0; i < 32; ++i) result |= (a >> i & 1) << (31 - i);
  return result;
}

constexpr U leading(U a) { return a == 0 ? ~0u : u(std::countl_zero(a)); }

constexpr U permute_bytes(U high, U low, U selectors) {
  const U64 data = U64{high} << 32 | low;
  U result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const U selector = selectors >> (8 * i) & 0xff;
    U byte = 0xff;
    if (selector < 8)
      byte = static_cast<U>(data >> (8 * selector)) & 0xff;
    else if (selector < 12)
      byte = (data >> (16 * (selector - 8) + 15) & 1) != 0 ? 0xff : 0;
    else if (selector == 12)
      byte = 0;
    result |= byte << (8 * i);
  }
  return result;
}

template <class T>
constexpr T median(T a, T b, T c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

constexpr U lanes16(U value) { return value & 0xffff; }
constexpr S signed16(U value) { return static_cast<std::int16_t>(value); }

constexpr HandlerRow kRows[] = {
    {"v_nop", [](Wavefront&, const Instruction&) { return Flow::kNext; }},
    {"v_mov_b32", vector1([](U a) { return a; })},
    {"v_mov_b64", wide1([](U64 a) { return a; })},
    {"v_not_b32", vector1([](U a) { return ~a; })},
    {"v_bfrev_b32", vector1([](U a) { return reversed(a); })},
    {"v_ffbh_u32", vector1([](U a) { return leading(a); })},
    {"v_ffbl_b32", vector1([](U a) { return a == 0 ? ~0u : u(std::countr_zero(a)); })},
    {"v_ffbh_i32", vector1([](U a) { return leading(a ^ u(s(a) >> 31)); })},
    {"v_swap_b32", swap},
    {"v_accvgpr_mov_b32", vector1([](U a) { return a; })},
    {"v_accvgpr_read_b32", vector1([](U a) { return a; })},
    {"v_accvgpr_write_b32", vector1([](U a) { return a; })},
    {"v_cndmask_b32", select},
    {"v_pk_mov_b32", packed_move},
    {"v_bitop3_b32", bit_operation},
    {"v_mul_i32_i24", vector2([](U a, U b) { return signed24(a) * signed24(b); })},
    {"v_mul_hi_i32_i24", vector2([](U a, U b) { return signed24(a) * signed24(b) >> 32; })},
    {"v_mul_u32_u24", vector2([](U a, U b) { return low24(a) * low24(b); })},
    {"v_mul_hi_u32_u24", vector2([](U a, U b) { return low24(a) * low24(b) >> 32; })},
    {"v_min_i32", vector2([](U a, U b) { return std::min(s(a), s(b)); })},
    {"v_max_i32", vector2([](U a, U b) { return std::max(s(a), s(b)); })},
    {"v_min_u32", vector2([](U a, U b) { return std::min(a, b); })},
    {"v_max_u32", vector2([](U a, U b) { return std::max(a, b); })},
    {"v_lshrrev_b32", vector2([](U a, U b) { return b >> (a & 31); })},
    {"v_ashrrev_i32", vector2([](U a, U b) { return s(b) >> (a & 31); })},
    {"v_lshlrev_b32", vector2([](U a, U b) { return b << (a & 31); })},
    {"v_and_b32", vector2([](U a, U b) { return a & b; })},
    {"v_or_b32", vector2([](U a, U b) { return a | b; })},
    {"v_xor_b32", vector2([](U a, U b) { return a ^ b; })},
    {"v_xnor_b32", vector2([](U a, U b) { return ~(a ^ b); })},
    {"v_add_u32", vector2([](U a, U b) { return a + b; })},
    {"v_sub_u32", vector2([](U a, U b) { return a - b; })},
    {"v_subrev_u32", vector2([](U a, U b) { return b - a; })},
    {"v_add_i32", vector2([](U a, U b) { return a + b; })},
    {"v_sub_i32", vector2([](U a, U b) { return a - b; })},
    {"v_add_co_u32", with_carry<false>(kAdd, kAddCarries)},
    {"v_sub_co_u32", with_carry<false>(kSubtract, kBorrows)},
    {"v_subrev_co_u32", with_carry<false>(kSubtractReversed, kBorrowsReversed)},
    {"v_addc_co_u32", with_carry<true>(kAdd, kAddCarries)},
    {"v_subb_co_u32", with_carry<true>(kSubtract, kBorrows)},
    {"v_subbrev_co_u32", with_carry<true>(kSubtractReversed, kBorrowsReversed)},
    // 16-bit results clear the upper half.
    {"v_add_u16", vector2([](U a, U b) { return lanes16(a + b); })},
    {"v_sub_u16", vector2([](U a, U b) { return lanes16(a - b); })},
    {"v_subrev_u16", vector2([](U a, U b) { return lanes16(b - a); })},
    {"v_mul_lo_u16", vector2([](U a, U b) { return lanes16(lanes16(a) * lanes16(b)); })},
    {"v_lshlrev_b16", vector2([](U a, U b) { return lanes16(b << (a & 15)); })},
    {"v_lshrrev_b16", vector2([](U a, U b) { return lanes16(b) >> (a & 15); })},
    {"v_ashrrev_i16", vector2([](U a, U b) { return lanes16(u(signed16(b) >> (a & 15))); })},
    {"v_max_u16", vector2([](U a, U b) { return std::max(lanes16(a), lanes16(b)); })},
    {"v_min_u16", vector2([](U a, U b) { return std::min(lanes16(a), lanes16(b)); })},
    {"v_max_i16", vector2([](U a, U b) { return lanes16(u(std::max(signed16(a), signed16(b)))); })},
    {"v_min_i16", vector2([](U a, U b) { return lanes16(u(std::min(signed16(a), signed16(b)))); })},
    {"v_mul_lo_u32", vector2([](U a, U b) { return a * b; })},
    {"v_mul_hi_u32", vector2([](U a, U b) { return U64{a} * U64{b} >> 32; })},
    {"v_mul_hi_i32", vector2([](U a, U b) { return S64{s(a)} * S64{s(b)} >> 32; })},
    {"v_bfm_b32", vector2([](U a, U b) { return ((1u << (a & 31)) - 1) << (b & 31); })},
    {"v_bcnt_u32_b32", vector2([](U a, U b) { return u(std::popcount(a)) + b; })},
    {"v_cvt_pk_u16_u32", vector2([](U a, U b) { return std::min(a, 0xffffu) | std::min(b, 0xffffu) << 16; })},
    {"v_cvt_pk_i16_i32", vector2([](U a, U b) {
       return lanes16(u(std::clamp(s(a), -32768, 32767))) | u(std::clamp(s(b), -32768, 32767)) << 16;
     })},
    {"v_mad_i32_i24", vector3([](U a, U b, U c) { return signed24(a) * signed24(b) + S64{s(c)}; })},
    {"v_mad_u32_u24", vector3([](U a, U b, U c) { return low24(a) * low24(b) + c; })},
    {"v_mad_u32_u16", vector3([](U a, U b, U c) { return lanes16(a) * lanes16(b) + c; })},
    {"v_mad_i32_i16", vector3([](U a, U b, U c) { return u(signed16(a) * signed16(b)) + c; })},
    {"v_bfe_u32", vector3([](U a, U b, U c) { return extract_unsigned(a, b, c); })},
    {"v_bfe_i32", vector3([](U a, U b, U c) { return extract_signed(a, b, c); })},
    {"v_bfi_b32", vector3([](U a, U b, U c) { return (a & b) | (~a & c); })},
    {"v_alignbit_b32", vector3([](U a, U b, U c) { return (U64{a} << 32 | b) >> (c & 31); })},
    {"v_alignbyte_b32", vector3([](U a, U b, U c) { return (U64{a} << 32 | b) >> ((c & 3) * 8); })},
    {"v_min3_i32", vector3([](U a, U b, U c) {
       return std::min({s(a), s(b), s(c)});
     })},
    {"v_min3_u32", vector3([](U a, U b, U c) {
       return std::min({a, b, c});
     })},
    {"v_max3_i32", vector3([](U a, U b, U c) {
       return std::max({s(a), s(b), s(c)});
     })},
    {"v_max3_u32", vector3([](U a, U b, U c) {
       return std::max({a, b, c});
     })},
    {"v_med3_i32", vector3([](U a, U b, U c) { return median(s(a), s(b), s(c)); })},
    {"v_med3_u32", vector3([](U a, U b, U c) { return median(a, b, c); })},
    {"v_perm_b32", vector3([](U a, U b, U c) { return permute_bytes(a, b, c); })},
    {"v_xad_u32", vector3([](U a, U b, U c) { return (a ^ b) + c; })},
    {"v_lshl_add_u32", vector3([](U a, U b, U c) { return (a << (b & 31)) + c; })},
    {"v_add_lshl_u32", vector3([](U a, U b, U c) { return (a + b) << (c & 31); })},
    {"v_add3_u32", vector3([](U a, U b, U c) { return a + b + c; })},
    {"v_lshl_or_b32", vector3([](U a, U b, U c) { return a << (b & 31) | c; })},
    {"v_and_or_b32", vector3([](U a, U b, U c) { return (a & b) | c; })},
    {"v_or3_b32", vector3([](U a, U b, U c) { return a | b | c; })},
    {"v_mad_u64_u32", multiply_add_wide<false>},
    {"v_mad_i64_i32", multiply_add_wide<true>},
    {"v_lshl_add_u64", shift_add_wide},
    {"v_lshlrev_b64", wide_shift([](U a, U64 b) { return b << (a & 63); })},
    {"v_lshrrev_b64", wide_shift([](U a, U64 b) { return b >> (a & 63); })},
    {"v_ashrrev_i64", wide_shift([](U a, U64 b) { return static_cast<S64>(b) >> (a & 63); })},
};

}  // namespace

std::span<const HandlerRow> vector_handlers() { return kRows; }

}  // namespace mfma::gfx950
