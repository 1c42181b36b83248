#include "harness/kernels/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace mfma::kernels {
namespace {

using catalogue::Instance;
using catalogue::Operand;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

ValueType declared_type(const Instance& instance, Operand operand) {
  const catalogue::Builtin& b = *instance.builtin;
  switch (operand) {
    case Operand::kA:
      return type_named(b.a_type);
    case Operand::kB:
      return type_named(b.b_type);
    case Operand::kC:
      return type_named(b.c_type);
    case Operand::kD:
      return type_named(b.result_type);
    case Operand::kScaleA:
    case Operand::kScaleB:
      break;
  }
  return type_named("i32");
}

std::size_t arguments_of(const Op& op) {
  switch (op.kind) {
    case OpKind::kLoad:
    case OpKind::kLoadFirst:
    case OpKind::kConstant:
    case OpKind::kLoop:
    case OpKind::kTiled:
      return 0;
    case OpKind::kMultiply:
      return has_scales(op.instance) ? 5 : 3;
    case OpKind::kPin:
    case OpKind::kNegate:
    case OpKind::kRound:
    case OpKind::kWords:
    case OpKind::kExchange:
    case OpKind::kMemory:
    case OpKind::kCarry:
      return 1;
    case OpKind::kCombine:
    case OpKind::kInsert:
    case OpKind::kBranch:
      return 2;
    case OpKind::kEndLoop:
      break;
  }
  return op.args.size();
}

bool defines_value(OpKind kind) { return kind != OpKind::kLoop && kind != OpKind::kEndLoop; }

// Checks one operation after another, keeping which values are in scope.
class Checker {
 public:
  explicit Checker(const Program& p) : p_(p), in_scope_(p.ops.size(), false) {}

