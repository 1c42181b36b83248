// The third-party results of corpus/vectors, all 6000: under the default profile, and f16/bf16 also under MMA-Sim's
// first description of the last steps, which must agree on these operands.
#include <gtest/gtest.h>

#include <fstream>

#include "oracles/arithmetic/profile.h"
#include "oracles/plain/eval.h"

namespace mfma::oracles {
namespace {

struct VectorFile {
  const char* builtin;
  FormatId input, acc;
  int k;
  const char* second_parameters;  // sum_fraction_bits 31, final null
};

int check_vectors(const VectorFile& v, const Model& model) {
  const std::string path = MFMA_SOURCE_DIR "/corpus/vectors/mma-sim-" + std::string(v.builtin) + ".txt";
  std::ifstream in(path);
  EXPECT_TRUE(in) << path;
  const EvalShape shape = {v.k, format(v.input), format(v.input), format(v.acc)};
  int count = 0;
  for (std::string line; std::getline(in, line); ++count) {
    const auto parsed = parse_eval_line(line, shape);
    if (!parsed || !parsed->expected) {
      ADD_FAILURE() << path << ":" << count + 1 << ": " << (parsed ? "no expected value" : parsed.error());
      return count;
    }
    const auto d = evaluate(*parsed, model);
    EXPECT_EQ(hex_of(*d, shape.acc_format), hex_of(*parsed->expected, shape.acc_format)) << path << ":" << count + 1;
  }
  return count;
}

TEST(Vectors, AllOfThem) {
  const VectorFile files[] = {
      {"mfma_f32_16x16x16bf16_1k", FormatId::kBf16, FormatId::kF32, 16, "aligned"},
      {"mfma_f32_16x16x16f16", FormatId::kF16, FormatId::kF32, 16, "aligned"},
      {"mfma_f32_4x4x4f16", FormatId::kF16, FormatId::kF32, 4, "aligned"},
      {"mfma_f32_16x16x4f32", FormatId::kF32, FormatId::kF32, 4, nullptr},
      {"mfma_f64_16x16x4f64", FormatId::kF64, FormatId::kF64, 4, nullptr},
  };
  int total = 0;
  for (const VectorFile& v : files) {
    const int bits = format(v.input).bits;
    const ProfileRule* rule = default_profile().rule_for(v.builtin, bits, bits);
    ASSERT_NE(rule, nullptr) << v.builtin;
    total += check_vectors(v, rule->model);
    if (v.second_parameters == nullptr) continue;
    Model first = rule->model;
    first.sum_fraction_bits = 31;
    first.final_fraction_bits.reset();
    EXPECT_EQ(check_vectors(v, first), 1200);
  }
  EXPECT_EQ(total, 6000);
}

}  // namespace
}  // namespace mfma::oracles
