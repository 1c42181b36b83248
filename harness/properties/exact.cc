// Which elements are exact: asked of the oracle's rule, whose answer is about the operands and depends on no model.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "harness/properties/operands.h"
#include "oracles/batched/batched.h"
#include "oracles/plain/dense.h"

namespace mfma::properties {
namespace {

const oracles::Format& format_of(catalogue::ElementFormat f) {
  const oracles::Format* found = oracles::find_format(catalogue::name_of(f));
  if (found == nullptr) throw std::logic_error("the oracle has no format " + std::string(catalogue::name_of(f)));
  return *found;
}

std::vector<std::uint8_t> bytes_of(const std::vector<std::uint64_t>& codes) {
  std::vector<std::uint8_t> bytes(codes.size());
  std::transform(codes.begin(), codes.end(), bytes.begin(),
                 [](std::uint64_t code) { return static_cast<std::uint8_t>(code); });
  return bytes;
}

}  // namespace

std::vector<std::uint8_t> exact_elements(const Matrices& m) {
  const catalogue::Instance& instance = m.instance();
  const catalogue::Modifiers& given = instance.modifiers;
  oracles::DenseModifiers modifiers;
  if (has_pattern_modifiers(instance)) {
    modifiers.cbsz = given.cbsz;
    modifiers.abid = given.abid;
    modifiers.blgp = given.blgp;
  } else if (instance.builtin->modifiers == catalogue::ModifierKind::kNegate) {
    modifiers.negate_a = (given.blgp & 1) != 0;
    modifiers.negate_b = (given.blgp & 2) != 0;
    modifiers.negate_c = (given.blgp & 4) != 0;
  }
  const std::vector<std::uint8_t> scale_a = bytes_of(m.scale_a), scale_b = bytes_of(m.scale_b);
  const oracles::DenseProblem problem{.shape = {m.shape().m, m.shape().n, m.shape().k, m.shape().blocks},
                                      .a_format = format_of(instance.a_format()),
                                      .b_format = format_of(instance.b_format()),
                                      .acc_format = format_of(instance.builtin->acc_format),
                                      .modifiers = modifiers,
                                      .a = m.a,
                                      .b = m.b,
                                      .c = m.c,
                                      .scaled = m.has_scales(),
                                      .scale_a = scale_a,
                                      .scale_b = scale_b};
  oracles::Model any;  // decides nothing about exactness
  any.kind = problem.acc_format.is_integer ? oracles::ModelKind::kInteger : oracles::ModelKind::kFmaChain;
  std::vector<std::uint8_t> exact = oracles::batched::dense_product(problem, any).exact;
  const auto also = [&](const oracles::DenseModifiers& other) {
    oracles::DenseProblem otherwise = problem;
    otherwise.modifiers = other;
    const std::vector<std::uint8_t> more = oracles::batched::dense_product(otherwise, any).exact;
    for (std::size_t n = 0; n < exact.size(); ++n) exact[n] = static_cast<std::uint8_t>(exact[n] & more[n]);
  };
  if (catalogue::rests_on_unsettled_broadcast(instance)) {
    oracles::DenseModifiers whole_wave = modifiers;
    whole_wave.reading = oracles::BroadcastReading::kWholeWave;
    also(whole_wave);
  }
  if (catalogue::rests_on_unsettled_blgp(instance)) {
    oracles::DenseModifiers ignored = modifiers;
    ignored.blgp = 0;
    also(ignored);
  }
  return exact;
}

}  // namespace mfma::properties
