#include "harness/catalogue/builtin.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>

#include "harness/catalogue/quoted.h"
#include "harness/system/glob.h"

namespace mfma::catalogue {
namespace {

using F = ElementFormat;

constexpr std::string_view kPrefix = "__builtin_amdgcn_";

// Where a row's facts were read: the manual, then clang 22.1.8 (declaration, feature, and the opcode it emits).
constexpr std::string_view kDense = "CDNA4 ISA 7.1.2 (Table 28), 7.1.4, 12.10 (opcode, passes), Table 90; clang 22.1.8";
constexpr std::string_view kNoPassText =
    "CDNA4 ISA 7.1.2 (Table 28: passes = cycles / 4), 7.1.4, 12.10 (opcode), Table 90; clang 22.1.8";
constexpr std::string_view kF64Small =
    "CDNA4 ISA 7.1.2, 7.1.4, 12.10 (opcode, passes; Table 28 says 32 cycles), Table 90; C and D layout by AMD's matrix "
    "calculator; clang 22.1.8";
constexpr std::string_view kF8f6f4 =
    "CDNA4 ISA 7.1.5 (formats, cycles, layouts), 7.2.1 (scales), 12.10 (opcode), Table 90; clang 22.1.8";

// clang-format off
constexpr std::array<Builtin, 38> kBuiltins{{
    {"mfma_f32_32x32x1f32", {32, 32, 1, 2}, F::kF32, F::kF32, F::kF32, "v32f32", "f32", "f32", "v32f32", 1, 1, 32, ModifierKind::kBroadcast, "mai-insts", "v_mfma_f32_32x32x1_2b_f32", 64, 16, 16, kDense},
    {"mfma_f32_16x16x1f32", {16, 16, 1, 4}, F::kF32, F::kF32, F::kF32, "v16f32", "f32", "f32", "v16f32", 1, 1, 16, ModifierKind::kBroadcast, "mai-insts", "v_mfma_f32_16x16x1_4b_f32", 65, 8, 8, kDense},
    {"mfma_f32_4x4x1f32", {4, 4, 1, 16}, F::kF32, F::kF32, F::kF32, "v4f32", "f32", "f32", "v4f32", 1, 1, 4, ModifierKind::kBroadcast, "mai-insts", "v_mfma_f32_4x4x1_16b_f32", 66, 2, 2, kDense},
    {"mfma_f32_32x32x2f32", {32, 32, 2, 1}, F::kF32, F::kF32, F::kF32, "v16f32", "f32", "f32", "v16f32", 1, 1, 16, ModifierKind::kBroadcast, "mai-insts", "v_mfma_f32_32x32x2_f32", 68, 16, 16, kDense},
    {"mfma_f32_16x16x4f32", {16, 16, 4, 1}, F::kF32, F::kF32, F::kF32, "v4f32", "f32", "f32", "v4f32", 1, 1, 4, ModifierKind::kBroadcast, "mai-insts", "v_mfma_f32_16x16x4_f32", 69, 8, 8, kDense},
    {"mfma_f32_32x32x4f16", {32, 32, 4, 2}, F::kF16, F::kF16, F::kF32, "v32f32", "v4f16", "v4f16", "v32f32", 2, 2, 32, ModifierKind::kBroadcast, "mai-insts", "v_mfma_f32_32x32x4_2b_f16", 72, 16, 16, kDense},
    {"mfma_f32_16x16x4f16", {16, 16, 4, 4}, F::kF16, F::kF16, F::kF32, "v16f32", "v4f16", "v4f16", "v16f32", 2, 2, 16, ModifierKind::kBroadcast, "mai-insts", "v_mfma_f32_16x16x4_4b_f16", 73, 8, 8, kDense},
    {"mfma_f32_4x4x4f16", {4, 4, 4, 16}, F::kF16, F::kF16, F::kF32, "v4f32", "v4f16", "v4f16", "v4f32", 2, 2, 4, ModifierKind::kBroadcast, "mai-insts", "v_mfma_f32_4x4x4_16b_f16", 74, 2, 2, kDense},
    {"mfma_f32_32x32x8f16", {32, 32, 8, 1}, F::kF16, F::kF16, F::kF32, "v16f32", "v4f16", "v4f16", "v16f32", 2, 2, 16, ModifierKind::kBroadcast, "mai-insts", "v_mfma_f32_32x32x8_f16", 76, 8, 8, kDense},
    {"mfma_f32_16x16x16f16", {16, 16, 16, 1}, F::kF16, F::kF16, F::kF32, "v4f32", "v4f16", "v4f16", "v4f32", 2, 2, 4, ModifierKind::kBroadcast, "mai-insts", "v_mfma_f32_16x16x16_f16", 77, 4, 4, kDense},
    {"mfma_f32_16x16x32_f16", {16, 16, 32, 1}, F::kF16, F::kF16, F::kF32, "v4f32", "v8f16", "v8f16", "v4f32", 4, 4, 4, ModifierKind::kBroadcast, "gfx950-insts", "v_mfma_f32_16x16x32_f16", 84, 4, 4, kDense},
    {"mfma_f32_32x32x16_f16", {32, 32, 16, 1}, F::kF16, F::kF16, F::kF32, "v16f32", "v8f16", "v8f16", "v16f32", 4, 4, 16, ModifierKind::kBroadcast, "gfx950-insts", "v_mfma_f32_32x32x16_f16", 85, 8, 8, kDense},
    {"mfma_f32_32x32x4bf16_1k", {32, 32, 4, 2}, F::kBf16, F::kBf16, F::kF32, "v32f32", "v4i16", "v4i16", "v32f32", 2, 2, 32, ModifierKind::kBroadcast, "mai-insts", "v_mfma_f32_32x32x4_2b_bf16", 93, 16, 16, kDense},
    {"mfma_f32_16x16x4bf16_1k", {16, 16, 4, 4}, F::kBf16, F::kBf16, F::kF32, "v16f32", "v4i16", "v4i16", "v16f32", 2, 2, 16, ModifierKind::kBroadcast, "mai-insts", "v_mfma_f32_16x16x4_4b_bf16", 94, 8, 8, kDense},
    {"mfma_f32_4x4x4bf16_1k", {4, 4, 4, 16}, F::kBf16, F::kBf16, F::kF32, "v4f32", "v4i16", "v4i16", "v4f32", 2, 2, 4, ModifierKind::kBroadcast, "mai-insts", "v_mfma_f32_4x4x4_16b_bf16", 95, 2, 2, kDense},
    {"mfma_f32_32x32x8bf16_1k", {32, 32, 8, 1}, F::kBf16, F::kBf16, F::kF32, "v16f32", "v4i16", "v4i16", "v16f32", 2, 2, 16, ModifierKind::kBroadcast, "mai-insts", "v_mfma_f32_32x32x8_bf16", 96, 8, 8, kDense},
    {"mfma_f32_16x16x16bf16_1k", {16, 16, 16, 1}, F::kBf16, F::kBf16, F::kF32, "v4f32", "v4i16", "v4i16", "v4f32", 2, 2, 4, ModifierKind::kBroadcast, "mai-insts", "v_mfma_f32_16x16x16_bf16", 97, 4, 4, kDense},
    {"mfma_f32_16x16x32_bf16", {16, 16, 32, 1}, F::kBf16, F::kBf16, F::kF32, "v4f32", "v8bf16", "v8bf16", "v4f32", 4, 4, 4, ModifierKind::kBroadcast, "gfx950-insts", "v_mfma_f32_16x16x32_bf16", 53, 4, 4, kNoPassText},
    {"mfma_f32_32x32x16_bf16", {32, 32, 16, 1}, F::kBf16, F::kBf16, F::kF32, "v16f32", "v8bf16", "v8bf16", "v16f32", 4, 4, 16, ModifierKind::kBroadcast, "gfx950-insts", "v_mfma_f32_32x32x16_bf16", 55, 8, 8, kNoPassText},
    {"mfma_i32_32x32x4i8", {32, 32, 4, 2}, F::kI8, F::kI8, F::kI32, "v32i32", "i32", "i32", "v32i32", 1, 1, 32, ModifierKind::kBroadcast, "mai-insts", "v_mfma_i32_32x32x4_2b_i8", 80, 16, 16, kDense},
    {"mfma_i32_16x16x4i8", {16, 16, 4, 4}, F::kI8, F::kI8, F::kI32, "v16i32", "i32", "i32", "v16i32", 1, 1, 16, ModifierKind::kBroadcast, "mai-insts", "v_mfma_i32_16x16x4_4b_i8", 81, 8, 8, kDense},
    {"mfma_i32_4x4x4i8", {4, 4, 4, 16}, F::kI8, F::kI8, F::kI32, "v4i32", "i32", "i32", "v4i32", 1, 1, 4, ModifierKind::kBroadcast, "mai-insts", "v_mfma_i32_4x4x4_16b_i8", 82, 2, 2, kDense},
    {"mfma_i32_32x32x16_i8", {32, 32, 16, 1}, F::kI8, F::kI8, F::kI32, "v16i32", "i64", "i64", "v16i32", 2, 2, 16, ModifierKind::kBroadcast, "mai-insts", "v_mfma_i32_32x32x16_i8", 86, 8, 8, kDense},
    {"mfma_i32_16x16x32_i8", {16, 16, 32, 1}, F::kI8, F::kI8, F::kI32, "v4i32", "i64", "i64", "v4i32", 2, 2, 4, ModifierKind::kBroadcast, "mai-insts", "v_mfma_i32_16x16x32_i8", 87, 4, 4, kDense},
    {"mfma_i32_16x16x64_i8", {16, 16, 64, 1}, F::kI8, F::kI8, F::kI32, "v4i32", "v4i32", "v4i32", "v4i32", 4, 4, 4, ModifierKind::kBroadcast, "gfx950-insts", "v_mfma_i32_16x16x64_i8", 54, 4, 4, kNoPassText},
    {"mfma_i32_32x32x32_i8", {32, 32, 32, 1}, F::kI8, F::kI8, F::kI32, "v16i32", "v4i32", "v4i32", "v16i32", 4, 4, 16, ModifierKind::kBroadcast, "gfx950-insts", "v_mfma_i32_32x32x32_i8", 56, 8, 8, kNoPassText},
    {"mfma_f64_16x16x4f64", {16, 16, 4, 1}, F::kF64, F::kF64, F::kF64, "v4f64", "f64", "f64", "v4f64", 2, 2, 8, ModifierKind::kNegate, "mai-insts", "v_mfma_f64_16x16x4_f64", 110, 16, 16, kDense},
    {"mfma_f64_4x4x4f64", {4, 4, 4, 4}, F::kF64, F::kF64, F::kF64, "f64", "f64", "f64", "f64", 2, 2, 2, ModifierKind::kNegate, "mai-insts", "v_mfma_f64_4x4x4_4b_f64", 111, 4, 4, kF64Small},
    {"mfma_f32_16x16x32_bf8_bf8", {16, 16, 32, 1}, F::kBf8E5m2, F::kBf8E5m2, F::kF32, "v4f32", "i64", "i64", "v4f32", 2, 2, 4, ModifierKind::kBroadcast, "fp8-insts", "v_mfma_f32_16x16x32_bf8_bf8", 112, 4, 4, kDense},
    {"mfma_f32_16x16x32_bf8_fp8", {16, 16, 32, 1}, F::kBf8E5m2, F::kFp8E4m3, F::kF32, "v4f32", "i64", "i64", "v4f32", 2, 2, 4, ModifierKind::kBroadcast, "fp8-insts", "v_mfma_f32_16x16x32_bf8_fp8", 113, 4, 4, kDense},
    {"mfma_f32_16x16x32_fp8_bf8", {16, 16, 32, 1}, F::kFp8E4m3, F::kBf8E5m2, F::kF32, "v4f32", "i64", "i64", "v4f32", 2, 2, 4, ModifierKind::kBroadcast, "fp8-insts", "v_mfma_f32_16x16x32_fp8_bf8", 114, 4, 4, kDense},
    {"mfma_f32_16x16x32_fp8_fp8", {16, 16, 32, 1}, F::kFp8E4m3, F::kFp8E4m3, F::kF32, "v4f32", "i64", "i64", "v4f32", 2, 2, 4, ModifierKind::kBroadcast, "fp8-insts", "v_mfma_f32_16x16x32_fp8_fp8", 115, 4, 4, kDense},
    {"mfma_f32_32x32x16_bf8_bf8", {32, 32, 16, 1}, F::kBf8E5m2, F::kBf8E5m2, F::kF32, "v16f32", "i64", "i64", "v16f32", 2, 2, 16, ModifierKind::kBroadcast, "fp8-insts", "v_mfma_f32_32x32x16_bf8_bf8", 116, 8, 8, kDense},
    {"mfma_f32_32x32x16_bf8_fp8", {32, 32, 16, 1}, F::kBf8E5m2, F::kFp8E4m3, F::kF32, "v16f32", "i64", "i64", "v16f32", 2, 2, 16, ModifierKind::kBroadcast, "fp8-insts", "v_mfma_f32_32x32x16_bf8_fp8", 117, 8, 8, kDense},
    {"mfma_f32_32x32x16_fp8_bf8", {32, 32, 16, 1}, F::kFp8E4m3, F::kBf8E5m2, F::kF32, "v16f32", "i64", "i64", "v16f32", 2, 2, 16, ModifierKind::kBroadcast, "fp8-insts", "v_mfma_f32_32x32x16_fp8_bf8", 118, 8, 8, kDense},
    {"mfma_f32_32x32x16_fp8_fp8", {32, 32, 16, 1}, F::kFp8E4m3, F::kFp8E4m3, F::kF32, "v16f32", "i64", "i64", "v16f32", 2, 2, 16, ModifierKind::kBroadcast, "fp8-insts", "v_mfma_f32_32x32x16_fp8_fp8", 119, 8, 8, kDense},
    {"mfma_scale_f32_16x16x128_f8f6f4", {16, 16, 128, 1}, F::kFp8E4m3, F::kFp8E4m3, F::kF32, "v4f32", "v8i32", "v8i32", "v4f32", 8, 8, 4, ModifierKind::kScaled, "gfx950-insts", "v_mfma_scale_f32_16x16x128_f8f6f4", 45, 8, 4, kF8f6f4},
    {"mfma_scale_f32_32x32x64_f8f6f4", {32, 32, 64, 1}, F::kFp8E4m3, F::kFp8E4m3, F::kF32, "v16f32", "v8i32", "v8i32", "v16f32", 8, 8, 16, ModifierKind::kScaled, "gfx950-insts", "v_mfma_scale_f32_32x32x64_f8f6f4", 46, 16, 8, kF8f6f4},
}};
// clang-format on

constexpr std::string_view kLegacyBf16 =
    "the bf16 instruction of gfx908 with two k per lane; gfx950 has the _1k form instead";
constexpr std::string_view kXf32 = "xf32 exists on gfx942 only; Table 28 of the CDNA4 manual has no such row";
constexpr std::string_view kLegacyI8 =
    "the i8 instruction of gfx908 with four k per lane; gfx950 has the form with eight and sixteen instead";
constexpr std::string_view kRejectedSource = "absent from CDNA4 ISA Table 28 and 12.10; clang 22.1.8 cannot select it";

constexpr std::array<RejectedBuiltin, 9> kRejected{{
    {"mfma_f32_32x32x2bf16", kLegacyBf16, kRejectedSource},
    {"mfma_f32_16x16x2bf16", kLegacyBf16, kRejectedSource},
    {"mfma_f32_4x4x2bf16", kLegacyBf16, kRejectedSource},
    {"mfma_f32_32x32x4bf16", kLegacyBf16, kRejectedSource},
    {"mfma_f32_16x16x8bf16", kLegacyBf16, kRejectedSource},
    {"mfma_f32_16x16x8_xf32", kXf32, kRejectedSource},
    {"mfma_f32_32x32x4_xf32", kXf32, kRejectedSource},
    {"mfma_i32_16x16x16i8", kLegacyI8, kRejectedSource},
    {"mfma_i32_32x32x8i8", kLegacyI8, kRejectedSource},
}};

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replace = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replace, row[j] + 1, diagonal + 1});
    }
  }
  return row[b.size()];
}

