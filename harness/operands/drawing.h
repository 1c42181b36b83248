// What the operand classes share. Internal to fuzz/operands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/cases/case.h"
#include "harness/cases/codes.h"
#include "harness/cases/rng.h"
#include "harness/catalogue/layout.h"

namespace mfma::operands::detail {

using cases::Case;
using cases::Rng;

__extension__ typedef __int128 Int128;

// Codes of one operand in its layout's order, to be changed and written back.
class Elements {
 public:
  Elements(const catalogue::Instance& instance, catalogue::Operand operand, catalogue::RegisterImage& image)
      : layout_(catalogue::shared_layout(instance, operand)),
        image_(image),
        codes_(catalogue::read_elements(layout_, image)) {}

  std::uint64_t& at(int block, int row, int column) {
    return codes_[static_cast<std::size_t>((block * layout_.rows() + row) * layout_.columns() + column)];
  }
  std::vector<std::uint64_t>& codes() { return codes_; }
  const catalogue::Layout& layout() const { return layout_; }
  void store() { catalogue::write_elements(layout_, codes_, image_); }

 private:
  const catalogue::Layout& layout_;
  catalogue::RegisterImage& image_;
  std::vector<std::uint64_t> codes_;
};

// Where the instruction reads A[block, i, k] and B[block, k, j] from, cbsz, abid and blgp done.
catalogue::Element stored_place_of_a(const catalogue::Instance& instance, catalogue::Element wanted);
catalogue::Element stored_place_of_b(const catalogue::Instance& instance, const catalogue::Layout& layout,
                                     catalogue::Element wanted);
bool permutes_b(const catalogue::Instance& instance);  // blgp other than 0, where it moves lanes

// Exponents that a floating-point format reaches: |x| < 2^(largest + 1), normal from 2^least on, least bit 2^least_bit.
struct Reach {
  int least_bit, least, largest, fraction_bits;
};
Reach reach_of(catalogue::ElementFormat f);

// A number with 2^exponent <= |x| < 2^(exponent + 1), subnormal where it must be; the exponent is brought into reach.
std::uint64_t with_exponent(catalogue::ElementFormat f, int exponent, Rng& rng);  // random sign and fraction
std::uint64_t power_of_two(catalogue::ElementFormat f, int exponent, bool negative);
// Any finite number whose exponent is at most `most` away from 0 where the format reaches that far.
std::uint64_t near_one(catalogue::ElementFormat f, int most, Rng& rng);
std::uint64_t zero_of(catalogue::ElementFormat f, bool negative);
// n * 2^exponent cut to the format's precision, the largest finite number where it would overflow; `ulps` are then
// added to its magnitude, as far as it stays finite and on its side of zero. Integers: clamped, exponent 0.
std::uint64_t encode_cut(catalogue::ElementFormat f, Int128 n, int exponent, int ulps);

// A whole case, operand by operand. All elements of an image are kept until store().
struct Draft {
  Draft(Case& of, Rng& random);

  // Zeros of one sign in A and of one sign in B, +0 in C, scales of 1.0.
  void clear();
  void put_b(int block, int k, int j, std::uint64_t code);  // where the instruction reads it
  // The scale exponents of a whole block of 32 k, in all rows or columns.
  void scale_rows(int q, int exponent);
  void scale_columns(int q, int exponent);
  int scale_blocks() const { return scale_a ? scale_a->layout().columns() : 1; }
  void store();

  Case& c;
  Rng& rng;
  const catalogue::Shape& shape;
  catalogue::ElementFormat a_format, b_format, acc_format;
  Elements a, b, acc;
  std::optional<Elements> scale_a, scale_b;
};

// Sums of products as the instruction forms them, without C, scales and negations included. Elements that are no
// finite numbers count as zero, and bits more than about 118 below the largest product are lost.
class Totals {
 public:
  struct Total {
    Int128 n = 0;
    int exponent = 0;
  };
  explicit Totals(Draft& draft);
  Total at(int block, int i, int j) const;

 private:
  struct Factor {
    std::int64_t significand;
    int exponent;
  };
  const catalogue::Shape& shape_;
  int factor_bits_;            // of a product's significand
  std::vector<Factor> a_, b_;  // [block][i][k] and [block][j][k], modifiers done
};
bool negates_c(const catalogue::Instance& instance);

// The place of a case in an enumeration of `length` places, by index, seed and rank of its instance; period_for()
// gives the period, whose places beyond the length repeat the first ones.
std::uint64_t period_for(std::uint64_t length);
struct Position {
  std::uint64_t in_period;
  std::uint64_t periods_before;
};
Position position_in(const Case& c, std::uint64_t period, std::uint64_t per_rank);

std::uint64_t specials_period(const catalogue::Instance& instance);
std::uint64_t one_hot_period(const catalogue::Instance& instance);
std::uint64_t scale_bytes_period(const catalogue::Instance& instance);
std::uint64_t code_pairs_period(const catalogue::Instance& instance);
std::uint64_t nan_payloads_period(const catalogue::Instance& instance);
bool products_overflow(const catalogue::Instance& instance);  // whether finite operands can make one that does

// The code of the n-th of `small_values(f)` small integers (or all small codes) of a format, for sums without rounding.
std::uint32_t small_values(catalogue::ElementFormat f);
std::uint64_t small_value(catalogue::ElementFormat f, std::uint32_t n);

// Images of the case are sized and full of random bits when these are called.
void make_small_integers(Case& c, Rng& rng);
void make_one_hot(Case& c, Rng& rng);
void make_exact(Case& c, Rng& rng);
void make_signed_zeros(Case& c, Rng& rng);
void make_random_bits(Case& c, Rng& rng);
void make_uniform_bits(Case& c, Rng& rng);
void make_uniform_exponents(Case& c, Rng& rng);
void make_specials(Case& c, Rng& rng);
void make_infinities(Case& c, Rng& rng);
void make_nan_payloads(Case& c, Rng& rng);
void make_subnormals(Case& c, Rng& rng);
void make_near_cancel(Case& c, Rng& rng);
void make_rounding_ties(Case& c, Rng& rng);
void make_alignment_edges(Case& c, Rng& rng);
void make_huge_c(Case& c, Rng& rng);
void make_product_overflow(Case& c, Rng& rng);
void make_integer_edges(Case& c, Rng& rng);
void make_scale_bytes(Case& c, Rng& rng);
void make_code_pairs(Case& c, Rng& rng);
void make_mixed(Case& c, Rng& rng);

}  // namespace mfma::operands::detail
