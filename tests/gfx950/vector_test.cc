// Vector instructions, one at a time, against what the manual's pseudo code (chapters 12.7 to 12.11) says of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

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

Case one(const char* name, U (*op)(U)) {
  return vector_case(std::string(name) + " v12, v4", [op](const Inputs& in, Outputs& out) { out.v[0] = op(in.v[0]); });
}
Case two(const char* name, U (*op)(U, U)) {
  return vector_case(std::string(name) + " v12, v4, v5",
                     [op](const Inputs& in, Outputs& out) { out.v[0] = op(in.v[0], in.v[1]); });
}
Case three(const char* name, U (*op)(U, U, U)) {
  return vector_case(std::string(name) + " v12, v4, v5, v6",
                     [op](const Inputs& in, Outputs& out) { out.v[0] = op(in.v[0], in.v[1], in.v[2]); });
}

TEST(Vector, MovesAndOneSource) {
  check_cases({
      one("v_mov_b32_e32", [](U a) { return a; }),
      one("v_mov_b32_e64", [](U a) { return a; }),
      one("v_not_b32_e32", [](U a) { return 0xffffffff - a; }),
      one("v_bfrev_b32_e32",
          [](U a) {
            U result = 0;
            for (int i = 0; i < 32; ++i, a >>= 1) result = result * 2 + (a & 1);
            return result;
          }),
      one("v_ffbh_u32_e32",
          [](U a) {
            for (U i = 0; i < 32; ++i) {
              if ((a << i) >= 0x80000000) return i;
            }
            return 0xffffffffu;
          }),
      one("v_ffbl_b32_e32",
          [](U a) {
            for (U i = 0; i < 32; ++i) {
              if ((a >> i) % 2 == 1) return i;
            }
            return 0xffffffffu;
          }),
      one("v_ffbh_i32_e32",
          [](U a) {
            for (U i = 1; i < 32; ++i) {
              if ((a << i) >> 31 != a >> 31) return i;
            }
            return 0xffffffffu;
          }),
      vector_case("v_mov_b64_e32 v[12:13], v[6:7]", [](const Inputs& in, Outputs& out) { out.set_v64(in.v64(2)); }),
      vector_case("v_mov_b64_e32 v[12:13], s[18:19]", [](const Inputs& in, Outputs& out) { out.set_v64(in.s64(2)); }),
      vector_case("v_mov_b64_e32 v[12:13], 1.0", [](const Inputs&, Outputs& out) { out.set_v64(0x3ff0000000000000); }),
      vector_case("v_mov_b32_e32 v12, s17", [](const Inputs& in, Outputs& out) { out.v[0] = in.s[1]; }),
      vector_case("v_mov_b32_e32 v12, 0xdeadbeef", [](const Inputs&, Outputs& out) { out.v[0] = 0xdeadbeef; }),
      vector_case("v_mov_b32_e32 v12, -4.0", [](const Inputs&, Outputs& out) { out.v[0] = 0xc0800000; }),
      vector_case("v_mov_b32_e32 v12, v4\nv_mov_b32_e32 v13, v5\nv_swap_b32 v12, v13",
                  [](const Inputs& in, Outputs& out) {
                    out.v = {in.v[1], in.v[0], 0, 0};
                  }),
      vector_case("v_accvgpr_write_b32 a7, v4\nv_accvgpr_mov_b32 a9, a7\nv_accvgpr_read_b32 v12, a9",
                  [](const Inputs& in, Outputs& out) { out.v[0] = in.v[0]; }),
      vector_case("v_accvgpr_write_b32 a7, 1.0\nv_accvgpr_read_b32 v12, a7",
                  [](const Inputs&, Outputs& out) { out.v[0] = 0x3f800000; }),
      vector_case("v_pk_mov_b32 v[12:13], v[4:5], v[6:7]",
                  [](const Inputs& in, Outputs& out) {
                    out.v = {in.v[0], in.v[2], 0, 0};
                  }),
      vector_case("v_pk_mov_b32 v[12:13], v[4:5], v[6:7] op_sel:[1,1]",
                  [](const Inputs& in, Outputs& out) {
                    out.v = {in.v[1], in.v[3], 0, 0};
                  }),
      vector_case("v_pk_mov_b32 v[12:13], v[4:5], v[6:7] op_sel:[0,1]",
                  [](const Inputs& in, Outputs& out) {
                    out.v = {in.v[0], in.v[3], 0, 0};
                  }),
      vector_case("v_mov_b64_e32 v[12:13], v[4:5]\nv_pk_mov_b32 v[12:13], v[12:13], v[12:13] op_sel:[1,0]",
                  [](const Inputs& in, Outputs& out) {
                    out.v = {in.v[1], in.v[0], 0, 0};
                  }),
  });
}

