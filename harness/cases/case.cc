#include "harness/cases/case.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <charconv>
#include <system_error>

#include "harness/catalogue/quoted.h"

namespace mfma::cases {
namespace {

constexpr std::string_view kSeedMark = "@seed=";
constexpr char kIndexMark = '#';

bool parse_number(std::string_view text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

std::uint64_t case_seed(std::uint64_t seed, std::string_view instance_id, std::uint64_t index) {
  std::string text(instance_id);
  for (int shift = 0; shift < 64; shift += 8) text += static_cast<char>(index >> shift & 0xff);
  return XXH3_64bits_withSeed(text.data(), text.size(), seed);
}

std::string case_id(const catalogue::Instance& instance, std::uint64_t seed, std::uint64_t index) {
  return fmt::format("{}{}{}{}{}", catalogue::instance_id(instance), kSeedMark, seed, kIndexMark, index);
}

tl::expected<CaseId, std::string> parse_case_id(std::string_view id) {
  const auto refuse = [id](std::string_view why) {
    return tl::unexpected(
        fmt::format("case id '{}': {}; the form is INSTANCE{}N{}N", catalogue::quoted(id), why, kSeedMark, kIndexMark));
  };
  const std::size_t mark = id.find(kSeedMark);
  if (mark == std::string_view::npos) return refuse(fmt::format("there is no '{}'", kSeedMark));
  const std::string_view numbers = id.substr(mark + kSeedMark.size());
  const std::size_t hash = numbers.find(kIndexMark);
  if (hash == std::string_view::npos) return refuse(fmt::format("there is no '{}' after the seed", kIndexMark));
  CaseId parsed;
  if (!parse_number(numbers.substr(0, hash), parsed.seed)) return refuse("the seed is not a number below 2^64");
  if (!parse_number(numbers.substr(hash + 1), parsed.index)) return refuse("the index is not a number below 2^64");
  const auto instance = catalogue::parse_instance(id.substr(0, mark));
  if (!instance) return tl::unexpected(fmt::format("case id '{}': {}", catalogue::quoted(id), instance.error()));
  parsed.instance = *instance;
  return parsed;
}

}  // namespace mfma::cases
