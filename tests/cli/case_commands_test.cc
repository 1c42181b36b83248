// Case files from the outside: what `run --artifacts` leaves, and what `replay` and `minimize` make of it.
//
// The failures are made with a profile that is marked confirmed while the device computes by another, and with a
// wrapper around clang that spoils one call at -O2.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "harness/cases/case_file.h"
#include "tests/cli/program.h"

namespace mfma::cli {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using testing::program;
using testing::Ran;
using testing::scratch;
using testing::slurp;
using Json = nlohmann::json;
namespace fs = std::filesystem;

const std::string kBuiltin = "mfma_f32_16x16x32_f16";
const std::string kSeq = std::string(MFMA_SOURCE_DIR) + "/corpus/profiles/seq.json";

// The candidate profile with its rules marked as confirmed, so that every bit gates.
std::string confirmed() {
  const fs::path file = scratch() / "confirmed.json";
  Json profile = Json::parse(slurp(std::string(MFMA_SOURCE_DIR) + "/corpus/profiles/gfx950-candidate.json"));
  for (Json& rule : profile["rules"]) {
    rule["status"] = "confirmed";
    rule["source"] = "for this test";
  }
  profile["name"] = "confirmed-for-a-test";
  std::ofstream(file) << profile.dump();
  return file.string();
}

std::string failing_run(const fs::path& folder) {
  return "run -q --opt O2 --modifiers none --shape single --builtin " + kBuiltin + " --profile " + confirmed() +
         " --device-profile " + kSeq + " --artifacts " + folder.string();
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

// One line on stderr that says where.
void expect_refused(const std::string& arguments, int exit_code, const std::string& says) {
  const Ran ran = program(arguments);
  EXPECT_EQ(ran.exit_code, exit_code) << arguments << "\n" << ran.out << ran.err;
  EXPECT_THAT(ran.err, HasSubstr(says)) << arguments;
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  EXPECT_THAT(ran.out, Not(HasSubstr("PASS")));
}

TEST(Artifacts, EveryFailureLeavesACaseThatReplays) {
  const fs::path folder = scratch() / "artifacts";
  const std::string json = (scratch() / "a.json").string();
  const Ran ran = program(failing_run(folder) + " --json " + json);
  ASSERT_EQ(ran.exit_code, 1) << ran.err;
  const Json r = Json::parse(slurp(json));
  ASSERT_EQ(r["findings"].size(), 1u);
  const Json& f = r["findings"][0];
  EXPECT_EQ(f["replay"], Json({{"runs", 5}, {"failed", 5}, {"label", "deterministic"}}));
  const auto original = cases::load_case_file(f["case_file"].get<std::string>());
  ASSERT_TRUE(original) << original.error();
  EXPECT_EQ(cases::case_id(original->c.instance, original->c.seed, original->c.index), f["case"].get<std::string>());
  EXPECT_EQ(original->level, "O2");
  EXPECT_EQ(original->device, "emulated");
  EXPECT_EQ(original->profile, "confirmed-for-a-test");
  EXPECT_EQ(original->device_profile_source, kSeq);
  EXPECT_TRUE(original->expected && original->actual && original->label);
  const Json& reduced = f["reduced"];
  EXPECT_EQ(slurp(reduced["file"].get<std::string>()), reduced["case"].get<std::string>());
  EXPECT_LE(reduced["nonzero_products"].get<int>(), 2);
  EXPECT_EQ(names_in(folder).size(), 2u);

  const std::string command = f["replay_command"];
  EXPECT_THAT(command, EndsWith(".reduced.case"));
  ASSERT_EQ(command.rfind("mfma-conform replay ", 0), 0u);
  const Ran again = program(command.substr(13));
  EXPECT_EQ(again.exit_code, 1) << again.out << again.err;
  EXPECT_THAT(again.out, HasSubstr("failed    5 of 5 runs: deterministic"));
  EXPECT_THAT(again.out, HasSubstr("expected " + reduced["difference"]["expected"].get<std::string>()));
  EXPECT_THAT(again.out, HasSubstr("EMULATED DEVICE"));
  // The same operands on a device that computes by the oracle's profile.
  const Ran healthy = program(command.substr(13) + " --repeat 2 --device-profile " + confirmed());
  EXPECT_EQ(healthy.exit_code, 0) << healthy.out << healthy.err;
  EXPECT_THAT(healthy.out, HasSubstr("failed    0 of 2 runs: not reproduced"));
  const Ran same =
      program("replay " + f["case_file"].get<std::string>() + " --profile " + kSeq + " --device-profile " + kSeq);
  EXPECT_EQ(same.exit_code, 0) << same.out << same.err;
  EXPECT_THAT(same.err, HasSubstr("set aside"));
}

TEST(Artifacts, NamesAreStableAndShrinkingCanBeLeftOut) {
  const fs::path folder = scratch() / "twice";
  ASSERT_EQ(program(failing_run(folder)).exit_code, 1);
  const std::set<std::string> first = names_in(folder);
  ASSERT_EQ(program(failing_run(folder)).exit_code, 1);
  EXPECT_EQ(names_in(folder), first);
  const fs::path plain = scratch() / "plain";
  ASSERT_EQ(program(failing_run(plain) + " --no-shrink").exit_code, 1);
  ASSERT_EQ(names_in(plain).size(), 1u);
  EXPECT_TRUE(first.contains(*names_in(plain).begin()));
}

TEST(Artifacts, NothingIsLeftWhereNothingFails) {
  const fs::path folder = scratch() / "none";
  EXPECT_EQ(
      program("run -q --opt O2 --modifiers none --builtin mfma_f64_4x4x4f64 --artifacts " + folder.string()).exit_code,
      0);
  EXPECT_TRUE(names_in(folder).empty());
}

TEST(Artifacts, AFolderThatCannotBeWrittenIsSaidBeforeTheRun) {
  const fs::path file = scratch() / "a_file";
  std::ofstream(file) << "x";
  expect_refused(failing_run(file), 2, "--artifacts: ");
  expect_refused(failing_run("/proc/no/such"), 2, "--artifacts: ");
  EXPECT_EQ(program("run -q --artifacts ''").exit_code, 64);
}

std::string corpus_case() { return std::string(MFMA_SOURCE_DIR) + "/corpus/cases/rounding.case"; }

std::string edited(const std::string& from, const std::string& to) {
  std::string text = slurp(corpus_case());
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  const fs::path file = scratch() / "edited.case";
  std::ofstream(file) << text;
  return file.string();
}

TEST(Replay, PassesACorpusCase) {
  const Ran ran = program("replay " + corpus_case());
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("failed    0 of 5 runs: not reproduced"));
}

TEST(Replay, RefusesBadFilesAndOptionsInOneLine) {
  for (const char* command : {"replay ", "minimize "}) {
    expect_refused(command + edited("case 1", "case 9"), 64, "edited.case:1: version 9 is not known");
    expect_refused(command + edited("\nend\n", "\n"), 64, "cut short");
    expect_refused(command + edited("seed: ", "sead: "), 64, "the key 'sead' is not known");
    expect_refused(command + std::string("/no/such.case"), 64, "/no/such.case: cannot be read");
    expect_refused(command + scratch().string(), 64, "cannot be read");
    expect_refused(command + corpus_case() + " --opt O9", 64, "--opt 'O9'");
    expect_refused(command + corpus_case() + " --repeat 0", 64, "--repeat");
    expect_refused(command + corpus_case() + " --device cuda", 64, "--device 'cuda'");
    expect_refused(command + corpus_case() + " --device all", 64, "--device 'all'");
    expect_refused(command + corpus_case() + " --device hip:x", 64, "--device 'hip:x'");
    expect_refused(command + corpus_case() + " --profile /no/such.json", 64, "/no/such.json");
    expect_refused(command + corpus_case() + " --compiler /no/such-clang", 2, "/no/such-clang");
    EXPECT_EQ(program(command).exit_code, 64);
  }
  expect_refused("replay " + edited("compiler: clang-22", "compiler: /no/clang"), 2, "--compiler names another");
  expect_refused("replay " + edited("profile-source: built in", "profile-source: /no.json"), 2,
                 "name one with --profile");
}

TEST(Replay, AnExpectationThatIsNotTheOraclesIsNoVerdict) {
  std::string text = slurp(corpus_case());
  const std::size_t section = text.find("expected-D:");
  ASSERT_NE(section, std::string::npos);
  const std::size_t end = text.find("\n\n", section);
  const std::string heading = text.substr(section, text.find('\n', section) - section);
  text.replace(section, end - section, heading);  // all zeros
  const fs::path file = scratch() / "stale.case";
  std::ofstream(file) << text;
  expect_refused("replay --device emulated " + file.string(), 2, "remove expected-D and actual-D");
}

// A compiler that drops the broadcast of A at -O2.
std::string spoiling_compiler() {
  const fs::path script = scratch() / "spoiling-clang";
  std::ofstream(script) << "#!/bin/sh\n"
                           "case \"$*\" in *-O2*) for a; do case \"$a\" in *.hip) "
                           "sed -i 's/, 1, 0, 0);/, 0, 0, 0);/' \"$a\";; esac; done;; esac\n"
                           "exec clang-22 \"$@\"\n";
  fs::permissions(script, fs::perms::owner_all);
  return script.string();
}

TEST(Minimize, KeepsTheLevelAndTheModifiersThatTheFailureNeeds) {
  const fs::path folder = scratch() / "spoilt";
  const Ran ran = program("run -q --no-cache --opt O2,O3 --builtin mfma_f32_32x32x1f32 --no-shrink --compiler " +
                          spoiling_compiler() + " --artifacts " + folder.string());
  ASSERT_EQ(ran.exit_code, 1) << ran.err;
  std::string file, instruction;
  for (const std::string& name : names_in(folder)) {
    EXPECT_THAT(name, HasSubstr("cbsz1_abid0_blgp0.O2."));
    (name.find(".instruction.") != std::string::npos ? instruction : file) = (folder / name).string();
  }
  ASSERT_FALSE(file.empty());
  ASSERT_FALSE(instruction.empty());
  // The wrong instruction is found again, too.
  const Ran wrong = program("replay --no-cache " + instruction);
  EXPECT_EQ(wrong.exit_code, 1) << wrong.out << wrong.err;
  EXPECT_THAT(wrong.out, HasSubstr("wrong instruction: "));

  const Ran small = program("minimize --no-cache " + file);
  ASSERT_EQ(small.exit_code, 1) << small.out << small.err;
  const std::string output = file.substr(0, file.size() - 5) + ".min.case";
  EXPECT_THAT(small.out, HasSubstr("written   " + output));
  EXPECT_THAT(small.out, HasSubstr("now 2\n"));
  const auto reduced = cases::load_case_file(output);
  ASSERT_TRUE(reduced) << reduced.error();
  EXPECT_EQ(catalogue::instance_id(reduced->c.instance), "mfma_f32_32x32x1f32:cbsz=1");
  EXPECT_EQ(reduced->level, "O2");
  EXPECT_EQ(reduced->label, (cases::ReplayLabel{5, 5}));
  EXPECT_EQ(program("replay --no-cache " + output).exit_code, 1);
  EXPECT_EQ(program("replay --no-cache --compiler clang-22 " + output).exit_code, 0);
  EXPECT_EQ(program("replay --no-cache --opt O3 " + output).exit_code, 0);
}

TEST(Minimize, IsBoundedAndSaysSo) {
  const fs::path folder = scratch() / "bounded";
  ASSERT_EQ(program(failing_run(folder) + " --no-shrink").exit_code, 1);
  const std::string file = (folder / *names_in(folder).begin()).string();
  const std::string output = (scratch() / "few.case").string();
  const Ran ran = program("minimize --steps 20 " + file + " --output " + output);
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("20 candidates"));
  EXPECT_THAT(ran.out, HasSubstr("the bound ended the search"));
  EXPECT_EQ(program("replay " + output).exit_code, 1) << "a search that was stopped still gives a case that fails";
  const Ran nowhere = program("minimize --steps 20 " + file + " --output /proc/no/such.case");
  EXPECT_EQ(nowhere.exit_code, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("--output"));
}

TEST(Minimize, ACaseThatPassesIsNotReduced) {
  const fs::path output = scratch() / "not-written.case";
  const Ran ran = program("minimize " + corpus_case() + " --output " + output.string());
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("nothing to reduce"));
  EXPECT_FALSE(fs::exists(output));
}

}  // namespace
}  // namespace mfma::cli
