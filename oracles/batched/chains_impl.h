// Chains and trees of IEEE operations, and integers, an output a lane. Included by kernels_impl.h.

// ---- Into f32 ----
//
// round(p + d) to f32 for a double p that is the exact product of two elements (at most 48 significant bits, exponents
// far inside those of a double, scales included), and d an f32. s = nearest(p + d), and TwoSum gives the error e = p +
// d - s exactly (Knuth; no overflow, and sums of doubles have no underflow error). If e is not 0 and the last bit of s
// is even, s moves one unit towards e: s is then p + d rounded to odd, for of the two neighbours of an inexact sum
// exactly one is odd. Rounding a value with 53 bits rounded to odd to 24 bits or fewer, subnormals included, gives what
// rounding the exact value gives, since 53 >= 24 + 2 (Boldo, Melquiond, "Emulation of a FMA and correctly rounded sums:
// proved algorithms using rounding to odd", 2008). Infinities and NaNs: e is a NaN, the comparisons are false, and s is
// the IEEE result.
MFMA_INLINE VD to_f32(VD x) { return __builtin_convertvector(__builtin_convertvector(x, VF), VD); }

MFMA_INLINE VD fused(VD p, VD d) {
  const VD s = p + d;
  const VD of_d = s - p;
  const VD e = (p - (s - of_d)) + (d - of_d);
  const V64 bits = bits_as<V64>(s);
  const V64 inexact = (e > 0) | (e < 0);
  const V64 even = (bits & 1) == 0;
  // Away from zero where e has the sign of s.
  const V64 towards = ((bits_as<V64>(e) ^ bits) < 0) | 1;
  return to_f32(bits_as<VD>(bits + (towards & inexact & even)));
}

template <bool kRepeat>
struct ChainSheet {
  const Sheet& s;
  const ChainParameters& p;
  const Output& out;

  MFMA_INLINE VD product(int row, int k, int lane) const {
    const double* a = p.kind == ChainKind::kBlockSums ? s.a.unscaled : s.a.value;
    const double* b = p.kind == ChainKind::kBlockSums ? s.b.unscaled : s.b.value;
    return a_of_64<kRepeat, double, VD>(a, place_in_a<kRepeat>(s, row, k, lane)) * load<VD>(b + place_in_b(s, k, lane));
  }
  MFMA_INLINE int in_order(int i) const { return p.descending ? s.k - 1 - i : i; }

  MFMA_INLINE VD c_at(int row, int lane) const {
    const H32 code = load<H32>(s.c + place_in_d(s, row, lane));
    return __builtin_convertvector(bits_as<VF>(code), VD);
  }
  MFMA_INLINE void finish(int row, int lane, VD d) const {
    const std::int64_t at = place_in_d(s, row, lane);
    store(out.d + at, bits_as<H32>(__builtin_convertvector(d, VF)));
    const H32 nan = __builtin_convertvector(d != d, H32);
    store(out.state + at, load<H32>(out.state + at) | (nan & kIsNan));
  }

  // Several rows at once: an addition waits for the one before, those of other rows do not.
  template <std::size_t kRows>
  MFMA_INLINE void fma_rows(int row, int lane) const {
    const auto nth = [row](std::size_t r) { return row + static_cast<int>(r); };
    VD d[kRows];
    for (std::size_t r = 0; r < kRows; ++r) d[r] = c_at(nth(r), lane);
    for (int i = 0; i < s.k; ++i) {
      const int k = in_order(i);
      for (std::size_t r = 0; r < kRows; ++r) {
        const VD x = product(nth(r), k, lane);
        d[r] = p.kind == ChainKind::kFma ? fused(x, d[r]) : to_f32(to_f32(x) + d[r]);
      }
    }
    for (std::size_t r = 0; r < kRows; ++r) finish(nth(r), lane, d[r]);
  }

  // A chain from +0 for each 32 k, scaled, added: scaling is exact in a double, and rounds once to f32.
  MFMA_INLINE void block_sums(int row, int lane) const {
    const int blocks = (s.k + 31) / 32;
    VD d = c_at(row, lane);
    for (int n = 0; n < blocks; ++n) {
      const int q = p.descending ? blocks - 1 - n : n;
      const int first = q * 32;
      const int last = first + 32 < s.k ? first + 32 : s.k;
      VD block = VD{};
      for (int k = first; k < last; ++k)
        block = fused(product(row, p.descending ? last - 1 - (k - first) : k, lane), block);
      if (s.a_factor != nullptr) {
        const std::int64_t line = static_cast<std::int64_t>(row) * blocks + q;
        const std::int64_t of_a = kRepeat ? line * (s.width / 4) + lane / 4 : line;
        block = to_f32(block * (a_of_64<kRepeat, double, VD>(s.a_factor, of_a) *
                                load<VD>(s.b_factor + static_cast<std::int64_t>(q) * s.width + lane)));
      }
      d = to_f32(block + d);
    }
    finish(row, lane, d);
  }

