#include "harness/conformance/execution/oracle_view.h"

#include <algorithm>

#include "harness/catalogue/register_image.h"
#include "oracles/batched/batched.h"
#include "oracles/plain/modifiers.h"

namespace mfma::conformance {
namespace {

using catalogue::ElementFormat;
using catalogue::Operand;

std::shared_ptr<const catalogue::Layout> layout_of(const catalogue::Instance& instance, Operand operand) {
  return {std::shared_ptr<const catalogue::Layout>(), &catalogue::shared_layout(instance, operand)};  // not owned
}

oracles::DenseModifiers modifiers_of(const catalogue::Instance& instance, oracles::BroadcastReading reading) {
  oracles::DenseModifiers m;
  m.reading = reading;
  switch (instance.builtin->modifiers) {
    case catalogue::ModifierKind::kBroadcast:
      m.cbsz = instance.modifiers.cbsz;
      m.abid = instance.modifiers.abid;
      m.blgp = instance.modifiers.blgp;
      break;
    case catalogue::ModifierKind::kNegate:
      m.negate_a = (instance.modifiers.blgp & 1) != 0;
      m.negate_b = (instance.modifiers.blgp & 2) != 0;
      m.negate_c = (instance.modifiers.blgp & 4) != 0;
      break;
    case catalogue::ModifierKind::kScaled:
      break;  // formats and op_sel: the layouts know them
  }
  return m;
}

// The scale bytes that op_sel picks (the layout knows which), in element order.
std::vector<std::uint8_t> scale_bytes(const catalogue::Layout& layout, const catalogue::RegisterImage& image) {
  const std::vector<std::uint64_t> codes = catalogue::read_elements(layout, image);
  std::vector<std::uint8_t> bytes(codes.size());
  std::transform(codes.begin(), codes.end(), bytes.begin(),
                 [](std::uint64_t c) { return static_cast<std::uint8_t>(c); });
  return bytes;
}

}  // namespace

oracles::FormatId oracle_format(ElementFormat format) {
  switch (format) {
    case ElementFormat::kF64:
      return oracles::FormatId::kF64;
    case ElementFormat::kF32:
      return oracles::FormatId::kF32;
    case ElementFormat::kF16:
      return oracles::FormatId::kF16;
    case ElementFormat::kBf16:
      return oracles::FormatId::kBf16;
    case ElementFormat::kFp8E4m3:
      return oracles::FormatId::kFp8E4m3;
    case ElementFormat::kBf8E5m2:
      return oracles::FormatId::kBf8E5m2;
    case ElementFormat::kFp6E2m3:
      return oracles::FormatId::kFp6E2m3;
    case ElementFormat::kBf6E3m2:
      return oracles::FormatId::kBf6E3m2;
    case ElementFormat::kFp4E2m1:
      return oracles::FormatId::kFp4E2m1;
    case ElementFormat::kI8:
      return oracles::FormatId::kI8;
    case ElementFormat::kI32:
      break;
  }
  return oracles::FormatId::kI32;
}

OracleEntry catalogue_entry(const catalogue::Instance& instance, const oracles::Model& model,
                            oracles::BroadcastReading reading) {
  OracleEntry entry{.instance = instance,
                    .model = model,
                    .modifiers = modifiers_of(instance, reading),
                    .a_format = oracles::format(oracle_format(instance.a_format())),
                    .b_format = oracles::format(oracle_format(instance.b_format())),
                    .acc_format = oracles::format(oracle_format(instance.builtin->acc_format)),
                    .a = layout_of(instance, Operand::kA),
                    .b = layout_of(instance, Operand::kB),
                    .c = layout_of(instance, Operand::kC),
                    .d = layout_of(instance, Operand::kD),
                    .opcode = instance.builtin->opcode};
  if (instance.modifiers.scaled) {
    entry.scales = {layout_of(instance, Operand::kScaleA), layout_of(instance, Operand::kScaleB)};
  }
  return entry;
}

std::shared_ptr<const OracleSource> catalogue_oracle(OracleChoice choice) {
  class Catalogue : public OracleSource {
   public:
    explicit Catalogue(OracleChoice choice) : choice_(choice) {}
    OracleEntry entry(const catalogue::Instance& instance, const oracles::Model& model,
                      oracles::BroadcastReading reading) const override {
      OracleEntry entry = catalogue_entry(instance, model, reading);
      entry.choice = choice_;
      return entry;
    }

   private:
    OracleChoice choice_;
  };
  return std::make_shared<const Catalogue>(choice);
}

oracles::DenseResult OracleView::expected(const cases::Case& c) const {
  const catalogue::Shape& shape = entry_.instance.builtin->shape;
  const std::vector<std::uint64_t> a = catalogue::read_elements(*entry_.a, c.a);
  const std::vector<std::uint64_t> b = catalogue::read_elements(*entry_.b, c.b);
  const std::vector<std::uint64_t> acc = catalogue::read_elements(*entry_.c, c.c);
  std::vector<std::uint8_t> scale_a, scale_b;
  if (!entry_.scales.empty()) {
    scale_a = scale_bytes(*entry_.scales[0], c.scale_a);
    scale_b = scale_bytes(*entry_.scales[1], c.scale_b);
  }
  const oracles::DenseProblem problem{.shape = {shape.m, shape.n, shape.k, shape.blocks},
                                      .a_format = entry_.a_format,
                                      .b_format = entry_.b_format,
                                      .acc_format = entry_.acc_format,
                                      .modifiers = entry_.modifiers,
                                      .a = a,
                                      .b = b,
                                      .c = acc,
                                      .scaled = !entry_.scales.empty(),
                                      .scale_a = scale_a,
                                      .scale_b = scale_b};
  return entry_.choice == OracleChoice::kPlain ? oracles::dense_product(problem, entry_.model)
                                               : oracles::batched::dense_product(problem, entry_.model);
}

std::uint64_t OracleView::nonzero_products(const cases::Case& c, std::size_t element) const {
  const catalogue::Shape& s = entry_.instance.builtin->shape;
  const oracles::DenseShape shape{s.m, s.n, s.k, s.blocks};
  const std::vector<std::uint64_t> a = catalogue::read_elements(*entry_.a, c.a);
  const std::vector<std::uint64_t> b = catalogue::read_elements(*entry_.b, c.b);
  const auto index = static_cast<int>(element);
  const int block = index / (s.m * s.n), row = index / s.n % s.m, column = index % s.n;
  std::uint64_t count = 0;
  for (int k = 0; k < s.k; ++k) {
    const oracles::ElementPlace at_a = oracles::source_of_a(shape, entry_.modifiers, {block, row, k});
    const oracles::ElementPlace at_b = oracles::source_of_b(shape, entry_.modifiers, {block, column, k});
    const auto x = oracles::decode(entry_.a_format,
                                   a[static_cast<std::size_t>((at_a.block * s.m + at_a.row_or_column) * s.k + at_a.k)]);
    const auto y = oracles::decode(entry_.b_format,
                                   b[static_cast<std::size_t>((at_b.block * s.k + at_b.k) * s.n + at_b.row_or_column)]);
    const auto is_zero = [](const oracles::Decoded& d) {
      return d.cls == oracles::ValueClass::kFinite && d.significand == 0;
    };
    const bool finite = x.cls == oracles::ValueClass::kFinite && y.cls == oracles::ValueClass::kFinite;
    if (!finite || (!is_zero(x) && !is_zero(y))) ++count;
  }
  return count;
}

Comparison OracleView::compare(const oracles::DenseResult& expected, const std::vector<std::uint64_t>& actual) const {
  Comparison result;
  result.elements = expected.d.size();
  for (std::size_t i = 0; i < expected.d.size(); ++i) {
    if (expected.exact[i]) ++result.exact;
    if (expected.d[i] != actual[i]) result.differing.push_back(i);
  }
  return result;
}

}  // namespace mfma::conformance
