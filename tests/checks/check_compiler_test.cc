// The command: what it finds with clang 22, that waivers make it pass, and what it says of bad input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/program.h"

namespace mfma::cli::testing {
namespace {

using ::testing::HasSubstr;

const std::string kWaivers = " --waivers " MFMA_SOURCE_DIR "/corpus/waivers/clang-22.json";

using Levels = std::vector<std::string>;

class KnownDefects {
 public:
  explicit KnownDefects(nlohmann::json findings) : findings_(std::move(findings)) {}
  void check() const {
    crash_on_format_codes();
    silent_masking();
    op_sel_four();
    reserved_formats();
    zero_scales();
    nothing_else();
  }

 private:
  const nlohmann::json* find(const std::string& key) const {
    for (const auto& f : findings_) {
      if (f.at("key") == key) return &f;
    }
    return nullptr;
  }
  void crash_on_format_codes() const;
  void silent_masking() const;
  void op_sel_four() const;
  void reserved_formats() const;
  void zero_scales() const;
  void nothing_else() const;

  nlohmann::json findings_;
};

// One test, because one run serves it all.
TEST(CheckCompiler, FindsWhatIsWrongWithClang22) {
  const auto file = scratch() / "check.json";
  const Ran ran = program("check-compiler --only acceptance,immediates,zero-scales --json " + file.string());
  ASSERT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("FAIL (exit 1)"));
  KnownDefects(nlohmann::json::parse(slurp(file)).at("compilers").at(0).at("findings")).check();
}

void KnownDefects::crash_on_format_codes() const {
  for (const char* operand : {"cbsz", "blgp"}) {
    const auto* f = find(std::string("immediate-crash mfma_scale_f32_16x16x128_f8f6f4 ") + operand + "=-1 on gfx950");
    ASSERT_TRUE(f) << operand;
    EXPECT_EQ(f->at("levels"), (Levels{"O1", "O2", "O3"}));
    EXPECT_EQ(f->at("gates"), true);
  }
}

void KnownDefects::silent_masking() const {
  const std::pair<const char*, const char*> kMasked[] = {{"cbsz=8", "cbsz 8 is encoded as 0"},
                                                         {"abid=16", "abid 16 is encoded as 0"},
                                                         {"blgp=-1", "blgp -1 is encoded as 7"}};
  for (const auto& [value, message] : kMasked) {
    const auto* f = find(std::string("immediate-changed mfma_f32_4x4x1f32 ") + value + " on gfx950");
    ASSERT_TRUE(f) << value;
    EXPECT_EQ(f->at("message"), message);
    EXPECT_EQ(f->at("levels"), (Levels{"O0", "O1", "O2", "O3"}));
  }
}

void KnownDefects::op_sel_four() const {
  EXPECT_TRUE(find("immediate-backend-error mfma_scale_f32_32x32x64_f8f6f4 op_sel_a=4 on gfx950"));
  EXPECT_TRUE(find("immediate-backend-error mfma_scale_f32_32x32x64_f8f6f4 op_sel_b=4 on gfx950"));
}

void KnownDefects::reserved_formats() const {
  const auto* f = find("immediate-reserved mfma_scale_f32_32x32x64_f8f6f4 cbsz=5 on gfx950");
  ASSERT_TRUE(f);
  EXPECT_EQ(f->at("severity"), "warn");
}

void KnownDefects::zero_scales() const {
  const auto* f = find("scale-zero-by-level mfma_scale_f32_16x16x128_f8f6f4 zero-scale=variable on gfx950");
  ASSERT_TRUE(f);
  EXPECT_THAT(f->at("message").get<std::string>(), HasSubstr("unscaled (1.0) at -O1, -O2, -O3"));
  EXPECT_FALSE(find("scale-zero-by-level mfma_scale_f32_16x16x128_f8f6f4 zero-scale=literal on gfx950"));
}

void KnownDefects::nothing_else() const {
  for (const auto& f : findings_) {
    EXPECT_NE(f.at("code"), "immediate-variable") << f.at("key");
    EXPECT_NE(f.at("code"), "accept-rejected") << f.at("key");
    EXPECT_NE(f.at("code"), "accept-foreign") << f.at("key");
    EXPECT_NE(f.at("code"), "tool-failure") << f.at("key");
  }
}

TEST(CheckCompiler, FindsMissingWaitsBetweenProductsOfDifferentLength) {
  const auto file = scratch() / "waits.json";
  const Ran ran = program("check-compiler --only wait-states --json " + file.string());
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  const auto report = nlohmann::json::parse(slurp(file)).at("compilers").at(0);
  std::set<std::string> keys;
  for (const auto& f : report.at("findings")) {
    keys.insert(f.at("key"));
    EXPECT_NE(f.at("code"), "wait-unseen") << f.at("key");
    EXPECT_THAT(f.at("subject").get<std::string>(), HasSubstr(">")) << "a single builtin misses nothing";
  }
  EXPECT_TRUE(
      keys.count("wait-missing mfma_scale_f32_32x32x64_f8f6f4:a=fp8,b=fp8,unscaled>mfma_f32_32x32x16_f16 "
                 "W-XDL-SRCC-PASSES-16 on gfx950"));
  EXPECT_EQ(program("check-compiler --only wait-states -q" + kWaivers).exit_code, 0);
}

TEST(CheckCompiler, TheOrdinaryInstancesGiveNothing) {
  const auto file = scratch() / "ordinary.json";
  const Ran ran = program("check-compiler --only encodings,execution --opt O0,O2 --json " + file.string());
  EXPECT_EQ(ran.exit_code, 0) << ran.err << ran.out;
  const auto report = nlohmann::json::parse(slurp(file)).at("compilers").at(0);
  EXPECT_EQ(report.at("counts").at("encodings"), 2 * 2354);
  EXPECT_EQ(report.at("counts").at("executions"), 2 * 2354);
  EXPECT_TRUE(report.at("findings").empty()) << report.at("findings").dump(1).substr(0, 2000);
}

TEST(CheckCompiler, PassesWithTheWaiversOfThisClang) {
  const Ran ran = program(
      "check-compiler --only zero-scales,encodings --builtin mfma_scale_f32_16x16x128_f8f6f4 --opt O0,O1" + kWaivers);
  EXPECT_EQ(ran.exit_code, 0) << ran.err << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("2 waived"));
}