  std::string run() {
    for (std::size_t i = 0; i < p_.ops.size(); ++i) {
      if (std::string wrong = check(i, p_.ops[i]); !wrong.empty()) return fmt::format("operation {}: {}", i, wrong);
      in_scope_[i] = defines_value(p_.ops[i].kind);
    }
    if (loop_ != kNone) return "a loop without end";
    if (p_.outputs.empty()) return "no output";
    for (const Output& o : p_.outputs) {
      if (!defined(o.value)) return fmt::format("output of value {}, which is not in scope at the end", o.value);
    }
    return {};
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  bool defined(ValueId v) const { return v >= 0 && at(v) < in_scope_.size() && in_scope_[at(v)]; }
  int registers(ValueId v) const { return p_.ops[at(v)].type.registers(); }

  std::string check(std::size_t index, const Op& op) {
    if (op.args.size() != arguments_of(op)) return fmt::format("{} arguments", op.args.size());
    for (const ValueId v : op.args) {
      if (!defined(v)) return fmt::format("value {} is not in scope", v);
    }
    const int own = defines_value(op.kind) ? op.type.registers() : 0;
    switch (op.kind) {
      case OpKind::kLoad:
      case OpKind::kLoadFirst: {
        if (op.number < 0 || at(op.number) >= p_.inputs.size()) return fmt::format("no input {}", op.number);
        const Input& in = p_.inputs[at(op.number)];
        if (in.per_step && loop_ == kNone) return "a per-step input outside the loop";
        return in.registers() == own ? "" : "an input of another size";
      }
      case OpKind::kConstant:
        return op.dwords.size() == at(own) ? "" : "a constant of another size";
      case OpKind::kMultiply:
        return check_multiply(op);
      case OpKind::kCombine:
      case OpKind::kBranch:
        return registers(op.args[0]) == own && registers(op.args[1]) == own ? "" : "sizes differ";
      case OpKind::kInsert:
        if (registers(op.args[0]) != own) return "sizes differ";
        return op.number >= 0 && op.number + registers(op.args[1]) <= own ? "" : "the part lies outside";
      case OpKind::kNegate:
        if (op.type.scalar != "f32" && op.type.scalar != "f64") return "a sign bit of " + op.type.name();
        [[fallthrough]];
      case OpKind::kPin:
      case OpKind::kExchange:
      case OpKind::kMemory:
        return registers(op.args[0]) == own ? "" : "sizes differ";
      case OpKind::kCarry: {
        const OpKind next = index + 1 < p_.ops.size() ? p_.ops[index + 1].kind : OpKind::kEndLoop;
        if (loop_ != kNone || (next != OpKind::kCarry && next != OpKind::kLoop)) return "a carry without its loop";
        return registers(op.args[0]) == own ? "" : "sizes differ";
      }
      case OpKind::kRound:
        if (p_.ops[at(op.args[0])].type.scalar != "f32") return "rounds something else than f32";
        return op.type.bits() == 16 ? "" : "rounds to " + op.type.name();
      case OpKind::kWords:
        return op.number >= 0 ? "" : "a negative place";
      case OpKind::kLoop:
        if (loop_ != kNone) return "a loop in a loop";
        loop_ = index;
        return {};
      case OpKind::kEndLoop:
        return end_loop(index, op);
      case OpKind::kTiled:
        break;
    }
    return p_.ops.size() == 1 && p_.inputs.size() == 2 ? "" : "a tiled product beside other operations";
  }

  std::string check_multiply(const Op& op) const {
    if (!op.instance.builtin) return "no builtin";
    constexpr Operand kOperands[] = {Operand::kA, Operand::kB, Operand::kC, Operand::kScaleA, Operand::kScaleB};
    for (std::size_t i = 0; i < op.args.size(); ++i) {
      if (registers(op.args[i]) != declared_type(op.instance, kOperands[i]).registers())
        return "an operand of another size";
    }
    return op.type == declared_type(op.instance, Operand::kD) ? "" : "a result of another type";
  }

  std::string end_loop(std::size_t index, const Op& op) {
    if (loop_ == kNone) return "an end without a loop";
    std::size_t first = loop_;
    while (first > 0 && p_.ops[first - 1].kind == OpKind::kCarry) --first;
    if (loop_ - first != op.args.size()) return "not one value for each carry";
    for (std::size_t i = 0; i < op.args.size(); ++i) {
      // A value of the body: a carry as next value would make the order of the assignments matter.
      if (at(op.args[i]) < loop_) return "a carry becomes a value from before the loop";
      if (registers(op.args[i]) != p_.ops[first + i].type.registers()) return "sizes differ";
    }
    std::fill(in_scope_.begin() + static_cast<std::ptrdiff_t>(loop_),
              in_scope_.begin() + static_cast<std::ptrdiff_t>(index), false);
    loop_ = kNone;
    return {};
  }

  const Program& p_;
  std::vector<bool> in_scope_;
  std::size_t loop_ = kNone;
};

}  // namespace

int ValueType::bits() const {
  if (scalar == "f64" || scalar == "i64") return 64;
  return scalar == "f16" || scalar == "bf16" || scalar == "i16" ? 16 : 32;
}

int ValueType::registers() const { return bits() * count / 32; }

std::string ValueType::name() const { return count == 1 ? scalar : fmt::format("v{}{}", count, scalar); }

ValueType type_named(std::string_view name) {
  if (!name.starts_with('v')) return {std::string(name), 1};
  int count = 0;
  const char* begin = name.data() + 1;
  const char* end = std::from_chars(begin, name.data() + name.size(), count).ptr;
  return {std::string(end, static_cast<std::size_t>(name.data() + name.size() - end)), count};
}

ValueType words(int registers) { return {"u32", registers}; }

std::string Program::kernel_name() const {
  std::string name = title;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-'; }, 'm');
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')); }, '_');
  return name;
}

std::vector<Instance> Program::instances() const {
  std::vector<Instance> all;
  const auto add = [&all](const Instance& i) {
    if (i.builtin && std::find(all.begin(), all.end(), i) == all.end()) all.push_back(i);
  };
  for (const Op& op : ops) {
    if (op.kind == OpKind::kMultiply) add(op.instance);
    if (op.kind == OpKind::kTiled) add(inputs[0].instance);
  }
  return all;
}

std::vector<ValueId> Program::memories() const {
  std::vector<ValueId> all;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].kind == OpKind::kMemory) all.push_back(static_cast<ValueId>(i));
  }
  return all;
}

bool Program::has_loop() const {
  return std::any_of(ops.begin(), ops.end(), [](const Op& op) { return op.kind == OpKind::kLoop; });
}

std::string why_malformed(const Program& program) { return Checker(program).run(); }

