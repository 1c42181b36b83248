// A target without libFuzzer: every file named, or below a folder named, is one input.
//
// Exit code 0: nothing wrong with any input; 1: something is with at least one; 2: the target cannot run, or there is
// no input at all; 64: usage.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "fuzz/targets/arguments.h"

namespace {

namespace fs = std::filesystem;

enum Exit : int { kNothing = 0, kFound = 1, kCannotRun = 2, kUsage = 64 };

int say(Exit code, const std::string& message) {
  fmt::print(stderr, "{}\n", message);
  return code;
}

// Sorted, so that the order is the same everywhere.
std::vector<fs::path> files_below(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

int replay(const std::vector<fs::path>& files) {
  std::size_t found = 0;
  for (const fs::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (!in.is_open() || in.bad()) return say(kCannotRun, fmt::format("{}: cannot be read", file.string()));
    if (fuzz_one(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()) == 0) continue;
    fmt::print(stderr, "  in {}\n", file.string());
    ++found;
  }
  fmt::print("{} inputs, {} with something wrong\n", files.size(), found);
  return found == 0 ? kNothing : kFound;
}

int run(int argc, char** argv) {
  mfma::fuzz::Options options;
  std::vector<fs::path> files;
  for (int i = 1; i < argc; ++i) {
    if (mfma::fuzz::take_flag(argv[i], options)) continue;
    const fs::path path = argv[i];
    if (!fs::exists(path)) {
      return say(kUsage, fmt::format("{}: no such file, folder or flag; usage: {} [--builtin=GLOB] "
                                     "[--compiler=PROGRAM] FILE|FOLDER...",
                                     argv[i], argv[0]));
    }
    const auto more = files_below(path);
    files.insert(files.end(), more.begin(), more.end());
  }
  if (files.empty()) return say(kCannotRun, fmt::format("{}: no input to replay", argv[0]));
  if (const std::string error = mfma::fuzz::begin(options); !error.empty()) return say(kCannotRun, error);
  return replay(files);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const fs::filesystem_error& error) {
    return say(kCannotRun, error.what());
  }
}
