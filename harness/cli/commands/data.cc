#include "harness/cli/commands/data.h"

namespace mfma::cli {
namespace {

namespace fs = std::filesystem;

// From the folder that the program is in: installed; build/PRESET/harness/cli; build/harness/cli.
constexpr const char* kPlaces[] = {"../share/mfma-conform", "../../../../corpus", "../../../corpus"};

}  // namespace

std::optional<fs::path> data_folder(const std::string& name) {
  std::error_code ignored;
  const fs::path here = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const char* place : kPlaces) {
    const fs::path candidate = (here / place / name).lexically_normal();
    if (fs::is_directory(candidate, ignored)) return candidate;
  }
  return std::nullopt;
}

std::string data_file(const std::string& folder, const std::string& given) {
  std::error_code ignored;
  if (given.find('/') != std::string::npos || fs::exists(given, ignored)) return given;
  const auto data = data_folder(folder);
  if (!data) return given;
  const fs::path candidate = *data / (given + ".json");
  return fs::is_regular_file(candidate, ignored) ? candidate.string() : given;
}

}  // namespace mfma::cli
