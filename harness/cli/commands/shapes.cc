#include "harness/cli/commands/shapes.h"

#include <fmt/format.h>

namespace mfma::cli {

tl::expected<ShapeChoice, std::string> parse_shape_choice(const std::string& text, conformance::Tier tier) {
  ShapeChoice choice;
  if (text == "single") return choice;
  if (text.empty()) {
    choice.shapes = *conformance::parse_shapes("all");
    if (tier == conformance::Tier::kFull) choice.coverage = conformance::Coverage::kFull;
    return choice;
  }
  choice.single_calls = false;
  choice.random = text == "random";
  if (choice.random) return choice;
  auto shapes = conformance::parse_shapes(text);
  if (!shapes) return tl::make_unexpected(shapes.error());
  choice.shapes = *std::move(shapes);
  choice.coverage = conformance::Coverage::kFull;
  return choice;
}

std::uint64_t cases_per_program(conformance::Tier tier) {
  switch (tier) {
    case conformance::Tier::kQuick:
      return 3;
    case conformance::Tier::kStandard:
      return 30;
    case conformance::Tier::kComprehensive:
      return 150;
    case conformance::Tier::kFull:
      break;
  }
  return 300;
}

std::string shape_lines() {
  std::string text = fmt::format("{:<14} {:>8}  {}\n", "shape", "programs", "what");
  for (const kernels::Shape& shape : kernels::shapes()) {
    std::size_t programs = 0;
    for (const catalogue::Builtin& builtin : catalogue::builtins()) {
      bool fits = false;
      for (const catalogue::Instance& i : catalogue::legal_instances(builtin)) fits = fits || shape.fits(i);
      if (fits) programs += shape.variants(builtin).size();
    }
    text += fmt::format("{:<14} {:>8}  {}\n", shape.name, programs, shape.summary);
  }
  return text + fmt::format("{:<14} {:>8}  {}\n", "random", "any", "a few of these pieces put together by a seed");
}

}  // namespace mfma::cli
