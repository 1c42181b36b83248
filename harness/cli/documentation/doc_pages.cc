// docs/cli.md and the manual page.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "harness/cli/documentation/program_doc.h"

namespace mfma::cli {
namespace {

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  return fmt::format("{}", fmt::join(words, between));
}

// "--builtin GLOB"; "-q, --quiet".
std::string heading_of(const OptionDoc& option) {
  std::string text = joined(option.names, ", ");
  if (!option.value.empty() && !option.positional) text += " " + option.value;
  return text;
}

// What the definition says besides the description, each a sentence.
std::vector<std::string> notes_on(const OptionDoc& option) {
  std::vector<std::string> notes;
  if (option.required && !option.positional) notes.push_back("Required.");
  if (option.repeatable && !option.positional) notes.push_back("May be given several times.");
  if (!option.range.empty()) notes.push_back("Range: " + option.range + ".");
  if (!option.excludes.empty()) notes.push_back("Not together with " + joined(option.excludes, ", ") + ".");
  return notes;
}

// Text in Markdown, what is between backticks left as it is.
std::string markdown(const std::string& text) {
  std::string out;
  bool code = false;
  for (const char c : text) {
    if (c == '`') code = !code;
    if (!code && (c == '*' || c == '_' || c == '<' || c == '|' || c == '[')) out += '\\';
    out += c;
  }
  return out;
}

void add_markdown(std::string& out, const std::vector<OptionDoc>& options) {
  for (const OptionDoc& option : options) {
    out += fmt::format("- `{}`: {}", heading_of(option), markdown(option.description));
    for (const std::string& note : notes_on(option)) out += " " + markdown(note);
    if (!option.default_value.empty()) out += fmt::format(" Default: `{}`.", option.default_value);
    out += '\n';
  }
}

// Text in roff: no escapes of its own, hyphens that can be copied, no requests at the start of a line.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
    if (c == '`') {
      out += '\'';
    } else if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

void add_man(std::string& out, const std::vector<OptionDoc>& options) {
  for (const OptionDoc& option : options) {
    out += ".TP\n\\fB" + roff(joined(option.names, ", ")) + "\\fR";
    if (!option.value.empty() && !option.positional) out += " \\fI" + roff(option.value) + "\\fR";
    out += "\n" + roff(option.description) + "\n";
    for (const std::string& note : notes_on(option)) out += roff(note) + "\n";
    if (!option.default_value.empty()) out += "Default: \\fB" + roff(option.default_value) + "\\fR.\n";
  }
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

std::string to_markdown(const ProgramDoc& doc) {
  std::string out = fmt::format(
      "# Commands and options\n\n"
      "<!-- Made from the program's own definitions by scripts/make-documentation; do not edit. -->\n\n"
      "{}\n\n    {} COMMAND [OPTIONS]\n\n",
      markdown(doc.summary), doc.name);
  add_markdown(out, doc.options);
  for (const CommandDoc& command : doc.commands) {
    out += fmt::format("\n## {}\n\n{}\n\n    {}\n\n", command.name, markdown(command.summary), command.usage());
    add_markdown(out, command.options);
    for (const Paragraph& p : paragraphs_of(command.footer)) {
      out += p.code ? "\n    " + p.text + "\n" : "\n" + markdown(p.text) + "\n";
    }
  }
  out += "\n## Exit codes\n\nOf every command that does not name its own:\n\n| code | meaning |\n|---|---|\n";
  for (const ExitCodeDoc& code : kExitCodes) out += fmt::format("| {} | {} |\n", code.code, markdown(code.meaning));
  out += "\nWhen several apply, 1 wins over 3, and 3 over 2.\n\n## Environment\n\n";
  for (const EnvironmentDoc& variable : kEnvironment) {
    out += fmt::format("- `{}`: {}.\n", variable.name, markdown(variable.meaning));
  }
  return out;
}

std::string to_man(const ProgramDoc& doc) {
  std::string out = fmt::format(
      ".\\\" Made from the program's own definitions by scripts/make-documentation; do not edit.\n"
      ".TH {} 1 \"\" \"{} {}\" \"User commands\"\n.SH NAME\n{} \\- conformance tests for the MFMA builtins of AMD "
      "gfx950\n"
      ".SH SYNOPSIS\n.B {}\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n{}\n.SH OPTIONS\n",
      upper(roff(doc.name)), roff(doc.name), doc.version, roff(doc.name), roff(doc.name), roff(doc.summary));
  add_man(out, doc.options);
  out += ".SH COMMANDS\n";
  for (const CommandDoc& command : doc.commands) {
    out += fmt::format(".SS {}\n.B {}\n.PP\n{}\n", roff(command.name), roff(command.usage()), roff(command.summary));
    add_man(out, command.options);
    for (const Paragraph& p : paragraphs_of(command.footer)) {
      out += p.code ? ".PP\n.RS\n.nf\n" + roff(p.text) + "\n.fi\n.RE\n" : ".PP\n" + roff(p.text) + "\n";
    }
  }
  out += ".SH EXIT STATUS\nOf every command that does not name its own:\n";
  for (const ExitCodeDoc& code : kExitCodes) out += fmt::format(".TP\n\\fB{}\\fR\n{}\n", code.code, roff(code.meaning));
  out += ".PP\nWhen several apply, 1 wins over 3, and 3 over 2.\n.SH ENVIRONMENT\n";
  for (const EnvironmentDoc& variable : kEnvironment) {
    out += fmt::format(".TP\n\\fB{}\\fR\n{}\n", variable.name, roff(variable.meaning));
  }
  return out;
}

}  // namespace mfma::cli
