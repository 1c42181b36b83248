// The truncating alignment of docs/numerics.md, an output a lane. Included by kernels_impl.h.
//
// The products of a step are rounded and summed in 32-bit lanes where they fit, else in 64-bit ones; what follows, once
// a step, in 64-bit ones. All sums are integers in units of a power of two, as in the plain oracle.

// Lanes of the products: 32 bits, magnitudes of A shifted up when they were decoded.
struct Narrow {
  using V = V32;
  static constexpr int kCount = kLanes, kMost = 31;
  static MFMA_INLINE V all(std::int32_t x) { return all32(x); }
  static MFMA_INLINE V b(const std::int32_t* p) { return load<V32>(p); }
  template <bool kRepeat>
  static MFMA_INLINE V a(const std::int32_t* p, std::int64_t at) {
    return a_lanes<kRepeat>(p, at);
  }
  static MFMA_INLINE V shifted_up(V x, int) { return x; }
  static MFMA_INLINE void widen(V x, V64* to) {
    alignas(64) std::int32_t lanes[kLanes];
    store(lanes, x);
    to[0] = widened(lanes);
    to[1] = widened(lanes + kWide);
  }
};

struct Wide {
  using V = V64;
  static constexpr int kCount = kWide, kMost = 63;
  static MFMA_INLINE V all(std::int32_t x) { return all64(x); }
  static MFMA_INLINE V b(const std::int32_t* p) { return widened(p); }
  template <bool kRepeat>
  static MFMA_INLINE V a(const std::int32_t* p, std::int64_t at) {
    return a_wide<kRepeat>(p, at);
  }
  static MFMA_INLINE V shifted_up(V x, int up) { return shift_left(x, all64(up)); }
  static MFMA_INLINE void widen(V x, V64* to) { to[0] = x; }
};

// Which products of a step are aligned with one another.
struct GroupOfProducts {
  int first, last, stride;
};

inline GroupOfProducts group_of(const AlignedParameters& p, int k, int first, int last, int g) {
  if (p.groups == 1) return {first, last, 1};
  if (!p.contiguous) return {first + (g - first % p.groups + p.groups) % p.groups, last, p.groups};
  const int run = ((p.step < k ? p.step : k) + p.groups - 1) / p.groups;
  const int from = first + g * run;
  const int to = from + run;
  return {from < last ? from : last, to < last ? to : last, 1};
}

template <typename Lanes, bool kRepeat>
struct AlignedSheet {
  using V = typename Lanes::V;
  static constexpr std::size_t kParts = Lanes::kCount / kWide;

  const Sheet& s;
  const AlignedParameters& p;
  const Output& out;

  // The running result: (-1)^negative * magnitude * 2^exponent; zero has f32's least exponent. Or an infinity or a NaN.
  struct Running {
    V64 negative[kParts], magnitude[kParts], exponent[kParts];
    V64 infinite[kParts], nan[kParts];
  };

  static MFMA_INLINE std::int64_t part(std::size_t i) { return static_cast<std::int64_t>(i) * kWide; }

  MFMA_INLINE V exponent_of(const GroupOfProducts& g, int row, int lane) const {
    V e = Lanes::all(2 * kNone);
    for (int k = g.first; k < g.last; k += g.stride) {
      const std::int64_t of_a = place_in_a<kRepeat>(s, row, k, lane);
      const std::int64_t of_b = place_in_b(s, k, lane);
      V lead = Lanes::template a<kRepeat>(s.a.lead, of_a) + Lanes::b(s.b.lead + of_b);
      if (p.normalise_products) {
        const V product =
            Lanes::shifted_up(Lanes::template a<kRepeat>(s.a.magnitude, of_a) * Lanes::b(s.b.magnitude + of_b), p.up);
        const V carries = shift_right_logical(product, Lanes::all(p.fraction_bits + p.up + 1)) != 0;
        lead -= carries;
      }
      e = largest(e, lead);
    }
    return e;
  }

