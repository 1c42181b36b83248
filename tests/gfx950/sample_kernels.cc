#include "tests/gfx950/sample_kernels.h"

#include <fmt/format.h>

namespace mfma::gfx950::test {
namespace {

constexpr const char* kPrelude = R"(
#define KERNEL extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(64, 64)))
typedef float f32; typedef double f64; typedef int i32; typedef long long i64;
typedef float v4f32 __attribute__((ext_vector_type(4)));
typedef float v16f32 __attribute__((ext_vector_type(16)));
typedef float v32f32 __attribute__((ext_vector_type(32)));
typedef double v4f64 __attribute__((ext_vector_type(4)));
typedef int v4i32 __attribute__((ext_vector_type(4)));
typedef int v8i32 __attribute__((ext_vector_type(8)));
typedef int v16i32 __attribute__((ext_vector_type(16)));
typedef int v32i32 __attribute__((ext_vector_type(32)));
typedef short v4i16 __attribute__((ext_vector_type(4)));
typedef _Float16 v4f16 __attribute__((ext_vector_type(4)));
typedef _Float16 v8f16 __attribute__((ext_vector_type(8)));
typedef __bf16 v8bf16 __attribute__((ext_vector_type(8)));
)";

}  // namespace

const std::vector<SampleBuiltin>& sample_builtins() {
  static const std::vector<SampleBuiltin> all = {
      {"mfma_f32_32x32x1f32", "f32", "f32", "v32f32", 4, 4, 128, false},
      {"mfma_f32_16x16x1f32", "f32", "f32", "v16f32", 4, 4, 64, false},
      {"mfma_f32_4x4x1f32", "f32", "f32", "v4f32", 4, 4, 16, false},
      {"mfma_f32_32x32x2f32", "f32", "f32", "v16f32", 4, 4, 64, false},
      {"mfma_f32_16x16x4f32", "f32", "f32", "v4f32", 4, 4, 16, false},
      {"mfma_f32_32x32x4f16", "v4f16", "v4f16", "v32f32", 8, 8, 128, false},
      {"mfma_f32_16x16x4f16", "v4f16", "v4f16", "v16f32", 8, 8, 64, false},
      {"mfma_f32_4x4x4f16", "v4f16", "v4f16", "v4f32", 8, 8, 16, false},
      {"mfma_f32_32x32x8f16", "v4f16", "v4f16", "v16f32", 8, 8, 64, false},
      {"mfma_f32_16x16x16f16", "v4f16", "v4f16", "v4f32", 8, 8, 16, false},
      {"mfma_i32_32x32x4i8", "i32", "i32", "v32i32", 4, 4, 128, false},
      {"mfma_i32_16x16x4i8", "i32", "i32", "v16i32", 4, 4, 64, false},
      {"mfma_i32_4x4x4i8", "i32", "i32", "v4i32", 4, 4, 16, false},
      {"mfma_f32_32x32x4bf16_1k", "v4i16", "v4i16", "v32f32", 8, 8, 128, false},
      {"mfma_f32_16x16x4bf16_1k", "v4i16", "v4i16", "v16f32", 8, 8, 64, false},
      {"mfma_f32_4x4x4bf16_1k", "v4i16", "v4i16", "v4f32", 8, 8, 16, false},
      {"mfma_f32_32x32x8bf16_1k", "v4i16", "v4i16", "v16f32", 8, 8, 64, false},
      {"mfma_f32_16x16x16bf16_1k", "v4i16", "v4i16", "v4f32", 8, 8, 16, false},
      {"mfma_f64_16x16x4f64", "f64", "f64", "v4f64", 8, 8, 32, false},
      {"mfma_f64_4x4x4f64", "f64", "f64", "f64", 8, 8, 8, false},
      {"mfma_i32_16x16x32_i8", "i64", "i64", "v4i32", 8, 8, 16, false},
      {"mfma_i32_32x32x16_i8", "i64", "i64", "v16i32", 8, 8, 64, false},
      {"mfma_f32_16x16x32_bf8_bf8", "i64", "i64", "v4f32", 8, 8, 16, false},
      {"mfma_f32_16x16x32_bf8_fp8", "i64", "i64", "v4f32", 8, 8, 16, false},
      {"mfma_f32_16x16x32_fp8_bf8", "i64", "i64", "v4f32", 8, 8, 16, false},
      {"mfma_f32_16x16x32_fp8_fp8", "i64", "i64", "v4f32", 8, 8, 16, false},
      {"mfma_f32_32x32x16_bf8_bf8", "i64", "i64", "v16f32", 8, 8, 64, false},
      {"mfma_f32_32x32x16_bf8_fp8", "i64", "i64", "v16f32", 8, 8, 64, false},
      {"mfma_f32_32x32x16_fp8_bf8", "i64", "i64", "v16f32", 8, 8, 64, false},
      {"mfma_f32_32x32x16_fp8_fp8", "i64", "i64", "v16f32", 8, 8, 64, false},
      {"mfma_f32_16x16x32_f16", "v8f16", "v8f16", "v4f32", 16, 16, 16, false},
      {"mfma_f32_32x32x16_f16", "v8f16", "v8f16", "v16f32", 16, 16, 64, false},
      {"mfma_f32_16x16x32_bf16", "v8bf16", "v8bf16", "v4f32", 16, 16, 16, false},
      {"mfma_f32_32x32x16_bf16", "v8bf16", "v8bf16", "v16f32", 16, 16, 64, false},
      {"mfma_i32_16x16x64_i8", "v4i32", "v4i32", "v4i32", 16, 16, 16, false},
      {"mfma_i32_32x32x32_i8", "v4i32", "v4i32", "v16i32", 16, 16, 64, false},
      {"mfma_scale_f32_16x16x128_f8f6f4", "v8i32", "v8i32", "v4f32", 32, 32, 16, true},
      {"mfma_scale_f32_32x32x64_f8f6f4", "v8i32", "v8i32", "v16f32", 32, 32, 64, true},
  };
  return all;
}

