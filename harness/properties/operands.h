// The operands of a case as matrices of element codes, to be changed and written back. Internal to fuzz/properties.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/cases/case.h"
#include "harness/cases/rng.h"
#include "harness/properties/property.h"

namespace mfma::properties {

inline constexpr int kScaleBlock = 32;  // k per scale (manual 7.2)

// Raw codes as the registers hold them, before cbsz, abid, blgp and negation.
class Matrices {
 public:
  explicit Matrices(cases::Case origin);

  const catalogue::Instance& instance() const { return origin_.instance; }
  const catalogue::Shape& shape() const { return origin_.instance.builtin->shape; }
  int scale_blocks() const { return shape().k / kScaleBlock; }
  bool has_scales() const { return origin_.has_scales; }

  std::uint64_t& a_at(int block, int i, int k) { return a[index(block, shape().m, i, shape().k, k)]; }
  std::uint64_t& b_at(int block, int k, int j) { return b[index(block, shape().k, k, shape().n, j)]; }
  std::uint64_t& c_at(int block, int i, int j) { return c[element(block, i, j)]; }
  std::uint64_t& scale_a_at(int i, int q) { return scale_a[index(0, 0, i, scale_blocks(), q)]; }
  std::uint64_t& scale_b_at(int q, int j) { return scale_b[index(0, 0, q, shape().n, j)]; }
  std::uint64_t a_at(int block, int i, int k) const { return a[index(block, shape().m, i, shape().k, k)]; }
  std::uint64_t b_at(int block, int k, int j) const { return b[index(block, shape().k, k, shape().n, j)]; }
  std::uint64_t c_at(int block, int i, int j) const { return c[element(block, i, j)]; }
  std::uint64_t scale_a_at(int i, int q) const { return scale_a[index(0, 0, i, scale_blocks(), q)]; }
  std::uint64_t scale_b_at(int q, int j) const { return scale_b[index(0, 0, q, shape().n, j)]; }
  // The number of an element of C and D.
  std::size_t element(int block, int i, int j) const { return index(block, shape().m, i, shape().n, j); }

  // The origin's images with these elements; bits that no element holds stay.
  cases::Case to_case() const;

  std::vector<std::uint64_t> a, b, c, scale_a, scale_b;

 private:
  static std::size_t index(int block, int rows, int row, int columns, int column) {
    return static_cast<std::size_t>((block * rows + row) * columns + column);
  }
  cases::Case origin_;
};

// A case of `instance` of the right sizes, all zero; scales are one.
cases::Case blank_case(const catalogue::Instance& instance);

// Calls each(block, i, j) for every element of D.
template <typename Each>
void each_element(const catalogue::Shape& shape, Each each) {
  for (int block = 0; block < shape.blocks; ++block) {
    for (int i = 0; i < shape.m; ++i) {
      for (int j = 0; j < shape.n; ++j) each(block, i, j);
    }
  }
}

// Cases by which trials begin; every property of an instance sees the same ones under one (seed, number).
enum class Origin {
  kExact,  // all sums exact in any order
  kBits,   // random bits
  kAny,    // random bits or special values, by (seed, instance, number)
  kOther,  // random bits again, others
};
Matrices draw_matrices(const Draw& draw, Origin origin);
// Elements and C near one in magnitude, normal, no zeros, so that sums keep far from the range's ends; scales of one.
// Formats with fewer than four exponent bits: any codes.
Matrices draw_near_one(const Draw& draw);

// For every element of D: 1 where no lawful model, under either reading of an unsettled modifier, may give other bits.
std::vector<std::uint8_t> exact_elements(const Matrices& m);

// A code with its sign flipped; of integers the negative, the least number being taken as one more.
std::uint64_t negated(catalogue::ElementFormat format, std::uint64_t code);
std::uint64_t magnitude(catalogue::ElementFormat format, std::uint64_t code);  // |x|, likewise
bool is_subnormal(catalogue::ElementFormat format, std::uint64_t code);
bool is_infinite_code(catalogue::ElementFormat format, std::uint64_t code);
bool is_nan_code(catalogue::ElementFormat format, std::uint64_t code);
// Plus or minus zero, by the generator.
std::uint64_t any_zero(catalogue::ElementFormat format, cases::Rng& rng);

std::vector<int> permutation(int size, cases::Rng& rng);
std::vector<bool> some_of(int size, cases::Rng& rng);  // neither none nor all, where size > 1

// True where B's lanes are moved: blgp of the builtins that have it as a pattern.
bool moves_b(const catalogue::Instance& i);
bool has_pattern_modifiers(const catalogue::Instance& i);  // cbsz, abid, blgp as broadcast and pattern

// The lane from which A is read where `lane` would be, under cbsz and abid: two published readings
// (docs/discrepancies.md, broadcast-sets).
int per_set_source_lane(const catalogue::Instance& i, int lane);  // manual Table 89: within each set of 2^cbsz blocks
int whole_wave_source_lane(const catalogue::Instance& i, int lane);  // manual 7.1.6.1: S = 64 >> cbsz lanes serve all

Step step_of(cases::Case c);
Trial one_reading(std::vector<Step> steps, std::vector<Comparison> comparisons);
Comparison compare(Relation relation, std::uint32_t subject_step, std::size_t subject, std::uint32_t reference_step,
                   std::size_t reference);

}  // namespace mfma::properties
