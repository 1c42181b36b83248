#include "tests/properties/oracle_device.h"

#include <algorithm>

#include "harness/conformance/execution/oracle_view.h"
#include "harness/properties/operands.h"

namespace mfma::properties::testing {
namespace {

using catalogue::ElementFormat;

constexpr std::uint64_t kSign = 0x80000000, kInfinity = 0x7f800000;

std::int64_t number(std::uint64_t code, int bits) {
  const auto value = static_cast<std::int64_t>(code);
  return code >> (bits - 1) != 0 ? value - (std::int64_t{1} << bits) : value;
}

// Infinities that are overflows become the largest number; others too where the device takes them for overflows.
void clamp_floats(const Matrices& m, bool all, std::vector<std::uint64_t>& d) {
  const auto infinite = [](ElementFormat f, std::uint64_t code) { return is_infinite_code(f, code); };
  each_element(m.shape(), [&](int block, int i, int j) {
    std::uint64_t& bits = d[m.element(block, i, j)];
    if ((bits & ~kSign) != kInfinity) return;
    bool operand = infinite(ElementFormat::kF32, m.c_at(block, i, j));
    for (int k = 0; k < m.shape().k; ++k) {
      operand = operand || infinite(m.instance().a_format(), m.a_at(block, i, k)) ||
                infinite(m.instance().b_format(), m.b_at(block, k, j));
    }
    if (all || !operand) bits -= 1;
  });
}

void clamp_integers(const Matrices& m, IntegerClamp clamp, std::vector<std::uint64_t>& d) {
  constexpr std::int64_t kMost = 0x7fffffff;
  each_element(m.shape(), [&](int block, int i, int j) {
    std::int64_t sum = number(m.c_at(block, i, j), 32);
    for (int k = 0; k < m.shape().k; ++k) sum += number(m.a_at(block, i, k), 8) * number(m.b_at(block, k, j), 8);
    if (sum > kMost) sum = kMost;
    if (sum < -kMost - 1) sum = clamp == IntegerClamp::kToLeast ? -kMost - 1 : -kMost;
    d[m.element(block, i, j)] = static_cast<std::uint64_t>(sum) & 0xffffffff;
  });
}

template <typename T, std::size_t kSize>
T pick(cases::Rng& rng, const T (&choices)[kSize]) {
  return choices[rng.below(static_cast<std::uint32_t>(kSize))];
}

}  // namespace

std::vector<std::vector<std::uint64_t>> OracleDevice::run(const Trial& trial) const {
  std::vector<std::vector<std::uint64_t>> results;
  for (const Step& step : trial.steps) {
    Matrices m(step.operands);
    if (step.c_from) m.c = results[*step.c_from];
    const catalogue::Instance& given = step.operands.instance;
    if (step.mode.denorm && flushes_f32_inputs && given.a_format() == ElementFormat::kF32) {
      for (std::vector<std::uint64_t>* codes : {&m.a, &m.b}) {
        for (std::uint64_t& code : *codes) {
          if (is_subnormal(ElementFormat::kF32, code)) code &= kSign;
        }
      }
    }
    cases::Case operands = m.to_case();
    if (ignores_unsettled_blgp && catalogue::rests_on_unsettled_blgp(given)) operands.instance.modifiers.blgp = 0;
    oracles::Model used = model;
    if (given.builtin->modifiers == catalogue::ModifierKind::kScaled && !given.modifiers.scaled) used = unscaled_model;
    if (given.builtin->acc_format == ElementFormat::kI32) used.kind = oracles::ModelKind::kInteger;
    std::vector<std::uint64_t> d = conformance::OracleView(operands.instance, used, reading).expected(operands).d;
    const int opcode = given.builtin->opcode;
    const bool says_no = opcode == 45 || opcode == 46 || (opcode >= 53 && opcode <= 56);
    if (step.mode.clamp_overflow && given.builtin->acc_format == ElementFormat::kF32 &&
        (!says_no || clamps_where_12_10_says_no)) {
      clamp_floats(m, clamps_infinite_operands, d);
    }
    if (step.mode.clamp_overflow && given.builtin->acc_format == ElementFormat::kI32 &&
        integers != IntegerClamp::kNone) {
      clamp_integers(m, integers, d);
    }
    results.push_back(std::move(d));
  }
  return results;
}

oracles::Model random_lawful_model(cases::Rng& rng, int acc_bits) {
  using oracles::ModelKind;
  using oracles::Rounding;
  constexpr ModelKind kKinds[] = {ModelKind::kAlignedSum,  ModelKind::kAlignedSum, ModelKind::kFmaChain,
                                  ModelKind::kMultiplyAdd, ModelKind::kPairwise,   ModelKind::kExactSum,
                                  ModelKind::kBlockSums};
  constexpr Rounding kRoundings[] = {Rounding::kTowardZero, Rounding::kDown, Rounding::kNearestEven};
  constexpr const char* kOrders[] = {"abc", "acb", "bac", "bca", "cab", "cba"};
  const int least = acc_bits == 64 ? 53 : oracles::kLeastFractionBits;
  oracles::Model m;
  m.kind = pick(rng, kKinds);
  m.step = rng.between(1, oracles::kLargestStep);
  if (rng.coin()) m.step = 1 << rng.between(0, 5);
  m.order = rng.coin() ? oracles::StepOrder::kAscending : oracles::StepOrder::kDescending;
  m.groups = rng.between(1, 8);
  m.grouping = rng.coin() ? oracles::Grouping::kInterleaved : oracles::Grouping::kContiguous;
  for (int* width : {&m.product_fraction_bits, &m.merge_fraction_bits, &m.sum_fraction_bits, &m.c_fraction_bits}) {
    *width = rng.coin() ? least : rng.between(least, oracles::kLargestFractionBits);
  }
  for (Rounding* r : {&m.product_rounding, &m.merge_rounding, &m.sum_rounding, &m.c_rounding, &m.final_rounding}) {
    *r = pick(rng, kRoundings);
  }
  for (bool* flag : {&m.zero_products_raise_exponent, &m.normalise_subnormals, &m.normalise_products}) {
    *flag = rng.coin();
  }
  m.final_fraction_bits.reset();
  if (rng.coin()) m.final_fraction_bits = rng.between(least, oracles::kLargestFractionBits);
  if (rng.coin()) m.drop_c_below = rng.between(least, 80);
  m.product_overflow = rng.coin() ? oracles::ProductOverflow::kInfinity : oracles::ProductOverflow::kNone;
  m.scale = m.kind == ModelKind::kBlockSums && rng.coin() ? oracles::ScaleEntry::kInBlockSum
                                                          : oracles::ScaleEntry::kInProductExponent;
  m.nan.propagate = rng.coin();
  m.nan.order = pick(rng, kOrders);
  return m;
}

OracleDevice random_lawful_device(cases::Rng& rng, const catalogue::Instance& instance) {
  OracleDevice device;
  device.model = random_lawful_model(rng, catalogue::bits_of(instance.builtin->acc_format));
  device.unscaled_model = rng.coin() ? device.model : random_lawful_model(rng, 32);
  device.reading = rng.coin() ? oracles::BroadcastReading::kPerSet : oracles::BroadcastReading::kWholeWave;
  device.ignores_unsettled_blgp = rng.coin();
  device.flushes_f32_inputs = rng.coin();
  device.clamps_infinite_operands = rng.coin();
  device.clamps_where_12_10_says_no = rng.coin();
  constexpr IntegerClamp kClamps[] = {IntegerClamp::kNone, IntegerClamp::kToLeast, IntegerClamp::kToNegatedLargest};
  device.integers = pick(rng, kClamps);
  return device;
}

}  // namespace mfma::properties::testing
