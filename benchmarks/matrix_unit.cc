// What one MFMA costs the emulated matrix unit: time per execute, and per product of the K sums.
#include "harness/gfx950/matrix/matrix_unit.h"

#include <benchmark/benchmark.h>

#include <memory>
#include <random>
#include <vector>

namespace {

using namespace mfma::gfx950;

AdderRules rules_of(Accumulate kind, int step, int groups) {
  AdderRules rules;
  rules.accumulate = kind;
  rules.step = step;
  rules.groups = groups;
  return rules;
}

struct Case {
  const char* name;
  MatrixControls controls;
  AdderRules rules;
  double products;
  bool scaled;
  std::uint32_t mask;  // of the operands' bits: keeps f16 and 8-bit codes clear of infinities and NaNs
};

void execute(benchmark::State& state, const Case& subject) {
  auto config = std::make_shared<MatrixConfig>();
  for (auto& variants : config->rules) variants.fill(subject.rules);
  const MatrixUnit unit(config);
  const MatrixForm form = matrix_form(subject.controls);
  std::mt19937 random(1);
  const auto draw = [&](int registers, std::uint32_t mask) {
    std::vector<std::uint32_t> dwords(static_cast<std::size_t>(registers) * 64);
    for (std::uint32_t& dword : dwords) dword = static_cast<std::uint32_t>(random()) & mask;
    return dwords;
  };
  const auto a = draw(form.a_registers, subject.mask);
  const auto b = draw(form.b_registers, subject.mask);
  const auto c = draw(form.c_registers, 0xbfffffff);
  const std::vector<std::uint32_t> scales =
      subject.scaled ? std::vector<std::uint32_t>(64, 0x7e) : std::vector<std::uint32_t>();
  std::vector<std::uint32_t> d(c.size());
  for (auto _ : state) {
    const std::string why = unit.execute(subject.controls, {a, b, c, scales, scales, 0, 0}, d);
    if (!why.empty()) return state.SkipWithError(why.c_str());
    benchmark::DoNotOptimize(d.data());
  }
  state.counters["per_product"] =
      benchmark::Counter(subject.products, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

const Case kCases[] = {
    {"aligned/f8f6f4_32x32x64_fp8", {46, 0, 0, 0}, rules_of(Accumulate::kAlignedSum, 32, 1), 65536, true, 0xbfbfbfbf},
    {"aligned/f8f6f4_32x32x64_fp4", {46, 4, 0, 4}, rules_of(Accumulate::kAlignedSum, 64, 1), 65536, true, 0xffffffff},
    {"aligned/f8f6f4_16x16x128_fp6", {45, 2, 0, 2}, rules_of(Accumulate::kAlignedSum, 64, 1), 32768, true, 0xffffffff},
    {"aligned/f8f6f4_32x32x64_fp8_any_bits",
     {46, 0, 0, 0},
     rules_of(Accumulate::kAlignedSum, 32, 1),
     65536,
     true,
     0xffffffff},
    {"aligned/bf16_32x32x16_any_bits",
     {55, 0, 0, 0},
     rules_of(Accumulate::kAlignedSum, 16, 1),
     16384,
     false,
     0xffffffff},
    {"aligned/f16_32x32x16", {85, 0, 0, 0}, rules_of(Accumulate::kAlignedSum, 16, 1), 16384, false, 0xbfffbfff},
    {"aligned/f16_16x16x16", {77, 0, 0, 0}, rules_of(Accumulate::kAlignedSum, 8, 1), 4096, false, 0xbfffbfff},
    {"aligned/f16_4x4x4_16b", {74, 0, 0, 0}, rules_of(Accumulate::kAlignedSum, 4, 1), 1024, false, 0xbfffbfff},
    {"aligned/fp8_32x32x16_groups", {119, 0, 0, 0}, rules_of(Accumulate::kAlignedSum, 16, 2), 16384, false, 0xbfbfbfbf},
    {"fma/f32_32x32x2", {68, 0, 0, 0}, rules_of(Accumulate::kFmaChain, 1, 1), 2048, false, 0xbfffffff},
    {"fma/f64_16x16x4", {110, 0, 0, 0}, rules_of(Accumulate::kFmaChain, 1, 1), 1024, false, 0xbfffffff},
    {"fma/f8f6f4_32x32x64_fp8", {46, 0, 0, 0}, rules_of(Accumulate::kFmaChain, 1, 1), 65536, true, 0xbfbfbfbf},
    {"block_sums/f8f6f4_32x32x64_fp8", {46, 0, 0, 0}, rules_of(Accumulate::kBlockSums, 32, 1), 65536, true, 0xbfbfbfbf},
    {"exact/f8f6f4_32x32x64_fp8", {46, 0, 0, 0}, rules_of(Accumulate::kExactSum, 64, 1), 65536, true, 0xbfbfbfbf},
    {"exact/f16_16x16x16", {77, 0, 0, 0}, rules_of(Accumulate::kExactSum, 16, 1), 4096, false, 0xbfffbfff},
    {"integer/i8_32x32x32", {56, 0, 0, 0}, rules_of(Accumulate::kInteger, 1, 1), 32768, false, 0xffffffff},
};

}  // namespace

int main(int argc, char** argv) {
  for (const Case& subject : kCases) {
    benchmark::RegisterBenchmark(subject.name, [&subject](benchmark::State& state) { execute(state, subject); });
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
