#include "harness/cases/codes.h"
#include "harness/operands/drawing.h"

namespace mfma::operands::detail {
namespace {

using cases::fields_of;
using cases::FloatFields;
using cases::is_finite_code;
using cases::is_integer;
using cases::kNeutralScale;
using catalogue::ElementFormat;
using catalogue::Operand;

constexpr int kExponentReach = 6;  // of A and B around 1.0, in the formats whose exponents reach much further
constexpr int kScaleReach = 3;
constexpr int kWideExponentBits = 8;

enum class Taming { kNone, kFinite, kNear };

std::uint64_t without_infinities_and_nans(ElementFormat f, std::uint64_t code) {
  if (is_finite_code(f, code)) return code;
  // Clearing the exponent's top bit makes any of them finite.
  const FloatFields fields = fields_of(f);
  return code & ~(std::uint64_t{1} << (fields.fraction_bits + fields.exponent_bits - 1));
}

std::uint64_t with_exponent_near(ElementFormat f, std::uint64_t code, int low, int high, Rng& rng) {
  const FloatFields fields = fields_of(f);
  const std::uint64_t ones = ((std::uint64_t{1} << fields.exponent_bits) - 1) << fields.fraction_bits;
  const auto field = static_cast<std::uint64_t>(fields.bias + rng.between(low, high));
  return (code & ~ones) | field << fields.fraction_bits;
}

void tame(Case& c, Operand operand, ElementFormat f, catalogue::RegisterImage& image, Taming taming, int low, int high,
          Rng& rng) {
  if (taming == Taming::kNone || is_integer(f)) return;
  const bool near = taming == Taming::kNear && fields_of(f).exponent_bits >= kWideExponentBits;
  Elements elements(c.instance, operand, image);
  for (std::uint64_t& code : elements.codes()) {
    code = near ? with_exponent_near(f, code, low, high, rng) : without_infinities_and_nans(f, code);
  }
  elements.store();
}

void tame_scales(Case& c, Operand operand, catalogue::RegisterImage& image, Rng& rng) {
  Elements elements(c.instance, operand, image);
  for (std::uint64_t& code : elements.codes()) {
    code = static_cast<std::uint64_t>(kNeutralScale + rng.between(-kScaleReach, kScaleReach));
  }
  elements.store();
}

}  // namespace

void make_uniform_bits(Case&, Rng&) {}  // as the images are

void make_random_bits(Case& c, Rng& rng) {
  constexpr Taming kDraw[4] = {Taming::kNone, Taming::kFinite, Taming::kNear, Taming::kNear};
  const Taming taming = kDraw[rng.below(4)];
  tame(c, Operand::kA, c.instance.a_format(), c.a, taming, -kExponentReach, kExponentReach, rng);
  tame(c, Operand::kB, c.instance.b_format(), c.b, taming, -kExponentReach, kExponentReach, rng);
  tame(c, Operand::kC, c.instance.builtin->acc_format, c.c, taming, -2 * kExponentReach, 2 * kExponentReach, rng);
  if (!c.has_scales || taming == Taming::kNone) return;
  if (taming == Taming::kFinite && rng.coin()) return;
  tame_scales(c, Operand::kScaleA, c.scale_a, rng);
  tame_scales(c, Operand::kScaleB, c.scale_b, rng);
}

}  // namespace mfma::operands::detail
