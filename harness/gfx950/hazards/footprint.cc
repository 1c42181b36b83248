#include "harness/gfx950/hazards/footprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "harness/gfx950/isa/opcodes.h"
#include "harness/gfx950/matrix/opcodes.h"

namespace mfma::gfx950 {
namespace {

constexpr std::uint16_t kVccCode = 106, kM0Code = 124, kExecCode = 126;
constexpr std::uint16_t kVcczCode = 251, kExeczCode = 252, kLastScalarCode = 127;
constexpr unsigned kModeRegister = 1, kVskipBit = 28;

// What is the same for every use of an opcode.
struct Traits {
  Unit unit = Unit::kOther;
  Act act = Act::kNone;
  MatrixClass matrix = MatrixClass::kNone;
  std::uint8_t passes = 0;
  bool transcendental = false;
  bool adds_to_destination = false;  // reads the VGPR that it writes
};

// Manual Table 12; the legacy opcodes are not decoded.
constexpr std::string_view kTranscendentals[] = {
    "v_exp_f32",  "v_log_f32",  "v_rcp_f32",  "v_rcp_iflag_f32", "v_rsq_f32", "v_rcp_f64",
    "v_rsq_f64",  "v_sqrt_f32", "v_sqrt_f64", "v_sin_f32",       "v_cos_f32", "v_rcp_f16",
    "v_sqrt_f16", "v_rsq_f16",  "v_log_f16",  "v_exp_f16",       "v_sin_f16", "v_cos_f16",
};

struct NamedAct {
  std::string_view prefix;
  Act act;
};

constexpr NamedAct kActs[] = {
    {"v_readlane_b32", Act::kReadlane},
    {"v_readfirstlane_b32", Act::kReadfirstlane},
    {"v_writelane_b32", Act::kWritelane},
    {"v_permlane", Act::kPermlane},
    {"v_fma_f64", Act::kFma64},
    {"v_fmac_f64", Act::kFma64},
    {"v_cmpx_", Act::kCmpx},
    {"s_getreg_", Act::kGetreg},
    {"s_setreg_", Act::kSetreg},
    {"s_setvskip", Act::kSetvskip},
    {"s_sendmsg", Act::kSendmsg},
    {"s_movrel", Act::kMovrel},
    {"s_rfe_b64", Act::kRfe},
};

Unit unit_of(Encoding encoding) {
  switch (encoding) {
    case Encoding::kSop1:
    case Encoding::kSop2:
    case Encoding::kSopc:
    case Encoding::kSopk:
    case Encoding::kSopp:
      return Unit::kScalar;
    case Encoding::kVop1:
    case Encoding::kVop2:
    case Encoding::kVopc:
    case Encoding::kVop3:
    case Encoding::kVop3p:
    case Encoding::kMai:
    case Encoding::kScaledMai:
      return Unit::kVector;
    case Encoding::kFlat:
    case Encoding::kGlobal:
    case Encoding::kScratch:
      return Unit::kMemory;
    case Encoding::kDs:
      return Unit::kShare;
    case Encoding::kUnknown:
    case Encoding::kSmem:
      break;
  }
  return Unit::kOther;
}

MatrixClass class_of(const MatrixOperation& operation) {
  if (operation.a == ElementFormat::kF32) return MatrixClass::kSgemm;
  if (!operation.is_f64()) return MatrixClass::kXdl;
  return operation.shape.m == 16 ? MatrixClass::kDgemm16 : MatrixClass::kDgemm4;
}

// Manual Tables 32 and 33: sparse products of 16x16 take 16 cycles, of 32x32 32 cycles; a pass is 4 of them.
std::uint8_t sparse_passes(std::string_view mnemonic) {
  return mnemonic.find("_16x16x") != std::string_view::npos ? 4 : 8;
}

Traits traits_of(const Opcode& opcode) {
  const std::string_view mnemonic = opcode.row->mnemonic;
  Traits t;
  t.unit = unit_of(opcode.encoding);
  for (const NamedAct& named : kActs) {
    if (mnemonic.starts_with(named.prefix)) t.act = named.act;
  }
  t.transcendental =
      std::find(std::begin(kTranscendentals), std::end(kTranscendentals), mnemonic) != std::end(kTranscendentals);
  t.adds_to_destination = mnemonic.starts_with("v_fmac_") || t.act == Act::kWritelane;
  if (mnemonic.starts_with("v_mfma_")) {
    const MatrixOperation operation = matrix_operation({opcode.row->number, 0, 0, 0});
    t.unit = Unit::kMatrix;
    t.matrix = class_of(operation);
    t.passes = static_cast<std::uint8_t>(operation.passes);
  } else if (mnemonic.starts_with("v_smfmac_")) {
    t.unit = Unit::kMatrix;
    t.matrix = MatrixClass::kXdl;
    t.passes = sparse_passes(mnemonic);
  }
  return t;
}

const Traits& traits_of(const Instruction& in) {
  static const std::vector<Traits> all = [] {
    std::vector<Traits> made;
    for (const Opcode& opcode : opcodes()) made.push_back(traits_of(opcode));
    return made;
  }();
  return all[static_cast<std::size_t>(in.id)];
}

// Formats decide the passes of f8f6f4. A reserved code gets those of an 8-bit format: the longest wait.
std::uint8_t passes_of(const Instruction& in, const Traits& traits) {
  if (in.opcode != 45 && in.opcode != 46) return traits.passes;
  const MatrixOperation operation = matrix_operation({in.opcode, in.bits.cbsz, 0, in.bits.blgp});
  return operation.known() ? static_cast<std::uint8_t>(operation.passes) : traits.passes;
}

class Builder {
 public:
  explicit Builder(const Instruction& in) : in_(in), traits_(traits_of(in)) {}

