#include "harness/catalogue/instance.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdlib>

#include "harness/catalogue/quoted.h"

namespace mfma::catalogue {
namespace {

struct FormatCode {
  std::string_view short_name;
  ElementFormat format;
  int registers;  // per operand of an f8f6f4 builtin: CDNA4 ISA 7.1.5
};

// CBSZ selects the format of A, BLGP that of B: CDNA4 ISA 7.1.5. Codes 5 to 7 are documented nowhere.
constexpr std::array<FormatCode, 5> kFormatCodes{{{"fp8", ElementFormat::kFp8E4m3, 8},
                                                  {"bf8", ElementFormat::kBf8E5m2, 8},
                                                  {"fp6", ElementFormat::kFp6E2m3, 6},
                                                  {"bf6", ElementFormat::kBf6E3m2, 6},
                                                  {"fp4", ElementFormat::kFp4E2m1, 4}}};
constexpr int kFormatCount = static_cast<int>(kFormatCodes.size());
constexpr int kBlgpCount = 8;
constexpr int kScaleBytes = 4;
constexpr std::string_view kOperandLetters = "abc";

const FormatCode& row_of_code(int code) { return kFormatCodes.at(static_cast<std::size_t>(code)); }

int log2_blocks(const Builtin& builtin) { return std::countr_zero(static_cast<unsigned>(builtin.shape.blocks)); }

std::string out_of_range(const Builtin& builtin, std::string_view what, int value, int low, int high,
                         std::string_view why) {
  const std::string range = low == high ? fmt::format("{}", low) : fmt::format("{}..{}", low, high);
  return fmt::format("{}: {}={} is not legal, legal is {} ({})", builtin.name, what, value, range, why);
}

bool outside(int value, int low, int high) { return value < low || value > high; }

std::string why_illegal_broadcast(const Builtin& builtin, const Modifiers& m) {
  const int highest = log2_blocks(builtin);
  if (outside(m.cbsz, 0, highest)) {
    return out_of_range(builtin, "cbsz", m.cbsz, 0, highest,
                        fmt::format("2^cbsz may not exceed the number of blocks, {}", builtin.shape.blocks));
  }
  if (outside(m.abid, 0, (1 << m.cbsz) - 1)) {
    return out_of_range(builtin, "abid", m.abid, 0, (1 << m.cbsz) - 1,
                        fmt::format("abid must be below 2^cbsz, and cbsz is {}", m.cbsz));
  }
  if (outside(m.blgp, 0, kBlgpCount - 1)) {
    return out_of_range(builtin, "blgp", m.blgp, 0, kBlgpCount - 1, "the field has three bits");
  }
  return {};
}

std::string why_illegal_negate(const Builtin& builtin, const Modifiers& m) {
  constexpr std::string_view kIgnored = "f64 instructions ignore it";
  if (m.cbsz != 0) return out_of_range(builtin, "cbsz", m.cbsz, 0, 0, kIgnored);
  if (m.abid != 0) return out_of_range(builtin, "abid", m.abid, 0, 0, kIgnored);
  if (outside(m.blgp, 0, kBlgpCount - 1)) {
    return out_of_range(builtin, "blgp", m.blgp, 0, kBlgpCount - 1, "bits 0, 1 and 2 negate A, B and C");
  }
  return {};
}

std::string why_illegal_scaled(const Builtin& builtin, const Modifiers& m) {
  constexpr std::string_view kCodes = "0 fp8, 1 bf8, 2 fp6, 3 bf6, 4 fp4";
  constexpr std::string_view kByte = "it selects one of the four bytes of the scale";
  constexpr std::string_view kUnscaled = "the unscaled form reads no scale";
  if (outside(m.cbsz, 0, kFormatCount - 1)) {
    return out_of_range(builtin, "cbsz", m.cbsz, 0, kFormatCount - 1, fmt::format("the format of A: {}", kCodes));
  }
  if (outside(m.blgp, 0, kFormatCount - 1)) {
    return out_of_range(builtin, "blgp", m.blgp, 0, kFormatCount - 1, fmt::format("the format of B: {}", kCodes));
  }
  if (m.abid != 0) return out_of_range(builtin, "abid", m.abid, 0, 0, "the builtin has no such argument");
  const int highest = m.scaled ? kScaleBytes - 1 : 0;
  const std::string_view why = m.scaled ? kByte : kUnscaled;
  if (outside(m.op_sel_a, 0, highest)) return out_of_range(builtin, "op_sel of A", m.op_sel_a, 0, highest, why);
  if (outside(m.op_sel_b, 0, highest)) return out_of_range(builtin, "op_sel of B", m.op_sel_b, 0, highest, why);
  return {};
}

std::vector<Modifiers> legal_broadcasts(const Builtin& builtin) {
  std::vector<Modifiers> all;
  for (int cbsz = 0; cbsz <= log2_blocks(builtin); ++cbsz) {
    for (int abid = 0; abid < 1 << cbsz; ++abid) {
      for (int blgp = 0; blgp < kBlgpCount; ++blgp) all.push_back({.cbsz = cbsz, .abid = abid, .blgp = blgp});
    }
  }
  return all;
}

std::vector<Modifiers> legal_negations() {
  std::vector<Modifiers> all;
  for (int blgp = 0; blgp < kBlgpCount; ++blgp) all.push_back({.blgp = blgp});
  return all;
}

std::vector<Modifiers> legal_scalings() {
  std::vector<Modifiers> all;
  for (int a = 0; a < kFormatCount; ++a) {
    for (int b = 0; b < kFormatCount; ++b) {
      all.push_back({.cbsz = a, .blgp = b});
      for (int byte_a = 0; byte_a < kScaleBytes; ++byte_a) {
        for (int byte_b = 0; byte_b < kScaleBytes; ++byte_b) {
          all.push_back({.cbsz = a, .blgp = b, .op_sel_a = byte_a, .op_sel_b = byte_b, .scaled = true});
        }
      }
    }
  }
  return all;
}

std::vector<Modifiers> legal_modifiers(const Builtin& builtin) {
  switch (builtin.modifiers) {
    case ModifierKind::kBroadcast:
      return legal_broadcasts(builtin);
    case ModifierKind::kNegate:
      return legal_negations();
    case ModifierKind::kScaled:
      return legal_scalings();
  }
  return {};
}

// The text after the ':' of an id; empty when there are no modifiers.
std::string modifier_text(const Builtin& builtin, const Modifiers& m) {
  if (builtin.modifiers == ModifierKind::kScaled) {
    const std::string form = m.scaled ? fmt::format("op_sel={}/{}", m.op_sel_a, m.op_sel_b) : "unscaled";
    return fmt::format("a={},b={},{}", short_name_of_code(m.cbsz), short_name_of_code(m.blgp), form);
  }
  std::string text;
  const auto append = [&text](std::string_view key, std::string_view value) {
    fmt::format_to(std::back_inserter(text), "{}{}={}", text.empty() ? "" : ",", key, value);
  };
  if (builtin.modifiers == ModifierKind::kNegate) {
    std::string negated;
    for (std::size_t bit = 0; bit < kOperandLetters.size(); ++bit) {
      if ((m.blgp >> bit & 1) != 0) negated += kOperandLetters[bit];
    }
    if (!negated.empty()) append("neg", negated);
    return text;
  }
  if (m.cbsz != 0) append("cbsz", fmt::format("{}", m.cbsz));
  if (m.abid != 0) append("abid", fmt::format("{}", m.abid));
  if (m.blgp != 0) append("blgp", fmt::format("{}", m.blgp));
  return text;
}

// What follows the ':' may say, by kind of modifiers: for error messages.
std::string_view grammar_of(ModifierKind kind) {
  switch (kind) {
    case ModifierKind::kBroadcast:
      return "cbsz=N, abid=N, blgp=N";
    case ModifierKind::kNegate:
      return "neg=LETTERS with letters of abc";
    case ModifierKind::kScaled:
      return "a=FORMAT, b=FORMAT (fp8, bf8, fp6, bf6, fp4) and op_sel=A/B (0..3 each) or unscaled";
  }
  return {};
}

using Status = tl::expected<void, std::string>;

Status parse_number(std::string_view text, int& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    return tl::unexpected(fmt::format("'{}' is not a number", text));
  }
  return {};
}

Status parse_format(std::string_view text, int& code) {
  for (int candidate = 0; candidate < kFormatCount; ++candidate) {
    if (short_name_of_code(candidate) == text) {
      code = candidate;
      return {};
    }
  }
  return tl::unexpected(fmt::format("'{}' is not a format, legal are fp8, bf8, fp6, bf6, fp4", text));
}

Status parse_negation(std::string_view text, int& blgp) {
  for (const char letter : text) {
    const std::size_t bit = kOperandLetters.find(letter);
    if (bit == std::string_view::npos) return tl::unexpected(fmt::format("'{}' is not one of a, b, c", letter));
    if ((blgp >> bit & 1) != 0) return tl::unexpected(fmt::format("'{}' is there twice", letter));
    blgp |= 1 << bit;
  }
  if (text.empty()) return tl::unexpected(std::string("it names no operand"));
  return {};
}

Status parse_op_sel(std::string_view text, Modifiers& m) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return tl::unexpected(fmt::format("'{}' is not of the form A/B", text));
  m.scaled = true;
  if (Status status = parse_number(text.substr(0, slash), m.op_sel_a); !status) return status;
  return parse_number(text.substr(slash + 1), m.op_sel_b);
}

