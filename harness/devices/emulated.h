// The emulated gfx950 as a device: in process, no GPU, arithmetic by a profile.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <tl/expected.hpp>

#include "harness/devices/device.h"
#include "harness/gfx950/machine/fault_hook.h"
#include "harness/gfx950/matrix/matrix_unit.h"
#include "oracles/arithmetic/profile.h"
#include "oracles/plain/dense.h"

namespace mfma::devices {

struct EmulatedOptions {
  oracles::BroadcastReading reading = oracles::BroadcastReading::kPerSet;
  std::shared_ptr<const gfx950::FaultHook> faults;  // null, as in use: a healthy device
};

// A device that computes `builtins` by the profile's rules. One line naming the builtin when one has no rule.
tl::expected<std::unique_ptr<Device>, std::string> make_emulated_device(
    const oracles::Profile& profile, std::span<const catalogue::Builtin* const> builtins,
    const EmulatedOptions& options = {});

// What the matrix unit of such a device computes by.
tl::expected<std::shared_ptr<const gfx950::MatrixConfig>, std::string> matrix_config(
    const oracles::Profile& profile, std::span<const catalogue::Builtin* const> builtins,
    oracles::BroadcastReading reading);

// A profile's model in the words of the emulated matrix unit. `accumulator_bits`: 32 or 64, for the default NaN.
gfx950::AdderRules adder_rules(const oracles::Model& model, int accumulator_bits);

}  // namespace mfma::devices
