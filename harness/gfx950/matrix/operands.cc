#include "harness/gfx950/matrix/operands.h"

#include <algorithm>
#include <cmath>

namespace mfma::gfx950 {
namespace {

using enum ElementFormat;
using Kind = MatrixFault::Kind;

constexpr int kMaxItems = 32;  // per lane and operand
using LaneItems = std::array<std::uint64_t, kMaxItems>;

double power_of_two(int exponent) { return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52); }

// Splits what one lane holds into items, least significant bits of the first register first.
void unpack(std::span<const std::uint32_t> registers, std::size_t lane, int bits, int items, bool lose_crossing_bits,
            LaneItems& out) {
  const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  for (int item = 0; item < items; ++item) {
    const int position = item * bits;
    const auto first = static_cast<std::size_t>(position / 32);
    const int shift = position % 32;
    std::uint64_t window = registers[first * kLanes + lane];
    const bool crosses = shift + bits > 32;
    if (crosses && !(lose_crossing_bits && bits == 6)) {
      window |= static_cast<std::uint64_t>(registers[(first + 1) * kLanes + lane]) << 32;
    }
    out[static_cast<std::size_t>(item)] = window >> shift & mask;
  }
}

struct Decoder {
  ElementFormat format;
  const SmallTable* table;

  ElementValue operator()(std::uint64_t code) const {
    double value = 0;
    switch (format) {
      case kF64:
        value = std::bit_cast<double>(code);
        break;
      case kF32:
        value = double_of_f32(static_cast<std::uint32_t>(code));
        break;
      case kBf16:
        value = double_of_bf16(static_cast<std::uint32_t>(code));
        break;
      case kF16:
        value = double_of_f16(static_cast<std::uint32_t>(code));
        break;
      default:
        return (*table)[code];
    }
    return {value, exponent_of(value)};
  }
};

// Where the adders align, an infinity or a NaN has no exponent; what it does to the result is settled before or after.
void note_special(const OperandReading& reading, std::uint64_t code, double value, std::size_t element, std::size_t row,
                  OperandPlane& plane) {
  plane.exponent[element] = kZeroExponent;
  if (std::isinf(value)) {
    plane.flags[row] |= kHasInfinity;
    return;
  }
  std::uint64_t bits = passed_on_nan(reading.format, code);
  if (reading.negate) bits ^= std::uint64_t{1} << 63;  // only f64 operands are negated
  plane.flags[row] |= kHasNan;
  plane.nan_bits[element] = bits;
}

struct Numbering {
  MatrixShape shape;
  bool is_b;

  std::size_t row(std::size_t element) const {
    const auto k = static_cast<std::size_t>(shape.k);
    if (!is_b) return element / k;
    const auto n = static_cast<std::size_t>(shape.n);
    return element / (k * n) * n + element % n;
  }
  std::size_t k_of(std::size_t element) const {
    const auto k = static_cast<std::size_t>(shape.k);
    return is_b ? element / static_cast<std::size_t>(shape.n) % k : element % k;
  }
  std::size_t elements() const { return static_cast<std::size_t>(shape.blocks * shape.m * shape.k); }
  std::size_t rows() const { return static_cast<std::size_t>(shape.blocks * shape.m); }
};

bool laid_out_in_chunks(const OperandReading& reading) {
  return reading.operation->small_formats && bits_of(reading.format) == 8 && reading.fault != Kind::kContiguousK8;
}

std::span<const std::uint16_t> elements_of(const OperandReading& reading) {
  const bool chunks = laid_out_in_chunks(reading);
  return reading.is_b ? b_elements(*reading.operation, chunks) : a_elements(*reading.operation, chunks);
}

// Faults in formats, put on top of elements read rightly.
void spoil_elements(const OperandReading& reading, const Numbering& numbering, OperandPlane& plane) {
  const int least = least_exponent(reading.format);
  const bool bias = reading.fault == Kind::kFormatBias && static_cast<int>(reading.format) == reading.fault_value;
  const bool drop = reading.fault == Kind::kDropSubnormalInputs;
  const bool last = reading.fault == Kind::kLastProductMissing;
  if (!bias && !drop && !last) return;
  for (std::size_t n = 0; n < numbering.elements(); ++n) {
    double& value = plane.value[n];
    std::int16_t& exponent = plane.exponent[n];
    if (last && numbering.k_of(n) + 1 == static_cast<std::size_t>(numbering.shape.k)) value = 0;
    if (drop && std::fabs(value) < std::ldexp(1.0, least)) value = std::copysign(0.0, value);
    if (value == 0) {
      exponent = kZeroExponent;
    } else if (bias && std::isfinite(value)) {
      value *= 0.5;
      --exponent;
    }
  }
}

// The code of the scale of (row, k), the lane chosen as table 7.2.1 says.
std::uint32_t scale_code(const OperandReading& reading, const Numbering& numbering, int row, int k) {
  int q = k / kScaleBlock;
  const int blocks = numbering.shape.k / kScaleBlock;
  if (reading.fault == Kind::kScaleWrongGroup) q = (q + 1) % blocks;
  int lane = scale_lane(numbering.shape, row, q);
  if (reading.fault == Kind::kScaleLanePair) lane ^= 1;
  if (reading.fault == Kind::kScaleFollowsData && bits_of(reading.format) == 8) {
    lane = data_lane_of_wide_item(numbering.shape, row, k);
  }
  return reading.scales[static_cast<std::size_t>(lane)] >> (8 * reading.scale_byte) & 0xff;
}

constexpr int kScaleBias = 127;
constexpr std::uint32_t kNanScaleCode = 0xff;

void apply_scale(std::uint32_t code, const OperandReading& reading, const Numbering& numbering, std::size_t row,
                 std::size_t first_k, OperandPlane& plane) {
  const bool nan = code == kNanScaleCode && reading.fault != Kind::kScaleNanIsNumber;
  const bool zero = code == 0 && reading.fault == Kind::kScaleZeroIsZero;
  const auto exponent = static_cast<std::int16_t>(static_cast<int>(code) - kScaleBias);
  if (nan) plane.flags[row] |= kHasNanScale;
  if (reading.keep_scale_apart && !zero) {
    plane.scale[row][first_k / kScaleBlock] = nan ? kNanScale : exponent;
    return;
  }
  if (exponent == 0) return;
  const double factor = zero ? 0.0 : power_of_two(exponent);
  const std::size_t stride = numbering.is_b ? static_cast<std::size_t>(numbering.shape.n) : 1;
  const std::size_t start =
      numbering.is_b ? row + first_k * stride : row * static_cast<std::size_t>(numbering.shape.k) + first_k;
  for (std::size_t n = 0; n < kScaleBlock / 2; ++n) {
    double& value = plane.value[start + n * stride];
    std::int16_t& of = plane.exponent[start + n * stride];
    if (nan) {
      if (!std::isnan(value)) plane.nan_bits[start + n * stride] = kNoNanBits;
      value = std::nan("");
    } else {
      value *= factor;
      of = value == 0 && zero ? kZeroExponent : static_cast<std::int16_t>(of + exponent);
    }
  }
}

// Scales in halves of a block, so that a fault may give the halves different ones. One matrix block only.
void apply_scales(const OperandReading& reading, const Numbering& numbering, OperandPlane& plane) {
  for (std::size_t row = 0; row < numbering.rows(); ++row) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(numbering.shape.k); k += kScaleBlock / 2) {
      const std::uint32_t code = reading.scales.empty()
                                     ? static_cast<std::uint32_t>(kScaleBias)
                                     : scale_code(reading, numbering, static_cast<int>(row), static_cast<int>(k));
      apply_scale(code, reading, numbering, row, k, plane);
    }
  }
}

