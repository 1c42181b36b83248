#include "oracles/batched/batched.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <stdexcept>

#include "oracles/arithmetic/lines.h"
#include "oracles/batched/kernels.h"
#include "oracles/batched/matrices.h"
#include "oracles/formats/rounding.h"

namespace mfma::oracles::batched {
namespace {

constexpr int kLargestK = 1 << 15;  // of integers: sums of magnitudes stay below 2^31

// ---- What the lanes compute ----

// Whether the model has nothing but parameters that are known here: a parameter that is added to Model shows as a
// difference as soon as it is not at its default.
bool is_known(const Model& m) {
  Model known;
  known.kind = m.kind;
  known.step = m.step;
  known.order = m.order;
  known.groups = m.groups;
  known.grouping = m.grouping;
  known.product_fraction_bits = m.product_fraction_bits;
  known.product_rounding = m.product_rounding;
  known.zero_products_raise_exponent = m.zero_products_raise_exponent;
  known.normalise_subnormals = m.normalise_subnormals;
  known.normalise_products = m.normalise_products;
  known.merge_fraction_bits = m.merge_fraction_bits;
  known.merge_rounding = m.merge_rounding;
  known.sum_fraction_bits = m.sum_fraction_bits;
  known.sum_rounding = m.sum_rounding;
  known.c_fraction_bits = m.c_fraction_bits;
  known.c_rounding = m.c_rounding;
  known.drop_c_below = m.drop_c_below;
  known.final_fraction_bits = m.final_fraction_bits;
  known.final_rounding = m.final_rounding;
  known.product_overflow = m.product_overflow;
  known.nan = m.nan;
  known.scale = m.scale;
  return known == m;
}

bool is_small_float(const Format& f) {
  return !f.is_integer && f.is_signed && f.bits <= 32 && f.exponent_bits >= 1 && f.exponent_bits <= 8 &&
         f.fraction_bits >= 1 && f.fraction_bits <= 23 && f.bits == 1 + f.exponent_bits + f.fraction_bits &&
         f.bias > -200 && f.bias < 200;
}

bool is_small_integer(const Format& f) { return f.is_integer && f.bits <= 8; }

// Whether every value of an aligned step stays below 2^62, as in oracles/arithmetic/aligned_sum_dot.cc.
bool fits_64(const Model& m, const Format& a, const Format& b) {
  const int fraction_bits = a.fraction_bits + b.fraction_bits;
  const int width = std::max({m.product_fraction_bits, m.merge_fraction_bits, m.sum_fraction_bits, m.c_fraction_bits});
  return std::max(fraction_bits, m.product_fraction_bits) + 2 <= 60 && width + 2 + 8 + 1 <= 60;
}

LaneRounding lane_rounding(Rounding r) {
  switch (r) {
    case Rounding::kTowardZero:
      return LaneRounding::kTowardZero;
    case Rounding::kDown:
      return LaneRounding::kDown;
    case Rounding::kNearestEven:
      break;
  }
  return LaneRounding::kNearestEven;
}

AlignedParameters aligned_parameters(const Model& m, const Format& a, const Format& b) {
  AlignedParameters p{};
  p.step = m.step;
  p.groups = m.groups;
  p.descending = m.order == StepOrder::kDescending;
  p.contiguous = m.grouping == Grouping::kContiguous;
  p.fraction_bits = a.fraction_bits + b.fraction_bits;
  p.product_fraction_bits = m.product_fraction_bits;
  p.merge_fraction_bits = m.merge_fraction_bits;
  p.sum_fraction_bits = m.sum_fraction_bits;
  p.c_fraction_bits = m.c_fraction_bits;
  p.final_fraction_bits = m.final_fraction_bits.value_or(0);
  p.product_rounding = lane_rounding(m.product_rounding);
  p.merge_rounding = lane_rounding(m.merge_rounding);
  p.sum_rounding = lane_rounding(m.sum_rounding);
  p.c_rounding = lane_rounding(m.c_rounding);
  p.final_rounding = lane_rounding(m.final_rounding);
  p.normalise_products = m.normalise_products;
  p.product_overflow = m.product_overflow == ProductOverflow::kInfinity;
  p.drop_c_below = m.drop_c_below.value_or(-1);
  p.up = std::max(0, m.product_fraction_bits - p.fraction_bits);
  const auto largest = [](const Format& f) { return (std::uint64_t{2} << f.fraction_bits) - 1; };
  const std::uint64_t product = largest(a) * largest(b);
  constexpr std::uint64_t kLargest = 0x7fffffff;
  if (p.up < 32 && product <= kLargest >> p.up) {
    // Fewer than four, and rounding to nearest would need more than 31 bits.
    const auto most = static_cast<int>(std::min<std::uint64_t>(kLargest / (product << p.up), std::uint64_t{1} << 20));
    if (most >= 4) p.most_in_32 = most;
  }
  return p;
}

std::optional<ChainKind> chain_kind(ModelKind kind) {
  switch (kind) {
    case ModelKind::kFmaChain:
      return ChainKind::kFma;
    case ModelKind::kMultiplyAdd:
      return ChainKind::kMultiplyAdd;
    case ModelKind::kPairwise:
      return ChainKind::kPairwise;
    case ModelKind::kBlockSums:
      return ChainKind::kBlockSums;
    case ModelKind::kExactSum:
    case ModelKind::kAlignedSum:
    case ModelKind::kInteger:
      break;
  }
  return std::nullopt;
}

FormatNumbers numbers_of(const Format& f) {
  return {f.bits,
          f.exponent_bits,
          f.fraction_bits,
          f.bias,
          f.specials == Specials::kIeee,
          f.specials == Specials::kNanOnly};
}

// ---- Memory of decoded operands ----

// One allocation for all arrays of an operand.
class OperandMemory {
 public:
  static constexpr unsigned kFields = 1, kValues = 2, kUnscaled = 4, kSplit64 = 8;

