#include "harness/catalogue/describe.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <string>
#include <string_view>
#include <vector>

#include "harness/catalogue/notes.h"

namespace mfma::catalogue {
namespace {

constexpr std::size_t kWidth = 120;
constexpr std::size_t kTextColumn = 17;  // where the text of a "label: text" line begins
constexpr std::size_t kNoteColumn = 21;  // and that of an unsettled reading

std::string shape_text(const Shape& s) {
  const std::string blocks = s.blocks == 1 ? "" : fmt::format(" x{}", s.blocks);
  return fmt::format("{}x{}x{}{}", s.m, s.n, s.k, blocks);
}

bool is_scaled(const Builtin& b) { return b.modifiers == ModifierKind::kScaled; }

std::string formats_text(const Builtin& b) {
  if (is_scaled(b)) return "f8f6f4";
  const std::string_view a = name_of(b.a_format);
  return b.a_format == b.b_format ? std::string(a) : fmt::format("{} x {}", a, name_of(b.b_format));
}

std::string dwords(int count) { return fmt::format("{} dword{}", count, count == 1 ? "" : "s"); }

std::string passes_text(const Builtin& b) {
  return b.passes == b.passes_narrow ? fmt::format("{}", b.passes) : fmt::format("{}/{}", b.passes, b.passes_narrow);
}

std::string modifier_summary(const Builtin& b) {
  switch (b.modifiers) {
    case ModifierKind::kBroadcast:
      return b.shape.blocks == 1
                 ? "blgp"
                 : fmt::format("cbsz 0..{} abid blgp", std::countr_zero(static_cast<unsigned>(b.shape.blocks)));
    case ModifierKind::kNegate:
      return "neg";
    case ModifierKind::kScaled:
      return "formats op_sel";
  }
  return {};
}

// "  label:      text", broken at spaces so that no line passes kWidth.
std::string entry(std::string_view label, std::string_view text, std::size_t column = kTextColumn) {
  std::string out;
  std::string line = fmt::format("  {:<{}}", fmt::format("{}:", label), column - 2);
  std::size_t at = 0;
  bool line_has_text = false;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    if (line_has_text && line.size() + 1 + word.size() > kWidth) {
      out += line + "\n";
      line.assign(column, ' ');
      line_has_text = false;
    }
    if (line_has_text) line += ' ';
    line += word;
    line_has_text = true;
    at = end + 1;
  }
  return out + line + "\n";
}

std::string signature(const Builtin& b) {
  const std::string_view immediates = is_scaled(b) ? "const int cbsz, const int blgp, const int op_sel_a, int scale_a, "
                                                     "const int op_sel_b, int scale_b"
                                                   : "const int cbsz, const int abid, const int blgp";
  return fmt::format("{} __builtin_amdgcn_{}({} a, {} b, {} c, {})", b.result_type, b.name, b.a_type, b.b_type,
                     b.c_type, immediates);
}

std::string shape_entry(const Builtin& b) {
  const Shape& s = b.shape;
  if (s.blocks == 1)
    return fmt::format("D = A B + C; A is {}x{}, B is {}x{}, C and D are {}x{}", s.m, s.k, s.k, s.n, s.m, s.n);
  return fmt::format("{} independent blocks of D = A B + C; A is {}x{}, B is {}x{}, C and D are {}x{}", s.blocks, s.m,
                     s.k, s.k, s.n, s.m, s.n);
}

std::string formats_entry(const Builtin& b) {
  const std::string_view acc = name_of(b.acc_format);
  if (is_scaled(b)) return fmt::format("A and B fp8, bf8, fp6, bf6 or fp4, each on its own; C and D {}", acc);
  return fmt::format("A {}, B {}, C and D {}", name_of(b.a_format), name_of(b.b_format), acc);
}

std::string registers_entry(const Builtin& b) {
  if (!is_scaled(b)) {
    return fmt::format("A {}, B {}, C and D {} dwords per lane", b.a_registers, b.b_registers, b.c_registers);
  }
  return fmt::format(
      "A and B 8 dwords per lane in the source; 8 are read for 8-bit, 6 for 6-bit, 4 for 4-bit formats; "
      "C and D {}; each scale 1",
      b.c_registers);
}

std::string passes_entry(const Builtin& b) {
  if (b.passes == b.passes_narrow) return fmt::format("{} of 4 cycles", b.passes);
  return fmt::format("{} of 4 cycles when A or B is an 8-bit format, else {}", b.passes, b.passes_narrow);
}

struct ModifierLine {
  std::string name, text;
};

std::vector<ModifierLine> modifier_lines(const Builtin& b) {
  switch (b.modifiers) {
    case ModifierKind::kBroadcast: {
      const int highest = std::countr_zero(static_cast<unsigned>(b.shape.blocks));
      std::vector<ModifierLine> lines;
      if (highest == 0) {
        lines.push_back({"cbsz, abid", "0 only: there is one block of A, and nothing to broadcast it to"});
      } else {
        lines.push_back(
            {"cbsz", fmt::format("0..{}: within each set of 2^cbsz blocks, one block of A serves all", highest)});
        lines.push_back({"abid", "0..2^cbsz-1: which block of the set that is"});
      }
      lines.push_back({"blgp",
                       "0..7: the lane l that B is read from. 0: l; 1: l%32; 2: l%32+32; 3: (l+16)%64; "
                       "4..7: l%16 + 0, 16, 32, 48"});
      return lines;
    }
    case ModifierKind::kNegate:
      return {{"cbsz, abid", "0 only: the instruction ignores them"},
              {"blgp", "0..7: bit 0 negates A, bit 1 B, bit 2 C (written neg=abc in an instance)"}};
    case ModifierKind::kScaled:
      return {{"cbsz, blgp",
               "0..4: format of A, of B. 0: fp8 (E4M3), 1: bf8 (E5M2), 2: fp6 (E2M3), 3: bf6 (E3M2), "
               "4: fp4 (E2M1)"},
              {"op_sel_a, _b", "0..3: the byte of each lane's scale dword that is read, as E8M0: 2^(byte - 127)"},
              {"unscaled",
               "the form without scale operands, all scales 1.0: what clang emits when both scales are "
               "the constant 0"}};
  }
  return {};
}

std::string layout_section(std::string_view title, const Instance& instance, Operand operand) {
  return fmt::format("\n  {}\n{}", title, draw_layout(instance, operand));
}

std::string plain_layouts(const Builtin& b) {
  const Instance instance{&b, {}};
  const std::string a = fmt::format("A: row i, {}, {} per lane", name_of(b.a_format), dwords(b.a_registers));
  const std::string bt = fmt::format("B: column j, {}, {} per lane", name_of(b.b_format), dwords(b.b_registers));
  return layout_section(a, instance, Operand::kA) + layout_section(bt, instance, Operand::kB);
}

std::string format_layouts(const Builtin& b) {
  struct Variant {
    int code;
    std::string_view formats;
  };
  constexpr std::array<Variant, 3> kVariants{{{0, "fp8, bf8"}, {2, "fp6, bf6"}, {4, "fp4"}}};
  std::string out;
  for (const Variant& v : kVariants) {
    const Instance instance{&b, {.cbsz = v.code, .blgp = v.code, .scaled = true}};
    out += layout_section(fmt::format("A in {}: {} per lane", v.formats, dwords(instance.a_registers())), instance,
                          Operand::kA);
    out += layout_section(fmt::format("B in {}: {} per lane", v.formats, dwords(instance.b_registers())), instance,
                          Operand::kB);
  }
  const Instance instance{&b, {.scaled = true}};
  out +=
      layout_section("Scales of A: row i, q = k / 32, in the byte that op_sel_a selects", instance, Operand::kScaleA);
  out += layout_section("Scales of B: column j, q = k / 32, in the byte that op_sel_b selects", instance,
                        Operand::kScaleB);
  return out;
}

}  // namespace