  // The group's products in units of 2^(e - product_fraction_bits), into 64-bit sums.
  MFMA_INLINE void sum_products(const GroupOfProducts& g, int row, int lane, V e, V64* sum) const {
    for (std::size_t i = 0; i < kParts; ++i) sum[i] = V64{};
    const int extra = p.fraction_bits > p.product_fraction_bits ? p.fraction_bits - p.product_fraction_bits : 0;
    const V base = e + Lanes::all(extra);
    const int most = kParts == 1 ? s.k : p.most_in_32;
    for (int k = g.first; k < g.last;) {
      const std::int64_t end = k + static_cast<std::int64_t>(most) * g.stride;
      const int stop = end < g.last ? static_cast<int>(end) : g.last;
      V part = V{};
      if (p.product_rounding == LaneRounding::kTowardZero) {
        for (; k < stop; k += g.stride) {
          const std::int64_t of_a = place_in_a<kRepeat>(s, row, k, lane);
          const std::int64_t of_b = place_in_b(s, k, lane);
          const V lead = Lanes::template a<kRepeat>(s.a.lead, of_a) + Lanes::b(s.b.lead + of_b);
          const V down = least(base - lead, Lanes::all(Lanes::kMost));
          const V sign = Lanes::template a<kRepeat>(s.a.sign, of_a) ^ Lanes::b(s.b.sign + of_b);
          const V product =
              Lanes::shifted_up(Lanes::template a<kRepeat>(s.a.magnitude, of_a) * Lanes::b(s.b.magnitude + of_b), p.up);
          part += (shift_right_logical(product, down) ^ sign) - sign;
        }
      } else {
        for (; k < stop; k += g.stride) {
          const std::int64_t of_a = place_in_a<kRepeat>(s, row, k, lane);
          const std::int64_t of_b = place_in_b(s, k, lane);
          const V lead = Lanes::template a<kRepeat>(s.a.lead, of_a) + Lanes::b(s.b.lead + of_b);
          const V down = least(base - lead, Lanes::all(Lanes::kMost));
          const V sign = Lanes::template a<kRepeat>(s.a.sign, of_a) ^ Lanes::b(s.b.sign + of_b);
          const V product =
              Lanes::shifted_up(Lanes::template a<kRepeat>(s.a.magnitude, of_a) * Lanes::b(s.b.magnitude + of_b), p.up);
          part += shift_rounded((product ^ sign) - sign, down, p.product_rounding);
        }
      }
      V64 wide[kParts];
      Lanes::widen(part, wide);
      for (std::size_t i = 0; i < kParts; ++i) sum[i] += wide[i];
    }
  }

  // x * 2^unit rounded to a multiple of 2^last and expressed in units of 2^to, to <= last.
  static MFMA_INLINE V64 realigned(V64 x, V64 unit, V64 last, V64 to, LaneRounding rounding) {
    const V64 down = least(largest(last - unit, all64(0)), all64(63));
    const V64 up = largest(last, unit) - to;
    return shift_left(shift_rounded(x, down, rounding), up & 63);  // beyond 63 only where x is 0
  }

  MFMA_INLINE void with_c(V64 sum, V64 sum_unit, V64 sum_exponent, V64 special, Running& d, std::size_t i) const {
    const V64 c_exponent = d.exponent[i] + kFraction;
    const V64 exponent = largest(sum_exponent, c_exponent);
    const int width = p.sum_fraction_bits > p.c_fraction_bits ? p.sum_fraction_bits : p.c_fraction_bits;
    V64 unit = exponent - width;
    V64 total = realigned(sum, sum_unit, exponent - p.sum_fraction_bits, unit, p.sum_rounding);
    V64 c = realigned((d.magnitude[i] ^ d.negative[i]) - d.negative[i], d.exponent[i], exponent - p.c_fraction_bits,
                      unit, p.c_rounding);
    if (p.drop_c_below >= 0) c &= c_exponent >= exponent - p.drop_c_below;
    total += c;
    if (p.final_fraction_bits > 0) {
      const V64 sign = total < 0;
      const V64 leading = largest(all64(kLeastExponent), unit + bit_width((total ^ sign) - sign) - 1);
      const V64 down = largest(leading - p.final_fraction_bits - unit, all64(0));
      total = shift_rounded(total, least(down, all64(63)), p.final_rounding);
      unit += down;
    }
    // Nearest even, gradual underflow.
    const V64 negative = total < 0;
    const V64 magnitude = (total ^ negative) - negative;
    V64 last = largest(unit + bit_width(magnitude) - 1, all64(kLeastExponent)) - kFraction;
    const V64 drop = last - unit;
    const V64 dropped = least(largest(drop, all64(0)), all64(63));
    V64 kept = shift_rounded(magnitude, dropped, LaneRounding::kNearestEven);
    kept = shift_left(kept, largest(-drop, all64(0)) & 63);
    const V64 carried = shift_right_logical(kept, all64(kFraction + 1)) != 0;
    kept = carried ? shift_right_logical(kept, all64(1)) : kept;
    last -= carried;
    d.infinite[i] |= (total != 0) & (last + kFraction > kLargestExponent);
    d.negative[i] = special ? d.negative[i] : negative;
    d.magnitude[i] = kept;
    d.exponent[i] = kept == 0 ? all64(kLeastBit) : last;
  }

