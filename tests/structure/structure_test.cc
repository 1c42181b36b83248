// The rules that a compiler does not check: who may include whom, what oracles may not use, how long a file may be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path kRoot = MFMA_SOURCE_DIR;

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

bool is_source(const fs::path& file) { return file.extension() == ".h" || file.extension() == ".cc"; }

std::vector<fs::path> sources_below(const fs::path& folder) {
  std::vector<fs::path> found;
  if (!fs::exists(folder)) return found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && is_source(entry.path())) found.push_back(entry.path());
  }
  return found;
}

// The project's own files that a source includes, as written: "oracles/plain/dense.h".
std::vector<std::string> own_includes(const std::string& text) {
  static const std::regex kInclude(R"re((?:^|\n)[ \t]*#[ \t]*include[ \t]+"([^"]+)")re");
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), kInclude), end; at != end; ++at) found.push_back((*at)[1]);
  return found;
}

struct Floor {
  std::string folder;
  std::set<std::string> uses;
};

// cmake/floors.txt, from the ground up; `harness/*` is all folders below harness/ that stand above its line.
std::vector<Floor> floors_of(const std::string& text) {
  std::vector<Floor> floors;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t colon = line.find(':');
    Floor floor{line.substr(0, colon), {}};
    std::istringstream words(line.substr(colon + 1));
    for (std::string word; words >> word;) {
      const bool all = word.size() > 2 && word.substr(word.size() - 2) == "/*";
      if (!all) floor.uses.insert(word);
      for (const Floor& below : floors) {
        if (all && below.folder.rfind(word.substr(0, word.size() - 1), 0) == 0) floor.uses.insert(below.folder);
      }
    }
    floors.push_back(std::move(floor));
  }
  return floors;
}

std::vector<Floor> floors() { return floors_of(text_of(kRoot / "cmake/floors.txt")); }

// The folder of the table that a path from the top lies in: the longest that fits; empty where none does.
std::string folder_of(const std::vector<Floor>& floors, const std::string& path) {
  std::string found;
  for (const Floor& floor : floors) {
    if (path.rfind(floor.folder + "/", 0) == 0 && floor.folder.size() > found.size()) found = floor.folder;
  }
  return found;
}

std::string path_from_top(const fs::path& file) { return fs::relative(file, kRoot).generic_string(); }

TEST(Floors, EachNamesOnlyFoldersAboveItsLineThatExist) {
  std::set<std::string> above;
  for (const Floor& floor : floors()) {
    EXPECT_TRUE(fs::is_directory(kRoot / floor.folder)) << floor.folder;
    EXPECT_FALSE(sources_below(kRoot / floor.folder).empty()) << floor.folder;
    for (const std::string& use : floor.uses) EXPECT_TRUE(above.count(use)) << floor.folder << " names " << use;
    EXPECT_TRUE(above.insert(floor.folder).second) << floor.folder << " stands twice";
  }
  EXPECT_GT(above.size(), 20u);
}

TEST(Floors, EveryIncludeOfEverySourceIsOfAFolderThatItMayKnow) {
  const std::vector<Floor> table = floors();
  std::size_t seen = 0;
  for (const char* top : {"harness", "oracles", "reports", "fuzz", "benchmarks"}) {
    for (const fs::path& file : sources_below(kRoot / top)) {
      const std::string folder = folder_of(table, path_from_top(file));
      ASSERT_FALSE(folder.empty()) << file << " is in no folder of cmake/floors.txt";
      const auto floor = std::find_if(table.begin(), table.end(), [&](const Floor& f) { return f.folder == folder; });
      for (const std::string& include : own_includes(text_of(file))) {
        const std::string target = folder_of(table, include);
        EXPECT_FALSE(target.empty()) << file << " includes \"" << include << "\": not a path from the top";
        EXPECT_TRUE(target == folder || floor->uses.count(target)) << file << " includes " << include;
        ++seen;
      }
    }
  }
  EXPECT_GT(seen, 600u) << "the scan found hardly anything: is MFMA_SOURCE_DIR right?";
}

TEST(Floors, TheScanSeesAForbiddenInclude) {
  const std::vector<std::string> found =
      own_includes("#pragma once\n#  include \"oracles/plain/dense.h\"\n#include <vector>\n");
  ASSERT_THAT(found, testing::ElementsAre("oracles/plain/dense.h"));
  const std::vector<Floor> table = floors_of("# a comment\n\na/b:\na/c:\na: a/*\noracles/plain: a/b\n");
  ASSERT_EQ(table.size(), 4u);
  EXPECT_EQ(folder_of(table, found[0]), "oracles/plain");
  EXPECT_EQ(folder_of(table, "a/b/x.h"), "a/b");
  EXPECT_EQ(folder_of(table, "a/x.h"), "a");
  EXPECT_EQ(folder_of(table, "ab/x.h"), "");
  EXPECT_THAT(table[2].uses, testing::ElementsAre("a/b", "a/c"));
  EXPECT_THAT(table[3].uses, testing::ElementsAre("a/b"));
}

// Independence is what makes the verdict worth having: neither side reaches the other, by whatever way.
TEST(Floors, OraclesAndTheEmulatedDeviceNeverMeet) {
  const auto is_oracle = [](const std::string& f) { return f.rfind("oracles/", 0) == 0; };
  const auto is_device = [](const std::string& f) { return f.rfind("harness/gfx950/", 0) == 0; };
  std::size_t seen = 0;
  for (const Floor& floor : floors()) {
    for (const std::string& use : floor.uses) {
      if (is_oracle(floor.folder)) {
        EXPECT_TRUE(is_oracle(use)) << floor.folder << " names " << use;
      }
      if (is_device(floor.folder)) {
        EXPECT_TRUE(is_device(use)) << floor.folder << " names " << use;
      }
    }
    seen += is_oracle(floor.folder) || is_device(floor.folder);
  }
  EXPECT_GE(seen, 10u);
}

TEST(Floors, TheArchitecturePageShowsTheTable) {
  const std::string page = text_of(kRoot / "docs/architecture.md");
  EXPECT_NE(page.find("```\n" + text_of(kRoot / "cmake/floors.txt") + "```\n"), std::string::npos)
      << "docs/architecture.md must show cmake/floors.txt as it is";
}

// The text without comments and string literals.
std::string code_of(const std::string& text) {
  static const std::regex kNoise(R"re("(?:\\.|[^"\\])*"|//[^\n]*|/\*[\s\S]*?\*/)re");
  return std::regex_replace(text, kNoise, " ");
}

TEST(Structure, OraclesUseNoHostFloatingPoint) {
  static const std::regex kFloating(
      R"re(\b(float|double|std::fma|ldexp|frexp|float_t|double_t|_Float16|__float128)\b)re");
  ASSERT_TRUE(std::regex_search(code_of("int x; // float\n double y;"), kFloating));
  ASSERT_FALSE(std::regex_search(code_of("int x; // a float\n"), kFloating));
  for (const fs::path& file : sources_below(kRoot / "oracles")) {
    // The batched oracle may, outside its aligned sums (docs/architecture.md, rule 2).
    if (file.parent_path().filename() == "batched" && file.filename() != "aligned_impl.h") continue;
    EXPECT_FALSE(std::regex_search(code_of(text_of(file)), kFloating)) << file;
  }
}

TEST(Structure, NoFileHasGrownPastItsSize) {
  for (const char* top : {"harness", "oracles", "reports", "fuzz", "benchmarks"}) {
    for (const fs::path& file : sources_below(kRoot / top)) {
      const std::string text = text_of(file);
      EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 560) << file << ": split it";
    }
  }
}

}  // namespace
