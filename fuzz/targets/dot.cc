// Bytes to a dot product and a model: the fast oracle against the reference oracle, and, where the fast one calls the
// result exact, one lawful model against another.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fuzz/targets/draw.h"
#include "fuzz/targets/target.h"
#include "oracles/plain/dense.h"
#include "oracles/reference/reference.h"

namespace mfma::fuzz {
namespace {

using oracles::FormatId;

struct Formats {
  FormatId a, b, acc;
};

Formats draw_formats(FuzzedDataProvider& in) {
  constexpr FormatId kSmall[] = {FormatId::kFp8E4m3, FormatId::kBf8E5m2, FormatId::kFp6E2m3, FormatId::kBf6E3m2,
                                 FormatId::kFp4E2m1};
  constexpr Formats kSame[] = {{FormatId::kF32, FormatId::kF32, FormatId::kF32},
                               {FormatId::kF16, FormatId::kF16, FormatId::kF32},
                               {FormatId::kBf16, FormatId::kBf16, FormatId::kF32},
                               {FormatId::kF64, FormatId::kF64, FormatId::kF64},
                               {FormatId::kI8, FormatId::kI8, FormatId::kI32}};
  const auto choice = in.ConsumeIntegralInRange<std::size_t>(0, std::size(kSame));
  if (choice < std::size(kSame)) return kSame[choice];
  const auto small = [&] { return kSmall[in.ConsumeIntegralInRange<std::size_t>(0, std::size(kSmall) - 1)]; };
  const FormatId a = small();
  return {a, small(), FormatId::kF32};
}

struct Dot {
  std::vector<std::uint64_t> a, b;
  std::vector<std::uint8_t> scale_a, scale_b;
  oracles::DotProblem problem;

  // Codes come from the front of the input, in the order a[0], b[0], a[1], ...
  Dot(FuzzedDataProvider& in, const Formats& formats, std::size_t k, bool scaled) {
    problem.a_format = oracles::format(formats.a);
    problem.b_format = oracles::format(formats.b);
    problem.acc_format = oracles::format(formats.acc);
    problem.c = draw_code(in, problem.acc_format.bits);
    for (std::size_t block = 0; scaled && block < (k + 31) / 32; ++block) {
      scale_a.push_back(static_cast<std::uint8_t>(draw_code(in, 8)));
      scale_b.push_back(static_cast<std::uint8_t>(draw_code(in, 8)));
    }
    for (std::size_t i = 0; i < k; ++i) {
      a.push_back(draw_code(in, problem.a_format.bits));
      b.push_back(draw_code(in, problem.b_format.bits));
    }
    problem.scaled = scaled;
    problem.a = a;
    problem.b = b;
    problem.scale_a = scale_a;
    problem.scale_b = scale_b;
  }
  Dot(const Dot&) = delete;
  Dot& operator=(const Dot&) = delete;
};

int differ(const char* what, const Dot& dot, const oracles::Model& model, std::uint64_t first, std::uint64_t second) {
  fmt::print(stderr, "{}: {:x} and {:x}: {} x {} + {} a:{:x} b:{:x} c:{:x} sa:{:x} sb:{:x} [{}]\n", what, first, second,
             dot.problem.a_format.name, dot.problem.b_format.name, dot.problem.acc_format.name, fmt::join(dot.a, ","),
             fmt::join(dot.b, ","), dot.problem.c, fmt::join(dot.scale_a, ","), fmt::join(dot.scale_b, ","),
             text_of(model));
  return 1;
}

}  // namespace

std::string begin(const Options&) { return {}; }

}  // namespace mfma::fuzz

int fuzz_one(const std::uint8_t* data, std::size_t size) {
  using namespace mfma;
  FuzzedDataProvider in(data, size);
  const fuzz::Formats formats = fuzz::draw_formats(in);
  const bool integer = formats.acc == oracles::FormatId::kI32;
  oracles::Model model, other;
  if (integer) {
    model.kind = other.kind = oracles::ModelKind::kInteger;
  } else {
    model = fuzz::draw_model(in, oracles::format(formats.acc));
    other = fuzz::draw_model(in, oracles::format(formats.acc));
  }
  const bool small = oracles::format(formats.a).bits <= 8 && !integer;
  const bool scaled = small && in.ConsumeBool();
  const auto k = in.ConsumeIntegralInRange<std::size_t>(1, 128);
  const fuzz::Dot dot(in, formats, k, scaled);

  const std::uint64_t fast = oracles::dot_product(dot.problem, model);
  const std::uint64_t slow = oracles::reference::dot_product(dot.problem, model);
  if (fast != slow) return fuzz::differ("fast and reference oracle differ", dot, model, fast, slow);
  const bool both_lawful =
      fuzz::is_lawful(model, dot.problem.acc_format) && fuzz::is_lawful(other, dot.problem.acc_format);
  if (integer || !both_lawful || !oracles::is_exact(dot.problem)) return 0;
  const std::uint64_t again = oracles::dot_product(dot.problem, other);
  return fast == again ? 0 : fuzz::differ("an exact result differs under two models", dot, other, fast, again);
}
