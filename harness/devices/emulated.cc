#include "harness/devices/emulated.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "harness/catalogue/instance.h"
#include "harness/gfx950/machine/machine.h"

namespace mfma::devices {
namespace {

LaunchStatus status_of(gfx950::Stop stop) {
  switch (stop) {
    case gfx950::Stop::kCompleted:
      return LaunchStatus::kCompleted;
    case gfx950::Stop::kBudgetExhausted:
      return LaunchStatus::kHang;
    case gfx950::Stop::kIllegalOperand:
    case gfx950::Stop::kMemoryFault:
      return LaunchStatus::kFault;
    case gfx950::Stop::kUnsupportedInstruction:
    case gfx950::Stop::kNoSuchKernel:
      break;
  }
  return LaunchStatus::kInconclusive;
}

gfx950::RoundTo round_to(oracles::Rounding r) {
  switch (r) {
    case oracles::Rounding::kTowardZero:
      return gfx950::RoundTo::kZero;
    case oracles::Rounding::kDown:
      return gfx950::RoundTo::kMinusInfinity;
    case oracles::Rounding::kNearestEven:
      break;
  }
  return gfx950::RoundTo::kNearestEven;
}

gfx950::Accumulate accumulate(oracles::ModelKind kind) {
  switch (kind) {
    case oracles::ModelKind::kFmaChain:
      return gfx950::Accumulate::kFmaChain;
    case oracles::ModelKind::kMultiplyAdd:
      return gfx950::Accumulate::kMultiplyAdd;
    case oracles::ModelKind::kPairwise:
      return gfx950::Accumulate::kPairwise;
    case oracles::ModelKind::kExactSum:
      return gfx950::Accumulate::kExactSum;
    case oracles::ModelKind::kAlignedSum:
      return gfx950::Accumulate::kAlignedSum;
    case oracles::ModelKind::kBlockSums:
      return gfx950::Accumulate::kBlockSums;
    case oracles::ModelKind::kInteger:
      break;
  }
  return gfx950::Accumulate::kInteger;
}

std::span<const std::byte> bytes_of(const std::vector<std::uint32_t>& dwords) {
  return std::as_bytes(std::span(dwords));
}

// The operands of all cases side by side, as the kernel's arrays hold them.
std::uint64_t upload(gfx950::Machine& machine, std::span<const cases::Case> cases,
                     catalogue::RegisterImage cases::Case::*image) {
  const std::size_t bytes = (cases[0].*image).dwords.size() * sizeof(std::uint32_t);
  const std::uint64_t address = machine.allocate(bytes * cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) machine.write(address + i * bytes, bytes_of((cases[i].*image).dwords));
  return address;
}

// The pointers, then the numbers, as the kernel's argument segment holds them.
std::vector<std::byte> kernel_arguments(std::span<const std::uint64_t> pointers,
                                        std::span<const std::uint32_t> numbers) {
  std::vector<std::byte> bytes(pointers.size_bytes() + numbers.size_bytes());
  std::memcpy(bytes.data(), pointers.data(), pointers.size_bytes());
  std::memcpy(bytes.data() + pointers.size_bytes(), numbers.data(), numbers.size_bytes());
  return bytes;
}

// Empty when the launch completed.
std::string stop_message(const gfx950::LaunchResult& result, std::uint32_t count) {
  if (result.stop == gfx950::Stop::kCompleted) return {};
  return fmt::format("emulated device stopped at pc {:#x}, dword {:08x}, case {} of {}: {}", result.pc, result.dword,
                     result.workgroup, count, result.message);
}

class EmulatedModule : public Module {
 public:
  EmulatedModule(std::shared_ptr<const gfx950::CodeObject> object, std::shared_ptr<const gfx950::MatrixConfig> config,
                 std::shared_ptr<const gfx950::FaultHook> faults)
      : object_(std::move(object)), config_(std::move(config)), faults_(std::move(faults)) {}

