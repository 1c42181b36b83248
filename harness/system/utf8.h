// UTF-8, as Unicode 15 defines it in section 3.9 (table 3-7).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mfma::system {

// The sequence that `text`, which is not empty, begins with.
struct Utf8Sequence {
  std::size_t length = 1;    // bytes, from 1: where it is not well formed, as many as are a beginning of one that is
  bool well_formed = false;  // one code point, no surrogate and none that has a shorter encoding
};
Utf8Sequence first_sequence(std::string_view text);

// Each sequence that is not well formed is replaced by U+FFFD, as the W3C's decoders and nlohmann's dump() do it; the
// replace_invalid() of utfcpp makes one U+FFFD of all trail bytes that follow, so that the same log would differ from
// output to output.
std::string with_valid_utf8(std::string_view text);

}  // namespace mfma::system
