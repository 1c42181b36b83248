// One instance as the oracle sees it: register images to matrices through the catalogue's layouts, the dense product,
// and the comparison of D bit for bit.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "harness/cases/case.h"
#include "harness/catalogue/layout.h"
#include "oracles/arithmetic/model.h"
#include "oracles/plain/dense.h"

namespace mfma::conformance {

// Hooks by which a test alters one entry of what the oracle believes, to show that a run then fails. Empty in use.
struct OracleAlterations {
  std::function<void(const catalogue::Instance&, catalogue::Operand, catalogue::Layout&)> layout;
  std::function<void(const catalogue::Instance&, oracles::DenseModifiers&)> modifiers;
  std::function<void(const catalogue::Instance&, oracles::Format&)> format;
  std::function<void(const catalogue::Instance&, oracles::Model&)> model;
  std::function<void(const catalogue::Instance&, int&)> opcode;
};

oracles::FormatId oracle_format(catalogue::ElementFormat format);

// Which elements of D differ, and of what kind all elements are.
struct Comparison {
  std::uint64_t elements = 0, exact = 0;
  std::vector<std::size_t> differing;  // indices into [block][row][column]
};

class OracleView {
 public:
  OracleView(const catalogue::Instance& instance, const oracles::Model& model, oracles::BroadcastReading reading,
             const OracleAlterations& alterations);

  oracles::DenseResult expected(const cases::Case& c) const;
  // `actual`: D as the device left it. Every bit of every element is compared.
  Comparison compare(const oracles::DenseResult& expected, const std::vector<std::uint64_t>& actual) const;
  const catalogue::Layout& d_layout() const { return *d_; }
  // Products of one element of D, modifiers done, that are not zero; an infinity or a NaN is not zero.
  std::uint64_t nonzero_products(const cases::Case& c, std::size_t element) const;

 private:
  catalogue::Instance instance_;
  oracles::Model model_;
  oracles::DenseModifiers modifiers_;
  oracles::Format a_format_, b_format_, acc_format_;
  std::shared_ptr<const catalogue::Layout> a_, b_, c_, d_;
  std::vector<std::shared_ptr<const catalogue::Layout>> scales_;  // A and B; empty when the instance has none
};

}  // namespace mfma::conformance
