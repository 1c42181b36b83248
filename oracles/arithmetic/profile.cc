#include "oracles/arithmetic/profile.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <array>
#include <fstream>

namespace mfma::oracles {
namespace {

constexpr int kWideBits = 8;

bool fits(OperandWidth width, int a_bits, int b_bits) {
  const bool wide = a_bits >= kWideBits || b_bits >= kWideBits;
  return width == OperandWidth::kAny || (width == OperandWidth::kWide) == wide;
}

}  // namespace

bool glob_matches(std::string_view glob, std::string_view text) {
  return fnmatch(std::string(glob).c_str(), std::string(text).c_str(), 0) == 0;
}

const ProfileRule* Profile::rule_for(std::string_view builtin, int a_bits, int b_bits) const {
  for (const ProfileRule& rule : rules) {
    if (fits(rule.operands, a_bits, b_bits) && glob_matches(rule.builtins, builtin)) return &rule;
  }
  return nullptr;
}

// Far above any profile; keeps an endless device file from filling the memory.
constexpr std::size_t kLargestFile = 1 << 20;

tl::expected<Profile, std::string> load_profile(const std::filesystem::path& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) {
    return tl::unexpected(fmt::format("{}: is a directory, not a profile", file.string()));
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) return tl::unexpected(fmt::format("{}: cannot be read", file.string()));
  std::string text;
  std::array<char, 4096> chunk;
  while (in.read(chunk.data(), chunk.size()) || in.gcount() > 0) {
    text.append(chunk.data(), static_cast<std::size_t>(in.gcount()));
    if (text.size() > kLargestFile) {
      return tl::unexpected(fmt::format("{}: larger than {} bytes, not a profile", file.string(), kLargestFile));
    }
  }
  return parse_profile(text, file.string());
}

}  // namespace mfma::oracles