TEST(Vector, TwoSources) {
  check_cases({
      two("v_add_u32_e32", [](U a, U b) { return a + b; }),
      two("v_add_u32_e64", [](U a, U b) { return a + b; }),
      two("v_sub_u32_e32", [](U a, U b) { return a - b; }),
      two("v_subrev_u32_e32", [](U a, U b) { return b - a; }),
      two("v_add_i32", [](U a, U b) { return a + b; }),
      two("v_sub_i32", [](U a, U b) { return a - b; }),
      two("v_and_b32_e32", [](U a, U b) { return a & b; }),
      two("v_or_b32_e32", [](U a, U b) { return a | b; }),
      two("v_xor_b32_e32", [](U a, U b) { return a ^ b; }),
      two("v_xnor_b32_e32", [](U a, U b) { return ~(a ^ b); }),
      two("v_lshlrev_b32_e32", [](U a, U b) { return b << (a % 32); }),
      two("v_lshrrev_b32_e32", [](U a, U b) { return b >> (a % 32); }),
      two("v_ashrrev_i32_e32", [](U a, U b) { return static_cast<U>(s(b) >> (a % 32)); }),
      two("v_min_i32_e32", [](U a, U b) { return s(a) < s(b) ? a : b; }),
      two("v_max_i32_e32", [](U a, U b) { return s(a) < s(b) ? b : a; }),
      two("v_min_u32_e32", [](U a, U b) { return a < b ? a : b; }),
      two("v_max_u32_e32", [](U a, U b) { return a < b ? b : a; }),
      two("v_mul_lo_u32", [](U a, U b) { return static_cast<U>(Wide{a} * b); }),
      two("v_mul_hi_u32", [](U a, U b) { return static_cast<U>((Wide{a} * b) >> 32); }),
      two("v_mul_hi_i32", [](U a, U b) { return static_cast<U>((Wide{s(a)} * s(b)) >> 32); }),
      two("v_mul_u32_u24_e32", [](U a, U b) { return static_cast<U>(Wide{a % 0x1000000} * (b % 0x1000000)); }),
      two("v_mul_hi_u32_u24_e32",
          [](U a, U b) { return static_cast<U>((Wide{a % 0x1000000} * (b % 0x1000000)) >> 32); }),
      two("v_mul_i32_i24_e32",
          [](U a, U b) {
            const auto cut = [](U x) { return Wide{x % 0x1000000} - (x % 0x1000000 >= 0x800000 ? 0x1000000 : 0); };
            return static_cast<U>(cut(a) * cut(b));
          }),
      two("v_mul_hi_i32_i24_e32",
          [](U a, U b) {
            const auto cut = [](U x) { return Wide{x % 0x1000000} - (x % 0x1000000 >= 0x800000 ? 0x1000000 : 0); };
            return static_cast<U>((cut(a) * cut(b)) >> 32);
          }),
      two("v_add_u16_e32", [](U a, U b) { return (a + b) % 0x10000; }),
      two("v_sub_u16_e32", [](U a, U b) { return (a - b) % 0x10000; }),
      two("v_mul_lo_u16_e32", [](U a, U b) { return static_cast<U>(Wide{a % 0x10000} * (b % 0x10000)) % 0x10000; }),
      two("v_lshlrev_b16_e32", [](U a, U b) { return (b << (a % 16)) % 0x10000; }),
      two("v_lshrrev_b16_e32", [](U a, U b) { return b % 0x10000 >> (a % 16); }),
      two("v_ashrrev_i16_e32",
          [](U a, U b) { return static_cast<U>(static_cast<std::int16_t>(b) >> (a % 16)) % 0x10000; }),
      two("v_max_i16_e32",
          [](U a, U b) {
            const auto x = static_cast<std::int16_t>(a), y = static_cast<std::int16_t>(b);
            return U{static_cast<std::uint16_t>(x < y ? y : x)};
          }),
      two("v_bfm_b32", [](U a, U b) { return static_cast<U>((U64{1} << (a % 32)) - 1) << (b % 32); }),
      two("v_bcnt_u32_b32",
          [](U a, U b) {
            for (int i = 0; i < 32; ++i) b += a >> i & 1;
            return b;
          }),
      two("v_cvt_pk_u16_u32", [](U a, U b) { return (a > 65535 ? 65535 : a) + 0x10000 * (b > 65535 ? 65535 : b); }),
      two("v_cvt_pk_i16_i32",
          [](U a, U b) {
            const auto clamp = [](S x) { return static_cast<U>(x < -32768 ? -32768 : x > 32767 ? 32767 : x) & 0xffff; };
            return clamp(s(a)) + 0x10000 * clamp(s(b));
          }),
      vector_case("v_add_u32_e32 v12, s16, v5", [](const Inputs& in, Outputs& out) { out.v[0] = in.s[0] + in.v[1]; }),
      vector_case("v_sub_u32_e32 v12, 64, v5", [](const Inputs& in, Outputs& out) { out.v[0] = 64 - in.v[1]; }),
  });
}

