#include "reports/json/waiver_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "harness/system/json_text.h"
#include "harness/system/whole_file.h"
#include "reports/model/report.h"

namespace mfma::reports {
namespace {

using nlohmann::json;

constexpr std::size_t kLargestFile = std::size_t{4} << 20;

bool has_finding_of_run(const Waiver& w) {
  return !w.builtin.empty() || !w.instance.empty() || !w.shape.empty() || !w.code.empty() || !w.property.empty();
}

bool is_date(const std::string& text) {
  int year = 0;
  unsigned month = 0, day = 0;
  char rest = 0;
  if (text.size() != 10 || text.find_first_not_of("0123456789-") != std::string::npos || text[4] != '-' ||
      text[7] != '-')
    return false;
  if (std::sscanf(text.c_str(), "%4d-%2u-%2u%c", &year, &month, &day, &rest) != 3) return false;
  return std::chrono::year_month_day(std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)).ok();
}

// What is wrong with a value whose form is known; empty: nothing.
std::string wrong_value(const Waiver& w) {
  for (const auto& [name, text] :
       {std::pair("compiler_from", w.compiler_from), std::pair("compiler_to", w.compiler_to)}) {
    if (!text.empty() && !is_version(text)) return fmt::format("\"{}\": '{}' is no version such as 22.1.8", name, text);
  }
  if (!w.expires.empty() && !is_date(w.expires))
    return fmt::format("\"expires\": '{}' is no date such as 2027-03-31", w.expires);
  if (w.code.empty()) return {};
  const auto kind = kind_named(w.code);
  if (!kind || is_of_waiver(*kind) || verdict_of(*kind) == Verdict::kPass) {
    return fmt::format("\"code\": '{}' is no code of a failure; docs/codes.md has them all", w.code);
  }
  return {};
}

std::string wrong_combination(const Waiver& w) {
  if (w.finding.empty()) {
    return has_finding_of_run(w) ? ""
                                 : "it says nothing of what it waives: want some of builtin, instance, shape, code and "
                                   "property, or \"finding\" of check-compiler";
  }
  if (w.compiler.empty()) return "no \"compiler\"";
  if (has_finding_of_run(w) || !w.level.empty() || !w.arch.empty() || !w.device.empty() || w.may_pass) {
    return "with \"finding\", which is of check-compiler, go compiler, compiler_from, compiler_to, expires, reason and "
           "link alone";
  }
  return {};
}

std::string known_keys() {
  std::string keys;
  for (const WaiverField& field : waiver_fields()) keys += fmt::format("{}, ", field.name);
  return keys + "may_pass";
}

// What is wrong with the entry; empty: nothing.
std::string read_entry(const json& entry, Waiver& waiver) {
  if (!entry.is_object()) return "not an object";
  for (const auto& [key, value] : entry.items()) {
    if (key == "may_pass") {
      if (!value.is_boolean()) return "\"may_pass\" must be true or false";
      waiver.may_pass = value.get<bool>();
      continue;
    }
    const auto& fields = waiver_fields();
    const auto* field =
        std::find_if(fields.begin(), fields.end(), [&k = key](const WaiverField& f) { return k == f.name; });
    if (field == fields.end()) return fmt::format("unknown key \"{}\"; known are {}", key, known_keys());
    if (!value.is_string() || value.get_ref<const std::string&>().empty())
      return fmt::format("\"{}\" must be a text that is not empty", key);
    waiver.*(field->member) = value.get<std::string>();
  }
  if (std::string wrong = wrong_combination(waiver); !wrong.empty()) return wrong;
  if (waiver.reason.empty()) return "no \"reason\"";
  if (waiver.link.empty()) return "no \"link\"";
  return wrong_value(waiver);
}

}  // namespace

tl::expected<std::vector<Waiver>, std::string> parse_waivers(std::string_view text, std::string_view name) {
  const auto refuse = [&](std::string_view why) { return tl::make_unexpected(fmt::format("{}: {}", name, why)); };
  const auto parsed = system::parse_json<json>(text);
  if (!parsed) {
    const system::JsonFault& fault = parsed.error();
    return refuse(fault.byte == 0 ? fault.what : fmt::format("not JSON, at byte {}", fault.byte));
  }
  const json& file = *parsed;
  if (!file.is_object()) return refuse("not a JSON object");
  if (!file.contains("schema")) return refuse("no \"schema\"");
  if (file.at("schema") != kWaiverSchema) return refuse(fmt::format("schema is not \"{}\"", kWaiverSchema));
  for (const auto& [key, value] : file.items()) {
    if (key != "schema" && key != "waivers")
      return refuse(fmt::format("unknown key \"{}\"; known are schema and waivers", key));
  }
  const auto list = file.find("waivers");
  if (list == file.end() || !list->is_array()) return refuse("no list \"waivers\"");
  std::vector<Waiver> waivers;
  for (const json& entry : *list) {
    Waiver& waiver = waivers.emplace_back();
    waiver.file = name;
    waiver.number = waivers.size();
    if (const std::string wrong = read_entry(entry, waiver); !wrong.empty()) {
      return refuse(fmt::format("waiver {}: {}", waiver.number, wrong));
    }
  }
  return waivers;
}

tl::expected<std::vector<Waiver>, std::string> read_waivers(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) {
    return tl::make_unexpected(file.string() + ": not a file that can be read");
  }
  const auto text = system::read_bounded_file(file, kLargestFile);
  if (!text) {
    const char* rest = text.error() == "cannot be read" ? "" : ": not a waiver file";
    return tl::make_unexpected(fmt::format("{}: {}{}", file.string(), text.error(), rest));
  }
  return parse_waivers(*text, file.string());
}

}  // namespace mfma::reports
