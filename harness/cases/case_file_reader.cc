// Line by line; the first thing that is wrong ends the reading. Nothing is sized by what the file says: only by what
// the instance says.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <set>

#include "harness/cases/case_file.h"
#include "harness/cases/case_file_parts.h"
#include "harness/compilers/levels.h"

namespace mfma::cases {
namespace {

using namespace detail;
using Status = tl::expected<void, std::string>;

constexpr std::uint64_t kMostRuns = 1'000'000;
constexpr std::size_t kMostFlags = 100;

template <typename Integer>
bool parse_number(std::string_view text, Integer& value, int base = 10) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc{} && end == text.data() + text.size();
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// What a message quotes: printable, and short.
std::string shown(std::string_view text) {
  std::string out(text.substr(0, 60));
  std::replace_if(
      out.begin(), out.end(), [](char c) { return c < 0x20 || c > 0x7e; }, '?');
  return text.size() > 60 ? out + "..." : out;
}

// The words of a line, by blanks.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = text.find_first_not_of(" \t"); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(" \t", at), text.size());
    words.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(" \t", end);
  }
  return words;
}

class Reader {
 public:
  Reader(std::string_view text, std::string_view name) : rest_(text), name_(name) {}

  tl::expected<CaseFile, std::string> read() {
    if (Status status = read_header(); !status) return tl::unexpected(status.error());
    while (next_line()) {
      if (line_ == "end") {
        ended_ = true;
        continue;
      }
      if (Status status = read_line(); !status) return tl::unexpected(status.error());
    }
    return finish();
  }

 private:
  // A part that lines "N: ..." belong to; nothing before the first.
  enum class Part { kKeys, kMatrix, kUnread };

  Status error(const std::string& what) const { return tl::unexpected(fmt::format("{}:{}: {}", name_, number_, what)); }

