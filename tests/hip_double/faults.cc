#include "tests/hip_double/faults.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace mfma::hip_double {
namespace {

// Cuts what follows the last `mark` off `text`.
std::optional<std::string> cut(std::string& text, char mark) {
  const std::size_t at = text.rfind(mark);
  if (at == std::string::npos) return std::nullopt;
  std::string tail = text.substr(at + 1);
  text.erase(at);
  return tail;
}

std::uint64_t number(const std::string& text, const std::string& word) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos) {
    throw std::invalid_argument("MFMA_HIP_DOUBLE_FAULTS: '" + word + "' is no fault");
  }
  return std::stoull(text);
}

}  // namespace

std::vector<Fault> parse_faults(const std::string& text) {
  std::vector<Fault> faults;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string word = text.substr(begin, comma - begin);
    begin = comma + 1;
    std::string rest = word;
    Fault fault;
    if (const auto device = cut(rest, '#')) fault.device = static_cast<int>(number(*device, word));
    if (const auto every = cut(rest, '/')) fault.every = number(*every, word);
    if (auto at = cut(rest, '@')) {
      fault.onward = !at->empty() && at->back() == '+';
      if (fault.onward) at->pop_back();
      fault.at = number(*at, word);
    }
    const std::size_t equals = rest.find('=');
    fault.kind = rest.substr(0, equals);
    if (equals != std::string::npos) fault.value = rest.substr(equals + 1);
    if (fault.kind.empty()) throw std::invalid_argument("MFMA_HIP_DOUBLE_FAULTS: '" + word + "' is no fault");
    faults.push_back(std::move(fault));
  }
  return faults;
}

Faults& Faults::instance() {
  static Faults faults;
  return faults;
}

Faults::Faults() {
  if (const char* text = std::getenv("MFMA_HIP_DOUBLE_FAULTS")) faults_ = parse_faults(text);
  if (const char* folder = std::getenv("MFMA_HIP_DOUBLE_STATE")) folder_ = folder;
}

// The counter's new value.
std::uint64_t Faults::count(const std::string& name) {
  if (folder_.empty()) {
    for (auto& [known, value] : counters_) {
      if (known == name) return ++value;
    }
    counters_.emplace_back(name, 1);
    return 1;
  }
  const int fd = open((folder_ + "/" + name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) throw std::runtime_error("MFMA_HIP_DOUBLE_STATE: cannot write in " + folder_);
  flock(fd, LOCK_EX);
  std::array<char, 32> text{};
  static_cast<void>(pread(fd, text.data(), text.size() - 1, 0));
  const std::uint64_t value = std::strtoull(text.data(), nullptr, 10) + 1;
  const std::string written = std::to_string(value);
  static_cast<void>(!pwrite(fd, written.data(), written.size(), 0));
  close(fd);
  return value;
}

std::optional<std::string> Faults::strikes(const std::string& kind, int device) {
  const std::lock_guard lock(mutex_);
  std::optional<std::string> struck;
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    const Fault& f = faults_[i];
    if (f.kind != kind || (f.device >= 0 && f.device != device)) continue;
    const std::uint64_t n = count(kind + "-" + std::to_string(i));
    const bool always = f.at == 0 && f.every == 0;
    const bool now = always || (f.at != 0 && (f.onward ? n >= f.at : n == f.at)) || (f.every != 0 && n % f.every == 0);
    if (now && !struck) struck = f.value;
  }
  return struck;
}

void Faults::set(const std::string& flag) {
  const std::lock_guard lock(mutex_);
  count("flag-" + flag);
}

bool Faults::is_set(const std::string& flag) {
  const std::lock_guard lock(mutex_);
  if (!folder_.empty()) return access((folder_ + "/flag-" + flag).c_str(), F_OK) == 0;
  for (const auto& [known, value] : counters_) {
    if (known == "flag-" + flag) return true;
  }
  return false;
}

}  // namespace mfma::hip_double
