// Who is blamed: on tables made by hand, and on a device that is wrong whatever the compiler did.
#include "harness/conformance/followup/attribution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/conformance/small_run.h"

namespace mfma::conformance {
namespace {

using ::testing::HasSubstr;

// One string per compiler: a cell per character, forms in order, four levels each; '.' passes, 'x' fails, '?' neither.
Attribution table(const std::vector<std::string>& rows) {
  Attribution a;
  a.levels = attribution_levels("O2");
  for (std::size_t n = 0; n < rows.size(); ++n) {
    a.compilers.push_back(std::string("clang-") + static_cast<char>('a' + n));
    for (std::size_t i = 0; i < rows[n].size(); ++i) {
      AttributionCell cell;
      cell.compiler = n;
      cell.form = static_cast<KernelForm>(i / 4);
      cell.level = a.levels[i % 4];
      cell.verdict = rows[n][i] == '.'   ? CellVerdict::kPasses
                     : rows[n][i] == 'x' ? CellVerdict::kFails
                                         : CellVerdict::kNoVerdict;
      a.cells.push_back(cell);
    }
  }
  return a;
}

TEST(Attribution, SaysWhoFromWhereAndInWhichForms) {
  const std::string good = "................", bad = "xxxxxxxxxxxxxxxx";
  EXPECT_EQ(sentence_of(table({".xxx.xxx.xxx...."})), "compiler clang-a, from -O1 up; inline asm passes");
  EXPECT_EQ(sentence_of(table({good, "..x...x...x...x."})), "only clang-b, at -O2 only; inline asm too");
  EXPECT_EQ(sentence_of(table({".....xxx........"})),
            "compiler clang-a, from -O1 up; only the form 'builtin, AGPRs'; inline asm passes");
  EXPECT_EQ(sentence_of(table({"xxxxxxxxxxxx....", "xxxxxxxxxxxx...."})),
            "every compiler, at every level; inline asm passes");
  EXPECT_EQ(sentence_of(table({bad, bad})), "every compiler and level, inline asm too: oracle, manual or device");
  EXPECT_EQ(sentence_of(table({bad})),
            "every level of clang-a, inline asm too: oracle, manual or device, as far as one compiler can tell");
  EXPECT_EQ(sentence_of(table({good})), "gone: it passes with every compiler, level and form");
  EXPECT_EQ(sentence_of(table({"????????????????"})), "no verdict: not one kernel could be run");
}

TEST(Attribution, ACellWithoutAVerdictIsCountedAndIsNoPass) {
  const Attribution a = table({"?xxx?xxx?xxx...."});
  EXPECT_THAT(sentence_of(a), HasSubstr("; no verdict in 3 of 16 cells"));
  EXPECT_EQ(levels_with(a, 0), (std::vector<std::string>{"O1", "O2", "O3"}));
  EXPECT_TRUE(levels_without(a, 0).empty());
}

TEST(Attribution, ADeviceThatIsWrongIsNotTheCompilersFault) {
  auto compiler = compilers::Compiler::open(testing::compiler_under_test(), "gfx950",
                                            compilers::Cache(compilers::Cache::default_directory()));
  ASSERT_TRUE(compiler) << compiler.error();
  // A plain builtin, f64 with its negation, fp6 operands narrower than the builtin's, and scales.
  const std::vector<std::pair<std::string, gfx950::MatrixFault::Kind>> planted = {
      {"ignore-cbsz", gfx950::MatrixFault::Kind::kIgnoreCbsz},
      {"negate-swapped", gfx950::MatrixFault::Kind::kNegateSwapped},
      {"six-bit-crossing", gfx950::MatrixFault::Kind::kSixBitCrossing},
      {"swap-scale-bytes", gfx950::MatrixFault::Kind::kSwapScaleBytes}};
  for (const auto& [name, kind] : planted) {
    const auto file = cases::load_case_file(std::string(MFMA_SOURCE_DIR) + "/corpus/cases/" + name + ".case");
    ASSERT_TRUE(file) << file.error();
    const catalogue::Builtin* builtin = file->c.instance.builtin;
    for (const bool healthy : {true, false}) {
      gfx950::MatrixFault fault{kind, -1, 0};
      if (healthy) fault = {};
      auto device = devices::make_emulated_device(
          oracles::default_profile(), std::span(&builtin, 1),
          {.reading = oracles::BroadcastReading::kPerSet, .faults = gfx950::fault_everywhere(fault)});
      ASSERT_TRUE(device);
      Subject subject;
      subject.compilers = {*compiler};
      subject.device = device->get();
      subject.profile = oracles::default_profile();
      subject.device_runs_profile = true;
      const Attribution a = attribute(subject, file->c, attribution_levels("O2"), 1);
      EXPECT_EQ(a.cells.size(), 16u);
      EXPECT_THAT(sentence_of(a), HasSubstr(healthy ? "gone: " : "inline asm too: oracle, manual or device"))
          << name << "\n"
          << table_of(a);
    }
  }
}

}  // namespace
}  // namespace mfma::conformance
