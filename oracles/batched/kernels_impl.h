// The loops over lanes, compiled once for each instruction set: kernels_*.cc define MFMA_KERNELS as the name of theirs
// and include this once. No function of another header is called here (kernels.h says why).
//
// Integers, except for two error-free transforms of doubles; each has its proof where it stands. They hold under IEEE
// arithmetic in the default environment: nearest even, subnormals kept, no contraction (-ffp-contract=off).
#include <cstddef>
#include <cstdint>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "oracles/batched/kernels.h"

namespace mfma::oracles::batched {
namespace MFMA_KERNELS {
namespace {

#include "oracles/batched/lanes.h"

constexpr int kLeastExponent = -126, kLargestExponent = 127, kFraction = 23;  // of f32, the accumulator
constexpr int kLeastBit = kLeastExponent - kFraction;

// ---- Elements of A and of B by lane ----

template <bool kRepeat>
MFMA_INLINE std::int64_t place_in_a(const Sheet& s, int row, int k, int lane) {
  const std::int64_t line = static_cast<std::int64_t>(row) * s.k + k;
  return kRepeat ? line * (s.width / 4) + lane / 4 : line;
}

template <bool kRepeat>
MFMA_INLINE V32 a_lanes(const std::int32_t* a, std::int64_t at) {
  if constexpr (!kRepeat || kLanes == 4) {
    return all32(a[at]);
  } else {
    const V32 v = load<V32>(a + at);
#if MFMA_LANES_BYTES == 64
    return __builtin_shufflevector(v, v, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
#elif MFMA_LANES_BYTES == 32
    return __builtin_shufflevector(v, v, 0, 0, 0, 0, 1, 1, 1, 1);
#else
    return v;
#endif
  }
}

template <bool kRepeat>
MFMA_INLINE V64 a_wide(const std::int32_t* a, std::int64_t at) {
  if constexpr (!kRepeat || kWide < 8) {
    return all64(a[at]);
  } else {
    V64 v = all64(a[at]);
    for (int i = 4; i < kWide; ++i) v[i] = a[at + 1];
    return v;
  }
}

template <bool kRepeat, typename T, typename V>
MFMA_INLINE V a_of_64(const T* a, std::int64_t at) {
  if constexpr (!kRepeat || kWide < 8) {
    return a[at] - V{};  // not a sum: +0 and -0 would be +0
  } else {
    const V x = a[at] - V{};
    const V y = a[at + 1] - V{};
#if MFMA_LANES_BYTES == 64
    return __builtin_shufflevector(x, y, 0, 0, 0, 0, 8, 8, 8, 8);
#else
    return y;
#endif
  }
}

MFMA_INLINE std::int64_t place_in_b(const Sheet& s, int k, int lane) {
  return static_cast<std::int64_t>(k) * s.width + lane;
}
MFMA_INLINE std::int64_t place_in_d(const Sheet& s, int row, int lane) {
  return static_cast<std::int64_t>(row) * s.width + lane;
}

// ---- Decoding ----

// 2^e for a normal exponent e.
MFMA_INLINE VD power_of_two(V64 e) { return bits_as<VD>(shift_left(e + 1023, all64(52))); }

// Doubles of kLanes elements: magnitude * 2^exponent with its sign. Exact: both factors are, and so is the product.
MFMA_INLINE void store_values(double* to, V32 magnitude, V32 sign, V32 exponent, V32 infinite, V32 nan) {
  alignas(64) std::int32_t m[kLanes], s[kLanes], e[kLanes], inf[kLanes], not_a_number[kLanes];
  store(m, magnitude);
  store(s, sign);
  store(e, exponent);
  store(inf, infinite);
  store(not_a_number, nan);
  for (int h = 0; h < kLanes; h += kWide) {
    const VD x = __builtin_convertvector(load<H32>(m + h), VD) * power_of_two(widened(e + h));
    V64 bits = bits_as<V64>(x);
    bits = widened(inf + h) != 0 ? all64(0x7ff0000000000000LL) : bits;
    bits |= widened(s + h) & all64(static_cast<std::int64_t>(0x8000000000000000ULL));
    bits = widened(not_a_number + h) != 0 ? all64(0x7ff8000000000000LL) : bits;
    store(to + h, bits_as<VD>(bits));
  }
}

void decode(const DecodeParameters& p, const std::uint32_t* codes, const std::int32_t* scale, std::int64_t count,
            const Operand& out) {
  const FormatNumbers& f = p.format;
  const auto mask = [](int bits) { return static_cast<std::int32_t>((std::uint32_t{1} << bits) - 1); };
  for (std::int64_t i = 0; i < count; i += kLanes) {
    const V32 code = load<V32>(codes + i);
    const V32 fraction = code & mask(f.fraction_bits);
    const V32 field = shift_right_logical(code, all32(f.fraction_bits)) & mask(f.exponent_bits);
    const V32 sign = -(shift_right_logical(code, all32(f.bits - 1)) & 1);
    V32 infinite = V32{}, nan = V32{};
    if (f.ieee_specials) {
      const V32 special = field == mask(f.exponent_bits);
      infinite = special & (fraction == 0);
      nan = special & (fraction != 0);
    } else if (f.nan_only) {
      nan = (field == mask(f.exponent_bits)) & (fraction == mask(f.fraction_bits));
    }
    V32 by = V32{};
    if (scale != nullptr) {
      by = load<V32>(scale + i);
      const V32 lost = by == kNone;
      nan |= lost;
      by &= ~lost;
    }
    const V32 finite = (infinite | nan) == 0;
    const V32 subnormal = field == 0;
    V32 magnitude = (fraction | (~subnormal & (1 << f.fraction_bits))) & finite;
    const V32 bound = (field - subnormal) - f.bias + by;  // a mask is -1: field 0 counts as 1
    const V32 zero = magnitude == 0;
    if (out.value != nullptr) store_values(out.value + i, magnitude, sign, bound - f.fraction_bits, infinite, nan);
    if (out.unscaled != nullptr) {
      store_values(out.unscaled + i, magnitude, sign, bound - by - f.fraction_bits, infinite, nan);
    }
    // The exponent of a power of two below 2^24 is that of the float that it is.
    const auto exponent_of_power = [](V32 power) {
      return shift_right_logical(
                 bits_as<V32>(__builtin_convertvector(power, float __attribute__((vector_size(MFMA_LANES_BYTES))))),
                 all32(23)) -
             127;
    };
    const V32 odd = bound - f.fraction_bits + exponent_of_power(magnitude & -magnitude);
    V32 lead = p.raise_zeros ? (finite ? bound : all32(kNone)) : (zero ? all32(kNone) : bound);
    if (p.normalise) {
      // Bits above the leading one are cleared, and the one below it, so that the float does not round up.
      const V32 leading = exponent_of_power(magnitude & ~shift_right_logical(magnitude, all32(1)));
      const V32 up = (f.fraction_bits - leading) & ~zero;
      magnitude = shift_left(magnitude, up);
      lead -= up;
    }
    store(out.odd + i, zero ? all32(-kNone) : odd);
    store(out.bound + i, bound);
    store(out.flags + i, (infinite & kFlagInfinite) | (nan & kFlagNan));
    if (out.magnitude == nullptr) continue;
    store(out.magnitude + i, shift_left(magnitude, all32(p.up)));
    store(out.sign + i, sign);
    store(out.lead + i, lead);
  }
}

void bounds(int lines, int k, int width, const Operand& out) {
  for (int line = 0; line < lines; ++line) {
    const std::int64_t first = static_cast<std::int64_t>(line) * k * width;
    const std::int64_t to = static_cast<std::int64_t>(line) * width;
    if (width == 1) {
      std::int32_t any = 0, odd = -kNone, bound = 2 * kNone;
      for (int i = 0; i < k; ++i) {
        any |= out.flags[first + i];
        odd = out.odd[first + i] < odd ? out.odd[first + i] : odd;
        bound = out.bound[first + i] > bound ? out.bound[first + i] : bound;
      }
      out.any[to] = any;
      out.least_odd[to] = odd;
      out.largest_bound[to] = bound;
      continue;
    }
    // Lanes beyond the width are another line's, which overwrites them later; the last ones are spare.
    for (int lane = 0; lane < width; lane += kLanes) {
      V32 any = V32{}, odd = all32(-kNone), bound = all32(2 * kNone);
      for (int i = 0; i < k; ++i) {
        const std::int64_t at = first + static_cast<std::int64_t>(i) * width + lane;
        any |= load<V32>(out.flags + at);
        odd = least(odd, load<V32>(out.odd + at));
        bound = largest(bound, load<V32>(out.bound + at));
      }
      store(out.any + to + lane, any);
      store(out.least_odd + to + lane, odd);
      store(out.largest_bound + to + lane, bound);
    }
  }
}

// ---- C and D in f32 ----

struct C32 {
  V32 negative, field, fraction;
  V32 magnitude() const { return fraction | ((field != 0) & (1 << kFraction)); }
  V32 exponent() const { return field - (field == 0) + (kLeastBit - 1); }  // of the last bit
};

MFMA_INLINE C32 c_of(V32 code) {
  return {code < 0, shift_right_logical(code, all32(kFraction)) & 0xff, code & ((1 << kFraction) - 1)};
}

// ---- Exactness: oracles/exactness/exactness.h ----

// Whether the sum of magnitudes is at most 2^(q + precision). Summed in doubles: terms are products of two significands
// of at most 24 bits, hence exact, and multiples of 2^q. Sums of non-negative multiples of 2^q are exact as long as
// they stay below 2^(q + 53); from there on, rounding is monotone and cannot bring them back to 2^(q + 24).
template <bool kRepeat>
MFMA_INLINE V64 sum_is_small(const Sheet& s, int row, int lane, V64 q, const std::int32_t* c_magnitude,
                             const std::int32_t* c_exponent, int precision) {
  const V64 no_sign = all64(0x7fffffffffffffffLL);
  VD sum = __builtin_convertvector(load<H32>(c_magnitude), VD) * power_of_two(widened(c_exponent));
  for (int k = 0; k < s.k; ++k) {
    const VD product = a_of_64<kRepeat, double, VD>(s.a.value, place_in_a<kRepeat>(s, row, k, lane)) *
                       load<VD>(s.b.value + place_in_b(s, k, lane));
    sum += bits_as<VD>(bits_as<V64>(product) & no_sign);
  }
  return (sum <= power_of_two(q + precision)) & (sum < all_d(0x1p128));
}

int log2_ceiling(int x) {
  int bits = 0;
  while ((1 << bits) < x) ++bits;
  return bits;
}

template <bool kRepeat>
void label_sheet(const Sheet& s, int precision, const Output& out) {
  // K products and c, each below 2^(alignment + 2).
  const int growth = 2 + log2_ceiling(s.k + 1);
  for (int row = 0; row < s.rows; ++row) {
    for (int lane = 0; lane < s.width; lane += kLanes) {
      const std::int64_t at = place_in_d(s, row, lane);
      const std::int64_t of_row = kRepeat ? static_cast<std::int64_t>(row) * (s.width / 4) + lane / 4 : row;
      const V32 any = a_lanes<kRepeat>(s.a.any, of_row) | load<V32>(s.b.any + lane);
      const C32 c = c_of(load<V32>(s.c + at));
      const V32 c_special = c.field == 0xff;
      const V32 nan = ((any & kFlagNan) != 0) | (c_special & (c.fraction != 0));
      const V32 infinite = ~nan & (((any & kFlagInfinite) != 0) | c_special);
      const V32 magnitude = c.magnitude();
      const V32 c_zero = magnitude == 0;
      const V32 lowest = bits_as<V32>(
          __builtin_convertvector(magnitude & -magnitude, float __attribute__((vector_size(MFMA_LANES_BYTES)))));
      const V32 c_odd = c_zero ? all32(-2 * kNone) : c.exponent() + shift_right_logical(lowest, all32(23)) - 127;
      const V32 c_lead = c.exponent() + kFraction;  // clamped by itself

      // By the bounds of row and column first.
      V32 q = least(c_odd, a_lanes<kRepeat>(s.a.least_odd, of_row) + load<V32>(s.b.least_odd + lane));
      V32 alignment = largest(largest(c_lead, all32(kLeastExponent)),
                              a_lanes<kRepeat>(s.a.largest_bound, of_row) + load<V32>(s.b.largest_bound + lane));
      const auto surely = [&] {
        return (q >= kLeastBit) & (alignment + growth <= q + precision) & (alignment + growth <= kLargestExponent);
      };
      const V32 minus_zero = c_zero & c.negative;
      V32 exact = surely() & ~minus_zero;
      V32 ask = infinite;
      if (any_lane(~(exact | infinite | nan))) {
        q = all32(-2 * kNone);
        alignment = all32(2 * kNone);
        for (int k = 0; k < s.k; ++k) {
          const std::int64_t of_a = place_in_a<kRepeat>(s, row, k, lane);
          const std::int64_t of_b = place_in_b(s, k, lane);
          q = least(q, a_lanes<kRepeat>(s.a.odd, of_a) + load<V32>(s.b.odd + of_b));
          alignment = largest(alignment, a_lanes<kRepeat>(s.a.bound, of_a) + load<V32>(s.b.bound + of_b));
        }
        q = least(q, c_odd);
        alignment = largest(largest(alignment, c_lead), all32(kLeastExponent));
        const V32 all_zero = q >= -kNone / 2;
        exact = (all_zero & ~minus_zero) | (~all_zero & surely());
        ask |= all_zero & minus_zero;
        const V32 possible = ~all_zero & (q >= kLeastBit) & (alignment - precision <= q) & ~exact & ~infinite & ~nan;
        if (any_lane(possible)) {
          alignas(64) std::int32_t qs[kLanes], ms[kLanes], es[kLanes];
          alignas(64) std::int64_t small[kLanes];
          store(qs, possible ? q : V32{});
          store(ms, magnitude);
          store(es, c.exponent());
          for (int h = 0; h < kLanes; h += kWide) {
            store(small + h, sum_is_small<kRepeat>(s, row, lane + h, widened(qs + h), ms + h, es + h, precision));
          }
          V32 fits = V32{};
          for (int i = 0; i < kLanes; ++i) fits[i] = static_cast<std::int32_t>(small[i]);
          exact |= possible & fits;
        }
      }
      exact &= ~(infinite | nan);
      store(out.state + at, (exact & kExact) | (ask & ~nan & kAskExact) | (nan & kIsNan) | (infinite & kHasInfinity));
    }
  }
}

void label(const Sheet& s, int precision, const Output& out) {
  s.repeat == 4 ? label_sheet<true>(s, precision, out) : label_sheet<false>(s, precision, out);
}

#include "oracles/batched/aligned_impl.h"
#include "oracles/batched/chains_impl.h"

constexpr Kernels kKernels = {decode, decode64, bounds, label, aligned, chain, chain64, integer};

}  // namespace

const Kernels& kernels() { return kKernels; }

}  // namespace MFMA_KERNELS
}  // namespace mfma::oracles::batched
