// A report that was written is read back as it was; what was not written by us is refused in one line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "reports/json/json.h"
#include "tests/reports/random_report.h"

namespace mfma::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::ordered_json;

TEST(RoundTrip, AWrittenReportIsReadBackAsItWas) {
  testing::RandomReport random(1);
  for (int round = 0; round < 300; ++round) {
    const RunReport report = random();
    const std::string text = to_json(report);
    const auto read = from_json(text, "r.json");
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(to_json(*read), text);
    EXPECT_EQ(read->units, report.units);
    EXPECT_EQ(read->program_units, report.program_units);
    EXPECT_EQ(read->open, report.open);
    EXPECT_EQ(read->exit_code(), report.exit_code());
    ASSERT_EQ(read->findings.size(), report.findings.size());
    for (std::size_t i = 0; i < report.findings.size(); ++i) {
      EXPECT_EQ(read->findings[i].log, report.findings[i].log);
      EXPECT_EQ(read->findings[i].differences.size(), report.findings[i].differences.size());
    }
  }
}

RunReport report_with_everything() {
  testing::RandomReport random(3);
  for (;;) {
    RunReport r = random();
    const bool reduced = std::any_of(r.findings.begin(), r.findings.end(),
                                     [](const Finding& f) { return f.reduced && !f.differences.empty() && f.replays; });
    if (reduced && !r.program_units.empty() && !r.open.empty()) return r;
  }
}

std::string refusal(const Json& json) {
  const auto read = from_json(json.dump(), "r.json");
  return read ? "" : read.error();
}

// Each field in turn is taken out, or made another kind of thing.
void expect_each_field_counts(const Json& whole, const Json::json_pointer& at, int& fields) {
  // What may be missing: fields of findings that are empty where they are.
  static const std::vector<std::string> optional = {"totals",
                                                    "program_totals",
                                                    "shape",
                                                    "program",
                                                    "case",
                                                    "operand_class",
                                                    "property",
                                                    "attribution",
                                                    "waived",
                                                    "cases_affected",
                                                    "elements_differing",
                                                    "unsettled_reading",
                                                    "differences",
                                                    "replay",
                                                    "case_file",
                                                    "replay_command",
                                                    "reduced",
                                                    "log",
                                                    "source",
                                                    "against",
                                                    "smoke",
                                                    "open",
                                                    "untouched",
                                                    "properties_broken",
                                                    "register",
                                                    "label",
                                                    "name",
                                                    "facts",
                                                    "verdict",
                                                    "counts",
                                                    "rule_status",
                                                    "rule_sources",
                                                    "schema"};
  for (const auto& [key, value] : whole.at(at).items()) {
    const Json::json_pointer here = at / key;
    if (std::find(optional.begin(), optional.end(), key) == optional.end()) {
      Json without = whole;
      without.at(at).erase(key);
      EXPECT_THAT(refusal(without), HasSubstr("r.json: ")) << here.to_string() << " is missing";
      Json other = whole;
      other.at(here) = value.is_object() || value.is_array() ? Json(7) : Json::array({1, "x"});
      EXPECT_THAT(refusal(other), HasSubstr("r.json: ")) << here.to_string() << " is " << other.at(here);
      ++fields;
    }
  }
}

TEST(RoundTrip, EachFieldIsNeededAndOfItsKind) {
  const Json whole = Json::parse(to_json(report_with_everything()));
  ASSERT_EQ(refusal(whole), "");
  int fields = 0;
  expect_each_field_counts(whole, Json::json_pointer(), fields);
  for (const char* part : {"/device", "/profile", "/shard", "/compilers/0", "/builtins/0", "/instances/0",
                           "/programs/0", "/findings/0", "/open/0"}) {
    expect_each_field_counts(whole, Json::json_pointer(part), fields);
  }
  EXPECT_GT(fields, 60);
}

