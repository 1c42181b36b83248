#include "harness/gfx950/matrix/formats.h"

#include <cmath>
#include <limits>

namespace mfma::gfx950 {
namespace {

using enum ElementFormat;

// A ladder of magnitudes: zero, then 2^(fraction_bits+1) rungs of the smallest step, then 2^fraction_bits rungs of
// each doubled step.
struct Ladder {
  int magnitudes;      // codes without the sign bit
  int rungs;           // 2^fraction_bits
  double step;         // the smallest subnormal
  int first_infinity;  // the code from which on there is no number; `magnitudes` when all are numbers
  int first_nan;
};

struct SmallFormat {
  Ladder ocp, fnuz;
};

constexpr SmallFormat small_format(ElementFormat format) {
  switch (format) {
    case kFp8:
      return {{128, 8, 0x1p-9, 127, 127}, {128, 8, 0x1p-10, 128, 128}};
    case kBf8:
      return {{128, 4, 0x1p-16, 124, 125}, {128, 4, 0x1p-17, 128, 128}};
    case kFp6:
      return {{32, 8, 0.125, 32, 32}, {32, 8, 0.125, 32, 32}};
    case kBf6:
      return {{32, 4, 0.0625, 32, 32}, {32, 4, 0.0625, 32, 32}};
    default:
      return {{8, 2, 0.5, 8, 8}, {8, 2, 0.5, 8, 8}};
  }
}

constexpr bool has_fnuz(ElementFormat format) { return format == kFp8 || format == kBf8; }

SmallTable climb(const Ladder& ladder) {
  SmallTable table{};
  double value = 0;
  double step = ladder.step;
  for (int code = 0; code < ladder.magnitudes; ++code) {
    double magnitude = value;
    if (code >= ladder.first_nan) {
      magnitude = std::numeric_limits<double>::quiet_NaN();
    } else if (code >= ladder.first_infinity) {
      magnitude = std::numeric_limits<double>::infinity();
    }
    const std::int16_t exponent = std::isfinite(magnitude) ? exponent_of(magnitude) : std::int16_t{0};
    table[static_cast<std::size_t>(code)] = {magnitude, exponent};
    table[static_cast<std::size_t>(code + ladder.magnitudes)] = {-magnitude, exponent};
    if (code >= 2 * ladder.rungs && code % ladder.rungs == 0) step *= 2;
    value += step;
  }
  return table;
}

SmallTable make_table(ElementFormat format, bool fnuz) {
  if (!fnuz || !has_fnuz(format)) return climb(small_format(format).ocp);
  SmallTable table = climb(small_format(format).fnuz);
  table[0x80] = {std::numeric_limits<double>::quiet_NaN(), 0};  // where the negative zero would be
  return table;
}

std::array<SmallTable, 5> make_tables(bool fnuz) {
  return {make_table(kFp8, fnuz), make_table(kBf8, fnuz), make_table(kFp6, fnuz), make_table(kBf6, fnuz),
          make_table(kFp4, fnuz)};
}

}  // namespace

const SmallTable& small_table(ElementFormat format, bool fnuz) {
  static const std::array<SmallTable, 5> ocp_tables = make_tables(false);
  static const std::array<SmallTable, 5> fnuz_tables = make_tables(true);
  return (fnuz ? fnuz_tables : ocp_tables)[static_cast<std::size_t>(format)];
}

int least_exponent(ElementFormat format, bool fnuz) {
  switch (format) {
    case kF64:
      return -1022;
    case kF32:
    case kBf16:
      return -126;
    case kF16:
      return -14;
    case kI8:
      return 0;
    default:
      break;
  }
  const SmallFormat small = small_format(format);
  const Ladder& ladder = fnuz ? small.fnuz : small.ocp;
  return exponent_of(ladder.step * ladder.rungs);
}

double double_of_f16(std::uint32_t code) {
  const std::uint32_t magnitude = code & 0x7fff;
  double value = 0;
  if (magnitude < 0x400) {
    value = static_cast<double>(magnitude) * 0x1p-24;
  } else {
    // Sign-free bits of an f16 set at the place of a double's, then the difference of the two biases; an f16's top
    // exponent becomes a double's.
    const int rebias = magnitude >= 0x7c00 ? 0x7ff - 0x1f : 1023 - 15;
    value = std::bit_cast<double>((static_cast<std::uint64_t>(magnitude) << 42) +
                                  (static_cast<std::uint64_t>(rebias) << 52));
  }
  return (code & 0x8000) != 0 ? -value : value;
}

std::uint64_t passed_on_nan(ElementFormat format, std::uint64_t code) {
  if (format == kF64) return code | std::uint64_t{1} << 51;
  struct Place {
    int sign_bit, fraction_bits;
  };
  Place place{31, 23};
  if (format == kF16) place = {15, 10};
  if (format == kBf16) place = {15, 7};
  if (format == kFp8) place = {7, 3};
  if (format == kBf8) place = {7, 2};
  const std::uint64_t fraction = code & ((std::uint64_t{1} << place.fraction_bits) - 1);
  const std::uint64_t sign = code >> place.sign_bit & 1;
  return sign << 31 | 0x7fc00000 | fraction << (23 - place.fraction_bits);
}

}  // namespace mfma::gfx950
