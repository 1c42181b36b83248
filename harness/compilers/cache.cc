#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <system_error>
#include <vector>

#include "harness/compilers/compiler.h"
#include "harness/system/digest.h"
#include "harness/system/whole_file.h"

// An entry is one file: the header below, then the object. Its name is the key. The checksum covers key and object,
// so that an entry under a wrong name is a miss as well.
namespace mfma::compilers {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "MFMACO1\n";
constexpr std::size_t kLengthBytes = 8, kChecksumBytes = 32;
constexpr std::size_t kHeaderBytes = kMagic.size() + kLengthBytes + kChecksumBytes;

std::string checksum(std::string_view key, const void* object, std::size_t size) {
  return system::Digest().field(key).bytes(object, size).hex();
}

// Little-endian, so that a cache on a shared disk reads the same everywhere.
std::string length_field(std::uint64_t length) {
  std::string text;
  for (std::size_t i = 0; i < kLengthBytes; ++i) text.push_back(static_cast<char>(length >> (8 * i) & 0xff));
  return text;
}

std::string header_for(std::string_view key, const void* object, std::size_t size) {
  return std::string(kMagic) + length_field(size) + checksum(key, object, size);
}

}  // namespace

struct Cache::State {
  std::uintmax_t limit = 0;
  mutable std::mutex mutex;
  std::string note;
  std::uintmax_t written = 0;  // since the last look at the whole directory

  void remember(std::string why) {
    const std::lock_guard lock(mutex);
    if (note.empty()) note = std::move(why);
  }

  // True once for every sixteenth of the limit that was written: time to look at the whole directory.
  bool due_for_trim(std::size_t bytes) {
    const std::lock_guard lock(mutex);
    written += bytes;
    if (written < limit / 16) return false;
    written = 0;
    return true;
  }
};

namespace {

void trim(const fs::path& directory, std::uintmax_t limit) {
  struct Entry {
    fs::file_time_type used;
    std::uintmax_t size;
    fs::path path;
  };
  std::vector<Entry> entries;
  std::uintmax_t total = 0;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    const Entry entry{at->last_write_time(gone), at->file_size(gone), at->path()};
    if (gone) continue;
    total += entry.size;
    entries.push_back(entry);
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (total <= limit) break;
    std::error_code ignored;
    fs::remove(entry.path, ignored);
    total -= entry.size;
  }
}

}  // namespace

Cache::Cache(fs::path directory, std::uintmax_t limit)
    : directory_(std::move(directory)), state_(std::make_shared<State>()) {
  state_->limit = limit;
  if (directory_.empty()) {
    state_->note = "no cache of compiled kernels: neither XDG_CACHE_HOME nor HOME names an absolute directory";
    return;
  }
  system::remove_leftovers(directory_ / "objects");
}

fs::path Cache::default_directory() {
  // The XDG rule: a relative path counts as not set.
  constexpr std::array<std::array<const char*, 2>, 2> kPlaces{{{"XDG_CACHE_HOME", ""}, {"HOME", ".cache"}}};
  for (const auto& [variable, below] : kPlaces) {
    const char* const value = std::getenv(variable);
    if (value != nullptr && fs::path(value).is_absolute()) return fs::path(value) / below / "mfma-conform";
  }
  return {};
}

std::shared_ptr<const std::vector<std::byte>> Cache::find(const std::string& key) const {
  if (directory_.empty()) return nullptr;
  const fs::path path = directory_ / "objects" / key;
  const auto content = system::read_whole_file(path);
  if (!content || content->size() < kHeaderBytes) return nullptr;
  const char* const object = content->data() + kHeaderBytes;
  const std::size_t size = content->size() - kHeaderBytes;
  if (!content->starts_with(header_for(key, object, size))) return nullptr;
  auto bytes = std::make_shared<std::vector<std::byte>>(size);
  if (size != 0) std::memcpy(bytes->data(), object, size);
  std::error_code ignored;
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);  // for trim: this one is in use
  return bytes;
}

void Cache::store(const std::string& key, const std::vector<std::byte>& object) const {
  if (directory_.empty()) return;
  std::string content = header_for(key, object.data(), object.size());
  content.append(reinterpret_cast<const char*>(object.data()), object.size());
  const fs::path directory = directory_ / "objects";
  if (const auto written = system::write_whole_file(directory / key, content); !written) {
    state_->remember("compiled kernels are not cached: " + written.error());
    return;
  }
  if (state_->due_for_trim(content.size())) trim(directory, state_->limit);
}

std::string Cache::note() const {
  const std::lock_guard lock(state_->mutex);
  return state_->note;
}

}  // namespace mfma::compilers
