#include "harness/checks/waivers.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>

namespace mfma::checks {
namespace {

using nlohmann::json;

constexpr std::size_t kLargestFile = std::size_t{4} << 20;

// A required text of an object; the error says which object.
tl::expected<std::string, std::string> text_at(const json& object, const char* key, const std::string& where) {
  const auto found = object.find(key);
  if (found == object.end()) return tl::make_unexpected(fmt::format("{}: no \"{}\"", where, key));
  if (!found->is_string() || found->get_ref<const std::string&>().empty()) {
    return tl::make_unexpected(fmt::format("{}: \"{}\" must be a text that is not empty", where, key));
  }
  return found->get<std::string>();
}

tl::expected<Waiver, std::string> waiver_of(const json& entry, const std::string& where) {
  if (!entry.is_object()) return tl::make_unexpected(where + ": not an object");
  constexpr std::array<std::pair<const char*, std::string Waiver::*>, 4> kFields{
      {{"finding", &Waiver::finding}, {"compiler", &Waiver::compiler}, {"reason", &Waiver::reason}, {"link", &Waiver::link}}};
  Waiver waiver;
  for (const auto& [key, member] : kFields) {
    auto text = text_at(entry, key, where);
    if (!text) return tl::make_unexpected(text.error());
    waiver.*member = *std::move(text);
  }
  if (entry.size() != kFields.size()) {
    return tl::make_unexpected(where + ": a key other than finding, compiler, reason and link");
  }
  return waiver;
}

}  // namespace

tl::expected<std::vector<Waiver>, std::string> parse_waivers(std::string_view text, std::string_view name) {
  json file;
  try {
    file = json::parse(text);
  } catch (const json::parse_error& error) {
    return tl::make_unexpected(fmt::format("{}: not JSON, at byte {}", name, error.byte));
  }
  if (!file.is_object()) return tl::make_unexpected(fmt::format("{}: not a JSON object", name));
  const auto schema = text_at(file, "schema", std::string(name));
  if (!schema) return tl::make_unexpected(schema.error());
  if (*schema != kWaiverSchema) {
    return tl::make_unexpected(fmt::format("{}: schema is not \"{}\"", name, kWaiverSchema));
  }
  const auto list = file.find("waivers");
  if (list == file.end() || !list->is_array()) return tl::make_unexpected(fmt::format("{}: no list \"waivers\"", name));
  std::vector<Waiver> waivers;
  for (std::size_t i = 0; i < list->size(); ++i) {
    auto waiver = waiver_of((*list)[i], fmt::format("{}: waiver {}", name, i + 1));
    if (!waiver) return tl::make_unexpected(waiver.error());
    waivers.push_back(*std::move(waiver));
  }
  return waivers;
}

tl::expected<std::vector<Waiver>, std::string> read_waivers(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) {
    return tl::make_unexpected(file.string() + ": not a file that can be read");
  }
  std::ifstream in(file, std::ios::binary);
  std::string text(kLargestFile + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad() || !in.is_open()) return tl::make_unexpected(file.string() + ": cannot be read");
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > kLargestFile) return tl::make_unexpected(file.string() + ": larger than 4 MiB: not a waiver file");
  return parse_waivers(text, file.string());
}

std::vector<Waiver> apply_waivers(const std::vector<Waiver>& waivers, const std::string& compiler_version,
                                  std::vector<Finding>& findings) {
  std::vector<Waiver> unused;
  for (const Waiver& waiver : waivers) {
    if (fnmatch(waiver.compiler.c_str(), compiler_version.c_str(), 0) != 0) continue;
    bool used = false;
    for (Finding& f : findings) {
      if (fnmatch(waiver.finding.c_str(), key_of(f).c_str(), 0) != 0) continue;
      used = true;
      if (f.waived.empty()) f.waived = fmt::format("{} ({})", waiver.reason, waiver.link);
    }
    if (!used) unused.push_back(waiver);
  }
  return unused;
}

}  // namespace mfma::checks