// f32 bits to a 16-bit format by scaling in double, which holds every step exactly; NaNs as the interpreter says.
U narrowed(U bits, int fraction, int least_exponent, int largest_exponent) {
  const U sign = bits >> 31 << 15, infinity = static_cast<U>(largest_exponent - least_exponent + 2) << fraction;
  float x = 0;
  bits &= 0x7fffffff;
  std::memcpy(&x, &bits, sizeof x);
  if (std::isnan(x)) return sign | infinity | U{1} << (fraction - 1) | (bits & 0x7fffff) >> (23 - fraction);
  if (std::isinf(x)) return sign | infinity;
  const int exponent = x == 0 ? least_exponent : std::max(std::ilogb(x), least_exponent);
  const double units = std::nearbyint(std::ldexp(double{x}, fraction - exponent));  // of the last place
  const double significand = std::ldexp(units, -fraction);
  if (std::ldexp(significand, exponent) >= std::ldexp(1.0, largest_exponent + 1)) return sign | infinity;
  // An integer of last places from the least exponent on is the code; each exponent adds one leading bit's worth.
  return sign | (static_cast<U>(units) + (static_cast<U>(exponent - least_exponent) << fraction));
}
U to_f16(U a) { return narrowed(a, 10, -14, 15); }
U to_bf16(U a) { return narrowed(a, 7, -126, 127); }

