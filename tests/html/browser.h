// Pages in a headless Chromium.
#pragma once

#include <map>
#include <string>

namespace mfma::reports::testing {

// Whether there is one: Debian's package chromium, or what MFMA_CHROMIUM names.
bool has_browser();

struct Seen {
  std::string dom;                          // the page after its scripts ran
  std::string console;                      // what it wrote to the console: refusals and errors too
  std::map<std::string, std::string> told;  // of a script
};

// Opens the page as it is.
Seen open_page(const std::string& html, const std::string& fragment = "");
// Opens a copy in which `script` runs after the page's own: it may await, and calls tell(name, value) and
// press(element, key). The copy's policy allows it, and is otherwise the page's.
Seen open_with_script(const std::string& html, const std::string& script);

}  // namespace mfma::reports::testing
