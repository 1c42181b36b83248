#include "harness/cli/documentation/program_doc.h"

#include <algorithm>

namespace mfma::cli {
namespace {

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

// A description as a sentence.
std::string sentence(const std::string& text) {
  std::string line = one_line(text);
  if (!line.empty() && line.back() != '.') line += '.';
  return line;
}

// CLI11 appends what a check says to the name of the type: "S:UINT in [1 - 60]", "TEXT:{kernel,matrix}".
void read_type(std::string type, OptionDoc& doc) {
  const std::size_t colon = std::min(type.find(':'), type.size());
  const std::string check = colon == type.size() ? "" : type.substr(colon + 1);
  doc.value = type.substr(0, colon);
  if (check.size() > 2 && check.front() == '{' && check.back() == '}') {
    doc.value = check.substr(1, check.size() - 2);
    std::replace(doc.value.begin(), doc.value.end(), ',', '|');
  } else if (const std::size_t bracket = check.find('['); bracket != std::string::npos) {
    doc.range = check.substr(bracket + 1, check.find(']') - bracket - 1);
  }
}

OptionDoc describe_option(const CLI::Option& option) {
  OptionDoc doc;
  doc.positional = option.get_positional();
  if (doc.positional) {
    doc.names = {option.get_name(true)};
  } else {
    for (const std::string& name : option.get_snames()) doc.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) doc.names.push_back("--" + name);
  }
  doc.description = sentence(option.get_description());
  if (option.get_items_expected_max() != 0) read_type(option.get_type_name(), doc);
  doc.default_value = option.get_default_str();
  // A list's default is printed in brackets.
  if (doc.default_value.size() > 1 && doc.default_value.front() == '[' && doc.default_value.back() == ']') {
    doc.default_value = doc.default_value.substr(1, doc.default_value.size() - 2);
  }
  for (const CLI::Option* other : option.get_excludes()) doc.excludes.push_back(other->get_name());
  std::sort(doc.excludes.begin(), doc.excludes.end());  // the parser keeps them by address
  doc.required = option.get_required();
  doc.repeatable = option.get_items_expected_max() > 1;
  // The help says so by dots: "PATH...", but "CLASS,..." is one word.
  if (doc.repeatable && doc.value.ends_with("...") && !doc.value.ends_with(",..."))
    doc.value.resize(doc.value.size() - 3);
  return doc;
}

std::vector<OptionDoc> describe_options(const CLI::App& app) {
  std::vector<OptionDoc> docs;
  const auto shown = app.get_options([](const CLI::Option* o) { return !o->get_group().empty(); });
  for (const bool positional : {true, false}) {
    for (const CLI::Option* option : shown) {
      if (option->get_positional() == positional) docs.push_back(describe_option(*option));
    }
  }
  return docs;
}

}  // namespace

std::vector<std::string> OptionDoc::choices() const {
  std::vector<std::string> words;
  if (value.find('|') == std::string::npos) return words;
  for (std::size_t at = 0; at <= value.size();) {
    const std::size_t bar = std::min(value.find('|', at), value.size());
    words.push_back(value.substr(at, bar - at));
    at = bar + 1;
  }
  return words;
}

std::string CommandDoc::usage() const {
  std::string line = "mfma-conform " + name + " [OPTIONS]";
  for (const OptionDoc& option : options) {
    if (!option.positional) continue;
    const std::string many = option.names[0] + (option.repeatable ? "..." : "");
    line += option.required ? " " + many : " [" + many + "]";
  }
  return line;
}

ProgramDoc describe_program(const CLI::App& app, const std::string& version) {
  ProgramDoc doc{app.get_name(), version, sentence(app.get_description()), describe_options(app), {}};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App* c) { return !c->get_group().empty(); })) {
    doc.commands.push_back({command->get_name(), sentence(command->get_description()),
                            command->get_footer() == app.get_footer() ? "" : command->get_footer(),
                            describe_options(*command)});
  }
  return doc;
}

std::vector<Paragraph> paragraphs_of(const std::string& footer) {
  std::vector<Paragraph> all;
  bool open = false;  // the last paragraph takes further lines
  for (std::size_t at = 0; at < footer.size();) {
    const std::size_t end = std::min(footer.find('\n', at), footer.size());
    const std::string line = footer.substr(at, end - at);
    at = end + 1;
    if (line.empty()) {
      open = false;
    } else if (line.front() == ' ') {
      all.push_back({line.substr(line.find_first_not_of(' ')), true});
      open = false;
    } else if (open && line.rfind("Exit codes:", 0) != 0) {
      all.back().text += " " + line;
    } else {
      all.push_back({line, false});
      open = true;
    }
  }
  return all;
}

}  // namespace mfma::cli
