#include "reports/html/html_calls.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "harness/catalogue/instance.h"
#include "harness/catalogue/register_image.h"
#include "oracles/formats/format.h"
#include "oracles/plain/modifiers.h"

namespace mfma::reports::html {
namespace {

using catalogue::Instance;
using catalogue::Layout;
using catalogue::ModifierKind;
using catalogue::Operand;

constexpr std::string_view kScaleFormat = "e8m0";

// Numbers that mostly go up by one, as [first, how many, first, how many, ...].
Json runs_of(const std::vector<int>& numbers) {
  Json runs = Json::array();
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    runs.push_back(numbers[i]);
    runs.push_back(end - i);
    i = end;
  }
  return runs;
}

// For each element of A or B, in [block][row][column] order, the one whose stored code is read in its place.
std::vector<int> sources(const Instance& instance, Operand operand, const oracles::DenseModifiers& modifiers) {
  const catalogue::Shape& s = instance.builtin->shape;
  const oracles::DenseShape shape = {s.m, s.n, s.k, s.blocks};
  const bool is_a = operand == Operand::kA;
  const int rows = is_a ? s.m : s.k, columns = is_a ? s.k : s.n;
  std::vector<int> from;
  for (int block = 0; block < s.blocks; ++block) {
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) {
        const oracles::ElementPlace p = is_a ? oracles::source_of_a(shape, modifiers, {block, row, column})
                                             : oracles::source_of_b(shape, modifiers, {block, column, row});
        const int source_row = is_a ? p.row_or_column : p.k, source_column = is_a ? p.k : p.row_or_column;
        from.push_back((p.block * rows + source_row) * columns + source_column);
      }
    }
  }
  return from;
}

std::string negated(const Instance& instance) {
  std::string names;
  if (instance.builtin->modifiers != ModifierKind::kNegate) return names;
  for (int bit = 0; bit < 3; ++bit) {
    if ((instance.modifiers.blgp >> bit & 1) != 0) names += "ABC"[bit];
  }
  return names;
}

}  // namespace

std::string decimal(std::string_view format, std::uint64_t code) {
  const oracles::Format* f = oracles::find_format(format);
  if (!f) return {};
  const oracles::Decoded x = oracles::decode(*f, code);
  const char* sign = x.negative ? "-" : "";
  if (x.cls == oracles::ValueClass::kNan) return "NaN";
  if (x.cls == oracles::ValueClass::kInfinity) return fmt::format("{}inf", sign);
  if (!f->is_signed) return fmt::format("2^{}", x.exponent + f->fraction_bits);
  if (f->is_integer) return fmt::format("{}{}", sign, x.significand);
  // Exact: no format here has more bits or a wider range than double.
  const double value = std::ldexp(static_cast<double>(x.significand), x.exponent) * (x.negative ? -1 : 1);
  return f->bits > 32 ? fmt::format("{}", value) : fmt::format("{}", static_cast<float>(value));
}

std::string Calls::add_value(std::string_view format, std::uint64_t code) {
  const oracles::Format* f = oracles::find_format(format);
  std::string hex = fmt::format("{:0{}x}", code, f ? (f->bits + 3) / 4 : 16);
  formats_.emplace(format);
  // ordered_json looks names up one after the other: too slow for the many codes that a format may have.
  if (Texts& texts = values_[std::string(format)]; !texts.contains(hex)) {
    bytes_ += hex.size() + texts.try_emplace(hex, decimal(format, code)).first->second.size() + 8;
  }
  return hex;
}

std::string Calls::add_layout(const Instance& instance, Operand operand, std::string_view format) {
  static constexpr const char* kNames[] = {"A", "B", "C", "D", "scale-A", "scale-B"};
  std::string key = fmt::format("{} {} {}", instance.builtin->name, kNames[static_cast<int>(operand)], format);
  if (operand == Operand::kScaleA) key += fmt::format(" {}", instance.modifiers.op_sel_a);
  if (operand == Operand::kScaleB) key += fmt::format(" {}", instance.modifiers.op_sel_b);
  if (layouts_.contains(key)) return key;
  const Layout& layout = catalogue::shared_layout(instance, operand);
  Json at = Json::array();
  for (const catalogue::Location& l : layout.locations()) at.push_back(l.lane * 32 * layout.registers() + l.bit);
  formats_.emplace(format);
  bytes_ += 7 * layout.locations().size() + 200;
  layouts_[key] = {{"blocks", layout.blocks()},
                   {"rows", layout.rows()},
                   {"columns", layout.columns()},
                   {"registers", layout.registers()},
                   {"bits", layout.element_bits()},
                   {"format", format},
                   {"at", std::move(at)}};
  return key;
}

