#include "harness/cases/codes.h"

#include <array>
#include <bit>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace mfma::cases {
namespace {

using catalogue::bits_of;
using catalogue::ElementFormat;

std::size_t index_of(ElementFormat f) { return static_cast<std::size_t>(f); }

// In the order of ElementFormat; no fields for i8 and i32.
constexpr std::array<FloatFields, 11> kFields{{{11, 52, 1023},
                                               {8, 23, 127},
                                               {5, 10, 15},
                                               {8, 7, 127},
                                               {4, 3, 7},
                                               {5, 2, 15},
                                               {2, 3, 1},
                                               {3, 2, 3},
                                               {2, 1, 1},
                                               {0, 0, 0},
                                               {0, 0, 0}}};

constexpr std::array<std::uint64_t, 20> kF64{
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x8000000000000001, 0x000fffffffffffff,
    0x800fffffffffffff, 0x0010000000000000, 0x8010000000000000, 0x3ff0000000000000, 0xbff0000000000000,
    0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
    0xfff8000000000000, 0x7ff8123456789abc, 0x7ff0000000000001, 0xfff5555555555555, 0xffffffffffffffff};
constexpr std::array<std::uint64_t, 20> kF32{0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff,
                                             0x807fffff, 0x00800000, 0x80800000, 0x3f800000, 0xbf800000,
                                             0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
                                             0xffc00000, 0x7fc12345, 0x7f800001, 0xffa55555, 0xffffffff};
constexpr std::array<std::uint64_t, 20> kF16{0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400,
                                             0x8400, 0x3c00, 0xbc00, 0x7bff, 0xfbff, 0x7c00, 0xfc00,
                                             0x7e00, 0xfe00, 0x7e55, 0x7c01, 0xfd55, 0xffff};
constexpr std::array<std::uint64_t, 20> kBf16{0x0000, 0x8000, 0x0001, 0x8001, 0x007f, 0x807f, 0x0080,
                                              0x8080, 0x3f80, 0xbf80, 0x7f7f, 0xff7f, 0x7f80, 0xff80,
                                              0x7fc0, 0xffc0, 0x7fd5, 0x7f81, 0xffa5, 0xffff};
constexpr std::array<std::uint64_t, 14> kFp8{0x00, 0x80, 0x01, 0x81, 0x07, 0x87, 0x08,
                                             0x88, 0x38, 0xb8, 0x7e, 0xfe, 0x7f, 0xff};
constexpr std::array<std::uint64_t, 20> kBf8{0x00, 0x80, 0x01, 0x81, 0x03, 0x83, 0x04, 0x84, 0x3c, 0xbc,
                                             0x7b, 0xfb, 0x7c, 0xfc, 0x7d, 0x7e, 0x7f, 0xfd, 0xfe, 0xff};
constexpr std::array<std::uint64_t, 10> kFp6{0x00, 0x20, 0x01, 0x21, 0x07, 0x27, 0x08, 0x28, 0x1f, 0x3f};
constexpr std::array<std::uint64_t, 12> kBf6{0x00, 0x20, 0x01, 0x21, 0x03, 0x23, 0x04, 0x24, 0x0c, 0x2c, 0x1f, 0x3f};
constexpr std::array<std::uint64_t, 16> kFp4{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
constexpr std::array<std::uint64_t, 5> kI8{0x00, 0x01, 0xff, 0x7f, 0x80};
constexpr std::array<std::uint64_t, 5> kI32{0x00000000, 0x00000001, 0xffffffff, 0x7fffffff, 0x80000000};

// In the order of ElementFormat.
const std::array<std::span<const std::uint64_t>, 11> kSpecials{kF64, kF32, kF16, kBf16, kFp8, kBf8,
                                                               kFp6, kBf6, kFp4, kI8,   kI32};

constexpr std::array<std::uint8_t, 12> kScales{0x7f, 0x00, 0xfe, 0xff, 0x7e, 0x80, 0x00, 0x01, 0xfd, 0x40, 0xbf, 0x7f};

[[noreturn]] void refuse(ElementFormat f, std::int64_t n, int exponent) {
  throw std::invalid_argument(std::string(catalogue::name_of(f)) + " cannot hold " + std::to_string(n) + " * 2^" +
                              std::to_string(exponent));
}

std::uint64_t encode_integer(ElementFormat f, std::int64_t n, int exponent) {
  const std::int64_t limit = std::int64_t{1} << (bits_of(f) - 1);
  if (exponent != 0 || n < -limit || n >= limit) refuse(f, n, exponent);
  return static_cast<std::uint64_t>(n) & ((std::uint64_t{1} << bits_of(f)) - 1);
}

}  // namespace
FloatFields fields_of(ElementFormat f) { return kFields.at(index_of(f)); }

std::uint64_t encode_exact(ElementFormat f, std::int64_t n, int exponent) {
  if (is_integer(f)) return encode_integer(f, n, exponent);
  if (n == 0) return 0;
  const FloatFields fields = fields_of(f);
  const std::uint64_t sign = n < 0 ? negative_zero(f) : 0;
  const std::uint64_t magnitude = n < 0 ? 0 - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
  const int least_exponent = 1 - fields.bias;
  const int leading = static_cast<int>(std::bit_width(magnitude)) - 1 + exponent;
  const int scale = leading < least_exponent ? least_exponent : leading;  // of the significand's leading place
  // The significand in units of its last place, which must come out whole.
  const int shift = exponent - (scale - fields.fraction_bits);
  if (shift < 0 && (-shift >= 64 || (magnitude & ((std::uint64_t{1} << -shift) - 1)) != 0)) refuse(f, n, exponent);
  const std::uint64_t significand = shift < 0 ? magnitude >> -shift : magnitude << shift;
  const std::uint64_t hidden = std::uint64_t{1} << fields.fraction_bits;
  const std::uint64_t field = significand < hidden ? 0 : static_cast<std::uint64_t>(scale + fields.bias);
  if (field >> fields.exponent_bits != 0) refuse(f, n, exponent);
  const std::uint64_t code = sign | field << fields.fraction_bits | (significand & (hidden - 1));
  if (!is_finite_code(f, code)) refuse(f, n, exponent);
  return code;
}

bool is_finite_code(ElementFormat f, std::uint64_t code) {
  switch (f) {
    case ElementFormat::kF64:
    case ElementFormat::kF32:
    case ElementFormat::kF16:
    case ElementFormat::kBf16:
    case ElementFormat::kBf8E5m2: {
      const FloatFields fields = fields_of(f);
      const std::uint64_t ones = (std::uint64_t{1} << fields.exponent_bits) - 1;
      return (code >> fields.fraction_bits & ones) != ones;
    }
    case ElementFormat::kFp8E4m3:
      return (code & 0x7f) != 0x7f;
    default:
      return true;
  }
}

std::uint64_t negative_zero(ElementFormat f) { return is_integer(f) ? 0 : std::uint64_t{1} << (bits_of(f) - 1); }

std::span<const std::uint64_t> specials_of(ElementFormat f) { return kSpecials.at(index_of(f)); }

std::span<const std::uint8_t> special_scales() { return kScales; }

}  // namespace mfma::cases
