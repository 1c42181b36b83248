// What `run --shape` asks for.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "harness/conformance/calls/plan.h"
#include "harness/conformance/programs/program_plan.h"

namespace mfma::cli {

struct ShapeChoice {
  bool single_calls = true;                   // the instances, one call each
  std::vector<const kernels::Shape*> shapes;  // and programs of these
  conformance::Coverage coverage = conformance::Coverage::kPairwise;
  bool random = false;  // random programs instead; --cases is their number
};

// `text` empty: single calls and, pairwise or in the full tier in full, all shapes. "single": single calls alone.
// "random". "all" or names: these shapes alone, in full. One line that names what is unknown.
tl::expected<ShapeChoice, std::string> parse_shape_choice(const std::string& text, conformance::Tier tier);

// Cases of each program and trip count.
std::uint64_t cases_per_program(conformance::Tier tier);
inline constexpr std::uint64_t kRandomPrograms = 64;  // without --cases

std::string shape_lines();  // for `list --shapes`

}  // namespace mfma::cli
