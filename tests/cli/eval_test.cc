// `eval` from the outside: every probe under every profile that it has an expectation for, and every line of the
// third-party vectors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "tests/cli/program.h"

namespace mfma::cli {
namespace {

using testing::program;
using testing::Ran;
using testing::slurp;

namespace fs = std::filesystem;
const fs::path kCorpus = fs::path(MFMA_SOURCE_DIR) / "corpus";

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Name in the profile to its file.
std::map<std::string, fs::path> profiles() {
  std::map<std::string, fs::path> found;
  for (const auto& entry : fs::directory_iterator(kCorpus / "profiles")) {
    if (entry.path().extension() != ".json") continue;
    found[nlohmann::json::parse(slurp(entry.path()))["name"].get<std::string>()] = entry.path();
  }
  return found;
}

struct Probe {
  std::string id, operands;
  std::map<std::string, std::string> expected;  // by profile name
};

// The probes of corpus/probes by the arguments that `eval` needs for them (format: corpus/probes/README.md).
std::map<std::string, std::vector<Probe>> probes() {
  std::map<std::string, std::vector<Probe>> found;
  for (const auto& entry : fs::directory_iterator(kCorpus / "probes")) {
    if (entry.path().extension() != ".txt") continue;
    std::string arguments;
    for (const std::string& line : lines_of(slurp(entry.path()))) {
      if (line.empty() || line[0] == '#') continue;
      std::istringstream words(line);
      std::string word;
      words >> word;
      if (word == "instance") {
        words >> word;
        arguments = "--builtin " + word;
        while (words >> word) {
          if (word.rfind("cbsz=", 0) == 0) arguments += " --cbsz " + word.substr(5);
          if (word.rfind("blgp=", 0) == 0) arguments += " --blgp " + word.substr(5);
        }
        continue;
      }
      Probe probe;
      probe.id = word;
      const std::size_t bar = line.find('|');
      EXPECT_NE(bar, std::string::npos) << line;
      if (bar == std::string::npos) continue;
      probe.operands = line.substr(word.size() + 1, bar - word.size() - 1);
      std::istringstream results(line.substr(bar + 1));
      while (results >> word) probe.expected[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
      found[arguments].push_back(probe);
    }
  }
  return found;
}

TEST(Eval, GivesTheResultsOfEveryProbeUnderEveryProfile) {
  const auto files = profiles();
  std::size_t compared = 0;
  std::map<std::string, std::size_t> by_profile;
  for (const auto& [arguments, list] : probes()) {
    std::map<std::string, std::vector<const Probe*>> of_profile;
    for (const Probe& probe : list) {
      for (const auto& [name, bits] : probe.expected) of_profile[name].push_back(&probe);
    }
    for (const auto& [name, asked] : of_profile) {
      ASSERT_EQ(files.count(name), 1u) << "no profile named " << name;
      std::string input;
      for (const Probe* probe : asked) input += probe->operands + "\n";
      const Ran ran = program("eval " + arguments + " --profile " + files.at(name).string(), input);
      ASSERT_EQ(ran.exit_code, 0) << ran.err;
      const std::vector<std::string> results = lines_of(ran.out);
      ASSERT_EQ(results.size(), asked.size());
      for (std::size_t i = 0; i < asked.size(); ++i) {
        EXPECT_EQ(results[i], asked[i]->expected.at(name)) << asked[i]->id << " under " << name;
        ++compared;
        ++by_profile[name];
      }
    }
  }
  EXPECT_GE(compared, 500u);
  EXPECT_GE(by_profile.size(), 20u);
}

// The built-in profile gives the column of the model in force.
TEST(Eval, DefaultProfileGivesTheColumnOfTheModelInForce) {
  const std::vector<std::pair<std::string, std::string>> in_force = {
      {"--builtin mfma_f32_16x16x32_f16", "TR16"},
      {"--builtin mfma_f32_16x16x4f32", "SEQ"},
      {"--builtin mfma_f64_16x16x4f64", "SEQ"},
      {"--builtin mfma_scale_f32_16x16x128_f8f6f4 --cbsz 4 --blgp 4", "TR64"},
      {"--builtin mfma_scale_f32_16x16x128_f8f6f4", "TR32"},
  };
  const auto all = probes();
  for (const auto& [arguments, column] : in_force) {
    SCOPED_TRACE(arguments);
    ASSERT_EQ(all.count(arguments), 1u);
    std::string input;
    std::vector<const Probe*> asked;
    for (const Probe& probe : all.at(arguments)) {
      if (!probe.expected.count(column)) continue;
      asked.push_back(&probe);
      input += probe.operands + "\n";
    }
    ASSERT_FALSE(asked.empty());
    const Ran ran = program("eval " + arguments, input);
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    const std::vector<std::string> results = lines_of(ran.out);
    ASSERT_EQ(results.size(), asked.size());
    for (std::size_t i = 0; i < asked.size(); ++i) EXPECT_EQ(results[i], asked[i]->expected.at(column)) << asked[i]->id;
  }
}

TEST(Eval, GivesEveryThirdPartyVector) {
  std::size_t compared = 0;
  for (const auto& entry : fs::directory_iterator(kCorpus / "vectors")) {
    if (entry.path().extension() != ".txt") continue;
    // "mma-sim-BUILTIN.txt"
    const std::string builtin = entry.path().stem().string().substr(std::string("mma-sim-").size());
    const std::string text = slurp(entry.path());
    const Ran ran = program("eval --builtin " + builtin, text);
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    const std::vector<std::string> results = lines_of(ran.out);
    std::size_t i = 0;
    for (const std::string& line : lines_of(text)) {
      if (line.empty() || line[0] == '#') continue;
      ASSERT_LT(i, results.size());
      ASSERT_EQ(results[i], line.substr(line.find("=> ") + 3)) << entry.path().filename() << ": " << line;
      ++i;
    }
    EXPECT_EQ(i, results.size());
    compared += i;
  }
  EXPECT_EQ(compared, 6000u);
}

TEST(Eval, NegatesByBlgpOnF64) {
  // 2 * 3 + 1 with each of A, B and C negated.
  const std::string line = "a:4000000000000000,0,0,0 b:4008000000000000,0,0,0 c:3ff0000000000000\n";
  const char* expected[] = {"401c000000000000", "c014000000000000", "c014000000000000", "401c000000000000",
                            "4014000000000000", "c01c000000000000", "c01c000000000000", "4014000000000000"};
  for (int blgp = 0; blgp < 8; ++blgp) {
    const Ran ran = program("eval --builtin mfma_f64_16x16x4f64 --blgp " + std::to_string(blgp), line);
    EXPECT_EQ(ran.out, std::string(expected[blgp]) + "\n") << blgp;
  }
}

}  // namespace
}  // namespace mfma::cli
