#include "tests/html/browser.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace mfma::reports::testing {
namespace {

namespace fs = std::filesystem;

std::string browser() {
  const char* chosen = std::getenv("MFMA_CHROMIUM");
  return chosen ? chosen : "chromium";
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

void replace_once(std::string& text, const std::string& what, const std::string& with) {
  const std::size_t at = text.rfind(what);
  ASSERT_NE(at, std::string::npos) << what;
  text.replace(at, what.size(), with);
}

std::string unescaped(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      out += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

// Lines "name=value" in the element that tell() fills.
std::map<std::string, std::string> told_in(const std::string& dom) {
  std::map<std::string, std::string> told;
  const std::string begin = "<pre id=\"told\">";
  const std::size_t at = dom.rfind(begin);
  if (at == std::string::npos) return told;
  std::istringstream lines(dom.substr(at + begin.size(), dom.find("</pre>", at) - at - begin.size()));
  for (std::string line; std::getline(lines, line);) {
    if (const std::size_t equals = line.find('='); equals != std::string::npos) {
      told[unescaped(line.substr(0, equals))] = unescaped(line.substr(equals + 1));
    }
  }
  return told;
}

Seen open(const std::string& html, const std::string& fragment, const std::string& flags) {
  const fs::path folder = fs::temp_directory_path() / ("mfma_html_test_" + std::to_string(getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "page.html", std::ios::binary) << html;
  // A bound for a browser that hangs; nothing depends on how long it takes.
  const std::string command =
      "timeout 280 " + browser() + " --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage" +
      " --user-data-dir=" + (folder / "profile").string() + " --enable-logging=stderr --dump-dom " + flags +
      " 'file://" + (folder / "page.html").string() + fragment + "' >" + (folder / "dom").string() + " 2>" +
      (folder / "err").string();
  EXPECT_EQ(std::system(command.c_str()), 0) << text_of(folder / "err");
  Seen seen;
  seen.dom = text_of(folder / "dom");
  std::istringstream lines(text_of(folder / "err"));
  for (std::string line; std::getline(lines, line);) {
    if (line.find("CONSOLE") != std::string::npos) seen.console += line + "\n";
  }
  seen.told = told_in(seen.dom);
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return seen;
}

constexpr const char* kBefore = R"js(<script>
(async () => {
  const lines = [];
  const tell = (name, value) => lines.push(encodeURIComponent(name) + '=' + encodeURIComponent(value));
  const press = (element, key) => element.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
  const pause = (ms) => new Promise((done) => setTimeout(done, ms || 20));
  const all = (selector) => [...document.querySelectorAll(selector)];
  try {
)js";
constexpr const char* kAfter = R"js(
    tell('done', 1);
  } catch (error) {
    tell('error', error.stack);
  }
  const told = document.createElement('pre');
  told.id = 'told';
  told.textContent = '\n' + lines.join('\n') + '\n';
  document.body.append(told);
})();
</script></body>)js";

}  // namespace

bool has_browser() { return std::system(("command -v " + browser() + " >/dev/null 2>&1").c_str()) == 0; }

Seen open_page(const std::string& html, const std::string& fragment) { return open(html, fragment, ""); }

Seen open_with_script(const std::string& html, const std::string& script) {
  std::string copy = html;
  replace_once(copy, "</body>", kBefore + script + kAfter);
  const std::size_t policy = copy.find("script-src ") + 11;
  copy.replace(policy, copy.find(';', policy) - policy, "'unsafe-inline'");
  // Timers run at once in virtual time.
  return open(copy, "", "--virtual-time-budget=100000");
}

}  // namespace mfma::reports::testing
