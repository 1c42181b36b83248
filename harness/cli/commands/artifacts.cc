#include "harness/cli/commands/artifacts.h"

#include <fmt/format.h>
#include <unistd.h>

#include "harness/system/whole_file.h"

namespace mfma::cli {

std::string Artifacts::check() const {
  const std::filesystem::path probe = folder_ / fmt::format(".probe-{}", getpid());
  const auto written = system::write_whole_file(probe, "");
  std::error_code ignored;
  std::filesystem::remove(probe, ignored);
  return written ? "" : fmt::format("--artifacts: {}; name a folder that can be written", written.error());
}

std::string Artifacts::keep(const std::string& name, const cases::CaseFile& file) {
  const std::filesystem::path path = folder_ / (name + ".case");
  const auto written = cases::save_case_file(file, path);
  if (written) return path.string();
  const std::lock_guard lock(mutex_);
  if (error_.empty()) error_ = fmt::format("--artifacts: {}; cases of this run are missing there", written.error());
  return {};
}

std::string Artifacts::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

}  // namespace mfma::cli