  OperandMemory(std::size_t elements, std::size_t lines, unsigned wanted) {
    const std::size_t count = elements + 2 * kTile;
    const std::size_t of_lines = lines + 2 * kTile;
    const std::size_t words = 3 * count + 3 * of_lines + ((wanted & kFields) != 0 ? 3 * count : 0);
    const auto arrays = [wanted](unsigned which, std::size_t n) { return (wanted & which) != 0 ? n : 0; };
    const std::size_t doubles = (arrays(kValues, 1) + arrays(kUnscaled, 1) + arrays(kSplit64, 2)) * count;
    words_ = std::make_unique_for_overwrite<std::int32_t[]>(words);
    doubles_ = std::make_unique_for_overwrite<std::uint64_t[]>(doubles);
    // What lies beyond is read into lanes that nobody looks at, but must be initialised.
    std::int32_t* word = words_.get();
    const auto take = [&word](std::size_t n) {
      std::int32_t* at = word;
      word += n;
      std::fill(word - 2 * kTile, word, 0);
      return at;
    };
    operand.bound = take(count);
    operand.odd = take(count);
    operand.flags = take(count);
    operand.any = take(of_lines);
    operand.least_odd = take(of_lines);
    operand.largest_bound = take(of_lines);
    if ((wanted & kFields) != 0) {
      operand.magnitude = take(count);
      operand.sign = take(count);
      operand.lead = take(count);
    }
    std::uint64_t* eight = doubles_.get();
    const auto take_eight = [&eight, count] {
      std::uint64_t* at = eight;
      eight += count;
      std::fill(eight - 2 * kTile, eight, 0);
      return at;
    };
    const auto as_doubles = [](std::uint64_t* p) { return reinterpret_cast<double*>(p); };
    if ((wanted & kValues) != 0) operand.value = as_doubles(take_eight());
    if ((wanted & kUnscaled) != 0) operand.unscaled = as_doubles(take_eight());
    if ((wanted & kSplit64) != 0) {
      split.significand = as_doubles(take_eight());
      split.exponent = reinterpret_cast<std::int64_t*>(take_eight());
    }
  }

  Operand operand;
  Operand64 split;

 private:
  std::unique_ptr<std::int32_t[]> words_;
  std::unique_ptr<std::uint64_t[]> doubles_;
};

// The arrays of a sheet, of those of all.
Operand at_sheet(Operand o, std::size_t element, std::size_t line) {
  for (std::int32_t** p : {&o.magnitude, &o.sign, &o.lead, &o.bound, &o.odd, &o.flags}) {
    if (*p != nullptr) *p += element;
  }
  for (std::int32_t** p : {&o.any, &o.least_odd, &o.largest_bound}) *p += line;
  for (double** p : {&o.value, &o.unscaled}) {
    if (*p != nullptr) *p += element;
  }
  return o;
}

// Whether the scales of every block combine to a normal f32 for all elements, or for one (exactness.h).
bool scales_are_plain(int least, int largest) {
  const Format& f32 = format(FormatId::kF32);
  return least >= least_exponent(f32) && largest <= largest_exponent(f32);
}

class Product {
 public:
  Product(const DenseProblem& problem, const Model& model, const Kernels& kernels)
      : p_(problem), model_(model), kernels_(kernels), cut_(problem.shape) {}

