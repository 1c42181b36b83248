// Program shapes: the ways in which real code uses a builtin, each as a family of programs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/kernels/program.h"

namespace mfma::kernels {

struct Shape {
  std::string_view name;     // "k-loop"
  std::string_view summary;  // one line
  // Whether the shape has a program for the instance. What it says depends on builtin and modifiers alone.
  bool (*fits)(const catalogue::Instance& instance);
  // Names of the shape's programs for one builtin, never empty where some instance fits: the quick tier takes one in
  // turn, the full tier all of them.
  std::vector<std::string> (*variants)(const catalogue::Builtin& builtin);
  // The program; `seed` picks the constants in it and the modifiers of a second builtin.
  Program (*make)(const catalogue::Instance& instance, const std::string& variant, std::uint64_t seed);
};

std::span<const Shape> shapes();                 // in a fixed order
const Shape* find_shape(std::string_view name);  // nullptr when unknown

// Builtins that have the accumulator type of this one, itself included, in table order.
std::vector<const catalogue::Builtin*> with_same_accumulator(const catalogue::Builtin& builtin);

namespace detail {
// A, B and C of one draw, loaded.
struct Operands {
  ValueId a, b, c;
};
Operands load_operands(ProgramBuilder& p, const catalogue::Instance& instance, int draw, bool per_step = false);
// D of one call as operand type `type` of the next: rounded to f16 or bf16, else its first dwords.
ValueId as_operand(ProgramBuilder& p, ValueId d, const catalogue::Instance& next, catalogue::Operand operand);
// A legal instance of the builtin, by the seed and a name that tells draws apart.
catalogue::Instance some_instance(const catalogue::Builtin& builtin, std::uint64_t seed, std::string_view name);
// Whether an asm statement can name the operands: A and B have as many registers as their C types.
bool fits_assembly(const catalogue::Instance& instance);
ProgramBuilder begin(std::string_view shape, const std::string& variant,
                     const std::vector<catalogue::Instance>& instances);
std::span<const Shape> basic_shapes();    // shapes_basic.cc: one or two calls
std::span<const Shape> context_shapes();  // shapes_context.cc: what stands around them
}  // namespace detail

}  // namespace mfma::kernels
