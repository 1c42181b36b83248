// JUnit XML: valid by a schema and a parser that are not ours, whatever the texts; and its numbers are the report's.
#include "reports/junit/junit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "reports/json/json.h"
#include "reports/model/waive.h"
#include "reports/terminal/terminal.h"
#include "tests/reports/random_report.h"
#include "tests/reports/sample_reports.h"

namespace mfma::reports {
namespace {

using ::testing::HasSubstr;

void expect_valid(const std::vector<std::string>& documents) {
  const std::filesystem::path dir =
      std::filesystem::path(::testing::TempDir()) / ("mfma_junit_test_" + std::to_string(getpid()));
  std::filesystem::remove_all(dir);
  std::filesystem::create_directories(dir);
  std::string files;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const std::string file = (dir / (std::to_string(i) + ".xml")).string();
    std::ofstream(file, std::ios::binary) << documents[i];
    files += " " + file;
  }
  const std::string command = std::string(MFMA_XMLLINT) +
                              " --noout --schema " MFMA_SOURCE_DIR "/tests/reports/junit.xsd" + files + " > " +
                              (dir / "log").string() + " 2>&1";
  const int status = std::system(command.c_str());
  std::ifstream log(dir / "log");
  EXPECT_EQ(status, 0) << std::string(std::istreambuf_iterator<char>(log), {}).substr(0, 3000);
  std::filesystem::remove_all(dir);
}

struct Parsed {
  explicit Parsed(const std::string& text) {
    const auto result = document.load_buffer(text.data(), text.size());
    EXPECT_TRUE(result) << result.description();
  }
  pugi::xml_node test(const std::string& suite, const std::string& name) const {
    return document.child("testsuites")
        .find_child_by_attribute("testsuite", "name", suite.c_str())
        .find_child_by_attribute("testcase", "name", name.c_str());
  }
  std::string property(const std::string& name) const {
    const auto suite = document.child("testsuites").find_child_by_attribute("testsuite", "name", "run");
    return suite.child("properties")
        .find_child_by_attribute("property", "name", name.c_str())
        .attribute("value")
        .value();
  }
  pugi::xml_document document;
};

TEST(Junit, ACaseForEachBuiltinAndPropertyOrShape) {
  RunReport r = testing::failing_report();
  r.properties = {"tiles", "transpose"};
  r.units[0].properties = {{"tiles", 3, 0}};
  r.units[0].counts.property_checks = 3;
  r.program_units = {testing::passing_unit(0, "k-loop", "k-loop of a at O2")};
  summarize(r);
  r.findings[0].case_file = "/kept/a b.case";
  const std::string text = to_junit(r);
  expect_valid({text});
  const Parsed xml(text);
  const pugi::xml_node failure = xml.test("mfma_a", "bits").child("failure");
  EXPECT_STREQ(failure.attribute("type").value(), "wrong-bits");
  EXPECT_STREQ(failure.attribute("message").value(), "what was seen");
  EXPECT_THAT(failure.text().get(),
              HasSubstr("D[0,1,2] (lane 17, register 2): expected 3f800000, actual 3f800001, exact under every model"));
  EXPECT_STREQ(xml.test("mfma_a", "bits").child("system-out").text().get(), "mfma-conform replay '/kept/a b.case'\n");
  EXPECT_TRUE(xml.test("mfma_a", "tiles"));
  EXPECT_FALSE(xml.test("mfma_a", "tiles").first_child());
  EXPECT_THAT(xml.test("mfma_a", "transpose").child("skipped").attribute("message").value(),
              HasSubstr("no instance of this builtin that was run has this property"));
  EXPECT_TRUE(xml.test("shapes", "k-loop"));
  EXPECT_FALSE(xml.test("run", "ran to its end").first_child());
  EXPECT_STREQ(xml.test("run", "ran to its end").attribute("time").value(), "1.500");
  EXPECT_EQ(xml.property("exit_code"), "1");
}

TEST(Junit, WhatEachVerdictBecomes) {
  const std::pair<FindingKind, std::pair<const char*, const char*>> kinds[] = {
      {FindingKind::kHang, {"error", "hang"}},
      {FindingKind::kDeviceLost, {"error", "device-lost"}},
      {FindingKind::kCompileRejected, {"error", "compile-rejected"}},
      {FindingKind::kDeviceFault, {"failure", "device-fault"}}};
  for (const auto& [kind, expected] : kinds) {
    RunReport r = testing::failing_report();
    r.findings = {testing::finding_on(r.units[1], kind, "O2")};
    r.units[1].verdict = verdict_of(kind);
    summarize(r);
    expect_valid({to_junit(r)});
    const Parsed xml(to_junit(r));
    EXPECT_STREQ(xml.test("mfma_a", "bits").child(expected.first).attribute("type").value(), expected.second);
  }
  // A broken property is its own case; the bits pass.
  RunReport r = testing::failing_report();
  r.properties = {"tiles"};
  r.findings[0].kind = FindingKind::kPropertyBroken;
  r.findings[0].property = "tiles";
  const Parsed broken(to_junit(r));
  EXPECT_STREQ(broken.test("mfma_a", "tiles").child("failure").attribute("type").value(), "property-broken");
  EXPECT_FALSE(broken.test("mfma_a", "bits").first_child());
}

TEST(Junit, WaivedAndNotRunAreSkippedWithTheirReason) {
  RunReport r = testing::failing_report();
  JudgedWaiver& w = r.waivers.emplace_back();
  w.waiver.instance = "a:1";
  w.waiver.reason = "known";
  w.waiver.link = "https://bugs.example/1";
  judge_waivers(r);
  ASSERT_EQ(r.exit_code(), ExitCode::kPass);
  expect_valid({to_junit(r)});
  EXPECT_STREQ(Parsed(to_junit(r)).test("mfma_a", "bits").child("skipped").attribute("message").value(),
               "waived: known (https://bugs.example/1)");

  r = testing::empty_report();
  r.units = {testing::passing_unit(0, "mfma_a", "a:0"), testing::passing_unit(1, "mfma_b", "b:0")};
  r.units[1].verdict = Verdict::kNotRun;
  r.units[1].untouched = true;
  r.units[1].counts = {};
  r.units[1].counts.left = 24;
  r.stopped = "time";
  r.properties = {"tiles"};
  summarize(r);
  expect_valid({to_junit(r)});
  const Parsed xml(to_junit(r));
  EXPECT_FALSE(xml.test("mfma_a", "bits").first_child());
  EXPECT_STREQ(xml.test("mfma_b", "bits").child("skipped").attribute("message").value(),
               "not run, b:0 and maybe others: ended by time");
  EXPECT_STREQ(xml.test("mfma_b", "tiles").child("skipped").attribute("message").value(), "not run: ended by time");
  EXPECT_THAT(xml.test("run", "ran to its end").child("error").attribute("message").value(),
              HasSubstr("1 instances and programs were not run: ended by time, 24 cases left"));
}

TEST(Junit, HostileTextCannotBreakIt) {
  const std::string hostile[] = {"]]>",
                                 "<![CDATA[",
                                 "&amp;&#0;",
                                 "\"'<>&",
                                 std::string("a\0b", 3),
                                 "\x01\x08\x0b\x1f\x7f",
                                 "\xff\xfe\xc0\x80",
                                 "\xef\xbf\xbe\xef\xbf\xbf",
                                 "\xed\xa0\x80",
                                 "\xf4\x90\x80\x80",
                                 "--><!--",
                                 "\r\n\t",
                                 std::string(100000, '<'),
                                 "<?xml version='9'?>",
                                 "\xe2\x80\xa8\xf0\x9f\x98\x80"};
  std::vector<std::string> documents;
  for (const std::string& text : hostile) {
    RunReport r = testing::failing_report();
    Finding& f = r.findings[0];
    f.message = f.log = f.case_id = f.operand_class = f.compiler = f.device = f.attribution = f.case_file = text;
    r.command = r.device_description = r.profile_name = r.tier = r.tool_version = r.compilers[0].version = text;
    Finding waived = f;
    waived.instance = r.units[2].id = text;
    waived.unit = 2;
    waived.waived = text;
    r.units[2].verdict = Verdict::kWaived;
    r.findings.push_back(waived);
    r.stopped = text;
    documents.push_back(to_junit(r));
  }
  expect_valid(documents);
}

// " 12 passed" in "4 instances: 12 passed, ...".
bool says(const std::string& terminal, std::uint64_t n, const std::string& word) {
  return terminal.find(" " + std::to_string(n) + " " + word) != std::string::npos;
}

RunReport random_report_with_waivers(unsigned seed) {
  testing::RandomReport random(seed);
  RunReport r = random();
  for (std::uint64_t n = random.draw(3); n > 0; --n) {
    Waiver& w = r.waivers.emplace_back().waiver;
    w.file = "w.json";
    w.number = r.waivers.size();
    w.code = code_of(static_cast<FindingKind>(random.draw(static_cast<unsigned>(FindingKind::kDeviceLost) + 1)));
    w.reason = w.link = "r";
    if (random.draw(3) == 0) w.expires = random.draw(2) == 0 ? "2026-01-01" : "2027-01-01";
  }
  judge_waivers(r);
  return r;
}

// Over random results: terminal, JSON, JUnit and exit code have the same numbers.
TEST(Junit, CountsAgreeWithTheOtherRenderings) {
  std::vector<std::string> documents;
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RunReport r = random_report_with_waivers(seed);
    const auto again = from_json(to_json(r), "again");
    ASSERT_TRUE(again) << again.error();
    const nlohmann::json json = nlohmann::json::parse(to_json(r));
    const std::string terminal = to_terminal(r, {});
    documents.push_back(to_junit(r));
    const Parsed xml(documents.back());
    const std::string code = std::to_string(static_cast<int>(r.exit_code()));
    EXPECT_EQ(json["exit_code"].dump(), code);
    EXPECT_EQ(xml.property("exit_code"), code);
    EXPECT_THAT(terminal, HasSubstr("(exit " + code + ")"));
    EXPECT_EQ(xml.property("instances"), json["totals"]["instances"].dump());
    EXPECT_EQ(xml.property("programs"), json["program_totals"]["programs"].dump());
    for (const char* word : {"passed", "waived", "not_run", "inconclusive", "hung", "failed"}) {
      EXPECT_EQ(xml.property(std::string("instances.") + word), json["totals"][word].dump());
      EXPECT_EQ(xml.property(std::string("programs.") + word), json["program_totals"][word].dump());
      const std::string spoken = std::string(word) == "not_run" ? "not run" : word;
      const std::uint64_t n = json["totals"][word];
      EXPECT_TRUE(n == 0 || says(terminal, n, spoken)) << word;
    }
    for (const char* state : {"used", "unused", "expired", "idle"}) {
      EXPECT_EQ(xml.property(std::string("waivers.") + state), json["totals"]["waivers"][state].dump());
    }
    EXPECT_EQ(xml.property("findings"), std::to_string(json["findings"].size()));

    // The attributes add up to the cases, and the cases to the exit code.
    std::map<std::string, int> elements;
    int tests = 0;
    for (const pugi::xml_node suite : xml.document.child("testsuites").children("testsuite")) {
      std::map<std::string, int> of_suite;
      int cases = 0;
      for (const pugi::xml_node test : suite.children("testcase")) {
        ++cases;
        for (const char* element : {"failure", "error", "skipped"}) of_suite[element] += test.child(element) ? 1 : 0;
      }
      EXPECT_EQ(suite.attribute("tests").as_int(), cases);
      EXPECT_EQ(suite.attribute("failures").as_int(), of_suite["failure"]);
      EXPECT_EQ(suite.attribute("errors").as_int(), of_suite["error"]);
      EXPECT_EQ(suite.attribute("skipped").as_int(), of_suite["skipped"]);
      for (const auto& [element, n] : of_suite) elements[element] += n;
      tests += cases;
    }
    const pugi::xml_node root = xml.document.child("testsuites");
    EXPECT_EQ(root.attribute("tests").as_int(), tests);
    EXPECT_EQ(root.attribute("failures").as_int(), elements["failure"]);
    EXPECT_EQ(root.attribute("errors").as_int(), elements["error"]);
    EXPECT_EQ(elements["failure"] != 0, r.exit_code() == ExitCode::kFailure);
    EXPECT_EQ(elements["failure"] + elements["error"] != 0, r.exit_code() != ExitCode::kPass);
  }
  expect_valid(documents);
}

