#include "harness/cases/case_file_parts.h"

#include <fmt/format.h>

#include <charconv>

namespace mfma::cases::detail {
namespace {

using catalogue::Operand;

int registers_of(const catalogue::Instance& instance, Operand operand) {
  switch (operand) {
    case Operand::kA:
      return instance.builtin->a_registers;
    case Operand::kB:
      return instance.builtin->b_registers;
    case Operand::kC:
    case Operand::kD:
      return instance.builtin->c_registers;
    case Operand::kScaleA:
    case Operand::kScaleB:
      break;
  }
  return 1;
}

bool is_control(char c) {
  const auto u = static_cast<unsigned char>(c);
  return u < 0x20 || u == 0x7f;
}

}  // namespace

catalogue::ElementFormat format_of(const catalogue::Instance& instance, const MatrixKey& key) {
  if (key.operand == Operand::kA) return instance.a_format();
  if (key.operand == Operand::kB) return instance.b_format();
  return instance.builtin->acc_format;
}

std::string size_of(const catalogue::Instance& instance, const MatrixKey& key) {
  const catalogue::Layout& layout = catalogue::shared_layout(instance, key.operand);
  const std::string_view format = key.scale ? "e8m0" : catalogue::name_of(format_of(instance, key));
  const std::string blocks = layout.blocks() > 1 ? fmt::format("{} blocks of ", layout.blocks()) : "";
  return fmt::format("{}{}x{} {}", blocks, layout.rows(), layout.columns(), format);
}

catalogue::RegisterImage empty_image(const catalogue::Instance& instance, Operand operand) {
  return catalogue::RegisterImage(registers_of(instance, operand));
}

std::vector<std::uint32_t> element_bits(const catalogue::Layout& layout, int registers) {
  catalogue::RegisterImage image(registers);
  catalogue::write_elements(layout, std::vector<std::uint64_t>(layout.locations().size(), ~std::uint64_t{0}), image);
  return image.dwords;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool end = i == 0 || i + 1 == text.size();
    if (is_control(c) || c == '\\' || (end && c == ' ')) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out;
}

std::optional<std::string> unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    unsigned value = 0;
    if (i + 3 >= text.size() || text[i + 1] != 'x') return std::nullopt;
    const char* first = text.data() + i + 2;
    const auto [stop, error] = std::from_chars(first, first + 2, value, 16);
    if (error != std::errc{} || stop != first + 2) return std::nullopt;
    out += static_cast<char>(value);
    i += 3;
  }
  return out;
}

}  // namespace mfma::cases::detail
