// The operands by which trials begin. The one place that knows how cases are drawn.
#include <string>

#include "harness/cases/codes.h"
#include "harness/operands/operands.h"
#include "harness/properties/operands.h"

namespace mfma::properties {
namespace {

using operands::OperandClass;

// Indices of cases: each trial number has three of its own.
constexpr std::uint64_t kIndicesPerTrial = 3;

cases::Case draw_case(const Draw& draw, std::uint64_t which, OperandClass operand_class) {
  return operands::make_case(draw.instance, draw.seed, draw.number * kIndicesPerTrial + which, operand_class);
}

// Formats with at least this many exponent bits can be told to stay near one.
constexpr int kExponentBits = 4;

// How far from one: as far as leaves room for a sum and a shift in the smallest of them.
int reach_of(catalogue::ElementFormat f) {
  switch (cases::fields_of(f).exponent_bits) {
    case 4:
      return 2;
    case 5:
      return 4;
    default:
      return 6;
  }
}

void bring_near_one(catalogue::ElementFormat f, std::vector<std::uint64_t>& codes, int reach, cases::Rng& rng) {
  if (cases::is_integer(f)) return;
  const cases::FloatFields fields = cases::fields_of(f);
  if (fields.exponent_bits < kExponentBits) return;
  const std::uint64_t ones = ((std::uint64_t{1} << fields.exponent_bits) - 1) << fields.fraction_bits;
  for (std::uint64_t& code : codes) {
    const auto field = static_cast<std::uint64_t>(fields.bias + rng.between(-reach, reach));
    code = (code & ~ones) | field << fields.fraction_bits;
  }
}

}  // namespace

Matrices draw_matrices(const Draw& draw, Origin origin) {
  switch (origin) {
    case Origin::kExact:
      return Matrices(draw_case(draw, 0, OperandClass::kSmallIntegers));
    case Origin::kBits:
      return Matrices(draw_case(draw, 1, OperandClass::kRandomBits));
    case Origin::kOther:
      return Matrices(draw_case(draw, 2, OperandClass::kRandomBits));
    case Origin::kAny:
      break;
  }
  const std::string key = catalogue::instance_id(draw.instance) + "/any";
  const bool specials = (cases::case_seed(draw.seed, key, draw.number) & 1) != 0;
  return Matrices(specials ? draw_case(draw, 2, OperandClass::kSpecials)
                           : draw_case(draw, 1, OperandClass::kRandomBits));
}

Matrices draw_near_one(const Draw& draw) {
  Matrices m = draw_matrices(draw, Origin::kBits);
  const auto a = draw.instance.a_format(), b = draw.instance.b_format(), acc = draw.instance.builtin->acc_format;
  if (cases::is_integer(a)) return m;
  bring_near_one(a, m.a, reach_of(a), draw.rng);
  bring_near_one(b, m.b, reach_of(b), draw.rng);
  bring_near_one(acc, m.c, 2 * reach_of(acc), draw.rng);
  for (std::uint64_t& code : m.scale_a) code = cases::kNeutralScale;
  for (std::uint64_t& code : m.scale_b) code = cases::kNeutralScale;
  return m;
}

}  // namespace mfma::properties
