// Programs as HIP source.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/kernels/program.h"

namespace mfma::kernels {
namespace {

using catalogue::ModifierKind;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// Unsigned dwords, so that integer operations wrap, and shorthands for what is written often. Repeated in each piece.
constexpr std::string_view kProgramPreamble = R"(typedef unsigned u32;
typedef u32 v2u32 VECTOR(2);
typedef u32 v4u32 VECTOR(4);
typedef u32 v8u32 VECTOR(8);
typedef u32 v16u32 VECTOR(16);
typedef u32 v32u32 VECTOR(32);
typedef bf16 v4bf16 VECTOR(4);
#define DEVICE static __attribute__((device))
#define SHARED static __attribute__((shared))
#define BITS(type, ...) __builtin_bit_cast(type, __VA_ARGS__)
#define MEET() __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); __builtin_amdgcn_s_barrier(); \
               __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup")
)";

std::string value(ValueId v) { return fmt::format("x{}", v); }

std::string_view symbol(IntegerOp op) {
  switch (op) {
    case IntegerOp::kXor:
      return "^";
    case IntegerOp::kAnd:
      return "&";
    case IntegerOp::kOr:
      return "|";
    case IntegerOp::kAdd:
      return "+";
    case IntegerOp::kSubtract:
      break;
  }
  return "-";
}

// Modifiers as the assembler writes them.
std::string assembly_modifiers(const catalogue::Instance& instance) {
  const catalogue::Modifiers& m = instance.modifiers;
  std::string text;
  if (instance.builtin->modifiers == ModifierKind::kNegate) {
    if (m.blgp != 0) text += fmt::format(" neg:[{},{},{}]", m.blgp & 1, m.blgp >> 1 & 1, m.blgp >> 2 & 1);
    return text;
  }
  if (m.scaled) {
    text += fmt::format(" op_sel:[{},{},0] op_sel_hi:[{},{},0]", m.op_sel_a & 1, m.op_sel_b & 1, m.op_sel_a >> 1,
                        m.op_sel_b >> 1);
  }
  if (m.cbsz != 0) text += fmt::format(" cbsz:{}", m.cbsz);
  if (m.abid != 0) text += fmt::format(" abid:{}", m.abid);
  if (m.blgp != 0) text += fmt::format(" blgp:{}", m.blgp);
  return text;
}

std::string assembly_mnemonic(const catalogue::Instance& instance) {
  std::string name(instance.builtin->mnemonic);
  const std::size_t scale = name.find("_scale");
  if (scale != std::string::npos && !instance.modifiers.scaled) name.erase(scale, 6);
  return name;
}

class Renderer {
 public:
  explicit Renderer(const Program& p) : p_(p), name_(p.kernel_name()) {}

  Piece run() {
    if (p_.ops[0].kind == OpKind::kTiled) {
      tiled();
    } else {
      for (std::size_t i = 0; i < p_.ops.size(); ++i) statement(static_cast<ValueId>(i), p_.ops[i]);
      for (std::size_t k = 0; k < p_.outputs.size(); ++k) store(k);
    }
    std::string text(kProgramPreamble);
    text += fmt::format("// {}\n", p_.title);
    if (!p_.note.empty()) text += fmt::format("// {}\n", p_.note);
    text += functions_;
    text += fmt::format("KERNEL{} {}({}) {{\n", attributes(), name_, parameters());
    text += "  const unsigned group = __builtin_amdgcn_workgroup_id_x();\n";
    text += "  const unsigned lane = __builtin_amdgcn_workitem_id_x();\n";
    text += shared_;
    text += "  if (group < (unsigned)cases) {\n    const unsigned long i = group * 64ul + lane;\n";
    return {name_, text + body_ + "  }\n}\n"};
  }

 private:
  std::string attributes() const {
    return p_.most_vgprs > 0 ? fmt::format(" __attribute__((amdgpu_num_vgpr({})))", p_.most_vgprs) : "";
  }

  std::string parameters() const {
    std::string text;
    for (std::size_t k = 0; k < p_.inputs.size(); ++k) {
      text += fmt::format("const {}* __restrict in{}, ", p_.inputs[k].type.name(), k);
    }
    for (std::size_t k = 0; k < p_.outputs.size(); ++k) {
      const Op& op = p_.ops[at(p_.outputs[k].value)];
      text += fmt::format("{}* __restrict out{}, ", op.kind == OpKind::kTiled ? op.type.scalar : op.type.name(), k);
    }
    const std::vector<ValueId> memories = p_.memories();
    for (std::size_t k = 0; k < memories.size(); ++k) {
      text += fmt::format("{}* memory{}, ", p_.ops[at(memories[k])].type.name(), k);
    }
    return text + "i32 cases, i32 trips";
  }

