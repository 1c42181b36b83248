// Opcode tables: matrix encodings (VOP3P-MAI). CDNA4 ISA manual, table 90 and section 12.10.
#include "harness/gfx950/isa/opcodes.h"

namespace mfma::gfx950 {
namespace {

// Widths: A and B from the shape, K and the element width; C and D from the shape. The f8f6f4 operands are listed at
// their widest; the decoder narrows them by format (manual 7.1.5).
constexpr OpcodeRow kMai[] = {
    {45, "v_mfma_f32_16x16x128_f8f6f4", "D128f A256 B256 C128f"},
    {46, "v_mfma_f32_32x32x64_f8f6f4", "D512f A256 B256 C512f"},
    {53, "v_mfma_f32_16x16x32_bf16", "D128f A128 B128 C128f"},
    {54, "v_mfma_i32_16x16x64_i8", "D128 A128 B128 C128"},
    {55, "v_mfma_f32_32x32x16_bf16", "D512f A128 B128 C512f"},
    {56, "v_mfma_i32_32x32x32_i8", "D512 A128 B128 C512"},
    {57, "v_smfmac_f32_16x16x64_bf16", "D128 A128 B256 q32"},
    {58, "v_smfmac_i32_16x16x128_i8", "D128 A128 B256 q32"},
    {59, "v_smfmac_f32_16x16x128_bf8_bf8", "D128 A128 B256 q32"},
    {60, "v_smfmac_f32_16x16x128_bf8_fp8", "D128 A128 B256 q32"},
    {61, "v_smfmac_f32_16x16x128_fp8_bf8", "D128 A128 B256 q32"},
    {64, "v_mfma_f32_32x32x1_2b_f32", "D1024f A32 B32 C1024f"},
    {65, "v_mfma_f32_16x16x1_4b_f32", "D512f A32 B32 C512f"},
    {66, "v_mfma_f32_4x4x1_16b_f32", "D128f A32 B32 C128f"},
    {67, "v_smfmac_f32_16x16x128_fp8_fp8", "D128 A128 B256 q32"},
    {68, "v_mfma_f32_32x32x2_f32", "D512f A32 B32 C512f"},
    {69, "v_mfma_f32_16x16x4_f32", "D128f A32 B32 C128f"},
    {70, "v_smfmac_f32_32x32x32_bf16", "D512 A128 B256 q32"},
    {71, "v_smfmac_i32_32x32x64_i8", "D512 A128 B256 q32"},
    {72, "v_mfma_f32_32x32x4_2b_f16", "D1024f A64 B64 C1024f"},
    {73, "v_mfma_f32_16x16x4_4b_f16", "D512f A64 B64 C512f"},
    {74, "v_mfma_f32_4x4x4_16b_f16", "D128f A64 B64 C128f"},
    {75, "v_smfmac_f32_32x32x64_bf8_bf8", "D512 A128 B256 q32"},
    {76, "v_mfma_f32_32x32x8_f16", "D512f A64 B64 C512f"},
    {77, "v_mfma_f32_16x16x16_f16", "D128f A64 B64 C128f"},
    {78, "v_smfmac_f32_32x32x64_bf8_fp8", "D512 A128 B256 q32"},
    {79, "v_smfmac_f32_32x32x64_fp8_bf8", "D512 A128 B256 q32"},
    {80, "v_mfma_i32_32x32x4_2b_i8", "D1024 A32 B32 C1024"},
    {81, "v_mfma_i32_16x16x4_4b_i8", "D512 A32 B32 C512"},
    {82, "v_mfma_i32_4x4x4_16b_i8", "D128 A32 B32 C128"},
    {83, "v_smfmac_f32_32x32x64_fp8_fp8", "D512 A128 B256 q32"},
    {84, "v_mfma_f32_16x16x32_f16", "D128f A128 B128 C128f"},
    {85, "v_mfma_f32_32x32x16_f16", "D512f A128 B128 C512f"},
    {86, "v_mfma_i32_32x32x16_i8", "D512 A64 B64 C512"},
    {87, "v_mfma_i32_16x16x32_i8", "D128 A64 B64 C128"},
    {88, "v_accvgpr_read_b32", "D32 r32"},
    {89, "v_accvgpr_write_b32", "w32 A32"},
    {90, "v_smfmac_f32_16x16x64_f16", "D128 A128 B256 q32"},
    {91, "v_smfmac_f32_32x32x32_f16", "D512 A128 B256 q32"},
    {93, "v_mfma_f32_32x32x4_2b_bf16", "D1024f A64 B64 C1024f"},
    {94, "v_mfma_f32_16x16x4_4b_bf16", "D512f A64 B64 C512f"},
    {95, "v_mfma_f32_4x4x4_16b_bf16", "D128f A64 B64 C128f"},
    {96, "v_mfma_f32_32x32x8_bf16", "D512f A64 B64 C512f"},
    {97, "v_mfma_f32_16x16x16_bf16", "D128f A64 B64 C128f"},
    {98, "v_smfmac_f32_16x16x32_f16", "D128 A64 B128 q32"},
    {100, "v_smfmac_f32_32x32x16_f16", "D512 A64 B128 q32"},
    {102, "v_smfmac_f32_16x16x32_bf16", "D128 A64 B128 q32"},
    {104, "v_smfmac_f32_32x32x16_bf16", "D512 A64 B128 q32"},
    {106, "v_smfmac_i32_16x16x64_i8", "D128 A64 B128 q32"},
    {108, "v_smfmac_i32_32x32x32_i8", "D512 A64 B128 q32"},
    {110, "v_mfma_f64_16x16x4_f64", "D256g A64g B64g C256g"},
    {111, "v_mfma_f64_4x4x4_4b_f64", "D64g A64g B64g C64g"},
    {112, "v_mfma_f32_16x16x32_bf8_bf8", "D128f A64 B64 C128f"},
    {113, "v_mfma_f32_16x16x32_bf8_fp8", "D128f A64 B64 C128f"},
    {114, "v_mfma_f32_16x16x32_fp8_bf8", "D128f A64 B64 C128f"},
    {115, "v_mfma_f32_16x16x32_fp8_fp8", "D128f A64 B64 C128f"},
    {116, "v_mfma_f32_32x32x16_bf8_bf8", "D512f A64 B64 C512f"},
    {117, "v_mfma_f32_32x32x16_bf8_fp8", "D512f A64 B64 C512f"},
    {118, "v_mfma_f32_32x32x16_fp8_bf8", "D512f A64 B64 C512f"},
    {119, "v_mfma_f32_32x32x16_fp8_fp8", "D512f A64 B64 C512f"},
    {120, "v_smfmac_f32_16x16x64_bf8_bf8", "D128 A64 B128 q32"},
    {121, "v_smfmac_f32_16x16x64_bf8_fp8", "D128 A64 B128 q32"},
    {122, "v_smfmac_f32_16x16x64_fp8_bf8", "D128 A64 B128 q32"},
    {123, "v_smfmac_f32_16x16x64_fp8_fp8", "D128 A64 B128 q32"},
    {124, "v_smfmac_f32_32x32x32_bf8_bf8", "D512 A64 B128 q32"},
    {125, "v_smfmac_f32_32x32x32_bf8_fp8", "D512 A64 B128 q32"},
    {126, "v_smfmac_f32_32x32x32_fp8_bf8", "D512 A64 B128 q32"},
    {127, "v_smfmac_f32_32x32x32_fp8_fp8", "D512 A64 B128 q32"},
};

}  // namespace

std::span<const OpcodeRow> mai_rows() { return kMai; }

}  // namespace mfma::gfx950
