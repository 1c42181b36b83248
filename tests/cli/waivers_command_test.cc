// `run --waivers` from the outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace mfma::cli {
namespace {

using ::testing::HasSubstr;
using testing::program;
using testing::Ran;
using testing::scratch;
using testing::slurp;
using Json = nlohmann::json;

std::string path(const std::string& name) { return (scratch() / name).string(); }

// Waivers with a reason and a link.
std::string waivers(const std::vector<Json>& entries) {
  Json file = {{"schema", "mfma-conform/waivers/1"}, {"waivers", Json::array()}};
  for (Json entry : entries) {
    entry.update({{"reason", "known"}, {"link", "https://bugs.example/1"}});
    file["waivers"].push_back(entry);
  }
  std::ofstream(path("w.json")) << file;
  return " --waivers " + path("w.json");
}

const std::string kRun =
    "run --device emulated --opt O2 --builtin mfma_f32_16x16x32_f16 --shape single --properties none --cases 12 "
    "--no-shrink";

// The device computes by another model than a profile whose every rule is confirmed.
std::string failing() {
  Json profile = Json::parse(slurp(std::string(MFMA_SOURCE_DIR) + "/corpus/profiles/gfx950-candidate.json"));
  for (Json& rule : profile["rules"]) rule["status"] = "confirmed";
  std::ofstream(path("confirmed.json")) << profile;
  return kRun + " --device-profile " + MFMA_SOURCE_DIR + "/corpus/profiles/seq.json --profile " +
         path("confirmed.json");
}

TEST(WaiversCommand, AWaivedFailurePassesAndIsNamedInEveryForm) {
  ASSERT_EQ(program(failing() + " -q").exit_code, 1);
  const Ran ran = program(failing() + waivers({{{"builtin", "mfma_f32_*"}, {"code", "wrong-bits"}}}) + " --json " +
                          path("r.json") + " --junit " + path("r.xml") + " --events " + path("r.jsonl"));
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("waived: known (https://bugs.example/1)"));
  EXPECT_THAT(ran.out, HasSubstr("1 waivers: 1 used"));
  const Json r = Json::parse(slurp(path("r.json")));
  EXPECT_EQ(r["totals"]["failed"], 0);
  EXPECT_EQ(r["totals"]["waived"], 8);
  EXPECT_THAT(slurp(path("r.xml")), HasSubstr("<skipped message=\"waived: known"));
  const Ran again = program("report " + path("r.jsonl"));
  EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
  EXPECT_THAT(again.out, HasSubstr("8 waived"));
}

TEST(WaiversCommand, AnUnexpectedPassAndAnExpiredWaiverFail) {
  Ran ran = program(kRun + waivers({{{"instance", "mfma_f32_16x16x32_f16"}, {"code", "wrong-bits"}}}));
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.out, HasSubstr("fail [waiver-unused]"));
  ran = program(kRun + waivers({{{"instance", "mfma_f32_16x16x32_f16"}, {"may_pass", true}}}));
  EXPECT_EQ(ran.exit_code, 0) << ran.out;
  ran = program(failing() + waivers({{{"code", "wrong-bits"}, {"expires", "2020-01-01"}}}));
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.out, HasSubstr("[waiver-expired]"));
  EXPECT_THAT(ran.out, HasSubstr("8 failed"));
  // Of another compiler or builtin it says nothing.
  ran = program(kRun + waivers({{{"code", "wrong-bits"}, {"compiler_to", "3"}, {"expires", "2020-01-01"}},
                                {{"builtin", "mfma_f64_*"}}}));
  EXPECT_EQ(ran.exit_code, 0) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("2 waivers: 0 used, 0 unused, 0 expired, 2 not judged"));
}

TEST(WaiversCommand, NamesThatThereAreNotAreRefused) {
  const std::pair<Json, const char*> kBad[] = {
      {{{"builtin", "mfma_f23_*"}}, "\"builtin\": "},
      {{{"instance", "mfma_f32_16x16x32_f16:blgp=9"}}, "\"instance\": no instance matches"},
      {{{"shape", "k-lop"}}, "\"shape\": no shape matches 'k-lop'"},
      {{{"property", "tile"}}, "\"property\": 'tile' is no property"},
      {{{"code", "hang"}, {"level", "O9"}}, "\"level\": 'O9' is none of"},
      {{{"code", "hang"}, {"arch", "gfx9"}}, "\"arch\": 'gfx9' does not match"},
      {{{"code", "hung"}}, "\"code\": 'hung' is no code"},
      {{{"bultin", "x"}}, "unknown key \"bultin\""}};
  for (const auto& [entry, words] : kBad) {
    const Ran ran = program(kRun + waivers({{{"code", "hang"}}, entry}));
    EXPECT_EQ(ran.exit_code, 64) << entry;
    EXPECT_THAT(ran.err, HasSubstr("waiver 2: "));
    EXPECT_THAT(ran.err, HasSubstr(words));
  }
  EXPECT_EQ(program(kRun + " --waivers " + path("none.json")).exit_code, 64);
}

// check-compiler's entries are none of its business: the file that comes with the program is taken.
TEST(WaiversCommand, TheFileOfCheckCompilerIsTaken) {
  const Ran ran = program(kRun + " --waivers clang-22");
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
}

}  // namespace
}  // namespace mfma::cli
