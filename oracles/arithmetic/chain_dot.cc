#include "oracles/arithmetic/fused.h"

namespace mfma::oracles {
namespace {

template <typename Unsigned>
Number chain(const DotTerms& terms, const Model& model) {
  const bool fused = model.kind == ModelKind::kFmaChain;
  Number d = terms.c;
  over_products(terms.a.k, model.order, [&](int k) {
    const Product<Unsigned> p = product_at<Unsigned>(terms, k);
    d = fused ? add(*terms.acc, p, d) : add_numbers(*terms.acc, rounded(*terms.acc, p), d);
  });
  return d;
}

}  // namespace

Number chain_dot(const DotTerms& terms, const Model& model) {
  return fits_64(terms) ? chain<std::uint64_t>(terms, model) : chain<Uint128>(terms, model);
}

}  // namespace mfma::oracles
