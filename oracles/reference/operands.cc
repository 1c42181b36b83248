#include "oracles/reference/operands.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

namespace mfma::oracles::reference {

namespace {

std::vector<Element> decode_all(const Format& f, std::span<const std::uint64_t> codes) {
  std::vector<Element> elements;
  elements.reserve(codes.size());
  for (const std::uint64_t code : codes) elements.push_back(decode_element(f, code));
  return elements;
}

std::vector<std::optional<long>> decode_scales(const DotProblem& problem) {
  std::vector<std::optional<long>> scales;
  const std::size_t blocks = (problem.a.size() + kScaleBlock - 1) / kScaleBlock;
  if (problem.scale_a.size() < blocks || problem.scale_b.size() < blocks) {
    throw std::invalid_argument("dot_product: " + std::to_string(problem.a.size()) + " products need " +
                                std::to_string(blocks) + " scales on each side");
  }
  for (std::size_t block = 0; block < blocks; ++block) {
    const auto a = scale_exponent(problem.scale_a[block]);
    const auto b = scale_exponent(problem.scale_b[block]);
    scales.push_back(a && b ? std::optional(*a + *b) : std::nullopt);
  }
  return scales;
}

}  // namespace

Operands::Operands(const DotProblem& problem)
    : acc(problem.acc_format),
      a(decode_all(problem.a_format, problem.a)),
      b(decode_all(problem.b_format, problem.b)),
      c(decode_element(problem.acc_format, problem.c).real) {
  if (a.size() != b.size()) {
    throw std::invalid_argument("dot_product: " + std::to_string(a.size()) + " elements of A against " +
                                std::to_string(b.size()) + " of B");
  }
  if (problem.scaled) scale = decode_scales(problem);
}

Real Operands::product(int k) const {
  const auto index = static_cast<std::size_t>(k);
  return multiply(a[index].real, b[index].real);
}

Real Operands::scaled_product(int k) const { return apply_scale(product(k), k); }

Real Operands::apply_scale(const Real& x, int k) const {
  if (scale.empty()) return x;
  const auto& exponent = scale[static_cast<std::size_t>(k / kScaleBlock)];
  return exponent ? times_power_of_two(x, *exponent) : Real::nan();
}

std::vector<Part> cut(int k, int length, StepOrder order) {
  if (length < 1) throw std::invalid_argument("dot_product: a step of " + std::to_string(length) + " products");
  std::vector<Part> parts;
  for (int begin = 0; begin < k; begin += length) parts.push_back({begin, std::min(begin + length, k)});
  if (order == StepOrder::kDescending) std::ranges::reverse(parts);
  return parts;
}

std::vector<int> walk(Part part, StepOrder order) {
  std::vector<int> ks(static_cast<std::size_t>(part.end - part.begin));
  std::iota(ks.begin(), ks.end(), part.begin);
  if (order == StepOrder::kDescending) std::ranges::reverse(ks);
  return ks;
}

}  // namespace mfma::oracles::reference
