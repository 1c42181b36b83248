#include "harness/gfx950/isa/decoder.h"

#include "harness/gfx950/isa/opcodes.h"

namespace mfma::gfx950 {
namespace {

constexpr unsigned kVccLow = 106;
constexpr unsigned kSdwaCode = 249, kDppCode = 250, kLiteralCode = 255, kFirstVgprCode = 256;
constexpr unsigned kFirstConstantCode = 128, kLastConstantCode = 248;
constexpr unsigned kNoScalarAddress = 0x7f;
constexpr unsigned kAccvgprWrite = 89;
constexpr std::uint32_t kLoadScalePrefix = 0xd3ac;  // manual 7.2.1: bits 31:16 of the load-scale pair

constexpr unsigned bits(std::uint32_t word, unsigned high, unsigned low) {
  return (word >> low) & ((1u << (high - low + 1)) - 1u);
}

constexpr std::int32_t sign_extend(std::uint32_t value, unsigned width) {
  const std::uint32_t sign = 1u << (width - 1);
  return static_cast<std::int32_t>((value ^ sign) - sign);
}

// The fields that operands are made of, read out of the words of one encoding.
struct Fields {
  unsigned destination = 0;
  unsigned scalar_destination = kVccLow;  // carry out: VCC unless the encoding has SDST
  unsigned source[3] = {0, 0, 0};
  unsigned mask = kVccLow;  // carry in or select mask: VCC unless the encoding has SRC2
  unsigned compare_destination = kVccLow;
  bool accumulator_destination = false;
  bool accumulator_source[3] = {false, false, false};
  bool literal_allowed = false;
  unsigned address = 0, data0 = 0, data1 = 0, scalar_address = kNoScalarAddress;
  bool address_is_vector = true;
  unsigned base = 0;
  bool offset_is_scalar = false;
  unsigned offset_register = 0;
};

class Decoder {
 public:
  Decoder(std::span<const std::uint32_t> words, std::uint64_t pc) : words_(words) {
    in_.pc = pc;
    for (std::size_t i = 0; i < in_.dwords.size() && i < words.size(); ++i) in_.dwords[i] = words[i];
  }

  Instruction run() {
    if (words_.empty()) {
      refuse("code ends here");
      return in_;
    }
    dispatch(words_[0]);
    if (in_.problem != nullptr) {
      in_.id = -1;
      in_.mnemonic = nullptr;
      in_.operand_count = 0;
      in_.output_count = 0;
    }
    return in_;
  }

 private:
  void refuse(const char* why) {
    if (in_.problem == nullptr) in_.problem = why;
  }

  // Manual chapter 13: the leading bits name the encoding.
  void dispatch(std::uint32_t w) {
    if (bits(w, 31, 31) == 0) return vector_short(w);
    switch (bits(w, 31, 26)) {
      case 0b110000:
        return with_second(Encoding::kSmem, &Decoder::scalar_memory);
      case 0b110100:
        return bits(w, 25, 23) == 0b111 ? with_second(Encoding::kVop3p, &Decoder::packed_or_matrix)
                                        : with_second(Encoding::kVop3, &Decoder::vector_long);
      case 0b110110:
        return with_second(Encoding::kDs, &Decoder::data_share);
      case 0b110111:
        return with_second(Encoding::kFlat, &Decoder::flat);
      case 0b110001:
      case 0b110010:
      case 0b110011:
      case 0b110101:
      case 0b111001:
      case 0b111011:
      case 0b111100:
      case 0b111101:
      case 0b111110:
      case 0b111111:
        return refuse("reserved encoding");
      case 0b111000:
      case 0b111010:
        in_.bytes = 8;
        return refuse("buffer instructions are not modelled");
      default:
        return scalar(w);
    }
  }

  void with_second(Encoding encoding, void (Decoder::*next)()) {
    in_.encoding = encoding;
    in_.bytes = 8;
    if (words_.size() < 2) return refuse("code ends inside the instruction");
    (this->*next)();
  }

  // SOP1, SOPC and SOPP sit in what would be SOPK numbers, SOPK in what would be SOP2 numbers.
  void scalar(std::uint32_t w) {
    Fields f;
    f.literal_allowed = true;
    f.source[0] = bits(w, 7, 0);
    f.source[1] = bits(w, 15, 8);
    f.destination = bits(w, 22, 16);
    in_.immediate = sign_extend(w & 0xffff, 16);
    const unsigned top = bits(w, 31, 23);
    if (top == 0b101111101) return finish(Encoding::kSop1, bits(w, 15, 8), f);
    if (top == 0b101111110) return finish(Encoding::kSopc, bits(w, 22, 16), f);
    if (top == 0b101111111) return finish(Encoding::kSopp, bits(w, 22, 16), f);
    if (bits(w, 31, 28) == 0b1011) return finish(Encoding::kSopk, bits(w, 27, 23), f);
    finish(Encoding::kSop2, bits(w, 29, 23), f);
  }

