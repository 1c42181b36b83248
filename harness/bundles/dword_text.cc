#include "harness/bundles/dword_text.h"

#include <fmt/format.h>

#include <iterator>

namespace mfma::bundles {

std::string dword_text(std::span<const std::uint32_t> dwords) {
  while (!dwords.empty() && dwords.back() == 0) dwords = dwords.first(dwords.size() - 1);
  std::string text;
  auto out = std::back_inserter(text);
  for (std::size_t n = 0; n < dwords.size();) {
    std::size_t end = n + 1;
    while (end < dwords.size() && dwords[end] == dwords[n]) ++end;
    if (!text.empty()) text += ' ';
    fmt::format_to(out, "{:x}", dwords[n]);
    if (end - n > 1) fmt::format_to(out, "*{}", end - n);
    n = end;
  }
  return text;
}

std::string c_array(std::string_view name, const std::string& text, std::size_t columns) {
  constexpr std::size_t kAround = 8;  // indentation, quotes, the blank between the words of two lines
  std::string out = fmt::format("static const char {}[] =", name);
  const std::size_t room = columns - kAround;
  std::size_t at = 0;
  do {
    std::size_t end = text.size();
    if (end - at > room) {
      end = text.rfind(' ', at + room);
      if (end == std::string::npos || end <= at) end = text.find(' ', at);
      end = end == std::string::npos ? text.size() : end + 1;
    }
    out += fmt::format("\n    \"{}\"", std::string_view(text).substr(at, end - at));
    at = end;
  } while (at < text.size());
  return out + ";\n";
}

}  // namespace mfma::bundles
