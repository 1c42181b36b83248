// Vector integer compares. CDNA4 ISA manual, section 12.9.
//
// The mask has a bit per lane of EXEC, zero for the others. V_CMPX also writes it to EXEC.
#include "harness/gfx950/machine/handlers.h"
#include "harness/gfx950/machine/vector_shapes.h"

namespace mfma::gfx950 {
namespace {

template <class F>
std::uint64_t mask_of(std::uint64_t exec, F&& f) {
  std::uint64_t mask = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) mask |= std::uint64_t{f(lane)} << lane;
  return mask & exec;
}

template <bool WritesExec>
Flow finish(Wavefront& w, const Instruction& in, std::uint64_t mask) {
  write_scalar64(w, in.operands[0], mask);
  if constexpr (WritesExec) w.set_pair(kExec, mask);
  return Flow::kNext;
}

template <class T, auto Op, bool WritesExec>
Flow compare(Wavefront& w, const Instruction& in) {
  if constexpr (sizeof(T) == 8) {
    Row low_a, high_a, low_b, high_b;
    const Lanes64 a = lanes64(w, in, in.operands[1], low_a, high_a);
    const Lanes64 b = lanes64(w, in, in.operands[2], low_b, high_b);
    return finish<WritesExec>(
        w, in, mask_of(w.exec(), [&](unsigned l) { return Op(static_cast<T>(a[l]), static_cast<T>(b[l])); }));
  } else {
    Row buffer_a, buffer_b;
    const std::uint32_t* a = lanes32(w, in, in.operands[1], buffer_a);
    const std::uint32_t* b = lanes32(w, in, in.operands[2], buffer_b);
    return finish<WritesExec>(
        w, in, mask_of(w.exec(), [&](unsigned l) { return Op(static_cast<T>(a[l]), static_cast<T>(b[l])); }));
  }
}

constexpr auto kNever = [](auto, auto) { return false; };
constexpr auto kLess = [](auto a, auto b) { return a < b; };
constexpr auto kEqual = [](auto a, auto b) { return a == b; };
constexpr auto kLessEqual = [](auto a, auto b) { return a <= b; };
constexpr auto kGreater = [](auto a, auto b) { return a > b; };
constexpr auto kNotEqual = [](auto a, auto b) { return a != b; };
constexpr auto kGreaterEqual = [](auto a, auto b) { return a >= b; };
constexpr auto kAlways = [](auto, auto) { return true; };

#define MFMA_COMPARES(prefix, exec, suffix, type)                                                                    \
  {prefix "_f_" suffix, compare<type, kNever, exec>}, {prefix "_lt_" suffix, compare<type, kLess, exec>},            \
      {prefix "_eq_" suffix, compare<type, kEqual, exec>}, {prefix "_le_" suffix, compare<type, kLessEqual, exec>},  \
      {prefix "_gt_" suffix, compare<type, kGreater, exec>}, {prefix "_ne_" suffix, compare<type, kNotEqual, exec>}, \
      {prefix "_ge_" suffix, compare<type, kGreaterEqual, exec>}, {                                                  \
    prefix "_t_" suffix, compare<type, kAlways, exec>                                                                \
  }
#define MFMA_BOTH(suffix, type) MFMA_COMPARES("v_cmp", false, suffix, type), MFMA_COMPARES("v_cmpx", true, suffix, type)

constexpr HandlerRow kRows[] = {
    MFMA_BOTH("i16", std::int16_t),  MFMA_BOTH("u16", std::uint16_t), MFMA_BOTH("i32", std::int32_t),
    MFMA_BOTH("u32", std::uint32_t), MFMA_BOTH("i64", std::int64_t),  MFMA_BOTH("u64", std::uint64_t),
};

#undef MFMA_BOTH
#undef MFMA_COMPARES

}  // namespace

std::span<const HandlerRow> compare_handlers() { return kRows; }

}  // namespace mfma::gfx950
