// Vectors of lanes by the vector extensions of g++ and clang: plain operators, compiled to whatever the target has.
// Included by the kernels only, inside the namespace of one instruction set (kernels.h says why). Google Highway was
// the alternative: the loops then could not be compiled for a GPU, and Debian 12's version has no count of leading
// zeros.
//
// V32 has kLanes 32-bit lanes, V64 and VD half as many of 64 bits: as wide as the registers, so that no operation is
// split.
#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512CD__)
#define MFMA_LANES_BYTES 64
#elif defined(__AVX2__)
#define MFMA_LANES_BYTES 32
#else
#define MFMA_LANES_BYTES 16
#endif

constexpr int kLanes = MFMA_LANES_BYTES / 4;
constexpr int kWide = kLanes / 2;

typedef std::int32_t V32 __attribute__((vector_size(MFMA_LANES_BYTES)));
typedef std::uint32_t U32 __attribute__((vector_size(MFMA_LANES_BYTES)));
typedef float VF __attribute__((vector_size(MFMA_LANES_BYTES / 2)));  // as many floats as VD has doubles
typedef std::int32_t H32 __attribute__((vector_size(MFMA_LANES_BYTES / 2)));
typedef std::uint32_t HU32 __attribute__((vector_size(MFMA_LANES_BYTES / 2)));
typedef long long V64 __attribute__((vector_size(MFMA_LANES_BYTES)));
typedef unsigned long long U64 __attribute__((vector_size(MFMA_LANES_BYTES)));
typedef double VD __attribute__((vector_size(MFMA_LANES_BYTES)));

#define MFMA_INLINE inline __attribute__((always_inline))

template <typename V, typename T>
MFMA_INLINE V load(const T* p) {
  V v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
template <typename V, typename T>
MFMA_INLINE void store(T* p, V v) {
  __builtin_memcpy(p, &v, sizeof v);
}
template <typename To, typename From>
MFMA_INLINE To bits_as(From v) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(&to, &v, sizeof v);
  return to;
}

MFMA_INLINE V32 all32(std::int32_t x) { return V32{} + x; }
MFMA_INLINE V64 all64(std::int64_t x) { return V64{} + static_cast<long long>(x); }
MFMA_INLINE VD all_d(double x) { return x - VD{}; }

template <typename V>
MFMA_INLINE V least(V a, V b) {
  return a < b ? a : b;
}
template <typename V>
MFMA_INLINE V largest(V a, V b) {
  return a > b ? a : b;
}

// Sign extension of kWide 32-bit numbers in memory.
MFMA_INLINE V64 widened(const std::int32_t* p) { return __builtin_convertvector(load<H32>(p), V64); }

// Logical shift, by less than the width.
MFMA_INLINE V32 shift_right_logical(V32 x, V32 by) { return bits_as<V32>(bits_as<U32>(x) >> bits_as<U32>(by)); }
MFMA_INLINE V64 shift_right_logical(V64 x, V64 by) { return bits_as<V64>(bits_as<U64>(x) >> bits_as<U64>(by)); }
MFMA_INLINE V32 shift_left(V32 x, V32 by) { return bits_as<V32>(bits_as<U32>(x) << bits_as<U32>(by)); }
MFMA_INLINE V64 shift_left(V64 x, V64 by) { return bits_as<V64>(bits_as<U64>(x) << bits_as<U64>(by)); }
// Arithmetic shift by way of the logical one, which every instruction set has for both widths.
template <typename V>
MFMA_INLINE V shift_right(V x, V by) {
  const V sign = x < 0;
  return shift_right_logical(x ^ sign, by) ^ sign;
}

// Number of bits up to the leading one of 0 <= x < 2^62; 0 for 0.
MFMA_INLINE V64 bit_width(V64 x) {
#if MFMA_LANES_BYTES == 64
  return 64 - bits_as<V64>(_mm512_lzcnt_epi64(bits_as<__m512i>(x)));
#else
  // By way of a double. The bit below the leading one is cleared, so no rounding can carry into the exponent; the
  // halves come in as the low bits of 2^52 and, times 2^32, of 2^84, and only the last addition rounds.
  const V64 y = x & ~shift_right_logical(x, all64(1));
  const VD low = bits_as<VD>((y & 0xffffffffLL) | 0x4330000000000000LL);
  const VD high = bits_as<VD>(shift_right_logical(y, all64(32)) | 0x4530000000000000LL);
  const VD sum = (high - (0x1p84 + 0x1p52)) + low;
  return largest(shift_right_logical(bits_as<V64>(sum), all64(52)) - 1022, all64(0));
#endif
}

// Whether any lane of a mask is set.
template <typename V>
MFMA_INLINE bool any_lane(V mask) {
#if MFMA_LANES_BYTES == 64
  return _mm512_test_epi64_mask(bits_as<__m512i>(mask), bits_as<__m512i>(mask)) != 0;
#else
  const V64 x = bits_as<V64>(mask);
  long long all = 0;
  for (int i = 0; i < kWide; ++i) all |= x[i];
  return all != 0;
#endif
}

// x / 2^down, rounded; 0 <= down < the width.
template <typename V>
MFMA_INLINE V shift_rounded(V x, V down, LaneRounding rounding) {
  if (rounding == LaneRounding::kDown) return shift_right(x, down);
  if (rounding == LaneRounding::kTowardZero) {
    const V sign = x < 0;
    return (shift_right_logical((x ^ sign) - sign, down) ^ sign) - sign;
  }
  const V floor = shift_right(x, down);
  const V rest = x - shift_left(floor, down);
  const V half = shift_right_logical(shift_left((x & 0) + 1, down), (x & 0) + 1);  // 0 where down is 0
  const V up = (rest > half) | ((rest == half) & (half != 0) & ((floor & 1) != 0));
  return floor - up;  // masks are -1
}
