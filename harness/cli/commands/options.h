// Options that read what they are given strictly: one line naming the option and what it takes, never a guess.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mfma::cli {

// The whole of `text` as a decimal number; nothing when it is empty, has anything else in it, or is out of range.
template <typename Integer>
std::optional<Integer> whole_number(const std::string& text) {
  Integer value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// An option that takes a number from `least` to `most`.
template <typename Integer>
CLI::Option* add_number(CLI::App* command, const std::string& name, Integer& target, Integer least, Integer most,
                        const std::string& help) {
  const auto set = [&target, least, most, name](const std::string& given) {
    const std::optional<Integer> value = whole_number<Integer>(given);
    if (!value || *value < least || *value > most) {
      throw CLI::ValidationError(name, fmt::format("'{}' is not a number from {} to {}", given, least, most));
    }
    target = *value;
  };
  return command->add_option_function<std::string>(name, set, help)->type_name("N");
}

// The words of an option, in the order in which help shows them.
template <typename T>
using Words = std::vector<std::pair<std::string, T>>;

template <typename T>
std::string name_in(const Words<T>& words, T value) {
  for (const auto& [word, v] : words) {
    if (v == value) return word;
  }
  return "?";
}

template <typename T>
std::string joined(const Words<T>& words) {
  std::string out;
  for (const auto& [word, value] : words) out += (out.empty() ? "" : "|") + word;
  return out;
}

// An option that takes one of the words.
template <typename T>
void add_choice(CLI::App* command, const std::string& name, T& target, const Words<T>& words, const std::string& help) {
  const auto set = [&target, &words, name](const std::string& given) {
    for (const auto& [word, value] : words) {
      if (word != given) continue;
      target = value;
      return;
    }
    throw CLI::ValidationError(name, fmt::format("'{}' is not one of {}", given, joined(words)));
  };
  command->add_option_function<std::string>(name, set, help)
      ->type_name(joined(words))
      ->default_str(name_in(words, target));
}

// An option that takes the name of a file or folder: not an empty one, which a script's unset variable gives.
inline CLI::Option* add_file(CLI::App* command, const std::string& name, std::string& target, const std::string& help) {
  const auto set = [&target, name](const std::string& given) {
    if (given.empty()) throw CLI::ValidationError(name, "the name is empty");
    target = given;
  };
  return command->add_option_function<std::string>(name, set, help)->type_name("FILE");
}

}  // namespace mfma::cli
