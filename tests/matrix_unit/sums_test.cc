// Random matrices under many rules, against the models on exact rationals (rational_model.h).
#include <gtest/gtest.h>

#include "tests/matrix_unit/rational_model.h"
#include "tests/matrix_unit/support.h"

namespace mfma::gfx950::testing {
namespace {

using Random = std::mt19937_64;

int pick(Random& random, int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }

// How the bits of operands are drawn.
enum class Draw {
  kBits,        // any code, infinities and NaNs as they come
  kNear,        // exponents close together: sums that round
  kCancelling,  // near, few fractions: sums that cancel
  kSparse,      // mostly zeros and subnormals
  kSpecials,    // a few infinities and NaNs among near numbers
};

std::uint64_t draw_code(Random& random, const Format& format, Draw draw, int centre) {
  const std::uint64_t any =
      random() & (format.bits() == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << format.bits()) - 1);
  const std::uint64_t sign_bit = std::uint64_t{1} << (format.bits() - 1);
  const std::uint64_t fraction_mask = (std::uint64_t{1} << format.fraction_bits) - 1;
  if (draw == Draw::kBits) return any;
  if (draw == Draw::kSparse) return pick(random, 0, 3) != 0 ? any & sign_bit : any & (sign_bit | fraction_mask);
  if (draw == Draw::kSpecials && pick(random, 0, 63) == 0) return any | (sign_bit - 1 - fraction_mask);
  const int top = (1 << format.exponent_bits) - 2;
  const int exponent = std::clamp(centre + pick(random, -6, 6), 0, std::max(top, 0));
  std::uint64_t fraction = any & fraction_mask;
  if (draw == Draw::kCancelling) fraction &= ~(fraction_mask >> 1);
  return (any & sign_bit) | static_cast<std::uint64_t>(exponent) << format.fraction_bits | fraction;
}

int draw_centre(Random& random, const Format& format) {
  const int top = (1 << format.exponent_bits) - 2;
  switch (pick(random, 0, 3)) {
    case 0:
      return 3;  // near the subnormals
    case 1:
      return top - 3;  // near overflow
    default:
      return format.bias;
  }
}

void draw_operands(Random& random, Image& image, Draw draw) {
  const Instruction& in = image.instruction;
  const Format& d = in.f64() ? kF64 : kF32;
  const int of_a = draw_centre(random, in.a);
  const int of_b = draw_centre(random, in.b);
  // C about as large as the products.
  const int of_c = of_a - in.a.bias + of_b - in.b.bias + d.bias + pick(random, -2, 6);
  for (int block = 0; block < in.blocks; ++block) {
    for (int row = 0; row < in.m; ++row) {
      for (int k = 0; k < in.k; ++k) {
        image.set_a(block, row, k, draw_code(random, in.a, draw, of_a));
        image.set_b(block, k, row, draw_code(random, in.b, draw, of_b));
      }
      for (int j = 0; j < in.n; ++j) image.set_c(block, row, j, draw_code(random, d, draw, of_c));
    }
  }
  if (!in.f8f6f4 || pick(random, 0, 3) == 0) return;
  image.unit_scales();
  const int spread = pick(random, 0, 2);
  for (int row = 0; row < in.m; ++row) {
    for (int q = 0; q < in.k / 32; ++q) {
      const int around = spread == 0   ? pick(random, 0, 255)
                         : spread == 1 ? pick(random, 120, 134)
                                       : pick(random, 240, 254);
      image.set_scale_a(row, q, static_cast<std::uint32_t>(around), 2);
      image.set_scale_b(row, q, static_cast<std::uint32_t>(std::clamp(around + pick(random, -9, 9), 0, 255)), 1);
    }
  }
  image.scale_byte_a = 2;
  image.scale_byte_b = 1;
}

ElementInputs inputs_of(const Image& image, int block, int i, int j) {
  const Instruction& in = image.instruction;
  ElementInputs inputs;
  inputs.format_a = in.a;
  inputs.format_b = in.b;
  inputs.format_d = in.f64() ? kF64 : kF32;
  inputs.c = image.get_c(block, i, j);
  for (int k = 0; k < in.k; ++k) {
    inputs.a_codes.push_back(image.get_a(block, i, k));
    inputs.b_codes.push_back(image.get_b(block, k, j));
    inputs.a.push_back(decode(in.a, inputs.a_codes.back()));
    inputs.b.push_back(decode(in.b, inputs.b_codes.back()));
  }
  if (image.scale_a.empty()) return inputs;
  for (int q = 0; q < in.k / 32; ++q) {
    const auto byte = [&](const std::vector<std::uint32_t>& scales, int row, int shift) {
      return static_cast<int>(scales[static_cast<std::size_t>(row + in.m * q)] >> (8 * shift) & 0xff);
    };
    inputs.scale_a.push_back(byte(image.scale_a, i, image.scale_byte_a));
    inputs.scale_b.push_back(byte(image.scale_b, j, image.scale_byte_b));
  }
  return inputs;
}

AdderRules for_format(AdderRules rules, const Instruction& in) {
  if (in.f64()) rules.nan_bits = 0x7ff8000000000000;
  return rules;
}

void check_random(const Instruction& in, const AdderRules& rules, Draw draw, Random& random, int elements) {
  const MatrixUnit unit(config_of(rules));
  const AdderRules own = for_format(rules, in);
  Image image(in);
  draw_operands(random, image, draw);
  ASSERT_EQ(image.run(unit), "");
  for (int n = 0; n < elements; ++n) {
    const int block = pick(random, 0, in.blocks - 1);
    const int i = pick(random, 0, in.m - 1);
    const int j = pick(random, 0, in.n - 1);
    const std::uint64_t expected = model_element(own, inputs_of(image, block, i, j));
    ASSERT_EQ(image.get_d(block, i, j), expected)
        << std::hex << in.name << ' ' << in.a.name << ' ' << in.b.name << " block " << block << " i " << i << " j " << j
        << " kind " << static_cast<int>(rules.accumulate) << " step " << std::dec << rules.step << " groups "
        << rules.groups << " draw " << static_cast<int>(draw);
  }
}

constexpr Draw kDraws[] = {Draw::kBits, Draw::kNear, Draw::kCancelling, Draw::kSparse, Draw::kSpecials};

// The float instructions, with enough pairs of small formats to meet each on each side.
std::vector<Instruction> float_instructions() {
  std::vector<Instruction> all;
  for (const Instruction& in : plain_instructions()) {
    if (!in.integer()) all.push_back(in);
  }
  for (int a = 0; a < 5; ++a) {
    for (int b = 0; b < 5; ++b) all.push_back(f8f6f4((a + b) % 2 == 0 ? 45 : 46, a, b));
  }
  return all;
}

void check_everywhere(const std::vector<AdderRules>& rules, std::uint64_t seed, int elements) {
  Random random(seed);
  for (const Instruction& in : float_instructions()) {
    for (const AdderRules& each : rules) {
      for (const Draw draw : kDraws) {
        check_random(in, each, draw, random, elements);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

AdderRules of_kind(Accumulate kind, int step, bool descending) {
  AdderRules rules;
  rules.accumulate = kind;
  rules.step = step;
  rules.descending = descending;
  return rules;
}

TEST(Sums, FmaChains) {
  check_everywhere({of_kind(Accumulate::kFmaChain, 1, false), of_kind(Accumulate::kFmaChain, 1, true)}, 1, 6);
}

TEST(Sums, MultiplyAdd) { check_everywhere({of_kind(Accumulate::kMultiplyAdd, 1, false)}, 2, 5); }

TEST(Sums, Pairwise) {
  check_everywhere({of_kind(Accumulate::kPairwise, 4, false), of_kind(Accumulate::kPairwise, 7, true)}, 3, 4);
}

TEST(Sums, BlockSums) {
  AdderRules apart = of_kind(Accumulate::kBlockSums, 32, false);
  apart.scale_in_block_sum = true;
  AdderRules apart_down = apart;
  apart_down.descending = true;
  check_everywhere({apart, apart_down, of_kind(Accumulate::kBlockSums, 32, false)}, 4, 4);
}

TEST(Sums, ExactSums) {
  check_everywhere({of_kind(Accumulate::kExactSum, 128, false), of_kind(Accumulate::kExactSum, 12, true)}, 5, 5);
}

TEST(Sums, AlignedSumsOfTheCandidates) {
  check_everywhere({aligned_rules(8), aligned_rules(16), aligned_rules(32), aligned_rules(64), grouped_rules(16)}, 6,
                   5);
}

// Every parameter drawn: within the window of the fast adder, and beyond it.
AdderRules draw_rules(Random& random, int max_bits) {
  const auto mode = [&] { return static_cast<RoundTo>(pick(random, 0, 2)); };
  AdderRules rules;
  rules.step = pick(random, 0, 1) != 0 ? 1 << pick(random, 0, 7) : pick(random, 1, 128);
  rules.descending = pick(random, 0, 1) != 0;
  rules.groups = pick(random, 0, 1) != 0 ? 1 : pick(random, 2, 8);
  rules.contiguous_groups = pick(random, 0, 1) != 0;
  rules.product_fraction_bits = pick(random, 10, std::min(max_bits, 28));
  rules.product_rounding = mode();
  rules.zero_products_raise_exponent = pick(random, 0, 3) == 0;
  rules.normalise_subnormals = pick(random, 0, 3) == 0;
  rules.merge_fraction_bits = pick(random, 10, max_bits);
  rules.merge_rounding = mode();
  rules.sum_fraction_bits = pick(random, 12, max_bits);
  rules.sum_rounding = mode();
  rules.c_fraction_bits = pick(random, 10, max_bits);
  rules.c_rounding = mode();
  if (pick(random, 0, 2) == 0) rules.drop_c_below = pick(random, 5, 30);
  rules.final_fraction_bits.reset();
  if (pick(random, 0, 3) != 0) rules.final_fraction_bits = pick(random, 12, max_bits);
  rules.final_rounding = mode();
  rules.product_overflow_is_infinity = pick(random, 0, 1) != 0;
  rules.nan_propagates = pick(random, 0, 1) != 0;
  rules.nan_order = pick(random, 0, 1) != 0 ? "abc" : "cba";
  if (max_bits > 42) {
    rules.normalise_products = pick(random, 0, 3) == 0;
    rules.product_fraction_bits = pick(random, 10, max_bits);
    if (pick(random, 0, 3) == 0) rules.groups = pick(random, 9, 128);
  }
  return rules;
}

TEST(Sums, AlignedSumsWithinTheWindow) {
  Random random(7);
  for (int round = 0; round < 12; ++round) {
    for (const Instruction& in : float_instructions()) {
      check_random(in, draw_rules(random, 42), kDraws[static_cast<std::size_t>(pick(random, 0, 4))], random, 5);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Sums, AlignedSumsBeyondTheWindow) {
  Random random(8);
  for (int round = 0; round < 6; ++round) {
    for (const Instruction& in : float_instructions()) {
      check_random(in, draw_rules(random, 64), kDraws[static_cast<std::size_t>(pick(random, 0, 4))], random, 5);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Sums, Integers) {
  const MatrixUnit unit(candidate_config());
  Random random(9);
  for (const Instruction& in : plain_instructions()) {
    if (!in.integer()) continue;
    Image image(in);
    image.randomise(random);
    ASSERT_EQ(image.run(unit), "");
    for (int block = 0; block < in.blocks; ++block) {
      for (int i = 0; i < in.m; ++i) {
        for (int j = 0; j < in.n; ++j) {
          long long sum = static_cast<std::int32_t>(image.get_c(block, i, j));
          for (int k = 0; k < in.k; ++k) {
            const auto factor = [](std::uint64_t code) {
              return code < 128 ? static_cast<int>(code) : static_cast<int>(code) - 256;
            };
            sum += factor(image.get_a(block, i, k)) * factor(image.get_b(block, k, j));
          }
          ASSERT_EQ(image.get_d(block, i, j), static_cast<std::uint64_t>(sum) & 0xffffffff) << in.name;
        }
      }
    }
  }
}

}  // namespace
}  // namespace mfma::gfx950::testing