  void vector_short(std::uint32_t w) {
    Fields f;
    f.literal_allowed = true;
    f.source[0] = bits(w, 8, 0);
    f.source[1] = kFirstVgprCode + bits(w, 16, 9);
    f.destination = bits(w, 24, 17);
    const unsigned op = bits(w, 30, 25);
    if (f.source[0] == kSdwaCode || f.source[0] == kDppCode) {
      in_.bytes = 8;
      return refuse("SDWA and DPP are not modelled");
    }
    if (op == 0b111111) {
      f.accumulator_destination = true;  // for v_accvgpr_mov; arch VGPR slots ignore it
      return finish(Encoding::kVop1, bits(w, 16, 9), f);
    }
    if (op == 0b111110) return finish(Encoding::kVopc, bits(w, 24, 17), f);
    finish(Encoding::kVop2, op, f);
  }

  // A VOP3 number is a VOPC number, a VOP2 number + 0x100, a VOP1 number + 0x140, or one of its own. Table 85 of the
  // manual lists VOP1 at + 0x180; its section 12.8.1 and all published encodings say + 0x140.
  void vector_long() {
    const std::uint32_t w = words_[0], v = words_[1];
    Fields f;
    for (unsigned i = 0; i < 3; ++i) f.source[i] = bits(v, 8 + 9 * i, 9 * i);
    f.destination = bits(w, 7, 0);
    f.scalar_destination = bits(w, 14, 8);
    f.compare_destination = f.destination;
    f.mask = f.source[2];
    f.accumulator_destination = true;
    const unsigned op = bits(w, 25, 16);
    Encoding table = Encoding::kVop3;
    unsigned number = op;
    if (op < 0x100)
      table = Encoding::kVopc;
    else if (op < 0x140)
      table = Encoding::kVop2, number = op - 0x100;
    else if (op < 0x1c0)
      table = Encoding::kVop1, number = op - 0x140;
    const int id = find_opcode(table, number);
    const Signature* signature = id < 0 ? nullptr : &opcodes()[static_cast<std::size_t>(id)].row->signature;
    const bool has_carry = signature != nullptr && has_field(*signature, 'X');
    if (signature != nullptr && has_field(*signature, 'L')) return refuse("opcode has no VOP3 form");
    if (!has_carry) {
      in_.bits.absolute = static_cast<std::uint8_t>(bits(w, 10, 8));
      in_.bits.select = static_cast<std::uint8_t>(bits(w, 14, 11));
    }
    in_.bits.clamp = bits(w, 15, 15) != 0;
    in_.bits.output = static_cast<std::uint8_t>(bits(v, 28, 27));
    in_.bits.negate = static_cast<std::uint8_t>(bits(v, 31, 29));
    in_.opcode = static_cast<std::uint16_t>(op);
    use(id, f);
  }

  void packed_or_matrix() {
    const std::uint32_t w = words_[0], v = words_[1];
    const unsigned op = bits(w, 22, 16);
    if (w >> 16 == kLoadScalePrefix) return scaled_matrix();
    if (find_opcode(Encoding::kMai, op) >= 0) return matrix(w, v, Encoding::kMai);
    Fields f;
    for (unsigned i = 0; i < 3; ++i) f.source[i] = bits(v, 8 + 9 * i, 9 * i);
    f.destination = bits(w, 7, 0);
    in_.bits.negate_high = static_cast<std::uint8_t>(bits(w, 10, 8));
    in_.bits.select = static_cast<std::uint8_t>(bits(w, 13, 11));
    in_.bits.select_high = static_cast<std::uint8_t>(bits(v, 28, 27) | bits(w, 14, 14) << 2);
    in_.bits.clamp = bits(w, 15, 15) != 0;
    in_.bits.negate = static_cast<std::uint8_t>(bits(v, 31, 29));
    finish(Encoding::kVop3p, op, f);
  }