  // ---- expressions ----
  const ValueType& type(ValueId v) const { return p_.ops[at(v)].type; }
  // The value as another type of its size.
  std::string as(const ValueType& wanted, ValueId v) const {
    if (type(v) == wanted) return value(v);
    return fmt::format("BITS({}, {})", wanted.name(), value(v));
  }
  std::string as_words(ValueId v) const { return as(words(type(v).registers()), v); }
  static std::string cast(const ValueType& from, const ValueType& to, const std::string& text) {
    return from == to ? text : fmt::format("BITS({}, {})", to.name(), text);
  }
  // Word `k` of a variable of type words(count).
  static std::string word(const std::string& variable, int count, int k) {
    return count == 1 ? variable : fmt::format("{}[{}]", variable, k);
  }

  // ---- statements ----
  void line(const std::string& text) { body_ += std::string(at(indent_), ' ') + text + "\n"; }
  void define(ValueId v, const std::string& text) { line(fmt::format("{} {} = {};", type(v).name(), value(v), text)); }

  std::string element(int input, const std::string& lane) const {
    if (!p_.inputs[at(input)].per_step) return fmt::format("in{}[group * 64ul + {}]", input, lane);
    return fmt::format("in{}[((unsigned long)group * trips + step) * 64ul + {}]", input, lane);
  }

  void statement(ValueId v, const Op& op) {
    switch (op.kind) {
      case OpKind::kLoad:
        return define(v, element(op.number, "lane"));
      case OpKind::kLoadFirst:
        return define(v, element(op.number, "0"));
      case OpKind::kConstant:
        return constant(v, op);
      case OpKind::kMultiply:
        return multiply(v, op);
      case OpKind::kPin:
        define(v, value(op.args[0]));
        return line(pinned(v, op.pin));
      case OpKind::kCombine: {
        const ValueType w = words(op.type.registers());
        return define(v, cast(w, op.type,
                              fmt::format("{} {} {}", as_words(op.args[0]), symbol(op.integer), as_words(op.args[1]))));
      }
      case OpKind::kNegate:
        return define(v, "-" + value(op.args[0]));
      case OpKind::kRound:
        return round(v, op);
      case OpKind::kWords:
        return take_words(v, op);
      case OpKind::kInsert:
        return insert(v, op);
      case OpKind::kExchange:
        shared_ += fmt::format("  SHARED {} lds{}[64];\n", op.type.name(), v);
        line(fmt::format("lds{}[lane] = {};", v, as(op.type, op.args[0])));
        line("MEET();");
        return define(v, fmt::format("lds{}[lane ^ {}]", v, op.number));
      case OpKind::kMemory:
        return memory(v, op);
      case OpKind::kBranch:
        define(v, as(op.type, op.args[1]));
        line(fmt::format("if (lane < {}) {{", op.number));
        line(fmt::format("  {} = {};", value(v), as(op.type, op.args[0])));
        line("  " + pinned(v, RegisterForm::kVgpr));  // so that no select takes the branch's place
        return line("}");
      case OpKind::kCarry:
        return define(v, as(op.type, op.args[0]));
      case OpKind::kLoop:
        loop_ = v;
        line("for (i32 step = 0; step < trips; ++step) {");
        indent_ += 2;
        return;
      case OpKind::kEndLoop:
        for (std::size_t k = 0; k < op.args.size(); ++k) {
          const ValueId carry = loop_ - static_cast<ValueId>(op.args.size() - k);
          line(fmt::format("{} = {};", value(carry), as(type(carry), op.args[k])));
        }
        indent_ -= 2;
        return line("}");
      case OpKind::kTiled:
        return;
    }
  }

  static std::string pinned(ValueId v, RegisterForm form) {
    return fmt::format("asm volatile(\"\" : \"+{}\"({}));", form == RegisterForm::kAgpr ? 'a' : 'v', value(v));
  }

  void constant(ValueId v, const Op& op) {
    const ValueType w = words(op.type.registers());
    const bool splat =
        std::all_of(op.dwords.begin(), op.dwords.end(), [&](std::uint32_t d) { return d == op.dwords[0]; });
    std::string text = fmt::format("{:#x}u", op.dwords[0]);
    if (w.count > 1)
      text = splat ? fmt::format("({})({})", w.name(), text)
                   : fmt::format("{}{{{:#x}u}}", w.name(), fmt::join(op.dwords, "u, "));
    define(v, cast(w, op.type, text));
  }

