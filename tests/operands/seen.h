// One element of D as the instruction forms it: its terms as exact rationals, so that tests can measure sums.
#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/cases/case.h"
#include "oracles/plain/dense.h"

namespace mfma::operands::testing {

catalogue::Instance instance(std::string_view id);  // std::invalid_argument when it is none
// One instance per builtin, and per format pair of the scaled ones; without modifiers but op_sel.
std::vector<catalogue::Instance> one_of_each();

struct Term {
  std::uint64_t a = 0, b = 0;  // codes, modifiers done
  int scale = 0;               // exponent of both scales
  bool nan_scale = false;
  bool finite = true;
  mpq_class value;  // of a finite product, its scale included
};

struct Element {
  std::vector<Term> products;
  std::uint64_t c = 0;
  bool c_finite = true;
  mpq_class c_value;

  bool finite() const;
  mpq_class sum() const;      // of all terms, all being finite
  mpq_class largest() const;  // magnitude of a term
  mpq_class largest_product() const;
};

// All operands of a case, read once.
class Seen {
 public:
  explicit Seen(const cases::Case& c);
  Element at(int block, int i, int j) const;
  const oracles::Format& a_format() const { return a_format_; }
  const oracles::Format& b_format() const { return b_format_; }
  const oracles::Format& acc_format() const { return acc_format_; }

 private:
  catalogue::Instance instance_;
  oracles::DenseShape shape_;
  oracles::DenseModifiers modifiers_;
  oracles::Format a_format_, b_format_, acc_format_;
  std::vector<std::uint64_t> a_, b_, c_, scale_a_, scale_b_;
};

// floor(log2 |x|); x is not zero.
int exponent_of(const mpq_class& x);
mpq_class power(int exponent);

}  // namespace mfma::operands::testing