  LaunchOutcome run(const std::string& kernel, std::span<const cases::Case> cases) override {
    LaunchOutcome outcome;
    if (cases.empty()) return outcome;
    gfx950::Machine machine(config_, faults_);
    std::vector<std::uint64_t> pointers;
    pointers.push_back(upload(machine, cases, &cases::Case::a));
    pointers.push_back(upload(machine, cases, &cases::Case::b));
    pointers.push_back(upload(machine, cases, &cases::Case::c));
    const std::size_t d_bytes = cases[0].c.dwords.size() * sizeof(std::uint32_t);
    const std::uint64_t d = machine.allocate(d_bytes * cases.size());
    pointers.push_back(d);
    if (cases[0].has_scales) {
      pointers.push_back(upload(machine, cases, &cases::Case::scale_a));
      pointers.push_back(upload(machine, cases, &cases::Case::scale_b));
    }
    // A pattern in D shows an element that the kernel never wrote.
    const std::vector<std::uint32_t> unwritten(cases[0].c.dwords.size() * cases.size(), kUnwrittenDword);
    machine.write(d, bytes_of(unwritten));

    const auto count = static_cast<std::uint32_t>(cases.size());
    const gfx950::LaunchResult result =
        machine.launch(*object_, kernel, count, kernel_arguments(pointers, std::span(&count, 1)));
    for (const gfx950::Hazard& h : result.hazards) {
      outcome.wait_states.push_back({h.rule->severity == gfx950::Severity::kError, h.rule->code, gfx950::describe(h)});
    }
    if (result.more_hazards) outcome.wait_states.back().message += "; there are more than are listed";
    outcome.status = status_of(result.stop);
    outcome.message = stop_message(result, count);
    if (outcome.status != LaunchStatus::kCompleted) return outcome;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      catalogue::RegisterImage image(cases[i].c.registers);
      machine.read(d + i * d_bytes, std::as_writable_bytes(std::span(image.dwords)));
      outcome.d.push_back(std::move(image));
    }
    return outcome;
  }

  LaunchOutcome run_program(const std::string& kernel, const ProgramLaunch& launch) override {
    gfx950::Machine machine(config_, faults_);
    std::vector<std::uint64_t> pointers;
    for (const std::vector<std::uint32_t>& input : launch.inputs) {
      pointers.push_back(machine.allocate(input.size() * sizeof(std::uint32_t)));
      machine.write(pointers.back(), bytes_of(input));
    }
    for (const std::size_t dwords : launch.outputs) {
      pointers.push_back(machine.allocate(dwords * sizeof(std::uint32_t)));
      machine.write(pointers.back(), bytes_of(std::vector<std::uint32_t>(dwords, kUnwrittenDword)));
    }
    const std::uint32_t numbers[] = {launch.cases, launch.trips};
    const gfx950::LaunchResult result =
        machine.launch(*object_, kernel, launch.cases, kernel_arguments(pointers, numbers));
    LaunchOutcome outcome;
    outcome.status = status_of(result.stop);
    outcome.message = stop_message(result, launch.cases);
    if (outcome.status != LaunchStatus::kCompleted) return outcome;
    for (std::size_t k = 0; k < launch.outputs.size(); ++k) {
      std::vector<std::uint32_t>& dwords = outcome.outputs.emplace_back(launch.outputs[k]);
      machine.read(pointers[launch.inputs.size() + k], std::as_writable_bytes(std::span(dwords)));
    }
    return outcome;
  }

 private:
  std::shared_ptr<const gfx950::CodeObject> object_;
  std::shared_ptr<const gfx950::MatrixConfig> config_;
  std::shared_ptr<const gfx950::FaultHook> faults_;
};

class EmulatedDevice : public Device {
 public:
  EmulatedDevice(std::shared_ptr<const gfx950::MatrixConfig> config, std::shared_ptr<const gfx950::FaultHook> faults)
      : config_(std::move(config)), faults_(std::move(faults)) {
    info_ = {"emulated",
             "emulated",
             "gfx950",
             "emulated gfx950 (no GPU: evidence about compiler and "
             "harness, not about hardware)",
             true,
             {}};
  }
  const DeviceInfo& info() const override { return info_; }
  bool runs_programs() const override { return true; }
  tl::expected<std::unique_ptr<Module>, std::string> load(std::span<const std::byte> object) override {
    auto parsed = gfx950::load_code_object(object);
    if (!parsed) return tl::make_unexpected(parsed.error());
    return std::make_unique<EmulatedModule>(*parsed, config_, faults_);
  }

