// Programs: small kernels as data, with one or more MFMA calls and what surrounds them in real code.
//
// A program is a list of operations in single assignment form, each defining one value that 64 lanes hold as a
// register image. program_source.cc renders it to HIP; conformance/program_oracle.h says what it must compute. Every
// operation has one defined result for every input, whatever the compiler: integer operations on bit patterns, moves,
// roundings of finite numbers, and MFMA calls.
//
// Kernel ABI: (inputs..., outputs..., memories..., int cases, int trips), all but the last two pointers. One workgroup
// of 64 lanes per case. Input k holds, for case w, `steps` images (of `copies` parts) one after another: element
// ((w * steps + step) * 64 + lane); an output holds one. The guard on `cases` is uniform, and no MFMA stands in
// divergent flow: MFMA ignores EXEC (CDNA4 ISA 7.1.2).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/catalogue/instance.h"
#include "harness/catalogue/layout.h"
#include "harness/kernels/kernel.h"

namespace mfma::kernels {

// A C type of preamble(): a scalar, or a vector of it.
struct ValueType {
  std::string scalar;  // "f16", "bf16", "f32", "f64", "i16", "i32", "i64", and "u32", which preamble() lacks
  int count = 1;

  int bits() const;       // of the scalar
  int registers() const;  // dwords per lane
  std::string name() const;
  bool operator==(const ValueType&) const = default;
};
ValueType type_named(std::string_view name);  // "v4f32"; a name of the catalogue
ValueType words(int registers);               // u32 or a vector of it

enum class OpKind {
  kLoad,       // input `number`; in a loop, this step's image of a per-step input
  kLoadFirst,  // lane 0's element of the input, in every lane: a uniform value
  kConstant,   // `dwords`, the same in every lane
  kMultiply,   // `instance` in `form`: args A, B, C and, on the scaled form, scale A and scale B
  kPin,        // the value unchanged, through an empty asm statement that keeps it in VGPRs or AGPRs
  kCombine,    // `integer` on the dwords of two values of one size
  kNegate,     // sign bits of f32 or f64 elements flipped
  kRound,      // f32 elements with bit 30 cleared (so |x| < 2), to the f16 or bf16 elements of `type`, nearest even;
               // element i is element i % n of the argument's n
  kWords,      // dwords number, number + 1, ... of the value, around its end, as `type`
  kInsert,     // args base, part: base with the dwords from `number` on replaced
  kExchange,   // through LDS: lane l gets what lane l ^ number had
  kMemory,     // the same through global memory, which keeps the stored image (Program::memories)
  kBranch,     // args x, y: in a divergent branch lanes below `number` take x, the others keep y
  kCarry,      // a value that a loop changes; arg: before the loop. Directly before its kLoop
  kLoop,       // no value; the body follows, run `trips` times
  kEndLoop,    // no value; args: what each carry of the loop becomes, in order
  kTiled,      // no args: the matrix product of inputs 0 and 1 by tiles, see TiledProduct; must be the only operation
};

enum class CallForm {
  kBuiltin,
  kNoinline,    // the builtin, in a function that is not inlined
  kAsm,         // an asm statement with D apart from C
  kAsmInPlace,  // D and C one operand
  kAsmAgpr,     // D and C one operand in AGPRs
};
enum class IntegerOp { kXor, kAnd, kOr, kAdd, kSubtract };

using ValueId = int;  // index of the operation that defines it

struct Op {
  OpKind kind = OpKind::kConstant;
  ValueType type{};
  std::vector<ValueId> args{};
  catalogue::Instance instance{};
  CallForm form = CallForm::kBuiltin;
  IntegerOp integer = IntegerOp::kXor;
  RegisterForm pin = RegisterForm::kVgpr;
  int number = 0;
  std::vector<std::uint32_t> dwords{};
};

// Where an input's bits come from: an operand of the instance's cases (harness/operands/operands.h). Inputs with one
// instance and one draw are operands of the same cases.
struct Input {
  ValueType type;
  catalogue::Instance instance;
  catalogue::Operand operand = catalogue::Operand::kA;
  int draw = 0;
  bool per_step = false;
  int copies = 1;  // drawn images one after another in each image of the input
  int registers() const { return type.registers() * copies; }
};

struct Output {
  ValueId value = 0;
  int lanes = catalogue::kLanes;  // fewer: stored in a divergent branch by the lanes below
};

// C[64][64] = A[64][k] * B[k][64] in f16 by v_mfma_f32_16x16x32_f16, through LDS, by one wavefront with 16
// accumulators. Matrices in memory are row by row; the output is C as 64 * 64 dwords.
struct TiledProduct {
  static constexpr int kSize = 64, kTile = 16, kStep = 32;
  int k = 2 * kStep;
};

struct Program {
  std::string title;  // says what it is and is unique in a run: "k-loop/four/mfma_f32_16x16x32_f16"
  std::string shape;
  std::vector<Input> inputs;
  std::vector<Op> ops;
  std::vector<Output> outputs;
  std::vector<int> trip_counts = {1};  // one launch each
  int most_vgprs = 0;                  // 0: the compiler decides
  TiledProduct tiled;
  std::string note;  // goes into the source as a comment

