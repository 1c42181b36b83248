#include "tests/documentation/doc_commands.h"

#include <algorithm>
#include <charconv>
#include <sstream>

namespace mfma::documentation {
namespace {

constexpr std::string_view kFence = "```";
constexpr std::string_view kExitCode = "# exit code ";
constexpr std::string_view kNotRun = "# not run by the tests: ";

bool begins_with_program(const std::string& text) {
  for (const char* program :
       {"mfma-conform ", "scripts/", ".ci/", "cmake ", "ctest ", "apt-get ", "sudo ", "docker ", "sh "}) {
    if (text.rfind(program, 0) == 0) return true;
  }
  return false;
}

class Reader {
 public:
  Page read(const std::string& text) {
    std::istringstream lines(text);
    while (std::getline(lines, line_)) {
      ++number_;
      read_line();
    }
    if (fenced_) problem("a fence is not closed");
    return std::move(page_);
  }

 private:
  void problem(const std::string& what) { page_.problems.push_back(std::to_string(number_) + ": " + what); }

  void read_line() {
    const std::size_t first = line_.find_first_not_of(' ');
    const std::string content = first == std::string::npos ? "" : line_.substr(first);
    if (content.rfind(kFence, 0) == 0) {
      fenced_ = !fenced_;
      console_ = fenced_ && content == "```console";
      indent_ = first;
      if (open_) problem("a command goes on past its block");
      open_ = false;
    } else if (console_) {
      line_.erase(0, std::min(first, indent_));  // a block within a list stands deeper
      console_line();
    } else if (fenced_ || first >= 4) {
      // Text of other kinds; a command in it would be one that nobody runs.
      if (begins_with_program(content) && content.rfind("mfma-conform case ", 0) != 0) {
        problem("a command outside of a console block: " + content);
      }
    } else {
      spans();
    }
  }

  void console_line() {
    if (open_) {
      page_.commands.back().text += "\n" + line_;
    } else if (line_.rfind("$ ", 0) == 0) {
      page_.commands.push_back({line_.substr(2), number_, 0, ""});
    } else {
      if (begins_with_program(line_)) problem("a command without '$ ': " + line_);
      return;
    }
    open_ = line_.back() == '\\';
    if (!open_) read_comment(page_.commands.back());
  }

  void read_comment(Command& command) {
    const std::string& text = command.text;
    if (const std::size_t at = text.find(kNotRun); at != std::string::npos) {
      command.not_run = text.substr(at + kNotRun.size());
      if (command.not_run.empty()) problem("no reason is given");
    } else if (const std::size_t code = text.find(kExitCode); code != std::string::npos) {
      const char* begin = text.data() + code + kExitCode.size();
      const auto [end, error] = std::from_chars(begin, text.data() + text.size(), command.exit_code);
      // A word may follow: "# exit code 1: it fails".
      if (error != std::errc() || (end != text.data() + text.size() && *end != ':')) problem("no exit code: " + text);
    } else if (text.find("# exit") != std::string::npos || text.find("# not run") != std::string::npos) {
      problem("a comment that is nearly one of ours: " + text);
    }
  }

  void spans() {
    for (std::size_t at = line_.find('`'); at != std::string::npos;) {
      const std::size_t end = line_.find('`', at + 1);
      if (end == std::string::npos) return;
      const std::string span = line_.substr(at + 1, end - at - 1);
      if (span.rfind("mfma-conform ", 0) == 0 && span.rfind("mfma-conform case ", 0) != 0) {
        page_.spans.push_back({span, number_, 0, ""});
      }
      at = line_.find('`', end + 1);
    }
  }

  Page page_;
  std::string line_;
  std::size_t indent_ = 0;  // of the fence
  int number_ = 0;
  bool fenced_ = false;   // in a block
  bool console_ = false;  // of commands
  bool open_ = false;     // the last command goes on
};

}  // namespace

Page read_page(const std::string& text) { return Reader().read(text); }

}  // namespace mfma::documentation
