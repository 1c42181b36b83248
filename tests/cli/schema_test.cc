// Reports and event logs of every kind against reports/schema, by a validator that is not ours; and the page of codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "reports/model/report.h"
#include "tests/hip_double/support.h"

namespace mfma::cli {
namespace {

using ::testing::HasSubstr;
using testing::program;
using testing::Ran;
using testing::scratch;
using testing::slurp;
using Json = nlohmann::json;

const std::string kSource = MFMA_SOURCE_DIR;

std::string path(const std::string& name) { return (scratch() / name).string(); }

// The built-in profile with every rule confirmed: its model gates on a device that computes by another, and fails.
std::string failing() {
  static const std::string file = [] {
    Json profile = Json::parse(slurp(kSource + "/corpus/profiles/gfx950-candidate.json"));
    for (Json& rule : profile["rules"]) rule["status"] = "confirmed";
    std::ofstream(path("confirmed.json")) << profile;
    return path("confirmed.json");
  }();
  return " --device-profile " + kSource + "/corpus/profiles/seq.json --profile " + file;
}

const std::string kSmall = "run --device emulated --opt O2 --builtin mfma_f32_16x16x32_f16 -q";

void expect_valid(const std::string& files) {
  const std::string command = std::string(MFMA_PYTHON) + " " + kSource + "/tests/reports/validate.py " + kSource +
                              "/reports/schema --mutate " + files + " > " + path("validated") + " 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0) << slurp(path("validated"));
  EXPECT_THAT(slurp(path("validated")), HasSubstr(" 0 wrong")) << "the validator said nothing";
}

TEST(Schema, OfARunThatPassesAndOneThatGoesOn) {
  const Ran ran = program(kSmall + " --json " + path("pass.json") + " --events " + path("pass.jsonl"));
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  // Half of the log, as a run leaves it that is killed.
  const std::string log = slurp(path("pass.jsonl"));
  std::ofstream(path("cut.jsonl")) << log.substr(0, log.find('\n', log.size() / 2) + 1);
  ASSERT_EQ(program("report -q --json " + path("killed.json") + " " + path("cut.jsonl")).exit_code, 2);
  const Ran resumed = program(kSmall + " --json " + path("resumed.json") + " --resume " + path("cut.jsonl"));
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  expect_valid(path("pass.json") + " " + path("killed.json") + " " + path("resumed.json") + " " + path("pass.jsonl") +
               " " + path("cut.jsonl"));
}

TEST(Schema, OfFailuresWithCaseFilesAndWaivers) {
  std::ofstream(path("w.json")) << R"({"schema": "mfma-conform/waivers/1", "waivers": [
    {"instance": "mfma_f32_16x16x32_f16", "code": "wrong-bits", "reason": "known", "link": "https://bugs.example/1"},
    {"code": "wrong-bits", "expires": "2020-01-31", "compiler_from": "22", "reason": "known", "link": "https://bugs.example/2"},
    {"code": "hang", "reason": "known", "link": "https://bugs.example/3"}]})";
  const Ran ran = program(kSmall + failing() + " --artifacts " + path("artifacts") + " --waivers " + path("w.json") +
                          " --json " + path("fail.json") + " --events " + path("fail.jsonl"));
  ASSERT_EQ(ran.exit_code, 1) << ran.err;
  const Json totals = Json::parse(slurp(path("fail.json")))["totals"]["waivers"];
  EXPECT_EQ(totals, Json({{"used", 1}, {"unused", 1}, {"expired", 1}, {"idle", 0}}));
  expect_valid(path("fail.json") + " " + path("fail.jsonl"));
}

TEST(Schema, OfRunsThatWereStoppedAndOfMergedShards) {
  // Longer than its time on any machine.
  const Ran stopped = program(kSmall + " --tier full --max-time 0.5 --json " + path("stopped.json"));
  ASSERT_EQ(stopped.exit_code, 2) << stopped.err;
  EXPECT_EQ(Json::parse(slurp(path("stopped.json")))["stopped"], "time");
  for (const char* shard : {"1", "2"}) {
    ASSERT_EQ(
        program(kSmall + " --shape single --shard " + shard + "/2 --json " + path(std::string("s") + shard + ".json"))
            .exit_code,
        0);
  }
  ASSERT_EQ(program("merge -q " + path("s1.json") + " " + path("s2.json") + " --json " + path("merged.json")).exit_code,
            0);
  expect_valid(path("stopped.json") + " " + path("merged.json"));
}

