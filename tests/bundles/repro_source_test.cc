// The text of a bundle's program: small enough for every builtin's largest case, and its numbers read back.
#include "harness/bundles/repro_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/bundles/dword_text.h"
#include "harness/operands/operands.h"

namespace mfma::bundles {
namespace {

TEST(DwordText, CountsRunsAndLeavesOutTheZerosAtTheEnd) {
  EXPECT_EQ(dword_text(std::vector<std::uint32_t>{}), "");
  EXPECT_EQ(dword_text(std::vector<std::uint32_t>(64, 0)), "");
  EXPECT_EQ(dword_text(std::vector<std::uint32_t>{0, 0, 0x3f800000, 7, 7, 0, 1, 0}), "0*2 3f800000 7*2 0 1");
}

TEST(DwordText, LinesKeepToTheirWidthAndLoseNothing) {
  std::string text;
  for (int n = 0; n < 500; ++n) text.append(n ? " " : "").append(std::to_string(n * 7919));
  const std::string array = c_array("kA", text, 80);
  std::string joined;
  std::size_t longest = 0;
  for (std::size_t at = array.find('"'); at != std::string::npos; at = array.find('"', at)) {
    const std::size_t end = array.find('"', at + 1);
    joined += array.substr(at + 1, end - at - 1);
    longest = std::max(longest, end - at + 6);
    at = end + 1;
  }
  EXPECT_EQ(joined, text);
  EXPECT_LE(longest, 80u);
}

TEST(ReproSource, EveryBuiltinsLargestCaseFitsInto150Lines) {
  std::size_t longest = 0;
  for (const catalogue::Builtin& builtin : catalogue::builtins()) {
    catalogue::Instance instance = catalogue::legal_instances(builtin).back();  // of a scaled builtin one with scales
    Repro repro;
    repro.c = operands::make_case(instance, 1, 0, operands::OperandClass::kRandomBits);
    // Nothing repeats: no run is shorter than its dwords.
    std::uint32_t next = 0x9e3779b9;
    for (catalogue::RegisterImage* image : {&repro.c.a, &repro.c.b, &repro.c.c, &repro.c.scale_a, &repro.c.scale_b}) {
      for (std::uint32_t& dword : image->dwords) {
        next = next * 1664525 + 0x3c6ef35f;
        dword = next;
      }
    }
    repro.expected = repro.c.c;
    repro.decides.assign(64, 0x55555555);
    for (std::size_t n = 0; n < 64; n += 2) repro.decides[n] = 0xaaaaaaaa;
    repro.compiler = "clang";
    repro.level = "O2";
    const std::string source = repro_source(repro);
    const auto lines = static_cast<std::size_t>(std::count(source.begin(), source.end(), '\n'));
    EXPECT_LE(lines, kMostLines) << builtin.name;
    longest = std::max(longest, lines);
  }
  EXPECT_GT(longest, 100u) << "the largest case should come near the bound";
}

}  // namespace
}  // namespace mfma::bundles
