#include "harness/reduction/simpler.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "harness/cases/codes.h"

namespace mfma::reduction::detail {
namespace {

constexpr std::uint64_t low_bits(int n) { return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1; }

struct Fields {
  int sign = 0, exponent = 0;
  std::uint64_t fraction = 0;
};

Fields split(const cases::FloatFields& f, std::uint64_t code) {
  return {static_cast<int>(code >> (f.exponent_bits + f.fraction_bits) & 1),
          static_cast<int>(code >> f.fraction_bits & low_bits(f.exponent_bits)), code & low_bits(f.fraction_bits)};
}

std::uint64_t join(const cases::FloatFields& f, const Fields& x) {
  return static_cast<std::uint64_t>(x.sign) << (f.exponent_bits + f.fraction_bits) |
         static_cast<std::uint64_t>(x.exponent) << f.fraction_bits | x.fraction;
}

std::int64_t signed_value(catalogue::ElementFormat format, std::uint64_t code) {
  return format == catalogue::ElementFormat::kI8 ? static_cast<std::int8_t>(code) : static_cast<std::int32_t>(code);
}

std::vector<std::uint64_t> integer_proposals(catalogue::ElementFormat format, std::uint64_t code) {
  const std::uint64_t mask = low_bits(catalogue::bits_of(format));
  const std::int64_t value = signed_value(format, code);
  const std::int64_t toward_zero = value > 0 ? value - 1 : value + 1;
  std::vector<std::uint64_t> proposals;
  for (const std::int64_t v :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, -value, value / 16, value / 2, toward_zero}) {
    proposals.push_back(static_cast<std::uint64_t>(v) & mask);
  }
  return proposals;
}

std::vector<std::uint64_t> float_proposals(catalogue::ElementFormat format, std::uint64_t code) {
  const cases::FloatFields f = cases::fields_of(format);
  const Fields x = split(f, code);
  const auto with_exponent = [&](int e) { return join(f, {x.sign, e, x.fraction}); };
  const int toward_bias = f.bias > x.exponent ? 1 : -1;
  const std::uint64_t lowest = x.fraction & (~x.fraction + 1);
  return {0,
          join(f, {0, f.bias, 0}),
          join(f, {x.sign, f.bias, 0}),
          join(f, {0, x.exponent, 0}),
          join(f, {0, x.exponent, x.fraction}),
          join(f, {x.sign, x.exponent, 0}),
          with_exponent(f.bias),
          with_exponent(x.exponent + (f.bias - x.exponent) / 2),
          with_exponent(x.exponent + toward_bias),
          join(f, {x.sign, x.exponent, std::bit_floor(x.fraction)}),
          join(f, {x.sign, x.exponent, lowest}),
          join(f, {x.sign, x.exponent, x.fraction & ~low_bits(f.fraction_bits / 2)}),
          join(f, {x.sign, x.exponent, x.fraction & (x.fraction - 1)})};
}

}  // namespace

std::uint64_t complexity(catalogue::ElementFormat format, std::uint64_t code) {
  if (code == 0) return 0;
  if (code == cases::encode_exact(format, 1, 0)) return 1;
  if (cases::is_integer(format)) {
    const std::int64_t value = signed_value(format, code);
    return static_cast<std::uint64_t>(std::abs(value)) * 2 + (value < 0 ? 1 : 0);
  }
  const cases::FloatFields f = cases::fields_of(format);
  const Fields x = split(f, code);
  return 2 + static_cast<std::uint64_t>(x.sign) + 2 * static_cast<std::uint64_t>(std::popcount(x.fraction)) +
         static_cast<std::uint64_t>(std::abs(x.exponent - f.bias));
}

std::vector<std::uint64_t> simpler_codes(catalogue::ElementFormat format, std::uint64_t code) {
  std::vector<std::uint64_t> simpler;
  for (const std::uint64_t proposal :
       cases::is_integer(format) ? integer_proposals(format, code) : float_proposals(format, code)) {
    const bool is_new = std::find(simpler.begin(), simpler.end(), proposal) == simpler.end();
    if (is_new && complexity(format, proposal) < complexity(format, code)) simpler.push_back(proposal);
  }
  return simpler;
}

std::uint64_t scale_complexity(std::uint64_t byte) {
  return static_cast<std::uint64_t>(std::abs(static_cast<int>(byte) - int{cases::kNeutralScale}));
}

std::vector<std::uint64_t> simpler_scales(std::uint64_t byte) {
  const int neutral = cases::kNeutralScale;
  const int distance = static_cast<int>(byte) - neutral;
  std::vector<std::uint64_t> simpler;
  for (const int d : {0, distance > 0 ? 1 : -1, distance / 2, distance - (distance > 0 ? 1 : -1)}) {
    if (std::abs(d) < std::abs(distance)) simpler.push_back(static_cast<std::uint64_t>(neutral + d));
  }
  return simpler;
}

}  // namespace mfma::reduction::detail