std::string_view without_prefix(std::string_view name) {
  return name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name;
}

template <typename Row, std::size_t kCount>
const Row* find_by_name(const std::array<Row, kCount>& rows, std::string_view name) {
  const auto it = std::ranges::find(rows, without_prefix(name), &Row::name);
  return it == rows.end() ? nullptr : &*it;
}

}  // namespace

std::span<const Builtin> builtins() { return kBuiltins; }

const Builtin* find_builtin(std::string_view name) { return find_by_name(kBuiltins, name); }

std::span<const RejectedBuiltin> rejected_builtins() { return kRejected; }

const RejectedBuiltin* find_rejected(std::string_view name) { return find_by_name(kRejected, name); }

std::vector<const Builtin*> match_builtins(std::string_view glob) {
  std::vector<const Builtin*> matches;
  const std::string pattern(glob);
  for (const Builtin& builtin : kBuiltins) {
    const std::string name(builtin.name);
    if (system::glob_matches(pattern, name) || system::glob_matches(pattern, std::string(kPrefix) + name)) {
      matches.push_back(&builtin);
    }
  }
  return matches;
}

std::vector<std::string_view> nearest_names(std::string_view name, std::size_t at_most) {
  std::vector<std::pair<std::size_t, const Builtin*>> ranked;  // rows are one array, so their addresses are in order
  for (const Builtin& builtin : kBuiltins) {
    ranked.emplace_back(edit_distance(without_prefix(name), builtin.name), &builtin);
  }
  std::ranges::sort(ranked);
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < std::min(at_most, ranked.size()); ++i) names.push_back(ranked[i].second->name);
  return names;
}

std::string explain_unknown_name(std::string_view name) {
  if (const RejectedBuiltin* rejected = find_rejected(name)) {
    return "clang knows " + std::string(rejected->name) +
           ", but gfx950 does not have it: " + std::string(rejected->reason);
  }
  std::string text = "no dense MFMA builtin of gfx950 is called '" + quoted(name) + "'; the nearest are";
  const char* separator = " ";
  for (const std::string_view near : nearest_names(name, 3)) {
    text += separator + std::string(near);
    separator = ", ";
  }
  return text;
}

}  // namespace mfma::catalogue
