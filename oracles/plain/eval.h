// The oracle as a filter: one line of raw bits in, the bits of d out.
//
// A line is  a:H,H,... b:H,H,... c:H [sa:H,... sb:H,...] [=> H]
// a: K codes of a row of A, b: K codes of a column of B, c: the accumulator, sa and sb: one E8M0 byte per block of 32
// k, all in hex, without prefix, at most as wide as the format. Fields may stand in any order, each once. `=> H` at the
// end, of vector files, is read as the expected result. Knows no builtin: the caller gives what one means.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "oracles/plain/dense.h"

namespace mfma::oracles {

struct EvalShape {
  int k = 0;
  Format a_format, b_format, acc_format;
  bool scaled = false;                                        // sa and sb must be given; else must not
  bool negate_a = false, negate_b = false, negate_c = false;  // sign flips before use (f64)
};

// One line, owning its operands (as written, before negation).
struct EvalCase {
  EvalShape shape;
  std::vector<std::uint64_t> a, b;
  std::uint64_t c = 0;
  std::vector<std::uint8_t> scale_a, scale_b;
  std::optional<std::uint64_t> expected;
};

// One-line error: "column 7: a: 'zz' is not hex" and the like; columns count from 1.
tl::expected<EvalCase, std::string> parse_eval_line(std::string_view line, const EvalShape& shape);

// The raw bits of d. Error: the model cannot be computed on these formats (model_error).
tl::expected<std::uint64_t, std::string> evaluate(const EvalCase& eval_case, const Model& model);
// Whether every lawful model gives these bits.
bool is_exact(const EvalCase& eval_case);

// Raw bits as eval prints them: lower-case hex, as many digits as the format is wide.
std::string hex_of(std::uint64_t bits, const Format& f);

}  // namespace mfma::oracles
