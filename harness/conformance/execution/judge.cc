#include "harness/conformance/execution/judge.h"

namespace mfma::conformance {

ElementPlace place_of(const catalogue::Instance& instance, std::size_t index) {
  const auto m = static_cast<std::size_t>(instance.builtin->shape.m);
  const auto n = static_cast<std::size_t>(instance.builtin->shape.n);
  return {static_cast<int>(index / (m * n)), static_cast<int>(index / n % m), static_cast<int>(index % n)};
}

Judge::Judge(const Subject& subject, const catalogue::Instance& instance)
    : view_(oracle_entry(subject, instance)), model_gates_(model_gates(subject, instance)) {}

Judged Judge::judge(const oracles::DenseResult& expected, const catalogue::RegisterImage& d) const {
  Judged judged;
  judged.actual = catalogue::read_elements(view_.d_layout(), d);
  const Comparison compared = view_.compare(expected, judged.actual);
  judged.exact = compared.exact;
  for (const std::size_t element : compared.differing) {
    (model_gates_ || expected.exact[element] ? judged.gating : judged.unconfirmed).push_back(element);
  }
  return judged;
}

reports::ElementDifference element_difference(const catalogue::Instance& instance, std::size_t index,
                                              const oracles::DenseResult& expected, std::uint64_t actual) {
  const ElementPlace place = place_of(instance, index);
  const catalogue::Location& at = catalogue::shared_layout(instance, catalogue::Operand::kD).locations()[index];
  reports::ElementDifference d;
  d.block = place.block;
  d.row = place.row;
  d.column = place.column;
  d.lane = at.lane;
  d.bit = at.bit;
  d.width = at.width;
  d.expected = expected.d[index];
  d.actual = actual;
  d.exact = expected.exact[index] != 0;
  return d;
}

}  // namespace mfma::conformance