TEST(Vector, RoundingTo16Bits) {
  // The second operand brings exponents near those of f16 and its subnormals.
  const auto near = [](U a) { return (a & 0x80ffffff) | 0x33000000 | (a >> 2 & 0x0f000000); };
  const std::string narrow =
      "v_and_b32_e32 v6, 0x80ffffff, v5\nv_or_b32_e32 v6, 0x33000000, v6\nv_lshrrev_b32_e32 v7, 2, v5\n"
      "v_and_b32_e32 v7, 0x0f000000, v7\nv_or_b32_e32 v6, v6, v7\n";
  check_cases({
      one("v_cvt_f16_f32_e32", [](U a) { return to_f16(a); }),
      two("v_cvt_pk_f16_f32", [](U a, U b) { return to_f16(a) | to_f16(b) << 16; }),
      two("v_cvt_pk_bf16_f32", [](U a, U b) { return to_bf16(a) | to_bf16(b) << 16; }),
      two("v_pack_b32_f16", [](U a, U b) { return (a & 0xffff) | b << 16; }),
      vector_case(narrow + "v_cvt_pk_f16_f32 v12, v6, v4",
                  [near](const Inputs& in, Outputs& out) { out.v[0] = to_f16(near(in.v[1])) | to_f16(in.v[0]) << 16; }),
  });
  // Ties, the largest number, and the least subnormal, by hand.
  EXPECT_EQ(to_f16(0x3f801000), 0x3c00u);
  EXPECT_EQ(to_f16(0x3f803000), 0x3c02u);
  EXPECT_EQ(to_f16(0x477fefff), 0x7bffu);
  EXPECT_EQ(to_f16(0x477ff000), 0x7c00u);
  EXPECT_EQ(to_f16(0x33000000), 0x0000u);
  EXPECT_EQ(to_f16(0x33000001), 0x0001u);
  EXPECT_EQ(to_bf16(0x00008000), 0x0000u);
  EXPECT_EQ(to_bf16(0x00018000), 0x0002u);
}

TEST(Vector, ThreeSources) {
  check_cases({
      three("v_add3_u32", [](U a, U b, U c) { return a + b + c; }),
      three("v_lshl_add_u32", [](U a, U b, U c) { return (a << (b % 32)) + c; }),
      three("v_add_lshl_u32", [](U a, U b, U c) { return (a + b) << (c % 32); }),
      three("v_lshl_or_b32", [](U a, U b, U c) { return (a << (b % 32)) | c; }),
      three("v_and_or_b32", [](U a, U b, U c) { return (a & b) | c; }),
      three("v_or3_b32", [](U a, U b, U c) { return a | b | c; }),
      three("v_xad_u32", [](U a, U b, U c) { return (a ^ b) + c; }),
      three("v_bfi_b32", [](U a, U b, U c) { return (a & b) | (~a & c); }),
      three("v_bfe_u32",
            [](U a, U b, U c) {
              U field = 0;
              for (U i = 0; i < c % 32; ++i) field |= (b % 32 + i < 32 ? a >> (b % 32 + i) & 1 : 0) << i;
              return field;
            }),
      three("v_bfe_i32",
            [](U a, U b, U c) {
              const U width = c % 32;
              if (width == 0) return 0u;
              U field = 0;
              for (U i = 0; i < 32; ++i) {
                const U from = b % 32 + (i < width ? i : width - 1);
                field |= (a >> (from < 32 ? from : 31) & 1) << i;
              }
              return field;
            }),
      three("v_alignbit_b32", [](U a, U b, U c) { return static_cast<U>((U64{a} << 32 | b) >> (c % 32)); }),
      three("v_alignbyte_b32", [](U a, U b, U c) { return static_cast<U>((U64{a} << 32 | b) >> (c % 4 * 8)); }),
      three("v_min3_i32", [](U a, U b, U c) { return static_cast<U>(std::min(std::min(s(a), s(b)), s(c))); }),
      three("v_max3_i32", [](U a, U b, U c) { return static_cast<U>(std::max(std::max(s(a), s(b)), s(c))); }),
      three("v_min3_u32", [](U a, U b, U c) { return std::min(std::min(a, b), c); }),
      three("v_max3_u32", [](U a, U b, U c) { return std::max(std::max(a, b), c); }),
      three("v_med3_i32",
            [](U a, U b, U c) {
              std::array<S, 3> x{s(a), s(b), s(c)};
              std::sort(x.begin(), x.end());
              return static_cast<U>(x[1]);
            }),
      three("v_med3_u32",
            [](U a, U b, U c) {
              std::array<U, 3> x{a, b, c};
              std::sort(x.begin(), x.end());
              return x[1];
            }),
      three("v_mad_u32_u24", [](U a, U b, U c) { return static_cast<U>(Wide{a % 0x1000000} * (b % 0x1000000) + c); }),
      three("v_mad_u32_u16", [](U a, U b, U c) { return static_cast<U>(Wide{a % 0x10000} * (b % 0x10000) + c); }),
      three("v_perm_b32",
            [](U a, U b, U c) {
              const std::array<U, 8> bytes{b & 0xff, b >> 8 & 0xff, b >> 16 & 0xff, b >> 24,
                                           a & 0xff, a >> 8 & 0xff, a >> 16 & 0xff, a >> 24};
              U result = 0;
              for (int i = 0; i < 4; ++i) {
                const U select = c >> (8 * i) & 0xff;
                U byte = 0;
                if (select >= 13)
                  byte = 0xff;
                else if (select == 12)
                  byte = 0;
                else if (select >= 8)
                  byte = bytes[(select - 8) * 2 + 1] >= 0x80 ? 0xff : 0;
                else
                  byte = bytes[select];
                result |= byte << (8 * i);
              }
              return result;
            }),
      vector_case("v_bitop3_b32 v12, v4, v5, v6 bitop3:0x6b",
                  [](const Inputs& in, Outputs& out) {
                    for (unsigned i = 0; i < 32; ++i) {
                      const U row = (in.v[0] >> i & 1) * 4 + (in.v[1] >> i & 1) * 2 + (in.v[2] >> i & 1);
                      out.v[0] |= (0x6bu >> row & 1) << i;
                    }
                  }),
  });
}

