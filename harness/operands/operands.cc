#include "harness/operands/operands.h"

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "harness/operands/drawing.h"

namespace mfma::operands {
namespace {

using cases::Case;
using cases::Rng;
using catalogue::Instance;

constexpr std::string_view kNeedsFloat = "integers have no such numbers";

std::string_view always(const Instance&) { return {}; }
std::string_view on_floats(const Instance& i) { return cases::is_integer(i.a_format()) ? kNeedsFloat : ""; }
std::string_view on_integers(const Instance& i) {
  return cases::is_integer(i.a_format()) ? "" : "only integer sums wrap";
}
std::string_view where_products_overflow(const Instance& i) {
  return detail::products_overflow(i) ? "" : "no product of these formats reaches the accumulator's largest numbers";
}
std::string_view where_scaled(const Instance& i) { return i.modifiers.scaled ? "" : "the instance has no scales"; }
std::string_view on_small_codes(const Instance& i) {
  const bool small = catalogue::bits_of(i.a_format()) <= 8 && catalogue::bits_of(i.b_format()) <= 8;
  return small ? "" : "pairs of codes are enumerated for formats of at most 8 bits";
}
std::uint64_t one(const Instance&) { return 1; }

struct ClassRow {
  std::string_view name, description;
  void (*make)(Case&, Rng&);
  std::string_view (*why_not)(const Instance&);
  std::uint64_t (*period)(const Instance&);
};

// In the order of OperandClass.
constexpr std::array<ClassRow, kOperandClasses> kClasses{{
    {"small_integers", "small integers times a power of two: every partial sum is exact", detail::make_small_integers,
     always, one},
    {"one_hot", "one element in each row of A, or in each column of B, at every k in turn: where elements live",
     detail::make_one_hot, always, detail::one_hot_period},
    {"exact", "every result the same under every lawful model, operands and C spread as far as that allows",
     detail::make_exact, always, one},
    {"signed_zeros", "zeros of both signs in A, B and C, alone or with numbers that cancel", detail::make_signed_zeros,
     on_floats, one},
    {"random_bits", "random bits, mostly brought near one and freed of infinities and NaNs", detail::make_random_bits,
     always, one},
    {"uniform_bits", "random bits as they fall", detail::make_uniform_bits, always, one},
    {"uniform_exponents", "every exponent of the formats equally often, finite", detail::make_uniform_exponents,
     on_floats, one},
    {"specials", "the special values of A, B and C crossed, and scale bytes", detail::make_specials, always,
     detail::specials_period},
    {"infinities", "infinities of both signs among small numbers, where the formats have them", detail::make_infinities,
     on_floats, one},
    {"nan_payloads", "NaNs in A, in B and in C: every encoding of formats up to 16 bits, payload bits one by one else",
     detail::make_nan_payloads, on_floats, detail::nan_payloads_period},
    {"subnormals", "subnormal elements, products and results", detail::make_subnormals, on_floats, one},
    {"near_cancel", "C takes the sum of the products away, to the last bits; products cancel one another",
     detail::make_near_cancel, always, one},
    {"rounding_ties", "sums half way between two results, or beside it by less than 53 bits show",
     detail::make_rounding_ties, on_floats, one},
    {"alignment_edges", "products and C as far apart as the widths of alignments: 22 to 34 binades, f64 51 to 63",
     detail::make_alignment_edges, on_floats, one},
    {"huge_c", "C far above or far below all products", detail::make_huge_c, on_floats, one},
    {"product_overflow", "products at the end of the accumulator's range, that overflow alone, together, or cancel",
     detail::make_product_overflow, where_products_overflow, one},
    {"integer_edges", "i8 extremes, and sums within two of where 32 bits wrap", detail::make_integer_edges, on_integers,
     one},
    {"scale_bytes", "all 256 scale bytes, distinct by row and K block, sums beyond the exponent range",
     detail::make_scale_bytes, where_scaled, detail::scale_bytes_period},
    {"code_pairs", "every code of A times every code of B, for formats of at most 8 bits", detail::make_code_pairs,
     on_small_codes, detail::code_pairs_period},
    {"mixed", "rows, columns and elements of C from cases of several classes", detail::make_mixed, always, one},
}};

constexpr std::array<OperandClass, kOperandClasses> all_in_order() {
  std::array<OperandClass, kOperandClasses> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<OperandClass>(i);
  return all;
}
constexpr std::array<OperandClass, kOperandClasses> kAll = all_in_order();

const ClassRow& row_of(OperandClass c) { return kClasses.at(static_cast<std::size_t>(c)); }

using enum OperandClass;

// How often and in which order the classes are dealt out. Any twelve neighbours have model-free classes, raw bits and
// edges among them.
constexpr std::array<OperandClass, kDealLength> kDeal{
    kSmallIntegers, kRandomBits,    kSpecials,    kExact,          kNearCancel,       kOneHot,
    kRoundingTies,  kMixed,         kUniformBits, kAlignmentEdges, kSpecials,         kCodePairs,
    kSmallIntegers, kRandomBits,    kScaleBytes,  kExact,          kSubnormals,       kHugeC,
    kRoundingTies,  kSpecials,      kOneHot,      kInfinities,     kSignedZeros,      kProductOverflow,
    kExact,         kRandomBits,    kNanPayloads, kSpecials,       kUniformExponents, kIntegerEdges,
    kNearCancel,    kAlignmentEdges};

// What takes the place of a class that does not apply, in turn by place.
constexpr std::array<OperandClass, 7> kSubstitutes{kIntegerEdges, kExact,      kRandomBits, kNearCancel,
                                                   kCodePairs,    kScaleBytes, kMixed};

// Instances of neighbouring rank go on where one of twelve cases, the quick tier's, stops.
constexpr std::uint64_t kDealPerRank = 12;

catalogue::RegisterImage random_image(int registers, Rng& rng) {
  catalogue::RegisterImage image(registers);
  for (std::size_t i = 0; i < image.dwords.size(); i += 2) {
    const std::uint64_t bits = rng.next();
    image.dwords[i] = static_cast<std::uint32_t>(bits);
    image.dwords[i + 1] = static_cast<std::uint32_t>(bits >> 32);
  }
  return image;
}

}  // namespace

std::span<const OperandClass> all_operand_classes() { return kAll; }
std::string_view name_of(OperandClass c) { return row_of(c).name; }
std::string_view describe(OperandClass c) { return row_of(c).description; }

std::optional<OperandClass> operand_class_named(std::string_view name) {
  for (const OperandClass candidate : kAll) {
    if (name_of(candidate) == name) return candidate;
  }
  return std::nullopt;
}

std::string_view why_inapplicable(const Instance& instance, OperandClass c) { return row_of(c).why_not(instance); }
std::uint64_t period_of(const Instance& instance, OperandClass c) { return row_of(c).period(instance); }

OperandClass class_of(const Instance& instance, std::uint64_t index) {
  const auto rank = static_cast<std::uint64_t>(catalogue::legal_rank(instance));
  const auto place = static_cast<std::size_t>((rank * kDealPerRank + index) % kDealLength);
  if (applies(instance, kDeal[place])) return kDeal[place];
  std::size_t turn = place;
  while (!applies(instance, kSubstitutes[turn % kSubstitutes.size()])) ++turn;
  return kSubstitutes[turn % kSubstitutes.size()];
}

Case make_case(const Instance& instance, std::uint64_t seed, std::uint64_t index) {
  return make_case(instance, seed, index, class_of(instance, index));
}

Case make_case(const Instance& instance, std::uint64_t seed, std::uint64_t index, OperandClass cls) {
  if (!applies(instance, cls)) {
    throw std::invalid_argument("operand class " + std::string(name_of(cls)) + " does not apply to " +
                                catalogue::instance_id(instance) + ": " + std::string(why_inapplicable(instance, cls)));
  }
  Rng rng(cases::case_seed(seed, catalogue::instance_id(instance), index));
  Case c;
  c.instance = instance;
  c.seed = seed;
  c.index = index;
  c.operand_class = name_of(cls);
  c.a = random_image(instance.builtin->a_registers, rng);
  c.b = random_image(instance.builtin->b_registers, rng);
  c.c = random_image(instance.builtin->c_registers, rng);
  c.has_scales = instance.modifiers.scaled;
  if (c.has_scales) {
    c.scale_a = random_image(1, rng);
    c.scale_b = random_image(1, rng);
  }
  row_of(cls).make(c, rng);
  return c;
}

}  // namespace mfma::operands
