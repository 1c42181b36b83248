#include "harness/checks/targets.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "harness/catalogue/builtin.h"

namespace mfma::checks {
namespace {

constexpr std::array kTargets{
    Target{"gfx950", "CDNA4"}, Target{"gfx942", "CDNA3"},  Target{"gfx90a", "CDNA2"},
    Target{"gfx908", "CDNA1"}, Target{"gfx1100", "RDNA3"},
};

// Bit per generation that has it.
enum Generations : std::uint8_t { k1 = 1, k2 = 2, k3 = 4, k4 = 8 };
constexpr std::uint8_t kAll = k1 | k2 | k3 | k4;

struct Row {
  std::string_view builtin;
  std::uint8_t generations;
};

constexpr std::array kRows{
    // f32 and f16 of the first generation.
    Row{"mfma_f32_32x32x1f32", kAll},
    Row{"mfma_f32_16x16x1f32", kAll},
    Row{"mfma_f32_4x4x1f32", kAll},
    Row{"mfma_f32_32x32x2f32", kAll},
    Row{"mfma_f32_16x16x4f32", kAll},
    Row{"mfma_f32_32x32x4f16", kAll},
    Row{"mfma_f32_16x16x4f16", kAll},
    Row{"mfma_f32_4x4x4f16", kAll},
    Row{"mfma_f32_32x32x8f16", kAll},
    Row{"mfma_f32_16x16x16f16", kAll},
    // i8: the multi-block shapes stayed, the one-block ones were replaced by deeper ones.
    Row{"mfma_i32_32x32x4i8", kAll},
    Row{"mfma_i32_16x16x4i8", kAll},
    Row{"mfma_i32_4x4x4i8", kAll},
    Row{"mfma_i32_32x32x8i8", k1 | k2},
    Row{"mfma_i32_16x16x16i8", k1 | k2},
    Row{"mfma_i32_32x32x16_i8", k3 | k4},
    Row{"mfma_i32_16x16x32_i8", k3 | k4},
    Row{"mfma_i32_32x32x32_i8", k4},
    Row{"mfma_i32_16x16x64_i8", k4},
    // bf16 of two k, then "1k" of four, then gfx950's.
    Row{"mfma_f32_32x32x2bf16", k1 | k2},
    Row{"mfma_f32_16x16x2bf16", k1 | k2},
    Row{"mfma_f32_4x4x2bf16", k1 | k2},
    Row{"mfma_f32_32x32x4bf16", k1 | k2},
    Row{"mfma_f32_16x16x8bf16", k1 | k2},
    Row{"mfma_f32_32x32x4bf16_1k", k2 | k3 | k4},
    Row{"mfma_f32_16x16x4bf16_1k", k2 | k3 | k4},
    Row{"mfma_f32_4x4x4bf16_1k", k2 | k3 | k4},
    Row{"mfma_f32_32x32x8bf16_1k", k2 | k3 | k4},
    Row{"mfma_f32_16x16x16bf16_1k", k2 | k3 | k4},
    Row{"mfma_f32_16x16x32_bf16", k4},
    Row{"mfma_f32_32x32x16_bf16", k4},
    Row{"mfma_f32_16x16x32_f16", k4},
    Row{"mfma_f32_32x32x16_f16", k4},
    Row{"mfma_f64_16x16x4f64", k2 | k3 | k4},
    Row{"mfma_f64_4x4x4f64", k2 | k3 | k4},
    // CDNA3 only.
    Row{"mfma_f32_16x16x8_xf32", k3},
    Row{"mfma_f32_32x32x4_xf32", k3},
    Row{"mfma_f32_16x16x32_bf8_bf8", k3 | k4},
    Row{"mfma_f32_16x16x32_bf8_fp8", k3 | k4},
    Row{"mfma_f32_16x16x32_fp8_bf8", k3 | k4},
    Row{"mfma_f32_16x16x32_fp8_fp8", k3 | k4},
    Row{"mfma_f32_32x32x16_bf8_bf8", k3 | k4},
    Row{"mfma_f32_32x32x16_bf8_fp8", k3 | k4},
    Row{"mfma_f32_32x32x16_fp8_bf8", k3 | k4},
    Row{"mfma_f32_32x32x16_fp8_fp8", k3 | k4},
    Row{"mfma_scale_f32_16x16x128_f8f6f4", k4},
    Row{"mfma_scale_f32_32x32x64_f8f6f4", k4},
};

std::uint8_t generation_of(std::string_view arch) {
  if (arch == "gfx950") return k4;
  if (arch == "gfx942") return k3;
  if (arch == "gfx90a") return k2;
  if (arch == "gfx908") return k1;
  return 0;
}

}  // namespace

std::span<const Target> targets() { return kTargets; }

bool has_builtin(std::string_view arch, std::string_view builtin) {
  const auto row = std::find_if(kRows.begin(), kRows.end(), [builtin](const Row& r) { return r.builtin == builtin; });
  return row != kRows.end() && (row->generations & generation_of(arch)) != 0;
}

std::vector<std::string_view> all_names() {
  std::vector<std::string_view> names;
  for (const catalogue::Builtin& builtin : catalogue::builtins()) names.push_back(builtin.name);
  for (const catalogue::RejectedBuiltin& rejected : catalogue::rejected_builtins()) names.push_back(rejected.name);
  return names;
}

}  // namespace mfma::checks
