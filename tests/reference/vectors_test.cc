// Every line of corpus/vectors: third-party results for builtins that gfx950 shares with CDNA3.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "oracles/reference/reference.h"
#include "tests/reference/formats.h"

namespace mfma::oracles::reference::testing {
namespace {

struct VectorFile {
  Format element, acc;
  Model model;
};

// What the results were computed with: see the README beside them.
const std::map<std::string, VectorFile>& vector_files() {
  static const std::map<std::string, VectorFile> files = {
      {"mma-sim-mfma_f32_16x16x16bf16_1k.txt", {kBf16, kF32, tr(8)}},
      {"mma-sim-mfma_f32_16x16x16f16.txt", {kF16, kF32, tr(8)}},
      {"mma-sim-mfma_f32_4x4x4f16.txt", {kF16, kF32, tr(4)}},
      {"mma-sim-mfma_f32_16x16x4f32.txt", {kF32, kF32, sequential()}},
      {"mma-sim-mfma_f64_16x16x4f64.txt", {kF64, kF64, sequential()}},
  };
  return files;
}

std::vector<std::uint64_t> parse_codes(const std::string& list) {
  std::vector<std::uint64_t> codes;
  std::istringstream stream(list);
  for (std::string code; std::getline(stream, code, ',');) codes.push_back(std::stoull(code, nullptr, 16));
  return codes;
}

// "a:H,H b:H,H c:H => H"
struct Line {
  std::vector<std::uint64_t> a, b, c, d;
};

Line parse_line(const std::string& text) {
  std::istringstream stream(text);
  std::string a, b, c, arrow, d;
  if (!(stream >> a >> b >> c >> arrow >> d) || arrow != "=>") throw std::invalid_argument("bad line: " + text);
  return {parse_codes(a.substr(2)), parse_codes(b.substr(2)), parse_codes(c.substr(2)), parse_codes(d)};
}

class Vectors : public ::testing::TestWithParam<std::string> {};

TEST_P(Vectors, EveryLine) {
  const VectorFile& file = vector_files().at(GetParam());
  Model old_model = file.model;
  old_model.sum_fraction_bits = 31;
  old_model.final_fraction_bits = std::nullopt;

  std::ifstream stream(std::filesystem::path(MFMA_SOURCE_DIR) / "corpus" / "vectors" / GetParam());
  ASSERT_TRUE(stream) << "corpus/vectors/" << GetParam() << " is missing";
  int lines = 0;
  for (std::string text; std::getline(stream, text); ++lines) {
    const Line line = parse_line(text);
    const DotProblem problem{file.element, file.element, file.acc, line.a, line.b, line.c.at(0), false, {}, {}};
    ASSERT_EQ(reference::dot_product(problem, file.model), line.d.at(0)) << "line " << lines + 1 << ": " << text;
    // The two published descriptions of the last steps agree on these inputs.
    ASSERT_EQ(reference::dot_product(problem, old_model), line.d.at(0)) << "line " << lines + 1 << ": " << text;
  }
  EXPECT_EQ(lines, 1200);
}

std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const auto& [name, file] : vector_files()) result.push_back(name);
  return result;
}

std::string test_name(const ::testing::TestParamInfo<std::string>& file) {
  std::string name;
  for (const char c : file.param) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Corpus, Vectors, ::testing::ValuesIn(names()), test_name);

TEST(VectorCorpus, HasNoFileThatIsNotChecked) {
  const auto folder = std::filesystem::path(MFMA_SOURCE_DIR) / "corpus" / "vectors";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".txt") continue;
    EXPECT_TRUE(vector_files().contains(entry.path().filename().string())) << entry.path().filename();
  }
}

}  // namespace
}  // namespace mfma::oracles::reference::testing
