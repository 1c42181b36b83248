#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "harness/gfx950/isa/decoder.h"

namespace mfma::gfx950 {
namespace {

using Text = std::string;

struct Named {
  unsigned code;
  const char* single;  // one dword
  const char* pair;    // two dwords; null: not as a pair
};

constexpr Named kNamed[] = {
    {102, "flat_scratch_lo", "flat_scratch"},
    {103, "flat_scratch_hi", nullptr},
    {104, "xnack_mask_lo", "xnack_mask"},
    {105, "xnack_mask_hi", nullptr},
    {106, "vcc_lo", "vcc"},
    {107, "vcc_hi", nullptr},
    {124, "m0", nullptr},
    {126, "exec_lo", "exec"},
    {127, "exec_hi", nullptr},
    {235, "src_shared_base", "src_shared_base"},
    {236, "src_shared_limit", "src_shared_limit"},
    {237, "src_private_base", "src_private_base"},
    {238, "src_private_limit", "src_private_limit"},
    {251, "src_vccz", "src_vccz"},
    {252, "src_execz", "src_execz"},
    {253, "src_scc", "src_scc"},
};

constexpr unsigned kFirstTemporary = 108, kTemporaries = 16;
constexpr std::array<const char*, 8> kFloats = {"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0"};

// The same as binary16: what a 16-bit integer operand gets.
constexpr std::array<unsigned, 9> kHalves = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118};

Text tuple(const char* prefix, unsigned first, unsigned count) {
  if (count <= 1) return fmt::format("{}{}", prefix, first);
  return fmt::format("{}[{}:{}]", prefix, first, first + count - 1);
}

Text scalar(const Operand& operand) {
  const unsigned code = operand.number;
  for (const Named& named : kNamed) {
    if (named.code != code) continue;
    if (operand.registers <= 1) return named.single;
    if (operand.registers == 2 && named.pair != nullptr) return named.pair;
  }
  if (code >= kFirstTemporary && code < kFirstTemporary + kTemporaries) {
    return tuple("ttmp", code - kFirstTemporary, operand.registers);
  }
  return tuple("s", code, operand.registers);
}

Text constant(const Operand& operand) {
  const int code = operand.number;
  if (code <= 192) return fmt::format("{}", code - 128);
  if (code <= 208) return fmt::format("{}", 192 - code);
  if (operand.type == ValueType::kB16) return fmt::format("{:#x}", kHalves[static_cast<std::size_t>(code - 240)]);
  if (code < 248) return kFloats[static_cast<std::size_t>(code - 240)];
  const bool wide =
      operand.type == ValueType::kF64 || operand.type == ValueType::kB64 || operand.type == ValueType::kI64;
  return wide ? "0.15915494309189532" : "0.15915494";
}

constexpr Named kHardwareRegisters[] = {
    {1, "HW_REG_MODE", nullptr},
    {2, "HW_REG_STATUS", nullptr},
    {3, "HW_REG_TRAPSTS", nullptr},
    {4, "HW_REG_HW_ID", nullptr},
    {5, "HW_REG_GPR_ALLOC", nullptr},
    {6, "HW_REG_LDS_ALLOC", nullptr},
    {7, "HW_REG_IB_STS", nullptr},
    {15, "HW_REG_SH_MEM_BASES", nullptr},
    {16, "HW_REG_TBA_LO", nullptr},
    {17, "HW_REG_TBA_HI", nullptr},
    {18, "HW_REG_TMA_LO", nullptr},
    {19, "HW_REG_TMA_HI", nullptr},
    {20, "HW_REG_XCC_ID", nullptr},
    {21, "HW_REG_SQ_PERF_SNAPSHOT_DATA", nullptr},
    {22, "HW_REG_SQ_PERF_SNAPSHOT_DATA1", nullptr},
    {23, "HW_REG_SQ_PERF_SNAPSHOT_PC_LO", nullptr},
    {24, "HW_REG_SQ_PERF_SNAPSHOT_PC_HI", nullptr},
};

Text hardware_register(std::int32_t immediate) {
  const unsigned word = static_cast<unsigned>(immediate) & 0xffff;
  const unsigned id = word & 63, offset = (word >> 6) & 31, size = (word >> 11) + 1;
  Text name = fmt::format("{}", id);
  for (const Named& named : kHardwareRegisters) {
    if (named.code == id) name = named.single;
  }
  if (offset == 0 && size == 32) return fmt::format("hwreg({})", name);
  return fmt::format("hwreg({}, {}, {})", name, offset, size);
}

// Counters at their maximum mean "do not wait" and are left out; when all are, all are written.
Text wait_counters(std::int32_t immediate) {
  const unsigned word = static_cast<unsigned>(immediate) & 0xffff;
  const unsigned vm = (word & 15) | ((word >> 14) & 3) << 4, exp = (word >> 4) & 7, lgkm = (word >> 8) & 15;
  const bool all = vm == 63 && exp == 7 && lgkm == 15;
  Text text;
  const auto add = [&](const char* name, unsigned value, unsigned maximum) {
    if (value == maximum && !all) return;
    text += fmt::format("{}{}({})", text.empty() ? "" : " ", name, value);
  };
  add("vmcnt", vm, 63);
  add("expcnt", exp, 7);
  add("lgkmcnt", lgkm, 15);
  return text;
}

Text index_mode(unsigned mask) {
  constexpr std::array<const char*, 4> kNames = {"SRC0", "SRC1", "SRC2", "DST"};
  if (mask > 15) return fmt::format("{:#x}", mask);
  Text text;
  for (unsigned i = 0; i < kNames.size(); ++i) {
    if ((mask >> i & 1) != 0) text += fmt::format("{}{}", text.empty() ? "" : ",", kNames[i]);
  }
  return fmt::format("gpr_idx({})", text);
}

Text signed_hex(std::int32_t value) {
  return value < 0 ? fmt::format("-{:#x}", -static_cast<std::int64_t>(value)) : fmt::format("{:#x}", value);
}

Text immediate(const Instruction& in, const Operand& operand) {
  switch (operand.field) {
    case 'K':
      return fmt::format("{:#x}", static_cast<unsigned>(in.immediate) & 0xffff);
    case 'N':
    case 'n':
      return fmt::format("{}", static_cast<unsigned>(in.immediate) & 0xffff);
    case 'J':
      return fmt::format("{}", static_cast<unsigned>(in.immediate) & 0xffff);
    case 'W':
      return wait_counters(in.immediate);
    case 'H':
      return hardware_register(in.immediate);
    case 'I':
      return index_mode(operand.number);
    case 'o':
      return signed_hex(in.immediate);
    default:
      return fmt::format("{}", in.immediate);
  }
}

bool is_half(ValueType type) { return type == ValueType::kB16 || type == ValueType::kF16; }

Text plain(const Instruction& in, const Operand& operand) {
  switch (operand.kind) {
    case OperandKind::kScalar:
      return scalar(operand);
    case OperandKind::kVector:
      return tuple("v", operand.number, operand.registers);
    case OperandKind::kAccumulator:
      return tuple("a", operand.number, operand.registers);
    case OperandKind::kConstant:
      return constant(operand);
    case OperandKind::kLiteral:
      return fmt::format("{:#x}", is_half(operand.type) ? in.literal & 0xffff : in.literal);
    case OperandKind::kImmediate:
      return immediate(in, operand);
    case OperandKind::kOff:
      return "off";
    case OperandKind::kNone:
      break;
  }
  return "";
}

bool takes_float_modifiers(ValueType type) {
  return type == ValueType::kF16 || type == ValueType::kF32 || type == ValueType::kF64;
}

int source_index(const Operand& operand) {
  switch (operand.field) {
    case 'A':
    case 'v':
    case 'g':
      return 0;
    case 'B':
    case 'h':
      return 1;
    case 'C':
      return 2;
    default:
      return -1;
  }
}

Text with_modifiers(const Instruction& in, const Operand& operand) {
  Text text = plain(in, operand);
  const int source = source_index(operand);
  if (in.encoding != Encoding::kVop3 || source < 0 || !takes_float_modifiers(operand.type)) return text;
  if ((in.bits.absolute >> source & 1) != 0) text = fmt::format("|{}|", text);
  if ((in.bits.negate >> source & 1) != 0) text = fmt::format("-{}", text);
  return text;
}

Text bit_list(const char* name, unsigned value, unsigned count) {
  Text text = fmt::format(" {}:[", name);
  for (unsigned i = 0; i < count; ++i) text += fmt::format("{}{}", i == 0 ? "" : ",", value >> i & 1);
  return text + "]";
}

unsigned sources_of(const Instruction& in) {
  unsigned count = 0;
  for (const Operand& operand : in.all_operands()) count += source_index(operand) >= 0 ? 1u : 0u;
  return count;
}

Text packed_modifiers(const Instruction& in) {
  const unsigned n = sources_of(in), all = (1u << n) - 1;
  Text text;
  if ((in.bits.select & all) != 0) text += bit_list("op_sel", in.bits.select, n);
  if ((in.bits.select_high & all) != all) text += bit_list("op_sel_hi", in.bits.select_high, n);
  if ((in.bits.negate & all) != 0) text += bit_list("neg_lo", in.bits.negate, n);
  if ((in.bits.negate_high & all) != 0) text += bit_list("neg_hi", in.bits.negate_high, n);
  if (in.bits.clamp) text += " clamp";
  return text;
}

bool is_f64_matrix(const Instruction& in) { return in.opcode == 110 || in.opcode == 111; }

Text matrix_modifiers(const Instruction& in) {
  Text text;
  if (in.encoding == Encoding::kScaledMai) {
    if (in.bits.select != 0) text += bit_list("op_sel", in.bits.select, 3);
    text += bit_list("op_sel_hi", in.bits.select_high, 3);
  }
  const bool moves = in.operand_count < 3;
  if (moves) return text;
  if (in.bits.cbsz != 0) text += fmt::format(" cbsz:{}", in.bits.cbsz);
  const bool f8f6f4 = in.opcode == 45 || in.opcode == 46;
  if (in.bits.abid != 0 && !f8f6f4) text += fmt::format(" abid:{}", in.bits.abid);
  if (is_f64_matrix(in) && in.bits.blgp != 0)
    text += bit_list("neg", in.bits.blgp, 3);
  else if (in.bits.blgp != 0)
    text += fmt::format(" blgp:{}", in.bits.blgp);
  return text;
}

Text vop3_modifiers(const Instruction& in) {
  const std::string_view name = in.mnemonic;
  Text text;
  if (name == "v_bitop3_b32") {
    const int table = in.bits.output << 6 | in.bits.absolute << 3 | in.bits.negate;
    if (table != 0) text += fmt::format(" bitop3:{:#x}", table);
    return text;
  }
  const unsigned n = sources_of(in);
  const unsigned used = in.bits.select & (((1u << n) - 1) | 8u);
  if (used != 0) {
    // The fourth bit selects the half of the destination.
    text += bit_list("op_sel", (used & ((1u << n) - 1)) | (used >> 3 & 1) << n, n + 1);
  }
  if (in.bits.clamp) text += " clamp";
  constexpr std::array<const char*, 4> kOutput = {"", " mul:2", " mul:4", " div:2"};
  if (in.operand_count > 0 && takes_float_modifiers(in.operands[0].type)) text += kOutput[in.bits.output];
  return text;
}

bool is_two_address(const Instruction& in) {
  return std::string_view(in.mnemonic).find('2') == std::string_view("ds_write").size() ||
         std::string_view(in.mnemonic).find('2') == std::string_view("ds_read").size();
}

Text memory_modifiers(const Instruction& in) {
  Text text;
  const bool ds = in.encoding == Encoding::kDs;
  if (ds && is_two_address(in)) {
    const int first = in.immediate & 0xff, second = in.immediate >> 8;
    if (first != 0) text += fmt::format(" offset0:{}", first);
    if (second != 0) text += fmt::format(" offset1:{}", second);
  } else if (in.immediate != 0) {
    text += fmt::format(" offset:{}", in.immediate);
  }
  if (in.bits.scope0) text += " sc0";
  if (in.bits.non_temporal) text += " nt";
  if (in.bits.scope1) text += " sc1";
  return text;
}

Text scalar_memory_modifiers(const Instruction& in) {
  Text text;
  if (in.operand_count == 3 && in.operands[2].kind == OperandKind::kScalar && in.immediate != 0) {
    text += fmt::format(" offset:{}", signed_hex(in.immediate));
  }
  if (in.bits.scope0) text += " glc";
  return text;
}

Text modifiers(const Instruction& in) {
  switch (in.encoding) {
    case Encoding::kSmem:
      return scalar_memory_modifiers(in);
    case Encoding::kVop3:
      return vop3_modifiers(in);
    case Encoding::kVop3p:
      return packed_modifiers(in);
    case Encoding::kMai:
    case Encoding::kScaledMai:
      return matrix_modifiers(in);
    case Encoding::kFlat:
    case Encoding::kGlobal:
    case Encoding::kScratch:
    case Encoding::kDs:
      return memory_modifiers(in);
    default:
      return "";
  }
}

// The suffix that tells two encodings of one opcode apart; opcodes with a single encoding have none.
const char* suffix(const Instruction& in) {
  constexpr std::array<std::string_view, 7> kWithout = {
      "v_nop", "v_readfirstlane_b32", "v_accvgpr_mov_b32", "v_swap_b32", "v_clrexcp", "v_fmamk_f32", "v_fmaak_f32"};
  if (std::find(kWithout.begin(), kWithout.end(), in.mnemonic) != kWithout.end()) return "";
  switch (in.encoding) {
    case Encoding::kVop1:
    case Encoding::kVop2:
    case Encoding::kVopc:
      return "_e32";
    case Encoding::kVop3:
      return in.opcode < 0x1c0 ? "_e64" : "";
    default:
      return "";
  }
}

}  // namespace

std::string render(const Instruction& in) {
  if (!in.known()) {
    std::string text = ".long";
    for (unsigned i = 0; i < in.bytes / 4u && i < in.dwords.size(); ++i) {
      text += fmt::format("{} {:#010x}", i == 0 ? "" : ",", in.dwords[i]);
    }
    return text;
  }
  std::string text = in.mnemonic;
  text += suffix(in);
  for (unsigned i = 0; i < in.operand_count; ++i) {
    const Operand& operand = in.operands[i];
    if (operand.field == 'n' && in.immediate == 0) continue;
    text += i == 0 ? " " : ", ";
    text += with_modifiers(in, operand);
  }
  return text + modifiers(in);
}

}  // namespace mfma::gfx950
