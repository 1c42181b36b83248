// Which programs a run takes: shapes x builtins x levels, pairwise or in full, and random ones.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "harness/catalogue/instance.h"
#include "harness/kernels/program.h"
#include "harness/kernels/shapes.h"

namespace mfma::conformance {

struct PlannedProgram {
  kernels::Program program;
  const catalogue::Builtin* builtin = nullptr;  // the first; of random programs too
  std::vector<std::string> levels;              // at which it is compiled
  std::uint64_t number = 0;                     // its place in the plan
};

enum class Coverage {
  // Each pair of shape and builtin, shape and level, builtin and level at least once, where the shape takes the
  // builtin.
  // A shape's variants take turns over the builtins.
  kPairwise,
  kFull,  // every variant of every shape for every builtin at every level
};

struct ProgramSelection {
  std::vector<const kernels::Shape*> shapes;
  std::vector<catalogue::Instance> instances;  // what may be called first; the modifiers take turns
  std::vector<std::string> levels;
  Coverage coverage = Coverage::kPairwise;
  std::uint64_t seed = 1;
};

// In an order that puts programs of the same levels together. The same for the same selection.
[[nodiscard]] std::vector<PlannedProgram> plan_programs(const ProgramSelection& selection);

// `count` random programs (harness/kernels/random_program.h) of the selection's instances, each at all levels.
[[nodiscard]] std::vector<PlannedProgram> plan_random_programs(const ProgramSelection& selection, std::uint64_t count);

// "shape builtin", "shape level" and "builtin level" pairs that the selection asks for and the plan lacks.
[[nodiscard]] std::vector<std::string> missing_pairs(const ProgramSelection& selection,
                                                     const std::vector<PlannedProgram>& plan);

// "k-loop,lds" as shapes, "all" as all of them; one line that names an unknown or repeated one.
tl::expected<std::vector<const kernels::Shape*>, std::string> parse_shapes(const std::string& text);

}  // namespace mfma::conformance