  DenseResult compute() {
    result_.d.resize(p_.c.size());
    result_.exact.resize(p_.c.size());
    state_.assign(cut_.d_elements() + kTile, 0);
    if (p_.acc_format.is_integer) {
      integers();
    } else if (p_.acc_format.bits == 64) {
      doubles();
    } else {
      floats();
    }
    return std::move(result_);
  }

 private:
  Sheet sheet_of(int n, const OperandMemory& a, const OperandMemory& b) const {
    Sheet s;
    s.rows = cut_.rows;
    s.k = p_.shape.k;
    s.width = cut_.width;
    s.repeat = cut_.repeat;
    const auto sheets = static_cast<std::size_t>(cut_.sheets), i = static_cast<std::size_t>(n);
    const std::size_t of_a = cut_.a_elements(s.k) / sheets * i, of_b = cut_.b_elements(s.k) / sheets * i;
    s.a = at_sheet(a.operand, of_a, cut_.a_elements(1) / sheets * i);
    s.b = at_sheet(b.operand, of_b, cut_.b_elements(1) / sheets * i);
    s.a64 = {a.split.significand + of_a, a.split.exponent + of_a};
    s.b64 = {b.split.significand + of_b, b.split.exponent + of_b};
    return s;
  }

  static std::int64_t tiles(std::size_t elements) {
    return static_cast<std::int64_t>((elements + kTile - 1) / kTile * kTile);
  }

  void find_bounds(const OperandMemory& a, const OperandMemory& b) const {
    kernels_.bounds(cut_.sheets * cut_.rows, p_.shape.k, cut_.a_entries, a.operand);
    kernels_.bounds(cut_.sheets, p_.shape.k, cut_.width, b.operand);
  }

  void floats() {
    const std::optional<ChainKind> chain = chain_kind(model_.kind);
    const bool in_blocks = p_.scaled && model_.kind == ModelKind::kBlockSums && model_.scale == ScaleEntry::kInBlockSum;
    AlignedParameters aligned{};
    if (!chain) aligned = aligned_parameters(model_, p_.a_format, p_.b_format);
    const bool blocks = model_.kind == ModelKind::kBlockSums;
    const unsigned wanted =
        OperandMemory::kValues | (chain ? 0U : OperandMemory::kFields) | (in_blocks ? OperandMemory::kUnscaled : 0U);
    OperandMemory a(cut_.a_elements(p_.shape.k), cut_.a_elements(1), wanted);
    OperandMemory b(cut_.b_elements(p_.shape.k), cut_.b_elements(1), wanted);
    const bool raise = !chain && model_.zero_products_raise_exponent;
    const bool normalise = !chain && model_.normalise_subnormals;
    {
      const std::vector<std::uint32_t> codes = codes_of_a<std::uint32_t>(p_, cut_);
      const std::vector<std::int32_t> scales = p_.scaled ? scales_of_a(p_, cut_) : std::vector<std::int32_t>();
      kernels_.decode({numbers_of(p_.a_format), raise, normalise, aligned.most_in_32 > 0 ? aligned.up : 0},
                      codes.data(), p_.scaled ? scales.data() : nullptr, tiles(cut_.a_elements(p_.shape.k)), a.operand);
    }
    {
      const std::vector<std::uint32_t> codes = codes_of_b<std::uint32_t>(p_, cut_);
      const std::vector<std::int32_t> scales = p_.scaled ? scales_of_b(p_, cut_) : std::vector<std::int32_t>();
      kernels_.decode({numbers_of(p_.b_format), raise, normalise, 0}, codes.data(), p_.scaled ? scales.data() : nullptr,
                      tiles(cut_.b_elements(p_.shape.k)), b.operand);
    }
    find_bounds(a, b);
    const std::vector<double> a_factors = in_blocks ? factors_of_a(p_, cut_) : std::vector<double>();
    const std::vector<double> b_factors = in_blocks ? factors_of_b(p_, cut_) : std::vector<double>();
    const bool plain_scales = !p_.scaled || all_scales_are_plain();
    std::vector<std::uint32_t> c, d(cut_.d_elements() + kTile);
    for (int n = 0; n < cut_.sheets; ++n) {
      codes_of_c(p_, cut_, n, c);
      Sheet s = sheet_of(n, a, b);
      s.c = c.data();
      if (blocks && !in_blocks) {
        s.a.unscaled = s.a.value;
        s.b.unscaled = s.b.value;
      }
      if (in_blocks) {
        s.a_factor = a_factors.data();
        s.b_factor = b_factors.data();
      }
      const Output out = {d.data(), nullptr, state_.data()};
      kernels_.label(s, p_.acc_format.fraction_bits + 1, out);
      if (chain) {
        kernels_.chain(s, {*chain, model_.order == StepOrder::kDescending, model_.step}, out);
      } else {
        kernels_.aligned(s, aligned, out);
      }
      take(n, d.data(), 0, plain_scales);
    }
  }

