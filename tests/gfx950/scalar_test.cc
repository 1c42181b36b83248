// Scalar instructions, one at a time, against what the manual's pseudo code (chapters 12.1 to 12.4) says of them.
#include <gtest/gtest.h>

#include "tests/gfx950/semantics_support.h"

namespace mfma::gfx950::test {
namespace {

using U = std::uint32_t;
using S = std::int32_t;
using U64 = std::uint64_t;
using S64 = std::int64_t;
__extension__ typedef __int128 Wide;

S s(U value) { return static_cast<S>(value); }
S64 s64(U64 value) { return static_cast<S64>(value); }

// D32 of two 32-bit sources, SCC set when it is not zero.
Case bits32(const char* name, U (*op)(U, U)) {
  return scalar_case(std::string(name) + " s24, s16, s17", [op](const Inputs& in, Outputs& out) {
    out.s[0] = op(in.s[0], in.s[1]);
    out.scc = out.s[0] != 0;
  });
}

Case bits64(const char* name, U64 (*op)(U64, U64)) {
  return scalar_case(std::string(name) + " s[24:25], s[16:17], s[18:19]", [op](const Inputs& in, Outputs& out) {
    const U64 result = op(in.s64(0), in.s64(2));
    out.set_s64(result);
    out.scc = result != 0;
  });
}

Case plain32(const char* name, U (*op)(U, U)) {
  return scalar_case(std::string(name) + " s24, s16, s17",
                     [op](const Inputs& in, Outputs& out) { out.s[0] = op(in.s[0], in.s[1]); });
}

TEST(Scalar, Arithmetic) {
  const auto sum = [](const char* name, Wide (*exact)(const Inputs&), bool (*scc)(const Inputs&, Wide)) {
    return scalar_case(std::string(name) + " s24, s16, s17", [exact, scc](const Inputs& in, Outputs& out) {
      const Wide value = exact(in);
      out.s[0] = static_cast<U>(value);
      out.scc = scc(in, value);
    });
  };
  const auto carries = [](const Inputs&, Wide v) { return v < 0 || v > 0xffffffffLL; };
  const auto overflows = [](const Inputs&, Wide v) { return v < -0x80000000LL || v > 0x7fffffffLL; };
  check_cases({
      sum(
          "s_add_u32", [](const Inputs& in) { return Wide{in.s[0]} + in.s[1]; }, carries),
      sum(
          "s_sub_u32", [](const Inputs& in) { return Wide{in.s[0]} - in.s[1]; }, carries),
      sum(
          "s_addc_u32", [](const Inputs& in) { return Wide{in.s[0]} + in.s[1] + (in.s[7] & 1); }, carries),
      sum(
          "s_subb_u32", [](const Inputs& in) { return Wide{in.s[0]} - in.s[1] - (in.s[7] & 1); }, carries),
      sum(
          "s_add_i32", [](const Inputs& in) { return Wide{s(in.s[0])} + s(in.s[1]); }, overflows),
      sum(
          "s_sub_i32", [](const Inputs& in) { return Wide{s(in.s[0])} - s(in.s[1]); }, overflows),
      sum(
          "s_lshl1_add_u32", [](const Inputs& in) { return Wide{in.s[0]} * 2 + in.s[1]; }, carries),
      sum(
          "s_lshl2_add_u32", [](const Inputs& in) { return Wide{in.s[0]} * 4 + in.s[1]; }, carries),
      sum(
          "s_lshl3_add_u32", [](const Inputs& in) { return Wide{in.s[0]} * 8 + in.s[1]; }, carries),
      sum(
          "s_lshl4_add_u32", [](const Inputs& in) { return Wide{in.s[0]} * 16 + in.s[1]; }, carries),
      plain32("s_mul_i32", [](U a, U b) { return static_cast<U>(Wide{s(a)} * s(b)); }),
      plain32("s_mul_hi_u32", [](U a, U b) { return static_cast<U>(Wide{a} * b / 0x100000000LL); }),
      plain32("s_mul_hi_i32", [](U a, U b) { return static_cast<U>((Wide{s(a)} * s(b)) >> 32); }),
      scalar_case("s_min_i32 s24, s16, s17",
                  [](const Inputs& in, Outputs& out) {
                    out.scc = s(in.s[0]) < s(in.s[1]);
                    out.s[0] = out.scc ? in.s[0] : in.s[1];
                  }),
      scalar_case("s_max_u32 s24, s16, s17",
                  [](const Inputs& in, Outputs& out) {
                    out.scc = in.s[0] >= in.s[1];
                    out.s[0] = out.scc ? in.s[0] : in.s[1];
                  }),
      scalar_case("s_min_u32 s24, s16, s17",
                  [](const Inputs& in, Outputs& out) {
                    out.scc = in.s[0] < in.s[1];
                    out.s[0] = out.scc ? in.s[0] : in.s[1];
                  }),
      scalar_case("s_max_i32 s24, s16, s17",
                  [](const Inputs& in, Outputs& out) {
                    out.scc = s(in.s[0]) >= s(in.s[1]);
                    out.s[0] = out.scc ? in.s[0] : in.s[1];
                  }),
      bits32("s_absdiff_i32",
             [](U a, U b) {
               const S difference = s(a - b);  // wraps first, as the manual's examples show
               return difference < 0 ? 0u - static_cast<U>(difference) : static_cast<U>(difference);
             }),
      scalar_case("s_abs_i32 s24, s16",
                  [](const Inputs& in, Outputs& out) {
                    out.s[0] = static_cast<U>(Wide{s(in.s[0])} < 0 ? -Wide{s(in.s[0])} : Wide{s(in.s[0])});
                    out.scc = out.s[0] != 0;
                  }),
  });
}

TEST(Scalar, Logic) {
  check_cases({
      bits32("s_and_b32", [](U a, U b) { return a & b; }),
      bits32("s_or_b32", [](U a, U b) { return a | b; }),
      bits32("s_xor_b32", [](U a, U b) { return a ^ b; }),
      bits32("s_andn2_b32", [](U a, U b) { return a & ~b; }),
      bits32("s_orn2_b32", [](U a, U b) { return a | ~b; }),
      bits32("s_nand_b32", [](U a, U b) { return ~(a & b); }),
      bits32("s_nor_b32", [](U a, U b) { return ~(a | b); }),
      bits32("s_xnor_b32", [](U a, U b) { return ~(a ^ b); }),
      bits64("s_and_b64", [](U64 a, U64 b) { return a & b; }),
      bits64("s_or_b64", [](U64 a, U64 b) { return a | b; }),
      bits64("s_xor_b64", [](U64 a, U64 b) { return a ^ b; }),
      bits64("s_andn2_b64", [](U64 a, U64 b) { return a & ~b; }),
      bits64("s_orn2_b64", [](U64 a, U64 b) { return a | ~b; }),
      bits64("s_nand_b64", [](U64 a, U64 b) { return ~(a & b); }),
      bits64("s_nor_b64", [](U64 a, U64 b) { return ~(a | b); }),
      bits64("s_xnor_b64", [](U64 a, U64 b) { return ~(a ^ b); }),
      bits32("s_lshl_b32", [](U a, U b) { return a << (b % 32); }),
      bits32("s_lshr_b32", [](U a, U b) { return a >> (b % 32); }),
      bits32("s_ashr_i32", [](U a, U b) { return static_cast<U>(s(a) >> (b % 32)); }),
      scalar_case("s_lshl_b64 s[24:25], s[16:17], s18",
                  [](const Inputs& in, Outputs& out) {
                    out.set_s64(in.s64(0) << (in.s[2] % 64));
                    out.scc = (out.s[0] | out.s[1]) != 0;
                  }),
      scalar_case("s_lshr_b64 s[24:25], s[16:17], s18",
                  [](const Inputs& in, Outputs& out) {
                    out.set_s64(in.s64(0) >> (in.s[2] % 64));
                    out.scc = (out.s[0] | out.s[1]) != 0;
                  }),
      scalar_case("s_ashr_i64 s[24:25], s[16:17], s18",
                  [](const Inputs& in, Outputs& out) {
                    out.set_s64(static_cast<U64>(s64(in.s64(0)) >> (in.s[2] % 64)));
                    out.scc = (out.s[0] | out.s[1]) != 0;
                  }),
      plain32("s_bfm_b32", [](U a, U b) { return static_cast<U>((U64{1} << (a % 32)) - 1) << (b % 32); }),
      bits32("s_bfe_u32",
             [](U a, U b) {
               const U width = b >> 16 & 0x7f;
               U field = a >> (b % 32);
               for (U i = width; i < 32; ++i) field &= ~(1u << i);
               return field;
             }),
      bits32("s_bfe_i32",
             [](U a, U b) {
               const U width = b >> 16 & 0x7f;
               const U shifted = static_cast<U>(s(a) >> (b % 32));
               if (width == 0) return 0u;
               U field = 0;
               for (U i = 0; i < 32; ++i) field |= (shifted >> (i < width ? i : width - 1) & 1) << i;
               return field;
             }),
      plain32("s_pack_ll_b32_b16", [](U a, U b) { return a % 0x10000 + (b % 0x10000) * 0x10000; }),
      plain32("s_pack_lh_b32_b16", [](U a, U b) { return a % 0x10000 + (b / 0x10000) * 0x10000; }),
      plain32("s_pack_hh_b32_b16", [](U a, U b) { return a / 0x10000 + (b / 0x10000) * 0x10000; }),
  });
}

TEST(Scalar, OneSource) {
  const auto one = [](const char* name, U (*op)(U)) {
    return scalar_case(std::string(name) + " s24, s16",
                       [op](const Inputs& in, Outputs& out) { out.s[0] = op(in.s[0]); });
  };
  const auto count = [](U64 value, unsigned bits, bool what) {
    U n = 0;
    for (unsigned i = 0; i < bits; ++i) n += (value >> i & 1) == U64{what} ? 1u : 0u;
    return n;
  };
  check_cases({
      one("s_mov_b32", [](U a) { return a; }),
      scalar_case("s_mov_b64 s[24:25], s[16:17]", [](const Inputs& in, Outputs& out) { out.set_s64(in.s64(0)); }),
      scalar_case("s_cmov_b32 s24, s16", [](const Inputs& in, Outputs& out) { out.s[0] = out.scc ? in.s[0] : 0; }),
      scalar_case("s_cselect_b32 s24, s16, s17",
                  [](const Inputs& in, Outputs& out) { out.s[0] = out.scc ? in.s[0] : in.s[1]; }),
      scalar_case("s_cselect_b64 s[24:25], s[16:17], s[18:19]",
                  [](const Inputs& in, Outputs& out) { out.set_s64(out.scc ? in.s64(0) : in.s64(2)); }),
      scalar_case("s_not_b32 s24, s16",
                  [](const Inputs& in, Outputs& out) {
                    out.s[0] = 0xffffffff - in.s[0];
                    out.scc = out.s[0] != 0;
                  }),
      scalar_case("s_bcnt1_i32_b32 s24, s16",
                  [=](const Inputs& in, Outputs& out) {
                    out.s[0] = count(in.s[0], 32, true);
                    out.scc = out.s[0] != 0;
                  }),
      scalar_case("s_bcnt0_i32_b64 s24, s[16:17]",
                  [=](const Inputs& in, Outputs& out) {
                    out.s[0] = count(in.s64(0), 64, false);
                    out.scc = out.s[0] != 0;
                  }),
      one("s_brev_b32",
          [](U a) {
            U result = 0;
            for (int i = 0; i < 32; ++i, a >>= 1) result = result * 2 + (a & 1);
            return result;
          }),
      one("s_ff1_i32_b32",
          [](U a) {
            for (U i = 0; i < 32; ++i) {
              if ((a >> i & 1) == 1) return i;
            }
            return 0xffffffffu;
          }),
      one("s_ff0_i32_b32",
          [](U a) {
            for (U i = 0; i < 32; ++i) {
              if ((a >> i & 1) == 0) return i;
            }
            return 0xffffffffu;
          }),
      one("s_flbit_i32_b32",
          [](U a) {
            for (U i = 0; i < 32; ++i) {
              if ((a >> (31 - i) & 1) == 1) return i;
            }
            return 0xffffffffu;
          }),
      one("s_flbit_i32",
          [](U a) {
            for (U i = 1; i < 32; ++i) {
              if ((a >> (31 - i) & 1) != a >> 31) return i;
            }
            return 0xffffffffu;
          }),
      one("s_sext_i32_i8", [](U a) { return (a & 0xff) >= 0x80 ? (a & 0xff) | 0xffffff00 : a & 0xff; }),
      one("s_sext_i32_i16", [](U a) { return (a & 0xffff) >= 0x8000 ? (a & 0xffff) | 0xffff0000 : a & 0xffff; }),
      scalar_case("s_mov_b32 s24, s17\ns_bitset1_b32 s24, s16",
                  [](const Inputs& in, Outputs& out) { out.s[0] = in.s[1] | 1u << (in.s[0] % 32); }),
      scalar_case("s_mov_b64 s[24:25], s[18:19]\ns_bitset0_b64 s[24:25], s16",
                  [](const Inputs& in, Outputs& out) { out.set_s64(in.s64(2) & ~(U64{1} << (in.s[0] % 64))); }),
      scalar_case("s_bitreplicate_b64_b32 s[24:25], s16",
                  [](const Inputs& in, Outputs& out) {
                    U64 result = 0;
                    for (unsigned i = 0; i < 64; ++i) result |= U64{in.s[0] >> (i / 2) & 1} << i;
                    out.set_s64(result);
                  }),
      scalar_case("s_quadmask_b32 s24, s16",
                  [](const Inputs& in, Outputs& out) {
                    for (unsigned i = 0; i < 32; ++i) out.s[0] |= (in.s[0] >> i & 1) << (i / 4);
                    out.scc = out.s[0] != 0;
                  }),
  });
}

TEST(Scalar, Compares) {
  const auto compare = [](const char* name, bool (*op)(U, U)) {
    return scalar_case(std::string(name) + " s16, s17",
                       [op](const Inputs& in, Outputs& out) { out.scc = op(in.s[0], in.s[1]); });
  };
  check_cases({
      compare("s_cmp_eq_i32", [](U a, U b) { return a == b; }),
      compare("s_cmp_lg_i32", [](U a, U b) { return a != b; }),
      compare("s_cmp_gt_i32", [](U a, U b) { return s(a) > s(b); }),
      compare("s_cmp_ge_i32", [](U a, U b) { return s(a) >= s(b); }),
      compare("s_cmp_lt_i32", [](U a, U b) { return s(a) < s(b); }),
      compare("s_cmp_le_i32", [](U a, U b) { return s(a) <= s(b); }),
      compare("s_cmp_gt_u32", [](U a, U b) { return a > b; }),
      compare("s_cmp_ge_u32", [](U a, U b) { return a >= b; }),
      compare("s_cmp_lt_u32", [](U a, U b) { return a < b; }),
      compare("s_cmp_le_u32", [](U a, U b) { return a <= b; }),
      compare("s_bitcmp0_b32", [](U a, U b) { return (a >> (b % 32) & 1) == 0; }),
      compare("s_bitcmp1_b32", [](U a, U b) { return (a >> (b % 32) & 1) == 1; }),
      scalar_case("s_cmp_eq_u64 s[16:17], s[18:19]",
                  [](const Inputs& in, Outputs& out) { out.scc = in.s64(0) == in.s64(2); }),
      scalar_case("s_cmp_lg_u64 s[16:17], s[16:17]", [](const Inputs&, Outputs& out) { out.scc = false; }),
  });
}

TEST(Scalar, ImmediateForms) {
  check_cases({
      scalar_case("s_movk_i32 s24, 0x8001", [](const Inputs&, Outputs& out) { out.s[0] = 0xffff8001; }),
      scalar_case("s_mov_b32 s24, s16\ns_addk_i32 s24, 0xffff",
                  [](const Inputs& in, Outputs& out) {
                    out.s[0] = in.s[0] - 1;
                    out.scc = in.s[0] == 0x80000000;
                  }),
      scalar_case("s_mov_b32 s24, s16\ns_mulk_i32 s24, 0xfff9",
                  [](const Inputs& in, Outputs& out) { out.s[0] = in.s[0] * static_cast<U>(-7); }),
      scalar_case("s_cmovk_i32 s24, 0x7", [](const Inputs&, Outputs& out) { out.s[0] = out.scc ? 7 : 0; }),
      scalar_case("s_cmpk_eq_i32 s16, 0xffff", [](const Inputs& in, Outputs& out) { out.scc = in.s[0] == 0xffffffff; }),
      scalar_case("s_cmpk_lt_i32 s16, 0x8000", [](const Inputs& in, Outputs& out) { out.scc = s(in.s[0]) < -32768; }),
      scalar_case("s_cmpk_gt_u32 s16, 0x8000", [](const Inputs& in, Outputs& out) { out.scc = in.s[0] > 0x8000; }),
      scalar_case("s_cmpk_le_u32 s16, 0xffff", [](const Inputs& in, Outputs& out) { out.scc = in.s[0] <= 0xffff; }),
  });
}

// Inline and literal constants, 32 and 64 bits wide (manual table 23 and 6.2.1.1).
TEST(Scalar, Constants) {
  const auto constant = [](const char* text, U value) {
    return scalar_case(std::string("s_mov_b32 s24, ") + text,
                       [value](const Inputs&, Outputs& out) { out.s[0] = value; });
  };
  const auto wide = [](const char* text, U64 value) {
    return scalar_case(std::string("s_mov_b64 s[24:25], ") + text,
                       [value](const Inputs&, Outputs& out) { out.set_s64(value); });
  };
  check_cases({
      constant("0", 0),
      constant("64", 64),
      constant("-16", 0xfffffff0),
      constant("0.5", 0x3f000000),
      constant("-0.5", 0xbf000000),
      constant("1.0", 0x3f800000),
      constant("-1.0", 0xbf800000),
      constant("2.0", 0x40000000),
      constant("-2.0", 0xc0000000),
      constant("4.0", 0x40800000),
      constant("-4.0", 0xc0800000),
      constant("0.15915494", 0x3e22f983),
      constant("0x12345678", 0x12345678),
      constant("0xffffff00", 0xffffff00),
      wide("0", 0),
      wide("64", 64),
      wide("-1", ~U64{0}),
      wide("-16", ~U64{15}),
      wide("1.0", 0x3ff0000000000000),
      wide("-4.0", 0xc010000000000000),
      wide("0.15915494309189532", 0x3fc45f306dc9c882),
      wide("0x12345678", 0x12345678),
      scalar_case("s_ashr_i64 s[24:25], 0xffffff00, 4",
                  [](const Inputs&, Outputs& out) {
                    out.set_s64(~U64{15});
                    out.scc = true;
                  }),
      scalar_case("s_mov_b32 s24, src_scc", [](const Inputs&, Outputs& out) { out.s[0] = out.scc ? 1 : 0; }),
      scalar_case("s_mov_b64 vcc, 0\ns_mov_b32 s24, src_vccz\ns_mov_b64 vcc, 2\ns_mov_b32 s25, src_vccz",
                  [](const Inputs&, Outputs& out) { out.s[0] = 1; }),
      scalar_case("s_mov_b64 exec, 0\ns_mov_b32 s24, src_execz", [](const Inputs&, Outputs& out) { out.s[0] = 1; }),
      scalar_case("s_mov_b32 m0, s16\ns_mov_b32 s24, m0", [](const Inputs& in, Outputs& out) { out.s[0] = in.s[0]; }),
  });
}

TEST(Scalar, SaveExecFamily) {
  const auto save = [](const char* name, U64 (*op)(U64, U64)) {
    // EXEC = s[18:19] first; afterwards s[24:25] = the old one, and the new one is moved to v12, v13.
    return scalar_case(
        std::string("s_mov_b64 exec, s[18:19]\n") + name +
            " s[24:25], s[16:17]\ns_mov_b64 s[10:11], exec\ns_mov_b64 exec, 1\nv_mov_b32 v12, s10\nv_mov_b32 v13, s11",
        [op](const Inputs& in, Outputs& out) {
          out.set_s64(in.s64(2));
          const U64 exec = op(in.s64(0), in.s64(2));
          out.set_v64(exec);
          out.scc = exec != 0;
        });
  };
  const auto write = [](const char* name, U64 (*op)(U64, U64)) {
    return scalar_case(std::string("s_mov_b64 exec, s[18:19]\n") + name + " s[24:25], s[16:17]",
                       [op](const Inputs& in, Outputs& out) {
                         const U64 exec = op(in.s64(0), in.s64(2));
                         out.set_s64(exec);
                         out.scc = exec != 0;
                       });
  };
  check_cases({
      save("s_and_saveexec_b64", [](U64 a, U64 e) { return a & e; }),
      save("s_or_saveexec_b64", [](U64 a, U64 e) { return a | e; }),
      save("s_xor_saveexec_b64", [](U64 a, U64 e) { return a ^ e; }),
      save("s_andn2_saveexec_b64", [](U64 a, U64 e) { return a & ~e; }),
      save("s_orn2_saveexec_b64", [](U64 a, U64 e) { return a | ~e; }),
      save("s_nand_saveexec_b64", [](U64 a, U64 e) { return ~(a & e); }),
      save("s_nor_saveexec_b64", [](U64 a, U64 e) { return ~(a | e); }),
      save("s_xnor_saveexec_b64", [](U64 a, U64 e) { return ~(a ^ e); }),
      save("s_andn1_saveexec_b64", [](U64 a, U64 e) { return ~a & e; }),
      save("s_orn1_saveexec_b64", [](U64 a, U64 e) { return ~a | e; }),
      write("s_andn1_wrexec_b64", [](U64 a, U64 e) { return ~a & e; }),
      write("s_andn2_wrexec_b64", [](U64 a, U64 e) { return a & ~e; }),
  });
}

// Both ways of every branch, a loop, and calls through registers.
TEST(Scalar, ControlFlow) {
  const auto taken = [](const char* setup, const char* branch, bool (*when)(const Inputs&)) {
    static int label = 0;
    const std::string here = "Ltaken" + std::to_string(label++);
    return scalar_case(
        std::string(setup) + "\n" + branch + " " + here + "\ns_mov_b32 s24, 1\n" + here + ":\ns_mov_b32 s25, 2",
        [when](const Inputs& in, Outputs& out) {
          out.s = {when(in) ? 0u : 1u, 2, 0};
        });
  };
  const auto yes = [](const Inputs&) { return true; };
  const auto scc = [](const Inputs& in) { return (in.s[7] & 1) != 0; };
  const auto not_scc = [](const Inputs& in) { return (in.s[7] & 1) == 0; };
  const auto nonzero = [](const Inputs& in) { return in.s64(0) != 0; };
  const auto zero = [](const Inputs& in) { return in.s64(0) == 0; };
  check_cases({
      taken("", "s_branch", yes),
      taken("", "s_cbranch_scc0", not_scc),
      taken("", "s_cbranch_scc1", scc),
      taken("s_mov_b64 vcc, s[16:17]", "s_cbranch_vccz", zero),
      taken("s_mov_b64 vcc, s[16:17]", "s_cbranch_vccnz", nonzero),
      taken("s_mov_b64 exec, s[16:17]", "s_cbranch_execz", zero),
      taken("s_mov_b64 exec, s[16:17]", "s_cbranch_execnz", nonzero),
      scalar_case("s_mov_b32 s24, 0\ns_mov_b32 s26, 5\nLloop:\ns_add_u32 s24, s24, s16\ns_sub_u32 s26, s26, 1\n"
                  "s_cmp_lg_u32 s26, 0\ns_cbranch_scc1 Lloop",
                  [](const Inputs& in, Outputs& out) {
                    out.s[0] = in.s[0] * 5;
                    out.scc = false;
                  }),
      scalar_case("s_getpc_b64 s[10:11]\nLhere:\ns_add_u32 s10, s10, Lfar-Lhere\ns_addc_u32 s11, s11, 0\n"
                  "s_setpc_b64 s[10:11]\ns_mov_b32 s24, 1\nLfar:\ns_mov_b32 s25, 7\ns_bitcmp1_b32 s23, 0",
                  [](const Inputs&, Outputs& out) {
                    out.s = {0, 7, 0};
                  }),
      scalar_case("s_call_b64 s[10:11], Lsub\ns_branch Lend\nLsub:\ns_mov_b32 s24, s16\ns_setpc_b64 s[10:11]\nLend:",
                  [](const Inputs& in, Outputs& out) { out.s[0] = in.s[0]; }),
      scalar_case(
          "s_getpc_b64 s[12:13]\ns_add_u32 s12, s12, 20\ns_addc_u32 s13, s13, 0\ns_swappc_b64 s[10:11], s[12:13]\n"
          "s_mov_b32 s25, 3\ns_branch Lback\ns_mov_b32 s24, s17\ns_setpc_b64 s[10:11]\nLback:\ns_bitcmp1_b32 s23, 0",
          [](const Inputs& in, Outputs& out) {
            out.s = {in.s[1], 3, 0};
          }),
  });
}

TEST(Scalar, HardwareRegisters) {
  check_cases({
      // FP_DENORM of MODE is 3/3 at the start, DX10_CLAMP and IEEE are set: 0x3f0.
      scalar_case("s_getreg_b32 s24, hwreg(HW_REG_MODE)", [](const Inputs&, Outputs& out) { out.s[0] = 0x3f0; }),
      scalar_case("s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s16\ns_getreg_b32 s24, hwreg(HW_REG_MODE, 0, 8)",
                  [](const Inputs& in, Outputs& out) { out.s[0] = 0xf0 | (in.s[0] & 15); }),
      scalar_case("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 0x2\ns_getreg_b32 s24, hwreg(HW_REG_MODE, 0, 4)",
                  [](const Inputs&, Outputs& out) { out.s[0] = 8; }),
  });
}

TEST(Scalar, Memory) {
  // s[8:9] points at the eight dwords that are in s16..s23.
  check_cases({
      scalar_case("s_load_dword s24, s[8:9], 0x4\ns_waitcnt lgkmcnt(0)",
                  [](const Inputs& in, Outputs& out) { out.s[0] = in.s[1]; }),
      scalar_case("s_load_dwordx2 s[24:25], s[8:9], 0x8\ns_waitcnt lgkmcnt(0)",
                  [](const Inputs& in, Outputs& out) { out.set_s64(in.s64(2)); }),
      scalar_case("s_mov_b32 s10, 12\ns_load_dword s24, s[8:9], s10\ns_waitcnt lgkmcnt(0)",
                  [](const Inputs& in, Outputs& out) { out.s[0] = in.s[3]; }),
      scalar_case("s_mov_b32 s10, 12\ns_load_dword s24, s[8:9], s10 offset:0x8\ns_waitcnt lgkmcnt(0)",
                  [](const Inputs& in, Outputs& out) { out.s[0] = in.s[5]; }),
      scalar_case(
          "s_add_u32 s10, s8, 16\ns_addc_u32 s11, s9, 0\ns_load_dword s24, s[10:11], -0x4\ns_waitcnt lgkmcnt(0)\n"
          "s_bitcmp1_b32 s23, 0",
          [](const Inputs& in, Outputs& out) { out.s[0] = in.s[3]; }),
      scalar_case("s_load_dwordx4 s[28:31], s[8:9], 0x10\ns_waitcnt lgkmcnt(0)\ns_mov_b32 s24, s28\ns_mov_b32 s25, s31",
                  [](const Inputs& in, Outputs& out) {
                    out.s = {in.s[4], in.s[7], 0};
                  }),
  });
}

}  // namespace
}  // namespace mfma::gfx950::test