Status apply_item(ModifierKind kind, std::string_view key, std::string_view value, Modifiers& m) {
  if (kind == ModifierKind::kBroadcast) {
    if (key == "cbsz") return parse_number(value, m.cbsz);
    if (key == "abid") return parse_number(value, m.abid);
    if (key == "blgp") return parse_number(value, m.blgp);
  } else if (kind == ModifierKind::kNegate) {
    if (key == "neg") return parse_negation(value, m.blgp);
  } else {
    if (key == "a") return parse_format(value, m.cbsz);
    if (key == "b") return parse_format(value, m.blgp);
    if (key == "op_sel") return parse_op_sel(value, m);
    if (key == "unscaled" && value.empty()) return {};
  }
  return tl::unexpected(std::string("the builtin has no such modifier"));
}

Status parse_modifiers(const Builtin& builtin, std::string_view text, Modifiers& m) {
  const auto error = [&](std::string_view item, std::string_view why) {
    return tl::unexpected(fmt::format("{}: modifier '{}': {}; legal after ':' are {}", builtin.name, quoted(item),
                                      quoted(why), grammar_of(builtin.modifiers)));
  };
  std::vector<std::string_view> seen;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view item = text.substr(begin, end - begin);
    const std::size_t equals = std::min(item.find('='), item.size());
    const std::string_view key = item.substr(0, equals);
    const std::string_view value = equals == item.size() ? std::string_view{} : item.substr(equals + 1);
    for (const std::string_view earlier : seen) {
      if (earlier == key) return error(item, "it is there twice");
    }
    seen.push_back(key);
    if (Status status = apply_item(builtin.modifiers, key, value, m); !status) return error(item, status.error());
    begin = end + 1;
  }
  if (builtin.modifiers != ModifierKind::kScaled) return {};
  const auto said = [&seen](std::string_view key) { return std::ranges::find(seen, key) != seen.end(); };
  if (!said("a") || !said("b")) return error(text, "the formats of A and B must both be there");
  if (said("op_sel") == said("unscaled")) return error(text, "either op_sel or unscaled must be there");
  return {};
}

}  // namespace

