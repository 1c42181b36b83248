// Bytes to an instance, a model and operands: the emulated matrix unit, called directly, against the oracle.
#include <fmt/format.h>

#include <memory>

#include "fuzz/targets/draw.h"
#include "fuzz/targets/subject.h"
#include "fuzz/targets/target.h"
#include "harness/conformance/calls/plan.h"
#include "harness/devices/emulated.h"

namespace mfma::fuzz {
namespace {

std::vector<catalogue::Instance> g_instances;
gfx950::MatrixFault g_fault;

// The unit wants [register][lane], and only the registers that the instruction reads.
std::vector<std::uint32_t> by_register(const catalogue::RegisterImage& image, int registers) {
  std::vector<std::uint32_t> dwords;
  for (int reg = 0; reg < registers; ++reg) {
    for (int lane = 0; lane < catalogue::kLanes; ++lane) dwords.push_back(image.at(lane, reg));
  }
  return dwords;
}

gfx950::MatrixUnit unit_of(const catalogue::Instance& instance, const oracles::Model& model) {
  auto config = std::make_shared<gfx950::MatrixConfig>();
  auto& slots = config->rules[static_cast<std::size_t>(instance.builtin->opcode)];
  slots.fill(devices::adder_rules(model, catalogue::bits_of(instance.builtin->acc_format)));
  return gfx950::MatrixUnit(std::move(config), g_fault);
}

// Empty when the unit took the case.
std::string execute(const gfx950::MatrixUnit& unit, const cases::Case& c, catalogue::RegisterImage& d) {
  const catalogue::Instance& instance = c.instance;
  const catalogue::Modifiers& m = instance.modifiers;
  const auto a = by_register(c.a, instance.a_registers()), b = by_register(c.b, instance.b_registers());
  const auto acc = by_register(c.c, instance.c_registers());
  gfx950::MatrixOperands operands{.a = a, .b = b, .c = acc, .scale_a = {}, .scale_b = {}};
  if (c.has_scales) {
    operands.scale_a = c.scale_a.dwords;
    operands.scale_b = c.scale_b.dwords;
    operands.scale_byte_a = m.op_sel_a;
    operands.scale_byte_b = m.op_sel_b;
  }
  std::vector<std::uint32_t> result(acc.size());
  std::string refused = unit.execute({instance.builtin->opcode, m.cbsz, m.abid, m.blgp}, operands, result);
  for (int reg = 0; reg < d.registers; ++reg) {
    for (int lane = 0; lane < catalogue::kLanes; ++lane) {
      d.at(lane, reg) = result[static_cast<std::size_t>(reg * catalogue::kLanes + lane)];
    }
  }
  return refused;
}

}  // namespace

std::string begin(const Options& options) {
  auto instances = conformance::select_instances({options.builtin, conformance::ModifierChoice::kAll, {}});
  if (!instances) return instances.error();
  g_instances = *std::move(instances);
  const PlantedFault planted = planted_fault();
  g_fault = planted.fault;
  return planted.error;
}

}  // namespace mfma::fuzz

int fuzz_one(const std::uint8_t* data, std::size_t size) {
  using namespace mfma;
  FuzzedDataProvider in(data, size);
  const auto& instance = fuzz::g_instances[in.ConsumeIntegralInRange<std::size_t>(0, fuzz::g_instances.size() - 1)];
  const oracles::Format& acc = oracles::format(conformance::oracle_format(instance.builtin->acc_format));
  // The built-in profile's model for half of the inputs; integers have one arithmetic only.
  const bool drawn = in.ConsumeBool() && !acc.is_integer;
  const oracles::Model model =
      drawn ? fuzz::draw_model(in, acc) : conformance::rule_of(oracles::default_profile(), instance)->model;
  const cases::Case c = fuzz::draw_case(in, instance);

  const gfx950::MatrixUnit unit = fuzz::unit_of(instance, model);
  catalogue::RegisterImage d(instance.c_registers());
  const std::string refused = fuzz::execute(unit, c, d);
  const std::string subject = catalogue::instance_id(instance) + " [" + fuzz::text_of(model) + "]";
  if (!refused.empty()) {
    fmt::print(stderr, "{}: the matrix unit refuses: {}\n", subject, refused);
    return 1;
  }
  const conformance::OracleView view(instance, model, oracles::BroadcastReading::kPerSet);
  return fuzz::compare(view, c, d, subject);
}
