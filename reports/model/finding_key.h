// What tells one finding of a report from the others. Texts for people take no part.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "reports/model/report.h"

namespace mfma::reports {

struct FindingKey {
  bool is_program = false;
  std::uint64_t unit = 0;
  FindingKind kind = FindingKind::kWrongBits;
  std::string compiler, level, case_id, property;

  auto operator<=>(const FindingKey&) const = default;
};

inline FindingKey key_of(const Finding& f) {
  return {!f.shape.empty(), f.unit, f.kind, f.compiler, f.level, f.case_id, f.property};
}

}  // namespace mfma::reports