ElementFormat format_of_code(int code) { return row_of_code(code).format; }
std::string_view short_name_of_code(int code) { return row_of_code(code).short_name; }

ElementFormat Instance::a_format() const {
  return builtin->modifiers == ModifierKind::kScaled ? format_of_code(modifiers.cbsz) : builtin->a_format;
}

ElementFormat Instance::b_format() const {
  return builtin->modifiers == ModifierKind::kScaled ? format_of_code(modifiers.blgp) : builtin->b_format;
}

int Instance::a_registers() const {
  return builtin->modifiers == ModifierKind::kScaled ? row_of_code(modifiers.cbsz).registers : builtin->a_registers;
}

int Instance::b_registers() const {
  return builtin->modifiers == ModifierKind::kScaled ? row_of_code(modifiers.blgp).registers : builtin->b_registers;
}

std::string instance_id(const Instance& i) {
  const std::string text = modifier_text(*i.builtin, i.modifiers);
  return text.empty() ? std::string(i.builtin->name) : fmt::format("{}:{}", i.builtin->name, text);
}

tl::expected<Instance, std::string> parse_instance(std::string_view id) {
  const std::size_t colon = std::min(id.find(':'), id.size());
  const Builtin* builtin = find_builtin(id.substr(0, colon));
  if (builtin == nullptr) return tl::unexpected(explain_unknown_name(id.substr(0, colon)));
  Instance instance{builtin, {}};
  if (colon < id.size()) {
    if (Status status = parse_modifiers(*builtin, id.substr(colon + 1), instance.modifiers); !status) {
      return tl::unexpected(status.error());
    }
  }
  if (std::string why = why_illegal(*builtin, instance.modifiers); !why.empty()) return tl::unexpected(std::move(why));
  return instance;
}

