#include "tests/gfx950/wait_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "tests/gfx950/toolchain.h"

namespace mfma::gfx950::test {
namespace {

// A product with its registers: D and C have `size`, A and B `ab`.
struct Product {
  const char* mnemonic;
  int passes, size, ab;
};

constexpr Product kXdl[] = {
    {"v_mfma_f32_4x4x4_16b_f16", 2, 4, 2},
    {"v_mfma_f32_16x16x16_f16", 4, 4, 2},
    {"v_mfma_f32_32x32x8_f16", 8, 16, 2},
    {"v_mfma_f32_32x32x4_2b_f16", 16, 32, 2},
};
// Of the same passes and sizes.
constexpr Product kXdlOther[] = {
    {"v_mfma_f32_4x4x4_16b_bf16", 2, 4, 2},
    {"v_mfma_f32_16x16x32_f16", 4, 4, 4},
    {"v_mfma_i32_32x32x32_i8", 8, 16, 4},
    {"v_mfma_i32_32x32x4_2b_i8", 16, 32, 1},
};
constexpr Product kSgemm[] = {
    {"v_mfma_f32_4x4x1_16b_f32", 2, 4, 1},
    {"v_mfma_f32_16x16x4_f32", 8, 4, 1},
    {"v_mfma_f32_32x32x2_f32", 16, 16, 1},
};
constexpr Product kDgemm16{"v_mfma_f64_16x16x4_f64", 16, 8, 2};
constexpr Product kDgemm4{"v_mfma_f64_4x4x4_4b_f64", 4, 2, 2};
constexpr Product kFp8Wide{"v_mfma_f32_32x32x64_f8f6f4", 16, 16, 8};   // 16 passes with 8-bit formats
constexpr Product kFp8Narrow{"v_mfma_f32_16x16x128_f8f6f4", 8, 4, 8};  // 8 passes

std::string range(int first, int count) {
  return count == 1 ? fmt::format("v{}", first) : fmt::format("v[{}:{}]", first, first + count - 1);
}

// A in v64.., B in v72.. unless said otherwise.
std::string product(const Product& p, int d, int c, int a = 64, int b = 72) {
  return fmt::format("{} {}, {}, {}, {}", p.mnemonic, range(d, p.size), range(a, p.ab), range(b, p.ab),
                     range(c, p.size));
}

// The earlier product: D from v0, C from v32.
std::string first_of(const Product& p) { return product(p, 0, 32); }

// Wait states by passes 2, 4, 8, 16 of the earlier product, read off manual Table 38 and what clang 22 inserts; "-":
// there is no such product. One number: the rule has no passes in its name.
constexpr std::pair<std::string_view, std::string_view> kNeeds[] = {
    {"W-XDL-SRCC-EXACT", "2/0/0/0"},
    {"W-XDL-SRCC-OPCODE", "4/6/10/18"},
    {"W-XDL-SRCC-PASSES", "4/6/10/18"},
    {"W-XDL-SRCC-OVERLAP", "4/6/10/18"},
    {"W-XDL-SRCC-GEMM", "3/6/10/18"},
    {"W-XDL-SRCAB", "5/8/12/20"},
    {"W-XDL-VALU-READ", "5/8/12/20"},
    {"W-XDL-VALU-WRITE", "5/8/12/20"},
    {"W-XDL-MEM-READ", "5/8/12/20"},
    {"W-XDL-MEM-WRITE", "5/8/12/20"},
    {"W-XDL-VALU-WAR", "1/3/7/15"},
    {"W-XDL-MEM-WAR", "1/3/7/15"},
    {"W-SMFMAC-INDEX-WAR", "-/3/7/-"},
    {"W-SGEMM-SRCC-EXACT", "2/-/0/0"},
    {"W-SGEMM-SRCC-PASSES", "2/-/8/16"},
    {"W-SGEMM-SRCC-OVERLAP", "2/-/8/16"},
    {"W-SGEMM-SRCC-XDL", "0/-/0/0"},
    {"W-SGEMM-SRCC-XDL-EXACT", "2/-/-/-"},
    {"W-SGEMM-SRCAB", "4/-/10/18"},
    {"W-SGEMM-VALU-READ", "4/-/10/18"},
    {"W-SGEMM-VALU-WRITE", "4/-/10/18"},
    {"W-SGEMM-MEM-READ", "4/-/10/18"},
    {"W-SGEMM-MEM-WRITE", "4/-/10/18"},
    {"W-DGEMM16-SRCC-EXACT", "0"},
    {"W-DGEMM16-SRCC-OVERLAP", "17"},
    {"W-DGEMM16-SRCC-XDL", "0"},
    {"W-DGEMM16-SRCAB", "19"},
    {"W-DGEMM16-VALU-READ", "19"},
    {"W-DGEMM16-VALU-WRITE", "19"},
    {"W-DGEMM16-MEM-READ", "18"},
    {"W-DGEMM16-MEM-WRITE", "19"},
    {"W-DGEMM16-FMA64", "2"},
    {"W-DGEMM4-SRCC-EXACT", "4"},
    {"W-DGEMM4-SRCC-OVERLAP", "4"},
    {"W-DGEMM4-SRCC-XDL", "0"},
    {"W-DGEMM4-SRCAB", "6"},
    {"W-DGEMM4-VALU-READ", "6"},
    {"W-DGEMM4-VALU-WRITE", "6"},
    {"W-DGEMM4-MEM-READ", "9"},
    {"W-DGEMM4-MEM-WRITE", "6"},
    {"W-DGEMM4-FMA64", "2"},
    {"W-VALU-MFMA", "2"},
    {"W-CMPX-MFMA", "4"},
    {"W-VALU-READLANE", "1"},
    {"W-VALU-READFIRSTLANE", "1"},
    {"W-VALU-PERMLANE", "2"},
    {"W-TRANS-VALU", "1"},
    {"W-OPSEL-VALU", "1"},
    {"W-SGPR-VALU", "2"},
    {"W-SGPR-MASK", "2"},
    {"W-SGPR-LANE", "4"},
    {"W-SGPR-VMEM", "5"},
    {"W-VCC-VCCZ", "5"},
    {"W-CMPX-EXEC", "2"},
    {"W-CMPX-LANE", "4"},
    {"W-CMPX-PERMLANE", "4"},
    {"W-STORE-VALU", "2"},
    {"W-STORE-MEM", "1"},
    {"W-SETREG-GETREG", "2"},
    {"W-SETREG-SETREG", "2"},
    {"W-SETVSKIP-GETREG", "2"},
    {"W-VSKIP-VECTOR", "2"},
    {"W-M0-SENDMSG", "1"},
    {"W-M0-MOVREL", "1"},
    {"W-TRAPSTS-RFE", "1"},
};

// -1 when the tables above have no such rule.
int needs_of(const std::string& rule) {
  constexpr std::string_view kPasses[] = {"-2", "-4", "-8", "-16"};
  for (const auto& [stem, needs] : kNeeds) {
    if (rule == stem) return std::stoi(std::string(needs));
    std::string_view rest = needs;
    for (const std::string_view passes : kPasses) {
      const std::string_view number = rest.substr(0, rest.find('/'));
      if (rule == std::string(stem) + std::string(passes)) return number == "-" ? -1 : std::stoi(std::string(number));
      rest.remove_prefix(std::min(rest.size(), number.size() + 1));
    }
  }
  return -1;
}

struct Cases {
  std::vector<WaitCase> all;

