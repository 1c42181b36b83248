#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "harness/cases/case_file.h"
#include "harness/cases/case_file_parts.h"
#include "harness/system/whole_file.h"

namespace mfma::cases {
namespace {

using namespace detail;

// "0 0 0 3c00" as "0000*3 3c00".
std::string codes_line(std::span<const std::uint64_t> codes, int digits) {
  std::string line;
  for (std::size_t i = 0; i < codes.size();) {
    std::size_t end = i;
    while (end < codes.size() && codes[end] == codes[i]) ++end;
    line += fmt::format(" {:0{}x}", codes[i], digits);
    if (end - i > 1) line += fmt::format("*{}", end - i);
    i = end;
  }
  return line;
}

void add_matrix(const CaseFile& file, const MatrixKey& key, std::span<const std::uint64_t> codes, std::string& out) {
  const catalogue::Layout& layout = catalogue::shared_layout(file.c.instance, key.operand);
  const int digits = (layout.element_bits() + 3) / 4;
  out += fmt::format("\n{}: {}\n", key.key, size_of(file.c.instance, key));
  const auto columns = static_cast<std::size_t>(layout.columns());
  for (std::size_t row = 0; row * columns < codes.size(); ++row) {
    const auto line = codes.subspan(row * columns, columns);
    if (std::all_of(line.begin(), line.end(), [&](std::uint64_t code) { return code == default_code(key); })) continue;
    const auto rows = static_cast<std::size_t>(layout.rows());
    if (layout.blocks() > 1) {
      out += fmt::format("{},{}:{}\n", row / rows, row % rows, codes_line(line, digits));
    } else {
      out += fmt::format("{}:{}\n", row, codes_line(line, digits));
    }
  }
}

void add_unread(const CaseFile& file, const MatrixKey& key, std::string& out) {
  const catalogue::RegisterImage& image = file.c.*key.image;
  const auto held = element_bits(catalogue::shared_layout(file.c.instance, key.operand), image.registers);
  std::string lines;
  for (int lane = 0; lane < catalogue::kLanes; ++lane) {
    std::string line;
    bool any = false;
    for (int reg = 0; reg < image.registers; ++reg) {
      const std::uint32_t bits = image.at(lane, reg) & ~held[static_cast<std::size_t>(lane * image.registers + reg)];
      any |= bits != 0;
      line += fmt::format(" {:08x}", bits);
    }
    if (any) lines += fmt::format("{}:{}\n", lane, line);
  }
  if (!lines.empty()) out += fmt::format("\n{}{}: {} registers\n{}", kUnread, key.key, image.registers, lines);
}

}  // namespace

std::string_view word_of(const ReplayLabel& label) {
  if (label.failed == 0) return "not reproduced";
  return label.failed == label.runs ? "deterministic" : "intermittent";
}

std::string to_text(const CaseFile& file) {
  std::string out = fmt::format("{} {}\n", kHeader, kCaseFileVersion);
  for (const std::string& comment : file.comments) out += fmt::format("# {}\n", escaped(comment));
  out += fmt::format("instance: {}\n", catalogue::instance_id(file.c.instance));
  out += fmt::format("seed: {}\nindex: {}\n", file.c.seed, file.c.index);
  if (!file.c.operand_class.empty()) out += fmt::format("operand-class: {}\n", escaped(file.c.operand_class));
  for (const TextKey& key : kTextKeys) {
    if (!(file.*key.value).empty()) out += fmt::format("{}: {}\n", key.key, escaped(file.*key.value));
  }
  for (const std::string& flag : file.flags) out += fmt::format("flag: {}\n", escaped(flag));
  if (file.label) {
    out += fmt::format("failed: {} of {}\n", file.label->failed, file.label->runs);
  }
  for (const MatrixKey& key : kMatrixKeys) {
    if (key.scale && !file.c.has_scales) continue;
    if (key.codes) {
      if (file.*key.codes) add_matrix(file, key, *(file.*key.codes), out);
    } else {
      const catalogue::RegisterImage& image = file.c.*key.image;
      add_matrix(file, key, catalogue::read_elements(catalogue::shared_layout(file.c.instance, key.operand), image),
                 out);
    }
  }
  for (const MatrixKey& key : kMatrixKeys) {
    if (key.image && (!key.scale || file.c.has_scales)) add_unread(file, key, out);
  }
  return out + "\nend\n";
}

tl::expected<void, std::string> save_case_file(const CaseFile& file, const std::filesystem::path& path) {
  return system::write_whole_file(path.has_parent_path() ? path : std::filesystem::path(".") / path, to_text(file));
}

}  // namespace mfma::cases