  void doubles() {
    OperandMemory a(cut_.a_elements(p_.shape.k), cut_.a_elements(1), OperandMemory::kSplit64);
    OperandMemory b(cut_.b_elements(p_.shape.k), cut_.b_elements(1), OperandMemory::kSplit64);
    kernels_.decode64(codes_of_a<std::uint64_t>(p_, cut_).data(), tiles(cut_.a_elements(p_.shape.k)), a.operand,
                      a.split);
    kernels_.decode64(codes_of_b<std::uint64_t>(p_, cut_).data(), tiles(cut_.b_elements(p_.shape.k)), b.operand,
                      b.split);
    find_bounds(a, b);
    std::vector<std::uint64_t> c, d(cut_.d_elements() + kTile);
    for (int n = 0; n < cut_.sheets; ++n) {
      codes_of_c(p_, cut_, n, c);
      Sheet s = sheet_of(n, a, b);
      s.c64 = c.data();
      kernels_.chain64(s, model_.order == StepOrder::kDescending, {nullptr, d.data(), state_.data()});
      take(n, d.data(), kHasInfinity, true);
    }
  }

  static void store_integers(const Format& f, const std::vector<std::uint32_t>& codes, std::size_t count,
                             std::int32_t* to) {
    const int up = 32 - f.bits;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t high = codes[i] << up;
      to[i] = f.is_signed ? static_cast<std::int32_t>(high) >> up : static_cast<std::int32_t>(high >> up);
    }
  }

  void integers() {
    OperandMemory a(cut_.a_elements(p_.shape.k), cut_.a_elements(1), OperandMemory::kFields);
    OperandMemory b(cut_.b_elements(p_.shape.k), cut_.b_elements(1), OperandMemory::kFields);
    store_integers(p_.a_format, codes_of_a<std::uint32_t>(p_, cut_), cut_.a_elements(p_.shape.k), a.operand.magnitude);
    store_integers(p_.b_format, codes_of_b<std::uint32_t>(p_, cut_), cut_.b_elements(p_.shape.k), b.operand.magnitude);
    std::vector<std::uint32_t> c, d(cut_.d_elements() + kTile);
    for (int n = 0; n < cut_.sheets; ++n) {
      codes_of_c(p_, cut_, n, c);
      Sheet s = sheet_of(n, a, b);
      s.c = c.data();
      kernels_.integer(s, {d.data(), nullptr, state_.data()});
      take(n, d.data(), 0, true);
    }
  }

  bool all_scales_are_plain() const {
    const auto exponent = [](std::uint8_t byte) { return block_scale(byte).exponent; };
    const auto [a_least, a_largest] = std::minmax_element(p_.scale_a.begin(), p_.scale_a.end());
    const auto [b_least, b_largest] = std::minmax_element(p_.scale_b.begin(), p_.scale_b.end());
    return scales_are_plain(exponent(*a_least) + exponent(*b_least), exponent(*a_largest) + exponent(*b_largest));
  }

  bool scales_are_plain_at(int row, int column) const {
    const auto blocks = static_cast<std::size_t>((p_.shape.k + 31) / 32);
    for (std::size_t q = 0; q < blocks; ++q) {
      const int combined =
          block_scale(p_.scale_a[static_cast<std::size_t>(row) * blocks + q]).exponent +
          block_scale(p_.scale_b[q * static_cast<std::size_t>(p_.shape.n) + static_cast<std::size_t>(column)]).exponent;
      if (!scales_are_plain(combined, combined)) return false;
    }
    return true;
  }

  // The plain oracle, for what the lanes do not settle.
  const DenseElements& plain() {
    if (!plain_) plain_.emplace(p_, model_);
    return *plain_;
  }

