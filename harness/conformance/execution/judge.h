// One instance's results held against the oracle: which elements differ, and which of these gate.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/cases/case.h"
#include "harness/conformance/execution/subject.h"
#include "reports/model/report.h"

namespace mfma::conformance {

// Differences that a finding shows.
inline constexpr std::size_t kDifferencesShown = 4;

// Where an element of D is, by its index in [block][row][column].
struct ElementPlace {
  int block, row, column;
};
[[nodiscard]] ElementPlace place_of(const catalogue::Instance& instance, std::size_t index);

// One D. Indices into [block][row][column].
struct Judged {
  std::vector<std::uint64_t> actual;
  std::uint64_t exact = 0;               // elements whose bits no model may change
  std::vector<std::size_t> gating;       // differ, and are a failure
  std::vector<std::size_t> unconfirmed;  // differ under a model that is not confirmed
};

class Judge {
 public:
  Judge(const Subject& subject, const catalogue::Instance& instance);

  [[nodiscard]] oracles::DenseResult expected(const cases::Case& c) const { return view_.expected(c); }
  // `d`: as the device left it. Every bit of every element is compared.
  [[nodiscard]] Judged judge(const oracles::DenseResult& expected, const catalogue::RegisterImage& d) const;
  [[nodiscard]] const OracleView& view() const { return view_; }

 private:
  OracleView view_;
  bool model_gates_;
};

[[nodiscard]] reports::ElementDifference element_difference(const catalogue::Instance& instance, std::size_t index,
                                                            const oracles::DenseResult& expected, std::uint64_t actual);

}  // namespace mfma::conformance
