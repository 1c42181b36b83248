#include "tests/kernels/disassembly.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "harness/compilers/identity.h"
#include "harness/system/process.h"

namespace mfma::kernels::test {
namespace {

std::string run_tool(const std::vector<std::string>& tool, const std::vector<std::byte>& object) {
  const auto directory = system::TemporaryDirectory::create();
  const auto program = compilers::find_program(tool.front());
  if (!directory || !program) throw std::runtime_error(directory ? program.error() : directory.error());
  std::ofstream(directory->path() / "object", std::ios::binary)
      .write(reinterpret_cast<const char*>(object.data()), static_cast<std::streamsize>(object.size()));
  system::Command command;
  command.arguments = tool;
  command.arguments.front() = program->string();
  command.arguments.emplace_back("object");
  command.directory = directory->path();
  command.keep_head = std::size_t{1} << 30;
  const auto finished = system::run_process(command);
  if (!finished || finished->exit_status != 0)
    throw std::runtime_error(tool.front() + ": " + (finished ? finished->output : finished.error()));
  return finished->output;
}

// `v_name d, a, b, c [scales] [key:value ...] // ADDRESS: WORD WORD ...`, without the leading blanks.
MfmaInstruction parse_instruction(const std::string& line) {
  MfmaInstruction instruction;
  const std::size_t comment = line.find("//");
  std::string text = line.substr(0, comment);
  std::replace(text.begin(), text.end(), '\t', ' ');
  std::istringstream tokens(text);
  tokens >> instruction.mnemonic;
  for (std::string token; tokens >> token;) {
    const std::size_t colon = token.find(':');
    const bool is_register = token[0] == 'v' || token[0] == 'a' || token[0] == 's';
    const bool is_attribute = colon != std::string::npos && (!is_register || token.starts_with("abid:"));
    if (is_attribute) {
      instruction.attributes[token.substr(0, colon)] = token.substr(colon + 1);
    } else {
      if (token.back() == ',') token.pop_back();
      instruction.operands.push_back(token);
    }
  }
  std::istringstream words(line.substr(line.find(": ", comment) + 2));
  for (std::uint32_t word; words >> std::hex >> word;) instruction.words.push_back(word);
  return instruction;
}

// By the mnemonic alone: branches name their kernel, and with it a builtin, in a comment.
bool is_mfma(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return line.starts_with("v_mfma_") || line.starts_with("v_smfmac_");
}

}  // namespace

std::map<std::string, std::vector<MfmaInstruction>> mfma_instructions(const std::vector<std::byte>& object) {
  std::map<std::string, std::vector<MfmaInstruction>> kernels;
  std::vector<MfmaInstruction>* current = nullptr;
  std::istringstream lines(run_tool({"llvm-objdump-22", "-d"}, object));
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with(">:")) {
      const std::size_t open = line.find('<');
      current = &kernels[line.substr(open + 1, line.size() - open - 3)];
    } else if (current != nullptr && is_mfma(line)) {
      current->push_back(parse_instruction(line));
    }
  }
  return kernels;
}

std::map<std::string, int> kernarg_sizes(const std::vector<std::byte>& object) {
  std::map<std::string, int> sizes;
  int size = -1;
  std::istringstream lines(run_tool({"llvm-readelf-22", "--notes"}, object));
  // Keys come in alphabetical order, so the size precedes its kernel's symbol.
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view kSize = ".kernarg_segment_size:", kSymbol = ".symbol:";
    if (const std::size_t at = line.find(kSize); at != std::string::npos)
      size = std::stoi(line.substr(at + kSize.size()));
    if (const std::size_t at = line.find(kSymbol); at != std::string::npos) {
      const std::size_t begin = line.find_first_not_of(" '", at + kSymbol.size());
      sizes[line.substr(begin, line.find(".kd") - begin)] = size;
    }
  }
  return sizes;
}

}  // namespace mfma::kernels::test
