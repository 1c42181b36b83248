#include "harness/kernels/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "harness/kernels/asm_kernel.h"
#include "harness/kernels/locating_kernel.h"
#include "harness/kernels/mode_kernel.h"

namespace mfma::kernels {
namespace {

using catalogue::Instance;
using catalogue::ModifierKind;
using catalogue::Modifiers;

// Types by the names that the catalogue gives them. The builtins take __vector_size__ types, to which these convert.
constexpr std::string_view kPreamble = R"(// Device code only, no headers.
#define KERNEL extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(64, 64))) void
#define VECTOR(n) __attribute__((ext_vector_type(n)))
typedef _Float16 f16;
typedef __bf16 bf16;
typedef float f32;
typedef double f64;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef f16 v4f16 VECTOR(4);
typedef f16 v8f16 VECTOR(8);
typedef bf16 v8bf16 VECTOR(8);
typedef f32 v2f32 VECTOR(2);
typedef f32 v4f32 VECTOR(4);
typedef f32 v16f32 VECTOR(16);
typedef f32 v32f32 VECTOR(32);
typedef f64 v4f64 VECTOR(4);
typedef i16 v2i16 VECTOR(2);
typedef i16 v4i16 VECTOR(4);
typedef i32 v4i32 VECTOR(4);
typedef i32 v8i32 VECTOR(8);
typedef i32 v16i32 VECTOR(16);
typedef i32 v32i32 VECTOR(32);
)";

// What a kernel needs to know of a builtin, catalogued or rejected.
struct Call {
  std::string_view builtin;
  std::string_view a_type, b_type, c_type, result_type;
  std::string immediates;  // the arguments after A, B and C
  bool scales = false;
  std::string set_mode = {};  // statements before the call; need the operands in variables
};

std::string pin(std::string_view variable, RegisterForm form) {
  return fmt::format("    asm volatile(\"\" : \"+{}\"({}));\n", form == RegisterForm::kAgpr ? 'a' : 'v', variable);
}

// The statement that does the work. Without variables where none is needed: at -O0 each costs a trip through memory.
std::string body(const Call& call, RegisterForm form) {
  if (form == RegisterForm::kDefault && call.set_mode.empty())
    return fmt::format("    d[i] = __builtin_amdgcn_{}(a[i], b[i], c[i], {});\n", call.builtin, call.immediates);
  std::string text =
      fmt::format("    {} x = a[i];\n    {} y = b[i];\n    {} z = c[i];\n", call.a_type, call.b_type, call.c_type);
  if (!call.set_mode.empty()) {
    return text + call.set_mode +
           fmt::format("    d[i] = __builtin_amdgcn_{}(x, y, z, {});\n", call.builtin, call.immediates);
  }
  for (const std::string_view variable : {"x", "y", "z"}) text += pin(variable, form);
  text +=
      fmt::format("    {} r = __builtin_amdgcn_{}(x, y, z, {});\n", call.result_type, call.builtin, call.immediates);
  return text + pin("r", form) + "    d[i] = r;\n";
}

Piece piece_around(std::string name, const Call& call, const std::string& statements) {
  std::string text = fmt::format(
      "KERNEL {}(const {}* __restrict a, const {}* __restrict b, const {}* __restrict c, {}* __restrict d,{} i32 "
      "cases) "
      "{{\n",
      name, call.a_type, call.b_type, call.c_type, call.result_type,
      call.scales ? " const i32* __restrict scale_a, const i32* __restrict scale_b," : "");
  text += "  const unsigned group = __builtin_amdgcn_workgroup_id_x();\n";
  text += "  if (group < (unsigned)cases) {\n";
  text += "    const unsigned long i = group * 64ul + __builtin_amdgcn_workitem_id_x();\n";
  text += statements + "  }\n}\n";
  return {std::move(name), std::move(text)};
}

Piece piece_of_call(std::string name, const Call& call, RegisterForm form) {
  return piece_around(std::move(name), call, body(call, form));
}

std::string immediates_of(const Instance& instance) {
  const Modifiers& m = instance.modifiers;
  if (instance.builtin->modifiers != ModifierKind::kScaled) return fmt::format("{}, {}, {}", m.cbsz, m.abid, m.blgp);
  if (!m.scaled) return fmt::format("{}, {}, 0, 0, 0, 0", m.cbsz, m.blgp);
  return fmt::format("{}, {}, {}, scale_a[i], {}, scale_b[i]", m.cbsz, m.blgp, m.op_sel_a, m.op_sel_b);
}

Call call_of(const Instance& instance, std::string immediates) {
  const catalogue::Builtin& b = *instance.builtin;
  return {b.name, b.a_type, b.b_type, b.c_type, b.result_type, std::move(immediates), has_scales(instance), {}};
}

// `size` bits of MODE from bit `offset`. The operands go through the statement.
std::string set_bits(int offset, int size, int value) {
  return fmt::format(
      "    asm volatile(\"s_setreg_imm32_b32 hwreg(HW_REG_MODE, {}, {}), {}\" : \"+v\"(x), \"+v\"(y), \"+v\"(z));\n",
      offset, size, value);
}

std::string set_mode(const cases::ModeBits& mode) {
  std::string text;
  if (mode.round) text += set_bits(0, 4, *mode.round);
  if (mode.denorm) text += set_bits(4, 4, *mode.denorm);
  if (mode.clamp_overflow) text += set_bits(23, 1, 1);
  return text;
}

// Prototypes of the names that gfx950 has no instruction for, as clang 22 declares them (its AST dump).
struct RejectedPrototype {
  std::string_view name, a_type, b_type, c_type;  // the result has the type of C
};
constexpr std::array<RejectedPrototype, 9> kRejected{{
    {"mfma_f32_16x16x2bf16", "v2i16", "v2i16", "v16f32"},
    {"mfma_f32_16x16x8bf16", "v2i16", "v2i16", "v4f32"},
    {"mfma_f32_32x32x2bf16", "v2i16", "v2i16", "v32f32"},
    {"mfma_f32_32x32x4bf16", "v2i16", "v2i16", "v16f32"},
    {"mfma_f32_4x4x2bf16", "v2i16", "v2i16", "v4f32"},
    {"mfma_f32_16x16x8_xf32", "v2f32", "v2f32", "v4f32"},
    {"mfma_f32_32x32x4_xf32", "v2f32", "v2f32", "v16f32"},
    {"mfma_i32_16x16x16i8", "i32", "i32", "v4i32"},
    {"mfma_i32_32x32x8i8", "i32", "i32", "v16i32"},
}};

}  // namespace

