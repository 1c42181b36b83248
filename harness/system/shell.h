// Words as a POSIX shell reads them, for commands that a person pastes and scripts that we write.
#pragma once

#include <string>
#include <string_view>

namespace mfma::system {

// `word` between single quotes, whatever it holds (but a NUL, which no argument can).
std::string shell_quoted(std::string_view word);
// The same, without quotes where no shell reads anything into it: letters, digits and _-./=,:@+%^ alone, not empty.
std::string shell_word(std::string_view word);

}  // namespace mfma::system