  std::string kernel_name() const;  // the title as a C identifier
  // Of the MFMA calls, each once, in order of first use.
  std::vector<catalogue::Instance> instances() const;
  std::vector<ValueId> memories() const;  // kMemory operations, in order
  bool has_loop() const;
};

// Empty when the program is well formed: arguments defined before use and in scope, types that fit, at least one
// output. Else what is wrong, in one line.
std::string why_malformed(const Program& program);
// Operations that no output depends on, gone. Carries of a loop that stays are kept.
Program without_dead_code(const Program& program);

// The kernel. `program` must be well formed.
Piece piece_of(const Program& program);

// Adds operations one by one; each returns its value.
class ProgramBuilder {
 public:
  ProgramBuilder(std::string shape, std::string title) {
    program_.shape = std::move(shape);
    program_.title = std::move(title);
  }
  Program& program() { return program_; }
  int input(const catalogue::Instance& instance, catalogue::Operand operand, int draw, bool per_step = false);
  ValueId load(int input) { return add({.kind = OpKind::kLoad, .type = type_of_input(input), .number = input}); }
  ValueId load_first(int input) {
    return add({.kind = OpKind::kLoadFirst, .type = type_of_input(input), .number = input});
  }
  // Input and load in one.
  ValueId operand(const catalogue::Instance& instance, catalogue::Operand operand, int draw, bool per_step = false) {
    return load(input(instance, operand, draw, per_step));
  }
  ValueId constant(const ValueType& type, std::vector<std::uint32_t> dwords);
  ValueId splat(const ValueType& type, std::uint64_t element);  // the element's bits in every element
  // A, B, C; scales are loaded where the instance has them and none are given.
  ValueId multiply(const catalogue::Instance& instance, std::vector<ValueId> args, CallForm form = CallForm::kBuiltin,
                   int draw = 0, bool per_step = false);
  ValueId pin(ValueId value, RegisterForm form);
  ValueId combine(IntegerOp op, ValueId x, ValueId y);
  ValueId negate(ValueId value);
  ValueId round(ValueId value, const ValueType& type);
  ValueId words_of(ValueId value, int first, const ValueType& type);
  ValueId insert(ValueId base, int first, ValueId part);
  ValueId exchange(ValueId value, int mask);
  ValueId memory(ValueId value, int mask);
  ValueId branch(ValueId x, ValueId y, int lanes);
  ValueId carry(ValueId before);
  void loop() { add({.kind = OpKind::kLoop}); }
  void end_loop(std::vector<ValueId> next) { add({.kind = OpKind::kEndLoop, .args = std::move(next)}); }
  void output(ValueId value, int lanes = catalogue::kLanes) { program_.outputs.push_back({value, lanes}); }
  const ValueType& type_of(ValueId value) const { return program_.ops[static_cast<std::size_t>(value)].type; }
  ValueId add(Op op);

 private:
  const ValueType& type_of_input(int input) const { return program_.inputs[static_cast<std::size_t>(input)].type; }
  Program program_;
};

}  // namespace mfma::kernels