TEST(Vector, SixtyFourBits) {
  check_cases({
      vector_case("v_lshlrev_b64 v[12:13], v4, v[6:7]",
                  [](const Inputs& in, Outputs& out) { out.set_v64(in.v64(2) << (in.v[0] % 64)); }),
      vector_case("v_lshrrev_b64 v[12:13], v4, v[6:7]",
                  [](const Inputs& in, Outputs& out) { out.set_v64(in.v64(2) >> (in.v[0] % 64)); }),
      vector_case(
          "v_ashrrev_i64 v[12:13], v4, v[6:7]",
          [](const Inputs& in, Outputs& out) { out.set_v64(static_cast<U64>(s64(in.v64(2)) >> (in.v[0] % 64))); }),
      // Shifts of 5 to 7 count as none.
      vector_case("v_lshl_add_u64 v[12:13], v[4:5], v6, v[8:9]",
                  [](const Inputs& in, Outputs& out) {
                    const U shift = in.v[2] % 8;
                    out.set_v64((in.v64(0) << (shift > 4 ? 0 : shift)) + in.v64(4));
                  }),
      vector_case("v_lshl_add_u64 v[12:13], s[16:17], 0, v[8:9]",
                  [](const Inputs& in, Outputs& out) { out.set_v64(in.s64(0) + in.v64(4)); }),
      vector_case("v_mad_u64_u32 v[12:13], s[28:29], v4, v5, v[6:7]\nv_cndmask_b32_e64 v14, 0, 1, s[28:29]",
                  [](const Inputs& in, Outputs& out) {
                    const Wide sum = Wide{in.v[0]} * in.v[1] + in.v64(2);
                    out.set_v64(static_cast<U64>(sum));
                    out.v[2] = static_cast<U>(sum >> 64);
                  }),
      // The 65th bit of a sum of sign extended operands is its sign.
      vector_case("v_mad_i64_i32 v[12:13], s[28:29], v4, v5, v[6:7]\nv_cndmask_b32_e64 v14, 0, 1, s[28:29]",
                  [](const Inputs& in, Outputs& out) {
                    const Wide sum = Wide{s(in.v[0])} * s(in.v[1]) + s64(in.v64(2));
                    out.set_v64(static_cast<U64>(sum));
                    out.v[2] = sum < 0 ? 1 : 0;
                  }),
  });
}