TEST(Json, OfAHundredThousandFindingsStaysBelow50MB) {
  RunReport r = testing::empty_report();
  for (std::uint64_t n = 0; n < 2354; ++n) {
    UnitReport u = testing::passing_unit(n, "mfma_scale_f32_16x16x128_f8f6f4",
                                         "mfma_scale_f32_16x16x128_f8f6f4:a=fp4,b=fp4,op_sel=" + std::to_string(n));
    u.verdict = Verdict::kFail;
    r.units.push_back(u);
  }
  const RunReport sample = testing::failing_report();
  Finding f = sample.findings[0];
  f.log = std::string(20000, 'x');
  f.differences.assign(4, sample.findings[0].differences[0]);
  f.message = "17 output elements differ from the oracle in 3 of 12 cases";
  for (std::uint64_t n = 0; n < 100000; ++n) {
    f.unit = n % 2354;
    f.builtin = r.units[f.unit].group;
    f.instance = r.units[f.unit].id;
    f.case_id = f.instance + "@seed=1#" + std::to_string(n);
    r.findings.push_back(f);
  }
  summarize(r);
  const std::string text = to_json(r);
  EXPECT_LT(text.size(), 50'000'000u);
  const auto read = from_json(text, "r.json");
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->findings.size(), 100000u);
  EXPECT_EQ(read->findings[0].log.size(), 20000u);
  EXPECT_EQ(read->findings[1000].differences.size(), 1u);
  EXPECT_TRUE(read->findings.back().differences.empty());
  EXPECT_EQ(read->findings.back().instance, r.findings.back().instance);
}

}  // namespace
}  // namespace mfma::reports