std::string list_heading() {
  return fmt::format("{:<35} {:<13} {:<19} {:<4} {:<6} {:<21} {:>3} {:>6}\n", "builtin", "shape", "A x B", "C, D",
                     "passes", "modifiers", "op", "legal");
}

std::string list_line(const Builtin& b) {
  return fmt::format("{:<35} {:<13} {:<19} {:<4} {:<6} {:<21} {:>3} {:>6}\n", b.name, shape_text(b.shape),
                     formats_text(b), name_of(b.acc_format), passes_text(b), modifier_summary(b), b.opcode,
                     legal_count(b));
}

std::string describe(const Builtin& b) {
  std::string out = fmt::format("{}\n", b.name);
  out += entry("signature", signature(b));
  out += entry("shape", shape_entry(b));
  out += entry("formats", formats_entry(b));
  out += entry("registers", registers_entry(b));
  out += entry("instruction", fmt::format("{}, VOP3P-MAI opcode {} (0x{:02x})", b.mnemonic, b.opcode, b.opcode));
  out += entry("passes", passes_entry(b));
  out += entry("needs", fmt::format("target feature {}", b.feature));
  out += entry("instances", fmt::format("{} legal", legal_count(b)));
  for (const ModifierLine& line : modifier_lines(b)) out += entry(line.name, line.text);
  out += is_scaled(b) ? format_layouts(b) : plain_layouts(b);
  out += layout_section(
      fmt::format("C and D: row i, column j, {}, {} per lane", name_of(b.acc_format), dwords(b.c_registers)), {&b, {}},
      Operand::kD);
  out += "    ('~': the element goes on from or into the neighbouring register; '...': left out)\n";
  out += "\n  Unsettled (docs/discrepancies.md)\n";
  for (const Note* note : notes_on(b)) out += entry(note->id, note->line, kNoteColumn);
  out += "\n";
  out += entry("sources", b.source);
  return out;
}

}  // namespace mfma::catalogue
