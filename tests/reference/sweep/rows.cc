#include "tests/reference/sweep/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tests/reference/formats.h"

namespace mfma::oracles::reference::testing {

namespace {

std::uint64_t random_nan_bits(const Format& acc, Random& random) {
  if (acc.id == FormatId::kF64) {
    return random.pick<std::uint64_t>({0x7FF8000000000000, 0xFFF8000000000000, 0x7FFFFFFFFFFFFFFF});
  }
  return random.pick<std::uint64_t>({0x7FC00000, 0xFFC00000, 0x7FFFFFFF});
}

NanRule random_nan_rule(const Format& acc, Random& random) {
  NanRule rule;
  if (random.one_in(2)) {
    rule.propagate = true;
    rule.order = random.pick<const char*>({"abc", "acb", "bac", "bca", "cab", "cba"});
  }
  if (random.one_in(3)) rule.bits = random_nan_bits(acc, random);
  return rule;
}

Model random_of(ModelKind kind, const Format& acc, Random& random) {
  Model model = make(kind, random.one_in(3) ? random.between(1, 128) : random.between(1, 8),
                     random.one_in(3) ? StepOrder::kDescending : StepOrder::kAscending);
  if (kind == ModelKind::kBlockSums && random.one_in(2)) model.scale = ScaleEntry::kInBlockSum;
  model.nan = random_nan_rule(acc, random);
  return model;
}

template <ModelKind kKind>
Model of_kind(const Format& acc, Random& random) {
  return random_of(kKind, acc, random);
}

Model measured_tr(const Format& acc, Random& random) {
  Model model = tr(1 << random.between(2, 6));
  model.nan = random_nan_rule(acc, random);
  return model;
}

Model measured_gtr(const Format& acc, Random& random) {
  Model model = gtr(16);
  model.nan = random_nan_rule(acc, random);
  return model;
}

Rounding random_rounding(Random& random) {
  return random.pick({Rounding::kTowardZero, Rounding::kDown, Rounding::kNearestEven});
}

// Mostly near the measured widths.
int random_width(Random& random) { return random.one_in(4) ? random.between(24, 64) : random.between(24, 33); }

Model random_aligned(const Format& acc, Random& random) {
  Model model = random_of(ModelKind::kAlignedSum, acc, random);
  model.groups = random.one_in(3) ? 1 : random.between(1, 5);
  model.grouping = random.one_in(2) ? Grouping::kInterleaved : Grouping::kContiguous;
  model.product_fraction_bits = random_width(random);
  model.product_rounding = random_rounding(random);
  model.zero_products_raise_exponent = random.one_in(3);
  model.normalise_subnormals = random.one_in(3);
  model.normalise_products = random.one_in(3);
  model.merge_fraction_bits = random_width(random);
  model.merge_rounding = random_rounding(random);
  model.sum_fraction_bits = random_width(random);
  model.sum_rounding = random_rounding(random);
  model.c_fraction_bits = random_width(random);
  model.c_rounding = random_rounding(random);
  if (random.one_in(2)) model.drop_c_below = random.between(24, 34);
  model.final_fraction_bits = random.one_in(4) ? std::nullopt : std::optional(random_width(random));
  model.final_rounding = random_rounding(random);
  model.product_overflow = random.one_in(2) ? ProductOverflow::kInfinity : ProductOverflow::kNone;
  return model;
}

struct NamedModel {
  const char* name;
  Model (*make)(const Format&, Random&);
};

constexpr NamedModel kFloatModels[] = {
    {"fma_chain", of_kind<ModelKind::kFmaChain>},
    {"multiply_add", of_kind<ModelKind::kMultiplyAdd>},
    {"pairwise", of_kind<ModelKind::kPairwise>},
    {"exact_sum", of_kind<ModelKind::kExactSum>},
    {"block_sums", of_kind<ModelKind::kBlockSums>},
    {"aligned_sum TR", measured_tr},
    {"aligned_sum GTR", measured_gtr},
    {"aligned_sum random", random_aligned},
};

void add_rows(std::vector<Row>& rows, const Pair& pair) {
  const std::string name = fmt::format("{} x {}{}", pair.a.name, pair.b.name, pair.scaled ? " scaled" : "");
  if (pair.a.is_integer) {
    rows.push_back({name, "integer", pair, of_kind<ModelKind::kInteger>});
    rows.push_back({name, "aligned_sum random", pair, random_aligned});
    return;
  }
  for (const NamedModel& model : kFloatModels) rows.push_back({name, model.name, pair, model.make});
}

}  // namespace

std::vector<Row> sweep_rows() {
  std::vector<Row> rows;
  add_rows(rows, {kF64, kF64, kF64});
  for (const Format& f : {kF32, kF16, kBf16}) add_rows(rows, {f, f, kF32});
  const std::array narrow = {kFp8, kBf8, kFp6, kBf6, kFp4};
  for (const bool scaled : {false, true}) {
    for (const Format& a : narrow) {
      for (const Format& b : narrow) add_rows(rows, {a, b, kF32, scaled});
    }
  }
  add_rows(rows, {kI8, kI8, kI32});
  return rows;
}

std::string describe(const Model& m) {
  const auto rounding = [](Rounding r) {
    return r == Rounding::kDown ? "down" : r == Rounding::kTowardZero ? "zero" : "near";
  };
  std::string text = fmt::format("kind {} step {} {} nan {} {} {:x}", static_cast<int>(m.kind), m.step,
                                 m.order == StepOrder::kAscending ? "ascending" : "descending", m.nan.propagate,
                                 m.nan.order, m.nan.bits.value_or(0));
  if (m.kind == ModelKind::kBlockSums)
    text += m.scale == ScaleEntry::kInBlockSum ? " scale in sum" : " scale in product";
  if (m.kind != ModelKind::kAlignedSum) return text;
  return text + fmt::format(
                    " groups {} {} product {} {} zeros raise {} normalise subnormals {} products {} merge {} {} "
                    "sum {} {} c {} {} drop {} final {} {} overflow {}",
                    m.groups, m.grouping == Grouping::kInterleaved ? "interleaved" : "contiguous",
                    m.product_fraction_bits, rounding(m.product_rounding), m.zero_products_raise_exponent,
                    m.normalise_subnormals, m.normalise_products, m.merge_fraction_bits, rounding(m.merge_rounding),
                    m.sum_fraction_bits, rounding(m.sum_rounding), m.c_fraction_bits, rounding(m.c_rounding),
                    m.drop_c_below.value_or(-1), m.final_fraction_bits.value_or(-1), rounding(m.final_rounding),
                    m.product_overflow == ProductOverflow::kInfinity ? "infinity" : "none");
}

}  // namespace mfma::oracles::reference::testing
