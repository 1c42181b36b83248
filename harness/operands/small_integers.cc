#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "harness/cases/codes.h"
#include "harness/operands/drawing.h"

namespace mfma::operands::detail {
namespace {

using cases::encode_exact;
using cases::kNeutralScale;
using cases::negative_zero;
using catalogue::ElementFormat;
using catalogue::Operand;

// How elements of a format are drawn: n * 2^shift with |n| <= most, every such n being representable, and one shift
// for the whole operand; or, where `codes` is not 0, any code whose magnitude is below `codes`.
struct Drawing {
  std::int64_t most;  // the largest |value| in units of 2^unit (plus the shift)
  int unit;           // every value is a multiple of 2^unit
  int least_shift, greatest_shift;
  std::uint32_t codes;
};

// In the order of ElementFormat, up to i8. `most` keeps K products of any pair of formats below 2^23 units of an f32
// accumulator (2^52 of f64), for the largest K of the format: see spread_of().
constexpr std::array<Drawing, 10> kDrawings{{
    {1 << 20, 0, -100, 100, 0},  // f64, K = 4
    {1 << 10, 0, -20, 20, 0},    // f32, K <= 4
    {255, 0, -6, 3, 0},          // f16, K <= 32
    {255, 0, -20, 20, 0},        // bf16, K <= 32
    {16, 0, -3, 3, 0},           // fp8, K <= 128
    {8, 0, -6, 6, 0},            // bf8
    {60, -3, 0, 0, 32},          // fp6: all codes, multiples of 1/8 up to 7.5
    {224, -4, 0, 0, 28},         // bf6: codes up to 14, multiples of 1/16
    {12, -1, 0, 0, 8},           // fp4: all codes, multiples of 1/2 up to 6
    {128, 0, 0, 0, 0},           // i8: all codes
}};

constexpr int kF32Budget = 23;  // log2 of the units left to the products, and as much again to C
constexpr int kF64Budget = 52;
constexpr int kI32Budget = 30;
constexpr int kMostSpread = 6;
constexpr int kMostScaleOffset = 20;

const Drawing& drawing_of(ElementFormat f) { return kDrawings.at(static_cast<std::size_t>(f)); }

int budget_of(ElementFormat acc) {
  if (acc == ElementFormat::kF64) return kF64Budget;
  return acc == ElementFormat::kI32 ? kI32Budget : kF32Budget;
}

// The code of the n-th value that an operand may hold, 0 <= n < values_of(f).
std::uint32_t values_of(ElementFormat f) {
  const Drawing& d = drawing_of(f);
  if (f == ElementFormat::kI8) return 256;
  return d.codes != 0 ? 2 * d.codes : static_cast<std::uint32_t>(2 * d.most + 1);
}

std::uint64_t value_code(ElementFormat f, int shift, std::uint32_t n) {
  const Drawing& d = drawing_of(f);
  if (f == ElementFormat::kI8) return n;
  if (d.codes != 0) return n < d.codes ? n : (n - d.codes) | negative_zero(f);
  return encode_exact(f, static_cast<std::int64_t>(n) - d.most, shift);
}

void draw_operand(Case& c, Operand operand, ElementFormat f, catalogue::RegisterImage& image, int shift, Rng& rng) {
  Elements elements(c.instance, operand, image);
  const std::uint32_t values = values_of(f);
  // Encoded once each where there are fewer values than elements.
  std::vector<std::uint64_t> table;
  if (values <= elements.codes().size()) {
    for (std::uint32_t n = 0; n < values; ++n) table.push_back(value_code(f, shift, n));
  }
  const std::uint32_t with_zeros = values + values / 8 + 1;  // about one more zero in nine
  for (std::uint64_t& code : elements.codes()) {
    const std::uint32_t n = rng.below(with_zeros);
    if (n >= values) {
      code = 0;
    } else {
      code = table.empty() ? value_code(f, shift, n) : table[n];
    }
  }
  elements.store();
}

// How many powers of two the scales of a case may span, so that products still fit the budget.
int spread_of(const catalogue::Instance& instance) {
  const std::int64_t sum =
      drawing_of(instance.a_format()).most * drawing_of(instance.b_format()).most * instance.builtin->shape.k;
  const auto needed = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(sum - 1)));
  return std::clamp(budget_of(instance.builtin->acc_format) - needed, 0, kMostSpread);
}

void draw_scales(Case& c, Operand operand, catalogue::RegisterImage& image, int offset, int spread, Rng& rng) {
  Elements elements(c.instance, operand, image);
  for (std::uint64_t& code : elements.codes()) {
    code = static_cast<std::uint64_t>(kNeutralScale + offset + rng.between(0, spread));
  }
  elements.store();
}

void draw_accumulator(Case& c, int unit, Rng& rng) {
  const ElementFormat acc = c.instance.builtin->acc_format;
  const auto budget = static_cast<std::uint32_t>(budget_of(acc));
  Elements elements(c.instance, Operand::kC, c.c);
  for (std::uint64_t& code : elements.codes()) {
    // Of every size: below 2^bits, for bits up to the budget.
    const std::uint32_t bits = rng.below(budget + 1);
    const auto magnitude = static_cast<std::int64_t>(bits == 0 ? 0 : rng.next() >> (64 - bits));
    code = encode_exact(acc, rng.coin() ? magnitude : -magnitude, unit);
  }
  elements.store();
}

}  // namespace

std::uint32_t small_values(ElementFormat f) { return values_of(f); }

std::uint64_t small_value(ElementFormat f, std::uint32_t n) { return value_code(f, 0, n); }

void make_small_integers(Case& c, Rng& rng) {
  const ElementFormat a = c.instance.a_format(), b = c.instance.b_format();
  const Drawing &da = drawing_of(a), &db = drawing_of(b);
  const int shift_a = rng.between(da.least_shift, da.greatest_shift);
  const int shift_b = rng.between(db.least_shift, db.greatest_shift);
  draw_operand(c, Operand::kA, a, c.a, shift_a, rng);
  draw_operand(c, Operand::kB, b, c.b, shift_b, rng);
  if (c.has_scales) {
    // The offsets cancel, so the product's unit is that of the elements.
    const int offset = rng.between(-kMostScaleOffset, kMostScaleOffset);
    const int spread_a = rng.between(0, spread_of(c.instance));
    draw_scales(c, Operand::kScaleA, c.scale_a, offset, spread_a, rng);
    draw_scales(c, Operand::kScaleB, c.scale_b, -offset, spread_of(c.instance) - spread_a, rng);
  }
  draw_accumulator(c, da.unit + shift_a + db.unit + shift_b, rng);
}

}  // namespace mfma::operands::detail
