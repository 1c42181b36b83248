#include "harness/checks/bundle.h"

#include <fmt/format.h>

#include "harness/compilers/outcome.h"
#include "harness/system/shell.h"
#include "harness/system/whole_file.h"

namespace mfma::checks {
namespace {

namespace fs = std::filesystem;

// The command for a level, with the level and the two files as the script's variables.
std::string shell_command(const Finding& f) {
  std::string out = "\"$compiler\"";
  for (std::size_t i = 1; i < f.command.size(); ++i) {
    const std::string& word = f.command[i];
    if (word == "INPUT.hip") {
      out += " repro.hip";
    } else if (word == "OUTPUT.co") {
      out += " \"repro-$level.co\"";
    } else if (!f.levels.empty() && word == fmt::format("-{}", f.levels.front())) {
      out += " \"-$level\"";
    } else {
      out += fmt::format(" {}", system::shell_quoted(word));
    }
  }
  return out;
}

std::string script(const Finding& f, const compilers::Identity& compiler) {
  std::vector<std::string> levels = f.levels;
  levels.insert(levels.end(), f.levels_without.begin(), f.levels_without.end());
  return fmt::format(
      "#!/bin/sh\n"
      "# Compiles repro.hip at each level. CXX names another compiler than the one that was tested.\n"
      "cd \"$(dirname \"$0\")\" || exit 2\n"
      "compiler=${{CXX:-{}}}\n"
      "\"$compiler\" --version | head -n 1\n"
      "for level in {}; do\n"
      "  {} >\"repro-$level.log\" 2>&1\n"
      "  echo \"-$level: exit code $?\"\n"
      "done\n",
      system::shell_quoted(compiler.path.string()), fmt::join(levels, " "), shell_command(f));
}

std::string readme(const Finding& f, const compilers::Identity& compiler) {
  const CodeInfo& info = info_of(f.code);
  std::string out = fmt::format(
      "# {}: {}\n\n{}.\n\n"
      "- Found: {}\n- Target: {}\n- Levels with it: -{}\n- Levels without it: {}\n- Compiler: {}\n- Rule: {}\n",
      info.name, f.subject, info.meaning, f.message, f.arch, fmt::join(f.levels, ", -"),
      f.levels_without.empty() ? std::string("none of those tried")
                               : fmt::format("-{}", fmt::join(f.levels_without, ", -")),
      compiler.version, info.rule);
  if (!f.waived.empty()) out += fmt::format("- Known: {}\n", f.waived);
  return out +
         "\n`sh repro.sh` compiles `repro.hip` at each level and prints the exit codes; `log.txt` has what the "
         "compiler\n"
         "said when it was tested.\n";
}

}  // namespace

std::string bundle_name(const Finding& f) {
  std::string name;
  for (const char c : fmt::format("{}-{}-{}", info_of(f.code).name, f.subject, f.arch)) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
    if (plain) {
      name += c;
    } else if (c == ' ' || c == '=') {
      name += c == ' ' ? '-' : '_';
    } else {
      name += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    }
  }
  return name;
}

tl::expected<fs::path, std::string> write_bundle(const Finding& f, const compilers::Identity& compiler,
                                                 const fs::path& parent, int number) {
  const fs::path folder = parent / (number == 1 ? bundle_name(f) : fmt::format("{}-{}", bundle_name(f), number));
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return tl::make_unexpected(fmt::format("{}: cannot be made: {}", folder.string(), error.message()));
  const std::pair<const char*, std::string> kFiles[] = {{"repro.hip", f.source},
                                                        {"repro.sh", script(f, compiler)},
                                                        {"README.md", readme(f, compiler)},
                                                        {"log.txt", f.log}};
  for (const auto& [name, text] : kFiles) {
    if (auto written = system::write_whole_file(folder / name, text); !written) {
      return tl::make_unexpected(std::move(written.error()));
    }
  }
  return folder;
}

}  // namespace mfma::checks