  MFMA_INLINE void pairwise(int row, int lane) const {
    constexpr int kLargest = 128;
    const int width = p.step < s.k ? p.step : s.k;
    const int steps = (s.k + width - 1) / width;
    VD d = c_at(row, lane);
    VD level[kLargest];
    for (int n = 0; n < steps; ++n) {
      const int first = (p.descending ? steps - 1 - n : n) * width;
      int count = (first + width < s.k ? first + width : s.k) - first;
      for (int i = 0; i < count; ++i) level[i] = to_f32(product(row, first + i, lane));
      while (count > 1) {
        for (int i = 0; i + 1 < count; i += 2) level[i / 2] = to_f32(level[i] + level[i + 1]);
        if (count % 2 != 0) level[count / 2] = level[count - 1];
        count = (count + 1) / 2;
      }
      d = to_f32(level[0] + d);
    }
    finish(row, lane, d);
  }

  void run() const {
    for (int lane = 0; lane < s.width; lane += kWide) {
      int row = 0;
      if (p.kind == ChainKind::kFma || p.kind == ChainKind::kMultiplyAdd) {
        for (; row + 4 <= s.rows; row += 4) fma_rows<4>(row, lane);
        for (; row < s.rows; ++row) fma_rows<1>(row, lane);
      }
      for (; row < s.rows; ++row) p.kind == ChainKind::kPairwise ? pairwise(row, lane) : block_sums(row, lane);
    }
  }
};
// Additions of two f32 in doubles, rounded again to f32, are IEEE's: 53 >= 2 * 24 + 2 (Figueroa, 1995); near the
// subnormals the sum is exact.

void chain(const Sheet& s, const ChainParameters& p, const Output& out) {
  s.repeat == 4 ? ChainSheet<true>{s, p, out}.run() : ChainSheet<false>{s, p, out}.run();
}

// ---- f64 ----

constexpr int kFraction64 = 52, kLeast64 = -1022, kLargest64 = 1023;
constexpr std::int64_t kZeroExponent = 2 * kNone;  // below every other, and sums of two of them below that

struct Split64 {
  VD significand;  // (-1)^s * m, 1 <= m < 2, or +-0
  V64 exponent;
};

MFMA_INLINE Split64 split(VD x) {
  const V64 bits = bits_as<V64>(x);
  const V64 field = shift_right_logical(bits, all64(kFraction64)) & 0x7ff;
  // A subnormal is brought among the normal numbers first: a product with a power of two, exact.
  const V64 subnormal = field == 0;
  const V64 normal = bits_as<V64>(subnormal ? x * all_d(0x1p64) : x);
  const V64 exponent = (shift_right_logical(normal, all64(kFraction64)) & 0x7ff) - 1023 - (subnormal & 64);
  const V64 fraction = normal & all64(static_cast<std::int64_t>(0x800fffffffffffffULL));
  const V64 zero = (bits & 0x7fffffffffffffffLL) == 0;
  const VD significand = bits_as<VD>(fraction | 0x3ff0000000000000LL);
  return {zero ? x : significand, zero ? all64(kZeroExponent) : exponent};
}

void decode64(const std::uint64_t* codes, std::int64_t count, const Operand& out, const Operand64& to) {
  for (std::int64_t i = 0; i < count; i += kWide) {
    const V64 code = load<V64>(codes + i);
    const V64 field = shift_right_logical(code, all64(kFraction64)) & 0x7ff;
    const V64 fraction = code & 0xfffffffffffffLL;
    const V64 special = field == 0x7ff;
    const V64 zero = (code & 0x7fffffffffffffffLL) == 0;
    const Split64 x = split(bits_as<VD>(special ? V64{} : code));
    store(to.significand + i, x.significand);
    store(to.exponent + i, x.exponent);
    const V64 magnitude = fraction | ((field != 0) & (1LL << kFraction64));
    const V64 bound = field - (field == 0) - 1023;
    const V64 odd = bound - kFraction64 + bit_width(magnitude & -magnitude) - 1;
    store(out.odd + i, __builtin_convertvector(zero | special ? all64(-kNone) : odd, H32));
    store(out.bound + i, __builtin_convertvector(bound, H32));
    const V64 flags = (special & (fraction == 0) & kFlagInfinite) | (special & (fraction != 0) & kFlagNan);
    store(out.flags + i, __builtin_convertvector(flags, H32));
  }
}

struct Sum64 {
  VD high, low;
};

// high + low = a + b exactly: TwoSum (Knuth), no overflow here.
MFMA_INLINE Sum64 two_sum(VD a, VD b) {
  const VD s = a + b;
  const VD of_b = s - a;
  return {s, (a - (s - of_b)) + (b - of_b)};
}

