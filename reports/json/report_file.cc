#include "reports/json/report_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

namespace mfma::reports {
namespace {

tl::unexpected<std::string> cannot_write(const std::filesystem::path& file, const std::string& why) {
  return tl::unexpected(fmt::format("cannot write the report to {}: {}", file.string(), why));
}

// What stands in the way of writing `text` to `file`; empty when it is written.
std::string write_text(const std::string& text, const std::filesystem::path& file) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  if (!out) return std::strerror(errno);
  out << text;
  out.close();
  return out ? "" : "writing failed (disk full?)";
}

}  // namespace

tl::expected<void, std::string> write_report_text(const std::string& text, const std::filesystem::path& file) {
  std::error_code error;
  // A rename would put a file in the place of a device, a pipe or a link; those are written as they are.
  const std::filesystem::file_status status = std::filesystem::symlink_status(file, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    const std::string why = write_text(text, file);
    if (!why.empty()) return cannot_write(file, why);
    return {};
  }
  // Of this process alone, so that two runs with one report file do not mix.
  const std::filesystem::path aside = file.string() + fmt::format(".{}.part", ::getpid());
  std::string why = write_text(text, aside);
  if (why.empty()) {
    std::filesystem::rename(aside, file, error);
    if (error) why = error.message();
  }
  if (why.empty()) return {};
  std::filesystem::remove(aside, error);
  return cannot_write(file, why);
}

}  // namespace mfma::reports
