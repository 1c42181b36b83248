// Runs the commands of README.md and docs/ as they are written there.
//
// Each page has a folder of its own, in which its commands run one after another: what one writes the next may read.
// There stand corpus/, docs/ and scripts/ of the source tree, as a reader has them, and `mfma-conform` is found in
// PATH. Commands that ask for GPUs, --device hip or all, find the double of tests/hip_double as the HIP runtime of the
// machine; the others find none. Nothing is replaced in a command.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "tests/cli/program.h"
#include "tests/documentation/doc_commands.h"

namespace mfma::documentation {
namespace {

namespace fs = std::filesystem;
using cli::testing::scratch;
using cli::testing::slurp;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const fs::path kRoot = MFMA_SOURCE_DIR;

// README.md, CONTRIBUTING.md and docs/, but docs/cli.md, which is made from the options themselves.
std::vector<std::string> pages() {
  std::vector<std::string> names = {"README.md", "CONTRIBUTING.md"};
  for (const auto& entry : fs::directory_iterator(kRoot / "docs")) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() == ".md" && name != "cli.md") names.push_back("docs/" + name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string file_name(std::string page) {
  std::replace_if(
      page.begin(), page.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return page;
}

bool asks_for_gpus(const std::string& command) {
  return command.find("--device hip") != std::string::npos || command.find("--device all") != std::string::npos;
}

int run_in(const fs::path& folder, const std::string& command, const fs::path& output) {
  const fs::path script = output.string() + ".sh";
  std::ofstream(script) << "cd '" << folder.string() << "' || exit 125\n"
                        << "export PATH='" << fs::path(MFMA_PROGRAM).parent_path().string() << "':\"$PATH\"\n"
                        << (asks_for_gpus(command) ? "export LD_LIBRARY_PATH='" MFMA_HIP_DOUBLES "/whole'\n" : "")
                        << command << "\n";
  const int status = std::system(("bash '" + script.string() + "' >'" + output.string() + "' 2>&1 </dev/null").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

class DocCommands : public ::testing::TestWithParam<std::string> {};

TEST_P(DocCommands, RunAsWritten) {
  const Page page = read_page(slurp(kRoot / GetParam()));
  EXPECT_THAT(page.problems, IsEmpty()) << GetParam() << " (tests/documentation/doc_commands.h has the rules)";
  const fs::path folder = scratch() / file_name(GetParam());
  fs::create_directories(folder);
  for (const char* name : {"corpus", "docs", "scripts"}) fs::create_directory_symlink(kRoot / name, folder / name);
  for (const Command& command : page.commands) {
    if (!command.not_run.empty()) continue;
    const fs::path output = folder.string() + "." + std::to_string(command.line);
    const int exit_code = run_in(folder, command.text, output);
    const std::string said = slurp(output);
    EXPECT_EQ(exit_code, command.exit_code) << GetParam() << ":" << command.line << ": " << command.text << "\n"
                                            << said.substr(said.size() > 2000 ? said.size() - 2000 : 0);
  }
}

// Of what is not run, and of what stands within sentences, it is seen that the program would take it.
TEST_P(DocCommands, WouldBeTaken) {
  const Page page = read_page(slurp(kRoot / GetParam()));
  for (const std::vector<Command>* commands : {&page.commands, &page.spans}) {
    for (const Command& command : *commands) {
      if (command.text.rfind("mfma-conform ", 0) != 0 || command.exit_code == 64) continue;
      const fs::path output = scratch() / "parse";
      // A command by its name alone is talked of, not shown.
      const bool named = std::count(command.text.begin(), command.text.end(), ' ') == 1;
      const std::string parse_only =
          "mfma-conform() { command mfma-conform parse-only \"$@\"; }\n" + command.text + (named ? " --help" : "");
      EXPECT_EQ(run_in(scratch(), parse_only, output), 0)
          << GetParam() << ":" << command.line << ": " << command.text << "\n"
          << slurp(output);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Each, DocCommands, ::testing::ValuesIn(pages()),
                         [](const auto& page) { return file_name(page.param); });

TEST(DocCommandsList, WhatIsNotRunIsOnTheList) {
  std::multiset<std::string> marked;
  std::size_t run = 0;
  for (const std::string& name : pages()) {
    for (const Command& command : read_page(slurp(kRoot / name)).commands) {
      const std::string first = command.text.substr(0, command.text.find_first_of("\\#"));
      if (command.not_run.empty()) {
        ++run;
      } else {
        marked.insert(name + ": " + first.substr(0, first.find_last_not_of(' ') + 1) + ": " + command.not_run);
      }
    }
  }
  std::multiset<std::string> listed;
  std::istringstream lines(slurp(kRoot / "tests/documentation/not_run.txt"));
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line[0] != '#') listed.insert(line);
  }
  EXPECT_EQ(marked, listed) << "tests/documentation/not_run.txt has every command that the tests do not run";
  EXPECT_GT(run, 20u) << "hardly a command was found";
}

TEST(DocCommandsList, ThePagesAreRead) {
  const Page page = read_page(
      "Text with `mfma-conform list --shapes` and `other` in it.\n```console\n$ one \\\n  --two   # exit code "
      "3\nprinted\n"
      "$ three\n$ four   # not run by the tests: needs a GPU\n```\n");
  EXPECT_THAT(page.problems, IsEmpty());
  ASSERT_EQ(page.commands.size(), 3u);
  EXPECT_EQ(page.commands[0].text, "one \\\n  --two   # exit code 3");
  EXPECT_EQ(page.commands[0].line, 3);
  EXPECT_EQ(page.commands[0].exit_code, 3);
  EXPECT_EQ(page.commands[1].exit_code, 0);
  EXPECT_EQ(page.commands[2].not_run, "needs a GPU");
  ASSERT_EQ(page.spans.size(), 1u);
  EXPECT_EQ(page.spans[0].text, "mfma-conform list --shapes");
}

TEST(DocCommandsList, WhatNobodyWouldRunIsAProblem) {
  EXPECT_THAT(read_page("    mfma-conform list\n").problems, ElementsAre(HasSubstr("1: a command outside")));
  EXPECT_THAT(read_page("```\nmfma-conform list\n```\n").problems, ElementsAre(HasSubstr("2: a command outside")));
  EXPECT_THAT(read_page("```console\nmfma-conform list\n```\n").problems, ElementsAre(HasSubstr("without '$ '")));
  EXPECT_THAT(read_page("```console\n$ x # exit code y\n```\n").problems, ElementsAre(HasSubstr("no exit code")));
  EXPECT_THAT(read_page("```console\n$ x # not run: y\n```\n").problems, ElementsAre(HasSubstr("nearly one of ours")));
  EXPECT_THAT(read_page("```console\n$ x \\\n```\n").problems, ElementsAre(HasSubstr("goes on past")));
  EXPECT_THAT(read_page("```console\n$ x\n").problems, ElementsAre(HasSubstr("not closed")));
}

}  // namespace
}  // namespace mfma::documentation
