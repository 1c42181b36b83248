// What is made from the option definitions: it is up to date, it is whole, and its readers take it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <vector>

#include "tests/cli/program.h"

namespace mfma::cli::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

const std::string kDocs = std::string(MFMA_SOURCE_DIR) + "/docs/";

std::string made(const std::string& format) {
  const Ran ran = program("documentation --format " + format);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  return ran.out;
}

// What a shell command prints, with its exit code.
Ran shell(const std::string& script, const std::string& interpreter) {
  const std::filesystem::path file = scratch() / "script";
  std::ofstream(file, std::ios::binary) << script;
  const std::filesystem::path out = scratch() / "script-out";
  const int status = std::system((interpreter + " " + file.string() + " >" + out.string() + " 2>&1").c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128, slurp(out), ""};
}

bool installed(const std::string& name) {
  return std::system(("command -v " + name + " >/dev/null 2>&1").c_str()) == 0;
}

std::set<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::set<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) found.insert((*at)[1]);
  return found;
}

std::vector<std::string> commands() {
  const std::string help = program("--help").out;
  const std::set<std::string> found = matches(help.substr(help.find("Subcommands:")), std::regex("\n  ([a-z-]+) "));
  return {found.begin(), found.end()};
}

TEST(ProgramDoc, TheCommittedPagesAreUpToDate) {
  constexpr const char* kHow = "run scripts/make-documentation and commit what it writes";
  EXPECT_EQ(made("markdown"), slurp(kDocs + "cli.md")) << kHow;
  EXPECT_EQ(made("man"), slurp(kDocs + "mfma-conform.1")) << kHow;
}

TEST(ProgramDoc, EveryCommandAndOptionOfTheHelpIsThere) {
  const std::string page = made("markdown");
  ASSERT_THAT(commands(), IsSupersetOf({"run", "list", "eval", "replay"}));
  for (const std::string& command : commands()) {
    const std::size_t begin = page.find("\n## " + command + "\n");
    ASSERT_NE(begin, std::string::npos) << command;
    const std::string section = page.substr(begin, page.find("\n## ", begin + 1) - begin);
    const auto options = matches(program(command + " --help").out, std::regex("\n  (?:-[a-z],)?(--[a-z-]+)"));
    EXPECT_TRUE(options.count("--help")) << command;
    for (const std::string& option : options) EXPECT_THAT(section, HasSubstr(option)) << command;
  }
  EXPECT_THAT(page, Not(HasSubstr("## documentation")));
}

TEST(ProgramDoc, DefaultsValuesAndRangesAreThere) {
  const std::string page = made("markdown");
  for (const char* line :
       {"- `--tier quick|standard|comprehensive|full`: ", " Default: `quick`.\n", "Default: `O0,O2`.",
        "Range: 0.1 - 86400.", "Not together with", "Required.", "May be given several times.", "| 64 | usage"}) {
    EXPECT_THAT(page, HasSubstr(line));
  }
}

TEST(ProgramDoc, GroffTakesTheManualPage) {
  ASSERT_TRUE(installed("groff")) << "install groff-base";
  const Ran ran = shell(made("man"), "groff -man -ww -z");
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.out, "") << "warnings of groff";
  const Ran text = shell(made("man"), "groff -man -Tascii -P-bcou");
  EXPECT_THAT(text.out,
              AllOf(HasSubstr("EXIT STATUS"), HasSubstr("--cbsz-reading"), HasSubstr("mfma-conform check-compiler")));
}

// What bash offers after `words`, the last of which is being typed.
std::string completed(const std::string& words) {
  const Ran ran =
      shell(made("bash") + "\nCOMP_WORDS=(mfma-conform " + words +
                ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_mfma_conform\nprintf '%s ' \"${COMPREPLY[@]}\"\n",
            "bash");
  EXPECT_EQ(ran.exit_code, 0) << ran.out;
  return " " + ran.out;
}

TEST(ProgramDoc, BashCompletes) {
  EXPECT_THAT(completed("''"),
              AllOf(HasSubstr(" run "), HasSubstr(" check-compiler "), Not(HasSubstr("documentation"))));
  EXPECT_EQ(completed("re"),
            " replay " + std::string(completed("re").find("report") != std::string::npos ? "report " : ""));
  EXPECT_EQ(completed("run --ti"), " --tier ");
  EXPECT_EQ(completed("run --tier ''"), " quick standard comprehensive full ");
  EXPECT_EQ(completed("run --tier = c"), " comprehensive ");
  EXPECT_EQ(completed("run --builtin mfma_f64_4"), " mfma_f64_4x4x4f64 ");
  EXPECT_EQ(completed("describe mfma_f64_4"), " mfma_f64_4x4x4f64 ");
  EXPECT_THAT(completed("replay " + kDocs + "cli"), HasSubstr("docs/cli.md "));
  EXPECT_EQ(completed("nonsense --"), "  ");
}

TEST(ProgramDoc, EveryShellReadsItsCompletions) {
  EXPECT_EQ(shell(made("bash"), "bash -n").out, "");
  // Those two are no packages that the tests ask for; where they are there they must agree.
  for (const std::string shell_name : {"zsh", "fish"}) {
    const std::string text = made(shell_name);
    for (const std::string& command : commands()) EXPECT_THAT(text, HasSubstr(command)) << shell_name;
    const bool can_read = installed(shell_name);
    EXPECT_EQ(can_read ? shell(text, shell_name + " -n").out : "", "");
  }
}

TEST(ProgramDoc, AnUnknownFormatIsRefused) {
  const Ran ran = program("documentation --format html");
  EXPECT_EQ(ran.exit_code, 64);
  EXPECT_THAT(ran.err, HasSubstr("'html' is not one of markdown|man|bash|zsh|fish"));
}

}  // namespace
}  // namespace mfma::cli::testing