  template <typename Code>
  void take(int sheet, const Code* d, std::int32_t ask_bits, bool plain_scales) {
    const int run = run_of(cut_);
    const std::int32_t unsettled = kAskExact | kAskBits | kIsNan | ask_bits;
    for (int row = 0; row < cut_.rows; ++row) {
      const auto first = static_cast<std::size_t>(row) * static_cast<std::size_t>(cut_.width);
      for (int lane = 0; lane < cut_.used; lane += run) {
        const std::size_t to = place_in_result(cut_, sheet, row, lane);
        const std::size_t from = first + static_cast<std::size_t>(lane);
        std::int32_t all = 0;
        for (std::size_t i = 0; i < static_cast<std::size_t>(run); ++i) {
          result_.d[to + i] = d[from + i];
          result_.exact[to + i] = static_cast<std::uint8_t>(state_[from + i] & kExact);
          all |= state_[from + i];
        }
        if ((all & unsettled) == 0 && plain_scales) continue;
        for (int i = 0; i < run; ++i) {
          settle(to + static_cast<std::size_t>(i), state_[from + static_cast<std::size_t>(i)], ask_bits,
                 plain_scales || scales_are_plain_at(row, lane + i));
        }
      }
    }
  }

  void settle(std::size_t at, std::int32_t state, std::int32_t ask_bits, bool plain_scales) {
    if (!plain_scales) result_.exact[at] = 0;
    if ((state & kIsNan) != 0) {
      result_.exact[at] = 0;
      result_.d[at] = model_.nan.propagate ? plain().bits(at) : generated_nan(model_.nan, p_.acc_format);
      return;
    }
    if ((state & (kAskBits | ask_bits)) != 0) result_.d[at] = plain().bits(at);
    if ((state & kAskExact) != 0) result_.exact[at] = plain().exact(at) ? 1 : 0;
  }

  const DenseProblem& p_;
  const Model& model_;
  const Kernels& kernels_;
  Cut cut_;
  DenseResult result_;
  std::vector<std::int32_t> state_;
  std::optional<DenseElements> plain_;
};

const Kernels& kernels_of(InstructionSet set) {
  switch (set) {
#ifdef MFMA_BATCHED_X86
    case InstructionSet::kAvx512:
      return kernels_avx512();
    case InstructionSet::kAvx2:
      return kernels_avx2();
#endif
    default:
      return kernels_baseline();
  }
}

}  // namespace

bool covers(const Model& model, const Format& a, const Format& b, const Format& acc) {
  if (!is_known(model)) return false;
  if (acc.is_integer) return acc == format(FormatId::kI32) && is_small_integer(a) && is_small_integer(b);
  if (acc == format(FormatId::kF64)) return model.kind == ModelKind::kFmaChain && a == acc && b == acc;
  if (acc != format(FormatId::kF32) || !is_small_float(a) || !is_small_float(b)) return false;
  return chain_kind(model.kind) || (model.kind == ModelKind::kAlignedSum && fits_64(model, a, b));
}

std::string_view name_of(InstructionSet set) {
  switch (set) {
    case InstructionSet::kAvx512:
      return "avx512";
    case InstructionSet::kAvx2:
      return "avx2";
    case InstructionSet::kBaseline:
      break;
  }
  return "baseline";
}

std::span<const InstructionSet> instruction_sets() {
  static constexpr std::array<InstructionSet, 3> kAll = {InstructionSet::kBaseline, InstructionSet::kAvx2,
                                                         InstructionSet::kAvx512};
  static const std::size_t count = [] {
    std::size_t n = 1;
#ifdef MFMA_BATCHED_X86
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
      n = 2;
      if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
          __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512bw") &&
          __builtin_cpu_supports("avx512vl")) {
        n = 3;
      }
    }
#endif
    return n;
  }();
  return std::span(kAll).first(count);
}

DenseResult dense_product(const DenseProblem& problem, const Model& model, InstructionSet set) {
  check_problem(problem, model);
  const bool covered = covers(model, problem.a_format, problem.b_format, problem.acc_format) &&
                       (!problem.acc_format.is_integer || problem.shape.k <= kLargestK);
  if (!covered) return oracles::dense_product(problem, model);
  return Product(problem, model, kernels_of(set)).compute();
}

DenseResult dense_product(const DenseProblem& problem, const Model& model) {
  return dense_product(problem, model, instruction_sets().back());
}

}  // namespace mfma::oracles::batched
