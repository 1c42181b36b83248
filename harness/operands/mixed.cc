// Class kMixed: rows of A, columns of B and elements of C from cases of different classes, so that a verdict on one
// part of a case cannot lean on the rest being of one kind.
#include <array>

#include "harness/operands/drawing.h"

namespace mfma::operands::detail {
namespace {

using Make = void (*)(Case&, Rng&);

// Classes that make sense on every instance of their kind of accumulator.
constexpr std::array<Make, 9> kFloat{make_small_integers,  make_exact,      make_random_bits,
                                     make_uniform_bits,    make_subnormals, make_near_cancel,
                                     make_alignment_edges, make_huge_c,     make_signed_zeros};
constexpr std::array<Make, 4> kInteger{make_small_integers, make_random_bits, make_integer_edges, make_near_cancel};

}  // namespace

void make_mixed(Case& c, Rng& rng) {
  constexpr std::size_t kParts = 3;
  std::array<Case, kParts> parts{c, c, c};
  const bool integers = cases::is_integer(c.instance.a_format());
  for (Case& part : parts) {
    const Make make = integers ? kInteger[rng.below(kInteger.size())] : kFloat[rng.below(kFloat.size())];
    make(part, rng);
  }
  Draft d(c, rng);
  std::array<Draft, kParts> from{Draft(parts[0], rng), Draft(parts[1], rng), Draft(parts[2], rng)};
  for (int block = 0; block < d.shape.blocks; ++block) {
    for (int i = 0; i < d.shape.m; ++i) {
      Draft& source = from[rng.below(kParts)];
      for (int k = 0; k < d.shape.k; ++k) d.a.at(block, i, k) = source.a.at(block, i, k);
      for (int q = 0; d.scale_a && q < d.scale_blocks(); ++q) d.scale_a->at(0, i, q) = source.scale_a->at(0, i, q);
      for (int j = 0; j < d.shape.n; ++j) d.acc.at(block, i, j) = from[rng.below(kParts)].acc.at(block, i, j);
    }
    for (int j = 0; j < d.shape.n; ++j) {
      Draft& source = from[rng.below(kParts)];
      for (int k = 0; k < d.shape.k; ++k) d.b.at(block, k, j) = source.b.at(block, k, j);
      for (int q = 0; d.scale_b && q < d.scale_blocks(); ++q) d.scale_b->at(0, q, j) = source.scale_b->at(0, q, j);
    }
  }
  d.store();
}

}  // namespace mfma::operands::detail