TEST(CheckCompiler, SeveritiesCanBeMapped) {
  const std::string only = "check-compiler --only zero-scales,encodings --builtin mfma_f64_4x4x4f64 --opt O0,O1";
  EXPECT_EQ(program(only).exit_code, 1);
  EXPECT_EQ(program(only + " --severity scale-zero-by-level=warn").exit_code, 0);
  EXPECT_EQ(program(only + " --severity scale-zero-by-level=ignore").exit_code, 0);
}

TEST(CheckCompiler, ClangWithoutGfx950IsNoVerdict) {
  const Ran ran = program("check-compiler --compiler clang-19");
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.err, HasSubstr("gfx950"));
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
}

TEST(CheckCompiler, BadInputIsRefusedInOneLine) {
  const std::pair<const char*, int> kBad[] = {
      {"--only nothing", 64},
      {"--only encodings,", 64},
      {"--opt O7", 64},
      {"--severity x", 64},
      {"--severity accept-late=bad", 64},
      {"--waivers /no/such", 64},
      {"--builtin none*", 64},
      {"--compiler /no/such", 2},
      {"--timeout 0", 64},
      {"--severity =gate", 64},
      {"surplus", 64},
  };
  for (const auto& [arguments, code] : kBad) {
    const Ran ran = program(std::string("check-compiler ") + arguments);
    EXPECT_EQ(ran.exit_code, code) << arguments << ": " << ran.err;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  }
}

TEST(CheckCompiler, AReportThatCannotBeWrittenIsNoPass) {
  const std::string only = "check-compiler --only encodings --builtin mfma_f64_4x4x4f64 --opt O0";
  EXPECT_EQ(program(only).exit_code, 0);
  EXPECT_EQ(program(only + " --json /no/such/folder/x.json").exit_code, 2);
  EXPECT_EQ(program(only + " >/dev/full").exit_code, 2);
}

}  // namespace
}  // namespace mfma::cli::testing
