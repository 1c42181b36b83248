// Derivations of trials, by family. Internal to fuzz/properties; properties.cc has the table.
#pragma once

#include <optional>

#include "harness/properties/operands.h"
#include "harness/properties/property.h"

namespace mfma::properties {

// structure.cc: what belongs to what. Any operands; every bit.
std::optional<Trial> determinism(const Draw& draw);
std::optional<Trial> permute_rows(const Draw& draw);
std::optional<Trial> permute_columns(const Draw& draw);
std::optional<Trial> other_rows_and_columns(const Draw& draw);
std::optional<Trial> other_blocks(const Draw& draw);
std::optional<Trial> unread_bits(const Draw& draw);
bool has_blocks(const catalogue::Instance& i);
bool has_unread_bits(const catalogue::Instance& i);

// arithmetic.cc: symmetries of the sum.
std::optional<Trial> permute_k(const Draw& draw);
std::optional<Trial> zero_operand(const Draw& draw);
std::optional<Trial> zero_slices(const Draw& draw);
std::optional<Trial> scale_by_power_of_two(const Draw& draw);
std::optional<Trial> negate_both(const Draw& draw);
std::optional<Trial> negate_one(const Draw& draw);
std::optional<Trial> raise_one_product(const Draw& draw);
std::optional<Trial> add_to_c(const Draw& draw);
bool has_several_k(const catalogue::Instance& i);
bool can_zero_slices(const catalogue::Instance& i);
bool can_be_scaled(const catalogue::Instance& i);
bool is_integer_instance(const catalogue::Instance& i);

// partners.cc: other builtins and modifiers that must agree.
std::optional<Trial> transpose(const Draw& draw);
std::optional<Trial> tiles_of_a_wider_one(const Draw& draw);
std::optional<Trial> broadcast_of_a(const Draw& draw);
std::optional<Trial> pattern_of_b(const Draw& draw);
std::optional<Trial> f64_negation(const Draw& draw);
std::optional<Trial> scale_byte(const Draw& draw);
std::optional<Trial> neutral_scale(const Draw& draw);
bool can_transpose(const catalogue::Instance& i);
bool has_narrower(const catalogue::Instance& i);
bool broadcasts_a(const catalogue::Instance& i);
bool negates_f64(const catalogue::Instance& i);
bool selects_scale_byte(const catalogue::Instance& i);
bool is_scaled(const catalogue::Instance& i);

// mode.cc: MODE bits set by the kernel.
std::optional<Trial> mode_rounding(const Draw& draw);
std::optional<Trial> mode_denormals(const Draw& draw);
std::optional<Trial> mode_overflow(const Draw& draw);
std::optional<Trial> mode_overflow_infinities(const Draw& draw);
std::optional<Trial> mode_overflow_integers(const Draw& draw);
bool is_mode_instance(const catalogue::Instance& i);
bool is_f32_result_mode_instance(const catalogue::Instance& i);
bool is_integer_mode_instance(const catalogue::Instance& i);

}  // namespace mfma::properties
