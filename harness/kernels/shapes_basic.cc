// Shapes of one or two calls: where C comes from, where D goes, and what the scales are.
#include <algorithm>
#include <array>

#include "harness/cases/case.h"
#include "harness/cases/rng.h"
#include "harness/kernels/shapes.h"

namespace mfma::kernels::detail {
namespace {

using catalogue::Builtin;
using catalogue::Instance;
using catalogue::Operand;
using Names = std::vector<std::string>;

bool any(const Instance&) { return true; }
bool is_scaled(const Instance& i) { return has_scales(i); }

template <const char* const* Begin, std::size_t Count>
Names fixed(const Builtin&) {
  return {Begin, Begin + Count};
}

cases::Rng rng_of(const Program& p, std::uint64_t seed) { return cases::Rng(cases::case_seed(seed, p.title, 0)); }

Program single(const Instance& instance, const std::string& variant, std::uint64_t) {
  ProgramBuilder p = begin("single", variant, {instance});
  const Operands o = load_operands(p, instance, 0);
  p.output(p.multiply(instance, {o.a, o.b, o.c}));
  return p.program();
}
constexpr const char* kOne[] = {"memory"};

// Inline constants of CDNA4 ISA Table 23: floats by their f32 bits, then 1..64 and -1..-16. For f64 the same as doubles
// and 64-bit integers.
constexpr int kInlinePerProgram = 6;

std::vector<std::uint64_t> inline_constants(bool is_double) {
  constexpr std::array<std::uint64_t, 10> kSingle = {0,          0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000,
                                                     0x40000000, 0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
  constexpr std::array<std::uint64_t, 10> kDouble = {0,
                                                     0x3fe0000000000000,
                                                     0xbfe0000000000000,
                                                     0x3ff0000000000000,
                                                     0xbff0000000000000,
                                                     0x4000000000000000,
                                                     0xc000000000000000,
                                                     0x4010000000000000,
                                                     0xc010000000000000,
                                                     0x3fc45f306dc9c882};
  std::vector<std::uint64_t> all;
  all.assign(is_double ? kDouble.begin() : kSingle.begin(), is_double ? kDouble.end() : kSingle.end());
  for (std::uint64_t n = 1; n <= 64; ++n) all.push_back(n);
  for (std::uint64_t n = 1; n <= 16; ++n) all.push_back(is_double ? 0 - n : (0 - n) & 0xffffffff);
  return all;
}

Names inline_groups(const Builtin&) {
  Names names;
  for (std::size_t first = 0; first < inline_constants(false).size(); first += kInlinePerProgram) {
    names.push_back("from" + std::to_string(first));
  }
  return names;
}

Program inline_constant(const Instance& instance, const std::string& variant, std::uint64_t) {
  ProgramBuilder p = begin("c-inline", variant, {instance});
  const ValueType type = type_named(instance.builtin->c_type);
  const std::vector<std::uint64_t> all = inline_constants(type.bits() == 64);
  const auto first = static_cast<std::size_t>(std::stoul(variant.substr(4)));
  const ValueId a = p.operand(instance, Operand::kA, 0);
  const ValueId b = p.operand(instance, Operand::kB, 0);
  for (std::size_t n = first; n < std::min(first + kInlinePerProgram, all.size()); ++n) {
    const ValueId c = p.splat(type, all[n]);
    p.output(p.multiply(instance, {a, b, c}));
  }
  return p.program();
}

constexpr const char* kLiterals[] = {"splat", "varied", "last-differs"};

// "last-differs": all dwords but the last are an inline constant, so that it must not be taken for a splat.
Program literal(const Instance& instance, const std::string& variant, std::uint64_t seed) {
  ProgramBuilder p = begin("c-literal", variant, {instance});
  cases::Rng rng = rng_of(p.program(), seed);
  const ValueType type = type_named(instance.builtin->c_type);
  const ValueId a = p.operand(instance, Operand::kA, 0);
  const ValueId b = p.operand(instance, Operand::kB, 0);
  const auto random32 = [&rng] { return static_cast<std::uint32_t>(rng.next() >> 32); };
  std::vector<std::uint32_t> dwords(static_cast<std::size_t>(type.registers()), 1);
  if (variant == "varied") std::generate(dwords.begin(), dwords.end(), random32);
  if (variant == "last-differs") dwords.back() = random32();
  const ValueId c = variant == "splat" ? p.splat(type, rng.next()) : p.constant(type, std::move(dwords));
  p.output(p.multiply(instance, {a, b, c}));
  return p.program();
}

constexpr const char* kPlaces[] = {"in-place", "apart", "twice"};

// Where D may take C's registers, and where it must not: C is used again after the call.
Program place(const Instance& instance, const std::string& variant, std::uint64_t) {
  ProgramBuilder p = begin("c-place", variant, {instance});
  const Operands o = load_operands(p, instance, 0);
  const ValueId c = p.pin(o.c, RegisterForm::kVgpr);
  const ValueId d = p.multiply(instance, {o.a, o.b, c});
  p.output(d);
  if (variant == "apart") p.output(c);
  if (variant == "twice") {
    const Operands second = load_operands(p, instance, 1);
    p.output(p.multiply(instance, {second.a, second.b, c}, CallForm::kBuiltin, 1));
  }
  return p.program();
}

constexpr const char* kChains[] = {"three", "kept"};

Program chain(const Instance& instance, const std::string& variant, std::uint64_t) {
  ProgramBuilder p = begin("chain", variant, {instance});
  const Operands first = load_operands(p, instance, 0);
  ValueId d = p.multiply(instance, {first.a, first.b, first.c});
  for (int n = 1; n < 3; ++n) {
    if (variant == "kept") p.output(d);
    const ValueId a = p.operand(instance, Operand::kA, n);
    const ValueId b = p.operand(instance, Operand::kB, n);
    d = p.multiply(instance, {a, b, d}, CallForm::kBuiltin, n);
  }
  p.output(d);
  return p.program();
}

Names partners(const Builtin& builtin) {
  // From this one on, so that over a table of builtins each is also the second one when each takes one partner.
  const std::vector<const Builtin*> all = with_same_accumulator(builtin);
  const auto self = std::find(all.begin(), all.end(), &builtin) - all.begin();
  Names names;
  for (std::size_t n = 0; n < all.size(); ++n) {
    names.emplace_back(all[(static_cast<std::size_t>(self) + 1 + n) % all.size()]->name);
  }
  return names;
}

Program pair(const Instance& instance, const std::string& variant, std::uint64_t seed) {
  const Instance second = some_instance(*catalogue::find_builtin(variant), seed, catalogue::instance_id(instance));
  ProgramBuilder p = begin("chain-pair", "two", {instance, second});
  const Operands o = load_operands(p, instance, 0);
  const ValueId d = p.multiply(instance, {o.a, o.b, o.c});
  const ValueId a = p.operand(second, Operand::kA, 1);
  const ValueId b = p.operand(second, Operand::kB, 1);
  p.output(p.multiply(second, {a, b, d}, CallForm::kBuiltin, 1));
  return p.program();
}

constexpr const char* kOperands[] = {"a", "b", "both"};

Program to_operand(const Instance& instance, const std::string& variant, std::uint64_t) {
  ProgramBuilder p = begin("to-operand", variant, {instance});
  const Operands o = load_operands(p, instance, 0);
  const ValueId d = p.multiply(instance, {o.a, o.b, o.c});
  const Operands next = load_operands(p, instance, 1);
  const ValueId a = variant == "b" ? next.a : as_operand(p, d, instance, Operand::kA);
  const ValueId b = variant == "a" ? next.b : as_operand(p, d, instance, Operand::kB);
  p.output(p.multiply(instance, {a, b, next.c}, CallForm::kBuiltin, 1));
  return p.program();
}

constexpr const char* kParts[] = {"element", "low-half", "high-half", "insert", "last-element"};

// Some of D is used, the rest is not.
Program part(const Instance& instance, const std::string& variant, std::uint64_t) {
  ProgramBuilder p = begin("part", variant, {instance});
  const Operands o = load_operands(p, instance, 0);
  const ValueId d = p.multiply(instance, {o.a, o.b, o.c});
  const int registers = p.type_of(d).registers(), half = registers / 2;
  if (variant == "element") p.output(p.words_of(d, registers / 4, words(1)));
  if (variant == "last-element") p.output(p.words_of(d, registers - 1, words(1)));
  if (variant == "low-half") p.output(p.words_of(d, 0, words(half)));
  if (variant == "high-half") p.output(p.words_of(d, half, words(half)));
  if (variant == "insert") {
    const Operands next = load_operands(p, instance, 1);
    const ValueId mixed = p.insert(next.c, half, p.words_of(d, 0, words(half)));
    p.output(p.multiply(instance, {next.a, next.b, mixed}, CallForm::kBuiltin, 1));
  }
  return p.program();
}

constexpr const char* kScales[] = {"lane", "literal", "folded", "opaque", "uniform", "literal-and-lane", "same"};

ValueId scale(ProgramBuilder& p, const Instance& instance, Operand operand, const std::string& how, cases::Rng& rng) {
  const ValueType type = type_named("i32");
  // Bytes from 2^-8 to 2^7, all four of them: never the pair of zeros that clang takes for "no scales".
  std::uint32_t bytes = 0;
  for (int n = 0; n < 4; ++n) bytes |= (119 + rng.below(16)) << (8 * n);
  if (how == "lane") return p.operand(instance, operand, 0);
  if (how == "uniform") return p.load_first(p.input(instance, operand, 0));
  if (how == "literal") return p.constant(type, {bytes});
  if (how == "opaque") return p.pin(p.constant(type, {bytes}), RegisterForm::kVgpr);
  const ValueId half = p.constant(type, {bytes & 0xffff0000});  // "folded": a sum of constants
  return p.combine(IntegerOp::kAdd, half, p.constant(type, {bytes & 0xffff}));
}

Program scales(const Instance& instance, const std::string& variant, std::uint64_t seed) {
  ProgramBuilder p = begin("scales", variant, {instance});
  cases::Rng rng = rng_of(p.program(), seed);
  const Operands o = load_operands(p, instance, 0);
  ValueId scale_a, scale_b;
  if (variant == "same") {  // one register for both
    scale_a = scale_b = p.operand(instance, Operand::kScaleA, 0);
  } else {
    const bool mixed = variant == "literal-and-lane";
    scale_a = scale(p, instance, Operand::kScaleA, mixed ? "literal" : variant, rng);
    scale_b = scale(p, instance, Operand::kScaleB, mixed ? "lane" : variant, rng);
  }
  p.output(p.multiply(instance, {o.a, o.b, o.c, scale_a, scale_b}));
  return p.program();
}

const std::array kShapes = {
    Shape{"single", "one call with A, B and C from memory", any, fixed<kOne, std::size(kOne)>, single},
    Shape{"c-inline", "every inline constant as a splat C", any, inline_groups, inline_constant},
    Shape{"c-literal", "literals as C: a splat, one per register, and a near splat", any,
          fixed<kLiterals, std::size(kLiterals)>, literal},
    Shape{"c-place", "D in the registers of C, and apart where C is used again", any,
          fixed<kPlaces, std::size(kPlaces)>, place},
    Shape{"chain", "D as C of the same builtin, three times", any, fixed<kChains, std::size(kChains)>, chain},
    Shape{"chain-pair", "D as C of another builtin: every ordered pair with one accumulator type", any, partners, pair},
    Shape{"to-operand", "D as A, B or both of the next call, rounded or reinterpreted", any,
          fixed<kOperands, std::size(kOperands)>, to_operand},
    Shape{"part", "one element or half of D used, or put into the next C", any, fixed<kParts, std::size(kParts)>, part},
    Shape{"scales", "scales as literal, folded and opaque values, per lane and uniform", is_scaled,
          fixed<kScales, std::size(kScales)>, scales},
};

}  // namespace

std::span<const Shape> basic_shapes() { return kShapes; }

}  // namespace mfma::kernels::detail
