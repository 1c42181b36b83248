#include "oracles/batched/batched.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <stdexcept>

#include "oracles/arithmetic/lines.h"
#include "oracles/batched/kernels.h"
#include "oracles/batched/matrices.h"
#include "oracles/batched/operand_memory.h"
#include "oracles/batched/parameters.h"
#include "oracles/formats/rounding.h"

namespace mfma::oracles::batched {
namespace {

constexpr int kLargestK = 1 << 15;  // of integers: sums of magnitudes stay below 2^31

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
