#include "oracles/batched/matrices.h"

#include <algorithm>
#include <cmath>

#include "oracles/arithmetic/lines.h"
#include "oracles/plain/modifiers.h"

namespace mfma::oracles::batched {
namespace {

constexpr int kScaleBlock = 32;

int scale_blocks(int k) { return (k + kScaleBlock - 1) / kScaleBlock; }

std::size_t product_of(std::initializer_list<int> factors) {
  std::size_t product = 1;
  for (int f : factors) product *= static_cast<std::size_t>(f);
  return product;
}

std::uint64_t sign_to_flip(bool negate, const Format& f) { return negate ? std::uint64_t{1} << (f.bits - 1) : 0; }

int exponent_or_none(std::uint8_t byte) {
  const BlockScale scale = block_scale(byte);
  return scale.is_nan ? kNone : scale.exponent;
}

double factor_of(std::uint8_t byte) {
  const BlockScale scale = block_scale(byte);
  return scale.is_nan ? 1 : std::ldexp(1.0, scale.exponent);
}

}  // namespace

Cut::Cut(const DenseShape& s) : shape(s) {
  const bool beside = s.n == 4 && s.blocks % 4 == 0;
  repeat = beside ? 4 : 1;
  sheets = beside ? 1 : s.blocks;
  rows = s.m;
  used = beside ? s.n * s.blocks : s.n;
  width = (used + kTile - 1) / kTile * kTile;
  a_entries = beside ? s.blocks : 1;
}

std::size_t Cut::a_elements(int k) const { return product_of({sheets, rows, k, a_entries}); }
std::size_t Cut::b_elements(int k) const { return product_of({sheets, k, width}); }
std::size_t Cut::d_elements() const { return product_of({rows, width}); }

template <typename Code>
std::vector<Code> codes_of_a(const DenseProblem& p, const Cut& cut) {
  const DenseShape& s = p.shape;
  std::vector<Code> codes(cut.a_elements(s.k) + kTile);
  const std::uint64_t flip = sign_to_flip(p.modifiers.negate_a, p.a_format);
  const bool in_place = p.modifiers.cbsz == 0;
  if (in_place && cut.a_entries == 1) {
    for (std::size_t i = 0; i < p.a.size(); ++i) codes[i] = static_cast<Code>(p.a[i] ^ flip);
    return codes;
  }
  for (int b = 0; b < s.blocks; ++b) {
    for (int i = 0; i < s.m; ++i) {
      for (int k = 0; k < s.k; ++k) {
        const ElementPlace from = in_place ? ElementPlace{b, i, k} : source_of_a(s, p.modifiers, {b, i, k});
        const auto at = static_cast<std::size_t>((from.block * s.m + from.row_or_column) * s.k + from.k);
        const std::size_t to = cut.a_entries == 1
                                   ? product_of({b * s.m + i, s.k}) + static_cast<std::size_t>(k)
                                   : product_of({i * s.k + k, cut.a_entries}) + static_cast<std::size_t>(b);
        codes[to] = static_cast<Code>(p.a[at] ^ flip);
      }
    }
  }
  return codes;
}

template <typename Code>
std::vector<Code> codes_of_b(const DenseProblem& p, const Cut& cut) {
  const DenseShape& s = p.shape;
  std::vector<Code> codes(cut.b_elements(s.k) + kTile);
  const std::uint64_t flip = sign_to_flip(p.modifiers.negate_b, p.b_format);
  const bool in_place = p.modifiers.blgp == 0;
  for (int b = 0; b < s.blocks; ++b) {
    for (int k = 0; k < s.k; ++k) {
      Code* to = codes.data() + (cut.repeat == 4 ? product_of({k, cut.width}) + product_of({b, s.n})
                                                 : product_of({b * s.k + k, cut.width}));
      const std::uint64_t* row = p.b.data() + product_of({b * s.k + k, s.n});
      if (in_place) {
        for (int j = 0; j < s.n; ++j) to[j] = static_cast<Code>(row[j] ^ flip);
        continue;
      }
      for (int j = 0; j < s.n; ++j) {
        const ElementPlace from = source_of_b(s, p.modifiers, {b, j, k});
        to[j] = static_cast<Code>(
            p.b[static_cast<std::size_t>((from.block * s.k + from.k) * s.n + from.row_or_column)] ^ flip);
      }
    }
  }
  return codes;
}

std::size_t place_in_result(const Cut& cut, int sheet, int row, int lane) {
  const int block = cut.repeat == 4 ? lane / 4 : sheet;
  const int column = cut.repeat == 4 ? lane % 4 : lane;
  return static_cast<std::size_t>((block * cut.shape.m + row) * cut.shape.n + column);
}

template <typename Code>
void codes_of_c(const DenseProblem& p, const Cut& cut, int sheet, std::vector<Code>& codes) {
  codes.resize(cut.d_elements() + kTile);
  const std::uint64_t flip = sign_to_flip(p.modifiers.negate_c, p.acc_format);
  const int run = run_of(cut);
  for (int row = 0; row < cut.rows; ++row) {
    Code* to = codes.data() + product_of({row, cut.width});
    for (int lane = 0; lane < cut.used; lane += run) {
      const std::uint64_t* from = p.c.data() + place_in_result(cut, sheet, row, lane);
      for (int i = 0; i < run; ++i) to[lane + i] = static_cast<Code>(from[i] ^ flip);
    }
  }
}

std::vector<std::int32_t> scales_of_a(const DenseProblem& p, const Cut& cut) {
  const DenseShape& s = p.shape;
  std::vector<std::int32_t> exponents(cut.a_elements(s.k) + kTile);
  const std::uint8_t* scale = p.scale_a.data();
  for (int i = 0; i < s.m; ++i) {
    for (int k = 0; k < s.k; k += kScaleBlock) {
      std::fill_n(exponents.data() + i * s.k + k, std::min(kScaleBlock, s.k - k), exponent_or_none(*scale++));
    }
  }
  return exponents;
}

std::vector<std::int32_t> scales_of_b(const DenseProblem& p, const Cut& cut) {
  const DenseShape& s = p.shape;
  std::vector<std::int32_t> exponents(cut.b_elements(s.k) + kTile);
  const std::uint8_t* scale = p.scale_b.data();
  for (int k = 0; k < s.k; ++k) {
    std::int32_t* row = exponents.data() + k * cut.width;
    if (k % kScaleBlock == 0) {
      for (int j = 0; j < s.n; ++j) row[j] = exponent_or_none(*scale++);
    } else {
      std::copy_n(row - cut.width, s.n, row);
    }
  }
  return exponents;
}

std::vector<double> factors_of_a(const DenseProblem& p, const Cut& cut) {
  std::vector<double> factors(cut.a_elements(scale_blocks(p.shape.k)) + kTile);
  for (std::size_t i = 0; i < p.scale_a.size(); ++i) factors[i] = factor_of(p.scale_a[i]);
  return factors;
}

std::vector<double> factors_of_b(const DenseProblem& p, const Cut& cut) {
  const int blocks = scale_blocks(p.shape.k);
  std::vector<double> factors(cut.b_elements(blocks) + kTile);
  for (int q = 0; q < blocks; ++q) {
    for (int j = 0; j < p.shape.n; ++j) {
      factors[static_cast<std::size_t>(q * cut.width + j)] =
          factor_of(p.scale_b[static_cast<std::size_t>(q * p.shape.n + j)]);
    }
  }
  return factors;
}

template std::vector<std::uint32_t> codes_of_a(const DenseProblem&, const Cut&);
template std::vector<std::uint64_t> codes_of_a(const DenseProblem&, const Cut&);
template std::vector<std::uint32_t> codes_of_b(const DenseProblem&, const Cut&);
template std::vector<std::uint64_t> codes_of_b(const DenseProblem&, const Cut&);
template void codes_of_c(const DenseProblem&, const Cut&, int, std::vector<std::uint32_t>&);
template void codes_of_c(const DenseProblem&, const Cut&, int, std::vector<std::uint64_t>&);

}  // namespace mfma::oracles::batched
