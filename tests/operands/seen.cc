#include "tests/operands/seen.h"

#include <algorithm>
#include <stdexcept>

#include "harness/catalogue/layout.h"
#include "harness/conformance/execution/oracle_view.h"
#include "oracles/formats/format.h"
#include "oracles/plain/modifiers.h"

namespace mfma::operands::testing {

using catalogue::ModifierKind;
using catalogue::Operand;

catalogue::Instance instance(std::string_view id) {
  const auto parsed = catalogue::parse_instance(id);
  if (!parsed) throw std::invalid_argument(parsed.error());
  return *parsed;
}

std::vector<catalogue::Instance> one_of_each() {
  std::vector<catalogue::Instance> kept;
  for (const catalogue::Instance& i : catalogue::all_legal_instances()) {
    const catalogue::Modifiers& m = i.modifiers;
    const bool scaled = i.builtin->modifiers == ModifierKind::kScaled;
    if (scaled ? m.scaled && m.op_sel_a == 1 && m.op_sel_b == 2 : m == catalogue::Modifiers{}) kept.push_back(i);
  }
  return kept;
}

mpq_class power(int exponent) {
  mpz_class p = 1;
  mpz_mul_2exp(p.get_mpz_t(), p.get_mpz_t(), static_cast<mp_bitcnt_t>(std::abs(exponent)));
  return exponent >= 0 ? mpq_class(p) : mpq_class(1, p);
}

int exponent_of(const mpq_class& x) {
  const mpq_class magnitude = abs(x);
  const auto bits = [](const mpz_class& n) { return static_cast<int>(mpz_sizeinbase(n.get_mpz_t(), 2)); };
  int e = bits(magnitude.get_num()) - bits(magnitude.get_den());
  if (magnitude < power(e)) --e;
  return e;
}

namespace {

mpq_class value_of(const oracles::Decoded& d) {
  mpq_class v = mpq_class(mpz_class(static_cast<unsigned long>(d.significand))) * power(d.exponent);
  return d.negative ? -v : v;
}

std::vector<std::uint64_t> read(const cases::Case& c, Operand operand, const catalogue::RegisterImage& image) {
  return catalogue::read_elements(catalogue::shared_layout(c.instance, operand), image);
}

// f64's blgp negates; the code of an integer or of another builtin stays.
std::uint64_t negated(std::uint64_t code, bool negate, const oracles::Format& f) {
  return negate ? code ^ (std::uint64_t{1} << (f.bits - 1)) : code;
}

}  // namespace

bool Element::finite() const {
  return c_finite && std::ranges::all_of(products, [](const Term& t) { return t.finite && !t.nan_scale; });
}

mpq_class Element::sum() const {
  mpq_class total = c_value;
  for (const Term& t : products) total += t.value;
  return total;
}

mpq_class Element::largest_product() const {
  mpq_class most = 0;
  for (const Term& t : products) most = std::max<mpq_class>(most, abs(t.value));
  return most;
}

mpq_class Element::largest() const { return std::max<mpq_class>(largest_product(), abs(c_value)); }

Seen::Seen(const cases::Case& c)
    : instance_(c.instance),
      a_format_(oracles::format(conformance::oracle_format(c.instance.a_format()))),
      b_format_(oracles::format(conformance::oracle_format(c.instance.b_format()))),
      acc_format_(oracles::format(conformance::oracle_format(c.instance.builtin->acc_format))),
      a_(read(c, Operand::kA, c.a)),
      b_(read(c, Operand::kB, c.b)),
      c_(read(c, Operand::kC, c.c)) {
  const catalogue::Shape& s = c.instance.builtin->shape;
  shape_ = {s.m, s.n, s.k, s.blocks};
  const catalogue::Modifiers& m = c.instance.modifiers;
  if (c.instance.builtin->modifiers == ModifierKind::kBroadcast) {
    modifiers_.cbsz = m.cbsz;
    modifiers_.abid = m.abid;
    modifiers_.blgp = m.blgp;
  } else if (c.instance.builtin->modifiers == ModifierKind::kNegate) {
    modifiers_.negate_a = (m.blgp & 1) != 0;
    modifiers_.negate_b = (m.blgp & 2) != 0;
    modifiers_.negate_c = (m.blgp & 4) != 0;
  }
  if (c.has_scales) {
    scale_a_ = read(c, Operand::kScaleA, c.scale_a);
    scale_b_ = read(c, Operand::kScaleB, c.scale_b);
  }
}

Element Seen::at(int block, int i, int j) const {
  Element e;
  const int per_line = shape_.k / 32;
  for (int k = 0; k < shape_.k; ++k) {
    const auto from_a = oracles::source_of_a(shape_, modifiers_, {block, i, k});
    const auto from_b = oracles::source_of_b(shape_, modifiers_, {block, j, k});
    Term t;
    t.a = a_[static_cast<std::size_t>((from_a.block * shape_.m + from_a.row_or_column) * shape_.k + from_a.k)];
    t.b = b_[static_cast<std::size_t>((from_b.block * shape_.k + from_b.k) * shape_.n + from_b.row_or_column)];
    t.a = negated(t.a, modifiers_.negate_a, a_format_);
    t.b = negated(t.b, modifiers_.negate_b, b_format_);
    if (!scale_a_.empty()) {
      const std::uint64_t sa = scale_a_[static_cast<std::size_t>(i * per_line + k / 32)];
      const std::uint64_t sb = scale_b_[static_cast<std::size_t>(k / 32 * shape_.n + j)];
      t.nan_scale = sa == 0xff || sb == 0xff;
      t.scale = static_cast<int>(sa) + static_cast<int>(sb) - 254;
    }
    const oracles::Decoded a = decode(a_format_, t.a), b = decode(b_format_, t.b);
    t.finite = a.cls == oracles::ValueClass::kFinite && b.cls == oracles::ValueClass::kFinite;
    if (t.finite) t.value = value_of(a) * value_of(b) * power(t.scale);
    e.products.push_back(t);
  }
  e.c = negated(c_[static_cast<std::size_t>((block * shape_.m + i) * shape_.n + j)], modifiers_.negate_c, acc_format_);
  const oracles::Decoded c = decode(acc_format_, e.c);
  e.c_finite = c.cls == oracles::ValueClass::kFinite;
  if (e.c_finite) e.c_value = value_of(c);
  return e;
}

}  // namespace mfma::operands::testing