  void add(const std::string& rule, const std::string& earlier, const std::string& later) {
    all.push_back({rule, earlier, later, needs_of(rule)});
  }

  // What Table 38 says of every class alike. `suffix`: "-8", or nothing for f64.
  void result(const std::string& stem, const Product& p, const std::string& suffix) {
    const std::string earlier = first_of(p);
    const int last = p.size - 1;
    const auto rule = [&](const char* what) { return fmt::format("W-{}-{}{}", stem, what, suffix); };
    add(rule("SRCAB"), earlier, product(kXdl[1], 96, 96, 0, 72));
    add(rule("SRCAB"), earlier, product(kXdl[1], 96, 96, 64, 0));
    add(rule("SRCAB"), earlier, product(kSgemm[0], 96, 96, last, 72));
    add(rule("SRCAB"), earlier, product(kDgemm4, 96, 96, 64, 0));
    add(rule("SRCAB"), earlier,
        fmt::format("v_mfma_scale_f32_16x16x128_f8f6f4 v[96:99], v[64:71], v[72:79], v[96:99], v80, {}",
                    range(last, 1)));
    add(rule("SRCAB"), earlier, "v_smfmac_f32_16x16x32_f16 v[96:99], v[64:65], v[72:75], v0");
    add(rule("VALU-READ"), earlier, fmt::format("v_mov_b32_e32 v120, {}", range(last, 1)));
    add(rule("VALU-READ"), earlier, "v_accvgpr_write_b32 a0, v0");
    add(rule("VALU-WRITE"), earlier, fmt::format("v_mov_b32_e32 {}, 0", range(last, 1)));
    add(rule("VALU-WRITE"), earlier, "v_accvgpr_read_b32 v0, a0");
    add(rule("MEM-READ"), earlier, fmt::format("global_store_dword v[100:101], {}, off", range(last, 1)));
    add(rule("MEM-READ"), earlier, "flat_store_dwordx2 v[100:101], v[0:1]");
    add(rule("MEM-READ"), earlier, "scratch_store_dword off, v0, s8");
    add(rule("MEM-READ"), earlier, "ds_write_b32 v102, v1");
    add(rule("MEM-READ"), earlier, "global_load_dword v120, v0, s[4:5]");
    add(rule("MEM-WRITE"), earlier, fmt::format("global_load_dword {}, v[100:101], off", range(last, 1)));
    add(rule("MEM-WRITE"), earlier, "ds_read_b32 v0, v102");
  }

