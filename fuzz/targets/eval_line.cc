// Any text as a line for `eval`, its shape a builtin's: refused with one line, or both oracles give the same bits.
#include <fmt/format.h>

#include "fuzz/targets/draw.h"
#include "fuzz/targets/target.h"
#include "harness/conformance/calls/plan.h"
#include "harness/conformance/execution/oracle_view.h"
#include "oracles/plain/eval.h"
#include "oracles/reference/reference.h"

namespace mfma::fuzz {
namespace {

int wrong(const std::string& what, const std::string& line) {
  fmt::print(stderr, "{}: line '{}'\n", what, line);
  return 1;
}

catalogue::Instance draw_instance(FuzzedDataProvider& in) {
  const auto all = catalogue::builtins();
  catalogue::Instance instance{&all[in.ConsumeIntegralInRange<std::size_t>(0, all.size() - 1)], {}};
  if (instance.builtin->modifiers == catalogue::ModifierKind::kScaled) {
    instance.modifiers.cbsz = in.ConsumeIntegralInRange(0, 4);
    instance.modifiers.blgp = in.ConsumeIntegralInRange(0, 4);
    instance.modifiers.scaled = in.ConsumeBool();
  }
  return instance;
}

oracles::EvalShape shape_of(const catalogue::Instance& instance) {
  oracles::EvalShape shape;
  shape.k = instance.builtin->shape.k;
  shape.a_format = oracles::format(conformance::oracle_format(instance.a_format()));
  shape.b_format = oracles::format(conformance::oracle_format(instance.b_format()));
  shape.acc_format = oracles::format(conformance::oracle_format(instance.builtin->acc_format));
  shape.scaled = instance.modifiers.scaled;
  return shape;
}

oracles::DotProblem problem_of(const oracles::EvalCase& c) {
  return {.a_format = c.shape.a_format,
          .b_format = c.shape.b_format,
          .acc_format = c.shape.acc_format,
          .a = c.a,
          .b = c.b,
          .c = c.c,
          .scaled = c.shape.scaled,
          .scale_a = c.scale_a,
          .scale_b = c.scale_b};
}

}  // namespace

std::string begin(const Options&) { return {}; }

}  // namespace mfma::fuzz

int fuzz_one(const std::uint8_t* data, std::size_t size) {
  using namespace mfma;
  FuzzedDataProvider in(data, size);
  const catalogue::Instance instance = fuzz::draw_instance(in);
  const std::string line = in.ConsumeRemainingBytesAsString();
  const auto parsed = oracles::parse_eval_line(line, fuzz::shape_of(instance));
  if (!parsed) {
    const bool one_line = !parsed.error().empty() && parsed.error().find('\n') == std::string::npos;
    return one_line ? 0 : fuzz::wrong("no single line: " + parsed.error(), line);
  }
  const oracles::Model& model = conformance::rule_of(oracles::default_profile(), instance)->model;
  const auto result = oracles::evaluate(*parsed, model);
  if (!result) return fuzz::wrong("read, but not computed: " + result.error(), line);
  const std::uint64_t reference = oracles::reference::dot_product(fuzz::problem_of(*parsed), model);
  if (*result != reference) return fuzz::wrong(fmt::format("{:x}, reference {:x}", *result, reference), line);
  static_cast<void>(oracles::is_exact(*parsed));
  return 0;
}