  std::string immediates(const Op& op, const std::string& scale_a, const std::string& scale_b) const {
    const catalogue::Modifiers& m = op.instance.modifiers;
    if (op.instance.builtin->modifiers != ModifierKind::kScaled)
      return fmt::format("{}, {}, {}", m.cbsz, m.abid, m.blgp);
    if (!m.scaled) return fmt::format("{}, {}, 0, 0, 0, 0", m.cbsz, m.blgp);
    return fmt::format("{}, {}, {}, {}, {}, {}", m.cbsz, m.blgp, m.op_sel_a, scale_a, m.op_sel_b, scale_b);
  }

  void multiply(ValueId v, const Op& op) {
    const catalogue::Builtin& b = *op.instance.builtin;
    const ValueType types[] = {type_named(b.a_type), type_named(b.b_type), type_named(b.c_type), type_named("i32"),
                               type_named("i32")};
    std::vector<std::string> args;
    for (std::size_t k = 0; k < op.args.size(); ++k) args.push_back(as(types[k], op.args[k]));
    switch (op.form) {
      case CallForm::kBuiltin:
        return define(v, fmt::format("__builtin_amdgcn_{}({}, {}, {}, {})", b.name, args[0], args[1], args[2],
                                     args.size() == 5 ? immediates(op, args[3], args[4]) : immediates(op, "", "")));
      case CallForm::kNoinline: {
        std::string parameters;
        for (std::size_t k = 0; k < args.size(); ++k)
          parameters += fmt::format("{}{} p{}", k ? ", " : "", types[k].name(), k);
        functions_ += fmt::format(
            "DEVICE __attribute__((noinline)) {0} {1}_call{2}({3}) {{\n  return __builtin_amdgcn_{4}(p0, p1, p2, "
            "{5});\n}}\n",
            op.type.name(), name_, v, parameters, b.name, immediates(op, "p3", "p4"));
        return define(v, fmt::format("{}_call{}({})", name_, v, fmt::join(args, ", ")));
      }
      case CallForm::kAsm:
      case CallForm::kAsmInPlace:
      case CallForm::kAsmAgpr:
        return assembly(v, op, args);
    }
  }

  // No compiler looks into the statement for hazards: the waits stand for the longest that the manual's Table 38 asks
  // before and after a matrix product.
  void assembly(ValueId v, const Op& op, const std::vector<std::string>& args) {
    const bool apart = op.form == CallForm::kAsm;
    const char file = op.form == CallForm::kAsmAgpr ? 'a' : 'v';
    std::string scales;
    if (args.size() == 5) scales = apart ? ", %4, %5" : ", %3, %4";
    const std::string mfma = fmt::format("{} %0, {}{}{}", assembly_mnemonic(op.instance),
                                         apart ? "%1, %2, %3" : "%1, %2, %0", scales, assembly_modifiers(op.instance));
    std::vector<std::string> inputs;
    for (std::size_t k = 0; k < args.size(); ++k) {
      if (k != 2 || apart) inputs.push_back(fmt::format("\"v\"({})", args[k]));
    }
    line(apart ? fmt::format("{} {};", op.type.name(), value(v))
               : fmt::format("{} {} = {};", op.type.name(), value(v), args[2]));
    line("asm volatile(\"s_nop 15\\n\\ts_nop 7\\n\\t\"");
    line(fmt::format("             \"{}\\n\\t\"", mfma));
    line(fmt::format("             \"s_nop 15\\n\\ts_nop 7\" : \"{}{}\"({}) : {});", apart ? "=&" : "+", file, value(v),
                     fmt::join(inputs, ", ")));
  }

  void round(ValueId v, const Op& op) {
    const ValueId from = op.args[0];
    const int n = type(from).count;
    const ValueType w = words(n);
    const std::string masked = fmt::format("m{}", v);
    line(fmt::format("{} {} = BITS({}, {} & 0xbfffffffu);", type(from).name(), masked, type(from).name(), as(w, from)));
    // bf16 that a builtin takes as i16 has i16 in its type.
    const std::string scalar = op.type.scalar == "i16" ? "bf16" : op.type.scalar;
    std::vector<std::string> elements;
    for (int k = 0; k < op.type.count; ++k) elements.push_back(fmt::format("({}){}", scalar, word(masked, n, k % n)));
    const ValueType made{scalar, op.type.count};
    define(v, cast(made, op.type, fmt::format("{}{{{}}}", made.name(), fmt::join(elements, ", "))));
  }