  void xdl() {
    for (std::size_t i = 0; i < std::size(kXdl); ++i) {
      const Product& p = kXdl[i];
      const std::string earlier = first_of(p), suffix = fmt::format("-{}", p.passes);
      result("XDL", p, suffix);
      result("XDL", kXdlOther[i], suffix);
      add("W-XDL-SRCC-EXACT" + suffix, earlier, product(p, 0, 0));
      add("W-XDL-SRCC-EXACT" + suffix, earlier, product(p, 96, 0));
      add("W-XDL-SRCC-OPCODE" + suffix, earlier, product(kXdlOther[i], 0, 0));
      add("W-XDL-SRCC-OVERLAP" + suffix, earlier, product(p, 2, 2));
      add("W-XDL-SRCC-OVERLAP" + suffix, earlier, product(kXdl[2], 96, p.size - 2));
      add("W-XDL-SRCC-GEMM" + suffix, earlier, product(kSgemm[0], 0, 0));
      add("W-XDL-SRCC-GEMM" + suffix, earlier, product(kDgemm4, 2, 2));
      add("W-XDL-VALU-WAR" + suffix, earlier, fmt::format("v_mov_b32_e32 {}, 0", range(32 + p.size - 1, 1)));
      add("W-XDL-MEM-WAR" + suffix, earlier, "global_load_dword v32, v[100:101], off");
    }
    add("W-XDL-SRCC-PASSES-2", first_of(kXdl[0]), product(kXdl[1], 0, 0));
    add("W-XDL-SRCC-PASSES-4", first_of(kXdl[1]), product(kXdl[0], 0, 0));
    add("W-XDL-SRCC-PASSES-8", first_of(kXdl[2]), product(kFp8Wide, 0, 0));
    add("W-XDL-SRCC-PASSES-8", first_of(kFp8Narrow), product(kXdl[1], 0, 0));
    add("W-XDL-SRCC-PASSES-16", first_of(kFp8Wide), product(kXdl[2], 0, 0));
    // The same opcode with formats of fewer bits has half the passes.
    add("W-XDL-SRCC-PASSES-16", first_of(kFp8Wide),
        "v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[64:67], v[72:75], v[0:15] cbsz:4 blgp:4");
    const std::string sparse4 = "v_smfmac_f32_16x16x32_f16 v[0:3], v[64:65], v[72:75], v80";
    const std::string sparse8 = "v_smfmac_f32_32x32x16_f16 v[0:15], v[64:65], v[72:75], v80";
    add("W-SMFMAC-INDEX-WAR-4", sparse4, "v_mov_b32_e32 v80, 0");
    add("W-SMFMAC-INDEX-WAR-8", sparse8, "v_mov_b32_e32 v80, 0");
    add("W-XDL-SRCC-EXACT-4", first_of(kXdl[1]), sparse4);
    add("W-XDL-SRCC-OVERLAP-8", first_of(kXdl[2]), "v_smfmac_f32_16x16x32_f16 v[2:5], v[64:65], v[72:75], v80");
    add("W-XDL-VALU-READ-8", sparse8, "v_mov_b32_e32 v120, v15");
  }