std::vector<SampleKernel> sample_kernels() {
  std::vector<SampleKernel> kernels;
  const auto add = [&](const SampleBuiltin& builtin, std::string modifiers, bool with_scales) {
    kernels.push_back({fmt::format("k{}", kernels.size()), &builtin, std::move(modifiers), with_scales});
  };
  for (const SampleBuiltin& builtin : sample_builtins()) {
    const std::string_view name = builtin.name;
    if (builtin.scaled) {
      // Both format codes over their range; the four bytes of each scale; and the form without scales.
      for (int code = 0; code < 5; ++code) {
        add(builtin, fmt::format("{}, {}, {}, SA, {}, SB", code, (code * 2) % 5, code % 4, (code + 3) % 4), true);
        add(builtin, fmt::format("{}, {}, 0, SA, 0, SB", (code * 3) % 5, code), false);
      }
      continue;
    }
    add(builtin, "0, 0, 0", false);
    add(builtin, "0, 0, 5", false);
    const bool blocks = name.find("_4x4x") != std::string_view::npos || name.find("x1f32") != std::string_view::npos ||
                        name.find("x4f16") != std::string_view::npos || name.find("x4i8") != std::string_view::npos ||
                        name.find("x4bf16") != std::string_view::npos;
    const bool f64 = name.find("f64") != std::string_view::npos;
    if (blocks && !f64) add(builtin, "1, 1, 3", false);
  }
  return kernels;
}

std::string sample_source(const std::vector<SampleKernel>& kernels, Registers registers) {
  std::string source = kPrelude;
  const char* hint = registers == Registers::kAgpr ? "+a" : "+v";
  const auto pin = [&](const char* variable) {
    return registers == Registers::kCompilerChoice ? std::string()
                                                   : fmt::format("asm volatile(\"\" : \"{}\"({})); ", hint, variable);
  };
  for (const SampleKernel& kernel : kernels) {
    const SampleBuiltin& b = *kernel.builtin;
    std::string modifiers = kernel.modifiers;
    const auto substitute = [&](const std::string& what, const std::string& with) {
      if (const auto at = modifiers.find(what); at != std::string::npos) modifiers.replace(at, what.size(), with);
    };
    substitute("SA", kernel.with_scales ? "sa[i]" : "0");
    substitute("SB", kernel.with_scales ? "sb[i]" : "0");
    source += fmt::format(
        "KERNEL void {}(const {}* __restrict a, const {}* __restrict b, const {}* __restrict c, {}* __restrict d{}, "
        "int n) {{\n"
        "  unsigned w = __builtin_amdgcn_workgroup_id_x();\n"
        "  if (w < (unsigned)n) {{\n"
        "    unsigned long i = (unsigned long)w * 64 + __builtin_amdgcn_workitem_id_x();\n"
        "    {} x = a[i]; {} y = b[i]; {} z = c[i]; {}{}{}\n"
        "    {} r = __builtin_amdgcn_{}(x, y, z, {}); {}\n"
        "    d[i] = r;\n  }}\n}}\n",
        kernel.name, b.a, b.b, b.c, b.c, b.scaled ? ", const int* __restrict sa, const int* __restrict sb" : "", b.a,
        b.b, b.c, pin("x"), pin("y"), pin("z"), b.c, b.name, modifiers, pin("r"));
  }
  return source;
}

}  // namespace mfma::gfx950::test
