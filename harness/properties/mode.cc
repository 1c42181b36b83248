// MODE: what FP_ROUND, FP_DENORM and FP16_OVFL must change, must not change, and what the manual leaves open.
// Manual 7.1.2 and 7.1.5: rounding is forced to nearest even, MODE's denormal control is ignored, FP16_OVFL clamps
// overflow. 7.4: f32 inputs honour MODE.denorm, f64 ignores MODE, integers do not respect it.
#include <algorithm>
#include <utility>

#include "harness/cases/codes.h"
#include "harness/properties/families.h"

namespace mfma::properties {
namespace {

using catalogue::ElementFormat;
using catalogue::Instance;
using catalogue::ModifierKind;

constexpr std::uint64_t kF32Infinity = 0x7f800000;
constexpr std::uint64_t kF32Sign = 0x80000000;

std::vector<Comparison> every_element(std::size_t count, Relation relation, std::uint32_t subject = 1,
                                      std::uint32_t reference = 0) {
  std::vector<Comparison> comparisons;
  for (std::size_t n = 0; n < count; ++n) comparisons.push_back(compare(relation, subject, n, reference, n));
  return comparisons;
}

// The case as it is, and with MODE set.
std::vector<Step> with_and_without(const Matrices& m, const cases::ModeBits& mode) {
  std::vector<Step> steps = {step_of(m.to_case()), step_of(m.to_case())};
  steps[1].mode = mode;
  return steps;
}

cases::ModeBits clamping() {
  cases::ModeBits mode;
  mode.clamp_overflow = true;
  return mode;
}

std::uint64_t with_sign(ElementFormat f, std::uint64_t code, bool negative) {
  return negative ? negated(f, magnitude(f, code)) : magnitude(f, code);
}

void set_exponent(ElementFormat f, std::uint64_t& code, int exponent) {
  const cases::FloatFields fields = cases::fields_of(f);
  const std::uint64_t ones = ((std::uint64_t{1} << fields.exponent_bits) - 1) << fields.fraction_bits;
  code = (code & ~ones) | static_cast<std::uint64_t>(exponent + fields.bias) << fields.fraction_bits;
}

bool has_wide_exponent(ElementFormat f) { return !cases::is_integer(f) && cases::fields_of(f).exponent_bits >= 8; }

// Every element's products and C of one sign, which its row decides: then it does not matter to the clamped result
// where in a sum the clamping is done. No zeros, whose exponents could push C aside.
void make_one_sided(Matrices& m, cases::Rng& rng) {
  const ElementFormat a = m.instance().a_format(), b = m.instance().b_format();
  const ElementFormat acc = m.instance().builtin->acc_format;
  const auto sized = [](ElementFormat f, std::uint64_t code) { return std::max<std::uint64_t>(magnitude(f, code), 1); };
  for (std::uint64_t& code : m.b) code = sized(b, code);
  const catalogue::Shape& s = m.shape();
  for (int i = 0; i < s.m; ++i) {
    const bool negative = rng.coin();
    for (int block = 0; block < s.blocks; ++block) {
      for (int k = 0; k < s.k; ++k) {
        m.a_at(block, i, k) = with_sign(a, sized(a, m.a_at(block, i, k)), negative);
      }
      for (int j = 0; j < s.n; ++j) {
        m.c_at(block, i, j) = with_sign(acc, sized(acc, m.c_at(block, i, j)), negative);
      }
    }
  }
}

// Finite operands, one sign to an element. Every second row overflows often, where the formats or scales can.
Matrices overflowing(const Draw& draw) {
  Matrices m = draw_near_one(draw);
  make_one_sided(m, draw.rng);
  const catalogue::Shape& s = m.shape();
  const ElementFormat a = draw.instance.a_format(), b = draw.instance.b_format();
  for (int i = 0; i < s.m; ++i) {
    for (int q = 0; m.has_scales() && q < m.scale_blocks(); ++q) {
      m.scale_a_at(i, q) = i % 2 != 0 ? 0xfe : cases::kNeutralScale;
    }
    for (int block = 0; has_wide_exponent(a) && block < s.blocks; ++block) {
      for (int k = 0; k < s.k; ++k) set_exponent(a, m.a_at(block, i, k), i % 2 != 0 ? draw.rng.between(58, 66) : 0);
    }
  }
  if (has_wide_exponent(b)) {
    for (std::uint64_t& code : m.b) set_exponent(b, code, draw.rng.between(60, 64));
  }
  return m;
}

void make_subnormal(ElementFormat f, std::uint64_t& code) {
  const cases::FloatFields fields = cases::fields_of(f);
  const std::uint64_t ones = ((std::uint64_t{1} << fields.exponent_bits) - 1) << fields.fraction_bits;
  code = (code & ~ones) | 1;
}

// Every second row of A (or column of B) subnormal, with the other operand so large that its products count.
Matrices with_subnormals(const Draw& draw) {
  Matrices m = draw_near_one(draw);
  const bool of_a = draw.rng.coin();
  const ElementFormat f = of_a ? draw.instance.a_format() : draw.instance.b_format();
  const ElementFormat other = of_a ? draw.instance.b_format() : draw.instance.a_format();
  if (cases::is_integer(f)) return m;
  const int least = 1 - cases::fields_of(f).bias;
  const catalogue::Shape& s = m.shape();
  const auto change = [&](int line, std::uint64_t& code) {
    if (line % 2 != 0) {
      make_subnormal(f, code);
    } else if (has_wide_exponent(f)) {
      set_exponent(f, code, least + draw.rng.between(0, 6));
    }
  };
  for (int block = 0; block < s.blocks; ++block) {
    for (int k = 0; k < s.k; ++k) {
      for (int line = 0; line < (of_a ? s.m : s.n); ++line) {
        change(line, of_a ? m.a_at(block, line, k) : m.b_at(block, k, line));
      }
    }
  }
  if (has_wide_exponent(other)) {
    for (std::uint64_t& code : of_a ? m.b : m.a) set_exponent(other, code, -least - draw.rng.between(4, 10));
  }
  return m;
}

// Opcodes of which manual 12.10 says "CLAMP is not supported": an instruction bit that the encoding lacks anyway, or
// FP16_OVFL.
bool says_no_clamp(const Instance& i) {
  const int opcode = i.builtin->opcode;
  return opcode == 45 || opcode == 46 || (opcode >= 53 && opcode <= 56);
}

bool is_f32(const Instance& i) { return i.a_format() == ElementFormat::kF32; }

}  // namespace

// Without modifiers; of f8f6f4 each format with itself, with and without scales: MODE has nothing to do with the rest,
// and every such instance costs kernels of its own.
bool is_mode_instance(const Instance& i) {
  const catalogue::Modifiers& m = i.modifiers;
  if (i.builtin->modifiers == ModifierKind::kScaled) return m.cbsz == m.blgp && m.op_sel_a == 0 && m.op_sel_b == 0;
  return m.cbsz == 0 && m.abid == 0 && m.blgp == 0;
}

bool is_integer_mode_instance(const Instance& i) { return is_mode_instance(i) && is_integer_instance(i); }

bool is_f32_result_mode_instance(const Instance& i) {
  return is_mode_instance(i) && i.builtin->acc_format == ElementFormat::kF32;
}

std::optional<Trial> mode_rounding(const Draw& draw) {
  const Matrices m = draw_near_one(draw);
  constexpr int kUpDownZero[] = {0x5, 0xa, 0xf};
  cases::ModeBits mode;
  mode.round = kUpDownZero[draw.rng.below(3)];
  return one_reading(with_and_without(m, mode), every_element(m.c.size(), Relation::kSameBits));
}

std::optional<Trial> mode_denormals(const Draw& draw) {
  const Matrices m = draw.rng.below(3) == 0 ? draw_matrices(draw, Origin::kAny) : with_subnormals(draw);
  cases::ModeBits mode;
  mode.denorm = 0;
  Trial trial;
  trial.steps = with_and_without(m, mode);
  trial.readings.push_back({{}, every_element(m.c.size(), Relation::kSameBits)});
  if (!is_f32(draw.instance)) return trial;
  Matrices flushed = m;
  for (std::vector<std::uint64_t>* codes : {&flushed.a, &flushed.b}) {
    for (std::uint64_t& code : *codes) {
      if (is_subnormal(ElementFormat::kF32, code)) code &= kF32Sign;
    }
  }
  trial.steps.push_back(step_of(flushed.to_case()));
  trial.readings[0].name = "f32 A and B keep subnormals (7.1.2)";
  trial.readings.push_back(
      {"f32 A and B flush subnormals (7.4)", every_element(m.c.size(), Relation::kSameValue, 1, 2)});
  return trial;
}

std::optional<Trial> mode_overflow(const Draw& draw) {
  if (draw.instance.builtin->acc_format == ElementFormat::kF64) {
    const Matrices m = draw_matrices(draw, Origin::kAny);
    return one_reading(with_and_without(m, clamping()), every_element(m.c.size(), Relation::kSameBits));
  }
  if (is_integer_instance(draw.instance)) {
    const Matrices m = draw_matrices(draw, Origin::kExact);
    const std::vector<std::uint8_t> exact = exact_elements(m);
    std::vector<Comparison> comparisons;
    for (std::size_t n = 0; n < exact.size(); ++n) {
      if (exact[n] != 0) comparisons.push_back(compare(Relation::kSameBits, 1, n, 0, n));
    }
    if (comparisons.empty()) return std::nullopt;
    return one_reading(with_and_without(m, clamping()), std::move(comparisons));
  }
  const Matrices m = overflowing(draw);
  Trial trial = one_reading(with_and_without(m, clamping()), every_element(m.c.size(), Relation::kClamped));
  if (says_no_clamp(draw.instance)) {
    trial.readings[0].name = "overflow is clamped (7.1.2, 7.1.5)";
    trial.readings.push_back({"overflow is not clamped (12.10)", every_element(m.c.size(), Relation::kSame)});
  }
  return trial;
}

std::optional<Trial> mode_overflow_infinities(const Draw& draw) {
  Matrices m = draw_near_one(draw);
  make_one_sided(m, draw.rng);
  const ElementFormat a = draw.instance.a_format();
  const bool in_a =
      a == ElementFormat::kF32 || a == ElementFormat::kF16 || a == ElementFormat::kBf16 || a == ElementFormat::kBf8E5m2;
  if (in_a && draw.rng.coin()) {
    const cases::FloatFields fields = cases::fields_of(a);
    const std::uint64_t infinity = ((std::uint64_t{1} << fields.exponent_bits) - 1) << fields.fraction_bits;
    for (std::uint64_t& code : m.a) {
      if (draw.rng.below(8) == 0) code = (code & cases::negative_zero(a)) | infinity;
    }
  } else {
    for (std::uint64_t& code : m.c) {
      if (draw.rng.below(4) == 0) code = (code & kF32Sign) | kF32Infinity;
    }
  }
  Trial trial;
  trial.steps = with_and_without(m, clamping());
  trial.readings = {{"infinities of operands stay", every_element(m.c.size(), Relation::kSame)},
                    {"infinities of operands are clamped", every_element(m.c.size(), Relation::kClamped)}};
  return trial;
}

std::optional<Trial> mode_overflow_integers(const Draw& draw) {
  Matrices m = draw_matrices(draw, Origin::kAny);
  for (std::uint64_t& code : m.c) code = 0x7fffffff - draw.rng.below(1 << 14);
  make_one_sided(m, draw.rng);
  Trial trial;
  trial.steps = with_and_without(m, clamping());
  trial.readings = {{"wraps (7.4)", every_element(m.c.size(), Relation::kSameBits)},
                    {"clamps, the least value being -2^31 (7.1.2)", {}},
                    {"clamps, the least value being -(2^31 - 1) (7.1.2)", {}}};
  const auto number = [](std::uint64_t code, int bits) {
    const auto unsigned_value = static_cast<std::int64_t>(code);
    return code >> (bits - 1) != 0 ? unsigned_value - (std::int64_t{1} << bits) : unsigned_value;
  };
  constexpr std::int64_t kMost = 0x7fffffff;
  each_element(m.shape(), [&](int block, int i, int j) {
    std::int64_t sum = number(m.c_at(block, i, j), 32);
    for (int k = 0; k < m.shape().k; ++k) sum += number(m.a_at(block, i, k), 8) * number(m.b_at(block, k, j), 8);
    Comparison c = compare(Relation::kConstant, 1, m.element(block, i, j), 0, m.element(block, i, j));
    for (std::size_t reading : {1u, 2u}) {
      const std::int64_t least = reading == 1 ? -kMost - 1 : -kMost;
      const std::int64_t wanted = sum > kMost ? kMost : sum < -kMost - 1 ? least : sum;
      c.operand = static_cast<std::uint64_t>(wanted) & 0xffffffff;
      trial.readings[reading].comparisons.push_back(c);
    }
  });
  return trial;
}

}  // namespace mfma::properties
