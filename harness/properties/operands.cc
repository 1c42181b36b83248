#include "harness/properties/operands.h"

#include <numeric>
#include <utility>

#include "harness/cases/codes.h"
#include "harness/catalogue/layout.h"

namespace mfma::properties {
namespace {

using catalogue::ElementFormat;
using catalogue::Operand;

std::vector<std::uint64_t> read(const cases::Case& c, Operand operand, const catalogue::RegisterImage& image) {
  return catalogue::read_elements(catalogue::shared_layout(c.instance, operand), image);
}

void write(const cases::Case& c, Operand operand, const std::vector<std::uint64_t>& codes,
           catalogue::RegisterImage& image) {
  catalogue::write_elements(catalogue::shared_layout(c.instance, operand), codes, image);
}

std::uint64_t mask_of(int bits) { return bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }

std::uint64_t integer_negative(ElementFormat format, std::uint64_t code) {
  const int bits = catalogue::bits_of(format);
  const std::uint64_t least = std::uint64_t{1} << (bits - 1);
  if (bits < 32 && code == least) return least - 1;
  return (0 - code) & mask_of(bits);
}

std::uint64_t exponent_field(ElementFormat format, std::uint64_t code) {
  const cases::FloatFields f = cases::fields_of(format);
  return code >> f.fraction_bits & mask_of(f.exponent_bits);
}

std::uint64_t fraction_field(ElementFormat format, std::uint64_t code) {
  return code & mask_of(cases::fields_of(format).fraction_bits);
}

}  // namespace

Matrices::Matrices(cases::Case origin) : origin_(std::move(origin)) {
  a = read(origin_, Operand::kA, origin_.a);
  b = read(origin_, Operand::kB, origin_.b);
  c = read(origin_, Operand::kC, origin_.c);
  if (!origin_.has_scales) return;
  scale_a = read(origin_, Operand::kScaleA, origin_.scale_a);
  scale_b = read(origin_, Operand::kScaleB, origin_.scale_b);
}

cases::Case Matrices::to_case() const {
  cases::Case result = origin_;
  write(result, Operand::kA, a, result.a);
  write(result, Operand::kB, b, result.b);
  write(result, Operand::kC, c, result.c);
  if (!origin_.has_scales) return result;
  write(result, Operand::kScaleA, scale_a, result.scale_a);
  write(result, Operand::kScaleB, scale_b, result.scale_b);
  return result;
}

cases::Case blank_case(const catalogue::Instance& instance) {
  cases::Case c;
  c.instance = instance;
  c.operand_class = "derived";
  c.a = catalogue::RegisterImage(instance.builtin->a_registers);
  c.b = catalogue::RegisterImage(instance.builtin->b_registers);
  c.c = catalogue::RegisterImage(instance.builtin->c_registers);
  c.has_scales = instance.modifiers.scaled;
  if (!c.has_scales) return c;
  for (catalogue::RegisterImage* scale : {&c.scale_a, &c.scale_b}) {
    *scale = catalogue::RegisterImage(1);
    for (std::uint32_t& dword : scale->dwords) dword = 0x01010101u * cases::kNeutralScale;
  }
  return c;
}

std::uint64_t negated(ElementFormat format, std::uint64_t code) {
  return cases::is_integer(format) ? integer_negative(format, code)
                                   : code ^ std::uint64_t{1} << (catalogue::bits_of(format) - 1);
}

std::uint64_t magnitude(ElementFormat format, std::uint64_t code) {
  const std::uint64_t sign = std::uint64_t{1} << (catalogue::bits_of(format) - 1);
  return (code & sign) != 0 ? negated(format, code) : code;
}

bool is_subnormal(ElementFormat format, std::uint64_t code) {
  return !cases::is_integer(format) && exponent_field(format, code) == 0 && fraction_field(format, code) != 0;
}

bool is_nan_code(ElementFormat format, std::uint64_t code) {
  if (cases::is_integer(format) || cases::is_finite_code(format, code)) return false;
  return format == ElementFormat::kFp8E4m3 || fraction_field(format, code) != 0;
}

bool is_infinite_code(ElementFormat format, std::uint64_t code) {
  return !cases::is_integer(format) && !cases::is_finite_code(format, code) && !is_nan_code(format, code);
}

std::uint64_t any_zero(ElementFormat format, cases::Rng& rng) { return rng.coin() ? cases::negative_zero(format) : 0; }

std::vector<int> permutation(int size, cases::Rng& rng) {
  std::vector<int> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t n = order.size(); n > 1; --n) {
    std::swap(order[n - 1], order[rng.below(static_cast<std::uint32_t>(n))]);
  }
  return order;
}

std::vector<bool> some_of(int size, cases::Rng& rng) {
  std::vector<bool> chosen(static_cast<std::size_t>(size));
  for (std::size_t n = 0; n < chosen.size(); ++n) chosen[n] = rng.coin();
  if (size < 2) return std::vector<bool>(static_cast<std::size_t>(size), true);
  const std::vector<int> order = permutation(size, rng);
  chosen[static_cast<std::size_t>(order[0])] = true;
  chosen[static_cast<std::size_t>(order[1])] = false;
  return chosen;
}

bool has_pattern_modifiers(const catalogue::Instance& i) {
  return i.builtin->modifiers == catalogue::ModifierKind::kBroadcast;
}

bool moves_b(const catalogue::Instance& i) { return has_pattern_modifiers(i) && i.modifiers.blgp != 0; }

int per_set_source_lane(const catalogue::Instance& i, int lane) {
  if (i.modifiers.cbsz == 0) return lane;
  // Shapes that broadcast hold one block per M lanes.
  const int m = i.builtin->shape.m;
  const int set = m << i.modifiers.cbsz;
  return lane / set * set + i.modifiers.abid * m + lane % m;
}

int whole_wave_source_lane(const catalogue::Instance& i, int lane) {
  const int part = catalogue::kLanes >> i.modifiers.cbsz;
  return lane % part + part * i.modifiers.abid;
}

Step step_of(cases::Case c) {
  Step step;
  step.operands = std::move(c);
  return step;
}

Trial one_reading(std::vector<Step> steps, std::vector<Comparison> comparisons) {
  Trial trial;
  trial.steps = std::move(steps);
  trial.readings.push_back({{}, std::move(comparisons)});
  return trial;
}

Comparison compare(Relation relation, std::uint32_t subject_step, std::size_t subject, std::uint32_t reference_step,
                   std::size_t reference) {
  return {relation,
          {subject_step, static_cast<std::uint32_t>(subject)},
          {reference_step, static_cast<std::uint32_t>(reference)},
          0};
}

}  // namespace mfma::properties
