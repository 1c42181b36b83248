#include "harness/system/shell.h"

namespace mfma::system {

std::string shell_quoted(std::string_view word) {
  std::string out(1, '\'');
  for (const char c : word) {
    if (c == '\'') {
      out.append("'\\''");  // out of the quotes, a quote, and in again
    } else {
      out.push_back(c);
    }
  }
  out.push_back('\'');
  return out;
}

std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:@+%^";
  const bool plain = !word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos;
  return plain ? std::string(word) : shell_quoted(word);
}

}  // namespace mfma::system
