// Any dwords: they decode and render without a fault, and nothing beyond an instruction changes what it is.
#include "harness/gfx950/isa/decoder.h"

#include <fmt/format.h>

#include <cstring>
#include <span>
#include <vector>

#include "fuzz/targets/target.h"

namespace mfma::fuzz {
namespace {

constexpr std::uint64_t kPc = 0x1000;

const char* problem_of(const gfx950::Instruction& in, std::size_t dwords) {
  if (in.bytes == 0 || in.bytes % 4 != 0 || in.bytes > 16) return "its length is none of 4, 8, 12 and 16";
  if (in.known() && (in.mnemonic == nullptr || in.problem != nullptr)) return "it is known and has a problem";
  if (!in.known() && in.problem == nullptr) return "it is unknown without a reason";
  if (in.known() && in.bytes / 4 > dwords) return "it is known and longer than the code";
  if (in.operand_count > gfx950::kMaxOperands || in.output_count > in.operand_count) return "it has too many operands";
  return nullptr;
}

bool is_plain_text(const std::string& text) {
  for (const char c : text) {
    if (c < ' ' || c > '~') return false;
  }
  return !text.empty();
}

int check(std::span<const std::uint32_t> code) {
  const gfx950::Instruction in = gfx950::decode(code, kPc);
  const std::string text = gfx950::render(in);
  const char* problem = problem_of(in, code.size());
  if (problem == nullptr && !is_plain_text(text)) problem = "its text is not plain";
  if (problem == nullptr && in.known()) {
    const gfx950::Instruction alone = gfx950::decode(code.first(in.bytes / 4u), kPc);
    if (alone.id != in.id || alone.bytes != in.bytes || gfx950::render(alone) != text) {
      problem = "what follows it changes what it is";
    }
    if (in.encoding == gfx950::Encoding::kSopp && gfx950::branch_target(in) % 4 != 0)
      problem = "it branches between dwords";
  }
  if (problem == nullptr) return 0;
  fmt::print(stderr, "{:08x} ({}): {}\n", code.front(), text, problem);
  return 1;
}

}  // namespace

std::string begin(const Options&) { return {}; }

}  // namespace mfma::fuzz

int fuzz_one(const std::uint8_t* data, std::size_t size) {
  using namespace mfma;
  std::vector<std::uint32_t> code(size / 4);
  if (!code.empty()) std::memcpy(code.data(), data, code.size() * 4);
  gfx950::decode({}, fuzz::kPc);
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (fuzz::check(std::span(code).subspan(at)) != 0) return 1;
  }
  return 0;
}
