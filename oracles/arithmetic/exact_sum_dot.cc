#include <algorithm>
#include <array>
#include <cstddef>

#include "oracles/arithmetic/fused.h"

namespace mfma::oracles {
namespace {

// A two's complement fixed-point number of `limbs` 64-bit limbs, wide enough for any step: f64 products span
// 2^-2148..2^2048, and 128 of them plus c need 8 bits more.
class FixedPoint {
 public:
  FixedPoint(int last_exponent, int top_exponent)
      : last_(last_exponent), used_(static_cast<std::size_t>(top_exponent - last_exponent + kHeadroom) / 64 + 2) {
    std::fill_n(limb_.begin(), used_, 0);
  }

  void add(bool negative, Uint128 magnitude, int exponent) {
    if (magnitude == 0) return;
    const int offset = exponent - last_;
    const auto at = static_cast<std::size_t>(offset / 64);
    const int up = offset % 64;
    const auto low = static_cast<std::uint64_t>(magnitude);
    const auto high = static_cast<std::uint64_t>(magnitude >> 64);
    const std::array<std::uint64_t, 3> part = {low << up, up == 0 ? high : (high << up) | (low >> (64 - up)),
                                               up == 0 ? 0 : high >> (64 - up)};
    std::uint64_t carry = negative ? 1 : 0;  // -x = ~x + 1
    for (std::size_t i = at; i < used_; ++i) {
      const std::uint64_t x = i - at < 3 ? part[i - at] : 0;
      const Uint128 sum = static_cast<Uint128>(limb_[i]) + (negative ? ~x : x) + carry;
      limb_[i] = static_cast<std::uint64_t>(sum);
      carry = static_cast<std::uint64_t>(sum >> 64);
    }
  }

  Number round(const Format& acc) {
    const bool negative = limb_[used_ - 1] >> 63 != 0;
    if (negative) negate();
    std::size_t top = used_;
    while (top > 0 && limb_[top - 1] == 0) --top;
    if (top == 0) return zero(false);
    // The two top limbs, and one jammed bit for all below: more than 64 bits, enough for 53 and a tie.
    const std::size_t kept = std::min<std::size_t>(top, 3);
    Uint128 magnitude = limb_[top - 1];
    int exponent = last_ + static_cast<int>(top - 1) * 64;
    if (kept > 1) {
      magnitude = (magnitude << 64) | limb_[top - 2];
      exponent -= 64;
    }
    const bool below = kept > 2 && std::any_of(limb_.begin(), limb_.begin() + static_cast<std::ptrdiff_t>(top - 2),
                                               [](std::uint64_t x) { return x != 0; });
    return round_to(acc, negative, magnitude | (below ? 1U : 0U), exponent);
  }

 private:
  static constexpr int kHeadroom = 9;
  static constexpr std::size_t kLargest = (2048 + 2148 + kHeadroom) / 64 + 3;

  void negate() {
    std::uint64_t carry = 1;
    for (std::size_t i = 0; i < used_; ++i) {
      limb_[i] = ~limb_[i] + carry;
      carry = carry != 0 && limb_[i] == 0 ? 1 : 0;
    }
  }

  int last_;
  std::size_t used_;
  std::array<std::uint64_t, kLargest> limb_;
};

Number exact_step(const DotTerms& terms, int first, int last, const Number& d) {
  if (auto special = special_sum(terms, first, last, d, std::nullopt)) return *special;
  std::array<Product<Uint128>, kLargestStep + 1> term;
  std::size_t count = 0;
  for (int k = first; k < last; ++k) {
    const Product<Uint128> p = product_at<Uint128>(terms, k);
    if (p.magnitude != 0) term[count++] = p;
  }
  if (d.significand != 0) term[count++] = {ValueClass::kFinite, d.negative, d.significand, d.exponent};
  if (count == 0) return zero(false);
  int least = term[0].exponent;
  int top = least;
  for (std::size_t i = 0; i < count; ++i) {
    least = std::min(least, term[i].exponent);
    top = std::max(top, term[i].exponent + bit_width(term[i].magnitude));
  }
  FixedPoint sum(least, top);
  for (std::size_t i = 0; i < count; ++i) sum.add(term[i].negative, term[i].magnitude, term[i].exponent);
  return sum.round(*terms.acc);
}

}  // namespace

Number exact_sum_dot(const DotTerms& terms, const Model& model) {
  return over_steps(terms, model,
                    [&](int first, int last, const Number& d) { return exact_step(terms, first, last, d); });
}

}  // namespace mfma::oracles