  // What is infinite among the products of a step: infinities, and with `overflow` products of 2^128 and more. `nan`:
  // an infinity times zero.
  struct Infinities {
    V positive, negative, nan;
  };

  Infinities infinities(int row, int lane, int first, int last) const {
    Infinities found = {V{}, V{}, V{}};
    for (int k = first; k < last; ++k) {
      const std::int64_t of_a = place_in_a<kRepeat>(s, row, k, lane);
      const std::int64_t of_b = place_in_b(s, k, lane);
      const V a = Lanes::template a<kRepeat>(s.a.magnitude, of_a), b = Lanes::b(s.b.magnitude + of_b);
      const V a_infinite = (Lanes::template a<kRepeat>(s.a.flags, of_a) & kFlagInfinite) != 0;
      const V b_infinite = (Lanes::b(s.b.flags + of_b) & kFlagInfinite) != 0;
      found.nan |= (a_infinite & ~b_infinite & (b == 0)) | (b_infinite & ~a_infinite & (a == 0));
      V infinite = a_infinite | b_infinite;
      if (p.product_overflow) {
        // magnitude * 2^(lead - fraction bits) >= 2^128; narrow magnitudes are shifted up.
        const V lead = Lanes::template a<kRepeat>(s.a.lead, of_a) + Lanes::b(s.b.lead + of_b);
        const V down = kLargestExponent + 1 + p.fraction_bits + (kParts == 1 ? 0 : p.up) - lead;
        const V shift = least(largest(down, Lanes::all(0)), Lanes::all(Lanes::kMost));
        infinite |= shift_right_logical(a * b, shift) != 0;
      }
      const V sign = Lanes::template a<kRepeat>(s.a.sign, of_a) ^ Lanes::b(s.b.sign + of_b);
      found.positive |= infinite & ~sign;
      found.negative |= infinite & sign;
    }
    return found;
  }

  // IEEE rules where a term is infinite, for the lanes that may have one. Returns those that had.
  void special_step(int row, int lane, int first, int last, const V64* candidate, Running& d, V64* special) const {
    const Infinities found = infinities(row, lane, first, last);
    V64 positive[kParts], negative[kParts], nan[kParts];
    Lanes::widen(found.positive, positive);
    Lanes::widen(found.negative, negative);
    Lanes::widen(found.nan, nan);
    for (std::size_t i = 0; i < kParts; ++i) {
      const V64 plus = positive[i] | (d.infinite[i] & ~d.negative[i]);
      const V64 minus = negative[i] | (d.infinite[i] & d.negative[i]);
      special[i] = candidate[i] & (plus | minus | nan[i]);
      d.nan[i] |= special[i] & (nan[i] | (plus & minus));
      d.infinite[i] |= special[i];
      d.negative[i] = special[i] ? minus : d.negative[i];
    }
  }

