#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "reports/json/json.h"
#include "reports/terminal/terminal.h"

namespace mfma::reports {
namespace {

using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

BuiltinReport builtin(const std::string& name, std::uint64_t passed, std::uint64_t failed, std::uint64_t inconclusive,
                      std::uint64_t hung) {
  BuiltinReport b;
  b.builtin = name;
  b.instances = passed + failed + inconclusive + hung;
  b.passed = passed;
  b.failed = failed;
  b.inconclusive = inconclusive;
  b.hung = hung;
  b.rule_statuses = {"candidate"};
  b.counts.executions = passed;
  b.counts.cases = passed * 4;
  b.counts.exact = passed * 3;
  b.counts.model_dependent = passed * 5;
  b.counts.elements = passed * 8;
  b.counts.differing = failed;
  return b;
}

RunReport report_of(std::vector<BuiltinReport> builtins) {
  RunReport r;
  r.tool_version = "0";
  r.device_id = r.device_kind = "emulated";
  r.device_description = "emulated gfx950";
  r.device_emulated = true;
  r.profile_name = "p";
  r.profile_source = r.device_profile_source = "built in";
  r.levels = {"O0", "O2"};
  r.builtins = std::move(builtins);
  return r;
}

Finding wrong_bits() {
  Finding f;
  f.kind = FindingKind::kWrongBits;
  f.builtin = "mfma_x";
  f.instance = "mfma_x:cbsz=1";
  f.compiler = "clang";
  f.level = "O2";
  f.device = "emulated";
  f.case_id = "mfma_x:cbsz=1@seed=1#0";
  f.operand_class = "random-bits";
  f.message = "1 output elements differ";
  f.cases_affected = 1;
  f.elements_differing = 1;
  f.differences = {{0, 3, 7, 23, 64, 32, 0x3f800000, 0x00000001, true}};
  return f;
}

TEST(Report, ExitCodesFollowTheCounts) {
  EXPECT_EQ(report_of({builtin("a", 2, 0, 0, 0)}).exit_code(), ExitCode::kPass);
  EXPECT_EQ(report_of({builtin("a", 2, 1, 1, 1)}).exit_code(), ExitCode::kFailure);
  EXPECT_EQ(report_of({builtin("a", 2, 0, 1, 1)}).exit_code(), ExitCode::kHangOrLost);
  EXPECT_EQ(report_of({builtin("a", 2, 0, 1, 0)}).exit_code(), ExitCode::kNoVerdict);
  EXPECT_EQ(report_of({}).exit_code(), ExitCode::kNoVerdict);
  EXPECT_EQ(report_of({builtin("a", 0, 0, 0, 0)}).exit_code(), ExitCode::kNoVerdict);
  BuiltinReport ran_nothing = builtin("a", 1, 0, 0, 0);
  ran_nothing.counts = {};
  EXPECT_EQ(report_of({ran_nothing}).exit_code(), ExitCode::kNoVerdict) << "a pass that compared nothing is no pass";
}

TEST(Report, VerdictOfABuiltinIsItsWorstInstance) {
  EXPECT_EQ(builtin("a", 9, 1, 1, 1).verdict(), Verdict::kFail);
  EXPECT_EQ(builtin("a", 9, 0, 1, 1).verdict(), Verdict::kHang);
  EXPECT_EQ(builtin("a", 9, 0, 1, 0).verdict(), Verdict::kInconclusive);
  EXPECT_EQ(builtin("a", 9, 0, 0, 0).verdict(), Verdict::kPass);
  EXPECT_EQ(builtin("a", 0, 0, 0, 0).verdict(), Verdict::kInconclusive);
}

// Over random results: JSON, terminal and exit code tell the same story.
TEST(Report, CountsAgreeAcrossRenderings) {
  std::mt19937 random(7);
  const auto draw = [&](unsigned below) { return static_cast<std::uint64_t>(random() % below); };
  for (int round = 0; round < 200; ++round) {
    std::vector<BuiltinReport> builtins;
    const std::uint64_t count = draw(6);
    for (std::uint64_t i = 0; i < count; ++i) {
      builtins.push_back(builtin("b" + std::to_string(i), draw(4), draw(2), draw(2), draw(2)));
    }
    const RunReport report = report_of(builtins);
    const Json json = Json::parse(to_json(report));
    Json sum = json["builtins"].empty() ? Json() : json["builtins"][0]["counts"];
    std::uint64_t instances = 0, by_verdict = 0;
    for (std::size_t i = 0; i < json["builtins"].size(); ++i) {
      const Json& b = json["builtins"][i];
      instances += b["instances"].get<std::uint64_t>();
      for (const char* key : {"passed", "failed", "inconclusive", "hung"}) by_verdict += b[key].get<std::uint64_t>();
      if (i == 0) continue;
      for (auto& [key, value] : sum.items()) value = value.get<std::uint64_t>() + b["counts"][key].get<std::uint64_t>();
    }
    const Json& totals = json["totals"];
    EXPECT_EQ(totals["instances"], instances);
    EXPECT_EQ(by_verdict, instances);
    if (!sum.is_null()) {
      EXPECT_EQ(totals["counts"], sum);
    }
    EXPECT_EQ(totals["counts"]["elements_exact"].get<std::uint64_t>() +
                  totals["counts"]["elements_model_dependent"].get<std::uint64_t>(),
              totals["counts"]["elements_compared"].get<std::uint64_t>());
    EXPECT_EQ(json["exit_code"], static_cast<int>(report.exit_code()));
    const std::string text = to_terminal(report, {});
    EXPECT_THAT(text, HasSubstr("(exit " + std::to_string(static_cast<int>(report.exit_code())) + ")"));
    EXPECT_THAT(text, HasSubstr(std::to_string(instances) +
                                " instances: " + std::to_string(totals["passed"].get<std::uint64_t>()) + " passed, " +
                                std::to_string(totals["failed"].get<std::uint64_t>()) + " failed"));
  }
}

TEST(Terminal, NamesElementExpectedAndActual) {
  RunReport r = report_of({builtin("mfma_x", 0, 1, 0, 0)});
  r.findings = {wrong_bits()};
  const std::string text = to_terminal(r, {});
  EXPECT_THAT(text,
              HasSubstr("D[0,3,7] (lane 23, register 2): expected 3f800000, actual 00000001, exact under every model"));
  EXPECT_THAT(text, HasSubstr("EMULATED DEVICE"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(Report, BrokenPropertiesFailAndOpenPointsDoNot) {
  EXPECT_EQ(code_of(FindingKind::kPropertyBroken), "property-broken");
  EXPECT_EQ(verdict_of(FindingKind::kPropertyBroken), Verdict::kFail);
  RunReport r = report_of({builtin("mfma_x", 1, 0, 0, 0)});
  r.properties = {"tiles"};
  r.builtins[0].counts.property_checks = 3;
  r.open = {{"tiles", "mfma_x", "one reading", 2}, {"tiles", "mfma_y", "one reading", 5}};
  EXPECT_EQ(r.exit_code(), ExitCode::kPass);
  std::string text = to_terminal(r, {});
  EXPECT_THAT(text, HasSubstr("3 checks of 1 properties"));
  EXPECT_THAT(text, HasSubstr("open: tiles: one reading (7 checks"));
  const Json json = Json::parse(to_json(r));
  EXPECT_EQ(json["properties"], Json({"tiles"}));
  EXPECT_EQ(json["open"].size(), 2u);
  EXPECT_EQ(json["open"][0],
            Json({{"property", "tiles"}, {"builtin", "mfma_x"}, {"reading", "one reading"}, {"checks", 2}}));

  Finding f = wrong_bits();
  f.kind = FindingKind::kPropertyBroken;
  f.property = "tiles";
  f.differences[0].against = "D[0,0,0] of step 1, mfma_y";
  r.findings = {f};
  text = to_terminal(r, {});
  EXPECT_THAT(text, HasSubstr("actual 00000001, from D[0,0,0] of step 1, mfma_y"));
  const Json finding = Json::parse(to_json(r))["findings"][0];
  EXPECT_EQ(finding["property"], "tiles");
  EXPECT_EQ(finding["differences"][0]["against"], "D[0,0,0] of step 1, mfma_y");
}

TEST(Terminal, CountsTheFindingsItDoesNotShow) {
  RunReport r = report_of({builtin("mfma_x", 0, 30, 0, 0)});
  r.findings.assign(30, wrong_bits());
  EXPECT_THAT(to_terminal(r, {.colour = false, .verbose = false, .most_findings = 10}), HasSubstr("20 more findings"));
}

TEST(Terminal, HostileTextCannotMoveTheCursor) {
  RunReport r = report_of({builtin("mfma_x", 0, 1, 0, 0)});
  Finding f = wrong_bits();
  f.log = "before\x1b[2Jafter\x07\r";
  r.findings = {f};
  const std::string text = to_terminal(r, {});
  EXPECT_THAT(text, HasSubstr("before?[2Jafter??"));
}

TEST(Json, SurvivesBytesThatAreNotText) {
  RunReport r = report_of({builtin("mfma_x", 0, 1, 0, 0)});
  Finding f = wrong_bits();
  f.log = std::string("\xff\xfe bad \0 bytes", 15);
  r.findings = {f};
  const Json json = Json::parse(to_json(r));
  EXPECT_THAT(json["findings"][0]["log"].get<std::string>(), HasSubstr(" bad "));
  EXPECT_EQ(json["findings"][0]["differences"][0]["expected"], "3f800000");
  EXPECT_EQ(json["findings"][0]["differences"][0]["actual"], "00000001");
  EXPECT_EQ(json["findings"][0]["code"], "wrong-bits");
}

TEST(Json, IsWrittenWholeOrNotAtAll) {
  const std::filesystem::path dir = std::filesystem::path(testing::TempDir()) / "mfma_reports_test";
  std::filesystem::create_directories(dir);
  const RunReport r = report_of({builtin("mfma_x", 1, 0, 0, 0)});
  ASSERT_TRUE(write_json(r, dir / "r.json"));
  std::ifstream in(dir / "r.json");
  EXPECT_EQ(Json::parse(in)["schema"], kReportSchema);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir), {}), 1) << "something was left aside";
  const auto refused = write_json(r, dir / "no" / "such" / "folder.json");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error(), HasSubstr("cannot write the report"));
  std::filesystem::remove_all(dir);
}

TEST(Json, ALinkOrAPipeIsWrittenThroughAndStays) {
  const std::filesystem::path dir = std::filesystem::path(testing::TempDir()) / "mfma_reports_link_test";
  std::filesystem::remove_all(dir);
  std::filesystem::create_directories(dir);
  std::ofstream(dir / "target.json") << "old";
  std::filesystem::create_symlink("target.json", dir / "link.json");
  const RunReport r = report_of({builtin("mfma_x", 1, 0, 0, 0)});
  ASSERT_TRUE(write_json(r, dir / "link.json"));
  EXPECT_TRUE(std::filesystem::is_symlink(dir / "link.json"));
  std::ifstream in(dir / "target.json");
  EXPECT_EQ(Json::parse(in)["schema"], kReportSchema);
  ASSERT_FALSE(write_json(r, "/dev/full"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
  std::filesystem::remove_all(dir);
}

}  // namespace
}  // namespace mfma::reports