bool Calls::add(const std::string& instance_id) {
  if (calls_.contains(instance_id)) return true;
  const auto parsed = catalogue::parse_instance(instance_id);
  if (!parsed) return false;
  const Instance& i = *parsed;
  const std::string_view acc = catalogue::name_of(i.builtin->acc_format);
  Json call = {{"format", acc}, {"layouts", Json::object()}};
  const auto layout = [&](const char* name, Operand operand, std::string_view format) {
    call["layouts"][name] = add_layout(i, operand, format);
  };
  layout("A", Operand::kA, catalogue::name_of(i.a_format()));
  layout("B", Operand::kB, catalogue::name_of(i.b_format()));
  layout("C", Operand::kC, acc);
  layout("D", Operand::kD, acc);
  if (i.modifiers.scaled) {
    layout("scale-A", Operand::kScaleA, kScaleFormat);
    layout("scale-B", Operand::kScaleB, kScaleFormat);
  }
  if (i.builtin->modifiers == ModifierKind::kBroadcast) {
    oracles::DenseModifiers m;
    m.cbsz = i.modifiers.cbsz;
    m.abid = i.modifiers.abid;
    m.blgp = i.modifiers.blgp;
    m.reading = reading_ == "whole-wave" ? oracles::BroadcastReading::kWholeWave : oracles::BroadcastReading::kPerSet;
    if (m.cbsz != 0) call["a_from"] = runs_of(sources(i, Operand::kA, m));
    if (m.blgp != 0) call["b_from"] = runs_of(sources(i, Operand::kB, m));
  }
  if (const std::string names = negated(i); !names.empty()) call["negated"] = names;
  bytes_ += call.dump().size() + instance_id.size() + 8;
  calls_[instance_id] = std::move(call);
  return true;
}

void Calls::add_result(const std::string& instance_id, std::uint64_t code) {
  if (const auto found = calls_.find(instance_id); found != calls_.end()) {
    add_value((*found)["format"].get<std::string>(), code);
  }
}

Json Calls::matrix(const Layout& layout, std::string_view format, const std::vector<std::uint64_t>& codes) {
  std::string text;
  for (std::size_t i = 0; i < codes.size();) {
    std::size_t end = i + 1;
    while (end < codes.size() && codes[end] == codes[i]) ++end;
    text += fmt::format("{}{}", i == 0 ? "" : " ", add_value(format, codes[i]));
    if (end - i > 1) text += fmt::format("*{}", end - i);
    i = end;
  }
  return {{"blocks", layout.blocks()},
          {"rows", layout.rows()},
          {"columns", layout.columns()},
          {"format", format},
          {"codes", text}};
}

Json Calls::matrices(const cases::CaseFile& file) {
  const cases::Case& c = file.c;
  add(catalogue::instance_id(c.instance));
  Json out = Json::object();
  const auto image = [&](const char* name, Operand operand, std::string_view format,
                         const catalogue::RegisterImage& registers) {
    const Layout& layout = catalogue::shared_layout(c.instance, operand);
    out[name] = matrix(layout, format, catalogue::read_elements(layout, registers));
  };
  const std::string_view acc = catalogue::name_of(c.instance.builtin->acc_format);
  image("A", Operand::kA, catalogue::name_of(c.instance.a_format()), c.a);
  image("B", Operand::kB, catalogue::name_of(c.instance.b_format()), c.b);
  image("C", Operand::kC, acc, c.c);
  if (c.has_scales) {
    image("scale-A", Operand::kScaleA, kScaleFormat, c.scale_a);
    image("scale-B", Operand::kScaleB, kScaleFormat, c.scale_b);
  }
  const Layout& d = catalogue::shared_layout(c.instance, Operand::kD);
  if (file.expected) out["expected"] = matrix(d, acc, *file.expected);
  if (file.actual) out["actual"] = matrix(d, acc, *file.actual);
  return out;
}

Json Calls::formats() const {
  Json out = Json::object();
  for (const std::string& name : formats_) {
    const oracles::Format* f = oracles::find_format(name);
    if (!f) continue;
    out[name] = {{"bits", f->bits},
                 {"exponent", f->exponent_bits},
                 {"fraction", f->fraction_bits},
                 {"signed", f->is_signed},
                 {"integer", f->is_integer}};
  }
  return out;
}

}  // namespace mfma::reports::html