  void gemm() {
    for (const Product& p : kSgemm) {
      const std::string earlier = first_of(p), suffix = fmt::format("-{}", p.passes);
      result("SGEMM", p, suffix);
      add("W-SGEMM-SRCC-EXACT" + suffix, earlier, product(p, 0, 0));
      add("W-SGEMM-SRCC-OVERLAP" + suffix, earlier, product(p, 2, 2));
      add("W-SGEMM-SRCC-OVERLAP" + suffix, earlier, product(kDgemm4, 2, 2));
      add("W-SGEMM-SRCC-XDL" + suffix, earlier, product(kXdl[1], 2, 2));
    }
    add("W-SGEMM-SRCC-XDL-EXACT-2", first_of(kSgemm[0]), product(kXdl[1], 0, 0));
    add("W-SGEMM-SRCC-PASSES-2", first_of(kSgemm[0]), product(kSgemm[1], 0, 0));
    add("W-SGEMM-SRCC-PASSES-8", first_of(kSgemm[1]), product(kSgemm[0], 0, 0));
    add("W-SGEMM-SRCC-PASSES-16", first_of(kSgemm[2]), "v_mfma_f32_16x16x1_4b_f32 v[0:15], v64, v72, v[0:15]");
    for (const auto& [stem, p] : {std::pair("DGEMM16", kDgemm16), std::pair("DGEMM4", kDgemm4)}) {
      const std::string earlier = first_of(p), rule = fmt::format("W-{}-", stem);
      result(stem, p, "");
      add(rule + "SRCC-EXACT", earlier, product(p, 0, 0));
      add(rule + "SRCC-OVERLAP", earlier, product(kSgemm[1], 0, 0));
      add(rule + "SRCC-XDL", earlier, product(kXdl[1], 0, 0));
      add(rule + "FMA64", earlier, "v_fma_f64 v[120:121], v[122:123], v[122:123], v[122:123]");
      add(rule + "FMA64", earlier, "v_fmac_f64_e32 v[120:121], v[122:123], v[122:123]");
    }
    add("W-DGEMM16-SRCC-OVERLAP", first_of(kDgemm16), product(kDgemm16, 2, 2));
    add("W-DGEMM16-SRCC-OVERLAP", first_of(kDgemm16), product(kDgemm4, 4, 4));
  }

  void vector() {
    add("W-VALU-MFMA", "v_mov_b32_e32 v65, 0", product(kXdl[1], 0, 0));
    add("W-VALU-MFMA", "v_mov_b64_e32 v[2:3], 0", product(kXdl[1], 0, 0));
    add("W-VALU-MFMA", "v_mov_b32_e32 v81, 0",
        "v_mfma_scale_f32_16x16x128_f8f6f4 v[96:99], v[64:71], v[72:79], v[96:99], v80, v81");
    add("W-VALU-MFMA", "v_accvgpr_write_b32 a3, v64", "v_mfma_f32_16x16x16_f16 a[0:3], v[64:65], v[72:73], a[0:3]");
    add("W-VALU-MFMA", "v_mov_b32_e32 v80, 0", "v_smfmac_f32_16x16x32_f16 v[0:3], v[64:65], v[72:75], v80");
    add("W-CMPX-MFMA", "v_cmpx_eq_u32_e32 vcc, v0, v0", product(kXdl[1], 0, 0));
    add("W-CMPX-MFMA", "v_cmpx_eq_u32_e64 s[10:11], v0, v0", product(kDgemm4, 0, 0));
    add("W-VALU-READLANE", "v_mov_b32_e32 v1, 0", "v_readlane_b32 s9, v1, 0");
    add("W-VALU-READFIRSTLANE", "v_mov_b32_e32 v1, 0", "v_readfirstlane_b32 s9, v1");
    add("W-VALU-PERMLANE", "v_mov_b32_e32 v1, 0", "v_permlane32_swap_b32_e32 v1, v2");
    add("W-VALU-PERMLANE", "v_mov_b32_e32 v2, 0", "v_permlane16_swap_b32_e32 v1, v2");
    add("W-TRANS-VALU", "v_exp_f32_e32 v1, v2", "v_mov_b32_e32 v3, v1");
    add("W-TRANS-VALU", "v_rcp_f64_e32 v[2:3], v[4:5]", "v_add_u32_e32 v1, v3, v1");
    add("W-OPSEL-VALU", "v_mad_u16 v1, v2, v3, v4 op_sel:[0,0,0,1]", "v_mov_b32_e32 v5, v1");
    add("W-SGPR-VALU", "v_readfirstlane_b32 s9, v1", "v_mov_b32_e32 v2, s9");
    add("W-SGPR-VALU", "v_cmp_eq_u32_e32 vcc, v0, v0", "v_mov_b32_e32 v2, vcc_hi");
    add("W-SGPR-MASK", "v_cmp_eq_u32_e64 s[10:11], v0, v0", "v_cndmask_b32_e64 v1, v2, v3, s[10:11]");
    add("W-SGPR-MASK", "v_add_co_u32_e32 v1, vcc, v2, v3", "v_addc_co_u32_e32 v4, vcc, v5, v6, vcc");
    add("W-SGPR-LANE", "v_readfirstlane_b32 s9, v102", "v_readlane_b32 s10, v1, s9");
    add("W-SGPR-LANE", "v_readfirstlane_b32 s9, v102", "v_writelane_b32 v1, 0, s9");
    add("W-SGPR-VMEM", "v_readfirstlane_b32 s4, v100", "global_load_dword v1, v103, s[4:5]");
    add("W-SGPR-VMEM", "v_readfirstlane_b32 s5, v101", "global_store_dword v103, v1, s[4:5]");
    add("W-SGPR-VMEM", "v_readfirstlane_b32 s8, v102", "scratch_load_dword v1, off, s8");
    add("W-VCC-VCCZ", "v_cmp_eq_u32_e32 vcc, v0, v0", "v_mov_b32_e32 v1, src_vccz");
    add("W-VCC-VCCZ", "v_cmpx_eq_u32_e32 vcc, v0, v0", "v_mov_b32_e32 v1, src_execz");
    add("W-CMPX-EXEC", "v_cmpx_eq_u32_e32 vcc, v0, v0", "v_mov_b32_e32 v1, exec_lo");
    add("W-CMPX-LANE", "v_cmpx_eq_u32_e32 vcc, v0, v0", "v_readlane_b32 s9, v1, 0");
    add("W-CMPX-LANE", "v_cmpx_eq_u32_e32 vcc, v0, v0", "v_readfirstlane_b32 s9, v1");
    add("W-CMPX-LANE", "v_cmpx_eq_u32_e32 vcc, v0, v0", "v_writelane_b32 v1, 0, 0");
    add("W-CMPX-PERMLANE", "v_cmpx_eq_u32_e32 vcc, v0, v0", "v_permlane32_swap_b32_e32 v1, v2");
  }