Program without_dead_code(const Program& program) {
  std::vector<bool> live(program.ops.size(), false);
  for (const Output& o : program.outputs) live[at(o.value)] = true;
  // A loop stays as a whole when one of its carries is needed.
  bool changed = true;
  while (changed) {
    changed = false;
    const auto need = [&](std::size_t i) {
      if (!live[i]) changed = live[i] = true;
    };
    for (std::size_t i = program.ops.size(); i-- > 0;) {
      if (!live[i]) continue;
      for (const ValueId v : program.ops[i].args) need(at(v));
      if (program.ops[i].kind != OpKind::kCarry) continue;
      std::size_t loop = i;
      while (program.ops[loop].kind != OpKind::kLoop) need(loop++);
      need(loop);
      for (std::size_t before = i; before > 0 && program.ops[before - 1].kind == OpKind::kCarry; --before)
        need(before - 1);
      while (program.ops[loop].kind != OpKind::kEndLoop) ++loop;
      need(loop);
    }
  }
  Program kept = program;
  kept.ops.clear();
  kept.inputs.clear();
  std::vector<ValueId> moved(program.ops.size(), -1);
  std::vector<int> inputs(program.inputs.size(), -1);
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    if (!live[i]) continue;
    Op op = program.ops[i];
    for (ValueId& v : op.args) v = moved[at(v)];
    if (op.kind == OpKind::kLoad || op.kind == OpKind::kLoadFirst) {
      int& input = inputs[at(op.number)];
      if (input < 0) {
        input = static_cast<int>(kept.inputs.size());
        kept.inputs.push_back(program.inputs[at(op.number)]);
      }
      op.number = input;
    }
    if (op.kind == OpKind::kTiled) kept.inputs = program.inputs;
    moved[i] = static_cast<ValueId>(kept.ops.size());
    kept.ops.push_back(std::move(op));
  }
  for (Output& o : kept.outputs) o.value = moved[at(o.value)];
  return kept;
}

ValueId ProgramBuilder::add(Op op) {
  program_.ops.push_back(std::move(op));
  return static_cast<ValueId>(program_.ops.size()) - 1;
}

int ProgramBuilder::input(const Instance& instance, Operand operand, int draw, bool per_step) {
  program_.inputs.push_back({declared_type(instance, operand), instance, operand, draw, per_step, 1});
  return static_cast<int>(program_.inputs.size()) - 1;
}

ValueId ProgramBuilder::constant(const ValueType& type, std::vector<std::uint32_t> dwords) {
  return add({.kind = OpKind::kConstant, .type = type, .dwords = std::move(dwords)});
}

ValueId ProgramBuilder::splat(const ValueType& type, std::uint64_t element) {
  std::vector<std::uint32_t> dwords;
  const int bits = type.bits();
  if (bits == 16) element = (element & 0xffff) * 0x10001;
  for (int i = 0; i < type.registers(); ++i) {
    dwords.push_back(static_cast<std::uint32_t>(bits == 64 && i % 2 == 1 ? element >> 32 : element));
  }
  return constant(type, std::move(dwords));
}

ValueId ProgramBuilder::multiply(const Instance& instance, std::vector<ValueId> args, CallForm form, int draw,
                                 bool per_step) {
  if (has_scales(instance) && args.size() == 3) {
    args.push_back(operand(instance, Operand::kScaleA, draw, per_step));
    args.push_back(operand(instance, Operand::kScaleB, draw, per_step));
  }
  return add({.kind = OpKind::kMultiply,
              .type = declared_type(instance, Operand::kD),
              .args = std::move(args),
              .instance = instance,
              .form = form});
}

ValueId ProgramBuilder::pin(ValueId value, RegisterForm form) {
  return add({.kind = OpKind::kPin, .type = type_of(value), .args = {value}, .pin = form});
}

ValueId ProgramBuilder::combine(IntegerOp op, ValueId x, ValueId y) {
  return add({.kind = OpKind::kCombine, .type = type_of(x), .args = {x, y}, .integer = op});
}

ValueId ProgramBuilder::negate(ValueId value) {
  return add({.kind = OpKind::kNegate, .type = type_of(value), .args = {value}});
}

ValueId ProgramBuilder::round(ValueId value, const ValueType& type) {
  return add({.kind = OpKind::kRound, .type = type, .args = {value}});
}

ValueId ProgramBuilder::words_of(ValueId value, int first, const ValueType& type) {
  return add({.kind = OpKind::kWords, .type = type, .args = {value}, .number = first});
}

ValueId ProgramBuilder::insert(ValueId base, int first, ValueId part) {
  return add({.kind = OpKind::kInsert, .type = type_of(base), .args = {base, part}, .number = first});
}

ValueId ProgramBuilder::exchange(ValueId value, int mask) {
  return add({.kind = OpKind::kExchange, .type = type_of(value), .args = {value}, .number = mask});
}

ValueId ProgramBuilder::memory(ValueId value, int mask) {
  return add({.kind = OpKind::kMemory, .type = type_of(value), .args = {value}, .number = mask});
}

ValueId ProgramBuilder::branch(ValueId x, ValueId y, int lanes) {
  return add({.kind = OpKind::kBranch, .type = type_of(x), .args = {x, y}, .number = lanes});
}

ValueId ProgramBuilder::carry(ValueId before) {
  return add({.kind = OpKind::kCarry, .type = type_of(before), .args = {before}});
}

}  // namespace mfma::kernels
