#include "harness/system/utf8.h"

#include <algorithm>

namespace mfma::system {
namespace {

// By first byte: how long, and between what its second byte must lie; all others lie between 80 and bf.
struct Lead {
  unsigned char first, last;
  std::size_t length;
  unsigned char low, high;
};
constexpr Lead kLeads[] = {{0x00, 0x7f, 1, 0, 0},       {0xc2, 0xdf, 2, 0x80, 0xbf}, {0xe0, 0xe0, 3, 0xa0, 0xbf},
                           {0xe1, 0xec, 3, 0x80, 0xbf}, {0xed, 0xed, 3, 0x80, 0x9f}, {0xee, 0xef, 3, 0x80, 0xbf},
                           {0xf0, 0xf0, 4, 0x90, 0xbf}, {0xf1, 0xf3, 4, 0x80, 0xbf}, {0xf4, 0xf4, 4, 0x80, 0x8f}};

}  // namespace

Utf8Sequence first_sequence(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto* lead = std::find_if(std::begin(kLeads), std::end(kLeads),
                                  [&](const Lead& l) { return byte(0) >= l.first && byte(0) <= l.last; });
  if (lead == std::end(kLeads)) return {};
  for (std::size_t i = 1; i < lead->length; ++i) {
    const unsigned char low = i == 1 ? lead->low : 0x80, high = i == 1 ? lead->high : 0xbf;
    if (i == text.size() || byte(i) < low || byte(i) > high) return {.length = i, .well_formed = false};
  }
  return {.length = lead->length, .well_formed = true};
}

std::string with_valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Utf8Sequence sequence = first_sequence(text);
    out += sequence.well_formed ? text.substr(0, sequence.length) : std::string_view("\xef\xbf\xbd");
    text.remove_prefix(sequence.length);
  }
  return out;
}

}  // namespace mfma::system
