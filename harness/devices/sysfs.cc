#include "harness/devices/sysfs.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <system_error>

namespace mfma::devices::sysfs {
namespace {

namespace fs = std::filesystem;

// A file of sysfs has a page at most.
constexpr std::size_t kPage = 4096;

// The name becomes a part of a path.
std::optional<std::string> checked(const std::string& pci) {
  std::string address = pci;
  for (char& c : address) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const bool plain = !address.empty() && address.find_first_not_of("0123456789abcdef:.") == std::string::npos &&
                     address.find("..") == std::string::npos;
  return plain ? std::optional(address) : std::nullopt;
}

std::optional<std::string> text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  std::string text(kPage, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
  if (text.empty()) return std::nullopt;
  return text;
}

// Names of the files in a folder, in order.
std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    names.push_back(at->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// "umc_err_count" to "umc".
std::optional<std::string> without(const std::string& name, std::string_view ending) {
  if (name.size() <= ending.size() || !name.ends_with(ending)) return std::nullopt;
  return name.substr(0, name.size() - ending.size());
}

// "ue: 0\nce: 12", a kind and its count to a line.
void add_counts(const std::string& block, const std::string& text, ErrorCounts& counts) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || colon == 0) continue;
    const std::size_t digits = line.find_first_not_of(" \t", colon + 1);
    if (digits == std::string::npos) continue;
    std::uint64_t count = 0;
    const auto [rest, error] = std::from_chars(line.data() + digits, line.data() + line.size(), count);
    if (error != std::errc() || rest != line.data() + line.size()) continue;
    counts.emplace_back(block + "." + line.substr(0, colon), count);
  }
}

}  // namespace

fs::path root() {
  const char* given = std::getenv("MFMA_CONFORM_SYSFS");
  return given && *given ? given : "/sys";
}

std::vector<std::pair<std::string, std::string>> facts(const fs::path& root, const std::string& pci) {
  std::vector<std::pair<std::string, std::string>> facts;
  const auto add = [&](const std::string& name, const fs::path& file) {
    const auto text = text_of(file);
    if (text && text->find('\n') == std::string::npos) facts.emplace_back(name, *text);
  };
  const std::optional<std::string> address = checked(pci);
  if (!address) return facts;
  const fs::path device = root / "bus" / "pci" / "devices" / *address;
  std::error_code error;
  if (!fs::is_directory(device, error)) return facts;
  add("driver", root / "module" / "amdgpu" / "version");
  add("unique_id", device / "unique_id");
  add("vbios", device / "vbios_version");
  add("compute_partition", device / "current_compute_partition");
  add("memory_partition", device / "current_memory_partition");
  for (const std::string& name : names_in(device / "fw_version")) {
    if (const auto block = without(name, "_fw_version")) add("firmware." + *block, device / "fw_version" / name);
  }
  return facts;
}

ErrorCounts error_counts(const fs::path& root, const std::string& pci) {
  ErrorCounts counts;
  const std::optional<std::string> address = checked(pci);
  if (!address) return counts;
  const fs::path folder = root / "bus" / "pci" / "devices" / *address / "ras";
  for (const std::string& name : names_in(folder)) {
    const auto block = without(name, "_err_count");
    if (!block) continue;
    if (const auto text = text_of(folder / name)) add_counts(*block, *text, counts);
  }
  return counts;
}

}  // namespace mfma::devices::sysfs
