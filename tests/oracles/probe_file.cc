#include "tests/oracles/probe_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

namespace mfma::test {
namespace {

using oracles::EvalShape;

struct Instance {
  std::string builtin;
  EvalShape shape;
};

// "instance BUILTIN a=F b=F acc=F k=N [scaled] [cbsz=N blgp=N]"
tl::expected<Instance, std::string> parse_instance(std::istringstream& words) {
  Instance instance;
  words >> instance.builtin;
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    const oracles::Format* format = oracles::find_format(value);
    if (key == "scaled") {
      instance.shape.scaled = true;
    } else if (key == "k") {
      instance.shape.k = std::stoi(value);
    } else if (key == "cbsz" || key == "blgp") {
      continue;  // for `eval`; the formats say the same here
    } else if (format == nullptr) {
      return tl::unexpected("unknown word " + word);
    } else {
      (key == "a"   ? instance.shape.a_format
       : key == "b" ? instance.shape.b_format
                    : instance.shape.acc_format) = *format;
    }
  }
  return instance;
}

tl::expected<Probe, std::string> parse_probe(const std::string& line, const Instance& instance) {
  const std::size_t space = line.find(' ');
  const std::size_t bar = line.find(" | ");
  if (space == std::string::npos || bar == std::string::npos)
    return tl::unexpected(std::string("no ' | ' with expected values"));
  Probe probe;
  probe.id = line.substr(0, space);
  probe.builtin = instance.builtin;
  probe.eval_line = line.substr(space + 1, bar - space - 1);
  auto operands = oracles::parse_eval_line(probe.eval_line, instance.shape);
  if (!operands) return tl::unexpected(operands.error());
  probe.operands = *operands;
  std::istringstream values(line.substr(bar + 3));
  for (std::string value; values >> value;) {
    const std::size_t equals = value.find('=');
    probe.expected[value.substr(0, equals)] = std::stoull(value.substr(equals + 1), nullptr, 16);
  }
  return probe;
}

}  // namespace

tl::expected<std::vector<Probe>, std::string> read_probes(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) return tl::unexpected(file.string() + ": cannot be read");
  std::vector<Probe> probes;
  Instance instance;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    std::istringstream words(line);
    std::string first;
    words >> first;
    std::string error;
    if (first == "instance") {
      auto parsed = parse_instance(words);
      if (parsed)
        instance = *parsed;
      else
        error = parsed.error();
    } else {
      auto parsed = parse_probe(line, instance);
      if (parsed)
        probes.push_back(*parsed);
      else
        error = parsed.error();
    }
    if (!error.empty()) return tl::unexpected(fmt::format("{}:{}: {}", file.string(), number, error));
  }
  return probes;
}

tl::expected<oracles::Profile, std::string> corpus_profile(const std::string& name) {
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return oracles::load_profile(std::filesystem::path(MFMA_SOURCE_DIR) / "corpus" / "profiles" / (lower + ".json"));
}

}  // namespace mfma::test
