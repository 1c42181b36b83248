// Opcode tables: scalar encodings. CDNA4 ISA manual, tables 66 to 76.
#include "harness/gfx950/isa/opcodes.h"

namespace mfma::gfx950 {
namespace {

constexpr OpcodeRow kSop2[] = {
    {0, "s_add_u32", "D32 A32 B32"},          {1, "s_sub_u32", "D32 A32 B32"},
    {2, "s_add_i32", "D32 A32 B32"},          {3, "s_sub_i32", "D32 A32 B32"},
    {4, "s_addc_u32", "D32 A32 B32"},         {5, "s_subb_u32", "D32 A32 B32"},
    {6, "s_min_i32", "D32 A32 B32"},          {7, "s_min_u32", "D32 A32 B32"},
    {8, "s_max_i32", "D32 A32 B32"},          {9, "s_max_u32", "D32 A32 B32"},
    {10, "s_cselect_b32", "D32 A32 B32"},     {11, "s_cselect_b64", "D64 A64 B64"},
    {12, "s_and_b32", "D32 A32 B32"},         {13, "s_and_b64", "D64 A64 B64"},
    {14, "s_or_b32", "D32 A32 B32"},          {15, "s_or_b64", "D64 A64 B64"},
    {16, "s_xor_b32", "D32 A32 B32"},         {17, "s_xor_b64", "D64 A64 B64"},
    {18, "s_andn2_b32", "D32 A32 B32"},       {19, "s_andn2_b64", "D64 A64 B64"},
    {20, "s_orn2_b32", "D32 A32 B32"},        {21, "s_orn2_b64", "D64 A64 B64"},
    {22, "s_nand_b32", "D32 A32 B32"},        {23, "s_nand_b64", "D64 A64 B64"},
    {24, "s_nor_b32", "D32 A32 B32"},         {25, "s_nor_b64", "D64 A64 B64"},
    {26, "s_xnor_b32", "D32 A32 B32"},        {27, "s_xnor_b64", "D64 A64 B64"},
    {28, "s_lshl_b32", "D32 A32 B32"},        {29, "s_lshl_b64", "D64 A64 B32"},
    {30, "s_lshr_b32", "D32 A32 B32"},        {31, "s_lshr_b64", "D64 A64 B32"},
    {32, "s_ashr_i32", "D32 A32 B32"},        {33, "s_ashr_i64", "D64 A64i B32"},
    {34, "s_bfm_b32", "D32 A32 B32"},         {35, "s_bfm_b64", "D64 A32 B32"},
    {36, "s_mul_i32", "D32 A32 B32"},         {37, "s_bfe_u32", "D32 A32 B32"},
    {38, "s_bfe_i32", "D32 A32 B32"},         {39, "s_bfe_u64", "D64 A64 B32"},
    {40, "s_bfe_i64", "D64 A64i B32"},        {41, "s_cbranch_g_fork", "A64 B64"},
    {42, "s_absdiff_i32", "D32 A32 B32"},     {44, "s_mul_hi_u32", "D32 A32 B32"},
    {45, "s_mul_hi_i32", "D32 A32 B32"},      {46, "s_lshl1_add_u32", "D32 A32 B32"},
    {47, "s_lshl2_add_u32", "D32 A32 B32"},   {48, "s_lshl3_add_u32", "D32 A32 B32"},
    {49, "s_lshl4_add_u32", "D32 A32 B32"},   {50, "s_pack_ll_b32_b16", "D32 A32 B32"},
    {51, "s_pack_lh_b32_b16", "D32 A32 B32"}, {52, "s_pack_hh_b32_b16", "D32 A32 B32"},
};

constexpr OpcodeRow kSop1[] = {
    {0, "s_mov_b32", "D32 A32"},
    {1, "s_mov_b64", "D64 A64"},
    {2, "s_cmov_b32", "D32 A32"},
    {3, "s_cmov_b64", "D64 A64"},
    {4, "s_not_b32", "D32 A32"},
    {5, "s_not_b64", "D64 A64"},
    {6, "s_wqm_b32", "D32 A32"},
    {7, "s_wqm_b64", "D64 A64"},
    {8, "s_brev_b32", "D32 A32"},
    {9, "s_brev_b64", "D64 A64"},
    {10, "s_bcnt0_i32_b32", "D32 A32"},
    {11, "s_bcnt0_i32_b64", "D32 A64"},
    {12, "s_bcnt1_i32_b32", "D32 A32"},
    {13, "s_bcnt1_i32_b64", "D32 A64"},
    {14, "s_ff0_i32_b32", "D32 A32"},
    {15, "s_ff0_i32_b64", "D32 A64"},
    {16, "s_ff1_i32_b32", "D32 A32"},
    {17, "s_ff1_i32_b64", "D32 A64"},
    {18, "s_flbit_i32_b32", "D32 A32"},
    {19, "s_flbit_i32_b64", "D32 A64"},
    {20, "s_flbit_i32", "D32 A32"},
    {21, "s_flbit_i32_i64", "D32 A64"},
    {22, "s_sext_i32_i8", "D32 A32"},
    {23, "s_sext_i32_i16", "D32 A32"},
    {24, "s_bitset0_b32", "D32 A32"},
    {25, "s_bitset0_b64", "D64 A32"},
    {26, "s_bitset1_b32", "D32 A32"},
    {27, "s_bitset1_b64", "D64 A32"},
    {28, "s_getpc_b64", "D64"},
    {29, "s_setpc_b64", "A64"},
    {30, "s_swappc_b64", "D64 A64"},
    {31, "s_rfe_b64", "A64"},
    {32, "s_and_saveexec_b64", "D64 A64"},
    {33, "s_or_saveexec_b64", "D64 A64"},
    {34, "s_xor_saveexec_b64", "D64 A64"},
    {35, "s_andn2_saveexec_b64", "D64 A64"},
    {36, "s_orn2_saveexec_b64", "D64 A64"},
    {37, "s_nand_saveexec_b64", "D64 A64"},
    {38, "s_nor_saveexec_b64", "D64 A64"},
    {39, "s_xnor_saveexec_b64", "D64 A64"},
    {40, "s_quadmask_b32", "D32 A32"},
    {41, "s_quadmask_b64", "D64 A64"},
    {42, "s_movrels_b32", "D32 A32"},
    {43, "s_movrels_b64", "D64 A64"},
    {44, "s_movreld_b32", "D32 A32"},
    {45, "s_movreld_b64", "D64 A64"},
    {46, "s_cbranch_join", "A32"},
    {48, "s_abs_i32", "D32 A32"},
    {50, "s_set_gpr_idx_idx", "A32"},
    {51, "s_andn1_saveexec_b64", "D64 A64"},
    {52, "s_orn1_saveexec_b64", "D64 A64"},
    {53, "s_andn1_wrexec_b64", "D64 A64"},
    {54, "s_andn2_wrexec_b64", "D64 A64"},
    {55, "s_bitreplicate_b64_b32", "D64 A32"},
};

constexpr OpcodeRow kSopc[] = {
    {0, "s_cmp_eq_i32", "A32 B32"},   {1, "s_cmp_lg_i32", "A32 B32"},   {2, "s_cmp_gt_i32", "A32 B32"},
    {3, "s_cmp_ge_i32", "A32 B32"},   {4, "s_cmp_lt_i32", "A32 B32"},   {5, "s_cmp_le_i32", "A32 B32"},
    {6, "s_cmp_eq_u32", "A32 B32"},   {7, "s_cmp_lg_u32", "A32 B32"},   {8, "s_cmp_gt_u32", "A32 B32"},
    {9, "s_cmp_ge_u32", "A32 B32"},   {10, "s_cmp_lt_u32", "A32 B32"},  {11, "s_cmp_le_u32", "A32 B32"},
    {12, "s_bitcmp0_b32", "A32 B32"}, {13, "s_bitcmp1_b32", "A32 B32"}, {14, "s_bitcmp0_b64", "A64 B32"},
    {15, "s_bitcmp1_b64", "A64 B32"}, {16, "s_setvskip", "A32 B32"},    {17, "s_set_gpr_idx_on", "A32 I16"},
    {18, "s_cmp_eq_u64", "A64 B64"},  {19, "s_cmp_lg_u64", "A64 B64"},
};

constexpr OpcodeRow kSopk[] = {
    {0, "s_movk_i32", "D32 K16"},     {1, "s_cmovk_i32", "D32 K16"},         {2, "s_cmpk_eq_i32", "R32 K16"},
    {3, "s_cmpk_lg_i32", "R32 K16"},  {4, "s_cmpk_gt_i32", "R32 K16"},       {5, "s_cmpk_ge_i32", "R32 K16"},
    {6, "s_cmpk_lt_i32", "R32 K16"},  {7, "s_cmpk_le_i32", "R32 K16"},       {8, "s_cmpk_eq_u32", "R32 K16"},
    {9, "s_cmpk_lg_u32", "R32 K16"},  {10, "s_cmpk_gt_u32", "R32 K16"},      {11, "s_cmpk_ge_u32", "R32 K16"},
    {12, "s_cmpk_lt_u32", "R32 K16"}, {13, "s_cmpk_le_u32", "R32 K16"},      {14, "s_addk_i32", "D32 K16"},
    {15, "s_mulk_i32", "D32 K16"},    {16, "s_cbranch_i_fork", "R64 J16"},   {17, "s_getreg_b32", "D32 H16"},
    {18, "s_setreg_b32", "H16 R32"},  {20, "s_setreg_imm32_b32", "H16 L32"}, {21, "s_call_b64", "D64 J16"},
};

constexpr OpcodeRow kSopp[] = {
    {0, "s_nop", "N16"},
    {1, "s_endpgm", "n16"},
    {2, "s_branch", "J16"},
    {3, "s_wakeup", ""},
    {4, "s_cbranch_scc0", "J16"},
    {5, "s_cbranch_scc1", "J16"},
    {6, "s_cbranch_vccz", "J16"},
    {7, "s_cbranch_vccnz", "J16"},
    {8, "s_cbranch_execz", "J16"},
    {9, "s_cbranch_execnz", "J16"},
    {10, "s_barrier", ""},
    {11, "s_setkill", "N16"},
    {12, "s_waitcnt", "W16"},
    {13, "s_sethalt", "N16"},
    {14, "s_sleep", "N16"},
    {15, "s_setprio", "N16"},
    {16, "s_sendmsg", "K16"},
    {17, "s_sendmsghalt", "K16"},
    {18, "s_trap", "N16"},
    {19, "s_icache_inv", ""},
    {20, "s_incperflevel", "N16"},
    {21, "s_decperflevel", "N16"},
    {22, "s_ttracedata", ""},
    {23, "s_cbranch_cdbgsys", "J16"},
    {24, "s_cbranch_cdbguser", "J16"},
    {25, "s_cbranch_cdbgsys_or_user", "J16"},
    {26, "s_cbranch_cdbgsys_and_user", "J16"},
    {27, "s_endpgm_saved", ""},
    {28, "s_set_gpr_idx_off", ""},
    {29, "s_set_gpr_idx_mode", "N16"},
};

constexpr OpcodeRow kSmem[] = {
    {0, "s_load_dword", "D32 b64 o32"},
    {1, "s_load_dwordx2", "D64 b64 o32"},
    {2, "s_load_dwordx4", "D128 b64 o32"},
    {3, "s_load_dwordx8", "D256 b64 o32"},
    {4, "s_load_dwordx16", "D512 b64 o32"},
    {16, "s_store_dword", "R32 b64 o32"},
    {17, "s_store_dwordx2", "R64 b64 o32"},
    {18, "s_store_dwordx4", "R128 b64 o32"},
    {32, "s_dcache_inv", ""},
    {33, "s_dcache_wb", ""},
    {34, "s_dcache_inv_vol", ""},
    {35, "s_dcache_wb_vol", ""},
    {36, "s_memtime", "D64"},
    {37, "s_memrealtime", "D64"},
};

}  // namespace

std::span<const OpcodeRow> sop2_rows() { return kSop2; }
std::span<const OpcodeRow> sop1_rows() { return kSop1; }
std::span<const OpcodeRow> sopc_rows() { return kSopc; }
std::span<const OpcodeRow> sopk_rows() { return kSopk; }
std::span<const OpcodeRow> sopp_rows() { return kSopp; }
std::span<const OpcodeRow> smem_rows() { return kSmem; }

}  // namespace mfma::gfx950