  void matrix(std::uint32_t w, std::uint32_t v, Encoding encoding) {
    Fields f;
    for (unsigned i = 0; i < 3; ++i) f.source[i] = bits(v, 8 + 9 * i, 9 * i);
    f.destination = bits(w, 7, 0);
    f.accumulator_destination = f.accumulator_source[2] = bits(w, 15, 15) != 0;
    f.accumulator_source[0] = bits(v, 27, 27) != 0;
    f.accumulator_source[1] = bits(v, 28, 28) != 0;
    in_.bits.cbsz = static_cast<std::uint8_t>(bits(w, 10, 8));
    in_.bits.abid = static_cast<std::uint8_t>(bits(w, 14, 11));
    in_.bits.blgp = static_cast<std::uint8_t>(bits(v, 31, 29));
    finish(Encoding::kMai, bits(w, 22, 16), f);
    in_.encoding = encoding;
    if (in_.opcode == 45 || in_.opcode == 46) {
      narrow(in_.operands[1], in_.bits.cbsz);
      narrow(in_.operands[2], in_.bits.blgp);
    }
  }

  // Registers of an f8f6f4 operand by format code: 8-bit formats 8, 6-bit 6, 4-bit 4 (manual 7.1.5). Reserved codes
  // keep the widest.
  static void narrow(Operand& operand, unsigned format) {
    constexpr std::uint8_t kRegisters[8] = {8, 8, 6, 6, 4, 8, 8, 8};
    operand.registers = kRegisters[format];
  }

  // Two pairs: the load-scale pair with the scales, then an f8f6f4 MFMA (manual 7.2.1).
  void scaled_matrix() {
    in_.encoding = Encoding::kScaledMai;
    in_.bytes = 16;
    if (words_.size() < 4) return refuse("code ends inside the instruction");
    const std::uint32_t scale = words_[0], sources = words_[1], w = words_[2];
    const unsigned op = bits(w, 22, 16);
    if (bits(w, 31, 23) != 0b110100111 || (op != 45 && op != 46)) {
      return refuse("load-scale prefix without an f8f6f4 MFMA after it");
    }
    matrix(w, words_[3], Encoding::kScaledMai);
    if (in_.problem != nullptr) return;
    in_.mnemonic = op == 45 ? "v_mfma_scale_f32_16x16x128_f8f6f4" : "v_mfma_scale_f32_32x32x64_f8f6f4";
    in_.bits.select = static_cast<std::uint8_t>(bits(scale, 12, 11));
    in_.bits.select_high = static_cast<std::uint8_t>(bits(sources, 28, 27));
    in_.bits.negate_high = static_cast<std::uint8_t>(bits(scale, 10, 8));
    in_.bits.negate = static_cast<std::uint8_t>(bits(sources, 31, 29));
    Fields f;
    f.source[0] = bits(sources, 8, 0);
    f.source[1] = bits(sources, 17, 9);
    append({'A', ValueType::kF32, 1}, f);
    append({'B', ValueType::kF32, 1}, f);
  }

  void scalar_memory() {
    const std::uint32_t w = words_[0], v = words_[1];
    Fields f;
    f.base = bits(w, 5, 0) * 2;
    f.destination = bits(w, 12, 6);
    const bool immediate = bits(w, 17, 17) != 0, scalar_offset = bits(w, 14, 14) != 0;
    if (immediate) in_.immediate = sign_extend(bits(v, 20, 0), 21);
    f.offset_is_scalar = scalar_offset || !immediate;
    f.offset_register = scalar_offset ? bits(v, 31, 25) : bits(v, 6, 0);
    in_.bits.scope0 = bits(w, 16, 16) != 0;
    in_.bits.non_temporal = bits(w, 15, 15) != 0;
    finish(Encoding::kSmem, bits(w, 25, 18), f);
  }

  void flat() {
    constexpr Encoding kSegments[3] = {Encoding::kFlat, Encoding::kScratch, Encoding::kGlobal};
    const std::uint32_t w = words_[0], v = words_[1];
    const unsigned segment = bits(w, 15, 14);
    if (segment == 3) return refuse("reserved memory segment");
    Fields f;
    f.address = bits(v, 7, 0);
    f.data0 = bits(v, 15, 8);
    f.destination = bits(v, 31, 24);
    f.accumulator_destination = bits(v, 23, 23) != 0;
    // FLAT does not use SADDR; in SCRATCH, bit 13 says whether the VGPR takes part (manual table 56).
    if (segment != 0) f.scalar_address = bits(v, 22, 16);
    const bool bit13 = bits(w, 13, 13) != 0;
    f.address_is_vector = segment != 1 || bit13;
    in_.bits.lds = segment != 1 && bit13;
    if (in_.bits.lds) return refuse("transfers between memory and LDS are not modelled");
    in_.immediate = segment == 0 ? static_cast<std::int32_t>(bits(w, 11, 0)) : sign_extend(bits(w, 12, 0), 13);
    in_.bits.scope0 = bits(w, 16, 16) != 0;
    in_.bits.non_temporal = bits(w, 17, 17) != 0;
    in_.bits.scope1 = bits(w, 25, 25) != 0;
    finish(kSegments[segment], bits(w, 24, 18), f);
  }

