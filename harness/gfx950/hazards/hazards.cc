#include "harness/gfx950/hazards/hazards.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/gfx950/isa/decoder.h"

namespace mfma::gfx950 {
namespace {

constexpr std::size_t kClasses = 5;
constexpr std::size_t kPassKinds = 5;  // none, 2, 4, 8, 16
constexpr std::uint16_t kVccCode = 106, kExecCode = 126;
constexpr std::uint8_t kModeRegister = 1, kTrapStatusRegister = 3;

std::size_t pass_kind(int passes) {
  switch (passes) {
    case 2:
      return 1;
    case 4:
      return 2;
    case 8:
      return 3;
    case 16:
      return 4;
    default:
      return 0;
  }
}

using Index = std::array<std::array<std::array<const WaitRule*, kRelations>, kPassKinds>, kClasses>;

const WaitRule* rule_for(MatrixClass matrix, int passes, Relation relation) {
  static const Index index = [] {
    Index made{};
    for (const WaitRule& rule : wait_rules()) {
      made[static_cast<std::size_t>(rule.matrix)][pass_kind(rule.passes)][static_cast<std::size_t>(rule.relation)] =
          &rule;
    }
    return made;
  }();
  return index[static_cast<std::size_t>(matrix)][pass_kind(passes)][static_cast<std::size_t>(relation)];
}

bool is_gemm(MatrixClass c) { return c != MatrixClass::kNone && c != MatrixClass::kXdl; }

class Pair {
 public:
  Pair(const Footprint& earlier, const Footprint& later) : earlier_(earlier), later_(later) {}

  Dependences run() {
    if (earlier_.unit == Unit::kMatrix) matrix_result();
    if (earlier_.unit == Unit::kVector) vector_result();
    if ((earlier_.produces & kWideStore) != 0) stored_data();
    if (earlier_.unit == Unit::kScalar) scalar_state();
    return found_;
  }

 private:
  void add(Relation relation, const Registers& registers) {
    const bool product = earlier_.unit == Unit::kMatrix && relation != Relation::kVectorOverwritesData;
    const WaitRule* rule =
        product ? rule_for(earlier_.matrix, earlier_.passes, relation) : rule_for(MatrixClass::kNone, 0, relation);
    if (rule == nullptr || found_.count == Dependences::kMost) return;
    found_.list[found_.count++] = {rule, registers};
  }

  void matrix_result() {
    const Registers* d = earlier_.find(Role::kMatrixD);
    const Registers* c = earlier_.find(Role::kMatrixC);
    const Registers* index = earlier_.find(Role::kMatrixIndex);
    if (d == nullptr) return;
    const auto add_shared = [&](Relation relation, const Registers* with, const Registers& r) {
      if (with != nullptr && with->overlaps(r)) add(relation, with->shared_with(r));
    };
    for (const Access& access : later_.accesses()) {
      const Registers& r = access.registers;
      switch (access.role) {
        case Role::kMatrixC:
          if (d->overlaps(r)) accumulator(*d, r);
          break;
        case Role::kMatrixAb:
        case Role::kMatrixIndex:
          add_shared(Relation::kSrcAb, d, r);
          break;
        case Role::kVectorRead:
          add_shared(Relation::kVectorReadsD, d, r);
          break;
        case Role::kVectorWrite:
          add_shared(Relation::kVectorWritesD, d, r);
          add_shared(Relation::kVectorWritesC, c, r);
          add_shared(Relation::kVectorWritesIndex, index, r);
          break;
        case Role::kMemoryRead:
          add_shared(Relation::kMemoryReadsD, d, r);
          break;
        case Role::kMemoryWrite:
          add_shared(Relation::kMemoryWritesD, d, r);
          add_shared(Relation::kMemoryWritesC, c, r);
          break;
        default:
          break;
      }
    }
    if (later_.act == Act::kFma64) add(Relation::kFma64, {});
  }

