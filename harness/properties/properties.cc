#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/properties/families.h"

namespace mfma::properties {
namespace {

bool always(const catalogue::Instance&) { return true; }
bool moves_lanes_of_b(const catalogue::Instance& i) { return moves_b(i); }

constexpr std::string_view kDot = "manual 7.1: D[b] = A[b] x B[b] + C[b], element by element";
constexpr std::string_view kExactRule = "docs/numerics.md, section 4: no lawful model changes an exact element";
constexpr std::string_view kAll = "all builtins";

constexpr std::array<Property, 26> kProperties{{
    {"determinism", "the same case gives the same bits again, elsewhere in a grid and in another launch",
     "a result is a function of the operands", kAll, always, false, determinism},
    {"permute-rows", "permuting the rows of A and C permutes the rows of D", kDot, kAll, always, false, permute_rows},
    {"permute-columns", "permuting the columns of B and C permutes the columns of D", kDot, kAll, always, false,
     permute_columns},
    {"other-rows-and-columns", "an element keeps its bits when other rows of A, columns of B and elements of C change",
     kDot, kAll, always, false, other_rows_and_columns},
    {"other-blocks", "a block keeps its bits when blocks that it does not read change", "manual 7.1, 7.1.6",
     "builtins of several blocks", has_blocks, false, other_blocks},
    {"unread-bits", "bits of registers that hold no element, and scale bytes not selected, do not matter",
     "manual 7.1.5, 7.2.1", "f8f6f4 with narrow formats or scales", has_unread_bits, true, unread_bits},
    {"permute-k", "permuting k in A and B alike (scales with their blocks) keeps exact elements", kExactRule,
     "builtins with K above 1", has_several_k, false, permute_k},
    {"zero-operand", "with A or B all zeros, exact elements of D are C, -0 becoming +0", kExactRule, kAll, always,
     false, zero_operand},
    {"zero-slices", "where k is zero in A, B may be anything finite there, and the reverse: exact elements keep",
     kExactRule, "builtins with K above 1", can_zero_slices, false, zero_slices},
    {"power-of-two", "A or B (or its scales) and C times 2^n give D times 2^n, far from the ends of the range",
     "every width of a lawful model is relative to exponents", "formats with 4 or more exponent bits, and scaled",
     can_be_scaled, false, scale_by_power_of_two},
    {"transpose", "swapping A and B, their formats, scales and negations, transposes D",
     "products commute in every lawful model", "all builtins, without cbsz and blgp patterns", can_transpose, false,
     transpose},
    {"negate-both", "negating A and B keeps D", "the sign of a product is that of its factors", kAll, always, false,
     negate_both},
    {"negate-one", "negating A or B, and C, negates exact elements", kExactRule, kAll, always, false, negate_one},
    {"raise-one-product", "raising one product does not lower an exact element", kExactRule, kAll, always, false,
     raise_one_product},
    {"add-to-c", "adding to C adds to D, modulo 2^32", "manual 7.1.2: carry-out bits are dropped", "i8 builtins",
     is_integer_instance, false, add_to_c},
    {"f64-negation", "the negation bits of blgp do what negated operands do", "manual Table 89", "f64 with blgp",
     negates_f64, true, f64_negation},
    {"broadcast", "cbsz and abid do what A moved to the blocks that read it does", "manual 7.1.6.1, Table 89",
     "builtins of several blocks with cbsz", broadcasts_a, true, broadcast_of_a},
    {"pattern", "blgp does what B with its lanes moved does", "manual Table 29", "builtins with blgp as a pattern",
     moves_lanes_of_b, true, pattern_of_b},
    {"neutral-scale", "scales of one do what the form without scales does", "manual 7.1.5, ABID[0]", "scaled f8f6f4",
     is_scaled, false, neutral_scale},
    {"scale-byte", "op_sel does what the scale byte moved does", "manual 7.2.1", "scaled f8f6f4 with op_sel",
     selects_scale_byte, true, scale_byte},
    {"tiles", "narrower builtins, chained over K and side by side, give the exact elements of a wider one", kExactRule,
     "builtins that have a narrower one of their formats", has_narrower, true, tiles_of_a_wider_one},
    {"mode-rounding", "MODE.FP_ROUND changes nothing", "manual 7.1.2, 7.1.5: forced to nearest even; 7.4 for f64, i8",
     "all builtins", is_mode_instance, true, mode_rounding},
    {"mode-denormals", "MODE.FP_DENORM changes nothing; of f32 A and B that is open",
     "manual 7.1.2, 7.1.5 and 7.4, which differ on f32", "all builtins", is_mode_instance, true, mode_denormals},
    {"mode-overflow", "MODE.FP16_OVFL turns overflow into the largest f32 of its sign and changes nothing else",
     "manual 7.1.2, 7.1.5; 12.10 differs on some opcodes", "all builtins", is_mode_instance, true, mode_overflow},
    {"mode-overflow-infinities", "infinite operands under MODE.FP16_OVFL: stay or clamped is open",
     "manual 7.1.2, 7.1.5 and the table of MODE", "builtins with f32 results", is_f32_result_mode_instance, true,
     mode_overflow_infinities},
    {"mode-overflow-integers", "i32 sums under MODE.FP16_OVFL: wrapping or clamping is open",
     "manual 7.1.2 against 7.4", "i8 builtins", is_integer_mode_instance, true, mode_overflow_integers},
}};

}  // namespace

std::span<const Property> all_properties() { return kProperties; }

const Property* find_property(std::string_view name) {
  const auto found =
      std::find_if(kProperties.begin(), kProperties.end(), [name](const Property& p) { return p.name == name; });
  return found == kProperties.end() ? nullptr : &*found;
}

std::optional<Trial> make_trial(const Property& property, const catalogue::Instance& instance, std::uint64_t seed,
                                std::uint64_t number) {
  if (!property.applies(instance)) return std::nullopt;
  cases::Rng rng(cases::case_seed(seed, fmt::format("{}/{}", property.name, catalogue::instance_id(instance)), number));
  return property.derive({instance, seed, number, rng});
}

std::string trial_id(const Property& property, const catalogue::Instance& instance, std::uint64_t seed,
                     std::uint64_t number) {
  return fmt::format("{}/{}", property.name, cases::case_id(instance, seed, number));
}

}  // namespace mfma::properties
