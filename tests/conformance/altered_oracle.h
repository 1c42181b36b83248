// The catalogue's oracle with one entry altered, to show that a run then fails.
#pragma once

#include <functional>
#include <memory>

#include "harness/conformance/execution/oracle_view.h"

namespace mfma::conformance::testing {

struct OracleAlterations {
  std::function<void(const catalogue::Instance&, catalogue::Operand, catalogue::Layout&)> layout;
  std::function<void(const catalogue::Instance&, oracles::DenseModifiers&)> modifiers;
  std::function<void(const catalogue::Instance&, oracles::Format&)> format;
  std::function<void(const catalogue::Instance&, oracles::Model&)> model;
  std::function<void(const catalogue::Instance&, int&)> opcode;
};

class AlteredOracle : public OracleSource {
 public:
  explicit AlteredOracle(OracleAlterations alterations) : alter_(std::move(alterations)) {}

  OracleEntry entry(const catalogue::Instance& instance, const oracles::Model& model,
                    oracles::BroadcastReading reading) const override {
    using catalogue::Operand;
    OracleEntry e = catalogue_entry(instance, model, reading);
    const auto alter_layout = [&](Operand operand, std::shared_ptr<const catalogue::Layout>& layout) {
      auto altered = std::make_shared<catalogue::Layout>(*layout);
      alter_.layout(instance, operand, *altered);
      layout = std::move(altered);
    };
    if (alter_.layout) {
      alter_layout(Operand::kA, e.a);
      alter_layout(Operand::kB, e.b);
      alter_layout(Operand::kC, e.c);
      alter_layout(Operand::kD, e.d);
      if (!e.scales.empty()) {
        alter_layout(Operand::kScaleA, e.scales[0]);
        alter_layout(Operand::kScaleB, e.scales[1]);
      }
    }
    if (alter_.format) {
      for (oracles::Format* format : {&e.a_format, &e.b_format, &e.acc_format}) alter_.format(instance, *format);
    }
    if (alter_.modifiers) alter_.modifiers(instance, e.modifiers);
    if (alter_.model) alter_.model(instance, e.model);
    if (alter_.opcode) alter_.opcode(instance, e.opcode);
    return e;
  }

 private:
  OracleAlterations alter_;
};

}  // namespace mfma::conformance::testing