TEST(Vector, Carries) {
  const auto carry = [](const char* text, Wide (*exact)(const Inputs&, U), bool takes_carry) {
    // The carry in is bit `lane` of s[16:17].
    return vector_case(std::string("s_mov_b64 vcc, s[16:17]\n") + text +
                           "\nv_cndmask_b32_e32 v13, 0, v13, vcc\n"
                           "v_mov_b32 v13, 1\nv_cndmask_b32_e32 v13, 0, v13, vcc",
                       [exact, takes_carry](const Inputs& in, Outputs& out) {
                         const U carry_in = takes_carry ? static_cast<U>(in.s64(0) >> in.lane & 1) : 0;
                         const Wide value = exact(in, carry_in);
                         out.v[0] = static_cast<U>(value);
                         out.v[1] = value < 0 || value > 0xffffffffLL ? 1 : 0;
                       });
  };
  const auto add = [](const Inputs& in, U c) { return Wide{in.v[0]} + in.v[1] + c; };
  const auto subtract = [](const Inputs& in, U c) { return Wide{in.v[0]} - in.v[1] - c; };
  const auto reversed = [](const Inputs& in, U c) { return Wide{in.v[1]} - in.v[0] - c; };
  check_cases({
      carry("v_add_co_u32_e32 v12, vcc, v4, v5", add, false),
      carry("v_sub_co_u32_e32 v12, vcc, v4, v5", subtract, false),
      carry("v_subrev_co_u32_e32 v12, vcc, v4, v5", reversed, false),
      carry("v_addc_co_u32_e32 v12, vcc, v4, v5, vcc", add, true),
      carry("v_subb_co_u32_e32 v12, vcc, v4, v5, vcc", subtract, true),
      carry("v_subbrev_co_u32_e32 v12, vcc, v4, v5, vcc", reversed, true),
      carry("v_addc_co_u32_e64 v12, vcc, v4, v5, s[16:17]", add, true),
      // Source and destination mask may be one pair.
      vector_case("s_mov_b64 s[28:29], s[16:17]\nv_addc_co_u32_e64 v12, s[28:29], v4, v5, s[28:29]\n"
                  "v_cndmask_b32_e64 v13, 0, 1, s[28:29]",
                  [](const Inputs& in, Outputs& out) {
                    const U64 sum = U64{in.v[0]} + in.v[1] + (in.s64(0) >> in.lane & 1);
                    out.v = {static_cast<U>(sum), static_cast<U>(sum >> 32), 0, 0};
                  }),
      vector_case(
          "v_cndmask_b32_e64 v12, v4, v5, s[16:17]",
          [](const Inputs& in, Outputs& out) { out.v[0] = (in.s64(0) >> in.lane & 1) != 0 ? in.v[1] : in.v[0]; }),
  });
}