TEST(RoundTrip, CountsThatDoNotAddUpAreRefused) {
  const Json whole = Json::parse(to_json(report_with_everything()));
  Json wrong = whole;
  wrong["builtins"][0]["counts"]["cases"] = whole["builtins"][0]["counts"]["cases"].get<int>() + 1;
  EXPECT_THAT(refusal(wrong), HasSubstr("\"builtins\" does not add up"));
  wrong = whole;
  wrong["builtins"][0]["failed"] = 99;
  EXPECT_THAT(refusal(wrong), HasSubstr("\"builtins\" does not add up"));
  wrong = whole;
  wrong["programs"].erase(0);
  EXPECT_THAT(refusal(wrong), HasSubstr("\"shapes\" does not add up"));
  wrong = whole;
  wrong["open"][0]["checks"] = 1000;
  EXPECT_THAT(refusal(wrong), HasSubstr("\"open\" does not add up"));
  wrong = whole;
  wrong["exit_code"] = 64;
  EXPECT_THAT(refusal(wrong), HasSubstr("\"exit_code\" is not"));
}

TEST(RoundTrip, OtherFilesAreRefusedInOneLine) {
  const std::string text = to_json(report_with_everything());
  for (const auto& [content, why] : std::vector<std::pair<std::string, std::string>>{
           {"", "not JSON"},
           {text.substr(0, text.size() / 2), "not JSON"},
           {"[]", "no \"schema\""},
           {"{}", "no \"schema\""},
           {text + std::string(1, '\0'), "not JSON"},
           {text + "{}", "not JSON"},
           {"{\"schema\": 1, " + text.substr(1), "schema: stands twice in one object"},
           {R"({"schema": "mfma-conform/report/1", "seconds": [0, -1e999]})",
            "seconds[1]: -1e999 is a number too large"},
           {R"({"schema": "mfma-conform/report/2"})", "is not mfma-conform/report/1"},
           {R"({"schema": "mfma-conform/report/1"})", "'tool' not found"}}) {
    const auto read = from_json(content, "r.json");
    ASSERT_FALSE(read) << content;
    EXPECT_THAT(read.error(), HasSubstr("r.json: "));
    EXPECT_THAT(read.error(), HasSubstr(why));
    EXPECT_THAT(read.error(), Not(HasSubstr("\n")));
    EXPECT_THAT(read.error(), Not(HasSubstr("json.exception")));
  }
  Json wrong = Json::parse(text);
  wrong["seed"] = -1;
  EXPECT_THAT(refusal(wrong), HasSubstr("-1 is not a whole number"));
  wrong = Json::parse(text);
  wrong["instances"][0]["verdict"] = "good";
  EXPECT_THAT(refusal(wrong), HasSubstr("'good' is no verdict"));
  wrong = Json::parse(text);
  wrong["findings"][0]["code"] = "bad-luck";
  EXPECT_THAT(refusal(wrong), HasSubstr("'bad-luck' is no code of a finding"));
  EXPECT_THAT(read_report("/no/such/file.json").error(), HasSubstr("/no/such/file.json: cannot be read"));
}

TEST(RoundTrip, ManyFindingsAreShortenedAndSaySo) {
  RunReport r = report_with_everything();
  Finding f = r.findings[0];
  f.differences.assign(4, {0, 3, 7, 23, 64, 32, 1, 2, true, {}});
  f.log = "a log";
  r.findings.assign(2001, f);
  const Json json = Json::parse(to_json(r));
  EXPECT_EQ(json["findings"][1999]["differences"].size(), 4u);
  EXPECT_EQ(json["findings"][1999]["log"], "a log");
  EXPECT_FALSE(json["findings"][1999].contains("shortened"));
  EXPECT_EQ(json["findings"][2000]["differences"].size(), 1u);
  EXPECT_FALSE(json["findings"][2000].contains("log"));
  EXPECT_EQ(json["findings"][2000]["shortened"], true);
}

}  // namespace
}  // namespace mfma::reports