  MFMA_INLINE void step(int row, int lane, int first, int last, const V64* infinite_operands, Running& d) const {
    V64 value[kParts], unit[kParts], exponent[kParts];
    const GroupOfProducts all = {first, last, 1};
    const V e = exponent_of(all, row, lane);
    Lanes::widen(e, exponent);
    if (p.groups == 1) {
      sum_products(all, row, lane, e, value);
      for (std::size_t i = 0; i < kParts; ++i) unit[i] = exponent[i] - p.product_fraction_bits;
    } else {
      for (std::size_t i = 0; i < kParts; ++i) {
        value[i] = V64{};
        unit[i] = exponent[i] - p.merge_fraction_bits;
      }
      for (int g = 0; g < p.groups; ++g) {
        const GroupOfProducts group = group_of(p, s.k, first, last, g);
        if (group.first >= group.last) continue;
        const V own = exponent_of(group, row, lane);
        V64 sum[kParts], own_exponent[kParts];
        sum_products(group, row, lane, own, sum);
        Lanes::widen(own, own_exponent);
        for (std::size_t i = 0; i < kParts; ++i) {
          const V64 down = unit[i] - (own_exponent[i] - p.product_fraction_bits);
          const V64 lowered = shift_rounded(sum[i], least(largest(down, all64(0)), all64(63)), p.merge_rounding);
          value[i] += shift_left(lowered, largest(-down, all64(0)) & 63);
        }
      }
    }
    V64 candidate[kParts], special[kParts];
    V64 any = V64{};
    for (std::size_t i = 0; i < kParts; ++i) {
      candidate[i] = d.infinite[i] | infinite_operands[i];
      if (p.product_overflow) candidate[i] |= exponent[i] >= kLargestExponent;
      any |= candidate[i];
      special[i] = V64{};
    }
    if (any_lane(any)) special_step(row, lane, first, last, candidate, d, special);
    for (std::size_t i = 0; i < kParts; ++i) with_c(value[i], unit[i], exponent[i], special[i], d, i);
  }

  void run() const {
    const int width = p.step < s.k ? p.step : s.k;
    const int steps = (s.k + width - 1) / width;
    for (int row = 0; row < s.rows; ++row) {
      for (int lane = 0; lane < s.width; lane += Lanes::kCount) tile(row, lane, width, steps);
    }
  }

  MFMA_INLINE void tile(int row, int lane, int width, int steps) const {
    const std::int64_t at = place_in_d(s, row, lane);
    Running d;
    for (std::size_t i = 0; i < kParts; ++i) {
      const V64 code = bits_as<V64>(__builtin_convertvector(load<HU32>(s.c + at + part(i)), U64));
      const V64 field = shift_right_logical(code, all64(kFraction)) & 0xff;
      d.negative[i] = -shift_right_logical(code, all64(31));
      d.magnitude[i] = (code & ((1 << kFraction) - 1)) | ((field != 0) & (1 << kFraction));
      d.exponent[i] = field - (field == 0) + (kLeastBit - 1);
      d.infinite[i] = field == 0xff;
      d.nan[i] = V64{};
    }
    const std::int64_t of_row = kRepeat ? static_cast<std::int64_t>(row) * (s.width / 4) + lane / 4 : row;
    V64 infinite_operands[kParts];
    Lanes::widen((Lanes::template a<kRepeat>(s.a.any, of_row) | Lanes::b(s.b.any + lane)) & kFlagInfinite,
                 infinite_operands);
    for (std::size_t i = 0; i < kParts; ++i) infinite_operands[i] = infinite_operands[i] != 0;
    for (int n = 0; n < steps; ++n) {
      const int first = (p.descending ? steps - 1 - n : n) * width;
      step(row, lane, first, first + width < s.k ? first + width : s.k, infinite_operands, d);
    }
    for (std::size_t i = 0; i < kParts; ++i) {
      const V64 normal = shift_right_logical(d.magnitude[i], all64(kFraction));  // 0 or 1
      const V64 field = (d.exponent[i] - (kLeastBit - 1)) & -normal;
      const V64 finite = shift_left(field, all64(kFraction)) | (d.magnitude[i] & ((1 << kFraction) - 1));
      const V64 code = (d.negative[i] & 0x80000000LL) | (d.infinite[i] ? all64(0x7f800000) : finite);
      store(out.d + at + part(i), __builtin_convertvector(bits_as<U64>(code), HU32));
      const H32 nan = __builtin_convertvector(d.nan[i], H32);
      store(out.state + at + part(i), load<H32>(out.state + at + part(i)) | (nan & kIsNan));
    }
  }
};

void aligned(const Sheet& s, const AlignedParameters& p, const Output& out) {
  if (p.most_in_32 > 0) {
    s.repeat == 4 ? AlignedSheet<Narrow, true>{s, p, out}.run() : AlignedSheet<Narrow, false>{s, p, out}.run();
  } else {
    s.repeat == 4 ? AlignedSheet<Wide, true>{s, p, out}.run() : AlignedSheet<Wide, false>{s, p, out}.run();
  }
}
