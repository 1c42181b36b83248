#include "harness/checks/waivers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/json/waiver_file.h"

namespace mfma::checks {
namespace {

using testing::HasSubstr;

std::string file_with(const std::string& waivers) {
  return R"({"schema": "mfma-conform/waivers/1", "waivers": [)" + waivers + "]}";
}
const std::string kOne =
    R"({"finding": "immediate-changed mfma_* cbsz=8 on gfx950", "compiler": "*clang version 22.*", "reason": "why", "link": "where"})";

constexpr const char* kToday = "2026-11-30";

Finding changed(const std::string& subject) {
  Finding f;
  f.code = Code::kImmediateChanged;
  f.subject = subject;
  f.arch = "gfx950";
  return f;
}

TEST(Waivers, CoverWhatTheyNameAndNothingElse) {
  const auto waivers = reports::parse_waivers(file_with(kOne), "w.json");
  ASSERT_TRUE(waivers) << waivers.error();
  std::vector<Finding> findings = {changed("mfma_f32_4x4x1f32 cbsz=8"), changed("mfma_f32_4x4x1f32 cbsz=-1")};
  EXPECT_TRUE(apply_waivers(*waivers, "Debian clang version 22.1.8", kToday, findings).unused.empty());
  EXPECT_EQ(findings[0].waived, "why (where)");
  EXPECT_EQ(findings[1].waived, "");
}

TEST(Waivers, AreForOneCompiler) {
  const auto waivers = reports::parse_waivers(file_with(kOne), "w.json");
  std::vector<Finding> findings = {changed("mfma_f32_4x4x1f32 cbsz=8")};
  EXPECT_TRUE(apply_waivers(*waivers, "Debian clang version 23.1.0", kToday, findings).unused.empty())
      << "not for it, so not unused";
  EXPECT_EQ(findings[0].waived, "");
}

TEST(Waivers, ThatCoverNothingAreNamed) {
  const auto waivers = reports::parse_waivers(file_with(kOne), "w.json");
  std::vector<Finding> none;
  const auto unused = apply_waivers(*waivers, "clang version 22.1.8", kToday, none).unused;
  ASSERT_EQ(unused.size(), 1u);
  EXPECT_EQ(unused[0].reason, "why");
}

TEST(Waivers, ExpiredOnesWaiveNothingAndAreGivenBack) {
  for (const auto& [expires, is_over] : {std::pair("2026-11-29", true), std::pair("2026-11-30", false)}) {
    std::vector<Finding> findings = {changed("mfma_f32_4x4x1f32 cbsz=8")};
    std::string one = kOne;
    one.insert(1, "\"expires\": \"" + std::string(expires) + "\", ");
    const auto waivers = reports::parse_waivers(file_with(one), "w.json");
    ASSERT_TRUE(waivers) << waivers.error();
    const LeftWaivers left = apply_waivers(*waivers, "clang version 22.1.8", kToday, findings);
    EXPECT_EQ(left.expired.size(), is_over ? 1u : 0u);
    EXPECT_EQ(findings[0].waived.empty(), is_over);
    EXPECT_TRUE(left.unused.empty());
  }
}

TEST(Waivers, BadFilesGetOneLineWithThePlace) {
  const std::pair<std::string, const char*> kBad[] = {
      {"", "not JSON"},
      {"[]", "not a JSON object"},
      {"{}", "no \"schema\""},
      {R"({"schema": "mfma-conform/waivers/2", "waivers": []})", "schema is not"},
      {R"({"schema": "mfma-conform/waivers/1"})", "no list \"waivers\""},
      {file_with("7"), "waiver 1: not an object"},
      {file_with(kOne + R"(, {"finding": "x"})"), "waiver 2: no \"compiler\""},
      {file_with(R"({"finding": "x", "compiler": "", "reason": "r", "link": "l"})"), "\"compiler\" must be a text"},
      {file_with(R"({"finding": "x", "compiler": "c", "reason": "r", "link": "l", "lnik": "l"})"),
       "waiver 1: unknown key \"lnik\""},
  };
  for (const auto& [text, words] : kBad) {
    const auto read = reports::parse_waivers(text, "w.json");
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(read.error(), HasSubstr(words));
    EXPECT_THAT(read.error(), HasSubstr("w.json"));
    EXPECT_EQ(read.error().find('\n'), std::string::npos);
  }
  EXPECT_FALSE(reports::read_waivers("/no/such/file"));
  EXPECT_FALSE(reports::read_waivers("/tmp")) << "a folder";
}

TEST(Waivers, TheFilesOfTheCorpusAreRead) {
  const auto waivers = reports::read_waivers(MFMA_SOURCE_DIR "/corpus/waivers/clang-22.json");
  ASSERT_TRUE(waivers) << waivers.error();
  EXPECT_GE(waivers->size(), 7u);
}

}  // namespace
}  // namespace mfma::checks
