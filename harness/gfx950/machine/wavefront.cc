#include "harness/gfx950/machine/wavefront.h"

#include <array>

namespace mfma::gfx950 {
namespace {

// Codes 240 to 248: 0.5, -0.5, 1, -1, 2, -2, 4, -4, 1/(2 pi).
constexpr std::array<std::uint64_t, 9> kHalf = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118};
constexpr std::array<std::uint64_t, 9> kSingle = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                                                  0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
constexpr std::array<std::uint64_t, 9> kDouble = {0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
                                                  0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
                                                  0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};

bool is_wide(ValueType type) { return type == ValueType::kB64 || type == ValueType::kI64 || type == ValueType::kF64; }

std::uint64_t special(const Wavefront& w, unsigned code) {
  switch (code) {
    case kSharedBase:
      return kSharedAperture;
    case kSharedLimit:
      return kSharedAperture + kApertureSize - 1;
    case kPrivateBase:
      return kPrivateAperture;
    case kPrivateLimit:
      return kPrivateAperture + kApertureSize - 1;
    case kVccIsZero:
      return w.pair(kVcc) == 0 ? 1 : 0;
    case kExecIsZero:
      return w.exec() == 0 ? 1 : 0;
    default:
      return w.scc ? 1 : 0;
  }
}

// Manual 6.2.1.1: a literal for a 64-bit float is its high half; for a signed integer it is sign extended, else, for
// untyped operands too, zero extended.
std::uint64_t widen_literal(std::uint32_t literal, ValueType type) {
  if (type == ValueType::kI64) return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(literal)});
  return type == ValueType::kF64 ? std::uint64_t{literal} << 32 : literal;
}

}  // namespace

std::uint64_t constant_value(unsigned code, ValueType type) {
  if (code <= 192) return code - 128;
  if (code <= 208) {
    const auto value = static_cast<std::int64_t>(192) - static_cast<std::int64_t>(code);
    return is_wide(type) ? static_cast<std::uint64_t>(value) : static_cast<std::uint32_t>(value);
  }
  const std::size_t index = code - 240;
  if (is_wide(type)) return kDouble[index];
  return type == ValueType::kF16 || type == ValueType::kB16 ? kHalf[index] : kSingle[index];
}

std::uint64_t read_scalar64(const Wavefront& w, const Instruction& in, const Operand& operand) {
  switch (operand.kind) {
    case OperandKind::kScalar:
      return operand.number <= 126 ? w.pair(operand.number) : special(w, operand.number);
    case OperandKind::kConstant:
      return constant_value(operand.number, operand.type);
    case OperandKind::kLiteral:
      return widen_literal(in.literal, operand.type);
    default:
      return 0;
  }
}

std::uint32_t read_scalar32(const Wavefront& w, const Instruction& in, const Operand& operand) {
  switch (operand.kind) {
    case OperandKind::kScalar:
      return operand.number <= 127 ? w.sgpr[operand.number] : static_cast<std::uint32_t>(special(w, operand.number));
    case OperandKind::kConstant:
      return static_cast<std::uint32_t>(constant_value(operand.number, operand.type));
    case OperandKind::kLiteral:
      return in.literal;
    default:
      return 0;
  }
}

void write_scalar32(Wavefront& w, const Operand& operand, std::uint32_t value) { w.sgpr[operand.number] = value; }

void write_scalar64(Wavefront& w, const Operand& operand, std::uint64_t value) { w.set_pair(operand.number, value); }

const std::uint32_t* lanes32(Wavefront& w, const Instruction& in, const Operand& operand, Row& buffer) {
  if (operand.kind == OperandKind::kVector || operand.kind == OperandKind::kAccumulator) {
    return w.rows(operand)->data();
  }
  buffer.fill(read_scalar32(w, in, operand));
  return buffer.data();
}

Lanes64 lanes64(Wavefront& w, const Instruction& in, const Operand& operand, Row& low, Row& high) {
  if (operand.kind == OperandKind::kVector || operand.kind == OperandKind::kAccumulator) {
    const Row* rows = w.rows(operand);
    return {rows[0].data(), rows[1].data()};
  }
  const std::uint64_t value = read_scalar64(w, in, operand);
  low.fill(static_cast<std::uint32_t>(value));
  high.fill(static_cast<std::uint32_t>(value >> 32));
  return {low.data(), high.data()};
}

}  // namespace mfma::gfx950