// high + low = a * b exactly for 1 <= |a|, |b| < 2 or zeros: by the processor's fused multiply-add, which leaves the
// error of the product unrounded, or by Dekker's algorithm with Veltkamp's splitting (53 bits into 26 and 27).
MFMA_INLINE Sum64 two_product(VD a, VD b) {
  const VD high = a * b;
#if MFMA_LANES_BYTES == 64
  return {high, bits_as<VD>(_mm512_fmsub_pd(bits_as<__m512d>(a), bits_as<__m512d>(b), bits_as<__m512d>(high)))};
#elif MFMA_LANES_BYTES == 32
  return {high, bits_as<VD>(_mm256_fmsub_pd(bits_as<__m256d>(a), bits_as<__m256d>(b), bits_as<__m256d>(high)))};
#else
  const VD split_a = a * 134217729.0, split_b = b * 134217729.0;
  const VD a_high = split_a - (split_a - a), b_high = split_b - (split_b - b);
  const VD a_low = a - a_high, b_low = b - b_high;
  return {high, ((a_high * b_high - high) + a_high * b_low + a_low * b_high) + a_low * b_low};
#endif
}

// Nearest(a * b + c), the exponent unbounded: FmaEmul of Boldo and Melquiond (2008), proved for precisions of 5 and
// more as long as nothing over- or underflows. Here |a|, |b| are 0 or in [1, 2), and c is 0 or in [2^-120, 2^65), so
// every quantity that is not 0 is a multiple of 2^-172 below 2^66.
MFMA_INLINE VD fma_near_one(VD a, VD b, VD c) {
  const Sum64 u = two_product(a, b);
  const Sum64 t = two_sum(c, u.low);
  const Sum64 v = two_sum(u.high, t.high);
  const Sum64 z = two_sum(t.low, v.low);
  // z.high rounded to odd.
  const V64 bits = bits_as<V64>(z.high);
  const V64 towards = ((bits_as<V64>(z.low) ^ bits) < 0) | 1;
  const V64 inexact = z.low != all_d(0);
  const VD odd = bits_as<VD>(bits + (towards & inexact & ((bits & 1) == 0)));
  const VD result = v.high + odd;
  // Zeros have the sign that one addition gives them; an exact cancellation leaves no low parts.
  return result == 0 ? u.high + c : result;
}

template <bool kRepeat>
void chain64_sheet(const Sheet& s, bool descending, const Output& out) {
  for (int row = 0; row < s.rows; ++row) {
    for (int lane = 0; lane < s.width; lane += kWide) {
      const std::int64_t at = place_in_d(s, row, lane);
      const V64 code = load<V64>(s.c64 + at);
      Split64 d = split(bits_as<VD>(code));
      V64 ask = V64{}, infinite = V64{};
      for (int i = 0; i < s.k; ++i) {
        const int k = descending ? s.k - 1 - i : i;
        const std::int64_t of_a = place_in_a<kRepeat>(s, row, k, lane);
        const std::int64_t of_b = place_in_b(s, k, lane);
        const VD a = a_of_64<kRepeat, double, VD>(s.a64.significand, of_a);
        const VD b = load<VD>(s.b64.significand + of_b);
        const V64 e = a_of_64<kRepeat, std::int64_t, V64>(s.a64.exponent, of_a) + load<V64>(s.b64.exponent + of_b);
        // d in units of the product's exponent. Far above, the product is less than a quarter of a unit of d's last
        // place whatever it is; far below, d only says on which side of the product the sum lies: there it is kept at a
        // place below all bits of the product.
        const V64 distance = d.exponent - e;
        const V64 kept = least(largest(distance, all64(-120)), all64(64));
        const V64 above = largest(distance - 64, all64(0));
        const VD sum = fma_near_one(a, b, d.significand * power_of_two(kept));
        const V64 bits = bits_as<V64>(sum);
        const V64 zero = sum == 0;
        const V64 exponent = (shift_right_logical(bits, all64(kFraction64)) & 0x7ff) - 1023 + e + above;
        // What has become infinite stays so, for all terms are finite.
        const V64 fraction = bits & all64(static_cast<std::int64_t>(0x800fffffffffffffULL));
        d.significand = infinite ? d.significand : (zero ? sum : bits_as<VD>(fraction | 0x3ff0000000000000LL));
        d.exponent = zero ? all64(kZeroExponent) : exponent;
        // Below f64's normal numbers the rounding was at the wrong place.
        ask |= ~infinite & ~zero & (exponent < kLeast64);
        infinite |= ~zero & (exponent > kLargest64);
      }
      const V64 zero = d.significand == 0;
      const V64 bits = bits_as<V64>(d.significand);
      const V64 result = zero ? bits
                              : ((bits & all64(static_cast<std::int64_t>(0x800fffffffffffffULL))) |
                                 shift_left((d.exponent + 1023) & 0x7ff, all64(kFraction64)));
      const V64 sign = bits & all64(static_cast<std::int64_t>(0x8000000000000000ULL));
      store(out.d64 + at, infinite ? (sign | 0x7ff0000000000000LL) : result);
      const H32 asked = __builtin_convertvector(ask, H32);
      store(out.state + at, load<H32>(out.state + at) | (asked & kAskBits));
    }
  }
}

