// `run` from the outside: exit code, one line per builtin, and a JSON report whose numbers add up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "tests/cli/program.h"

namespace mfma::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::program;
using testing::Ran;
using testing::scratch;
using testing::slurp;
using Json = nlohmann::json;

TEST(RunCommand, OneLinePerBuiltinAndAReportThatAddsUp) {
  const std::string file = (scratch() / "r.json").string();
  const Ran ran = program("run --modifiers none --seed 42 --json " + file);
  ASSERT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  std::size_t lines = 0;
  const std::regex line(R"((^|\n)mfma_\S+ +pass )");
  for (std::sregex_iterator at(ran.out.begin(), ran.out.end(), line), end; at != end; ++at) ++lines;
  EXPECT_EQ(lines, 38u);
  EXPECT_THAT(ran.out, HasSubstr("EMULATED DEVICE"));
  EXPECT_THAT(ran.err, HasSubstr("EMULATED"));
  EXPECT_THAT(ran.out, Not(HasSubstr("\x1b"))) << "colour belongs on a terminal";

  const Json r = Json::parse(slurp(file));
  EXPECT_EQ(r["schema"], "mfma-conform/report/1");
  EXPECT_EQ(r["seed"], 42);
  EXPECT_EQ(r["exit_code"], 0);
  EXPECT_EQ(r["device"]["kind"], "emulated");
  EXPECT_EQ(r["profile"]["name"], "gfx950-candidate");
  EXPECT_EQ(r["levels"], Json({"O0", "O2"}));
  ASSERT_EQ(r["compilers"].size(), 1u);
  EXPECT_THAT(r["compilers"][0]["version"].get<std::string>(), HasSubstr("clang"));
  EXPECT_THAT(r["compilers"][0]["flags"].dump(), HasSubstr("--offload-arch=gfx950"));
  EXPECT_THAT(r["command"].get<std::string>(), HasSubstr("--seed 42"));
  std::uint64_t instances = 0, cases = 0, elements = 0, exact = 0, by_model = 0;
  for (const Json& b : r["builtins"]) {
    instances += b["instances"].get<std::uint64_t>();
    EXPECT_EQ(b["instances"], b["passed"]);
    cases += b["counts"]["cases"].get<std::uint64_t>();
    elements += b["counts"]["elements_compared"].get<std::uint64_t>();
    exact += b["counts"]["elements_exact"].get<std::uint64_t>();
    by_model += b["counts"]["elements_model_dependent"].get<std::uint64_t>();
    EXPECT_GT(b["counts"]["elements_exact"].get<std::uint64_t>(), 0u) << b["builtin"];
  }
  EXPECT_EQ(instances, 38u);
  EXPECT_EQ(cases, instances * 2 * r["cases_per_instance"].get<std::uint64_t>());
  EXPECT_EQ(exact + by_model, elements);
  const Json& counts = r["totals"]["counts"];
  EXPECT_EQ(counts["cases"], cases);
  EXPECT_EQ(counts["elements_compared"], elements);
  EXPECT_EQ(counts["elements_exact"], exact);
  EXPECT_EQ(counts["elements_model_dependent"], by_model);
  EXPECT_EQ(counts["executions"], instances * 2);
}

TEST(RunCommand, AnotherDeviceProfileIsUnconfirmedNotHidden) {
  const std::string profile = std::string(MFMA_SOURCE_DIR) + "/corpus/profiles/";
  const std::string file = (scratch() / "d.json").string();
  // The same exact results; other model-dependent bits.
  const Ran ran = program("run --builtin mfma_f32_16x16x32_f16 --modifiers none --cases 16 --device-profile " +
                          profile + "ek.json --json " + file);
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  const Json r = Json::parse(slurp(file));
  EXPECT_EQ(r["totals"]["counts"]["elements_differing"], 0);
  EXPECT_GT(r["totals"]["counts"]["elements_unconfirmed"].get<std::uint64_t>(), 0u);
  EXPECT_THAT(ran.out, HasSubstr("unconfirmed"));
}

TEST(RunCommand, UnsettledReadingsAreMarkedAndNamed) {
  for (const char* reading : {"per-set", "whole-wave"}) {
    const std::string file = (scratch() / "u.json").string();
    const Ran ran =
        program(std::string("run --builtin mfma_f32_4x4x1f32 --opt O2 --cbsz-reading ") + reading + " --json " + file);
    ASSERT_EQ(ran.exit_code, 0) << ran.out << ran.err;
    const Json r = Json::parse(slurp(file));
    EXPECT_EQ(r["broadcast_reading"], reading);
    EXPECT_GT(r["totals"]["counts"]["cases_on_unsettled_reading"].get<std::uint64_t>(), 0u);
    EXPECT_THAT(ran.out, HasSubstr(std::string("cbsz read ") + reading));
  }
}

TEST(RunCommand, OperandClassesCanBeChosen) {
  const std::string file = (scratch() / "o.json").string();
  // Every element of class exact is exact; scale_bytes does not apply to f16 and is left to the others.
  const Ran ran = program(
      "run --builtin mfma_f32_16x16x32_f16 --modifiers none --opt O2 --operands scale_bytes,exact --json " + file);
  ASSERT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  const Json counts = Json::parse(slurp(file))["totals"]["counts"];
  EXPECT_EQ(counts["cases"], 12);
  EXPECT_EQ(counts["elements_exact"], counts["elements_compared"]);
}

