#include "harness/kernels/asm_kernel.h"

#include <fmt/format.h>

#include <string_view>

namespace mfma::kernels {
namespace {

using catalogue::Instance;
using catalogue::ModifierKind;
using catalogue::Modifiers;

// The instruction's modifiers as the assembler reads them (the text of the decoder's renderer, harness/gfx950).
std::string modifiers_text(const Instance& instance) {
  const Modifiers& m = instance.modifiers;
  std::string text;
  switch (instance.builtin->modifiers) {
    case ModifierKind::kBroadcast:
      if (m.cbsz != 0) text += fmt::format(" cbsz:{}", m.cbsz);
      if (m.abid != 0) text += fmt::format(" abid:{}", m.abid);
      if (m.blgp != 0) text += fmt::format(" blgp:{}", m.blgp);
      break;
    case ModifierKind::kNegate:
      if (m.blgp != 0) text += fmt::format(" neg:[{},{},{}]", m.blgp & 1, m.blgp >> 1 & 1, m.blgp >> 2 & 1);
      break;
    case ModifierKind::kScaled:
      // The byte of a scale dword: OP_SEL is bit 0 of its number, OP_SEL_HI bit 1 (CDNA4 ISA 7.1.5).
      if (m.scaled) {
        text += fmt::format(" op_sel:[{},{},0] op_sel_hi:[{},{},0]", m.op_sel_a & 1, m.op_sel_b & 1,
                            m.op_sel_a >> 1 & 1, m.op_sel_b >> 1 & 1);
      }
      if (m.cbsz != 0) text += fmt::format(" cbsz:{}", m.cbsz);
      if (m.blgp != 0) text += fmt::format(" blgp:{}", m.blgp);
      break;
  }
  return text;
}

// An operand as wide as the instruction reads it: the f8f6f4 builtins take eight registers, narrow formats read fewer.
std::string operand(std::string_view variable, int declared, int read) {
  if (declared == read) return std::string(variable);
  std::string text = fmt::format("__builtin_shufflevector({0}, {0}", variable);
  for (int n = 0; n < read; ++n) text += fmt::format(", {}", n);
  return text + ")";
}

}  // namespace

std::string asm_statements(const Instance& instance) {
  const catalogue::Builtin& b = *instance.builtin;
  const bool scales = has_scales(instance);
  // The table has the scaled name; without a scale source the assembler wants v_mfma_f32_...
  std::string mnemonic(b.mnemonic);
  constexpr std::string_view kScaledName = "v_mfma_scale_";
  if (!scales && mnemonic.starts_with(kScaledName)) mnemonic = "v_mfma_" + mnemonic.substr(kScaledName.size());
  return fmt::format(
      "    {} x = a[i];\n    {} y = b[i];\n    {} z = c[i];\n    {} r;\n"
      "    asm volatile(\"s_nop 15\\n\\ts_nop 15\\n\\t\"\n"
      "                 \"{} %0, %1, %2, %3{}{}\\n\\t\"\n"
      "                 \"s_nop 15\\n\\ts_nop 15\"\n"
      "                 : \"=&v\"(r) : \"v\"({}), \"v\"({}), \"v\"(z){});\n"
      "    d[i] = r;\n",
      b.a_type, b.b_type, b.c_type, b.result_type, mnemonic, scales ? ", %4, %5" : "", modifiers_text(instance),
      operand("x", b.a_registers, instance.a_registers()), operand("y", b.b_registers, instance.b_registers()),
      scales ? ", \"v\"(scale_a[i]), \"v\"(scale_b[i])" : "");
}

}  // namespace mfma::kernels
