// Completions of bash, zsh and fish.
#include <fmt/format.h>

#include <algorithm>

#include "harness/catalogue/builtin.h"
#include "harness/cli/documentation/program_doc.h"
#include "harness/compilers/levels.h"
#include "harness/system/shell.h"

namespace mfma::cli {
namespace {

constexpr const char* kHead = "# Made from the program's own definitions by scripts/make-documentation; do not edit.\n";

enum class ValueKind { kNone, kWords, kFile, kFolder, kFree };

// What can be said of an option's value before it is typed.
ValueKind kind_of(const OptionDoc& option) {
  if (option.value.empty()) return ValueKind::kNone;
  if (option.value == "FILE" || option.value == "PATH" || (option.positional && option.names[0] == "FILE"))
    return ValueKind::kFile;
  if (option.value == "DIR") return ValueKind::kFolder;
  return ValueKind::kWords;
}

std::vector<std::string> words_of(const OptionDoc& option) {
  const auto named = [&option](std::string_view name) {
    return std::find(option.names.begin(), option.names.end(), name) != option.names.end();
  };
  std::vector<std::string> words = option.choices();
  if (named("--builtin") || named("BUILTIN")) {
    for (const catalogue::Builtin& builtin : catalogue::builtins()) words.emplace_back(builtin.name);
  } else if (named("--opt")) {
    words = compilers::level_names();
  } else if (named("--device")) {
    words = {"auto", "emulated", "hip", "all"};
  }
  return words;
}

std::string spaced(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

std::vector<std::string> names_of(const std::vector<OptionDoc>& options) {
  std::vector<std::string> names;
  for (const OptionDoc& option : options) {
    if (!option.positional) names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

std::vector<std::string> names_of(const std::vector<CommandDoc>& commands) {
  std::vector<std::string> names;
  for (const CommandDoc& command : commands) names.push_back(command.name);
  return names;
}

// The lines of `case "$option"` for the values of the options, as bash completes them.
std::string bash_values(const CommandDoc& command) {
  std::string out;
  for (const OptionDoc& option : command.options) {
    const std::string pattern = option.positional ? std::string() : fmt::format("{}", fmt::join(option.names, "|"));
    const ValueKind kind = kind_of(option);
    if (option.positional || kind == ValueKind::kNone) continue;
    std::string does = "return";
    if (kind == ValueKind::kFile) does = "COMPREPLY=($(compgen -f -- \"$word\")); return";
    if (kind == ValueKind::kFolder) does = "COMPREPLY=($(compgen -d -- \"$word\")); return";
    if (const auto words = words_of(option); kind == ValueKind::kWords && !words.empty()) {
      does = fmt::format("COMPREPLY=($(compgen -W {} -- \"$word\")); return", system::shell_quoted(spaced(words)));
    }
    out += fmt::format("        {}) {} ;;\n", pattern, does);
  }
  return out;
}

// What stands for the positional arguments of a command in bash.
std::string bash_positional(const CommandDoc& command) {
  for (const OptionDoc& option : command.options) {
    if (!option.positional) continue;
    if (kind_of(option) == ValueKind::kFile) return "COMPREPLY=($(compgen -f -- \"$word\"))";
    if (const auto words = words_of(option); !words.empty()) {
      return fmt::format("COMPREPLY=($(compgen -W {} -- \"$word\"))", system::shell_quoted(spaced(words)));
    }
  }
  return ":";
}

// A description for the one line that a menu has.
std::string short_text(const std::string& text) {
  std::string line = text.substr(0, std::min(text.find_first_of(".;:("), text.size()));
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

// Within an _arguments specification brackets and colons mean something.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : short_text(text)) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_action(const OptionDoc& option) {
  switch (kind_of(option)) {
    case ValueKind::kFile:
      return "_files";
    case ValueKind::kFolder:
      return "_files -/";
    default:
      break;
  }
  const auto words = words_of(option);
  return words.empty() ? " " : fmt::format("({})", spaced(words));
}

std::string zsh_value(const OptionDoc& option) {
  std::string name = option.positional ? option.names[0] : option.value;
  std::replace(name.begin(), name.end(), ':', ' ');
  return fmt::format(":{}:{}", name, zsh_action(option));
}

std::string zsh_lines(const std::vector<OptionDoc>& options) {
  std::string out;
  for (const OptionDoc& option : options) {
    if (option.positional) {
      out += fmt::format("        {} \\\n", system::shell_quoted((option.repeatable ? "*" : "") + zsh_value(option)));
      continue;
    }
    for (const std::string& name : option.names) {
      const bool value = kind_of(option) != ValueKind::kNone;
      // "--x=" also takes its value after an equals sign; a star: may come again.
      const std::string spec = fmt::format("{}{}{}[{}]{}", option.repeatable ? "*" : "", name,
                                           !value                     ? ""
                                           : name.rfind("--", 0) == 0 ? "="
                                                                      : "+",
                                           zsh_text(option.description), value ? zsh_value(option) : "");
      out += fmt::format("        {} \\\n", system::shell_quoted(spec));
    }
  }
  return out;
}

std::string fish_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string fish_line(const std::string& condition, const OptionDoc& option) {
  std::string line = fmt::format("complete -c mfma-conform -n {}", fish_quoted(condition));
  const ValueKind kind = kind_of(option);
  if (!option.positional) {
    for (const std::string& name : option.names) {
      line += name.rfind("--", 0) == 0 ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    line += " -d " + fish_quoted(short_text(option.description));
    if (kind != ValueKind::kNone) line += " -r";
  }
  if (kind == ValueKind::kFile) return line + " -F\n";
  if (kind == ValueKind::kFolder) return line + " -x -a '(__fish_complete_directories)'\n";
  const auto words = words_of(option);
  if (!words.empty()) return line + " -x -a " + fish_quoted(spaced(words)) + "\n";
  return option.positional ? std::string() : line + (kind == ValueKind::kNone ? "\n" : " -x\n");
}

}  // namespace

std::string to_bash(const ProgramDoc& doc) {
  std::string out = kHead;
  out +=
      "_mfma_conform() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
      "  COMPREPLY=()\n"
      "  # bash takes --option=value for three words.\n"
      "  if [[ $word == = ]]; then word=; elif [[ $option == = ]]; then option=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
      "  if ((COMP_CWORD == 1)); then\n";
  std::vector<std::string> first = names_of(doc.commands);
  for (const std::string& name : names_of(doc.options)) first.push_back(name);
  out += fmt::format("    COMPREPLY=($(compgen -W {} -- \"$word\"))\n    return\n  fi\n  case $command in\n",
                     system::shell_quoted(spaced(first)));
  for (const CommandDoc& command : doc.commands) {
    out += fmt::format("    {})\n      case $option in\n{}      esac\n      if [[ $word == -* ]]; then\n", command.name,
                       bash_values(command));
    out +=
        fmt::format("        COMPREPLY=($(compgen -W {} -- \"$word\"))\n      else\n        {}\n      fi\n      ;;\n",
                    system::shell_quoted(spaced(names_of(command.options))), bash_positional(command));
  }
  return out + "  esac\n}\ncomplete -o filenames -F _mfma_conform mfma-conform\n";
}

std::string to_zsh(const ProgramDoc& doc) {
  std::string out = std::string("#compdef mfma-conform\n") + kHead +
                    "_mfma_conform() {\n  if ((CURRENT == 2)); then\n    local -a commands=(\n";
  for (const CommandDoc& command : doc.commands) {
    out += fmt::format("      {}\n", system::shell_quoted(command.name + ":" + zsh_text(command.summary)));
  }
  out += "    )\n    _describe command commands\n    _arguments \\\n" + zsh_lines(doc.options) +
         "        && return\n    return\n  fi\n";
  out += "  local command=$words[2]\n  shift words\n  ((CURRENT--))\n  case $command in\n";
  for (const CommandDoc& command : doc.commands) {
    out += fmt::format("    {})\n      _arguments \\\n{}        && return\n      ;;\n", command.name,
                       zsh_lines(command.options));
  }
  return out + "  esac\n}\n_mfma_conform \"$@\"\n";
}

std::string to_fish(const ProgramDoc& doc) {
  std::string out = kHead;
  out += "complete -c mfma-conform -f\n";
  for (const CommandDoc& command : doc.commands) {
    out += fmt::format("complete -c mfma-conform -n __fish_use_subcommand -a {} -d {}\n", command.name,
                       fish_quoted(short_text(command.summary)));
  }
  for (const OptionDoc& option : doc.options) out += fish_line("__fish_use_subcommand", option);
  for (const CommandDoc& command : doc.commands) {
    for (const OptionDoc& option : command.options)
      out += fish_line("__fish_seen_subcommand_from " + command.name, option);
  }
  return out;
}

}  // namespace mfma::cli
