// A tiny kernel with one MFMA on small integers, whose result is the same under every lawful model: what a device must
// still do after a hang or a crash, before it is trusted with more.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "harness/devices/device.h"

namespace mfma::devices {

inline constexpr const char* kProbeKernel = "mfma_conform_probe";

// A gfx950 code object (version 5, which old and new runtimes take) with that kernel: D = A B + C by
// v_mfma_f32_16x16x4_f32, with the ABI of harness/kernels/kernel.h. scripts/make-probe-kernel makes it.
std::span<const std::byte> probe_object();

// The operands: all of A is 1, so that D[i][j] = C[i][j] + B[0][j] + ... + B[3][j].
cases::Case probe_case();

// Empty when the outcome of a run of probe_case() is right; else one line.
std::string wrong_with_probe(const LaunchOutcome& outcome);

}  // namespace mfma::devices