  void data_share() {
    const std::uint32_t w = words_[0], v = words_[1];
    Fields f;
    f.address = bits(v, 7, 0);
    f.data0 = bits(v, 15, 8);
    f.data1 = bits(v, 23, 16);
    f.destination = bits(v, 31, 24);
    f.accumulator_destination = bits(w, 25, 25) != 0;
    in_.immediate = static_cast<std::int32_t>(bits(w, 15, 0));
    if (bits(w, 16, 16) != 0) return refuse("reserved bit 16 of DS is set");
    finish(Encoding::kDs, bits(w, 24, 17), f);
  }

  void finish(Encoding encoding, unsigned op, const Fields& f) {
    in_.encoding = encoding;
    in_.opcode = static_cast<std::uint16_t>(op);
    use(find_opcode(encoding, op), f);
  }

  void use(int id, const Fields& f) {
    if (id < 0) return refuse("opcode not in the tables");
    in_.id = static_cast<std::int16_t>(id);
    const OpcodeRow& row = *opcodes()[static_cast<std::size_t>(id)].row;
    in_.mnemonic = row.mnemonic;
    for (unsigned i = 0; i < row.signature.count; ++i) append(row.signature.slots[i], f);
  }

  static bool has_field(const Signature& signature, char field) {
    for (unsigned i = 0; i < signature.count; ++i) {
      if (signature.slots[i].field == field) return true;
    }
    return false;
  }

  void append(const Slot& slot, const Fields& f) {
    Operand operand = make(slot, f);
    operand.type = slot.type;
    operand.field = slot.field;
    if (operand.kind == OperandKind::kNone) return;
    in_.operands[in_.operand_count++] = operand;
    constexpr std::string_view kOutputs = "DdawXYV";
    if (kOutputs.find(slot.field) != std::string_view::npos) in_.output_count = in_.operand_count;
  }

  bool is_vector_encoding() const { return in_.encoding >= Encoding::kVop1; }

  Operand make(const Slot& slot, const Fields& f) {
    const std::uint8_t n = slot.registers;
    switch (slot.field) {
      case 'D':
        if (!is_vector_encoding()) return scalar_register(f.destination, n);
        return vector_register(f.destination, n, f.accumulator_destination && has_accumulator_bit());
      case 'A':
        return matrix_or_source(0, n, f);
      case 'B':
        return matrix_or_source(1, n, f);
      case 'C':
        return matrix_or_source(2, n, f);
      case 'g':
        return scalar_source(f.source[0], n);
      case 'h':
        return scalar_source(f.source[1], n);
      case 'v':
      case 'V':
        return vector_only(f.source[0], n, false);
      case 'r':
        return vector_only(f.source[0], n, true);
      case 'q':
        return vector_only(f.source[2], n, false);
      case 't':
        return vector_only(f.source[0], n, true);
      case 'a':
      case 'w':
        return vector_register(f.destination, n, true);
      case 'd':
        return scalar_register(f.destination, n);
      case 'X':
        return scalar_register(f.scalar_destination, n);
      case 'Y':
        return scalar_register(f.compare_destination, n);
      case 'M':
        return scalar_register(f.mask, n);
      case 'R':
        return scalar_register(f.destination, n);
      case 'L':
        return literal();
      case 'b':
        return scalar_register(f.base, n);
      case 'o':
        return f.offset_is_scalar ? scalar_register(f.offset_register, n) : Operand{OperandKind::kImmediate};
      case 'P':
        return address(f);
      case 'E':
        return vector_register(f.data0, n, f.accumulator_destination);
      case 'F':
        return vector_register(f.data1, n, f.accumulator_destination);
      case 'S':
        return scalar_address(f);
      case 'I':
        return {OperandKind::kImmediate, ValueType::kB32, 0, 0, static_cast<std::uint16_t>(f.source[1])};
      default:
        return {OperandKind::kImmediate};  // K N J W H: SIMM16 is in `immediate`
    }
  }

  // 'D' is an AccVGPR by a bit of the encoding only in the matrix and memory encodings.
  bool has_accumulator_bit() const {
    return in_.encoding == Encoding::kMai || in_.encoding == Encoding::kScaledMai || in_.encoding >= Encoding::kFlat;
  }