TEST(Vector, Compares) {
  std::vector<Case> cases;
  const auto add = [&](const char* condition, const char* type, bool wide, bool (*op)(const Inputs&)) {
    const std::string sources = wide ? "v[4:5], v[6:7]" : "v4, v5";
    const std::string name = std::string(condition) + "_" + type;
    cases.push_back(
        vector_case("v_cmp_" + name + "_e64 s[28:29], " + sources + "\nv_cndmask_b32_e64 v12, 0, 1, s[28:29]",
                    [op](const Inputs& in, Outputs& out) { out.v[0] = op(in) ? 1 : 0; }));
    // The 32-bit form writes VCC; CMPX also EXEC, so that only passing lanes take the move.
    cases.push_back(vector_case("v_cmpx_" + name + "_e32 vcc, " + sources +
                                    "\nv_mov_b32 v12, 5\ns_mov_b64 exec, -1\n"
                                    "v_cndmask_b32_e64 v13, 0, 1, vcc",
                                [op](const Inputs& in, Outputs& out) {
                                  out.v = {op(in) ? 5u : 0u, op(in) ? 1u : 0u, 0, 0};
                                }));
  };
  add("lt", "u32", false, [](const Inputs& in) { return in.v[0] < in.v[1]; });
  add("eq", "u32", false, [](const Inputs& in) { return in.v[0] == in.v[1]; });
  add("le", "u32", false, [](const Inputs& in) { return in.v[0] <= in.v[1]; });
  add("gt", "u32", false, [](const Inputs& in) { return in.v[0] > in.v[1]; });
  add("ne", "u32", false, [](const Inputs& in) { return in.v[0] != in.v[1]; });
  add("ge", "u32", false, [](const Inputs& in) { return in.v[0] >= in.v[1]; });
  add("f", "u32", false, [](const Inputs&) { return false; });
  add("t", "u32", false, [](const Inputs&) { return true; });
  add("lt", "i32", false, [](const Inputs& in) { return s(in.v[0]) < s(in.v[1]); });
  add("ge", "i32", false, [](const Inputs& in) { return s(in.v[0]) >= s(in.v[1]); });
  add("lt", "u64", true, [](const Inputs& in) { return in.v64(0) < in.v64(2); });
  add("gt", "i64", true, [](const Inputs& in) { return s64(in.v64(0)) > s64(in.v64(2)); });
  add("eq", "u64", true, [](const Inputs& in) { return in.v64(0) == in.v64(2); });
  add("le", "u16", false, [](const Inputs& in) { return in.v[0] % 65536 <= in.v[1] % 65536; });
  add("gt", "i16", false,
      [](const Inputs& in) { return static_cast<std::int16_t>(in.v[0]) > static_cast<std::int16_t>(in.v[1]); });
  check_cases(cases);
}

// EXEC masks vector results, compares and memory; the lanes it leaves out keep what they had.
TEST(Vector, ExecMask) {
  const auto active = [](const Inputs& in) { return (in.s64(0) >> in.lane & 1) != 0; };
  check_cases({
      vector_case("s_mov_b64 exec, s[16:17]\nv_mov_b32 v12, v4",
                  [=](const Inputs& in, Outputs& out) { out.v[0] = active(in) ? in.v[0] : 0; }),
      vector_case("s_mov_b64 exec, s[16:17]\nv_mov_b64_e32 v[12:13], v[4:5]",
                  [=](const Inputs& in, Outputs& out) { out.set_v64(active(in) ? in.v64(0) : 0); }),
      vector_case("s_mov_b64 exec, s[16:17]\nv_cmp_ne_u32_e64 s[28:29], v4, v5\ns_mov_b64 exec, -1\n"
                  "v_cndmask_b32_e64 v12, 0, 1, s[28:29]",
                  [=](const Inputs& in, Outputs& out) { out.v[0] = active(in) && in.v[0] != in.v[1] ? 1 : 0; }),
      vector_case(
          "s_mov_b64 exec, s[16:17]\nv_accvgpr_write_b32 a3, v4\ns_mov_b64 exec, -1\nv_accvgpr_write_b32 a4, v5\n"
          "s_mov_b64 exec, s[16:17]\nv_accvgpr_read_b32 v13, a4",
          [=](const Inputs& in, Outputs& out) { out.v[1] = active(in) ? in.v[1] : 0; }),
      vector_case("s_mov_b64 exec, s[16:17]\nglobal_load_dword v12, v1, s[4:5]\ns_waitcnt vmcnt(0)",
                  [=](const Inputs& in, Outputs& out) { out.v[0] = active(in) ? in.v[0] : 0; }),
      vector_case("s_mov_b64 exec, s[16:17]\nscratch_store_dword off, v4, off\ns_mov_b64 exec, -1\ns_nop 0\n"
                  "v_mov_b32 v13, 0\ns_not_b64 exec, s[16:17]\nscratch_store_dword off, v13, off\ns_mov_b64 exec, -1\n"
                  "scratch_load_dword v12, off, off\ns_waitcnt vmcnt(0)\ns_bitcmp1_b32 s23, 0",
                  [=](const Inputs& in, Outputs& out) { out.v[0] = active(in) ? in.v[0] : 0; }),
  });
}