TEST(RunCommand, InstancesThatTakeNoneOfTheClassesAreNamedNotSkippedInSilence) {
  const Ran some =
      program("run --builtin mfma_scale_f32_16x16x128_f8f6f4 --modifiers default --opt O2 --operands scale_bytes");
  EXPECT_EQ(some.exit_code, 0) << some.out << some.err;
  EXPECT_THAT(some.err, HasSubstr("left out"));
  const Ran none = program("run --builtin mfma_i32_16x16x64_i8 --operands nan_payloads,scale_bytes");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("--operands"));
  EXPECT_THAT(none.err, HasSubstr("nothing to run"));
}

TEST(RunCommand, PropertiesAreCountedByBuiltinAndCanBeChosen) {
  const std::string file = (scratch() / "p.json").string();
  const std::string small = "run --builtin 'mfma_f32_16x16x4f32' --modifiers none --opt O2 --json " + file;
  Ran ran = program(small);
  ASSERT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  Json r = Json::parse(slurp(file));
  EXPECT_EQ(r["properties"].size(), 26u);
  EXPECT_GE(r["builtins"][0]["counts"]["property_checks"].get<std::uint64_t>(), 15u);
  EXPECT_EQ(r["builtins"][0]["counts"]["properties_broken"], 0);
  EXPECT_THAT(r["open"].dump(), HasSubstr("mode-denormals"));
  EXPECT_THAT(ran.out, HasSubstr("open: mode-denormals: f32 A and B keep subnormals"));

  ran = program(small + " --properties tiles,permute-rows");
  r = Json::parse(slurp(file));
  EXPECT_EQ(r["properties"], Json({"tiles", "permute-rows"}));
  EXPECT_EQ(r["totals"]["counts"]["property_checks"], 2);
  EXPECT_TRUE(r["open"].empty());

  ran = program(small + " --properties none");
  ASSERT_EQ(ran.exit_code, 0);
  EXPECT_EQ(Json::parse(slurp(file))["totals"]["counts"]["property_checks"], 0);
  EXPECT_THAT(ran.out, Not(HasSubstr("propert")));
}

TEST(RunCommand, PropertiesHoldUnderEveryProfileOfOneBuiltin) {
  // The profile speaks of one builtin only; the others that its properties need compute by the built-in profile.
  const std::string profile = (scratch() / "f64.json").string();
  std::ofstream(profile) << R"({"schema":"mfma-conform/profile/1","rules":[)"
                            R"({"builtins":"mfma_f64_16x16x4f64","model":"multiply_add"}]})";
  const Ran ran = program("run --builtin mfma_f64_16x16x4f64 --opt O2 --profile " + profile);
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
}

TEST(RunCommand, PropertiesAreLeftOutAloudWhereTheProfileIsUnlawful) {
  // An f64 accumulator aligned to 24 bits: exact sums lose bits, as the profile asks.
  const std::string file = (scratch() / "unlawful.json").string();
  const Ran ran = program("run --builtin mfma_f64_4x4x4f64 --modifiers none --opt O2 --json " + file + " --profile " +
                          std::string(MFMA_SOURCE_DIR) + "/corpus/profiles/tr8.json");
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("properties left out: the profile's model is not lawful here"));
  const Json r = Json::parse(slurp(file));
  EXPECT_EQ(r["builtins"][0]["properties_left_out"], true);
  EXPECT_EQ(r["totals"]["counts"]["property_checks"], 0);
}

TEST(RunCommand, ShardsFollowTheVariablesOfGoogleTest) {
  const std::string file = (scratch() / "s.json").string();
  setenv("GTEST_TOTAL_SHARDS", "2", 1);
  setenv("GTEST_SHARD_INDEX", "1", 1);
  const Ran ran = program("run --builtin 'mfma_f64_*' --opt O2 --json " + file);
  unsetenv("GTEST_TOTAL_SHARDS");
  unsetenv("GTEST_SHARD_INDEX");
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const Json r = Json::parse(slurp(file));
  EXPECT_EQ(r["shard"], Json({{"index", 2}, {"count", 2}}));
  // 8 of 16, and of the smoke set the two of the other shard.
  EXPECT_EQ(r["totals"]["instances"], 10);
}

// One page from a run and from its JSON: what `report` reads is what `run` wrote.
TEST(RunCommand, LeavesAPageForABrowser) {
  const std::string json = (scratch() / "page.json").string(), page = (scratch() / "page.html").string(),
                    again = (scratch() / "again.html").string();
  const std::string few = "run --builtin 'mfma_f64_4x4x4f64' --modifiers none --opt O2 --shape single ";
  ASSERT_EQ(program(few + "-q --json " + json + " --html " + page).exit_code, 0);
  const std::string html = slurp(page);
  EXPECT_THAT(html, HasSubstr("<h1 id=\"verdict\">PASS (exit 0)</h1>"));
  EXPECT_THAT(html, HasSubstr("\"id\":\"mfma_f64_4x4x4f64\""));
  ASSERT_EQ(program("report " + json + " -q --html " + again).exit_code, 0);
  EXPECT_EQ(slurp(again), html);
  const Ran nowhere = program("report " + json + " -q --html /no/such/folder/r.html");
  EXPECT_EQ(nowhere.exit_code, 2) << "a report that nobody can read is no verdict";
  EXPECT_THAT(nowhere.err, HasSubstr("/no/such/folder/r.html"));
}

}  // namespace
}  // namespace mfma::cli