// The exactness of f64 by exponents; the sum of magnitudes is the plain oracle's where they do not settle it.
template <bool kRepeat>
void label64(const Sheet& s, const Output& out) {
  constexpr int kPrecision = 53, kLeastBit64 = -1074;
  const int growth = 2 + log2_ceiling(s.k + 1);
  for (int row = 0; row < s.rows; ++row) {
    for (int lane = 0; lane < s.width; lane += kWide) {
      const std::int64_t at = place_in_d(s, row, lane);
      const std::int64_t of_row = kRepeat ? static_cast<std::int64_t>(row) * (s.width / 4) + lane / 4 : row;
      const V64 any = a_wide<kRepeat>(s.a.any, of_row) | widened(s.b.any + lane);
      const V64 code = load<V64>(s.c64 + at);
      const V64 field = shift_right_logical(code, all64(kFraction64)) & 0x7ff;
      const V64 fraction = code & 0xfffffffffffffLL;
      const V64 special = field == 0x7ff;
      const V64 nan = ((any & kFlagNan) != 0) | (special & (fraction != 0));
      const V64 infinite = ~nan & (((any & kFlagInfinite) != 0) | special);
      const V64 magnitude = fraction | ((field != 0) & (1LL << kFraction64));
      const V64 c_zero = magnitude == 0;
      const V64 c_lead = field - (field == 0) - 1023;
      const V64 c_odd = c_zero ? all64(-2 * kNone) : c_lead - kFraction64 + bit_width(magnitude & -magnitude) - 1;
      V64 q = all64(-2 * kNone), alignment = largest(c_lead, all64(kLeast64));
      for (int k = 0; k < s.k; ++k) {
        const std::int64_t of_a = place_in_a<kRepeat>(s, row, k, lane);
        const std::int64_t of_b = place_in_b(s, k, lane);
        q = least(q, a_wide<kRepeat>(s.a.odd, of_a) + widened(s.b.odd + of_b));
        alignment = largest(alignment, a_wide<kRepeat>(s.a.bound, of_a) + widened(s.b.bound + of_b));
      }
      q = least(q, c_odd);
      const V64 all_zero = q >= -kNone / 2;
      const V64 possible = ~all_zero & (q >= kLeastBit64) & (alignment - kPrecision <= q);
      const V64 surely = possible & (alignment + growth <= q + kPrecision) & (alignment + growth <= kLargest64);
      const V64 exact = ~nan & ~infinite & ((all_zero & (code >= 0)) | surely);
      const V64 ask = ~nan & ~exact & (infinite | possible | (all_zero & (code < 0)));
      const V64 state = (exact & kExact) | (ask & kAskExact) | (nan & kIsNan) | (infinite & kHasInfinity);
      store(out.state + at, __builtin_convertvector(state, H32));
    }
  }
}

void chain64(const Sheet& s, bool descending, const Output& out) {
  if (s.repeat == 4) {
    label64<true>(s, out);
    chain64_sheet<true>(s, descending, out);
  } else {
    label64<false>(s, out);
    chain64_sheet<false>(s, descending, out);
  }
}

// ---- Integers ----

template <bool kRepeat>
void integer_sheet(const Sheet& s, const Output& out) {
  for (int row = 0; row < s.rows; ++row) {
    for (int lane = 0; lane < s.width; lane += kLanes) {
      const std::int64_t at = place_in_d(s, row, lane);
      const V32 c = load<V32>(s.c + at);
      V32 sum = V32{}, magnitudes = V32{};
      for (int k = 0; k < s.k; ++k) {
        const V32 product = a_lanes<kRepeat>(s.a.magnitude, place_in_a<kRepeat>(s, row, k, lane)) *
                            load<V32>(s.b.magnitude + place_in_b(s, k, lane));
        const V32 sign = product < 0;
        sum += product;
        magnitudes += (product ^ sign) - sign;
      }
      const V32 sign = c < 0;
      const V32 of_c = (c ^ sign) - sign;  // negative for the least integer alone
      store(out.d + at, sum + c);
      store(out.state + at, (of_c >= 0) & (magnitudes <= 0x7fffffff - of_c) & kExact);
    }
  }
}

void integer(const Sheet& s, const Output& out) {
  s.repeat == 4 ? integer_sheet<true>(s, out) : integer_sheet<false>(s, out);
}
