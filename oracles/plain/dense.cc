#include "oracles/plain/dense.h"

#include <algorithm>
#include <stdexcept>

#include "oracles/arithmetic/dot.h"
#include "oracles/arithmetic/lines.h"
#include "oracles/exactness/exactness.h"
#include "oracles/plain/modifiers.h"

namespace mfma::oracles {
namespace {

constexpr int kScaleBlock = 32;

int scale_blocks(int k) { return (k + kScaleBlock - 1) / kScaleBlock; }

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

void require_none(const std::optional<std::string>& error) {
  if (error) throw std::invalid_argument(*error);
}

std::size_t product_of(std::initializer_list<int> factors) {
  std::size_t product = 1;
  for (int f : factors) product *= static_cast<std::size_t>(f);
  return product;
}

void check(const DenseProblem& p, const Model& model) {
  const DenseShape& s = p.shape;
  require(s.m > 0 && s.n > 0 && s.k > 0 && s.blocks > 0, "dense_product: a shape has positive sizes");
  require(p.a.size() == product_of({s.blocks, s.m, s.k}), "dense_product: A must hold blocks * m * k codes");
  require(p.b.size() == product_of({s.blocks, s.k, s.n}), "dense_product: B must hold blocks * k * n codes");
  require(p.c.size() == product_of({s.blocks, s.m, s.n}), "dense_product: C must hold blocks * m * n codes");
  if (p.scaled) {
    require(s.blocks == 1, "dense_product: a scaled product has one block");
    require(p.scale_a.size() == product_of({s.m, scale_blocks(s.k)}), "dense_product: one scale of A per row and 32 k");
    require(p.scale_b.size() == product_of({scale_blocks(s.k), s.n}),
            "dense_product: one scale of B per 32 k and column");
  }
  require_none(modifier_error(s, p.modifiers));
  require_none(model_error(model, p.a_format, p.b_format, p.acc_format));
}

void check(const DotProblem& p, const Model& model) {
  require(p.a.size() == p.b.size(), "dot_product: A and B must have the same length");
  const auto blocks = static_cast<std::size_t>(scale_blocks(static_cast<int>(p.a.size())));
  require(!p.scaled || (p.scale_a.size() == blocks && p.scale_b.size() == blocks),
          "dot_product: one scale of A and of B per 32 k");
  require_none(model_error(model, p.a_format, p.b_format, p.acc_format));
}

std::uint64_t with_sign_flipped(std::uint64_t code, bool flip, const Format& f) {
  return flip ? code ^ (std::uint64_t{1} << (f.bits - 1)) : code;
}

// Whether the model wants the scales in the block sums, not in the products.
bool scales_blocks(const Model& model) {
  return model.kind == ModelKind::kBlockSums && model.scale == ScaleEntry::kInBlockSum;
}

// The scale as it goes into an element: of a block-scaling model only its NaN.
BlockScale element_scale(std::uint8_t byte, const Model& model) {
  const BlockScale scale = block_scale(byte);
  return scales_blocks(model) ? BlockScale{0, scale.is_nan} : scale;
}

const std::uint64_t* first_nan(const Line& line, const Format& f) {
  for (int k = 0; k < line.k; ++k) {
    if (decode(f, line.codes[k]).cls == ValueClass::kNan) return line.codes + k;
  }
  return nullptr;
}

// The bits of a NaN result (NanRule).
std::uint64_t nan_result(const NanRule& rule, const Format& a_format, const Format& b_format, const DotTerms& terms,
                         std::uint64_t c_code) {
  const Format& acc = *terms.acc;
  if (rule.propagate) {
    for (char operand : rule.order) {
      if (operand == 'c' && terms.c.cls == ValueClass::kNan) return converted_nan(acc, c_code, acc);
      if (operand == 'c') continue;
      const Format& from = operand == 'a' ? a_format : b_format;
      const std::uint64_t* code = first_nan(operand == 'a' ? terms.a : terms.b, from);
      if (code != nullptr) return converted_nan(from, *code, acc);
    }
  }
  return generated_nan(rule, acc);
}

struct Formats {
  const Format &a, &b, &acc;
};

// One element, of lines decoded for `model`.
std::uint64_t evaluate(const DotTerms& terms, const Formats& formats, std::uint64_t c_code, const Model& model) {
  if (formats.acc.is_integer) return integer_dot(terms, c_code);
  const bool nan_operand =
      ((terms.a.any_flags | terms.b.any_flags) & kNotANumber) != 0 || terms.c.cls == ValueClass::kNan;
  const Number d = nan_operand ? kNan : dot(terms, model);
  if (d.cls == ValueClass::kNan) return nan_result(model.nan, formats.a, formats.b, terms, c_code);
  return encode(formats.acc, d);
}

bool exact(const DotTerms& terms, std::span<const std::uint8_t> scale_a, std::span<const std::uint8_t> scale_b) {
  return terms.acc->is_integer ? is_exact_integer(terms) : is_exact_float(terms, scale_a, scale_b);
}

// Rows of A (one line per block and i) with the modifiers done.
Lines rows_of_a(const DenseProblem& p, const Model& model) {
  const DenseShape& s = p.shape;
  Lines lines(p.a_format, model, product_of({s.blocks, s.m}), s.k);
  for (int b = 0; b < s.blocks; ++b) {
    for (int i = 0; i < s.m; ++i) {
      for (int k = 0; k < s.k; ++k) {
        const ElementPlace from = source_of_a(s, p.modifiers, {b, i, k});
        const auto at = static_cast<std::size_t>((from.block * s.m + from.row_or_column) * s.k + from.k);
        const auto scale_at = static_cast<std::size_t>(i * scale_blocks(s.k) + k / kScaleBlock);
        lines.push(with_sign_flipped(p.a[at], p.modifiers.negate_a, p.a_format),
                   p.scaled ? element_scale(p.scale_a[scale_at], model) : BlockScale{});
      }
    }
  }
  return lines;
}

// Columns of B (one line per block and j).
Lines columns_of_b(const DenseProblem& p, const Model& model) {
  const DenseShape& s = p.shape;
  Lines lines(p.b_format, model, product_of({s.blocks, s.n}), s.k);
  for (int b = 0; b < s.blocks; ++b) {
    for (int j = 0; j < s.n; ++j) {
      for (int k = 0; k < s.k; ++k) {
        const ElementPlace from = source_of_b(s, p.modifiers, {b, j, k});
        const auto at = static_cast<std::size_t>((from.block * s.k + from.k) * s.n + from.row_or_column);
        const auto scale_at = static_cast<std::size_t>(k / kScaleBlock * s.n + j);
        lines.push(with_sign_flipped(p.b[at], p.modifiers.negate_b, p.b_format),
                   p.scaled ? element_scale(p.scale_b[scale_at], model) : BlockScale{});
      }
    }
  }
  return lines;
}

std::vector<std::int16_t> block_exponents(std::span<const std::uint8_t> scale_a,
                                          std::span<const std::uint8_t> scale_b) {
  std::vector<std::int16_t> exponents(scale_a.size());
  std::transform(scale_a.begin(), scale_a.end(), scale_b.begin(), exponents.begin(),
                 [](std::uint8_t a, std::uint8_t b) {
                   return static_cast<std::int16_t>(block_scale(a).exponent + block_scale(b).exponent);
                 });
  return exponents;
}

// The scales of B with those of a column next to one another, as those of a row of A are.
std::vector<std::uint8_t> scales_by_column(const DenseProblem& p, int per_line) {
  std::vector<std::uint8_t> scales(product_of({p.shape.n, per_line}));
  for (int j = 0; j < p.shape.n; ++j) {
    for (int q = 0; q < per_line; ++q) {
      scales[static_cast<std::size_t>(j * per_line + q)] = p.scale_b[static_cast<std::size_t>(q * p.shape.n + j)];
    }
  }
  return scales;
}

Lines line_of(const Format& f, const Model& model, std::span<const std::uint64_t> codes, bool scaled,
              std::span<const std::uint8_t> scales) {
  Lines lines(f, model, 1, static_cast<int>(codes.size()));
  for (std::size_t k = 0; k < codes.size(); ++k) {
    lines.push(codes[k], scaled ? element_scale(scales[k / kScaleBlock], model) : BlockScale{});
  }
  return lines;
}

}  // namespace

void check_problem(const DenseProblem& problem, const Model& model) { check(problem, model); }

struct DenseElements::Decoded {
  Decoded(const DenseProblem& problem, const Model& arithmetic)
      : p(problem),
        model(arithmetic),
        rows(rows_of_a(p, model)),
        columns(columns_of_b(p, model)),
        per_line(p.scaled ? scale_blocks(p.shape.k) : 0),
        column_scales(scales_by_column(p, per_line)),
        in_blocks(p.scaled && scales_blocks(model)) {
    // A model that scales block sums has unscaled lines; exactness is judged on scaled ones.
    if (!in_blocks) return;
    scaled_rows = rows_of_a(p, Model{});
    scaled_columns = columns_of_b(p, Model{});
  }

