#include "oracles/arithmetic/describe.h"

#include <fmt/format.h>

namespace mfma::oracles {
namespace {

const char* words(Rounding r) {
  switch (r) {
    case Rounding::kTowardZero:
      return "toward zero";
    case Rounding::kDown:
      return "toward minus infinity";
    case Rounding::kNearestEven:
      break;
  }
  return "to nearest even";
}

const char* words(StepOrder order) { return order == StepOrder::kAscending ? "ascending" : "descending"; }

constexpr std::size_t kColumns = 120;

// The line, indented and broken at blanks to the terminal's width.
void add(std::string& out, const std::string& line) {
  std::string indent = "    ";
  std::size_t at = 0;
  while (at < line.size()) {
    const std::size_t room = kColumns - indent.size();
    std::size_t end = line.size();
    if (end - at > room) {
      const std::size_t blank = line.rfind(' ', at + room);
      end = blank != std::string::npos && blank > at ? blank : at + room;
    }
    out += indent + line.substr(at, end - at) + "\n";
    at = end + (end < line.size() && line[end] == ' ' ? 1 : 0);
    indent = "      ";
  }
}

void add_aligned_sum(const Model& m, std::string& out) {
  add(out, fmt::format("steps of {} products, k {}; the accumulator enters the first and is rounded after each", m.step,
                       words(m.order)));
  if (m.groups > 1) {
    add(out, fmt::format("{} alignment groups, {}; each sum kept to {} fraction bits below the largest exponent, {}",
                         m.groups, m.grouping == Grouping::kInterleaved ? "k mod groups" : "contiguous",
                         m.merge_fraction_bits, words(m.merge_rounding)));
  }
  add(out, fmt::format("products kept to {} fraction bits below the group's largest exponent, {}",
                       m.product_fraction_bits, words(m.product_rounding)));
  add(out, fmt::format("products {}, subnormals {}, zero products {} the exponent",
                       m.normalise_products ? "normalised" : "not normalised",
                       m.normalise_subnormals ? "normalised" : "not normalised",
                       m.zero_products_raise_exponent ? "raise" : "do not raise"));
  add(out, fmt::format("then below the larger of product and accumulator exponent: sum to {} bits {}, c to {} bits {}",
                       m.sum_fraction_bits, words(m.sum_rounding), m.c_fraction_bits, words(m.c_rounding)));
  if (m.drop_c_below) add(out, fmt::format("c counts as 0 when its exponent is more than {} lower", *m.drop_c_below));
  if (m.final_fraction_bits) {
    add(out, fmt::format("total kept to {} fraction bits below its leading bit, {}", *m.final_fraction_bits,
                         words(m.final_rounding)));
  }
  if (m.product_overflow == ProductOverflow::kInfinity) add(out, "a product of 2^128 or more becomes an infinity");
}

void add_kind(const Model& m, std::string& out) {
  switch (m.kind) {
    case ModelKind::kFmaChain:
      return add(out, fmt::format("fma_chain: d = c, then d = fma(a, b, d) with k {}, each rounded to nearest even",
                                  words(m.order)));
    case ModelKind::kMultiplyAdd:
      return add(out, fmt::format("multiply_add: each product rounded, then added and rounded, k {}", words(m.order)));
    case ModelKind::kPairwise:
      return add(
          out, fmt::format("pairwise: products rounded, added by a tree in steps of {}, k {}", m.step, words(m.order)));
    case ModelKind::kExactSum:
      return add(out, fmt::format("exact_sum: steps of {} products summed exactly with d, one rounding each, k {}",
                                  m.step, words(m.order)));
    case ModelKind::kBlockSums:
      return add(out, "block_sums: an FMA chain per 32 k, scaled, then added to d");
    case ModelKind::kInteger:
      return add(out, "integer: exact products, sums modulo 2^32");
    case ModelKind::kAlignedSum:
      add(out, "aligned_sum: products aligned and truncated, then one rounding to nearest even per step");
      return add_aligned_sum(m, out);
  }
}

}  // namespace

std::string describe(const ProfileRule& rule) {
  std::string out;
  add_kind(rule.model, out);
  if (rule.model.kind != ModelKind::kInteger) {
    const NanRule& nan = rule.model.nan;
    const std::string bits = nan.bits ? fmt::format("{:08x}", *nan.bits) : "the format's quiet NaN";
    add(out, nan.propagate ? fmt::format("NaN: passed on in the order {}, else {}", nan.order, bits)
                           : fmt::format("NaN: always {}", bits));
  }
  add(out,
      fmt::format("status {}: {}", rule.status == RuleStatus::kConfirmed ? "confirmed" : "candidate", rule.source));
  return out;
}

}  // namespace mfma::oracles
