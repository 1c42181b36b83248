#include "harness/system/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <random>
#include <system_error>

namespace mfma::system {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAsideMark = ".aside-";

tl::unexpected<std::string> failed(std::string_view what, const fs::path& path, int error) {
  return tl::make_unexpected(
      fmt::format("cannot {} {}: {}", what, path.string(), std::generic_category().message(error)));
}

// A name no other process or thread uses, even where two machines share the directory.
fs::path aside_name(const fs::path& path) {
  static const std::uint32_t instance = std::random_device{}();
  static std::atomic<unsigned> counter{0};
  fs::path aside = path;
  aside += fmt::format("{}{}-{:08x}-{}", kAsideMark, getpid(), instance, counter.fetch_add(1));
  return aside;
}

// 0 or an errno.
int write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t n = write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

}  // namespace

std::optional<std::string> read_whole_file(const fs::path& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return std::nullopt;
  struct stat s {};
  std::optional<std::string> content;
  // Regular files only: a pipe or device under a name of ours could make us wait for ever.
  if (fstat(fd, &s) == 0 && S_ISREG(s.st_mode)) {
    content.emplace(static_cast<std::size_t>(s.st_size), '\0');
    std::size_t done = 0;
    while (done < content->size()) {
      const ssize_t n = read(fd, content->data() + done, content->size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      done += static_cast<std::size_t>(n);
    }
    if (done != content->size()) content.reset();
  }
  close(fd);
  return content;
}

tl::expected<std::string, std::string> read_bounded_file(const fs::path& path, std::size_t largest) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (!error && size > largest)
    return tl::make_unexpected(fmt::format("larger than {} MiB", largest / (std::size_t{1} << 20)));
  auto content = read_whole_file(path);
  if (!content) return tl::make_unexpected(std::string("cannot be read"));
  return *std::move(content);
}

tl::expected<void, std::string> write_whole_file(const fs::path& path, std::string_view content) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) return failed("make the directory", path.parent_path(), error.value());
  const fs::path aside = aside_name(path);
  const int fd = open(aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0) return failed("write", aside, errno);
  int failure = write_all(fd, content);
  if (close(fd) != 0 && failure == 0) failure = errno;
  if (failure == 0 && rename(aside.c_str(), path.c_str()) != 0) failure = errno;
  if (failure == 0) return {};
  unlink(aside.c_str());
  return failed("write", path, failure);
}

void remove_leftovers(const fs::path& directory) {
  std::error_code error;
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    if (at->path().filename().native().find(kAsideMark) == std::string::npos) continue;
    std::error_code ignored;
    if (at->last_write_time(ignored) < old && !ignored) fs::remove(at->path(), ignored);
  }
}

}  // namespace mfma::system