  // C of the later product shares registers with D of the earlier one. Table 38: forwarding needs the same number of
  // passes, first register and size.
  void accumulator(const Registers& d, const Registers& c) {
    const MatrixClass from = earlier_.matrix, to = later_.matrix;
    const Registers shared = d.shared_with(c);
    if (from == MatrixClass::kXdl && is_gemm(to)) return add(Relation::kSrcCByGemm, shared);
    if (is_gemm(from) && to == MatrixClass::kXdl) {
      add(Relation::kSrcCByXdl, shared);
      if (c == d) add(Relation::kSrcCByXdlExact, shared);
      return;
    }
    if (from != to || c != d) return add(Relation::kSrcCOverlap, shared);
    if (earlier_.passes != later_.passes) return add(Relation::kSrcCOtherPasses, c);
    add(Relation::kSrcCExact, c);
    if (earlier_.opcode != later_.opcode) add(Relation::kSrcCOtherOpcode, c);
  }

  void vector_result() {
    for (const Access& written : earlier_.accesses()) {
      if (written.role == Role::kVectorWrite) vgpr_written(written.registers);
      if (written.role == Role::kScalarWrite) scalars_written(written.registers);
    }
    if (earlier_.act == Act::kCmpx) exec_written();
  }

  void vgpr_written(const Registers& r) {
    for (const Access& access : later_.accesses()) {
      if (!access.registers.overlaps(r)) continue;
      switch (access.role) {
        case Role::kMatrixC:
        case Role::kMatrixAb:
        case Role::kMatrixIndex:
          add(Relation::kMatrixReads, r.shared_with(access.registers));
          break;
        case Role::kVectorRead:
          vgpr_read_by_vector(r.shared_with(access.registers));
          break;
        default:
          break;
      }
    }
  }

  void vgpr_read_by_vector(const Registers& r) {
    if (later_.act == Act::kReadlane) add(Relation::kReadlaneReads, r);
    if (later_.act == Act::kReadfirstlane) add(Relation::kReadfirstlaneReads, r);
    if (later_.act == Act::kPermlane) add(Relation::kPermlaneReads, r);
    if ((earlier_.produces & kTransVgpr) != 0 && !later_.transcendental) add(Relation::kVectorConsumesTrans, r);
    if ((earlier_.produces & kShiftedVgpr) != 0) add(Relation::kVectorConsumesShifted, r);
  }

  void scalars_written(const Registers& r) {
    for (const Access& access : later_.accesses()) {
      if (!access.registers.overlaps(r)) continue;
      switch (access.role) {
        case Role::kScalarRead:
          add(Relation::kConstantRead, access.registers);
          break;
        case Role::kMaskRead:
          add(Relation::kMaskRead, access.registers);
          break;
        case Role::kLaneSelect:
          add(Relation::kLaneSelect, access.registers);
          break;
        case Role::kMemoryBase:
          if (later_.unit == Unit::kMemory) add(Relation::kMemoryBase, access.registers);
          break;
        case Role::kZeroFlag:
          if (access.registers.first == kVccCode) add(Relation::kZeroFlag, access.registers);
          break;
        default:
          break;
      }
    }
  }

  void exec_written() {
    constexpr Registers kExec{Bank::kScalar, kExecCode, 2};
    if (later_.unit == Unit::kMatrix) add(Relation::kMatrixAfterCmpx, kExec);
    const bool lane =
        later_.act == Act::kReadlane || later_.act == Act::kReadfirstlane || later_.act == Act::kWritelane;
    if (lane) add(Relation::kLaneAfterCmpx, kExec);
    if (later_.act == Act::kPermlane) add(Relation::kPermlaneAfterCmpx, kExec);
    for (const Access& access : later_.accesses()) {
      if (!access.registers.overlaps(kExec)) continue;
      if (access.role == Role::kScalarRead) add(Relation::kExecRead, access.registers);
      if (access.role == Role::kZeroFlag) add(Relation::kZeroFlag, access.registers);
    }
  }