  // The next line that is not empty, without its end and the blanks around it; comments are kept aside.
  bool next_line() {
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      line_ = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++number_;
      if (line_.ends_with('\r')) line_.remove_suffix(1);
      line_ = trimmed(line_);
      if (line_.empty()) continue;
      if (line_.front() != '#') return true;
      std::string_view comment = line_.substr(1);
      if (comment.starts_with(' ')) comment.remove_prefix(1);
      file_.comments.push_back(unescaped(comment).value_or(std::string(comment)));
    }
    return false;
  }

  Status read_header() {
    number_ = 1;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    std::string_view line = trimmed(rest_.substr(0, end));
    if (line.ends_with('\r')) line = trimmed(line.substr(0, line.size() - 1));
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    int version = 0;
    if (!line.starts_with(kHeader) || !parse_number(trimmed(line.substr(kHeader.size())), version)) {
      return error(fmt::format("not a case file: the first line must be '{} {}'", kHeader, kCaseFileVersion));
    }
    if (version != kCaseFileVersion) {
      return error(
          fmt::format("version {} is not known; this program reads version {}: use the program that wrote the "
                      "file, or write it anew with run --artifacts",
                      version, kCaseFileVersion));
    }
    return {};
  }

  Status read_line() {
    if (ended_)
      return error(fmt::format("'{}' stands after the end: remove it, or the line 'end' before it", shown(line_)));
    const std::size_t colon = line_.find(':');
    if (colon == std::string_view::npos) {
      return error(fmt::format("'{}' is not of the form 'key: value', 'ROW: codes' or 'end'", shown(line_)));
    }
    const std::string_view key = trimmed(line_.substr(0, colon));
    const std::string_view value = trimmed(line_.substr(colon + 1));
    if (!key.empty() && key.find_first_not_of("0123456789,") == std::string_view::npos) return read_row(key, value);
    if (key != "flag" && !seen_.insert(std::string(key)).second) {
      return error(fmt::format("'{}' is there twice: remove one", shown(key)));
    }
    return read_key(key, value);
  }

  Status read_key(std::string_view key, std::string_view value) {
    finish_matrix();
    part_ = Part::kKeys;
    if (key == "instance") return read_instance(value);
    if (key == "seed") return read_count(key, value, file_.c.seed);
    if (key == "index") return read_count(key, value, file_.c.index);
    if (key == "operand-class") return read_text(key, value, file_.c.operand_class);
    if (key == "failed") return read_label(value);
    if (key == "flag") {
      if (file_.flags.size() == kMostFlags) return error(fmt::format("more than {} flags", kMostFlags));
      file_.flags.emplace_back();
      return read_text(key, value, file_.flags.back());
    }
    for (const TextKey& text : kTextKeys) {
      if (text.key == key) return read_text(key, value, file_.*text.value);
    }
    for (const MatrixKey& matrix : kMatrixKeys) {
      if (matrix.key == key) return begin_matrix(matrix, value);
      if (matrix.image && key.starts_with(kUnread) && key.substr(kUnread.size()) == matrix.key) {
        return begin_unread(matrix, value);
      }
    }
    return error(fmt::format(
        "the key '{}' is not known: remove the line, or correct it (docs/case-file.md has all keys)", shown(key)));
  }

  Status read_count(std::string_view key, std::string_view value, std::uint64_t& target) {
    if (parse_number(value, target)) return {};
    return error(fmt::format("{} '{}' is not a number from 0 to 2^64 - 1", key, shown(value)));
  }

  Status read_text(std::string_view key, std::string_view value, std::string& target) {
    const auto text = unescaped(value);
    if (!text || text->empty()) {
      return error(text ? fmt::format("{} is empty: remove the line where it is not known", key)
                        : fmt::format("{}: a \\ that is not followed by xHH; write \\x5c for \\ itself", key));
    }
    target = *text;
    if (key == "level") {
      if (!compilers::is_level(target))
        return error(fmt::format("level '{}' is not one of {}", shown(target), compilers::levels_in_words()));
    }
    if (key == "cbsz-reading" && target != "per-set" && target != "whole-wave") {
      return error(fmt::format("cbsz-reading '{}' is neither per-set nor whole-wave", shown(target)));
    }
    return {};
  }

  Status read_label(std::string_view value) {
    const std::vector<std::string_view> words = words_of(value);
    ReplayLabel label;
    if (words.size() != 3 || words[1] != "of" || !parse_number(words[0], label.failed) ||
        !parse_number(words[2], label.runs) || label.runs < 1 || label.runs > kMostRuns || label.failed > label.runs) {
      return error(
          fmt::format("failed '{}' is not of the form 'K of N', K at most N, N from 1 to {}", shown(value), kMostRuns));
    }
    file_.label = label;
    return {};
  }

  Status read_instance(std::string_view value) {
    const auto instance = catalogue::parse_instance(value);
    if (!instance) return error(instance.error());
    file_.c.instance = *instance;
    file_.c.has_scales = instance->modifiers.scaled;
    for (const MatrixKey& key : kMatrixKeys) {
      if (!key.image || (key.scale && !file_.c.has_scales)) continue;
      catalogue::RegisterImage& image = file_.c.*key.image;
      image = empty_image(*instance, key.operand);
      const catalogue::Layout& layout = catalogue::shared_layout(*instance, key.operand);
      catalogue::write_elements(layout, std::vector<std::uint64_t>(layout.locations().size(), default_code(key)),
                                image);
    }
    return {};
  }

  Status require_instance(const MatrixKey& key) const {
    const catalogue::Instance& instance = file_.c.instance;
    if (!instance.builtin)
      return error(fmt::format("{} stands before the instance: move 'instance:' to the top", key.key));
    if (key.scale && !file_.c.has_scales) {
      return error(fmt::format("{} has no scales: remove {}, or correct the instance", catalogue::instance_id(instance),
                               key.key));
    }
    return {};
  }

  Status begin_matrix(const MatrixKey& key, std::string_view value) {
    if (Status status = require_instance(key); !status) return status;
    const std::string size = size_of(file_.c.instance, key);
    if (value != size) {
      return error(fmt::format("{} of {} is '{}', not '{}': correct the line or the instance", key.key,
                               catalogue::instance_id(file_.c.instance), size, shown(value)));
    }
    part_ = Part::kMatrix;
    matrix_ = &key;
    rows_.clear();
    codes_.assign(catalogue::shared_layout(file_.c.instance, key.operand).locations().size(), default_code(key));
    return {};
  }

  Status begin_unread(const MatrixKey& key, std::string_view value) {
    if (Status status = require_instance(key); !status) return status;
    const catalogue::RegisterImage& image = file_.c.*key.image;
    if (value != fmt::format("{} registers", image.registers)) {
      return error(fmt::format("{} of {} has {} registers, not '{}'", key.key, catalogue::instance_id(file_.c.instance),
                               image.registers, shown(value)));
    }
    part_ = Part::kUnread;
    matrix_ = &key;
    rows_.clear();
    held_ = element_bits(catalogue::shared_layout(file_.c.instance, key.operand), image.registers);
    return {};
  }

  Status read_row(std::string_view row, std::string_view value) {
    if (part_ == Part::kMatrix) return read_codes(row, value);
    if (part_ == Part::kUnread) return read_unread(row, value);
    return error(fmt::format("row '{}' belongs to no matrix: write 'A: ...' or the like before it", shown(row)));
  }

  // Row, counted over all blocks.
  tl::expected<std::size_t, std::string> row_number(std::string_view text, const catalogue::Layout& layout) const {
    const std::size_t comma = text.find(',');
    int block = 0, row = 0;
    const bool blocks = layout.blocks() > 1;
    const bool read = blocks ? comma != std::string_view::npos && parse_number(text.substr(0, comma), block) &&
                                   parse_number(text.substr(comma + 1), row)
                             : parse_number(text, row);
    if (!read || block >= layout.blocks() || row >= layout.rows()) {
      const std::string form = blocks ? fmt::format("BLOCK,ROW with blocks from 0 to {} and rows", layout.blocks() - 1)
                                      : std::string("a number");
      return tl::unexpected(error(fmt::format("'{}' is not a row of {}: want {} from 0 to {}", shown(text),
                                              matrix_->key, form, layout.rows() - 1))
                                .error());
    }
    return static_cast<std::size_t>(block * layout.rows() + row);
  }

  Status read_codes(std::string_view text, std::string_view value) {
    const catalogue::Layout& layout = catalogue::shared_layout(file_.c.instance, matrix_->operand);
    const auto row = row_number(text, layout);
    if (!row) return tl::unexpected(row.error());
    if (!rows_.insert(*row).second)
      return error(fmt::format("row {} of {} is there twice: remove one", text, matrix_->key));
    const auto columns = static_cast<std::size_t>(layout.columns());
    std::vector<std::uint64_t> codes;
    for (const std::string_view word : words_of(value)) {
      const std::size_t star = std::min(word.find('*'), word.size());
      std::uint64_t code = 0, times = 1;
      if (!parse_number(word.substr(0, star), code, 16) ||
          (layout.element_bits() < 64 && code >> layout.element_bits() != 0)) {
        return error(fmt::format("'{}' is not a code of {} bits in hex", shown(word), layout.element_bits()));
      }
      if (star < word.size() && (!parse_number(word.substr(star + 1), times) || times < 1 || times > columns)) {
        return error(fmt::format("'{}': want CODE*N with N from 1 to {}", shown(word), columns));
      }
      codes.insert(codes.end(), times, code);
      if (codes.size() > columns) break;
    }
    if (codes.size() != columns) {
      return error(fmt::format("row {} of {} has {} codes, want {}", text, matrix_->key,
                               codes.size() > columns ? "too many" : std::to_string(codes.size()), columns));
    }
    std::copy(codes.begin(), codes.end(), codes_.begin() + static_cast<std::ptrdiff_t>(*row * columns));
    return {};
  }

  // Puts the rows that were read where they belong.
  void finish_matrix() {
    if (part_ != Part::kMatrix) return;
    if (matrix_->codes) {
      file_.*matrix_->codes = codes_;
    } else {
      catalogue::write_elements(catalogue::shared_layout(file_.c.instance, matrix_->operand), codes_,
                                file_.c.*matrix_->image);
    }
  }

  Status read_unread(std::string_view text, std::string_view value) {
    catalogue::RegisterImage& image = file_.c.*matrix_->image;
    int lane = 0;
    if (!parse_number(text, lane) || lane >= catalogue::kLanes) {
      return error(fmt::format("'{}' is not a lane: want 0 to {}", shown(text), catalogue::kLanes - 1));
    }
    if (!rows_.insert(static_cast<std::size_t>(lane)).second) return error(fmt::format("lane {} is there twice", lane));
    const std::vector<std::string_view> words = words_of(value);
    if (words.size() != static_cast<std::size_t>(image.registers)) {
      return error(fmt::format("lane {} has {} dwords, want {}", lane, words.size(), image.registers));
    }
    for (int reg = 0; reg < image.registers; ++reg) {
      std::uint32_t bits = 0;
      const std::string_view word = words[static_cast<std::size_t>(reg)];
      if (!parse_number(word, bits, 16)) return error(fmt::format("'{}' is not a dword in hex", shown(word)));
      const std::uint32_t held = held_[static_cast<std::size_t>(lane * image.registers + reg)];
      if (bits & held) {
        return error(
            fmt::format("bits {:08x} of register {} are of elements: set them in {}", bits & held, reg, matrix_->key));
      }
      image.at(lane, reg) |= bits;
    }
    return {};
  }

  tl::expected<CaseFile, std::string> finish() {
    finish_matrix();
    if (!ended_) return tl::unexpected(error("the file stops without the line 'end': it was cut short").error());
    const auto missing = [&](std::string_view key) {
      return tl::unexpected(
          error(fmt::format("there is no '{}:', which every case of this instance needs", key)).error());
    };
    if (!file_.c.instance.builtin) return missing("instance");
    for (const MatrixKey& key : kMatrixKeys) {
      const bool needed = key.image && (!key.scale || file_.c.has_scales);
      if (needed && !seen_.contains(std::string(key.key))) return missing(key.key);
    }
    return std::move(file_);
  }

  std::string_view rest_, name_, line_;
  std::size_t number_ = 0;
  CaseFile file_;
  std::set<std::string> seen_;
  Part part_ = Part::kKeys;
  const MatrixKey* matrix_ = nullptr;
  std::set<std::size_t> rows_;        // of the part
  std::vector<std::uint64_t> codes_;  // of the matrix
  std::vector<std::uint32_t> held_;   // of the unread part
  bool ended_ = false;
};

}  // namespace

tl::expected<CaseFile, std::string> parse_case_file(std::string_view text, std::string_view file_name) {
  if (text.size() > kLargestCaseFile) {
    return tl::unexpected(fmt::format("{}:1: larger than {} bytes: not a case file", file_name, kLargestCaseFile));
  }
  return Reader(text, file_name).read();
}

tl::expected<CaseFile, std::string> load_case_file(const std::filesystem::path& path) {
  std::error_code ignored;
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path, ignored)) {
    return tl::unexpected(fmt::format("{}: cannot be read: no such file, a folder, or not permitted", path.string()));
  }
  std::string text(kLargestCaseFile + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) return tl::unexpected(fmt::format("{}: cannot be read", path.string()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return parse_case_file(text, path.string());
}

}  // namespace mfma::cases
