// Bad input gets one line that says what is wrong and what to do, and the right exit code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cli/program.h"

namespace mfma::cli {
namespace {

using ::testing::HasSubstr;
using testing::program;
using testing::Ran;
using testing::scratch;
using ::testing::StartsWith;

struct Bad {
  const char* name;
  std::string arguments;
  int exit_code;
  const char* says;
};

std::string file_with(const std::string& name, const std::string& text) {
  const std::filesystem::path file = scratch() / name;
  std::ofstream(file, std::ios::binary) << text;
  return file.string();
}

std::string script_with(const std::string& name, const std::string& text) {
  const std::string file = file_with(name, "#!/bin/sh\n" + text);
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  return file;
}

void expect_one_line(const Ran& ran, const Bad& bad) {
  EXPECT_EQ(ran.exit_code, bad.exit_code) << ran.err;
  EXPECT_THAT(ran.err, StartsWith("mfma-conform: "));
  EXPECT_THAT(ran.err, HasSubstr(bad.says));
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  EXPECT_EQ(ran.out, "");
}

TEST(BadInput, GetsOneLineAndTheRightExitCode) {
  const std::string ok_rule = R"({"schema":"mfma-conform/profile/1","name":"x","arch":"gfx950","rules":[)"
                              R"({"builtins":"*","status":"candidate","source":"t","model":"exact_sum")";
  const std::vector<Bad> all = {
      {"no command", "", 64, "--help"},
      {"unknown command", "rum", 64, "no command 'rum'"},
      {"unknown option", "run --bultin x", 64, "--bultin"},
      {"unknown builtin", "run --builtin mfma_f32_16x16x32_f61", 64, "mfma_f32_16x16x32_f16"},
      {"rejected builtin", "run --builtin mfma_f32_16x16x8_xf32", 64, "gfx950 does not have it"},
      {"describe unknown", "describe mfma_f32_16x16x32_f61", 64, "mfma_f32_16x16x32_f16"},
      {"describe rejected", "describe mfma_f32_32x32x2bf16", 64, "gfx950"},
      {"list unknown", "list --builtin nothing*", 64, "nothing*"},
      {"bad tier", "run --tier fast", 64, "--tier"},
      {"bad seed", "run --seed -1", 64, "--seed"},
      {"huge seed", "run --seed 18446744073709551616", 64, "--seed"},
      {"empty seed", "run --seed ''", 64, "--seed"},
      {"bad cases", "run --cases 0", 64, "--cases"},
      {"hex cases", "run --cases 0x10", 64, "--cases"},
      {"blank cases", "run --cases ' 3'", 64, "--cases"},
      {"bad jobs", "run --jobs 0", 64, "--jobs"},
      {"unknown class", "run --operands exact,sepcials", 64, "'sepcials' is no operand class"},
      {"class twice", "run --operands exact,exact", 64, "there twice"},
      {"empty class", "run --operands ''", 64, "--operands"},
      {"two lists", "list --operands --instances", 64, "--operands"},
      {"bad shard", "run --shard 3/2", 64, "--shard"},
      {"shard zero", "run --shard 0/2", 64, "--shard"},
      {"unknown property", "run --properties permute-row", 64, "'permute-row' is no property"},
      {"property twice", "run --properties tiles,tiles", 64, "there twice"},
      {"empty properties", "run --properties ''", 64, "--properties"},
      {"bad level", "run --opt O9", 64, "O9"},
      {"empty level", "run --opt O0,", 64, "--opt"},
      {"level twice", "run --opt O0,O2,O0", 64, "there twice"},
      {"empty report name", "run --json ''", 64, "--json"},
      {"empty page name", "run --html ''", 64, "--html"},
      {"empty profile name", "run --profile ''", 64, "--profile"},
      {"empty shard", "run --shard ''", 64, "--shard"},
      {"huge shard", "run --shard 1/99999999999999999999", 64, "--shard"},
      {"line break and escape in a name", "run --builtin \"$(printf 'a\\nb\\033[31m')\"", 64, "a\\x0ab\\x1b[31m"},
      {"profile for another arch",
       "run --profile " + file_with("p9.json",
                                    R"({"schema":"mfma-conform/profile/1","name":"x","arch":"gfx942","rules":[)"
                                    R"({"builtins":"*","model":"exact_sum"}]})"),
       64, "is for gfx942"},
      {"eval empty number", "eval --builtin mfma_f64_4x4x4f64 --blgp ''", 64, "--blgp"},
      {"bad device", "run --device cuda", 64, "cuda"},
      {"device with a bad number", "run --device hip:x", 64, "hip:x"},
      {"device that only begins well", "run --device hipster", 64, "hipster"},
      {"endless profile", "run --profile /dev/zero", 64, "larger than"},
      {"no hip device", "run --device hip:0", 2, "hip:0"},
      {"missing profile", "run --profile /no/such/profile.json", 64, "/no/such/profile.json"},
      {"folder as profile", "run --profile " + scratch().string(), 64, scratch().c_str()},
      {"profile not JSON", "run --profile " + file_with("p1.json", "{\"schema\": "), 64, "p1.json"},
      {"profile empty", "run --profile " + file_with("p2.json", ""), 64, "p2.json"},
      {"profile wrong schema", "run --profile " + file_with("p3.json", R"({"schema":"mfma-conform/profile/9"})"), 64,
       "schema"},
      {"profile unknown key", "run --profile " + file_with("p4.json", ok_rule + R"(,"stepp":3}]})"), 64, "stepp"},
      {"profile out of range", "run --profile " + file_with("p5.json", ok_rule + R"(,"step":300}]})"), 64, "step"},
      {"profile wrong type", "run --profile " + file_with("p6.json", ok_rule + R"(,"step":"16"}]})"), 64, "step"},
      {"profile without a rule",
       "run --profile " +
           file_with("p7.json", R"({"schema":"mfma-conform/profile/1","name":"x","arch":"gfx950","rules":[)"
                                R"({"builtins":"mfma_f64_*","status":"candidate","source":"t","model":"fma_chain"}]})"),
       64, "no rule for"},
      {"profile that does not fit",
       "run --profile " + file_with("p8.json",
                                    R"({"schema":"mfma-conform/profile/1","name":"x","arch":"gfx950","rules":[)"
                                    R"({"builtins":"*","model":"integer"}]})"),
       64, "does not fit mfma_f32_32x32x1f32"},
      {"eval profile that does not fit",
       "eval --builtin mfma_f64_4x4x4f64 --profile " + scratch().string() + "/p8.json", 64, "does not fit"},
      {"compiler missing", "run --compiler /no/such/clang", 2, "/no/such/clang"},
      {"compiler not in PATH", "run --compiler no-such-clang-anywhere", 2, "no-such-clang-anywhere"},
      {"compiler is a folder", "run --compiler /tmp", 2, "/tmp"},
      {"compiler not executable", "run --compiler " + file_with("plain.txt", "text"), 2, "plain.txt"},
      {"compiler is no compiler", "run --compiler /bin/true", 2, "/bin/true"},
      {"compiler prints junk", "run --compiler " + script_with("junk", "echo hello; exit 0"), 2, "junk"},
      {"compiler fails", "run --compiler " + script_with("fails", "exit 3"), 2, "fails"},
      {"compiler has no gfx950", "run --compiler clang-19", 2, "gfx950"},
      {"eval without builtin", "eval", 64, "--builtin"},
      {"eval unknown builtin", "eval --builtin mfma_f32_16x16x32_f61", 64, "mfma_f32_16x16x32_f16"},
      {"eval illegal modifiers", "eval --builtin mfma_f32_4x4x4f16 --cbsz 5", 64, "cbsz"},
      {"eval bad format", "eval --builtin mfma_scale_f32_16x16x128_f8f6f4 --cbsz 5", 64, "cbsz"},
  };
  for (const Bad& bad : all) {
    SCOPED_TRACE(bad.name);
    expect_one_line(program(bad.arguments), bad);
  }
}

TEST(BadInput, EvalNamesTheLineAndKeepsTheResultsBefore) {
  const std::string good = "a:3f800000,0,0,0 b:40000000,0,0,0 c:0\n";
  const struct {
    const char* line;
    const char* says;
  } bad[] = {
      {"a:3f800000 b:40000000,0,0,0 c:0", "a"},
      {"a:3f800000,0,0,0 b:40000000,0,0,zz c:0", "zz"},
      {"a:3f800000,0,0,0 b:40000000,0,0,0", "c"},
      {"a:1ffffffff,0,0,0 b:40000000,0,0,0 c:0", "1ffffffff"},
      {"nonsense", "nonsense"},
      {"a:3f800000,0,0,0 b:40000000,0,0,0 c:0 sa:7f", "sa"},
  };
  for (const auto& [line, says] : bad) {
    SCOPED_TRACE(line);
    const Ran ran = program("eval --builtin mfma_f32_16x16x4f32", good + line + "\n" + good);
    EXPECT_EQ(ran.exit_code, 64);
    EXPECT_THAT(ran.err, HasSubstr("line 2"));
    EXPECT_THAT(ran.err, HasSubstr(says));
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    EXPECT_THAT(ran.out, StartsWith("40000000\n"));
  }
}

TEST(BadInput, AReportThatCannotBeWrittenIsNotAPass) {
  const Ran ran = program("run --builtin mfma_f64_4x4x4f64 --modifiers none --opt O2 -q --json /no/such/folder/r.json");
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.err, HasSubstr("/no/such/folder/r.json"));
}

TEST(BadInput, OutputThatCannotBeWrittenIsNotAPass) {
  for (const char* arguments : {"list", "list --instances", "describe mfma_f64_4x4x4f64",
                                "run --builtin mfma_f64_4x4x4f64 --modifiers none --opt O2"}) {
    SCOPED_TRACE(arguments);
    const Ran ran = program(std::string(arguments) + " >/dev/full");
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_THAT(ran.err, HasSubstr("cannot write to standard output"));
  }
}

TEST(BadInput, ClosedStreamsNeitherAbortNorSpoilTheReport) {
  const std::string report = (scratch() / "closed.json").string();
  const Ran ran =
      program("run --builtin mfma_f64_4x4x4f64 --modifiers none --opt O2 --json " + report + " >&- 2>&- <&-");
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_THAT(testing::slurp(report), StartsWith("{\n"));
  EXPECT_THAT(testing::slurp(report), ::testing::EndsWith("}\n"));
}

TEST(BadInput, EvalOfAFolderIsNoVerdict) {
  const Ran ran = program("eval --builtin mfma_f64_4x4x4f64 </tmp");
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.err, HasSubstr("cannot read standard input"));
}

}  // namespace
}  // namespace mfma::cli
