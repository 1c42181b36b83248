#include "oracles/plain/eval.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

namespace mfma::oracles {
namespace {

constexpr std::size_t kScaleBlock = 32;
constexpr std::string_view kSpace = " \t\r\n";
constexpr std::string_view kArrow = "=>";

struct Refusal {
  std::string line;
};

[[noreturn]] void refuse(std::size_t offset, const std::string& what) {
  throw Refusal{fmt::format("column {}: {}", offset + 1, what)};
}

// A word of the line and where it starts.
struct Word {
  std::string_view text;
  std::size_t offset = 0;
};

std::vector<Word> words_of(std::string_view line) {
  std::vector<Word> words;
  std::size_t at = line.find_first_not_of(kSpace);
  while (at != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(kSpace, at), line.size());
    words.push_back({line.substr(at, end - at), at});
    at = line.find_first_not_of(kSpace, end);
  }
  return words;
}

// One field of a line: how many values it takes, how wide, and where they go.
struct Field {
  std::string_view name;
  std::size_t count;
  int bits;
  std::vector<std::uint64_t> values;
  bool seen = false;
};

std::uint64_t value_of(Word word, std::string_view field, int bits) {
  if (word.text.empty()) refuse(word.offset, fmt::format("{}: a value is missing", field));
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.text.data(), word.text.data() + word.text.size(), value, 16);
  if (error == std::errc::invalid_argument || end != word.text.data() + word.text.size()) {
    refuse(word.offset, fmt::format("{}: '{}' is not hex", field, word.text));
  }
  if (error == std::errc::result_out_of_range || (bits < 64 && value >> bits != 0)) {
    refuse(word.offset, fmt::format("{}: '{}' is wider than {} bits", field, word.text, bits));
  }
  return value;
}

void read_values(Word list, Field& field) {
  std::size_t at = 0;
  while (true) {
    const std::size_t end = std::min(list.text.find(',', at), list.text.size());
    field.values.push_back(value_of({list.text.substr(at, end - at), list.offset + at}, field.name, field.bits));
    if (end == list.text.size()) break;
    at = end + 1;
  }
  if (field.values.size() != field.count) {
    refuse(list.offset, fmt::format("{}: {} value(s), but {} needed", field.name, field.values.size(), field.count));
  }
}

void read_field(const Word& word, std::array<Field, 5>& fields, bool scaled) {
  const std::size_t colon = word.text.find(':');
  if (colon == std::string_view::npos) {
    refuse(word.offset, fmt::format("'{}' is no field; a field is a:, b:, c:, sa: or sb: with its values", word.text));
  }
  const std::string_view name = word.text.substr(0, colon);
  const auto field = std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.name == name; });
  if (field == fields.end()) {
    refuse(word.offset, fmt::format("unknown field '{}'; known are a, b, c, sa, sb", name));
  }
  if (!scaled && name.front() == 's') refuse(word.offset, fmt::format("{}: this builtin takes no scales", name));
  if (field->seen) refuse(word.offset, fmt::format("{}: stands twice", name));
  field->seen = true;
  read_values({word.text.substr(colon + 1), word.offset + colon + 1}, *field);
}

EvalCase parse(std::string_view line, const EvalShape& shape) {
  const auto k = static_cast<std::size_t>(shape.k);
  const std::size_t blocks = shape.scaled ? (k + kScaleBlock - 1) / kScaleBlock : 0;
  std::array<Field, 5> fields = {{{"a", k, shape.a_format.bits, {}},
                                  {"b", k, shape.b_format.bits, {}},
                                  {"c", 1, shape.acc_format.bits, {}},
                                  {"sa", blocks, 8, {}},
                                  {"sb", blocks, 8, {}}}};
  EvalCase result;
  result.shape = shape;
  const std::vector<Word> words = words_of(line);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].text != kArrow) {
      read_field(words[i], fields, shape.scaled);
      continue;
    }
    if (i + 2 != words.size()) refuse(words[i].offset, "'=>' takes one value, at the end of the line");
    result.expected = value_of(words[i + 1], "=>", shape.acc_format.bits);
    break;
  }
  for (const Field& f : fields) {
    if (!f.seen && f.count != 0) refuse(line.size(), fmt::format("{}: is missing", f.name));
  }
  const auto bytes = [](const std::vector<std::uint64_t>& values) {
    std::vector<std::uint8_t> narrow;
    for (std::uint64_t v : values) narrow.push_back(static_cast<std::uint8_t>(v));
    return narrow;
  };
  result.a = fields[0].values;
  result.b = fields[1].values;
  result.c = fields[2].values.front();
  result.scale_a = bytes(fields[3].values);
  result.scale_b = bytes(fields[4].values);
  return result;
}

std::uint64_t negated(std::uint64_t code, bool negate, const Format& f) {
  return negate ? code ^ (std::uint64_t{1} << (f.bits - 1)) : code;
}

std::vector<std::uint64_t> negated(std::vector<std::uint64_t> codes, bool negate, const Format& f) {
  for (std::uint64_t& code : codes) code = negated(code, negate, f);
  return codes;
}

// The case as a dot product, its operands negated where asked. The problem points into this object.
struct Negated {
  explicit Negated(const EvalCase& e)
      : a(negated(e.a, e.shape.negate_a, e.shape.a_format)), b(negated(e.b, e.shape.negate_b, e.shape.b_format)) {
    problem = {e.shape.a_format,
               e.shape.b_format,
               e.shape.acc_format,
               a,
               b,
               negated(e.c, e.shape.negate_c, e.shape.acc_format),
               e.shape.scaled,
               e.scale_a,
               e.scale_b};
  }
  Negated(const Negated&) = delete;
  Negated& operator=(const Negated&) = delete;

  std::vector<std::uint64_t> a, b;
  DotProblem problem;
};

}  // namespace

tl::expected<EvalCase, std::string> parse_eval_line(std::string_view line, const EvalShape& shape) {
  try {
    return parse(line, shape);
  } catch (const Refusal& refusal) {
    return tl::unexpected(refusal.line);
  }
}

tl::expected<std::uint64_t, std::string> evaluate(const EvalCase& e, const Model& model) {
  if (auto error = model_error(model, e.shape.a_format, e.shape.b_format, e.shape.acc_format)) {
    return tl::unexpected(*error);
  }
  return dot_product(Negated(e).problem, model);
}

bool is_exact(const EvalCase& e) { return is_exact(Negated(e).problem); }

std::string hex_of(std::uint64_t bits, const Format& f) { return fmt::format("{:0{}x}", bits, (f.bits + 3) / 4); }

}  // namespace mfma::oracles
