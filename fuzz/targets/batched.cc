// Bytes to a dense product and a model: the batched oracle against the plain one, bits and exactness, with every
// instruction set that the processor has.
#include "oracles/batched/batched.h"

#include <fmt/format.h>

#include <vector>

#include "fuzz/targets/draw.h"
#include "fuzz/targets/target.h"

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

// `count` codes of the next bytes, those of a whole matrix dealt from few where the input is short.
std::vector<std::uint64_t> draw_codes(FuzzedDataProvider& in, const oracles::Format& f, std::size_t count,
                                      std::size_t distinct) {
  std::vector<std::uint64_t> drawn, codes(count);
  for (std::size_t i = 0; i < std::min(count, distinct); ++i) drawn.push_back(draw_code(in, f.bits));
  for (std::size_t i = 0; i < count; ++i) codes[i] = drawn[(i + i / drawn.size()) % drawn.size()];
  return codes;
}

}  // namespace

std::string begin(const Options&) { return {}; }

}  // namespace mfma::fuzz

int fuzz_one(const std::uint8_t* data, std::size_t size) {
  using namespace mfma;
  FuzzedDataProvider in(data, size);
  const fuzz::Formats formats = fuzz::draw_formats(in);
  oracles::DenseProblem p;
  p.a_format = oracles::format(formats.a);
  p.b_format = oracles::format(formats.b);
  p.acc_format = oracles::format(formats.acc);
  oracles::Model model;
  if (p.acc_format.is_integer) {
    model.kind = oracles::ModelKind::kInteger;
  } else {
    model = fuzz::draw_model(in, p.acc_format);
  }
  constexpr oracles::DenseShape kShapes[] = {{1, 1, 1, 1}, {2, 16, 16, 1}, {4, 4, 4, 4}, {3, 5, 40, 1}, {4, 4, 2, 16}};
  p.shape = kShapes[in.ConsumeIntegralInRange<std::size_t>(0, std::size(kShapes) - 1)];
  const bool small = p.a_format.bits <= 8 && !p.acc_format.is_integer;
  p.scaled = small && p.shape.blocks == 1 && in.ConsumeBool();
  if (!p.acc_format.is_integer) {
    p.modifiers.negate_a = in.ConsumeBool();
    p.modifiers.negate_b = in.ConsumeBool();
    p.modifiers.negate_c = in.ConsumeBool();
  }
  const auto distinct = in.ConsumeIntegralInRange<std::size_t>(1, 40);
  const auto count = [&](int rows, int columns) { return static_cast<std::size_t>(p.shape.blocks * rows * columns); };
  const auto a = fuzz::draw_codes(in, p.a_format, count(p.shape.m, p.shape.k), distinct);
  const auto b = fuzz::draw_codes(in, p.b_format, count(p.shape.k, p.shape.n), distinct);
  const auto c = fuzz::draw_codes(in, p.acc_format, count(p.shape.m, p.shape.n), distinct);
  std::vector<std::uint8_t> scale_a, scale_b;
  const int blocks = (p.shape.k + 31) / 32;
  for (int i = 0; p.scaled && i < p.shape.m * blocks; ++i) scale_a.push_back(in.ConsumeIntegral<std::uint8_t>());
  for (int i = 0; p.scaled && i < p.shape.n * blocks; ++i) scale_b.push_back(in.ConsumeIntegral<std::uint8_t>());
  p.a = a;
  p.b = b;
  p.c = c;
  p.scale_a = scale_a;
  p.scale_b = scale_b;

  const oracles::DenseResult plain = oracles::dense_product(p, model);
  for (const oracles::batched::InstructionSet set : oracles::batched::instruction_sets()) {
    const oracles::DenseResult lanes = oracles::batched::dense_product(p, model, set);
    for (std::size_t i = 0; i < plain.d.size(); ++i) {
      if (plain.d[i] == lanes.d[i] && plain.exact[i] == lanes.exact[i]) continue;
      fmt::print(stderr,
                 "{}: element {} of {}x{}x{} in {} blocks, {} x {} + {}: {:x} exact {}, but {:x} exact {} [{}]\n",
                 oracles::batched::name_of(set), i, p.shape.m, p.shape.n, p.shape.k, p.shape.blocks, p.a_format.name,
                 p.b_format.name, p.acc_format.name, plain.d[i], plain.exact[i], lanes.d[i], lanes.exact[i],
                 fuzz::text_of(model));
      return 1;
    }
  }
  return 0;
}