  DenseProblem p;
  Model model;
  Lines rows, columns;
  int per_line;
  std::vector<std::uint8_t> column_scales;
  bool in_blocks;
  std::optional<Lines> scaled_rows, scaled_columns;
};

DenseElements::DenseElements(const DenseProblem& problem, const Model& model) {
  check(problem, model);
  decoded_ = std::make_unique<const Decoded>(problem, model);
}

DenseElements::~DenseElements() = default;

namespace {

// Which line of A and of B an element of D comes from.
struct Place {
  std::size_t row, column, j;
};

Place place_of(const DenseShape& s, std::size_t at) {
  const auto j = at % static_cast<std::size_t>(s.n);
  const auto row = at / static_cast<std::size_t>(s.n);  // of all blocks
  return {row, row / static_cast<std::size_t>(s.m) * static_cast<std::size_t>(s.n) + j, j};
}

}  // namespace

std::uint64_t DenseElements::bits(std::size_t at) const {
  const Decoded& x = *decoded_;
  const DenseProblem& p = x.p;
  const Place place = place_of(p.shape, at);
  const std::uint64_t c = with_sign_flipped(p.c[at], p.modifiers.negate_c, p.acc_format);
  DotTerms terms = {x.rows.line(place.row), x.columns.line(place.column), &p.acc_format, to_number(p.acc_format, c),
                    nullptr};
  const auto exponents = x.in_blocks ? block_exponents(scales_of_a(at), scales_of_b(at)) : std::vector<std::int16_t>();
  if (x.in_blocks) terms.block_exponents = exponents.data();
  return evaluate(terms, {p.a_format, p.b_format, p.acc_format}, c, x.model);
}

bool DenseElements::exact(std::size_t at) const {
  const Decoded& x = *decoded_;
  const DenseProblem& p = x.p;
  const Place place = place_of(p.shape, at);
  const std::uint64_t c = with_sign_flipped(p.c[at], p.modifiers.negate_c, p.acc_format);
  const DotTerms terms = {(x.in_blocks ? *x.scaled_rows : x.rows).line(place.row),
                          (x.in_blocks ? *x.scaled_columns : x.columns).line(place.column), &p.acc_format,
                          to_number(p.acc_format, c), nullptr};
  return oracles::exact(terms, scales_of_a(at), scales_of_b(at));
}

std::span<const std::uint8_t> DenseElements::scales_of_a(std::size_t at) const {
  const auto count = static_cast<std::size_t>(decoded_->per_line);
  if (count == 0) return {};
  return decoded_->p.scale_a.subspan(place_of(decoded_->p.shape, at).row * count, count);
}

std::span<const std::uint8_t> DenseElements::scales_of_b(std::size_t at) const {
  const auto count = static_cast<std::size_t>(decoded_->per_line);
  return std::span<const std::uint8_t>(decoded_->column_scales)
      .subspan(place_of(decoded_->p.shape, at).j * count, count);
}

DenseResult dense_product(const DenseProblem& p, const Model& model) {
  const DenseElements elements(p, model);
  DenseResult result;
  result.d.resize(p.c.size());
  result.exact.resize(p.c.size());
  for (std::size_t at = 0; at < p.c.size(); ++at) {
    result.d[at] = elements.bits(at);
    result.exact[at] = elements.exact(at) ? 1 : 0;
  }
  return result;
}

std::uint64_t dot_product(const DotProblem& p, const Model& model) {
  check(p, model);
  const Lines a = line_of(p.a_format, model, p.a, p.scaled, p.scale_a);
  const Lines b = line_of(p.b_format, model, p.b, p.scaled, p.scale_b);
  const bool in_blocks = p.scaled && scales_blocks(model);
  const std::vector<std::int16_t> exponents =
      in_blocks ? block_exponents(p.scale_a, p.scale_b) : std::vector<std::int16_t>();
  const DotTerms terms = {a.line(0), b.line(0), &p.acc_format, to_number(p.acc_format, p.c),
                          in_blocks ? exponents.data() : nullptr};
  return evaluate(terms, {p.a_format, p.b_format, p.acc_format}, p.c, model);
}

bool is_exact(const DotProblem& p) {
  Model any;
  if (p.acc_format.is_integer) any.kind = ModelKind::kInteger;
  check(p, any);
  const Lines a = line_of(p.a_format, any, p.a, p.scaled, p.scale_a);
  const Lines b = line_of(p.b_format, any, p.b, p.scaled, p.scale_b);
  const DotTerms terms = {a.line(0), b.line(0), &p.acc_format, to_number(p.acc_format, p.c), nullptr};
  if (p.scaled) return exact(terms, p.scale_a, p.scale_b);
  return exact(terms, {}, {});
}

}  // namespace mfma::oracles