 private:
  DeviceInfo info_;
  std::shared_ptr<const gfx950::MatrixConfig> config_;
  std::shared_ptr<const gfx950::FaultHook> faults_;
};

}  // namespace

gfx950::AdderRules adder_rules(const oracles::Model& model, int accumulator_bits) {
  gfx950::AdderRules rules;
  rules.accumulate = accumulate(model.kind);
  rules.step = model.step;
  rules.descending = model.order == oracles::StepOrder::kDescending;
  rules.groups = model.groups;
  rules.contiguous_groups = model.grouping == oracles::Grouping::kContiguous;
  rules.product_fraction_bits = model.product_fraction_bits;
  rules.product_rounding = round_to(model.product_rounding);
  rules.zero_products_raise_exponent = model.zero_products_raise_exponent;
  rules.normalise_subnormals = model.normalise_subnormals;
  rules.normalise_products = model.normalise_products;
  rules.merge_fraction_bits = model.merge_fraction_bits;
  rules.merge_rounding = round_to(model.merge_rounding);
  rules.sum_fraction_bits = model.sum_fraction_bits;
  rules.sum_rounding = round_to(model.sum_rounding);
  rules.c_fraction_bits = model.c_fraction_bits;
  rules.c_rounding = round_to(model.c_rounding);
  rules.drop_c_below = model.drop_c_below;
  rules.final_fraction_bits = model.final_fraction_bits;
  rules.final_rounding = round_to(model.final_rounding);
  rules.product_overflow_is_infinity = model.product_overflow == oracles::ProductOverflow::kInfinity;
  rules.nan_propagates = model.nan.propagate;
  rules.nan_order = model.nan.order;
  rules.nan_bits = model.nan.bits.value_or(accumulator_bits == 64 ? 0x7ff8000000000000u : 0x7fc00000u);
  rules.scale_in_block_sum = model.scale == oracles::ScaleEntry::kInBlockSum;
  return rules;
}

tl::expected<std::shared_ptr<const gfx950::MatrixConfig>, std::string> matrix_config(
    const oracles::Profile& profile, std::span<const catalogue::Builtin* const> builtins,
    oracles::BroadcastReading reading) {
  auto config = std::make_shared<gfx950::MatrixConfig>();
  config->whole_wave_broadcast = reading == oracles::BroadcastReading::kWholeWave;
  for (const catalogue::Builtin* selected : builtins) {
    const catalogue::Builtin& builtin = *selected;
    const int accumulator_bits = catalogue::bits_of(builtin.acc_format);
    const bool by_format = builtin.modifiers == catalogue::ModifierKind::kScaled;
    const int a_bits = catalogue::bits_of(builtin.a_format);
    const int b_bits = catalogue::bits_of(builtin.b_format);
    auto& slots = config->rules[static_cast<std::size_t>(builtin.opcode)];
    for (std::size_t narrow = 0; narrow < (by_format ? 2u : 1u); ++narrow) {
      const oracles::ProfileRule* rule =
          narrow ? profile.rule_for(builtin.name, 4, 4) : profile.rule_for(builtin.name, a_bits, b_bits);
      if (!rule) {
        return tl::make_unexpected(
            fmt::format("profile '{}' has no rule for {}{}: add one whose \"builtins\" glob matches it", profile.name,
                        builtin.name, by_format ? (narrow ? " with 4/6-bit operands" : " with an 8-bit operand") : ""));
      }
      slots[narrow] = adder_rules(rule->model, accumulator_bits);
    }
  }
  return config;
}

tl::expected<std::unique_ptr<Device>, std::string> make_emulated_device(
    const oracles::Profile& profile, std::span<const catalogue::Builtin* const> builtins,
    const EmulatedOptions& options) {
  auto config = matrix_config(profile, builtins, options.reading);
  if (!config) return tl::make_unexpected(config.error());
  return std::make_unique<EmulatedDevice>(*std::move(config), options.faults);
}

}  // namespace mfma::devices