  Footprint run() {
    f_.unit = traits_.unit;
    f_.act = traits_.act;
    f_.opcode = in_.opcode;
    f_.transcendental = traits_.transcendental;
    if (in_.encoding == Encoding::kSopp && in_.opcode == 0) {
      f_.wait_states = static_cast<std::uint8_t>((static_cast<unsigned>(in_.immediate) & 15) + 1);
    }
    switch (f_.unit) {
      case Unit::kMatrix:
        matrix();
        break;
      case Unit::kVector:
        vector();
        break;
      case Unit::kMemory:
      case Unit::kShare:
        memory();
        break;
      case Unit::kScalar:
        scalar();
        break;
      case Unit::kOther:
        break;
    }
    return f_;
  }

 private:
  static bool is_vector(const Operand& o) {
    return o.kind == OperandKind::kVector || o.kind == OperandKind::kAccumulator;
  }

  void add(Role role, Bank bank, unsigned first, unsigned count) {
    // At most two operands count twice: those of a swap.
    static_assert(Footprint::kMost >= kMaxOperands + 2);
    f_.list[f_.count++] = {role, {bank, static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(count)}};
  }

  void add_vector(Role role, const Operand& o) {
    if (!is_vector(o)) return;
    add(role, o.kind == OperandKind::kAccumulator ? Bank::kAgpr : Bank::kVgpr, o.number, o.registers);
  }

  void matrix() {
    f_.matrix = traits_.matrix;
    f_.passes = passes_of(in_, traits_);
    for (const Operand& o : in_.all_operands()) {
      switch (o.field) {
        case 'D':
          add_vector(Role::kMatrixD, o);
          // SMFMAC accumulates into its destination (manual 7.5).
          if (is_sparse()) add_vector(Role::kMatrixC, o);
          break;
        case 'C':
          add_vector(Role::kMatrixC, o);
          break;
        case 'q':
          add_vector(Role::kMatrixIndex, o);
          break;
        default:
          add_vector(Role::kMatrixAb, o);
      }
    }
    f_.produces = kMatrixResult;
    f_.senses = kMatrixResult | kVectorVgpr | kVectorExec | kWideStore | kHardwareWrite;
  }

  bool has_field(char field) const {
    const auto operands = in_.all_operands();
    return std::any_of(operands.begin(), operands.end(), [field](const Operand& o) { return o.field == field; });
  }
  bool is_sparse() const { return has_field('q'); }

  void vector() {
    // The operands of a swap are read and written.
    const bool read_back = has_field('V') || traits_.adds_to_destination;
    bool reads = false, writes = false, scalars = false;
    for (std::size_t i = 0; i < in_.operand_count; ++i) {
      const Operand& o = in_.operands[i];
      const bool output = i < in_.output_count;
      if (is_vector(o)) {
        const bool read = !output || read_back;
        if (output) add_vector(Role::kVectorWrite, o);
        if (read) add_vector(Role::kVectorRead, o);
        reads = reads || read;
        writes = writes || output;
      } else if (o.kind == OperandKind::kScalar) {
        if (output) {
          add(Role::kScalarWrite, Bank::kScalar, o.number, o.registers);
          f_.produces |= kVectorSgpr;
        } else {
          scalar_source(o);
          scalars = true;
        }
      }
    }
    if (writes) {
      f_.produces |= kVectorVgpr;
      if (traits_.transcendental) f_.produces |= kTransVgpr;
      // OP_SEL[3] puts the result into the high half (manual 6.2.1, limitations for SDWA and OPSEL).
      if (in_.encoding == Encoding::kVop3 && (in_.bits.select & 8) != 0) f_.produces |= kShiftedVgpr;
    }
    if (f_.act == Act::kCmpx) {
      f_.produces |= kVectorExec | kVectorSgpr;
    }
    if (reads || writes) f_.senses |= kMatrixResult;
    if (writes) f_.senses |= kWideStore;
    if (reads) f_.senses |= kShiftedVgpr | (traits_.transcendental ? 0u : kTransVgpr);
    if (scalars) f_.senses |= kVectorSgpr | kVectorExec;
    if (f_.act == Act::kFma64) f_.senses |= kMatrixResult;
    const bool lane = f_.act == Act::kReadlane || f_.act == Act::kReadfirstlane || f_.act == Act::kWritelane;
    if (lane || f_.act == Act::kPermlane) f_.senses |= kVectorVgpr | kVectorExec;
    f_.senses |= kHardwareWrite;
  }

