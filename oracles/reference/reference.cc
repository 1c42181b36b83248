#include "oracles/reference/reference.h"

#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "oracles/reference/models.h"

namespace mfma::oracles::reference {

namespace {

Real evaluate(const Operands& operands, const Model& model) {
  switch (model.kind) {
    case ModelKind::kFmaChain:
      return fma_chain(operands, model);
    case ModelKind::kMultiplyAdd:
      return multiply_add(operands, model);
    case ModelKind::kPairwise:
      return pairwise(operands, model);
    case ModelKind::kExactSum:
      return exact_sum(operands, model);
    case ModelKind::kAlignedSum:
      return aligned_sum(operands, model);
    case ModelKind::kBlockSums:
      return block_sums(operands, model);
    case ModelKind::kInteger:
      break;
  }
  throw std::invalid_argument("dot_product: the integer model has no floating-point sum");
}

std::optional<std::uint64_t> first_nan(const Format& f, std::span<const std::uint64_t> codes, const Format& acc) {
  for (const std::uint64_t code : codes) {
    if (decode_element(f, code).real.is_nan()) return convert_nan(f, code, acc);
  }
  return std::nullopt;
}

// Infinity's exponent field with the top fraction bit: 7fc00000 for f32.
std::uint64_t default_nan(const Format& acc) {
  return encode(Real::infinity(false), acc) | (std::uint64_t{1} << (acc.fraction_bits - 1));
}

std::uint64_t nan_bits(const DotProblem& problem, const NanRule& rule) {
  const std::uint64_t generated = rule.bits.value_or(default_nan(problem.acc_format));
  if (!rule.propagate) return generated;
  for (const char operand : rule.order) {
    std::optional<std::uint64_t> found;
    if (operand == 'a') found = first_nan(problem.a_format, problem.a, problem.acc_format);
    if (operand == 'b') found = first_nan(problem.b_format, problem.b, problem.acc_format);
    if (operand == 'c') found = first_nan(problem.acc_format, std::span(&problem.c, 1), problem.acc_format);
    if (found) return *found;
  }
  return generated;
}

// Integers and floating-point numbers do not mix, and the integer model is for integers only.
void check_formats(const DotProblem& problem, const Model& model) {
  const bool integer = problem.acc_format.is_integer;
  for (const Format* f : {&problem.a_format, &problem.b_format}) {
    if (f->is_integer != integer) {
      throw std::invalid_argument("dot_product: format " + std::string(f->name) + " does not go with " +
                                  std::string(problem.acc_format.name));
    }
  }
  if (model.kind == ModelKind::kInteger && !integer) {
    throw std::invalid_argument("dot_product: the integer model does not go with " +
                                std::string(problem.acc_format.name));
  }
}

}  // namespace

std::uint64_t dot_product(const DotProblem& problem, const Model& model) {
  check_formats(problem, model);
  const Operands operands(problem);
  if (problem.acc_format.is_integer) return integer_sum(operands);
  const Real d = evaluate(operands, model);
  return d.is_nan() ? nan_bits(problem, model.nan) : encode(d, problem.acc_format);
}

}  // namespace mfma::oracles::reference
