// The house rules that a compiler does not check: who may include whom, what oracles may not use, how long a file may be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
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

// The project's own files that a source includes, as written: "oracles/dense.h".
std::vector<std::string> own_includes(const std::string& text) {
  static const std::regex kInclude(R"re((?:^|\n)[ \t]*#[ \t]*include[ \t]+"([^"]+)")re");
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), kInclude), end; at != end; ++at) found.push_back((*at)[1]);
  return found;
}

// What each folder may include besides itself (docs/architecture.md, "Floors").
const std::map<std::string, std::set<std::string>> kMayInclude = {
    {"oracles", {}},
    {"harness/gfx950", {}},
    {"harness/catalogue", {}},
    {"harness/compilers", {}},
    {"harness/cases", {"harness/catalogue", "oracles", "harness/gfx950", "harness/compilers"}},
    {"fuzz/operands", {"harness/catalogue", "harness/cases"}},
    {"fuzz/properties", {"harness/catalogue", "harness/cases", "fuzz/operands", "oracles"}},
    {"fuzz/search", {"harness/catalogue", "harness/cases"}},
    {"harness/kernels", {"harness/catalogue", "harness/compilers", "harness/cases"}},
    {"reports", {"harness/catalogue", "harness/cases", "harness/compilers", "oracles"}},
    {"harness/devices", {"harness/catalogue", "harness/cases", "harness/compilers", "harness/gfx950", "oracles"}},
    {"harness/conformance",
     {"harness/catalogue", "harness/cases", "harness/compilers", "harness/gfx950", "harness/kernels", "harness/devices",
      "fuzz/operands", "fuzz/properties", "fuzz/search", "oracles", "reports"}},
    {"harness/checks",
     {"harness/catalogue", "harness/compilers", "harness/gfx950", "harness/kernels", "harness/devices",
      "harness/conformance", "fuzz/operands", "oracles", "reports"}},
    {"harness/bundles",
     {"harness/catalogue", "harness/cases", "harness/compilers", "harness/gfx950", "harness/kernels", "harness/devices",
      "harness/conformance", "oracles", "reports"}},
    {"harness/cli",
     {"harness/bundles", "harness/checks", "harness/catalogue", "harness/cases", "harness/compilers", "harness/gfx950", "harness/kernels", "harness/devices",
      "harness/conformance", "fuzz/operands", "fuzz/properties", "fuzz/search", "oracles", "reports"}},
};

std::string folder_of(const std::string& include) {
  for (const auto& [folder, allowed] : kMayInclude) {
    if (include.rfind(folder + "/", 0) == 0) return folder;
  }
  return {};
}

TEST(Structure, EachFolderIncludesOnlyTheFloorsBelowIt) {
  std::size_t seen = 0;
  for (const auto& [folder, allowed] : kMayInclude) {
    for (const fs::path& file : sources_below(kRoot / folder)) {
      for (const std::string& include : own_includes(text_of(file))) {
        const std::string target = folder_of(include);
        EXPECT_FALSE(target.empty()) << file << " includes \"" << include << "\": not a path from the top";
        EXPECT_TRUE(target == folder || allowed.count(target)) << file << " includes " << include;
        ++seen;
      }
    }
  }
  EXPECT_GT(seen, 50u) << "the scan found hardly anything: is MFMA_SOURCE_DIR right?";
}

TEST(Structure, TheScanSeesAForbiddenInclude) {
  const std::vector<std::string> found = own_includes("#pragma once\n#  include \"oracles/dense.h\"\n#include <vector>\n");
  ASSERT_THAT(found, testing::ElementsAre("oracles/dense.h"));
  EXPECT_EQ(folder_of(found[0]), "oracles");
  EXPECT_EQ(kMayInclude.at("harness/gfx950").count("oracles"), 0u);
}

// The text without comments and string literals.
std::string code_of(const std::string& text) {
  static const std::regex kNoise(R"re("(?:\\.|[^"\\])*"|//[^\n]*|/\*[\s\S]*?\*/)re");
  return std::regex_replace(text, kNoise, " ");
}

TEST(Structure, OraclesUseNoHostFloatingPoint) {
  static const std::regex kFloating(R"re(\b(float|double|std::fma|ldexp|frexp|float_t|double_t|_Float16|__float128)\b)re");
  ASSERT_TRUE(std::regex_search(code_of("int x; // float\n double y;"), kFloating));
  ASSERT_FALSE(std::regex_search(code_of("int x; // a float\n"), kFloating));
  for (const fs::path& file : sources_below(kRoot / "oracles")) {
    EXPECT_FALSE(std::regex_search(code_of(text_of(file)), kFloating)) << file;
  }
}

TEST(Structure, NoFileHasGrownPastItsSize) {
  for (const char* top : {"harness", "oracles", "reports", "fuzz"}) {
    for (const fs::path& file : sources_below(kRoot / top)) {
      const std::string text = text_of(file);
      EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 560) << file << ": split it";
    }
  }
}

}  // namespace
