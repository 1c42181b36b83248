#include "tests/gfx950/objdump_check.h"

#include <fmt/format.h>

#include <charconv>
#include <sstream>
#include <string_view>

#include "harness/gfx950/isa/decoder.h"
#include "harness/gfx950/object/code_object.h"

namespace mfma::gfx950::test {
namespace {

std::uint64_t from_hex(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return value;
}

bool is_hex_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

}  // namespace

std::vector<Listed> parse_listing(const std::string& listing) {
  std::vector<Listed> lines;
  std::istringstream in(listing);
  for (std::string line; std::getline(in, line);) {
    const std::size_t comment = line.find("// ");
    if (line.empty() || line[0] != '\t' || comment == std::string::npos) continue;
    Listed listed;
    listed.text = line.substr(1, comment - 1);
    std::string rest = line.substr(comment + 3);
    const std::size_t colon = rest.find(':');
    if (colon == std::string::npos) continue;
    listed.address = from_hex(std::string_view(rest).substr(0, colon));
    std::istringstream words(rest.substr(colon + 1));
    for (std::string word; words >> word && word.size() == 8;) {
      listed.dwords.push_back(static_cast<std::uint32_t>(from_hex(word)));
    }
    lines.push_back(std::move(listed));
  }
  return lines;
}

std::string normalised(std::string text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ' || c == '\t') {
      if (!out.empty() && out.back() != ' ') out += ' ';
      continue;
    }
    if (c == '0' && i + 2 < text.size() && text[i + 1] == 'x' && is_hex_digit(text[i + 2])) {
      std::size_t end = i + 2;
      while (end < text.size() && is_hex_digit(text[end])) ++end;
      out += fmt::format("{}", from_hex(std::string_view(text).substr(i + 2, end - i - 2)));
      i = end - 1;
      continue;
    }
    out += c;
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

ObjdumpCheck check_against_objdump(const Bytes& bytes) {
  ObjdumpCheck check;
  const auto object = load_code_object(bytes);
  if (!object) {
    check.differences.push_back("not loadable: " + object.error());
    return check;
  }
  for (const Listed& listed : parse_listing(disassemble(bytes))) {
    const Instruction ours = instruction_at(**object, listed.address);
    ++check.compared;
    const std::string a = normalised(render(ours)), b = normalised(listed.text);
    if (a != b || ours.bytes != listed.dwords.size() * 4) {
      check.differences.push_back(fmt::format("{:#x}: {} | {}", listed.address, a, b));
    }
  }
  return check;
}

}  // namespace mfma::gfx950::test