std::string why_illegal(const Builtin& builtin, const Modifiers& m) {
  if (builtin.modifiers == ModifierKind::kScaled) return why_illegal_scaled(builtin, m);
  if (m.scaled || m.op_sel_a != 0 || m.op_sel_b != 0) {
    return fmt::format("{}: it has no scales, so op_sel must be 0 and scaled false", builtin.name);
  }
  return builtin.modifiers == ModifierKind::kNegate ? why_illegal_negate(builtin, m)
                                                    : why_illegal_broadcast(builtin, m);
}

std::vector<Instance> legal_instances(const Builtin& builtin) {
  std::vector<Instance> instances;
  for (const Modifiers& m : legal_modifiers(builtin)) instances.push_back({&builtin, m});
  return instances;
}

std::vector<Instance> all_legal_instances() {
  std::vector<Instance> all;
  for (const Builtin& builtin : builtins()) {
    const std::vector<Instance> own = legal_instances(builtin);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

std::vector<const Builtin*> builtins_of(const std::vector<Instance>& instances) {
  std::vector<const Builtin*> all;
  for (const Instance& i : instances) {
    if (std::find(all.begin(), all.end(), i.builtin) == all.end()) all.push_back(i.builtin);
  }
  return all;
}

int legal_count(const Builtin& builtin) {
  switch (builtin.modifiers) {
    case ModifierKind::kBroadcast:
      return (2 * builtin.shape.blocks - 1) * kBlgpCount;
    case ModifierKind::kNegate:
      return kBlgpCount;
    case ModifierKind::kScaled:
      return kFormatCount * kFormatCount * (1 + kScaleBytes * kScaleBytes);
  }
  return 0;
}

int legal_rank(const Instance& i) {
  const Modifiers& m = i.modifiers;
  switch (i.builtin->modifiers) {
    case ModifierKind::kBroadcast:
      return ((1 << m.cbsz) - 1 + m.abid) * kBlgpCount + m.blgp;
    case ModifierKind::kNegate:
      return m.blgp;
    case ModifierKind::kScaled: {
      const int form = m.scaled ? 1 + m.op_sel_a * kScaleBytes + m.op_sel_b : 0;
      return (m.cbsz * kFormatCount + m.blgp) * (1 + kScaleBytes * kScaleBytes) + form;
    }
  }
  return 0;
}

bool rests_on_unsettled_broadcast(const Instance& i) {
  return i.builtin->modifiers == ModifierKind::kBroadcast && i.modifiers.cbsz > 0 &&
         i.modifiers.cbsz < log2_blocks(*i.builtin);
}

bool rests_on_unsettled_blgp(const Instance& i) {
  const Builtin& builtin = *i.builtin;
  return builtin.modifiers == ModifierKind::kBroadcast && i.modifiers.blgp != 0 && builtin.shape.blocks == 1 &&
         builtin.a_format != ElementFormat::kF32;
}

int blgp_source_lane(int blgp, int lane) {
  switch (blgp) {
    case 1:
    case 2:
      return lane % 32 + 32 * (blgp - 1);
    case 3:
      return (lane + 16) % 64;
    case 4:
    case 5:
    case 6:
    case 7:
      return lane % 16 + 16 * (blgp - 4);
    default:
      return lane;
  }
}

}  // namespace mfma::catalogue