TEST(Schema, OfHangsAndWrongBitsOnAGpu) {
  using namespace hip_double::testing;
  Setting s;
  s.faults = "hang@2";
  s.arguments = "--events " + path("hang.jsonl");
  const DoubleRun hang = run_with_double(s);
  ASSERT_EQ(hang.ran.exit_code, 3) << hang.ran.err;
  std::ofstream(path("hang.json")) << hang.report;
  s.faults = "flip=5.3@2";
  s.arguments = "";
  const DoubleRun flip = run_with_double(s);
  ASSERT_EQ(flip.ran.exit_code, 1) << flip.ran.err;
  std::ofstream(path("flip.json")) << flip.report;
  expect_valid(path("hang.json") + " " + path("hang.jsonl") + " " + path("flip.json"));
}

TEST(Schema, OfComparisons) {
  const std::string small = kSmall + " --shape single --modifiers none";
  ASSERT_EQ(program(small + " --json " + path("before.json")).exit_code, 0);
  ASSERT_EQ(program(small + failing() + " --seed 2 --json " + path("after.json")).exit_code, 1);
  const Ran same = program("compare " + path("before.json") + " " + path("before.json"));
  EXPECT_EQ(same.exit_code, 0) << same.out << same.err;
  const Ran ran = program("compare " + path("before.json") + " " + path("after.json") + " --json " + path("c.json") +
                          " --html " + path("c.html"));
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("new failures ("));
  EXPECT_THAT(ran.out, HasSubstr("seed: 1 -> 2"));
  EXPECT_THAT(slurp(path("c.html")), HasSubstr("NEW FAILURES"));
  const Ran back =
      program("compare -q " + path("after.json") + " " + path("before.json") + " --json " + path("back.json"));
  EXPECT_EQ(back.exit_code, 0) << back.err;
  EXPECT_FALSE(Json::parse(slurp(path("back.json")))["fixed"].empty());
  expect_valid(path("c.json") + " " + path("back.json"));
  EXPECT_EQ(program("compare " + path("before.json")).exit_code, 64);
  EXPECT_EQ(program("compare " + path("before.json") + " " + path("no.json")).exit_code, 64);
}

TEST(Schema, OfACheckedCompiler) {
  const Ran ran = program("check-compiler -q --only acceptance,encodings --builtin mfma_f64_4x4x4f64 --opt O0 --json " +
                          path("check.json"));
  ASSERT_LE(ran.exit_code, 1) << ran.err;
  const Json compiler = Json::parse(slurp(path("check.json")))["compilers"][0];
  EXPECT_FALSE(compiler["findings"].empty()) << "nothing to hold against the schema of findings";
  EXPECT_FALSE(compiler["acceptance"].empty());
  expect_valid(path("check.json"));
}

TEST(Schema, IsTheOneThatTheProgramMakes) {
  for (const std::string name : {"report", "events", "compare", "check"}) {
    const Ran ran = program("documentation --format schema-" + name);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_TRUE(ran.out == slurp(kSource + "/reports/schema/" + name + "-1.json"))
        << name << ": run scripts/make-documentation";
  }
}

std::set<std::string> all_codes() {
  std::set<std::string> codes;
  for (int k = 0; k < reports::kFindingKinds; ++k)
    codes.emplace(reports::code_of(static_cast<reports::FindingKind>(k)));
  EXPECT_EQ(codes.size(), static_cast<std::size_t>(reports::kFindingKinds));
  return codes;
}

TEST(Codes, EachHasItsSectionAndItsWordInTheSchema) {
  const std::string page = slurp(kSource + "/docs/codes.md");
  std::set<std::string> sections;
  const std::regex heading("\n### ([a-z-]+)\n");
  for (std::sregex_iterator at(page.begin(), page.end(), heading), end; at != end; ++at) sections.insert((*at)[1]);
  EXPECT_EQ(sections, all_codes());
  const Json schema = Json::parse(slurp(kSource + "/reports/schema/report-1.json"));
  EXPECT_EQ(schema["$defs"]["finding"]["properties"]["code"]["enum"].get<std::set<std::string>>(), all_codes());
}

TEST(Codes, TheTableOfVerdictsIsTheProgramsOwn) {
  const std::string page = slurp(kSource + "/docs/codes.md");
  for (int k = 0; k < reports::kFindingKinds; ++k) {
    const auto kind = static_cast<reports::FindingKind>(k);
    const reports::Verdict v = reports::verdict_of(kind);
    const std::string row =
        "\n| " + (v == reports::Verdict::kPass ? "none: a warning" : std::string(reports::name_of(v))) + " |";
    const std::size_t begin = page.find(row);
    ASSERT_NE(begin, std::string::npos) << row;
    const std::string line = page.substr(begin + 1, page.find('\n', begin + 1) - begin - 1);
    EXPECT_TRUE(std::regex_search(line, std::regex("[ ,]" + std::string(reports::code_of(kind)) + "[, ]")))
        << reports::code_of(kind);
  }
}

}  // namespace
}  // namespace mfma::cli