  Operand scalar_register(unsigned code, std::uint8_t n) {
    if (code > 127) {
      refuse("scalar register field holds no scalar register");
      return {OperandKind::kScalar, ValueType::kB32, n, 0, 0};
    }
    if (code == 125) refuse("reserved scalar register 125");
    return {OperandKind::kScalar, ValueType::kB32, n, 0, static_cast<std::uint16_t>(code)};
  }

  static Operand vector_register(unsigned number, std::uint8_t n, bool accumulator) {
    return {accumulator ? OperandKind::kAccumulator : OperandKind::kVector, ValueType::kB32, n, 0,
            static_cast<std::uint16_t>(number)};
  }

  Operand vector_only(unsigned code, std::uint8_t n, bool accumulator) {
    if (code < kFirstVgprCode) refuse("source must be a VGPR");
    return vector_register(code & 0xff, n, accumulator);
  }

  // Manual tables 13 and 23.
  Operand source(unsigned code, std::uint8_t n, bool accumulator, bool literal_allowed) {
    if (code >= kFirstVgprCode) return vector_register(code - kFirstVgprCode, n, accumulator);
    if (code == kLiteralCode) {
      if (literal_allowed) return literal(n);
      refuse("this encoding takes no literal constant");
      return {OperandKind::kLiteral, ValueType::kB32, n, 0, 0};
    }
    const auto number = static_cast<std::uint16_t>(code);
    const bool constant = (code >= 128 && code <= 208) || (code >= 240 && code <= 248);
    if (constant) return {OperandKind::kConstant, ValueType::kB32, n, 0, number};
    const bool special = (code >= 235 && code <= 238) || (code >= 251 && code <= 253);
    if (code > 127 && !special) refuse("reserved source operand");
    if (code == 125) refuse("reserved scalar register 125");
    return {OperandKind::kScalar, ValueType::kB32, n, 0, number};
  }

  // SRC0 and SRC1 of a matrix instruction must be registers, SRC2 a register or a constant (manual 7.1.2).
  Operand matrix_or_source(unsigned index, std::uint8_t n, const Fields& f) {
    const unsigned code = f.source[index];
    const bool matrix = in_.encoding == Encoding::kMai && in_.opcode != kAccvgprWrite;
    if (matrix && code < kFirstVgprCode && (index < 2 || code < kFirstConstantCode || code > kLastConstantCode)) {
      refuse(index < 2 ? "SRC0 and SRC1 of a matrix instruction must be VGPRs"
                       : "SRC2 of a matrix instruction must be a VGPR or a constant");
    }
    // v_accvgpr_write reads an arch VGPR whatever ACC says (compilers set it).
    const bool accumulator = f.accumulator_source[index] && (matrix || in_.encoding != Encoding::kMai);
    return source(code, n, accumulator, f.literal_allowed);
  }

  Operand scalar_source(unsigned code, std::uint8_t n) {
    if (code >= kFirstVgprCode) refuse("source must not be a VGPR");
    return source(code, n, false, false);
  }

  Operand literal(std::uint8_t n = 1) {
    if (in_.bytes == 4) {
      in_.bytes = 8;
      if (words_.size() < 2)
        refuse("code ends inside the instruction");
      else
        in_.literal = words_[1];
    }
    return {OperandKind::kLiteral, ValueType::kB32, n, 0, 0};
  }

  Operand address(const Fields& f) const {
    if (in_.encoding == Encoding::kDs) return vector_register(f.address, 1, false);
    if (!f.address_is_vector) return {OperandKind::kOff};
    const bool full =
        in_.encoding == Encoding::kFlat || (in_.encoding == Encoding::kGlobal && f.scalar_address == kNoScalarAddress);
    return vector_register(f.address, full ? 2 : 1, false);
  }

  Operand scalar_address(const Fields& f) {
    if (in_.encoding == Encoding::kFlat) return {};
    if (f.scalar_address == kNoScalarAddress) return {OperandKind::kOff};
    return scalar_register(f.scalar_address, in_.encoding == Encoding::kGlobal ? 2 : 1);
  }

  std::span<const std::uint32_t> words_;
  Instruction in_;
};

}  // namespace

Instruction decode(std::span<const std::uint32_t> dwords, std::uint64_t pc) { return Decoder(dwords, pc).run(); }

std::uint64_t branch_target(const Instruction& instruction) {
  return instruction.pc + 4 + static_cast<std::uint64_t>(std::int64_t{instruction.immediate} * 4);
}

}  // namespace mfma::gfx950
