#include <array>
#include <cstddef>

#include "oracles/arithmetic/fused.h"

namespace mfma::oracles {
namespace {

template <typename Unsigned>
Number pairwise_step(const DotTerms& terms, int first, int last, const Number& d) {
  const Format& acc = *terms.acc;
  std::array<Number, kLargestStep> level;
  auto count = static_cast<std::size_t>(last - first);
  for (std::size_t i = 0; i < count; ++i) {
    level[i] = rounded(acc, product_at<Unsigned>(terms, first + static_cast<int>(i)));
  }
  while (count > 1) {
    for (std::size_t i = 0; i + 1 < count; i += 2) level[i / 2] = add_numbers(acc, level[i], level[i + 1]);
    if (count % 2 != 0) level[count / 2] = level[count - 1];  // an odd one goes up as it is
    count = (count + 1) / 2;
  }
  return add_numbers(acc, level[0], d);
}

}  // namespace

Number pairwise_dot(const DotTerms& terms, const Model& model) {
  return over_steps(terms, model, [&](int first, int last, const Number& d) {
    return fits_64(terms) ? pairwise_step<std::uint64_t>(terms, first, last, d)
                          : pairwise_step<Uint128>(terms, first, last, d);
  });
}

}  // namespace mfma::oracles