TEST(Vector, AcrossLanes) {
  const auto all = [](std::string body, void (*op)(const Lanes&, std::array<Outputs, 64>&)) {
    return Case{std::move(body), op};
  };
  check_cases({
      all("s_mov_b64 exec, s[16:17]\ns_nop 0\nv_readfirstlane_b32 s24, v4",
          [](const Lanes& in, std::array<Outputs, 64>& out) {
            const U64 exec = in[0].s64(0);
            out[0].s[0] = in[exec == 0 ? 0 : static_cast<unsigned>(std::countr_zero(exec))].v[0];
          }),
      all("v_readlane_b32 s24, v4, s16",
          [](const Lanes& in, std::array<Outputs, 64>& out) { out[0].s[0] = in[in[0].s[0] % 64].v[0]; }),
      all("v_readlane_b32 s24, v4, 17",
          [](const Lanes& in, std::array<Outputs, 64>& out) { out[0].s[0] = in[17].v[0]; }),
      all("s_mov_b64 exec, 0\ns_mov_b32 m0, s17\nv_writelane_b32 v12, s16, m0",
          [](const Lanes& in, std::array<Outputs, 64>& out) { out[in[0].s[1] % 64].v[0] = in[0].s[0]; }),
      all("v_mbcnt_lo_u32_b32 v12, v4, v5",
          [](const Lanes& in, std::array<Outputs, 64>& out) {
            for (unsigned lane = 0; lane < 64; ++lane) {
              out[lane].v[0] = in[lane].v[1];
              for (unsigned i = 0; i < lane && i < 32; ++i) out[lane].v[0] += in[lane].v[0] >> i & 1;
            }
          }),
      all("v_mbcnt_lo_u32_b32 v12, -1, 0\nv_mbcnt_hi_u32_b32 v12, -1, v12",
          [](const Lanes&, std::array<Outputs, 64>& out) {
            for (unsigned lane = 0; lane < 64; ++lane) out[lane].v[0] = lane;
          }),
  });
}

TEST(Vector, Conversions) {
  const auto bits = [](float value) { return std::bit_cast<U>(value); };
  check_cases({
      vector_case("v_cvt_f32_i32_e32 v12, v4",
                  [=](const Inputs& in, Outputs& out) { out.v[0] = bits(static_cast<float>(s(in.v[0]))); }),
      vector_case("v_cvt_f32_u32_e32 v12, v4",
                  [=](const Inputs& in, Outputs& out) { out.v[0] = bits(static_cast<float>(in.v[0])); }),
      vector_case(
          "v_cvt_f64_i32_e32 v[12:13], v4",
          [](const Inputs& in, Outputs& out) { out.set_v64(std::bit_cast<U64>(static_cast<double>(s(in.v[0])))); }),
      vector_case("v_cvt_i32_f32_e32 v12, v4",
                  [](const Inputs& in, Outputs& out) {
                    const double value = static_cast<double>(std::bit_cast<float>(in.v[0]));
                    if (std::isnan(value))
                      out.v[0] = 0;
                    else if (value >= 2147483647.0)
                      out.v[0] = 0x7fffffff;
                    else if (value <= -2147483648.0)
                      out.v[0] = 0x80000000;
                    else
                      out.v[0] = static_cast<U>(static_cast<S>(value));
                  }),
      vector_case("v_cvt_u32_f64_e32 v12, v[4:5]",
                  [](const Inputs& in, Outputs& out) {
                    const double value = std::bit_cast<double>(in.v64(0));
                    if (std::isnan(value) || value <= 0)
                      out.v[0] = 0;
                    else
                      out.v[0] = value >= 4294967295.0 ? 0xffffffff : static_cast<U>(value);
                  }),
      vector_case("v_cvt_f32_ubyte2_e32 v12, v4",
                  [=](const Inputs& in, Outputs& out) { out.v[0] = bits(static_cast<float>(in.v[0] >> 16 & 0xff)); }),
  });
}

}  // namespace
}  // namespace mfma::gfx950::test
