#include "harness/kernels/shapes.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/cases/case.h"

namespace mfma::kernels {

using catalogue::Instance;
using catalogue::Operand;

std::span<const Shape> shapes() {
  static const std::vector<Shape> all = [] {
    std::vector<Shape> joined;
    for (const auto part : {detail::basic_shapes(), detail::context_shapes()}) {
      joined.insert(joined.end(), part.begin(), part.end());
    }
    return joined;
  }();
  return all;
}

const Shape* find_shape(std::string_view name) {
  const auto all = shapes();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Shape& s) { return s.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::vector<const catalogue::Builtin*> with_same_accumulator(const catalogue::Builtin& builtin) {
  std::vector<const catalogue::Builtin*> all;
  for (const catalogue::Builtin& b : catalogue::builtins()) {
    if (b.c_type == builtin.c_type) all.push_back(&b);
  }
  return all;
}

namespace detail {

Operands load_operands(ProgramBuilder& p, const Instance& instance, int draw, bool per_step) {
  const ValueId a = p.operand(instance, Operand::kA, draw, per_step);
  const ValueId b = p.operand(instance, Operand::kB, draw, per_step);
  return {a, b, p.operand(instance, Operand::kC, draw, per_step)};
}

ValueId as_operand(ProgramBuilder& p, ValueId d, const Instance& next, Operand operand) {
  const catalogue::Builtin& b = *next.builtin;
  const ValueType type = type_named(operand == Operand::kA ? b.a_type : b.b_type);
  if (type.bits() == 16 && p.type_of(d).scalar == "f32") return p.round(d, type);
  return p.words_of(d, 0, type);
}

Instance some_instance(const catalogue::Builtin& builtin, std::uint64_t seed, std::string_view name) {
  const std::vector<Instance> legal = catalogue::legal_instances(builtin);
  return legal[cases::case_seed(seed, name, 0) % legal.size()];
}

bool fits_assembly(const Instance& instance) {
  const catalogue::Builtin& b = *instance.builtin;
  return instance.a_registers() == b.a_registers && instance.b_registers() == b.b_registers;
}

ProgramBuilder begin(std::string_view shape, const std::string& variant, const std::vector<Instance>& instances) {
  std::string title = fmt::format("{}/{}", shape, variant);
  for (std::size_t i = 0; i < instances.size(); ++i) {
    title += i == 0 ? '/' : '+';
    title += catalogue::instance_id(instances[i]);
  }
  return {std::string(shape), std::move(title)};
}

}  // namespace detail
}  // namespace mfma::kernels
