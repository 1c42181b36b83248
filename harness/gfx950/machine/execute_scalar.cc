// Scalar arithmetic, logic and compares. CDNA4 ISA manual, sections 12.1 to 12.4.
#include <bit>

#include "harness/gfx950/machine/handlers.h"
#include "harness/gfx950/machine/wavefront.h"

namespace mfma::gfx950 {
namespace {

using U = std::uint64_t;
using U32 = std::uint32_t;
using S32 = std::int32_t;
using S64 = std::int64_t;

// Sources of either width come as 64-bit values, zero extended; results are cut to the destination.
U value(const Wavefront& w, const Instruction& in, const Operand& operand) {
  return operand.registers == 2 ? read_scalar64(w, in, operand) : read_scalar32(w, in, operand);
}

void write(Wavefront& w, const Operand& operand, U result) {
  if (operand.registers == 2)
    write_scalar64(w, operand, result);
  else
    write_scalar32(w, operand, static_cast<U32>(result));
}

constexpr U32 low(U v) { return static_cast<U32>(v); }
constexpr S32 signed32(U v) { return static_cast<S32>(static_cast<U32>(v)); }
constexpr S64 signed64(U v) { return static_cast<S64>(v); }

// SOP2: Op(s0, s1, scc) gives the result and may change SCC.
template <class Op>
constexpr Handler two(Op) {
  return [](Wavefront& w, const Instruction& in) {
    bool scc = w.scc;
    const U result = Op{}(value(w, in, in.operands[1]), value(w, in, in.operands[2]), scc);
    write(w, in.operands[0], result);
    w.scc = scc;
    return Flow::kNext;
  };
}

// Bitwise results set SCC when they are not zero; Op works on 64 bits and Width cuts.
template <int Width, class Op>
constexpr Handler logic(Op) {
  return [](Wavefront& w, const Instruction& in) {
    U result = Op{}(value(w, in, in.operands[1]), value(w, in, in.operands[2]));
    if constexpr (Width == 32) result = low(result);
    write(w, in.operands[0], result);
    w.scc = result != 0;
    return Flow::kNext;
  };
}

// SOP1: Op(s0, old d, scc).
template <class Op>
constexpr Handler one(Op) {
  return [](Wavefront& w, const Instruction& in) {
    bool scc = w.scc;
    const U result = Op{}(value(w, in, in.operands[1]), value(w, in, in.operands[0]), scc);
    write(w, in.operands[0], result);
    w.scc = scc;
    return Flow::kNext;
  };
}

// SOPC and SOPK compares: SCC = Op(s0, s1).
template <class Op>
constexpr Handler compare(Op) {
  return [](Wavefront& w, const Instruction& in) {
    w.scc = Op{}(value(w, in, in.operands[0]), value(w, in, in.operands[1]));
    return Flow::kNext;
  };
}

template <class Op>
constexpr Handler compare_signed_k(Op) {
  return [](Wavefront& w, const Instruction& in) {
    w.scc = Op{}(signed32(value(w, in, in.operands[0])), in.immediate);
    return Flow::kNext;
  };
}

template <class Op>
constexpr Handler compare_unsigned_k(Op) {
  return [](Wavefront& w, const Instruction& in) {
    w.scc = Op{}(low(value(w, in, in.operands[0])), static_cast<U32>(in.immediate) & 0xffffu);
    return Flow::kNext;
  };
}

// SOPK: Op(old d, simm16 sign extended, scc).
template <class Op>
constexpr Handler with_k(Op) {
  return [](Wavefront& w, const Instruction& in) {
    bool scc = w.scc;
    const U result = Op{}(value(w, in, in.operands[0]), in.immediate, scc);
    write(w, in.operands[0], result);
    w.scc = scc;
    return Flow::kNext;
  };
}

// EXEC = Op(s0, exec), D = the old EXEC, SCC = EXEC != 0. The source is read before D is written.
template <class Op>
constexpr Handler save_exec(Op) {
  return [](Wavefront& w, const Instruction& in) {
    const U source = value(w, in, in.operands[1]), old = w.exec();
    write(w, in.operands[0], old);
    const U result = Op{}(source, old);
    w.set_pair(kExec, result);
    w.scc = result != 0;
    return Flow::kNext;
  };
}

// As above, but D = the new EXEC.
template <class Op>
constexpr Handler write_exec(Op) {
  return [](Wavefront& w, const Instruction& in) {
    const U result = Op{}(value(w, in, in.operands[1]), w.exec());
    w.set_pair(kExec, result);
    write(w, in.operands[0], result);
    w.scc = result != 0;
    return Flow::kNext;
  };
}

constexpr U add_signed(U a, U b, bool& scc) {
  const U32 sum = low(a + b);
  scc = (((~(a ^ b)) & (a ^ sum)) >> 31 & 1) != 0;
  return sum;
}

constexpr U subtract_signed(U a, U b, bool& scc) {
  const U32 difference = low(a - b);
  scc = (((a ^ b) & (a ^ difference)) >> 31 & 1) != 0;
  return difference;
}

template <int Shift>
U shift_add(U a, U b, bool& scc) {
  const U sum = (a << Shift) + b;
  scc = sum >> 32 != 0;
  return sum;
}

// Fields of S_BFE: offset in the low bits of s1, width in bits 22:16.
template <unsigned Bits>
U extract_unsigned(U a, U b, bool& scc) {
  const unsigned offset = static_cast<unsigned>(b) & (Bits - 1), width = static_cast<unsigned>(b >> 16) & 0x7f;
  const U field = width >= 64 ? a >> offset : (a >> offset) & ((U{1} << width) - 1);
  scc = field != 0;
  return field;
}

template <unsigned Bits>
U extract_signed(U a, U b, bool& scc) {
  const unsigned offset = static_cast<unsigned>(b) & (Bits - 1), width = static_cast<unsigned>(b >> 16) & 0x7f;
  const S64 shifted = (Bits == 32 ? S64{signed32(a)} : signed64(a)) >> offset;
  U field = 0;
  if (width >= Bits)
    field = static_cast<U>(shifted);
  else if (width > 0)
    field = static_cast<U>(signed64(static_cast<U>(shifted) << (64 - width)) >> (64 - width));
  if (Bits == 32) field = low(field);
  scc = field != 0;
  return field;
}

constexpr U mask_of(U count, U offset, unsigned bits) {
  return ((U{1} << (count & (bits - 1))) - 1) << (offset & (bits - 1));
}

template <unsigned Bits>
U reversed(U a) {
  U result = 0;
  for (unsigned i = 0; i < Bits; ++i) result |= (a >> i & 1) << (Bits - 1 - i);
  return result;
}

constexpr U kMinusOne = 0xffffffff;
constexpr U first_one(U a) { return a == 0 ? kMinusOne : static_cast<U>(std::countr_zero(a)); }
constexpr U leading32(U a) { return low(a) == 0 ? kMinusOne : static_cast<U>(std::countl_zero(low(a))); }
constexpr U leading64(U a) { return a == 0 ? kMinusOne : static_cast<U>(std::countl_zero(a)); }
// Leading bits equal to the sign: those of a XOR its sign.
constexpr U sign_run32(U a) { return leading32(low(a) ^ (signed32(a) < 0 ? 0xffffffffu : 0u)); }
constexpr U sign_run64(U a) { return leading64(a ^ (signed64(a) < 0 ? ~U{0} : U{0})); }

U quad_mask(U a, unsigned quads) {
  U result = 0;
  for (unsigned i = 0; i < quads; ++i) result |= U{(a >> (4 * i) & 15) != 0} << i;
  return result;
}

U whole_quads(U a, unsigned quads) {
  U result = 0;
  for (unsigned i = 0; i < quads; ++i) result |= (a >> (4 * i) & 15) != 0 ? U{15} << (4 * i) : 0;
  return result;
}

U doubled_bits(U a) {
  U result = 0;
  for (unsigned i = 0; i < 32; ++i) result |= (a >> i & 1) * 3 << (2 * i);
  return result;
}

constexpr U magnitude(S32 v) { return v < 0 ? low(U{0} - static_cast<U>(S64{v})) : static_cast<U>(v); }

constexpr auto kAnd = [](U a, U b) { return a & b; };
constexpr auto kOr = [](U a, U b) { return a | b; };
constexpr auto kXor = [](U a, U b) { return a ^ b; };
constexpr auto kAndNot = [](U a, U b) { return a & ~b; };
constexpr auto kOrNot = [](U a, U b) { return a | ~b; };
constexpr auto kNand = [](U a, U b) { return ~(a & b); };
constexpr auto kNor = [](U a, U b) { return ~(a | b); };
constexpr auto kXnor = [](U a, U b) { return ~(a ^ b); };
constexpr auto kNotAnd = [](U a, U b) { return ~a & b; };
constexpr auto kNotOr = [](U a, U b) { return ~a | b; };

constexpr HandlerRow kTwo[] = {
    {"s_add_u32", two([](U a, U b, bool& scc) {
       const U t = a + b;
       scc = t >> 32 != 0;
       return t;
     })},
    {"s_sub_u32", two([](U a, U b, bool& scc) {
       scc = b > a;
       return a - b;
     })},
    {"s_add_i32", two([](U a, U b, bool& scc) { return add_signed(a, b, scc); })},
    {"s_sub_i32", two([](U a, U b, bool& scc) { return subtract_signed(a, b, scc); })},
    {"s_addc_u32", two([](U a, U b, bool& scc) {
       const U t = a + b + U{scc};
       scc = t >> 32 != 0;
       return t;
     })},
    {"s_subb_u32", two([](U a, U b, bool& scc) {
       const U t = a - b - U{scc};
       scc = b + U{scc} > a;
       return t;
     })},
    {"s_min_i32", two([](U a, U b, bool& scc) {
       scc = signed32(a) < signed32(b);
       return scc ? a : b;
     })},
    {"s_min_u32", two([](U a, U b, bool& scc) {
       scc = a < b;
       return scc ? a : b;
     })},
    {"s_max_i32", two([](U a, U b, bool& scc) {
       scc = signed32(a) >= signed32(b);
       return scc ? a : b;
     })},
    {"s_max_u32", two([](U a, U b, bool& scc) {
       scc = a >= b;
       return scc ? a : b;
     })},
    {"s_cselect_b32", two([](U a, U b, bool& scc) { return scc ? a : b; })},
    {"s_cselect_b64", two([](U a, U b, bool& scc) { return scc ? a : b; })},
    {"s_and_b32", logic<32>(kAnd)},
    {"s_and_b64", logic<64>(kAnd)},
    {"s_or_b32", logic<32>(kOr)},
    {"s_or_b64", logic<64>(kOr)},
    {"s_xor_b32", logic<32>(kXor)},
    {"s_xor_b64", logic<64>(kXor)},
    {"s_andn2_b32", logic<32>(kAndNot)},
    {"s_andn2_b64", logic<64>(kAndNot)},
    {"s_orn2_b32", logic<32>(kOrNot)},
    {"s_orn2_b64", logic<64>(kOrNot)},
    {"s_nand_b32", logic<32>(kNand)},
    {"s_nand_b64", logic<64>(kNand)},
    {"s_nor_b32", logic<32>(kNor)},
    {"s_nor_b64", logic<64>(kNor)},
    {"s_xnor_b32", logic<32>(kXnor)},
    {"s_xnor_b64", logic<64>(kXnor)},
    {"s_lshl_b32", logic<32>([](U a, U b) { return a << (b & 31); })},
    {"s_lshl_b64", logic<64>([](U a, U b) { return a << (b & 63); })},
    {"s_lshr_b32", logic<32>([](U a, U b) { return a >> (b & 31); })},
    {"s_lshr_b64", logic<64>([](U a, U b) { return a >> (b & 63); })},
    {"s_ashr_i32", logic<32>([](U a, U b) { return static_cast<U>(S64{signed32(a)} >> (b & 31)); })},
    {"s_ashr_i64", logic<64>([](U a, U b) { return static_cast<U>(signed64(a) >> (b & 63)); })},
    {"s_bfm_b32", two([](U a, U b, bool&) { return mask_of(a, b, 32); })},
    {"s_bfm_b64", two([](U a, U b, bool&) { return mask_of(a, b, 64); })},
    {"s_mul_i32", two([](U a, U b, bool&) { return a * b; })},
    {"s_bfe_u32", two([](U a, U b, bool& scc) { return extract_unsigned<32>(a, b, scc); })},
    {"s_bfe_i32", two([](U a, U b, bool& scc) { return extract_signed<32>(a, b, scc); })},
    {"s_bfe_u64", two([](U a, U b, bool& scc) { return extract_unsigned<64>(a, b, scc); })},
    {"s_bfe_i64", two([](U a, U b, bool& scc) { return extract_signed<64>(a, b, scc); })},
    {"s_absdiff_i32", two([](U a, U b, bool& scc) {
       const U d = magnitude(signed32(a - b));
       scc = d != 0;
       return d;
     })},
    {"s_mul_hi_u32", two([](U a, U b, bool&) { return a * b >> 32; })},
    {"s_mul_hi_i32", two([](U a, U b, bool&) { return static_cast<U>(S64{signed32(a)} * S64{signed32(b)}) >> 32; })},
    {"s_lshl1_add_u32", two([](U a, U b, bool& scc) { return shift_add<1>(a, b, scc); })},
    {"s_lshl2_add_u32", two([](U a, U b, bool& scc) { return shift_add<2>(a, b, scc); })},
    {"s_lshl3_add_u32", two([](U a, U b, bool& scc) { return shift_add<3>(a, b, scc); })},
    {"s_lshl4_add_u32", two([](U a, U b, bool& scc) { return shift_add<4>(a, b, scc); })},
    {"s_pack_ll_b32_b16", two([](U a, U b, bool&) { return (b & 0xffff) << 16 | (a & 0xffff); })},
    {"s_pack_lh_b32_b16", two([](U a, U b, bool&) { return (b & 0xffff0000) | (a & 0xffff); })},
    {"s_pack_hh_b32_b16", two([](U a, U b, bool&) { return (b & 0xffff0000) | a >> 16; })},
};

constexpr HandlerRow kOne[] = {
    {"s_mov_b32", one([](U a, U, bool&) { return a; })},
    {"s_mov_b64", one([](U a, U, bool&) { return a; })},
    {"s_cmov_b32", one([](U a, U d, bool& scc) { return scc ? a : d; })},
    {"s_cmov_b64", one([](U a, U d, bool& scc) { return scc ? a : d; })},
    {"s_not_b32", one([](U a, U, bool& scc) {
       const U d = low(~a);
       scc = d != 0;
       return d;
     })},
    {"s_not_b64", one([](U a, U, bool& scc) {
       scc = ~a != 0;
       return ~a;
     })},
    {"s_wqm_b32", one([](U a, U, bool& scc) {
       const U d = whole_quads(a, 8);
       scc = d != 0;
       return d;
     })},
    {"s_wqm_b64", one([](U a, U, bool& scc) {
       const U d = whole_quads(a, 16);
       scc = d != 0;
       return d;
     })},
    {"s_brev_b32", one([](U a, U, bool&) { return reversed<32>(a); })},
    {"s_brev_b64", one([](U a, U, bool&) { return reversed<64>(a); })},
    {"s_bcnt0_i32_b32", one([](U a, U, bool& scc) {
       const U d = static_cast<U>(std::popcount(low(~a)));
       scc = d != 0;
       return d;
     })},
    {"s_bcnt0_i32_b64", one([](U a, U, bool& scc) {
       const U d = static_cast<U>(std::popcount(~a));
       scc = d != 0;
       return d;
     })},
    {"s_bcnt1_i32_b32", one([](U a, U, bool& scc) {
       const U d = static_cast<U>(std::popcount(low(a)));
       scc = d != 0;
       return d;
     })},
    {"s_bcnt1_i32_b64", one([](U a, U, bool& scc) {
       const U d = static_cast<U>(std::popcount(a));
       scc = d != 0;
       return d;
     })},
    {"s_ff0_i32_b32", one([](U a, U, bool&) { return first_one(low(~a)); })},
    {"s_ff0_i32_b64", one([](U a, U, bool&) { return first_one(~a); })},
    {"s_ff1_i32_b32", one([](U a, U, bool&) { return first_one(a); })},
    {"s_ff1_i32_b64", one([](U a, U, bool&) { return first_one(a); })},
    {"s_flbit_i32_b32", one([](U a, U, bool&) { return leading32(a); })},
    {"s_flbit_i32_b64", one([](U a, U, bool&) { return leading64(a); })},
    {"s_flbit_i32", one([](U a, U, bool&) { return sign_run32(a); })},
    {"s_flbit_i32_i64", one([](U a, U, bool&) { return sign_run64(a); })},
    {"s_sext_i32_i8", one([](U a, U, bool&) { return static_cast<U>(S64{static_cast<std::int8_t>(a)}); })},
    {"s_sext_i32_i16", one([](U a, U, bool&) { return static_cast<U>(S64{static_cast<std::int16_t>(a)}); })},
    {"s_bitset0_b32", one([](U a, U d, bool&) { return d & ~(U{1} << (a & 31)); })},
    {"s_bitset0_b64", one([](U a, U d, bool&) { return d & ~(U{1} << (a & 63)); })},
    {"s_bitset1_b32", one([](U a, U d, bool&) { return d | U{1} << (a & 31); })},
    {"s_bitset1_b64", one([](U a, U d, bool&) { return d | U{1} << (a & 63); })},
    {"s_and_saveexec_b64", save_exec(kAnd)},
    {"s_or_saveexec_b64", save_exec(kOr)},
    {"s_xor_saveexec_b64", save_exec(kXor)},
    {"s_andn2_saveexec_b64", save_exec(kAndNot)},
    {"s_orn2_saveexec_b64", save_exec(kOrNot)},
    {"s_nand_saveexec_b64", save_exec(kNand)},
    {"s_nor_saveexec_b64", save_exec(kNor)},
    {"s_xnor_saveexec_b64", save_exec(kXnor)},
    {"s_andn1_saveexec_b64", save_exec(kNotAnd)},
    {"s_orn1_saveexec_b64", save_exec(kNotOr)},
    {"s_andn1_wrexec_b64", write_exec(kNotAnd)},
    {"s_andn2_wrexec_b64", write_exec(kAndNot)},
    {"s_quadmask_b32", one([](U a, U, bool& scc) {
       const U d = quad_mask(a, 8);
       scc = d != 0;
       return d;
     })},
    {"s_quadmask_b64", one([](U a, U, bool& scc) {
       const U d = quad_mask(a, 16);
       scc = d != 0;
       return d;
     })},
    {"s_abs_i32", one([](U a, U, bool& scc) {
       const U d = magnitude(signed32(a));
       scc = d != 0;
       return d;
     })},
    {"s_bitreplicate_b64_b32", one([](U a, U, bool&) { return doubled_bits(a); })},
};

constexpr HandlerRow kCompare[] = {
    {"s_cmp_eq_i32", compare([](U a, U b) { return a == b; })},
    {"s_cmp_lg_i32", compare([](U a, U b) { return a != b; })},
    {"s_cmp_gt_i32", compare([](U a, U b) { return signed32(a) > signed32(b); })},
    {"s_cmp_ge_i32", compare([](U a, U b) { return signed32(a) >= signed32(b); })},
    {"s_cmp_lt_i32", compare([](U a, U b) { return signed32(a) < signed32(b); })},
    {"s_cmp_le_i32", compare([](U a, U b) { return signed32(a) <= signed32(b); })},
    {"s_cmp_eq_u32", compare([](U a, U b) { return a == b; })},
    {"s_cmp_lg_u32", compare([](U a, U b) { return a != b; })},
    {"s_cmp_gt_u32", compare([](U a, U b) { return a > b; })},
    {"s_cmp_ge_u32", compare([](U a, U b) { return a >= b; })},
    {"s_cmp_lt_u32", compare([](U a, U b) { return a < b; })},
    {"s_cmp_le_u32", compare([](U a, U b) { return a <= b; })},
    {"s_bitcmp0_b32", compare([](U a, U b) { return (a >> (b & 31) & 1) == 0; })},
    {"s_bitcmp1_b32", compare([](U a, U b) { return (a >> (b & 31) & 1) != 0; })},
    {"s_bitcmp0_b64", compare([](U a, U b) { return (a >> (b & 63) & 1) == 0; })},
    {"s_bitcmp1_b64", compare([](U a, U b) { return (a >> (b & 63) & 1) != 0; })},
    {"s_cmp_eq_u64", compare([](U a, U b) { return a == b; })},
    {"s_cmp_lg_u64", compare([](U a, U b) { return a != b; })},
};

constexpr HandlerRow kWithK[] = {
    {"s_movk_i32", with_k([](U, S32 k, bool&) { return static_cast<U>(S64{k}); })},
    {"s_cmovk_i32", with_k([](U d, S32 k, bool& scc) { return scc ? static_cast<U>(S64{k}) : d; })},
    {"s_addk_i32", with_k([](U d, S32 k, bool& scc) { return add_signed(d, low(static_cast<U>(S64{k})), scc); })},
    {"s_mulk_i32", with_k([](U d, S32 k, bool&) { return d * static_cast<U>(S64{k}); })},
    {"s_cmpk_eq_i32", compare_signed_k([](S32 a, S32 b) { return a == b; })},
    {"s_cmpk_lg_i32", compare_signed_k([](S32 a, S32 b) { return a != b; })},
    {"s_cmpk_gt_i32", compare_signed_k([](S32 a, S32 b) { return a > b; })},
    {"s_cmpk_ge_i32", compare_signed_k([](S32 a, S32 b) { return a >= b; })},
    {"s_cmpk_lt_i32", compare_signed_k([](S32 a, S32 b) { return a < b; })},
    {"s_cmpk_le_i32", compare_signed_k([](S32 a, S32 b) { return a <= b; })},
    {"s_cmpk_eq_u32", compare_unsigned_k([](U32 a, U32 b) { return a == b; })},
    {"s_cmpk_lg_u32", compare_unsigned_k([](U32 a, U32 b) { return a != b; })},
    {"s_cmpk_gt_u32", compare_unsigned_k([](U32 a, U32 b) { return a > b; })},
    {"s_cmpk_ge_u32", compare_unsigned_k([](U32 a, U32 b) { return a >= b; })},
    {"s_cmpk_lt_u32", compare_unsigned_k([](U32 a, U32 b) { return a < b; })},
    {"s_cmpk_le_u32", compare_unsigned_k([](U32 a, U32 b) { return a <= b; })},
};

template <std::size_t... N>
constexpr auto join(const HandlerRow (&... tables)[N]) {
  std::array<HandlerRow, (N + ...)> all{};
  std::size_t i = 0;
  const auto add = [&](const auto& table) {
    for (const HandlerRow& row : table) all[i++] = row;
  };
  (add(tables), ...);
  return all;
}

constexpr auto kAll = join(kTwo, kOne, kCompare, kWithK);

}  // namespace

std::span<const HandlerRow> scalar_handlers() { return kAll; }

}  // namespace mfma::gfx950
