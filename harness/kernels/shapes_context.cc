// Shapes that put calls into a context: other instructions, memory, loops, branches, functions, register pressure.
#include <array>

#include "harness/cases/case.h"
#include "harness/cases/rng.h"
#include "harness/kernels/shapes.h"

namespace mfma::kernels::detail {
namespace {

using catalogue::Builtin;
using catalogue::Instance;
using catalogue::Operand;
using Names = std::vector<std::string>;

bool any(const Instance&) { return true; }

template <const char* const* Begin, std::size_t Count>
Names fixed(const Builtin&) {
  return {Begin, Begin + Count};
}

// The value as C of one more call of draw 1.
void use_as_c(ProgramBuilder& p, const Instance& instance, ValueId value) {
  const ValueId a = p.operand(instance, Operand::kA, 1);
  const ValueId b = p.operand(instance, Operand::kB, 1);
  p.output(p.multiply(instance, {a, b, value}, CallForm::kBuiltin, 1));
}

ValueId first_product(ProgramBuilder& p, const Instance& instance, CallForm form = CallForm::kBuiltin) {
  const Operands o = load_operands(p, instance, 0);
  return p.multiply(instance, {o.a, o.b, o.c}, form);
}

Names vector_operations(const Builtin& b) {
  Names names = {"xor", "add", "and-or", "subtract"};
  if (b.acc_format != catalogue::ElementFormat::kI32) names.emplace_back("negate");
  return names;
}

Program vector_operation(const Instance& instance, const std::string& variant, std::uint64_t seed) {
  ProgramBuilder p = begin("valu", variant, {instance});
  cases::Rng rng(cases::case_seed(seed, p.program().title, 0));
  const ValueId d = first_product(p, instance);
  const ValueType type = p.type_of(d);
  ValueId changed = d;
  if (variant == "negate") {
    changed = p.negate(d);
  } else if (variant == "and-or") {
    const ValueId masked = p.combine(IntegerOp::kAnd, d, p.splat(type, rng.next()));
    changed = p.combine(IntegerOp::kOr, masked, p.splat(type, rng.next() & rng.next() & rng.next()));
  } else {
    const IntegerOp op = variant == "xor" ? IntegerOp::kXor : variant == "add" ? IntegerOp::kAdd : IntegerOp::kSubtract;
    changed = p.combine(op, d, p.splat(type, rng.next()));
  }
  p.output(changed);
  use_as_c(p, instance, changed);
  return p.program();
}

constexpr const char* kMemories[] = {"own", "across"};

Program memory(const Instance& instance, const std::string& variant, std::uint64_t) {
  ProgramBuilder p = begin("memory", variant, {instance});
  const ValueId d = first_product(p, instance);
  use_as_c(p, instance, p.memory(d, variant == "own" ? 0 : 37));
  return p.program();
}

constexpr const char* kExchanges[] = {"neighbour", "half", "own"};

Program exchange(const Instance& instance, const std::string& variant, std::uint64_t) {
  ProgramBuilder p = begin("lds", variant, {instance});
  const ValueId d = first_product(p, instance);
  use_as_c(p, instance, p.exchange(d, variant == "own" ? 0 : variant == "half" ? 32 : 1));
  return p.program();
}

constexpr const char* kLoops[] = {"one", "four", "crossed", "fixed-a"};

// A K loop with a run-time trip count: one accumulator, two by two, or two that change places.
Program k_loop(const Instance& instance, const std::string& variant, std::uint64_t) {
  ProgramBuilder p = begin("k-loop", variant, {instance});
  p.program().trip_counts = {0, 1, 3};
  const bool crossed = variant == "crossed";
  const int rows = variant == "four" ? 2 : 1;
  const int count = crossed ? 2 : rows * rows;
  std::vector<ValueId> carries, next, a, b;
  for (int n = 0; n < count; ++n) carries.push_back(p.operand(instance, Operand::kC, n));
  const ValueId kept = variant == "fixed-a" ? p.operand(instance, Operand::kA, 1) : 0;
  for (ValueId& c : carries) c = p.carry(c);
  p.loop();
  for (int n = 0; n < rows; ++n) {
    a.push_back(variant == "fixed-a" ? kept : p.operand(instance, Operand::kA, n, true));
    b.push_back(p.operand(instance, Operand::kB, n, true));
  }
  for (int n = 0; n < count; ++n) {
    const auto row = static_cast<std::size_t>(crossed ? 0 : n / rows),
               column = static_cast<std::size_t>(crossed ? 0 : n % rows);
    const ValueId c = carries[static_cast<std::size_t>(crossed ? 1 - n : n)];
    next.push_back(p.multiply(instance, {a[row], b[column], c}, CallForm::kBuiltin, n, true));
  }
  p.end_loop(next);
  for (const ValueId c : carries) p.output(c);
  return p.program();
}

constexpr const char* kAccumulators[] = {"two", "four", "eight", "spill"};

// Several accumulators alive at once, each taken further after all of them were begun; "spill" leaves too few
// registers.
Program accumulators(const Instance& instance, const std::string& variant, std::uint64_t) {
  ProgramBuilder p = begin("accumulators", variant, {instance});
  const int count = variant == "two" ? 2 : variant == "four" ? 4 : 8;
  if (variant == "spill") p.program().most_vgprs = 64;
  const ValueId a = p.operand(instance, Operand::kA, 0);
  const ValueId b = p.operand(instance, Operand::kB, 0);
  std::vector<ValueId> d;
  for (int n = 0; n < count; ++n) d.push_back(p.multiply(instance, {a, b, p.operand(instance, Operand::kC, n)}));
  const ValueId second = p.operand(instance, Operand::kA, 1);
  for (int n = count; n-- > 0;) {
    ValueId& x = d[static_cast<std::size_t>(n)];
    x = p.multiply(instance, {second, b, x}, CallForm::kBuiltin, 1);
  }
  for (const ValueId x : d) p.output(x);
  return p.program();
}

constexpr const char* kForms[] = {"agpr", "vgpr", "c-agpr", "d-agpr"};

Program registers(const Instance& instance, const std::string& variant, std::uint64_t) {
  ProgramBuilder p = begin("registers", variant, {instance});
  Operands o = load_operands(p, instance, 0);
  const bool all = variant == "agpr" || variant == "vgpr";
  const RegisterForm form = variant == "vgpr" ? RegisterForm::kVgpr : RegisterForm::kAgpr;
  const RegisterForm others = all ? form : RegisterForm::kVgpr;
  o.a = p.pin(o.a, others);
  o.b = p.pin(o.b, others);
  o.c = p.pin(o.c, variant == "d-agpr" ? RegisterForm::kVgpr : form);
  const ValueId d = p.pin(p.multiply(instance, {o.a, o.b, o.c}), variant == "c-agpr" ? RegisterForm::kVgpr : form);
  p.output(d);
  use_as_c(p, instance, d);
  return p.program();
}

constexpr const char* kCallees[] = {"one", "chained"};

Program callee(const Instance& instance, const std::string& variant, std::uint64_t) {
  ProgramBuilder p = begin("callee", variant, {instance});
  ValueId d = first_product(p, instance, CallForm::kNoinline);
  if (variant == "chained") {
    const ValueId a = p.operand(instance, Operand::kA, 1);
    const ValueId b = p.operand(instance, Operand::kB, 1);
    d = p.multiply(instance, {a, b, d}, CallForm::kNoinline, 1);
  }
  p.output(d);
  return p.program();
}

constexpr const char* kBranches[] = {"store", "pick", "nobody"};

// D is used in a divergent branch only; the call itself must keep its full wavefront, and its place before the branch.
Program branch(const Instance& instance, const std::string& variant, std::uint64_t) {
  ProgramBuilder p = begin("branch", variant, {instance});
  const ValueId d = first_product(p, instance);
  if (variant == "store") {
    p.output(d, 19);
    return p.program();
  }
  const ValueId other = p.operand(instance, Operand::kC, 1);
  use_as_c(p, instance, p.branch(d, other, variant == "nobody" ? 0 : 45));
  return p.program();
}

constexpr const char* kAssembly[] = {"apart", "in-place", "agpr", "before-builtin", "after-builtin", "beside"};

Program assembly(const Instance& instance, const std::string& variant, std::uint64_t) {
  ProgramBuilder p = begin("asm", variant, {instance});
  if (variant == "after-builtin") {
    const ValueId d = first_product(p, instance);
    const ValueId a = p.operand(instance, Operand::kA, 1);
    const ValueId b = p.operand(instance, Operand::kB, 1);
    p.output(p.multiply(instance, {a, b, d}, CallForm::kAsm, 1));
    return p.program();
  }
  const CallForm form = variant == "in-place" ? CallForm::kAsmInPlace
                        : variant == "agpr"   ? CallForm::kAsmAgpr
                                              : CallForm::kAsm;
  const ValueId d = first_product(p, instance, form);
  if (variant != "before-builtin") p.output(d);
  if (variant == "before-builtin") use_as_c(p, instance, d);
  if (variant == "beside") {
    const Operands o = load_operands(p, instance, 1);
    p.output(p.multiply(instance, {o.a, o.b, o.c}, CallForm::kBuiltin, 1));
  }
  return p.program();
}

bool fits_tiles(const Instance& instance) {
  return instance.builtin->name == "mfma_f32_16x16x32_f16" && instance.modifiers == catalogue::Modifiers{};
}

constexpr const char* kTiles[] = {"k64", "k32", "k160"};

Program tiled(const Instance& instance, const std::string& variant, std::uint64_t) {
  ProgramBuilder p = begin("tiled", variant, {instance});
  Program& program = p.program();
  program.tiled.k = std::stoi(variant.substr(1));
  // One image of A (or B) of the builtin has 16 * 32 elements; the matrices have 64 * k.
  const int copies = TiledProduct::kSize * program.tiled.k / (TiledProduct::kTile * TiledProduct::kStep);
  for (const Operand operand : {Operand::kA, Operand::kB}) {
    program.inputs[static_cast<std::size_t>(p.input(instance, operand, 0))].copies = copies;
  }
  const int registers = TiledProduct::kSize * TiledProduct::kSize / catalogue::kLanes;
  p.output(p.add({.kind = OpKind::kTiled, .type = {"f32", registers}, .instance = instance}));
  return program;
}

const std::array kShapes = {
    Shape{"valu", "D through integer operations and sign flips", any, vector_operations, vector_operation},
    Shape{"memory", "D through global memory, own lane's and another's", any, fixed<kMemories, std::size(kMemories)>,
          memory},
    Shape{"lds", "D through LDS to another lane", any, fixed<kExchanges, std::size(kExchanges)>, exchange},
    Shape{"k-loop", "a loop over K with 0, 1 and 3 steps known at run time", any, fixed<kLoops, std::size(kLoops)>,
          k_loop},
    Shape{"accumulators", "2, 4 and 8 accumulators alive at once, up to spilling", any,
          fixed<kAccumulators, std::size(kAccumulators)>, accumulators},
    Shape{"registers", "operands forced into AGPRs or VGPRs", any, fixed<kForms, std::size(kForms)>, registers},
    Shape{"callee", "the call in a function that is not inlined", any, fixed<kCallees, std::size(kCallees)>, callee},
    Shape{"branch", "D used in a divergent branch only", any, fixed<kBranches, std::size(kBranches)>, branch},
    Shape{"asm", "the instruction in an asm statement, alone and beside the builtin", fits_assembly,
          fixed<kAssembly, std::size(kAssembly)>, assembly},
    Shape{"tiled", "a 64x64 matrix product by tiles through LDS", fits_tiles, fixed<kTiles, std::size(kTiles)>, tiled},
};

}  // namespace

std::span<const Shape> context_shapes() { return kShapes; }

}  // namespace mfma::kernels::detail
