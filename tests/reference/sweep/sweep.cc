#include "tests/reference/sweep/sweep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "oracles/plain/dense.h"
#include "oracles/reference/reference.h"

namespace mfma::oracles::reference::testing {

namespace {

constexpr std::size_t kExamples = 3;
constexpr std::uint64_t kChunk = 1000;

std::uint64_t hash_name(const std::string& name) {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

// In the manner of `eval`, with what it does not say in front.
std::string show(const Row& row, const Dot& dot, const Model& model, std::uint64_t fast, std::uint64_t slow) {
  std::string text = fmt::format("{} [{}] a:{:x} b:{:x} c:{:x}", row.name(), describe(model), fmt::join(dot.a, ","),
                                 fmt::join(dot.b, ","), dot.c);
  if (dot.scaled) text += fmt::format(" sa:{:x} sb:{:x}", fmt::join(dot.scale_a, ","), fmt::join(dot.scale_b, ","));
  return text + fmt::format(" => fast {:x}, reference {:x}", fast, slow);
}

void count_class(Tally& tally, const Format& f, std::uint64_t code) {
  if (f.is_integer) return;
  const std::uint64_t fraction_mask = (std::uint64_t{1} << f.fraction_bits) - 1;
  const std::uint64_t field_mask = (std::uint64_t{1} << f.exponent_bits) - 1;
  const std::uint64_t fraction = code & fraction_mask, field = (code >> f.fraction_bits) & field_mask;
  if (field == field_mask) ++(fraction == 0 ? tally.infinities : tally.nans);
  if (field == 0) ++(fraction == 0 ? tally.zeros : tally.subnormals);
}

void compare_one(const Row& row, Random& random, Tally& tally) {
  const Model model = row.model(row.pair.acc, random);
  const Dot dot = random_dot(row.pair, random);
  const DotProblem problem = dot.problem();
  const std::uint64_t slow = reference::dot_product(problem, model);
  const std::uint64_t fast = oracles::dot_product(problem, model);
  ++tally.products;
  count_class(tally, row.pair.acc, slow);
  if (fast == slow) return;
  ++tally.differences;
  if (tally.examples.size() < kExamples) tally.examples.push_back(show(row, dot, model, fast, slow));
}

}  // namespace

void Tally::add(const Tally& other) {
  products += other.products;
  differences += other.differences;
  nans += other.nans;
  infinities += other.infinities;
  zeros += other.zeros;
  subnormals += other.subnormals;
  for (const std::string& example : other.examples) {
    if (examples.size() < kExamples) examples.push_back(example);
  }
}

Tally compare_row(const Row& row, std::uint64_t seed, std::uint64_t first, std::uint64_t count) {
  Tally tally;
  const std::uint64_t base = hash_name(row.name()) ^ (seed * 0x9E3779B97F4A7C15U);
  // One random stream per kChunk dot products, so that shares of a row can be compared apart.
  for (std::uint64_t chunk = first / kChunk; chunk * kChunk < first + count; ++chunk) {
    Random random(base + chunk);
    for (std::uint64_t i = chunk * kChunk; i < (chunk + 1) * kChunk && i < first + count; ++i) {
      compare_one(row, random, tally);
    }
  }
  return tally;
}

}  // namespace mfma::oracles::reference::testing