  void take_words(ValueId v, const Op& op) {
    const int have = type(op.args[0]).registers(), want = op.type.registers();
    if (have == want && op.number % have == 0) return define(v, as(op.type, op.args[0]));
    line(fmt::format("{} w{} = {};", words(have).name(), v, as_words(op.args[0])));
    std::vector<std::string> taken;
    for (int k = 0; k < want; ++k) taken.push_back(word(fmt::format("w{}", v), have, (op.number + k) % have));
    const std::string text = want == 1 ? taken[0] : fmt::format("{}{{{}}}", words(want).name(), fmt::join(taken, ", "));
    define(v, cast(words(want), op.type, text));
  }

  void insert(ValueId v, const Op& op) {
    const int have = op.type.registers(), part = type(op.args[1]).registers();
    line(fmt::format("{} w{} = {};", words(have).name(), v, as_words(op.args[0])));
    line(fmt::format("{} y{} = {};", words(part).name(), v, as_words(op.args[1])));
    for (int k = 0; k < part; ++k) {
      line(fmt::format("{} = {};", word(fmt::format("w{}", v), have, op.number + k),
                       word(fmt::format("y{}", v), part, k)));
    }
    define(v, cast(words(have), op.type, fmt::format("w{}", v)));
  }

  void memory(ValueId v, const Op& op) {
    const std::vector<ValueId> all = p_.memories();
    const auto k = std::find(all.begin(), all.end(), v) - all.begin();
    line(fmt::format("*(volatile {}*)(memory{} + i) = {};", op.type.name(), k, as(op.type, op.args[0])));
    line("MEET();");
    define(v, fmt::format("*(volatile {}*)(memory{} + (i ^ {}))", op.type.name(), k, op.number));
    line("MEET();");  // a loop's next store must not come before another lane's load
  }

  void store(std::size_t k) {
    const Output& o = p_.outputs[k];
    const std::string text = fmt::format("out{}[i] = {};", k, value(o.value));
    line(o.lanes == catalogue::kLanes ? text : fmt::format("if (lane < {}) {}", o.lanes, text));
  }

  // Fragments as CDNA4 ISA 7.1.4 lays them out for 16x16x32: lane l holds row (A) or column (B) l % 16, k from
  // l / 16 * 8 on; register r of D is row l / 16 * 4 + r of column l % 16.
  void tiled() {
    const int k = p_.tiled.k;
    shared_ += "  SHARED f16 tile_a[64 * 32];\n  SHARED f16 tile_b[64 * 32];\n";
    line("const f16* a = (const f16*)in0 + group * (64ul * " + std::to_string(k) + ");");
    line("const f16* b = (const f16*)in1 + group * (64ul * " + std::to_string(k) + ");");
    line("f32* c = (f32*)out0 + group * 4096ul;");
    line("v4f32 sum[4][4] = {};");
    line(fmt::format("for (unsigned k0 = 0; k0 < {}; k0 += 32) {{", k));
    line("  MEET();");
    line(fmt::format("  for (unsigned j = 0; j < 32; ++j) tile_a[lane * 32 + j] = a[lane * {}ul + k0 + j];", k));
    line("  for (unsigned j = 0; j < 32; ++j) tile_b[lane * 32 + j] = b[(k0 + j) * 64ul + lane];");
    line("  MEET();");
    line("  v8f16 rows[4], columns[4];");
    line("#pragma unroll");
    line("  for (unsigned t = 0; t < 4; ++t) {");
    line("    rows[t] = *(const v8f16*)&tile_a[(t * 16 + lane % 16) * 32 + lane / 16 * 8];");
    line("    columns[t] = *(const v8f16*)&tile_b[(t * 16 + lane % 16) * 32 + lane / 16 * 8];");
    line("  }");
    line("#pragma unroll");
    line("  for (unsigned m = 0; m < 4; ++m)");
    line("#pragma unroll");
    line("    for (unsigned n = 0; n < 4; ++n)");
    line("      sum[m][n] = __builtin_amdgcn_mfma_f32_16x16x32_f16(rows[m], columns[n], sum[m][n], 0, 0, 0);");
    line("}");
    line("#pragma unroll");
    line("for (unsigned m = 0; m < 4; ++m) {");
    line("#pragma unroll");
    line("  for (unsigned n = 0; n < 4; ++n) {");
    line("    const v4f32 s = sum[m][n];");
    line("    f32* corner = c + (m * 16 + lane / 16 * 4) * 64 + n * 16 + lane % 16;");
    for (int r = 0; r < 4; ++r) line(fmt::format("    corner[{}] = s[{}];", r * 64, r));
    line("  }");
    line("}");
  }

  const Program& p_;
  std::string name_, functions_, shared_, body_;
  int indent_ = 4;
  ValueId loop_ = 0;
};

}  // namespace

Piece piece_of(const Program& program) { return Renderer(program).run(); }

}  // namespace mfma::kernels
