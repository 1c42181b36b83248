// What the sweep compares: every pair of element formats with every kind of model that is lawful for it.
#pragma once

#include <string>
#include <vector>

#include "oracles/arithmetic/model.h"
#include "tests/reference/sweep/generator.h"

namespace mfma::oracles::reference::testing {

struct Row {
  std::string pair_name;   // "bf16 x bf16", "fp8_e4m3 x fp4_e2m1 scaled"
  std::string model_name;  // "aligned_sum TR"
  Pair pair;
  // Parameters that the model's name leaves open are random. The format is the accumulator's.
  Model (*model)(const Format&, Random&);

  std::string name() const { return pair_name + " " + model_name; }
};

std::vector<Row> sweep_rows();

// All that tells a model from others of its kind, on one line.
std::string describe(const Model& model);

}  // namespace mfma::oracles::reference::testing
