// What a person has to know of the program's commands and options, read off the parser's own definitions.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace mfma::cli {

struct OptionDoc {
  std::vector<std::string> names;     // "-q", "--quiet"; of a positional argument its name alone, "FILE"
  std::string value;                  // "GLOB", "all|default|none"; empty for a flag
  std::string description;            // one line
  std::string range;                  // "0.1 - 86400"; empty: none is stated
  std::string default_value;          // empty: none
  std::vector<std::string> excludes;  // names of options that must not stand beside it
  bool positional = false;
  bool required = false;
  bool repeatable = false;

  // The words that `value` lists; empty where it is no such list.
  std::vector<std::string> choices() const;
};

struct CommandDoc {
  std::string name;
  std::string summary;  // one line
  std::string footer;   // as the help prints it; empty where the program's own footer is printed
  std::vector<OptionDoc> options;

  // "mfma-conform replay [OPTIONS] FILE"
  std::string usage() const;
};

struct ProgramDoc {
  std::string name, version, summary;
  std::vector<OptionDoc> options;    // of the program itself
  std::vector<CommandDoc> commands;  // without the hidden ones, in the order of the help
};

ProgramDoc describe_program(const CLI::App& app, const std::string& version);

// The program's exit codes, for the help and for what is made from it.
struct ExitCodeDoc {
  int code;
  const char* meaning;
};
inline constexpr ExitCodeDoc kExitCodes[] = {
    {0, "pass"},
    {1, "a conformance failure"},
    {2, "no verdict: a tool error, nothing run, something inconclusive"},
    {3, "a kernel did not end, or a device was lost"},
    {64, "usage: an unknown option or name, a value out of range, a file that is refused"},
};

// Environment variables that the program reads, with what for.
struct EnvironmentDoc {
  const char* name;
  const char* meaning;
};
inline constexpr EnvironmentDoc kEnvironment[] = {
    {"XDG_CACHE_HOME, HOME", "where compiled kernels are kept: mfma-conform in the first, or in .cache of the second"},
    {"GTEST_TOTAL_SHARDS, GTEST_SHARD_INDEX", "the part of a run that --shard names, where --shard is not given"},
    {"ROCM_PATH", "where to look for the HIP runtime besides the loader's path"},
    {"TMPDIR", "where compilers work"},
    {"PATH", "where compilers are looked for by name"},
    {"NO_COLOR", "no colours on a terminal"},
};

// docs/cli.md, docs/mfma-conform.1, and completions for bash, zsh and fish.
std::string to_markdown(const ProgramDoc& doc);
std::string to_man(const ProgramDoc& doc);
std::string to_bash(const ProgramDoc& doc);
std::string to_zsh(const ProgramDoc& doc);
std::string to_fish(const ProgramDoc& doc);

// The paragraphs of a footer: its lines joined, but for those that begin with blanks, each of which is code by itself,
// and "Exit codes:", which begins a paragraph.
struct Paragraph {
  std::string text;
  bool code = false;
};
std::vector<Paragraph> paragraphs_of(const std::string& footer);

}  // namespace mfma::cli
