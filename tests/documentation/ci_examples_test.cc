// The jobs for GitHub and GitLab: they are YAML of the right shape, the program takes their commands, and nothing in
// them makes a failure pass.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <functional>
#include <sstream>

#include "tests/cli/program.h"

namespace {

using mfma::cli::testing::program;
using mfma::cli::testing::Ran;
using mfma::cli::testing::scratch;
using mfma::cli::testing::slurp;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kRoot = MFMA_SOURCE_DIR;

struct Workflow {
  const char* file;
  const char* uploads;   // key below which reports are kept
  std::size_t commands;  // of mfma-conform, at least
};
constexpr Workflow kWorkflows[] = {{"docs/ci/github-actions.yml", "upload-artifact", 2},
                                   {"docs/ci/gitlab-ci.yml", "artifacts", 3},
                                   {".github/workflows/mfma-conform.yml", "upload-artifact", 1}};

// Lines of shell under `run:` (GitHub) and `script:` (GitLab).
std::vector<std::string> shell_lines(const YAML::Node& node, bool within = false) {
  std::vector<std::string> lines;
  const auto add = [&lines](std::vector<std::string> more) { lines.insert(lines.end(), more.begin(), more.end()); };
  if (node.IsScalar() && within) {
    std::istringstream text(node.as<std::string>());
    for (std::string line; std::getline(text, line);) lines.push_back(line);
  } else if (node.IsSequence()) {
    for (const YAML::Node& item : node) add(shell_lines(item, within));
  } else if (node.IsMap()) {
    for (const auto& entry : node) {
      const auto key = entry.first.as<std::string>();
      add(shell_lines(entry.second, key == "run" || key == "script"));
    }
  }
  return lines;
}

class CiExamples : public ::testing::TestWithParam<Workflow> {};

TEST_P(CiExamples, TheProgramTakesEveryCommand) {
  const std::vector<std::string> lines = shell_lines(YAML::LoadFile(kRoot + "/" + GetParam().file));
  std::size_t commands = 0;
  for (const std::string& line : lines) {
    if (line.rfind("mfma-conform ", 0) != 0) continue;
    ++commands;
    const Ran ran = program("parse-only" + line.substr(std::string("mfma-conform").size()) + " # ");
    EXPECT_EQ(ran.exit_code, 0) << line << "\n" << ran.err;
  }
  EXPECT_GE(commands, GetParam().commands);
}

TEST_P(CiExamples, AFailureFailsTheJobAndLeavesItsReports) {
  const std::string text = slurp(kRoot + "/" + GetParam().file);
  for (const char* way_out : {"continue-on-error", "allow_failure", "|| true", "|| exit 0", "script_failure"}) {
    EXPECT_THAT(text, Not(HasSubstr(way_out)));
  }
  EXPECT_THAT(text, HasSubstr(GetParam().uploads));
  EXPECT_THAT(text, HasSubstr("always"));
}

TEST_P(CiExamples, HasTheShapeThatItsServerReads) {
  const YAML::Node root = YAML::LoadFile(kRoot + "/" + GetParam().file);
  if (std::string(GetParam().uploads) == "upload-artifact") {
    ASSERT_TRUE(root["on"].IsMap());
    ASSERT_TRUE(root["jobs"].IsMap());
    for (const auto& job : root["jobs"]) {
      EXPECT_TRUE(job.second["runs-on"].IsScalar());
      ASSERT_TRUE(job.second["steps"].IsSequence());
      for (const YAML::Node& step : job.second["steps"]) {
        EXPECT_NE(step["uses"].IsDefined(), step["run"].IsDefined()) << "a step either uses or runs";
      }
    }
    return;
  }
  const auto stages = root["stages"].as<std::vector<std::string>>();
  std::size_t jobs = 0;
  for (const auto& job : root) {
    const auto name = job.first.as<std::string>();
    if (name == "stages" || name[0] == '.') continue;
    ++jobs;
    const YAML::Node base = root[job.second["extends"].as<std::string>()];
    ASSERT_TRUE(base.IsMap()) << name;
    const YAML::Node stage = job.second["stage"].IsDefined() ? job.second["stage"] : base["stage"];
    EXPECT_TRUE(std::count(stages.begin(), stages.end(), stage.as<std::string>())) << name;
    EXPECT_TRUE(job.second["script"].IsSequence()) << name;
  }
  EXPECT_EQ(jobs, 3u);
}

INSTANTIATE_TEST_SUITE_P(Each, CiExamples, ::testing::ValuesIn(kWorkflows), [](const auto& workflow) {
  std::string name = workflow.param.file;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

TEST(CiExamplesReader, CommandsAreFoundWhereverShellStands) {
  const YAML::Node node =
      YAML::Load("jobs: {a: {steps: [{run: \"one\\ntwo\"}, {name: three}]}}\nb: {script: [four, five]}\n");
  EXPECT_THAT(shell_lines(node), ::testing::ElementsAre("one", "two", "four", "five"));
}

TEST(CiExamplesReader, AWrongCommandIsRefused) {
  EXPECT_EQ(program("parse-only run --no-such-option").exit_code, 64);
  EXPECT_EQ(program("parse-only run --tier slow").exit_code, 64);
  EXPECT_EQ(program("parse-only no-such-command").exit_code, 64);
  const Ran ran = program("parse-only run --builtin mfma_f64_4x4x4f64");
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.out, "") << "nothing was run";
}

}  // namespace