  void memory_and_state() {
    const std::string stores[] = {"global_store_dwordx4 v[100:101], v[0:3], off",
                                  "global_store_dwordx3 v103, v[0:2], s[4:5]", "flat_store_dwordx4 v[100:101], v[0:3]",
                                  "scratch_store_dwordx3 off, v[0:2], s8"};
    for (const std::string& store : stores) {
      add("W-STORE-VALU", store, "v_mov_b32_e32 v2, 0");
      add("W-STORE-VALU", store, product(kXdl[1], 0, 32));
      add("W-STORE-MEM", store, "global_load_dword v0, v[100:101], off");
    }
    const std::string set_mode = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 15";
    add("W-SETREG-GETREG", set_mode, "s_getreg_b32 s9, hwreg(HW_REG_MODE)");
    add("W-SETREG-SETREG", set_mode, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0");
    add("W-SETREG-SETREG", "s_setreg_b32 hwreg(HW_REG_MODE, 4, 4), s6", set_mode);
    add("W-SETVSKIP-GETREG", "s_setvskip s6, 0", "s_getreg_b32 s9, hwreg(HW_REG_MODE)");
    const std::string vskip = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 0";
    add("W-VSKIP-VECTOR", vskip, "v_mov_b32_e32 v1, 0");
    add("W-VSKIP-VECTOR", vskip, "global_load_dword v0, v[100:101], off");
    add("W-VSKIP-VECTOR", vskip, product(kXdl[1], 0, 32));
    add("W-M0-SENDMSG", "s_mov_b32 m0, 0", "s_sendmsg sendmsg(MSG_INTERRUPT)");
    add("W-M0-MOVREL", "s_mov_b32 m0, 0", "s_movrels_b32 s9, s6");
    add("W-M0-MOVREL", "s_mov_b32 m0, 0", "s_movreld_b32 s9, s6");
    add("W-TRAPSTS-RFE", "s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS), 0", "s_rfe_b64 s[4:5]");
  }
};

}  // namespace

std::vector<WaitCase> wait_cases() {
  Cases cases;
  cases.xdl();
  cases.gemm();
  cases.vector();
  cases.memory_and_state();
  return cases.all;
}

std::string wait_kernel(const std::string& name, const std::string& body) {
  return assembly_kernel(name, R"(
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_mov_b64 s[6:7], 0
  s_mov_b32 s8, 0
  s_waitcnt lgkmcnt(0)
  v_mov_b32_e32 v100, s4
  v_mov_b32_e32 v101, s5
  v_mov_b32_e32 v102, 0
  v_mov_b32_e32 v103, 0
  s_nop 15
  s_nop 15
)" + body,
                         256, 1024);
}

std::string gap_of_nops(int count) {
  std::string text;
  for (; count > 16; count -= 16) text += "  s_nop 15\n";
  if (count > 0) text += fmt::format("  s_nop {}\n", count - 1);
  return text;
}

std::string gap_of_moves(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "  s_mov_b32 s90, 0\n";
  return text;
}

}  // namespace mfma::gfx950::test
