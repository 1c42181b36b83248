// RapidCheck generators of instances and cases. Header only: who includes it links rapidcheck.
//
// Shrinking goes towards simpler operand classes (the order of OperandClass), index 0 and seed 0, and the builtin's
// instance without modifiers.
#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <ostream>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/operands/operands.h"

namespace mfma::operands {

// What makes a case: small, printable, and what shrinks.
struct CaseKey {
  catalogue::Instance instance;
  std::uint64_t seed = 0, index = 0;
  OperandClass cls = OperandClass::kSmallIntegers;

  cases::Case make() const { return make_case(instance, seed, index, cls); }
  friend std::ostream& operator<<(std::ostream& out, const CaseKey& key) {
    return out << cases::case_id(key.instance, key.seed, key.index) << " " << name_of(key.cls);
  }
};

// Any legal instance; a builtin first, so that those with few instances come as often as those with many.
inline rc::Gen<catalogue::Instance> any_instance() {
  const auto builtins = catalogue::builtins();
  return rc::gen::mapcat(rc::gen::elementOf(std::vector<catalogue::Builtin>(builtins.begin(), builtins.end())),
                         [](const catalogue::Builtin& b) {
                           const catalogue::Builtin* row = catalogue::find_builtin(b.name);
                           return rc::gen::map(rc::gen::inRange(0, catalogue::legal_count(*row)), [row](int rank) {
                             return catalogue::legal_instances(*row)[static_cast<std::size_t>(rank)];
                           });
                         });
}

// The classes that apply to an instance, the simplest first; shrinks towards it.
inline rc::Gen<OperandClass> class_for(const catalogue::Instance& instance) {
  std::vector<OperandClass> classes;
  for (const OperandClass c : all_operand_classes()) {
    if (applies(instance, c)) classes.push_back(c);
  }
  const auto count = static_cast<int>(classes.size());
  return rc::gen::map(rc::gen::inRange(0, count),
                      [classes = std::move(classes)](int n) { return classes[static_cast<std::size_t>(n)]; });
}

inline rc::Gen<CaseKey> case_of(const catalogue::Instance& instance) {
  return rc::gen::map(rc::gen::tuple(class_for(instance), rc::gen::inRange<std::uint64_t>(0, 4096),
                                     rc::gen::inRange<std::uint64_t>(0, 1 << 20)),
                      [instance](const std::tuple<OperandClass, std::uint64_t, std::uint64_t>& drawn) {
                        return CaseKey{instance, std::get<2>(drawn), std::get<1>(drawn), std::get<0>(drawn)};
                      });
}

inline rc::Gen<CaseKey> any_case() {
  return rc::gen::mapcat(any_instance(), [](const catalogue::Instance& instance) { return case_of(instance); });
}

}  // namespace mfma::operands

template <>
struct rc::Arbitrary<mfma::operands::CaseKey> {
  static rc::Gen<mfma::operands::CaseKey> arbitrary() { return mfma::operands::any_case(); }
};