  void stored_data() {
    for (const Access& read : earlier_.accesses()) {
      // The address has at most two registers, the data of such a store more.
      if (read.role != Role::kMemoryRead || read.registers.count < 3) continue;
      for (const Access& access : later_.accesses()) {
        if (!access.registers.overlaps(read.registers)) continue;
        const Registers shared = read.registers.shared_with(access.registers);
        if (access.role == Role::kVectorWrite || access.role == Role::kMatrixD) {
          add(Relation::kVectorOverwritesData, shared);
        }
        if (access.role == Role::kMemoryWrite) add(Relation::kMemoryOverwritesData, shared);
      }
    }
  }

  void scalar_state() {
    if (earlier_.act == Act::kSetreg) {
      const bool same = earlier_.hardware_register == later_.hardware_register;
      if (later_.act == Act::kGetreg && same) add(Relation::kGetregSame, {});
      if (later_.act == Act::kSetreg && same) add(Relation::kSetregSame, {});
      if (later_.act == Act::kRfe && earlier_.hardware_register == kTrapStatusRegister) add(Relation::kRfe, {});
      const bool vector = later_.unit != Unit::kScalar && later_.unit != Unit::kOther;
      if (earlier_.sets_vskip && vector) add(Relation::kVectorAfterVskip, {});
    }
    if (earlier_.act == Act::kSetvskip && later_.act == Act::kGetreg && later_.hardware_register == kModeRegister) {
      add(Relation::kGetregMode, {});
    }
    if ((earlier_.produces & kM0Write) != 0) {
      constexpr Registers kM0{Bank::kScalar, 124, 1};
      if (later_.act == Act::kSendmsg) add(Relation::kSendmsg, kM0);
      if (later_.act == Act::kMovrel) add(Relation::kMovrel, kM0);
    }
  }

  const Footprint& earlier_;
  const Footprint& later_;
  Dependences found_;
};

const char* plural(int n) { return n == 1 ? "" : "s"; }

}  // namespace

Dependences dependences(const Footprint& earlier, const Footprint& later) {
  if ((earlier.produces & later.senses) == 0) return {};
  return Pair(earlier, later).run();
}

std::string_view name_of(Severity severity) { return severity == Severity::kError ? "error" : "warning"; }

std::string describe(const Hazard& h) {
  const WaitRule& rule = *h.rule;
  const std::string registers = render(h.registers);
  const std::string manual = *rule.manual == 0 ? "the manual asks for none" : fmt::format("manual {}", rule.manual);
  const bool inserts = std::string_view(rule.compiler).starts_with("the same");
  return fmt::format("{} {}: {:#x} {} comes {} wait state{} after {:#x} {}{}{}, needs {}: {} ({}; clang 22 {}{})",
                     name_of(rule.severity), rule.code, h.consumer_pc, h.consumer, h.found, plural(h.found),
                     h.producer_pc, h.producer, registers.empty() ? "" : " for ", registers, rule.required, rule.what,
                     manual, inserts ? "inserts " : "", rule.compiler);
}

void HazardList::add(const Dependence& dependence, int found, const Instruction& producer, const Instruction& consumer,
                     std::uint64_t moment) {
  std::size_t alike = 0;
  for (Hazard& h : list) {
    if (h.rule->severity == dependence.rule->severity) ++alike;
    if (h.rule != dependence.rule || h.producer_pc != producer.pc || h.consumer_pc != consumer.pc) continue;
    h.found = std::min(h.found, found);
    if (h.moment != moment) ++h.times;
    h.moment = moment;
    return;
  }
  if (alike >= kMost) {
    more = true;
    return;
  }
  list.push_back({dependence.rule, producer.pc, consumer.pc, render(producer), render(consumer), dependence.registers,
                  found, 1, moment});
}

}  // namespace mfma::gfx950