  void scalar_source(const Operand& o) {
    if (o.number == kVcczCode) return add(Role::kZeroFlag, Bank::kScalar, kVccCode, 2);
    if (o.number == kExeczCode) return add(Role::kZeroFlag, Bank::kScalar, kExecCode, 2);
    if (o.number > kLastScalarCode) return;
    const Role role = o.field == 'M' ? Role::kMaskRead : o.field == 'h' ? Role::kLaneSelect : Role::kScalarRead;
    add(role, Bank::kScalar, o.number, o.registers);
  }

  void memory() {
    for (const Operand& o : in_.all_operands()) {
      if (o.field == 'D') {
        add_vector(Role::kMemoryWrite, o);
        f_.senses |= kWideStore;
      } else if (is_vector(o)) {
        add_vector(Role::kMemoryRead, o);
        if (o.field == 'E' && o.registers >= 3 && f_.unit == Unit::kMemory) f_.produces |= kWideStore;
      } else if (o.kind == OperandKind::kScalar) {
        add(Role::kMemoryBase, Bank::kScalar, o.number, o.registers);
        f_.senses |= kVectorSgpr;
      }
    }
    f_.senses |= kMatrixResult | kHardwareWrite;
  }

  void scalar() {
    for (std::size_t i = 0; i < in_.output_count; ++i) {
      const Operand& o = in_.operands[i];
      if (o.kind == OperandKind::kScalar && o.number <= kM0Code && o.number + o.registers > kM0Code) {
        f_.produces |= kM0Write;
      }
    }
    if (f_.act == Act::kSetreg || f_.act == Act::kGetreg) {
      const unsigned word = static_cast<unsigned>(in_.immediate) & 0xffff;
      const unsigned id = word & 63, offset = (word >> 6) & 31, size = (word >> 11) + 1;
      f_.hardware_register = static_cast<std::uint8_t>(id);
      f_.sets_vskip = f_.act == Act::kSetreg && id == kModeRegister && offset <= kVskipBit && offset + size > kVskipBit;
      f_.senses |= kHardwareWrite | kVskipWrite;
    }
    if (f_.act == Act::kSetreg) f_.produces |= kHardwareWrite;
    if (f_.act == Act::kSetvskip) f_.produces |= kVskipWrite;
    if (f_.act == Act::kRfe) f_.senses |= kHardwareWrite;
    if (f_.act == Act::kSendmsg || f_.act == Act::kMovrel) f_.senses |= kM0Write;
  }

  const Instruction& in_;
  const Traits& traits_;
  Footprint f_;
};

}  // namespace

Registers Registers::shared_with(const Registers& other) const {
  if (!overlaps(other)) return {bank, first, 0};
  const int begin = std::max(first, other.first), end = std::min(first + count, other.first + other.count);
  return {bank, static_cast<std::uint16_t>(begin), static_cast<std::uint16_t>(end - begin)};
}

bool covered(const Registers& registers, std::span<const Registers> by) {
  for (unsigned i = 0; i < registers.count; ++i) {
    const Registers one{registers.bank, static_cast<std::uint16_t>(registers.first + i), 1};
    if (std::none_of(by.begin(), by.end(), [&](const Registers& r) { return r.overlaps(one); })) return false;
  }
  return registers.count != 0;
}

const Registers* Footprint::find(Role role) const {
  for (const Access& access : accesses()) {
    if (access.role == role) return &access.registers;
  }
  return nullptr;
}

std::string render(const Registers& r) {
  if (r.count == 0) return {};
  if (r.bank == Bank::kScalar) {
    if (r.first == kVccCode) return "vcc";
    if (r.first == kExecCode) return "exec";
    if (r.first == kM0Code) return "m0";
  }
  const char letter = r.bank == Bank::kVgpr ? 'v' : r.bank == Bank::kAgpr ? 'a' : 's';
  if (r.count == 1) return fmt::format("{}{}", letter, r.first);
  return fmt::format("{}[{}:{}]", letter, r.first, r.first + r.count - 1);
}

Footprint footprint_of(const Instruction& instruction) {
  return instruction.known() ? Builder(instruction).run() : Footprint{};
}

}  // namespace mfma::gfx950
