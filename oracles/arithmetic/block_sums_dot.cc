#include "oracles/arithmetic/fused.h"

namespace mfma::oracles {
namespace {

constexpr int kBlock = 32;

Number scaled(const Format& acc, const Number& x, int by) {
  if (x.cls != ValueClass::kFinite) return x;
  return round_to(acc, x.negative, x.significand, x.exponent + by);
}

template <typename Unsigned>
Number block_sums(const DotTerms& terms, const Model& model) {
  const Format& acc = *terms.acc;
  Number d = terms.c;
  Number block = zero(false);
  int open = -1;  // the block being summed
  const auto close = [&] {
    if (open < 0) return;
    d = add_numbers(acc, scaled(acc, block, terms.block_exponents != nullptr ? terms.block_exponents[open] : 0), d);
    block = zero(false);
  };
  over_products(terms.a.k, model.order, [&](int k) {
    if (k / kBlock != open) {
      close();
      open = k / kBlock;
    }
    block = add(acc, product_at<Unsigned>(terms, k), block);
  });
  close();
  return d;
}

}  // namespace

Number block_sums_dot(const DotTerms& terms, const Model& model) {
  return fits_64(terms) ? block_sums<std::uint64_t>(terms, model) : block_sums<Uint128>(terms, model);
}

}  // namespace mfma::oracles
