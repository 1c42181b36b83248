#include "reports/model/waiver.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "harness/system/glob.h"
#include "reports/model/waiver_fields.h"

namespace mfma::reports {
namespace {

using Version = std::vector<unsigned long>;

// "22.1.8" to its numbers; nothing where it is anything else.
std::optional<Version> version_of(std::string_view text) {
  Version version;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t dot = std::min(text.find('.', at), text.size());
    const std::string_view digits = text.substr(at, dot - at);
    if (digits.empty() || digits.size() > 9 || digits.find_first_not_of("0123456789") != std::string_view::npos)
      return std::nullopt;
    version.push_back(std::stoul(std::string(digits)));
    at = dot + 1;
  }
  return version;
}

// The first thing in a line that looks like a version: digits with dots between, at the start of a word.
std::optional<Version> version_in(std::string_view line) {
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = line.find_first_of("0123456789", at);
    if (begin == std::string_view::npos) return std::nullopt;
    std::size_t end = std::min(line.find_first_not_of("0123456789.", begin), line.size());
    at = end;
    while (end > begin && line[end - 1] == '.') --end;
    const auto version = version_of(line.substr(begin, end - begin));
    if (version && version->size() > 1 && (begin == 0 || line[begin - 1] == ' ')) return version;
  }
  return std::nullopt;
}

// As many places as the bound has: 22.1.8 is not beyond 22.1.
Version cut(Version version, std::size_t places) {
  version.resize(places, 0);
  return version;
}

}  // namespace

bool is_version(std::string_view text) { return version_of(text).has_value(); }

const std::array<WaiverField, 15>& waiver_fields() {
  static const auto fields = std::apply(
      [](const auto&... row) {
        return std::array<WaiverField, 15>{WaiverField{row.about.key, row.member}...};
      },
      kWaiverTexts);
  static_assert(std::tuple_size_v<decltype(kWaiverTexts)> == 15);
  return fields;
}

bool is_about_compiler(const Waiver& waiver, const std::string& version_line) {
  if (!waiver.compiler.empty() && !system::glob_matches(waiver.compiler, version_line)) return false;
  if (waiver.compiler_from.empty() && waiver.compiler_to.empty()) return true;
  const auto version = version_in(version_line);
  if (!version) return false;
  const auto from = version_of(waiver.compiler_from), to = version_of(waiver.compiler_to);
  return (!from || cut(*version, from->size()) >= *from) && (!to || cut(*version, to->size()) <= *to);
}

bool is_expired(const Waiver& waiver, std::string_view today) {
  return !waiver.expires.empty() && waiver.expires < today;
}

std::string_view name_of(WaiverState s) {
  switch (s) {
    case WaiverState::kUsed:
      return "used";
    case WaiverState::kUnused:
      return "unused";
    case WaiverState::kExpired:
      return "expired";
    case WaiverState::kIdle:
      break;
  }
  return "idle";
}

std::string describe(const Waiver& waiver) {
  std::string about;
  for (const WaiverField& field : waiver_fields()) {
    const std::string& text = waiver.*(field.member);
    if (text.empty() || field.member == &Waiver::reason || field.member == &Waiver::link) continue;
    about += fmt::format("{}{} {}", about.empty() ? "" : ", ", field.name, text);
  }
  return fmt::format("waiver {} of {} ({})", waiver.number, waiver.file, about);
}

}  // namespace mfma::reports
