// Text from outside inside a message.
#pragma once

#include <string>
#include <string_view>

namespace mfma::catalogue {

// The text with every control character (below 0x20, and 0x7f) written as \xHH, so that a message that quotes it stays
// one line.
std::string quoted(std::string_view text);

}  // namespace mfma::catalogue
