#include "harness/catalogue/quoted.h"

#include <fmt/format.h>

namespace mfma::catalogue {

std::string quoted(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20 || code == 0x7f) {
      out += fmt::format("\\x{:02x}", code);
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace mfma::catalogue
