// One instance as the oracle sees it: register images to matrices through the catalogue's layouts, the dense product,
// and the comparison of D bit for bit.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "harness/cases/case.h"
#include "harness/catalogue/layout.h"
#include "oracles/arithmetic/model.h"
#include "oracles/plain/dense.h"

namespace mfma::conformance {

oracles::FormatId oracle_format(catalogue::ElementFormat format);

// Which oracle computes: the plain one is the definition, the batched one has the same bits sooner (oracles/batched).
enum class OracleChoice { kPlain, kBatched };

// What the oracle holds of one instance.
struct OracleEntry {
  catalogue::Instance instance;
  oracles::Model model;
  oracles::DenseModifiers modifiers;
  oracles::Format a_format, b_format, acc_format;
  std::shared_ptr<const catalogue::Layout> a, b, c, d;             // never null
  std::vector<std::shared_ptr<const catalogue::Layout>> scales{};  // A and B; empty when the instance has none
  int opcode = 0;  // of the one MFMA that a call comes to: VOP3P-MAI bits 22:16
  OracleChoice choice = OracleChoice::kBatched;
};

// Where the entries come from.
class OracleSource {
 public:
  virtual ~OracleSource() = default;
  // From any thread.
  [[nodiscard]] virtual OracleEntry entry(const catalogue::Instance& instance, const oracles::Model& model,
                                          oracles::BroadcastReading reading) const = 0;
};

// The catalogue's formats, layouts and opcode, as they are.
[[nodiscard]] OracleEntry catalogue_entry(const catalogue::Instance& instance, const oracles::Model& model,
                                          oracles::BroadcastReading reading);
[[nodiscard]] std::shared_ptr<const OracleSource> catalogue_oracle(OracleChoice choice = OracleChoice::kBatched);

// Which elements of D differ, and of what kind all elements are.
struct Comparison {
  std::uint64_t elements = 0, exact = 0;
  std::vector<std::size_t> differing;  // indices into [block][row][column]
};

class OracleView {
 public:
  explicit OracleView(OracleEntry entry) : entry_(std::move(entry)) {}
  OracleView(const catalogue::Instance& instance, const oracles::Model& model, oracles::BroadcastReading reading)
      : OracleView(catalogue_entry(instance, model, reading)) {}

  [[nodiscard]] oracles::DenseResult expected(const cases::Case& c) const;
  // `actual`: D as the device left it. Every bit of every element is compared.
  [[nodiscard]] Comparison compare(const oracles::DenseResult& expected,
                                   const std::vector<std::uint64_t>& actual) const;
  const catalogue::Layout& d_layout() const { return *entry_.d; }
  // Products of one element of D, modifiers done, that are not zero; an infinity or a NaN is not zero.
  [[nodiscard]] std::uint64_t nonzero_products(const cases::Case& c, std::size_t element) const;

 private:
  OracleEntry entry_;
};

}  // namespace mfma::conformance