// From floor(log2) to the exponent that enters the adders, before the scale.
void clamp_exponents(const OperandReading& reading, bool fnuz, const Numbering& numbering, OperandPlane& plane) {
  const bool bias = reading.fault == Kind::kFormatBias && static_cast<int>(reading.format) == reading.fault_value;
  const auto least = static_cast<std::int16_t>(least_exponent(reading.format, fnuz) - (bias ? 1 : 0));
  const std::int16_t floor = reading.normalise_subnormals ? kZeroExponent : least;
  const std::int16_t of_zero = reading.zeros_have_exponent ? least : kZeroExponent;
  for (std::size_t n = 0; n < numbering.elements(); ++n) {
    std::int16_t& exponent = plane.exponent[n];
    exponent = exponent == kZeroExponent ? of_zero : std::max(exponent, floor);
  }
}

}  // namespace

void read_operand(const OperandReading& reading, OperandPlane& plane) {
  const Numbering numbering{reading.operation->shape, reading.is_b};
  const bool fnuz = reading.fault == Kind::kFnuzFormats;
  const int bits = bits_of(reading.format);
  const Decoder decode{reading.format, bits <= 8 ? &small_table(reading.format, fnuz) : nullptr};
  const std::span<const std::uint16_t> elements = elements_of(reading);
  const int items = reading.operation->a_items();
  const bool stuck = reading.fault == Kind::kStuckLane && !reading.is_b;
  plane.flags.fill(kFinite);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    LaneItems codes;
    const std::size_t source = reading.lanes[lane];
    unpack(reading.registers, source, bits, items, reading.fault == Kind::kSixBitCrossing, codes);
    if (stuck && static_cast<int>(source) == reading.fault_value) codes.fill(0);
    for (std::size_t item = 0; item < static_cast<std::size_t>(items); ++item) {
      const std::size_t element = elements[item * kLanes + lane];
      ElementValue decoded = decode(codes[item]);
      if (reading.negate) decoded.value = -decoded.value;
      plane.value[element] = decoded.value;
      plane.exponent[element] = decoded.exponent;
      if (!std::isfinite(decoded.value)) {
        note_special(reading, codes[item], decoded.value, element, numbering.row(element), plane);
      }
    }
  }
  if (reading.fault != Kind::kNone) spoil_elements(reading, numbering, plane);
  clamp_exponents(reading, fnuz, numbering, plane);
  if (reading.keep_scale_apart || !reading.scales.empty()) apply_scales(reading, numbering, plane);
}

void read_integers(const OperandReading& reading, OperandPlane& plane) {
  const Numbering numbering{reading.operation->shape, reading.is_b};
  const std::span<const std::uint16_t> elements = elements_of(reading);
  const int items = reading.operation->a_items();
  const bool is_unsigned = reading.fault == Kind::kUnsignedI8 && !reading.is_b;
  const bool stuck = reading.fault == Kind::kStuckLane && !reading.is_b;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    LaneItems codes;
    const std::size_t source = reading.lanes[lane];
    unpack(reading.registers, source, 8, items, false, codes);
    if (stuck && static_cast<int>(source) == reading.fault_value) codes.fill(0);
    for (std::size_t item = 0; item < static_cast<std::size_t>(items); ++item) {
      const std::size_t element = elements[item * kLanes + lane];
      const auto code = static_cast<std::int32_t>(codes[item]);
      // Sign extension without a narrowing conversion: flip the sign bit and take its weight off again.
      plane.integer[element] = is_unsigned ? code : (code ^ 0x80) - 0x80;
      if (reading.fault == Kind::kLastProductMissing &&
          numbering.k_of(element) + 1 == static_cast<std::size_t>(numbering.shape.k)) {
        plane.integer[element] = 0;
      }
    }
  }
}

}  // namespace mfma::gfx950