std::string kernel_name(const Instance& instance) {
  const Modifiers& m = instance.modifiers;
  std::string name(instance.builtin->name);
  auto out = std::back_inserter(name);
  if (instance.builtin->modifiers != ModifierKind::kScaled) {
    fmt::format_to(out, "__cbsz{}_abid{}_blgp{}", m.cbsz, m.abid, m.blgp);
  } else if (m.scaled) {
    fmt::format_to(out, "__a{}_b{}_sel{}_{}", m.cbsz, m.blgp, m.op_sel_a, m.op_sel_b);
  } else {
    fmt::format_to(out, "__a{}_b{}_unscaled", m.cbsz, m.blgp);
  }
  std::replace(name.begin(), name.end(), '-', 'm');
  return name;
}

bool has_scales(const Instance& instance) {
  return instance.builtin->modifiers == ModifierKind::kScaled && instance.modifiers.scaled;
}

std::string_view preamble() { return kPreamble; }

Piece piece_of(const Instance& instance, RegisterForm form) {
  return piece_of_call(kernel_name(instance), call_of(instance, immediates_of(instance)), form);
}

Piece piece_with_immediates(const Instance& instance, std::string name, std::string immediates) {
  return piece_of_call(std::move(name), call_of(instance, std::move(immediates)), RegisterForm::kDefault);
}

std::string mode_kernel_name(const Instance& instance, const cases::ModeBits& mode) {
  std::string name = kernel_name(instance);
  if (mode.round) name += fmt::format("__round{}", *mode.round);
  if (mode.denorm) name += fmt::format("__denorm{}", *mode.denorm);
  if (mode.clamp_overflow) name += "__clamp";
  return name;
}

Piece mode_piece_of(const Instance& instance, const cases::ModeBits& mode) {
  Call call = call_of(instance, immediates_of(instance));
  call.set_mode = set_mode(mode);
  return piece_of_call(mode_kernel_name(instance, mode), call, RegisterForm::kDefault);
}

Piece locating_piece_of(const Instance& instance) {
  const Call call = call_of(instance, immediates_of(instance));
  std::string name = locating_kernel_name(instance);
  std::string text = fmt::format(
      "KERNEL {}(const {}* __restrict a, const {}* __restrict b, const {}* __restrict c,{} {}* __restrict d, "
      "unsigned* __restrict where, i32 cases, i32) {{\n",
      name, call.a_type, call.b_type, call.c_type,
      call.scales ? " const i32* __restrict scale_a, const i32* __restrict scale_b," : "", call.result_type);
  text += "  const unsigned group = __builtin_amdgcn_workgroup_id_x();\n";
  text += "  if (group < (unsigned)cases) {\n";
  text += "    const unsigned long i = group * 64ul + __builtin_amdgcn_workitem_id_x();\n";
  text += body(call, RegisterForm::kDefault);
  text += "    unsigned hw_id, xcc_id;\n";
  text +=
      "    asm volatile(\"s_getreg_b32 %0, hwreg(HW_REG_HW_ID)\\n\\ts_getreg_b32 %1, hwreg(HW_REG_XCC_ID)\" : "
      "\"=s\"(hw_id), \"=s\"(xcc_id));\n";
  text += "    where[group * 2] = hw_id;\n    where[group * 2 + 1] = xcc_id;\n  }\n}\n";
  return {std::move(name), std::move(text)};
}

std::string locating_kernel_name(const Instance& instance) { return kernel_name(instance) + "__where"; }

Piece asm_piece_of(const Instance& instance) {
  return piece_around(kernel_name(instance), call_of(instance, {}), asm_statements(instance));
}

std::string join(std::span<const Piece> pieces) {
  std::string unit(kPreamble);
  for (const Piece& piece : pieces) unit += piece.text;
  return unit;
}

std::string translation_unit(std::span<const Instance> instances, RegisterForm form) {
  std::string unit(kPreamble);
  for (const Instance& instance : instances) unit += piece_of(instance, form).text;
  return unit;
}

tl::expected<Piece, std::string> rejected_piece(std::string_view name) {
  constexpr std::string_view kPrefix = "__builtin_amdgcn_";
  if (name.starts_with(kPrefix)) name.remove_prefix(kPrefix.size());
  const auto row =
      std::find_if(kRejected.begin(), kRejected.end(), [name](const RejectedPrototype& r) { return r.name == name; });
  if (row == kRejected.end())
    return tl::make_unexpected(fmt::format("{} is not one of the builtins that gfx950 rejects", name));
  return piece_of_call(std::string(name), {row->name, row->a_type, row->b_type, row->c_type, row->c_type, "0, 0, 0"},
                       RegisterForm::kDefault);
}

tl::expected<std::string, std::string> rejected_unit(std::string_view name) {
  return rejected_piece(name).map([](const Piece& piece) { return join({&piece, 1}); });
}

}  // namespace mfma::kernels
